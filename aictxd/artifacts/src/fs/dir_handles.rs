//! Directories that stay open while something is done with many files below them: each of them is
//! asked for several times a commit, and opening one takes as long as most of what is done in it.

use std::cell::RefCell;
use std::fs::File;
use std::io;
use std::sync::Arc;

/// A directory, of which root, under which name.
struct Open {
    root: (u64, u64),
    rel: String,
    dir: Arc<File>,
}

thread_local! {
    /// Directories that this thread keeps open.
    static OPEN: RefCell<Option<Vec<Open>>> = const { RefCell::new(None) };
}

/// Does something with every directory that it opens kept open until the end. One that is removed
/// meanwhile takes no files any more: the system refuses them, so nothing is written to nowhere.
pub(crate) fn kept_open<T>(work: impl FnOnce() -> T) -> T {
    /// Ends the keeping whatever happens inside.
    struct End;
    impl Drop for End {
        fn drop(&mut self) {
            OPEN.with_borrow_mut(Option::take);
        }
    }
    OPEN.with_borrow_mut(|open| *open = Some(Vec::new()));
    let _end = End;
    work()
}

/// The directory if it is kept open, else as `open` gives it.
pub(super) fn known(
    root: (u64, u64),
    rel: &str,
    open: impl FnOnce() -> io::Result<File>,
) -> io::Result<Arc<File>> {
    let known = OPEN.with_borrow(|all| {
        let mut all = all.as_ref()?.iter();
        let known = all.find(|open| open.root == root && open.rel == rel)?;
        Some(Arc::clone(&known.dir))
    });
    if let Some(dir) = known {
        return Ok(dir);
    }
    let dir = Arc::new(open()?);
    OPEN.with_borrow_mut(|all| {
        if let Some(all) = all {
            all.push(Open {
                root,
                rel: rel.to_owned(),
                dir: Arc::clone(&dir),
            });
        }
    });
    Ok(dir)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_is_opened_once_while_it_is_kept_open() {
        let dir = tempfile::tempdir().unwrap();
        let opened = std::cell::Cell::new(0);
        let open = |root, rel: &str| {
            let made = known((root, 0), rel, || {
                opened.set(opened.get() + 1);
                File::open(dir.path())
            });
            made.unwrap()
        };
        kept_open(|| {
            let first = open(1, "a");
            assert!(Arc::ptr_eq(&first, &open(1, "a")));
            assert!(!Arc::ptr_eq(&first, &open(1, "b")));
            assert!(!Arc::ptr_eq(&first, &open(2, "a")));
            let failed = known((1, 0), "c", || Err(io::ErrorKind::NotFound.into()));
            assert!(failed.is_err());
        });
        assert_eq!(opened.get(), 3);
        open(1, "a");
        open(1, "a");
        assert_eq!(opened.get(), 5);
    }

    /// A commit relies on it: a directory that was removed takes no new file.
    #[test]
    fn a_directory_that_was_removed_takes_no_file() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("gone");
        std::fs::create_dir(&path).unwrap();
        let dir = File::open(&path).unwrap();
        std::fs::remove_dir(&path).unwrap();
        std::fs::create_dir(&path).unwrap();
        let flags = rustix::fs::OFlags::CREATE | rustix::fs::OFlags::WRONLY;
        let made = rustix::fs::openat(&dir, "file", flags, rustix::fs::Mode::from_raw_mode(0o600));
        assert!(made.is_err());
        std::fs::write(root.path().join("x"), "x").unwrap();
        let moved = rustix::fs::renameat(rustix::fs::CWD, root.path().join("x"), &dir, "x");
        assert!(moved.is_err());
    }
}
