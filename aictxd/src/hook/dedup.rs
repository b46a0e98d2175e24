//! One happening, told twice: an agent that reads the user's hooks and those that a repository
//! shares calls us once for each. The second report is not recorded, and answered by the
//! verdict alone.
//!
//! A tool call is known by its id, wherever the two registrations stand. Of other events only those in
//! worktrees that share hooks are looked at: everywhere else two equal events are two events.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use aictx_proto::methods::Surroundings;
use aictx_runners::plan::Scope;
use aictx_runners::{CallStep, HookEvent};

use crate::setup::agent_detection::{Around, holds_ours};
use crate::setup::files::Bounds;

/// Largest distance of two reports.
const APART: Duration = Duration::from_secs(2);
/// Lifetime of a look at a worktree's shared files.
const LOOKED: Duration = Duration::from_secs(60);
/// Most events and worktrees remembered; beyond it all are forgotten, and looked at anew.
const MAX_REMEMBERED: usize = 1_024;

/// Reports seen just now, where duplicates are possible.
#[derive(Debug, Default)]
pub struct Repeats {
    shared: Mutex<HashMap<String, (bool, Instant)>>,
    told: Mutex<HashMap<u64, Instant>>,
    /// Step of each call at its last report. An agent that counts its calls anew in each turn uses
    /// an id again, but only for a call that begins after the other one ended.
    calls: Mutex<HashMap<(String, u64), (CallStep, Instant)>>,
}

impl Repeats {
    /// Returns true if this event was told already.
    pub fn is_repeat(&self, runner: &str, event: &HookEvent, worktree: &Path) -> bool {
        let now = Instant::now();
        if let Some((call, step)) = event.call_key() {
            return self.is_repeated_call((runner.to_owned(), call), step, now);
        }
        let Some(key) = event.repeat_key() else {
            return false;
        };
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

    fn is_repeated_call(&self, call: (String, u64), step: CallStep, now: Instant) -> bool {
        let mut calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        if calls.len() >= MAX_REMEMBERED {
            calls.retain(|_, (_, at)| now.duration_since(*at) < APART);
        }
        if calls.len() >= MAX_REMEMBERED {
            calls.clear();
        }
        match calls.insert(call, (step, now)) {
            Some((before, at)) => before == step && now.duration_since(at) < APART,
            None => false,
        }
    }

    /// Returns true if a worktree has hooks for everybody who clones it.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_is_told_once_for_each_of_its_steps() {
        let repeats = Repeats::default();
        let call = |runner: &str, id: u64, step| {
            repeats.is_repeated_call((runner.to_owned(), id), step, Instant::now())
        };
        assert!(!call("claude", 1, CallStep::Intent) && call("claude", 1, CallStep::Intent));
        assert!(!call("codex", 1, CallStep::Intent) && !call("claude", 2, CallStep::Intent));
        assert!(!call("claude", 1, CallStep::Done) && call("claude", 1, CallStep::Done));
        assert!(!call("claude", 1, CallStep::Intent), "the id is used again");
        let later = Instant::now() + APART;
        assert!(!repeats.is_repeated_call(("claude".to_owned(), 2), CallStep::Intent, later));
    }
}
