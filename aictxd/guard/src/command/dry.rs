//! Functions of a script that only say what they would do.
//!
//! ```sh
//! DRY_RUN=1
//! run() { if [ "$DRY_RUN" = 1 ]; then echo "+ $*"; else "$@"; fi; }
//! run rm -rf build
//! ```

/// Bytes of a function that are looked at.
const MAX_BODY: usize = 1024;
/// Functions of one text.
const MAX_FUNCTIONS: usize = 8;
/// What such a setting is called.
const NAMES: [&str; 4] = ["DRY_RUN", "DRYRUN", "dry_run", "DRY"];

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
            let body = body.get(..end)?.split('}').next()?;
            let asks = body.contains(&format!("${name}")) || body.contains(&format!("${{{name}"));
            let says = body.contains("echo ") || body.contains("printf ");
            (asks && says && !function.is_empty()).then(|| function.to_owned())
        })
        .take(MAX_FUNCTIONS)
        .collect()
}

/// Whether a text sets a name to yes, and to nothing else.
fn is_set(text: &str, name: &str) -> bool {
    let mut yes = false;
    for (at, _) in text.match_indices(name).take(64) {
        let before = text.get(..at).and_then(|text| text.chars().next_back());
        let behind = text.get(at + name.len()..).unwrap_or_default();
        let Some(value) = behind.strip_prefix('=') else {
            continue;
        };
        // `"$DRY_RUN" = 1` and `$DRY_RUN=1` ask.
        if before.is_some_and(|last| !last.is_whitespace() && !matches!(last, ';' | '\'' | '"')) {
            continue;
        }
        let value = value
            .split([' ', ';', '\n', '&', '\''])
            .next()
            .unwrap_or_default();
        if !matches!(value.trim_matches('"'), "1" | "true" | "yes") {
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
            "x=1",
        ] {
            assert!(
                echoing(&format!("{other}\n{run}\nrun rm x")).is_empty(),
                "{other}"
            );
        }
        assert!(echoing("DRY_RUN=1; clean() { rm -rf \"$1\"; }; clean src").is_empty());
    }
}
