//! Reads labelled messages: lines `language|class|message`, comments after `#`.

#![expect(
    clippy::disallowed_methods,
    reason = "files of this project, read while it is built"
)]

use std::fs;
use std::path::{Path, PathBuf};

use crate::features::CLASSES;

/// Labelled message.
pub struct Message {
    /// The code of its language.
    pub language: String,
    /// Its class: a place in [`CLASSES`].
    pub class: usize,
    /// The message.
    pub text: String,
}

/// The files of a directory with their messages, by name: the order in which a directory lists its
/// files must not decide what is learnt.
///
/// # Errors
/// A text that names the file and what is wrong.
pub fn all(dir: &Path) -> Result<Vec<(PathBuf, Vec<Message>)>, String> {
    let unread = |e| format!("{}: {e}", dir.display());
    let mut files = Vec::new();
    for entry in fs::read_dir(dir).map_err(unread)? {
        files.push(entry.map_err(unread)?.path());
    }
    files.sort();
    files
        .into_iter()
        .map(|file| of(&file).map(|messages| (file, messages)))
        .collect()
}

/// The messages of a file.
///
/// # Errors
/// A text that names the file, the line and what is wrong.
pub fn of(file: &Path) -> Result<Vec<Message>, String> {
    let text = fs::read_to_string(file).map_err(|e| format!("{}: {e}", file.display()))?;
    text.lines()
        .zip(1..)
        .filter(|(line, _)| !line.starts_with('#') && !line.is_empty())
        .map(|(line, at)| message(line).map_err(|e| format!("{}:{at}: {e}", file.display())))
        .collect()
}

fn message(line: &str) -> Result<Message, String> {
    let mut parts = line.splitn(3, '|');
    let (Some(language), Some(class), Some(text)) = (parts.next(), parts.next(), parts.next())
    else {
        return Err("want language|class|message".to_owned());
    };
    Ok(Message {
        language: language.to_owned(),
        class: (CLASSES.iter().position(|name| *name == class))
            .ok_or_else(|| format!("there is no class {class}"))?,
        text: text.to_owned(),
    })
}
