//! Quarantine of damaged files, and the names they get.

use super::Store;
use crate::error::StoreError;
use crate::fs::{self, Root};
use crate::read::MAX_FILE;
use aictx_proto::record::files::QUARANTINE_DIR;

impl Store {
    /// Copies a file into the quarantine, durably. A larger one than is ever read is moved there.
    pub(super) fn set_aside(&self, root: &Root, file: &str) -> Result<(), StoreError> {
        let Some(open) = root.read_if_there(file).map_err(|e| root.error(file, e))? else {
            return Ok(());
        };
        let name = self.quarantine_name(root, file);
        let fail = |e| root.error(&name, e);
        if fs::len(&open).map_err(fail)? > MAX_FILE {
            return root.rename(file, &name).map_err(fail);
        }
        let bytes = fs::read_range(&open, 0, MAX_FILE).map_err(|e| root.error(file, e))?;
        root.make_dirs(QUARANTINE_DIR).map_err(fail)?;
        root.create_new(&name, &bytes).map_err(fail)?;
        root.sync_parent(&name).map_err(fail)
    }

    /// A free name in the quarantine that says what and when.
    pub(super) fn quarantine_name(&self, root: &Root, file: &str) -> String {
        let stem = file.replace('/', "-");
        let start: String = stem.chars().take(120).collect();
        self.free_name(root, &format!("{QUARANTINE_DIR}/{start}"))
    }

    /// A free name beginning with `start` that says when.
    pub(crate) fn free_name(&self, root: &Root, start: &str) -> String {
        let base = format!("{start}.{}", (self.clock)().compact());
        (1_u32..)
            .map(|n| match n {
                1 => base.clone(),
                n => format!("{base}-{n}"),
            })
            .find(|name| root.stamp(name).is_ok_and(|s| s.is_none()))
            .unwrap_or(base)
    }
}
