//! The forms by which a policy may name a command.

use super::options::operands_of;
use super::{Call, Judge, interpreter_argv};

/// Forms that are kept of one line.
const MAX_RUNS: usize = 1024;
/// Options before the verb that are passed over, where it is not known which take the next word.
const MAX_PASSED: usize = 6;

/// Keeps the forms of a call: as written, by the name of its program, without what stands before its verb, and by
/// the script that it runs.
pub(super) fn keep(judge: &mut Judge, call: Call) {
    let words: Vec<&str> = (call.command.words.iter())
        .map(|word| word.text.as_str())
        .collect();
    let Some((first, rest)) = words.split_first() else {
        return;
    };
    let mut forms = vec![words.join(" ")];
    let mut put = |program: &str, rest: &[&str]| {
        let form = [&[program], rest].concat().join(" ");
        if !forms.contains(&form) {
            forms.push(form);
        }
    };
    if call.name != *first {
        put(call.name, rest);
    }
    // `git -C . commit`, `cargo +nightly publish`
    let is_option = |word: &str| word.starts_with(['-', '+']) && word.len() > 1;
    if rest.first().is_some_and(|word| is_option(word)) {
        let valued = call.program.valued;
        if !valued.is_empty() {
            let verb = operands_of(valued, call.arguments()).words.first().copied();
            let at = verb.and_then(|verb| rest.iter().position(|word| std::ptr::eq(*word, verb)));
            put(
                call.name,
                at.and_then(|at| rest.get(at..)).unwrap_or_default(),
            );
        }
        let mut before = "";
        for (at, word) in rest.iter().enumerate().take(MAX_PASSED) {
            if is_option(word) {
                before = word;
                continue;
            }
            // Behind an option it may be its value, and the verb may stand behind that.
            if valued.is_empty() {
                put(call.name, rest.get(at..).unwrap_or_default());
            }
            if before.is_empty() || before.contains('=') {
                break;
            }
            before = "";
        }
    }
    // `bash deploy.sh`, `python manage.py`
    let script =
        interpreter_argv::script_behind(call.name, call.program.interpreter, call.arguments())
            .filter(|_| {
                let runs = call.program.interpreter.is_some();
                runs || aictx_shell::is_shell(call.name)
            });
    let at = script.and_then(|script| {
        let mut words = call.arguments().iter();
        words.position(|word| std::ptr::eq(word, script))
    });
    if let Some((script, behind)) = script.zip(at.and_then(|at| rest.get(at + 1..))) {
        put(script.program(), behind);
    }
    let room = MAX_RUNS.saturating_sub(judge.risk.runs.len());
    judge.risk.runs.extend(forms.into_iter().take(room));
}
