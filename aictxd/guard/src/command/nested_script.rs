//! Scripts inside scripts, and scripts that call themselves.

use aictx_shell::{Dialect, Script};

use super::{Judge, Kind, Level, MAX_INNER, MAX_SCRIPTS, Tier};

/// A function that calls itself twice, piped.
pub(super) fn is_fork_bomb(text: &str, script: &Script) -> bool {
    let head = text.get(..256).unwrap_or(text);
    // Said in a text of another program it is only said.
    let runs = |command: &aictx_shell::SimpleCommand| {
        let name = command.name();
        aictx_shell::is_shell(name) || matches!(name, ":" | "eval" | "ssh" | "docker" | "kubectl")
    };
    let said = head.contains("|:&") || head.contains("| : &") || head.contains("|: &");
    if said && script.commands.iter().take(16).any(runs) {
        return true;
    }
    script.commands.iter().take(16).any(|command| {
        let name = command.name();
        let from = command.piped_from.and_then(|at| script.commands.get(at));
        command.words.len() == 1
            && !name.is_empty()
            && from.is_some_and(|from| from.words.len() == 1 && from.name() == name)
            && (head.contains(&format!("{name}()")) || head.contains(&format!("{name} ()")))
    })
}

impl Judge<'_> {
    /// Judges text that becomes a script of its own.
    pub(super) fn inner_script(&mut self, text: &str, remote: bool) {
        self.script_within(text, remote, false);
    }

    /// The same when what it works on comes from elsewhere.
    pub(super) fn fed_script(&mut self, text: &str, remote: bool) {
        self.script_within(text, remote, true);
    }

    fn script_within(&mut self, text: &str, remote: bool, fed: bool) {
        if self.inner >= MAX_INNER || self.scripts >= MAX_SCRIPTS {
            self.undecidable(Level::Destructive, "", &[]);
            return;
        }
        self.inner += 1;
        self.scripts += 1;
        let mut script = aictx_shell::analyse(text, Dialect::Posix);
        if is_fork_bomb(text, &script) {
            self.hit(None, Kind::ProcessKill, Tier::Catastrophic, "fork bomb", []);
        }
        if remote || fed {
            for command in &mut script.commands {
                command.remote |= remote;
                command.fed |= fed;
            }
        }
        self.script(&script);
        self.inner -= 1;
    }
}
