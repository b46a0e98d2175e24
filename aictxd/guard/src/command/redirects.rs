//! Files that a call is redirected to.

use aictx_shell::{RedirectKind, Word};

use super::{Call, Judge, Kind, Tier, path_target, stdin_source, truncation};

impl Judge<'_> {
    /// What becomes of the files that a call writes or appends to.
    pub(super) fn redirects(&mut self, call: Call) {
        let command = call.command;
        for redirect in &command.redirects {
            if !matches!(redirect.kind, RedirectKind::Write | RedirectKind::Append)
                || command.remote
            {
                continue;
            }
            let sign = if redirect.kind == RedirectKind::Write {
                ">"
            } else {
                ">>"
            };
            let target = redirect.target.text.as_str();
            if path_target::is_disk(target) {
                self.hit(Some(call), Kind::Disk, Tier::Catastrophic, sign, [target]);
                continue;
            }
            let before = self.risk.findings.len();
            let touch = match redirect.kind {
                RedirectKind::Append => path_target::Touch::Append,
                _ => path_target::Touch::Alter,
            };
            self.write_target(call, &redirect.target, sign, touch);
            // `git show HEAD:x > x`: what it held goes.
            let put_back = |word: &Word| {
                let from = word.text.rsplit_once(':').map(|(_, path)| path);
                from.is_some_and(|path| !path.is_empty() && path == target)
            };
            if redirect.kind == RedirectKind::Write
                && command.name() == "git"
                && command.arguments().iter().any(put_back)
            {
                let verb = "git show over the file";
                self.hit(
                    Some(call),
                    Kind::DiscardChanges,
                    Tier::Destructive,
                    verb,
                    [target],
                );
            }
            let socket = target.starts_with("/dev/tcp/") || target.starts_with("/dev/udp/");
            if redirect.kind != RedirectKind::Write
                || before != self.risk.findings.len()
                || (target.starts_with("/dev/") && !socket)
            {
                continue;
            }
            // A shell that talks to a socket.
            if socket {
                if aictx_shell::is_shell(command.name()) {
                    let (kind, tier) = (Kind::NetworkExec, Tier::Destructive);
                    self.hit(Some(call), kind, tier, "a shell over the network", [target]);
                }
                if stdin_source::prints_flush(call.script) {
                    let (kind, tier) = (Kind::DatabaseWrite, Tier::Destructive);
                    self.hit(Some(call), kind, tier, "flush of a database", [target]);
                }
                continue;
            }
            // `> file` alone is there to empty it.
            let same = truncation::reads_what_it_empties(call, &redirect.target);
            if same || (truncation::prints_nothing(command) && command.assignments.is_empty()) {
                let word = &redirect.target;
                let any = word.unknown || word.carried || word.text.contains("{}");
                // What is read has something in it.
                let temporary = self.is_temporary(call, word);
                if temporary && !any && !same {
                    continue;
                }
                let read = same && !temporary && !target.ends_with(".log");
                let tier = if read || (command.fed && any && !target.ends_with(".log")) {
                    Tier::Destructive
                } else {
                    self.emptying(call, &redirect.target)
                };
                self.hit(Some(call), Kind::Overwrite, tier, sign, [target]);
            } else if self.known_behind(call, &redirect.target).tracked == Some(true) {
                let known = self.known_behind(call, &redirect.target);
                let reversible = known.dirty == Some(false);
                self.note(Kind::Overwrite, reversible, sign, [target]);
            }
        }
    }
}
