//! Files of a repository's tickets, and of tickets elsewhere.

use std::path::Path;
use std::sync::Arc;

use aictx_artifacts::{FoundFile, Store};
use aictx_files::untrusted;
use aictx_proto::effect::{Effect, Effects};
use aictx_proto::methods::MAX_TICKETS;
use aictx_proto::record::files;
use aictx_proto::rpc::{INVALID_PARAMS, NOT_FOUND, REFUSED, RpcError};
use aictx_work::ticket::edit::MAX_TICKET;
use aictx_work::ticket::zip::{self, MAX_ARCHIVE};
use aictx_work::ticket::{Changes, Entry, FileName, Queue};

use crate::app::App;
use crate::hosts::{Host, Place, store_error};

/// Directory of codex-autorunner at the root of a worktree.
const CAR: &str = ".codex-autorunner";
/// Entries of a directory of tickets: the tickets, and what else may lie there.
const MAX_ENTRIES: usize = MAX_TICKETS + 64;

/// Names of agents that tickets may have.
pub fn agents() -> Vec<&'static str> {
    aictx_runners::names().collect()
}

/// The tickets of a repository on the disk. They lie in `.aictx/tickets`, else, where there is no such directory, in
/// that of codex-autorunner, which stays the queue of both programs.
#[derive(Clone)]
pub struct TicketFiles {
    host: Arc<Host>,
    /// The other program's directory, if that is the one.
    car: Option<Arc<Store>>,
    /// The directory, relative to the repository where it lies in it.
    pub directory: String,
}

impl TicketFiles {
    /// Of the worktree that a caller is in.
    ///
    /// # Errors
    /// The other program's directory is unusable.
    pub fn of(app: &App, place: &Place, host: Arc<Host>) -> Result<Self, RpcError> {
        let own = host.memory().join(files::TICKETS_DIR);
        let theirs = format!("{CAR}/{}", files::TICKETS_DIR);
        if !own.is_dir() && place.worktree.join(&theirs).is_dir() {
            // Opening it finishes what an interrupted process left.
            let store = app.hosts.beside(&place.worktree, CAR)?;
            return Ok(Self {
                host,
                car: Some(Arc::new(store)),
                directory: theirs,
            });
        }
        // What an interrupted process left is finished first; usually a look at an empty directory.
        let _ = host.store.recover();
        let directory = own.strip_prefix(&host.root).unwrap_or(&own);
        Ok(Self {
            directory: directory.to_string_lossy().into_owned(),
            host,
            car: None,
        })
    }

    fn store(&self) -> &Store {
        self.car.as_deref().unwrap_or(&self.host.store)
    }

    /// Reads all tickets.
    ///
    /// # Errors
    /// The directory cannot be listed, or holds too many files.
    pub fn read(&self) -> Result<Queue, RpcError> {
        let wanted = |name: &str| FileName::parse(name).is_some();
        let found =
            self.store()
                .read_files(files::TICKETS_DIR, MAX_ENTRIES, MAX_TICKET as u64, wanted);
        Ok(queue(&self.directory, found.map_err(|e| store_error(&e))?))
    }

    /// Makes changes durable: in the other program's directory at once, else as effects of the operation that
    /// decided them, so that tickets and Work State change together.
    ///
    /// # Errors
    /// The other program's directory cannot be written.
    pub fn write(&self, changes: &Changes) -> Result<Effects, RpcError> {
        let file = |name: &String| format!("{}/{name}", files::TICKETS_DIR);
        let writes = changes
            .writes
            .iter()
            .map(|(name, text)| Effect::ReplaceText {
                file: file(name),
                text: text.clone(),
            });
        let removes = changes
            .removes
            .iter()
            .filter(|name| !changes.writes.contains_key(*name));
        let removes = removes.map(|name| Effect::Remove { file: file(name) });
        let effects: Effects = writes.chain(removes).collect();
        let Some(car) = self.car.as_deref().filter(|_| !effects.is_empty()) else {
            return Ok(effects);
        };
        let done = car.transact(|_| ((), effects));
        done.map(|_| Effects::new()).map_err(|e| store_error(&e))
    }
}

fn queue(directory: &str, found: Vec<FoundFile>) -> Queue {
    let agents = agents();
    let (mut entries, mut foreign) = (Vec::new(), Vec::new());
    for file in found {
        match (FileName::parse(&file.name), file.content) {
            (Some(name), Some(Ok(bytes))) => entries.push(Entry::read(name, bytes, &agents)),
            (Some(name), Some(Err(error))) => {
                entries.push(Entry::unreadable(name, &error.to_string()))
            }
            _ => foreign.push(file.name),
        }
    }
    Queue::new(directory, entries, foreign)
}

/// Reads the tickets of a folder, of a zip, or of the repository of codex-autorunner that a folder is.
///
/// # Errors
/// Nothing is there, it cannot be read, or it holds no ticket.
pub fn read_elsewhere(path: &Path) -> Result<Queue, RpcError> {
    let shown = path.display();
    let refused = |why: String| RpcError::new(REFUSED, format!("{shown}: {why}"));
    if !path.is_absolute() {
        return Err(RpcError::new(
            INVALID_PARAMS,
            "`path` must be an absolute path",
        ));
    }
    let theirs = path.join(CAR).join(files::TICKETS_DIR);
    let folder = if theirs.is_dir() {
        theirs.as_path()
    } else {
        path
    };
    let found = if folder.is_dir() {
        from_folder(folder).map_err(|e| refused(e.to_string()))?
    } else if path.is_file() {
        let bytes = untrusted::read(path, MAX_ARCHIVE).map_err(|e| refused(e.to_string()))?;
        from_zip(&bytes).map_err(|e| refused(e.to_string()))?
    } else {
        return Err(RpcError::new(
            NOT_FOUND,
            format!("{shown} is neither a folder nor a file"),
        ));
    };
    let queue = queue(&folder.to_string_lossy(), found);
    match queue.entries.is_empty() {
        true => Err(refused("there is no file TICKET-<digits>.md".to_owned())),
        false => Ok(queue),
    }
}

fn from_folder(folder: &Path) -> std::io::Result<Vec<FoundFile>> {
    let directory = untrusted::Directory::open(folder)?;
    let names = untrusted::entries(folder)?.filter_map(|entry| entry.name.into_string().ok());
    let names = names.filter(|name| FileName::parse(name).is_some());
    let read = |name: String| {
        let bytes = directory.read(&name, untrusted::Links::Refused, MAX_TICKET as u64);
        let bytes = bytes.map_err(|e| std::io::Error::other(format!("{name}: {e}")))?;
        Ok(FoundFile {
            name,
            content: Some(Ok(bytes)),
        })
    };
    names.take(MAX_ENTRIES).map(read).collect()
}

fn from_zip(archive: &[u8]) -> Result<Vec<FoundFile>, zip::ZipError> {
    let name_of = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
    let wanted = |path: &str| FileName::parse(&name_of(path)).is_some();
    let found = zip::files(archive, MAX_TICKET, wanted)?;
    let file = |(path, bytes): (String, Vec<u8>)| FoundFile {
        name: name_of(&path),
        content: Some(Ok(bytes)),
    };
    Ok(found.into_iter().take(MAX_ENTRIES).map(file).collect())
}
