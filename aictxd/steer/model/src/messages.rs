//! Reads labelled messages: lines `language|class|message`, comments after `#`.

#![expect(
    clippy::disallowed_methods,
    reason = "files of this project, read while it is built"
)]

use std::path::{Path, PathBuf};
use std::{fmt, fs, io};

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

/// Labelled messages that cannot be read.
#[derive(Debug)]
pub enum MessageError {
    /// A file or a directory cannot be read.
    Io(PathBuf, io::Error),
    /// A line, by file and number, is no `language|class|message`.
    Parts(PathBuf, usize),
    /// A line, by file and number, names a class that there is not.
    UnknownClass(PathBuf, usize, String),
}

impl fmt::Display for MessageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(path, error) => write!(f, "{}: {error}", path.display()),
            Self::Parts(file, line) => {
                write!(f, "{}:{line}: want language|class|message", file.display())
            }
            Self::UnknownClass(file, line, class) => {
                write!(f, "{}:{line}: there is no class {class}", file.display())
            }
        }
    }
}

impl std::error::Error for MessageError {}

/// The files of a directory with their messages, by name: the order in which a directory lists its
/// files must not decide what is learnt.
///
/// # Errors
/// The first file or line that cannot be read.
pub fn all(dir: &Path) -> Result<Vec<(PathBuf, Vec<Message>)>, MessageError> {
    let unread = |error| MessageError::Io(dir.to_owned(), error);
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
/// The first line that cannot be read.
pub fn of(file: &Path) -> Result<Vec<Message>, MessageError> {
    let text =
        fs::read_to_string(file).map_err(|error| MessageError::Io(file.to_owned(), error))?;
    text.lines()
        .zip(1..)
        .filter(|(line, _)| !line.starts_with('#') && !line.is_empty())
        .map(|(line, at)| message(line, file, at))
        .collect()
}

fn message(line: &str, file: &Path, at: usize) -> Result<Message, MessageError> {
    let mut parts = line.splitn(3, '|');
    let (Some(language), Some(class), Some(text)) = (parts.next(), parts.next(), parts.next())
    else {
        return Err(MessageError::Parts(file.to_owned(), at));
    };
    Ok(Message {
        language: language.to_owned(),
        class: (CLASSES.iter().position(|name| *name == class))
            .ok_or_else(|| MessageError::UnknownClass(file.to_owned(), at, class.to_owned()))?,
        text: text.to_owned(),
    })
}
