//! Policies as they could be read last, in the user's state directory: a file that is broken while nobody looks must
//! not drop what it forbade.

use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use aictx_files::untrusted;

use super::{MAX_BYTES, hash};
use crate::app::App;

/// Directory.
const DIRECTORY: &str = "policies";

/// Returns the path of the user's own copy.
pub(super) fn of_user(app: &App) -> PathBuf {
    app.locations.state.join(DIRECTORY).join("user.toml")
}

/// Returns the path of a repository's copy.
pub(super) fn of_repository(app: &App, root: &Path) -> PathBuf {
    let name = format!("{}.toml", hash(&root.to_string_lossy()));
    app.locations.state.join(DIRECTORY).join(name)
}

/// A text that was kept.
pub(super) fn read(path: &Path) -> Option<String> {
    untrusted::read_text(path, MAX_BYTES).ok()
}

/// Keeps a text, or forgets what was kept when there is none.
pub(super) fn keep(path: &Path, text: Option<&str>) {
    let done = match text {
        None => fs::remove_file(path).or_else(|e| match e.kind() {
            io::ErrorKind::NotFound => Ok(()),
            _ => Err(e),
        }),
        Some(text) if read(path).as_deref() == Some(text) => Ok(()),
        Some(text) => write(path, text),
    };
    // It holds while this process lives.
    if let Err(error) = done {
        tracing::warn!(path = %path.display(), %error, "a policy is not kept");
    }
}

/// Whole or not at all, and for the user alone.
#[expect(clippy::disallowed_methods, reason = "a file of the state directory")]
fn write(path: &Path, text: &str) -> io::Result<()> {
    if let Some(parent) = path.parent() {
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(parent)?;
    }
    let draft = path.with_extension(format!("tmp{}", std::process::id()));
    let mut file = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o600)
        .open(&draft)?;
    file.write_all(text.as_bytes())?;
    file.sync_data()?;
    fs::rename(&draft, path)
}
