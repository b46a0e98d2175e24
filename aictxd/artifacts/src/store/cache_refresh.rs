//! The files as read last, and whether they have to be looked at again.

use std::time::Instant;

use crate::change_queue::Bell;
use crate::fs::Root;
use crate::snapshot::{Cache, DIRECTORIES};

#[derive(Debug)]
pub(super) struct Fresh {
    pub(super) parts: Cache,
    /// Change notification, if there is one.
    bell: Option<Bell>,
    /// Edition of the names of files that parts were read under.
    names: u64,
    /// Readers take nothing in before this time: the last attempt failed.
    pub(super) later: Option<Instant>,
}

impl Default for Fresh {
    fn default() -> Self {
        Self {
            parts: Cache::new(),
            bell: None,
            names: 0,
            later: None,
        }
    }
}

impl Fresh {
    /// Looks at files only when something happened in their directories from now on.
    pub(super) fn listen(&mut self) {
        self.bell = Some(Bell::default());
    }

    /// Reads what changed on disk; looks at nothing where nothing did, except at what git tracks.
    pub(super) fn refresh(&mut self, root: &Root) {
        let names = root.renew_names();
        let is_new = std::mem::replace(&mut self.names, names) != names;
        let bell = self.bell.as_mut().filter(|_| root.names().are_usual());
        let Some(bell) = bell else {
            return self.parts.refresh(root);
        };
        if is_new {
            bell.look_again();
        }
        if bell.is_silent(root) {
            return;
        }
        bell.listen(root, DIRECTORIES);
        self.parts.refresh(root);
        bell.looked(root);
    }

    /// Reads what changed on disk, whether or not anything was told of it.
    pub(super) fn look_again(&mut self, root: &Root) {
        if let Some(bell) = &mut self.bell {
            bell.look_again();
        }
        self.refresh(root);
    }

    /// Returns true where something came with the repository that is not part of the memory yet.
    pub(super) fn has_news(&self) -> bool {
        self.parts.inbox.has_news() && self.later.is_none_or(|later| later < Instant::now())
    }

    /// Puts what a commit made of the files in their place.
    pub(super) fn replace(&mut self, parts: Cache) {
        self.parts = parts;
        // What was read while it was decided is not in it.
        if let Some(bell) = &mut self.bell {
            bell.look_again();
        }
    }
}
