//! Agent runs of a worktree as they lie on disk: found, read and folded.

use std::path::Path;
use std::sync::Arc;

use aictx_artifacts::{RunDirectory, StoreError, Tracked};
use aictx_continuity::ActiveRun;
use aictx_proto::ledger::{LedgerRow, Outcome};
use aictx_proto::methods::{HypothesisStatus, RunStatus};
use aictx_proto::record::Origin;
use aictx_proto::rpc::{CONFLICT, INVALID_PARAMS, NOT_FOUND, REFUSED, RpcError};
use aictx_work::run::id::{RunId, nearest};
use aictx_work::run::ledger::Ledger;
use aictx_work::run::operation::{Act, Actor};
use aictx_work::run::state::{Run, RunFiles, fold};
use aictx_work::run::{ACTIVE, DIRECTORY, MAX_RUNS, PROBLEM, RunError, closeout};

use crate::hosts::{Hosts, store_error};

/// Most closeouts of one run that are read.
const MAX_CLOSEOUTS: usize = 100;
/// Longest `ACTIVE` that is read.
const MAX_POINTER: usize = 256;
/// Most hypotheses and commands of a kind that sessions are told of.
const MAX_TOLD: usize = 8;

/// The runs of one worktree.
#[derive(Debug)]
pub struct Runs {
    /// Their directory.
    pub directory: RunDirectory,
    tracked: Arc<Tracked>,
}

impl Runs {
    /// Opens the runs of a worktree; nothing where there never was one.
    ///
    /// # Errors
    /// Something else is in the place of the directory.
    pub fn open(hosts: &Hosts, worktree: &Path) -> Result<Option<Self>, RpcError> {
        let opened = RunDirectory::open(worktree, DIRECTORY, hosts.plain_trust()?);
        let opened = opened.map_err(|e| store_error(&e))?;
        Ok(opened.map(|directory| Self {
            directory,
            tracked: hosts.tracked_runs(worktree),
        }))
    }

    /// Opens the runs of a worktree that has a run already.
    ///
    /// # Errors
    /// As [`open`](Self::open), or there is none.
    pub fn existing(hosts: &Hosts, worktree: &Path) -> Result<Self, RpcError> {
        Self::open(hosts, worktree)?.ok_or_else(|| run_error(&RunError::NoActive(Vec::new())))
    }

    /// Opens the runs of a worktree, for the first one, too.
    ///
    /// # Errors
    /// As [`open`](Self::open), or it cannot be made.
    pub fn create(hosts: &Hosts, worktree: &Path) -> Result<Self, RpcError> {
        let made = RunDirectory::create(worktree, DIRECTORY, hosts.plain_trust()?);
        Ok(Self {
            directory: made.map_err(|e| store_error(&e))?,
            tracked: hosts.tracked_runs(worktree),
        })
    }

    /// The run that `ACTIVE` names, whatever its state.
    pub fn pointer(&self) -> Option<RunId> {
        let bytes = self.directory.read(ACTIVE).ok()??;
        let text = bytes.get(..bytes.len().min(MAX_POINTER))?;
        RunId::parse(std::str::from_utf8(text).ok()?.trim()).ok()
    }

    /// The active run: the one that `ACTIVE` names, if it is open. The Python tool leaves a closed one there.
    pub fn active(&self) -> Option<Run> {
        let run = self.load(&self.pointer()?).ok()??;
        (run.status == RunStatus::Open).then_some(run)
    }

    /// Reads a run; nothing where there is none of this id.
    ///
    /// # Errors
    /// A file of it cannot be read.
    pub fn load(&self, id: &RunId) -> Result<Option<Run>, StoreError> {
        let read = |name: &str| self.directory.read(&id.file(name));
        let problem = read(PROBLEM)?;
        if problem.is_none() && self.directory.list(id.as_str(), 1)?.is_empty() {
            return Ok(None);
        }
        let mut files = RunFiles {
            problem,
            ..RunFiles::default()
        };
        for (bytes, ledger) in files.ledgers.iter_mut().zip(Ledger::ALL) {
            *bytes = read(ledger.file())?.unwrap_or_default();
        }
        for number in 1..=MAX_CLOSEOUTS {
            match read(&format!("{}.json", closeout::stem(number)))? {
                Some(bytes) => files.closeouts.push(bytes),
                None => break,
            }
        }
        Ok(Some(fold(id.clone(), &files)))
    }

    /// Ids of all runs, sorted.
    pub fn ids(&self) -> Vec<RunId> {
        let names = self.directory.list("", MAX_RUNS).unwrap_or_default();
        let ids = names.iter().filter(|name| !name.starts_with('.'));
        ids.filter_map(|name| RunId::parse(name).ok()).collect()
    }

    /// Every run that can be read, started last first.
    pub fn all(&self) -> Vec<Run> {
        let runs = self.ids().into_iter();
        let mut runs: Vec<Run> = runs
            .filter_map(|id| self.load(&id).ok()?)
            .filter(|run| run.problem.is_object())
            .collect();
        runs.sort_by(|a, b| {
            let of = |run: &Run| (run.said("created_at").to_owned(), run.id.clone());
            of(b).cmp(&of(a))
        });
        runs
    }

