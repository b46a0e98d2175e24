//! Functions of a script that only say what they would do.
//!
//! ```sh
//! DRY_RUN=1
//! run() { if [ "$DRY_RUN" = 1 ]; then echo "+ $*"; else "$@"; fi; }
//! run rm -rf build
//! ```

use super::table;

/// Bytes of a function that are looked at.
const MAX_BODY: usize = 1024;
/// Functions of one text.
const MAX_FUNCTIONS: usize = 8;
/// What such a setting is called.
const NAMES: [&str; 4] = ["DRY_RUN", "DRYRUN", "dry_run", "DRY"];

/// What such functions are called, in part: never as a program is.
const CALLED: [&str; 6] = ["run", "cmd", "exec", "dry", "maybe", "doit"];

/// The functions of a text that print what they are given, because it says so itself, once and for all.
pub(super) fn echoing(text: &str) -> Vec<String> {
    let Some(name) = NAMES.iter().find(|name| is_set(text, name)) else {
        return Vec::new();
    };
    let defined = text.match_indices("()").take(64);
    defined
        .filter_map(|(at, _)| {
            let before = text.get(..at)?.trim_end();
            let start = before
                .rfind(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '-'))
                .map_or(0, |at| at + 1);
            let function = before.get(start..)?;
            let body = text.get(at + 2..)?.trim_start().strip_prefix('{')?;
            let mut end = body.len().min(MAX_BODY);
            while !body.is_char_boundary(end) {
                end -= 1;
            }
            // Said twice, the last one counts.
            let once = text.matches(&format!("{function}()")).count()
                + text.matches(&format!("{function} ()")).count()
                == 1;
            let known = once
                && CALLED.iter().any(|part| function.contains(part))
                && table::rules_of(function).is_empty();
            (known && only_says(body.get(..end)?, name)).then(|| function.to_owned())
        })
        .take(MAX_FUNCTIONS)
        .collect()
}

/// `if [ "$DRY_RUN" = 1 ]; then echo …; else "$@"; fi`: nothing but saying it, and doing it otherwise.
fn only_says(body: &str, name: &str) -> bool {
    let Some((condition, rest)) = body.split_once("then") else {
        return false;
    };
    let Some((says, does)) = rest.split_once("else") else {
        return false;
    };
    let asks = condition.trim_start().starts_with("if ")
        && (condition.contains(&format!("${name}")) || condition.contains(&format!("${{{name}")))
        // Asked for no, it does what it says it would not.
        && !["!", "-z", "-ne", "0", "false", "no"]
            .iter()
            .any(|no| condition.contains(no));
    let mut lines = says
        .split([';', '\n'])
        .map(str::trim)
        .filter(|line| !line.is_empty());
    let echo = |line: &str| line.starts_with("echo ") || line.starts_with("printf ");
    asks && lines
        .all(|line| echo(line) && !line.contains("$(") && !line.contains(['`', '&', '|', '>']))
        && does.contains("fi")
}

/// Whether a text sets a name to yes, as a statement of its own, and to nothing else.
fn is_set(text: &str, name: &str) -> bool {
    let mut yes = false;
    for (at, _) in text.match_indices(name).take(64) {
        let before = text.get(..at).unwrap_or_default();
        let behind = text.get(at + name.len()..).unwrap_or_default();
        let line = before
            .rsplit(['\n', ';', '\''])
            .next()
            .unwrap_or_default()
            .trim_start();
        if line.contains('#') {
            continue;
        }
        if line.starts_with("unset") {
            return false;
        }
        let Some(value) = behind.strip_prefix('=') else {
            continue;
        };
        // `"$DRY_RUN" = 1` and `$DRY_RUN=1` ask.
        if line.ends_with('$') || line.ends_with('{') {
            continue;
        }
        let end = value.find([';', '\n', '&', '\'']).unwrap_or(value.len());
        let value = value.get(..end).unwrap_or(value).trim();
        // With a command behind it, it is set for that one.
        let own = matches!(line.trim(), "" | "export" | "readonly");
        if !own || !matches!(value.trim_matches('"'), "1" | "true" | "yes") {
            return false;
        }
        yes = true;
    }
    yes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_only_says_it() {
        let run = "run() { if [ \"$DRY_RUN\" = 1 ]; then echo \"+ $*\"; else \"$@\"; fi; }";
        assert_eq!(echoing(&format!("DRY_RUN=1\n{run}\nrun rm x")), ["run"]);
        assert_eq!(echoing(&format!("export DRY_RUN=true; {run}")), ["run"]);
        for other in [
            "DRY_RUN=0",
            "DRY_RUN=${DRY_RUN:-1}",
            "DRY_RUN=1; DRY_RUN=0",
            "DRY_RUN=1; unset DRY_RUN",
            "# DRY_RUN=1",
            "DRY_RUN=1 run x",
            "DRY_RUN=1; run() { \"$@\"; }",
            "x=1",
        ] {
            assert!(
                echoing(&format!("{other}\n{run}\nrun rm x")).is_empty(),
                "{other}"
            );
        }
        for function in [
            "run() { echo \"+ $* (DRY_RUN=$DRY_RUN)\"; \"$@\"; }",
            "run() { if [ \"$DRY_RUN\" ]; then echo x; \"$@\"; else \"$@\"; fi; }",
            "rm() { if [ \"$DRY_RUN\" ]; then echo x; else \"$@\"; fi; }",
            "run() { if [ \"$DRY_RUN\" = 0 ]; then echo x; else \"$@\"; fi; }",
        ] {
            assert!(
                echoing(&format!("DRY_RUN=1\n{function}")).is_empty(),
                "{function}"
            );
        }
        assert!(echoing("DRY_RUN=1; clean() { rm -rf \"$1\"; }; clean src").is_empty());
    }
}
