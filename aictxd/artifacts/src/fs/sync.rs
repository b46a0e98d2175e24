//! What makes files durable, now or later.

use std::cell::RefCell;
use std::collections::HashSet;
use std::fs::File;
use std::io;
use std::sync::Arc;

use super::point;
use crate::fault::Op;

/// Makes a file's content, or a directory's entries, durable; now, or in the order in which it was
/// wanted when the thread [puts syncs off](put_off), which keeps the file open until then.
pub(crate) fn sync(file: impl Into<Arc<File>>, what: &str) -> io::Result<()> {
    let file = file.into();
    let put_off = PUT_OFF.with_borrow_mut(|list| {
        let list = list.as_mut()?;
        list.push((Arc::clone(&file), what.to_owned()));
        Some(())
    });
    if put_off.is_some() {
        return Ok(());
    }
    point(Op::Sync, what)?;
    file.sync_data()
}

/// What is to be synced, and its name.
type Due = (Arc<File>, String);

thread_local! {
    /// What this thread has put off, while it does.
    static PUT_OFF: RefCell<Option<Vec<Due>>> = const { RefCell::new(None) };
}

/// Syncs that still have to be done.
#[derive(Debug, Default)]
pub(crate) struct Syncs(Vec<Due>);

impl Syncs {
    /// Adds later ones. What was to be synced under the same name is another file by now, or the same.
    pub(crate) fn add(&mut self, later: Self) {
        let names: HashSet<&str> = later.0.iter().map(|(_, what)| what.as_str()).collect();
        self.0.retain(|(_, what)| !names.contains(what.as_str()));
        self.0.splice(0..0, later.0);
    }

    /// How many.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// Does them, in order, all of them whatever becomes of one; the first error.
    pub(crate) fn finish(self) -> io::Result<()> {
        let mut first = Ok(());
        for (file, what) in self.0 {
            let done = sync(file, &what);
            if first.is_ok() {
                first = done;
            }
        }
        first
    }
}

/// Does something with every sync put off, and gives them with its answer.
pub(crate) fn put_off<T>(work: impl FnOnce() -> T) -> (T, Syncs) {
    /// Ends the putting off whatever happens inside.
    struct End;
    impl Drop for End {
        fn drop(&mut self) {
            PUT_OFF.with_borrow_mut(Option::take);
        }
    }
    PUT_OFF.with_borrow_mut(|list| *list = Some(Vec::new()));
    let end = End;
    let answer = work();
    let list = PUT_OFF.with_borrow_mut(Option::take);
    drop(end);
    (answer, Syncs(list.unwrap_or_default()))
}
