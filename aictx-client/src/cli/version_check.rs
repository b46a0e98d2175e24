//! Client and daemon of different releases.

use std::path::Path;
use std::process::{Command, Stdio};

use aictx_proto::methods::Hello;

/// Reaction to a daemon of another version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mismatch {
    /// Same version: nothing.
    None,
    /// Another version that speaks our protocol, and replacing it would not help or was tried:
    /// work with it.
    Bear,
    /// Stop it and start the program beside us, which is of our version.
    Replace,
}

/// Decides. `beside` gives the version of the daemon program that a start would run; it is asked
/// only when the answer depends on it. `replaced` says that this process has replaced a daemon
/// already: once is all a process may do, whatever answers next.
pub fn decide(
    hello: &Hello,
    ours: &str,
    replaced: bool,
    beside: impl FnOnce() -> Option<String>,
) -> Mismatch {
    if hello.version == ours {
        return Mismatch::None;
    }
    if replaced || beside().as_deref() != Some(ours) {
        return Mismatch::Bear;
    }
    Mismatch::Replace
}

/// The version of a daemon program, by its own word (`aictxd 1.2.3`).
pub fn version_of(program: &Path) -> Option<String> {
    let output = Command::new(program)
        .arg("--version")
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    text.split_whitespace().nth(1).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(version: &str) -> Hello {
        Hello {
            version: version.to_owned(),
            ..Hello::default()
        }
    }

    #[test]
    fn only_a_daemon_of_another_version_is_replaced() {
        let never = || panic!("not asked");
        assert_eq!(decide(&of("1"), "1", false, never), Mismatch::None);
        let ours = || Some("1".to_owned());
        assert_eq!(decide(&of("0"), "1", false, ours), Mismatch::Replace);
        assert_eq!(decide(&of("2"), "1", false, ours), Mismatch::Replace);
    }

    #[test]
    fn never_in_a_loop() {
        let ours = || Some("1".to_owned());
        assert_eq!(decide(&of("0"), "1", true, ours), Mismatch::Bear);
        // The program beside us is the one that is running: a restart would change nothing.
        let theirs = || Some("0".to_owned());
        assert_eq!(decide(&of("0"), "1", false, theirs), Mismatch::Bear);
        assert_eq!(decide(&of("0"), "1", false, || None), Mismatch::Bear);
    }
}
