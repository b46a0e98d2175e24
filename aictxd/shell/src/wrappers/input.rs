//! Inputs of commands.

use super::super::{Redirect, RedirectKind, Script, SimpleCommand};

/// Commands of a text that are given what its shell reads.
const MAX_READERS: usize = 16;

/// Input of a command, read by the text that it runs.
pub(in super::super) struct Input<'t> {
    piped_from: Option<usize>,
    files: Vec<Redirect<'t>>,
}

impl<'t> Input<'t> {
    pub(in super::super) fn of(command: &SimpleCommand<'t>) -> Self {
        // What `xargs` reads is gone.
        if command.fed {
            return Self {
                piped_from: None,
                files: Vec::new(),
            };
        }
        let files = command.redirects.iter();
        Self {
            piped_from: command.piped_from,
            files: files
                .filter(|redirect| redirect.kind == RedirectKind::Read)
                .cloned()
                .collect(),
        }
    }

    /// Gives it to the first commands from `first` on that read nothing else.
    pub(in super::super) fn hand_on(self, script: &mut Script<'t>, first: usize) {
        if self.piped_from.is_none() && self.files.is_empty() {
            return;
        }
        let inner = script.commands.get_mut(first..).unwrap_or_default();
        let reads = |redirect: &Redirect| {
            matches!(
                redirect.kind,
                RedirectKind::Read | RedirectKind::Heredoc | RedirectKind::Herestring
            )
        };
        for command in inner.iter_mut().take(MAX_READERS) {
            if command.piped_from.is_none() && !command.redirects.iter().any(reads) {
                command.piped_from = self.piped_from;
                command.redirects.extend(self.files.iter().cloned());
            }
        }
    }
}
