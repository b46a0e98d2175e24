//! Which files a command line shows.

use crate::SimpleCommand;

/// Programs that print the files they are given.
const VIEWERS: &[&str] = &[
    "bat", "batcat", "cat", "head", "less", "more", "nl", "sed", "tac", "tail", "view",
];
/// Most files of one command line.
const MAX_FILES: usize = 16;

/// The files that the command line prints, as they are written there, and where its directory changed by a
/// `cd` before, below that. Options and programs for `sed` may be among them: whoever asks knows what exists.
pub fn viewed(command: &str) -> Vec<String> {
    let script = crate::parse(command);
    let mut files = Vec::new();
    for command in script.commands.iter().filter(|c| is_viewer(c)) {
        for word in command.arguments() {
            let plain = !word.unknown && !word.text.is_empty() && !word.text.starts_with('-');
            if plain && files.len() < MAX_FILES {
                files.push(match command.dir.as_deref() {
                    Some(dir) if !dir.is_empty() && !word.text.starts_with('/') => {
                        format!("{dir}/{}", word.text)
                    }
                    _ => word.text.clone().into(),
                });
            }
        }
    }
    files
}

fn is_viewer(command: &SimpleCommand) -> bool {
    VIEWERS.contains(&command.name()) && super::read_only::looks(command)
}
