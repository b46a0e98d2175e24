//! Files that only show what others hold, written behind an answer that says the same.
//!
//! The intent of their commit says that they are to go, and outlives their writing: where that is interrupted,
//! whoever finishes the commit takes them away.

use aictx_proto::effect::{Effect, Effects};
use aictx_redact::Report;

use super::Store;
use crate::commit::{self, is_shown};
use crate::effect_encoding;
use crate::error::StoreError;
use crate::fs::Root;

/// Last effect on each file of a group.
#[derive(Debug, Default)]
pub(super) struct Shown(Vec<Effect>);

impl Shown {
    /// Parts the effects that only show what the others hold from those others. Where there are none, nothing is
    /// committed that they could follow.
    pub(super) fn part_from(effects: Effects) -> (Self, Effects) {
        let (shown, others): (Effects, Effects) = effects
            .into_iter()
            .partition(|effect| shown_file(effect).is_some());
        match others.is_empty() {
            true => (Self::default(), shown),
            false => (Self(shown), others),
        }
    }

    /// Adds what a later operation of the group shows.
    pub(super) fn add(&mut self, later: Self) {
        let is_later = |effect: &Effect| {
            let file = shown_file(effect);
            later.0.iter().any(|later| shown_file(later) == file)
        };
        self.0.retain(|effect| !is_later(effect));
        self.0.extend(later.0);
    }

    /// Their files.
    pub(super) fn files(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter_map(shown_file)
    }
}

/// The file of an effect that only shows something.
fn shown_file(effect: &Effect) -> Option<&str> {
    match effect {
        Effect::ReplaceText { file, .. } | Effect::ReplaceWritten { file, .. } => {
            Some(file.as_str()).filter(|file| is_shown(file))
        }
        _ => None,
    }
}

impl Store {
    /// Writes all that is shown; the first error.
    pub(super) fn show(&self, root: &Root, shown: Shown) -> Result<(), StoreError> {
        let mut first = Ok(());
        for effect in shown.0 {
            let file = shown_file(&effect).unwrap_or_default().to_owned();
            let delta = effect_encoding::effect(effect, &mut Report::default());
            let done = delta.and_then(|delta| {
                let done = commit::show(root, &file, &delta.bytes);
                done.map_err(|e| root.error(&file, e))
            });
            // Half of it, or what was shown before, says something else.
            if done.is_err()
                && let Ok(Some(there)) = root.stamp(&file)
                && there.is_file
            {
                let _ = root.unlink(&file);
            }
            first = first.and(done);
        }
        first
    }
}