    /// The run of an id; for the empty one the active run, else the only open one.
    ///
    /// # Errors
    /// There is none, or it cannot be read.
    pub fn resolve(&self, id: &str) -> Result<Run, RpcError> {
        if id.is_empty() {
            if let Some(run) = self.active() {
                return Ok(run);
            }
            let mut open = self.all();
            open.retain(|run| run.status == RunStatus::Open);
            if open.len() == 1
                && let Some(run) = open.pop()
            {
                return Ok(run);
            }
            let open = open.iter().map(|run| run.id.to_string()).collect();
            return Err(run_error(&RunError::NoActive(open)));
        }
        let id = RunId::parse(id).map_err(|e| run_error(&e))?;
        let found = self.load(&id).map_err(|e| store_error(&e))?;
        found.ok_or_else(|| {
            let all = self.ids();
            run_error(&RunError::Unknown {
                nearest: nearest(id.as_str(), all.iter().map(RunId::as_str)),
                id: id.to_string(),
            })
        })
    }

    /// Returns true if a run came with the repository: git tracks a file of it, so that it is the word of others.
    pub fn is_foreign(&self, id: &RunId) -> bool {
        let files = Ledger::ALL.map(Ledger::file).into_iter().chain([PROBLEM]);
        let mut files = files.map(|name| id.file(name));
        files.any(|file| self.tracked.holds(&file))
    }
}

/// The run that is active in a worktree, as sessions are told of it. Where there never was a run, it costs two calls.
pub fn active_run(hosts: &Hosts, worktree: &Path) -> Option<ActiveRun> {
    let runs = Runs::open(hosts, worktree).ok()??;
    let run = runs.active()?;
    let list = |status| -> Vec<(String, String)> {
        let newest = run.in_state(status).rev().take(MAX_TOLD);
        newest.map(|h| (h.id.clone(), h.text.clone())).collect()
    };
    Some(ActiveRun {
        open: list(HypothesisStatus::Open),
        rejected: list(HypothesisStatus::Rejected),
        failing: run
            .failing()
            .into_iter()
            .take(MAX_TOLD)
            .map(str::to_owned)
            .collect(),
        request: run.request().to_owned(),
        origin: match runs.is_foreign(&run.id) {
            true => Origin::Repository,
            false => Origin::Own,
        },
        id: run.id.to_string(),
    })
}

/// Adds a command that a hook saw to the active run of a worktree: a failure, or the first success after one.
pub fn observe(hosts: &Hosts, worktree: &Path, seen: &LedgerRow, actor: &Actor) {
    let failed = match seen.outcome {
        Outcome::Failed => true,
        Outcome::Passed => false,
        Outcome::Unknown => return,
    };
    let Ok(Some(runs)) = Runs::open(hosts, worktree) else {
        return;
    };
    // The lock is for those that have something to write.
    let is_news = |run: &Run| {
        let act = Act {
            run,
            actor,
            now: seen.at,
        };
        act.observe(&seen.command, failed)
    };
    if runs
        .active()
        .is_none_or(|run| is_news(&run).is_empty() || runs.is_foreign(&run.id))
    {
        return;
    }
    let written = runs.directory.transact(|_| {
        let effects = runs.active().map(|run| is_news(&run)).unwrap_or_default();
        ((), effects)
    });
    if let Err(error) = written {
        tracing::warn!(worktree = %worktree.display(), %error, "a command was not added to the run");
    }
}

/// Maps a refusal to an error code and a hint.
pub fn run_error(error: &RunError) -> RpcError {
    let text = error.to_string();
    match error {
        RunError::BadId(_) | RunError::OutsidePath(_) => RpcError::new(INVALID_PARAMS, text),
        RunError::Exists(_) => RpcError::new(REFUSED, text)
            .hint("`aictx run resume` goes on with it, `--run-id` names another"),
        RunError::Active(_) => RpcError::new(CONFLICT, text)
            .hint("`--switch` leaves it open, `--park` resumes it when the new run is closed"),
        RunError::NoActive(_) => RpcError::new(NOT_FOUND, text).hint(
            "`aictx run start REQUEST` starts one, `aictx run resume --run-id ID` goes on with one",
        ),
        RunError::Unknown { .. } => {
            RpcError::new(NOT_FOUND, text).hint("`aictx run list` shows what there is")
        }
        RunError::UnknownHypothesis(_) => {
            RpcError::new(NOT_FOUND, text).hint("`aictx run status` shows what there is")
        }
        RunError::NotOpen { status, .. } => RpcError::new(REFUSED, text).hint(match status {
            RunStatus::Parked => "`aictx run resume` goes on with it",
            _ => "`aictx run reopen` opens it again",
        }),
        _ => RpcError::new(REFUSED, text),
    }
}
