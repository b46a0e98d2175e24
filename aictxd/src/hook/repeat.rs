//! One happening, told twice: an agent that reads the user's hooks and those that a repository
//! shares calls us once for each. The second report is neither recorded nor answered.
//!
//! Only sessions in worktrees that share hooks are looked at: everywhere else two equal events are
//! two events.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use aictx_proto::methods::Surroundings;
use aictx_runners::HookEvent;
use aictx_runners::plan::Scope;

use crate::setup::around::{Around, holds_ours};
use crate::setup::files::Bounds;

/// How far apart the two reports come at most.
const APART: Duration = Duration::from_secs(2);
/// How long the look at a worktree's shared files counts.
const LOOKED: Duration = Duration::from_secs(60);
/// Most events and worktrees remembered; beyond it all are forgotten, and looked at anew.
const MAX_REMEMBERED: usize = 1_024;

/// What was told just now, and where that matters.
#[derive(Debug, Default)]
pub struct Repeats {
    shared: Mutex<HashMap<String, (bool, Instant)>>,
    told: Mutex<HashMap<u64, Instant>>,
}

impl Repeats {
    /// Whether this event was told already.
    pub fn is_repeat(&self, runner: &str, event: &HookEvent, worktree: &Path) -> bool {
        let Some(key) = event.repeat_key() else {
            return false;
        };
        let now = Instant::now();
        if !self.shares(runner, worktree, now) {
            return false;
        }
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        if told.len() >= MAX_REMEMBERED {
            told.retain(|_, at| now.duration_since(*at) < APART);
        }
        if told.len() >= MAX_REMEMBERED {
            told.clear();
        }
        match told.insert(key, now) {
            Some(before) => now.duration_since(before) < APART,
            None => false,
        }
    }

    /// Whether a worktree has hooks for everybody who clones it.
    fn shares(&self, runner: &str, worktree: &Path, now: Instant) -> bool {
        let name = format!("{runner} {}", worktree.display());
        let mut shared = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((shares, looked)) = shared.get(&name)
            && now.duration_since(*looked) < LOOKED
        {
            return *shares;
        }
        let shares = look(runner, worktree);
        if shared.len() >= MAX_REMEMBERED {
            shared.clear();
        }
        shared.insert(name, (shares, now));
        shares
    }
}

fn look(runner: &str, worktree: &Path) -> bool {
    // What is for everybody holds no path of anybody's.
    let nobody = Surroundings {
        home: "/".to_owned(),
        program: "/aictx".to_owned(),
        ..Surroundings::default()
    };
    let Ok(around) = Around::new(&nobody, &worktree.to_string_lossy()) else {
        return false;
    };
    let bounds = Bounds::new([worktree]);
    around
        .hook_files(runner, Scope::Repository { shared: true })
        .iter()
        .any(|edit| holds_ours(edit, &bounds))
}
