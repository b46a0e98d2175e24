//! What a call does that is worth no word by itself: a policy may mind it all the same.

use aictx_shell::{RedirectKind, Word};

use super::options::{is_harmless, operands_of};
use super::{Call, Judge, Kind, delete, has_option, secrets, table};

/// Effects that are kept of one line.
const MAX_QUIET: usize = 256;
/// Words of one call that are looked at.
const MAX_WORDS: usize = 256;

/// Programs that run others with the rights of another user.
const ELEVATING: &[&str] = &["sudo", "su", "doas", "pkexec", "run0", "runuser"];
/// Programs that only say what they are given, or how a file is called.
const SAYING: &[&str] = &[
    "echo", "printf", "ls", "test", "[", "[[", "stat", "basename", "dirname", "realpath",
    "readlink",
];

/// Keeps the mild effects of a call.
pub(super) fn judge(judge: &mut Judge, call: Call) {
    let (name, arguments) = (call.name, call.arguments());
    if call.command.elevated || ELEVATING.contains(&name) {
        judge.quietly(Kind::Privilege);
    }
    if judge.minded.has(Kind::Delete) && takes_files(judge, call) {
        judge.quietly(Kind::Delete);
    }
    if judge.minded.has(Kind::Credentials) {
        let read = call.command.redirects.iter();
        let read = read.filter(|redirect| redirect.kind == RedirectKind::Read);
        let read = read.map(|redirect| &redirect.target);
        let given = arguments.iter().filter(|_| !SAYING.contains(&name));
        let mut words = given.take(MAX_WORDS).chain(read);
        let said = words.any(|word| secrets::is_secret(&word.text));
        if said || secrets::prints_secrets(call.command) {
            judge.quietly(Kind::Credentials);
        }
    }
}

/// Keeps what the table says of a call of a program, or of a script that is one.
pub(super) fn by_rules(judge: &mut Judge, program: &table::Program, arguments: &[Word]) {
    let rules = program.rules.quiet();
    if rules.is_empty() {
        return;
    }
    let operands = operands_of(program.valued, arguments);
    for rule in rules {
        if judge.minded.has(rule.kind) && rule.matches(&operands, arguments, true) {
            judge.quietly(rule.kind);
        }
    }
}

/// Returns true if a call takes files away that are not temporary.
fn takes_files(judge: &Judge, call: Call) -> bool {
    let (name, arguments) = (call.name, call.arguments());
    if is_harmless(arguments) {
        return false;
    }
    let stays = |word: &&Word| !judge.is_temporary(call, word);
    match name {
        "git" => {
            let verb = operands_of(call.program.valued, arguments);
            verb.words.first() == Some(&"rm") && !has_option(arguments, &["-n", "--cached"])
        }
        _ if delete::deletes(call, arguments) => {
            let mut given = delete::operands(arguments).into_iter().take(MAX_WORDS);
            call.command.fed || given.any(|word| stays(&word))
        }
        "del" | "erase" | "ri" | "rd" if judge.windows => !arguments.is_empty(),
        name => name.eq_ignore_ascii_case("remove-item"),
    }
}

impl Judge<'_> {
    /// Keeps an effect that is worth no finding, where somebody minds it.
    pub(super) fn quietly(&mut self, kind: Kind) {
        let entry = (kind, self.segment);
        let quiet = &mut self.risk.quiet;
        if self.minded.has(kind) && quiet.len() < MAX_QUIET && quiet.last() != Some(&entry) {
            quiet.push(entry);
        }
    }
}
