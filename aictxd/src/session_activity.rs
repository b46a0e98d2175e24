//! Activity of sessions, as far as this process has seen it: what each session has read and
//! written, and what its user has put off limits. Derived from hooks; limits are in the session's
//! ledger, too, and come back from there.

use std::collections::{HashMap, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use aictx_guard::{Spent, Step, covers};
use aictx_proto::RepoPath;
use aictx_proto::Timestamp;
use aictx_proto::ledger::{LedgerKind, LedgerRow};
use aictx_proto::methods::{HeldBy, MAX_CLAIMS};
use aictx_steer::SteerState;

use self::file_versions::{Known, Past, Run, moment_of};
use self::loops::Loops;
use crate::hosts::Host;

mod file_versions;
mod loops;

/// Sessions remembered; those heard of longest ago make room, so many at once.
const MAX_SESSIONS: usize = 512;
const MAKE_ROOM: usize = 32;
/// Files remembered of one session, newest last.
const MAX_FILES: usize = 512;

/// Commands remembered of one session, newest last.
const MAX_RUNS: usize = 64;
/// Sessions that ended whose work is remembered.
const MAX_PAST: usize = 64;

/// Entries told of others.
const MAX_HELD: usize = 20;

#[derive(Debug, Default)]
struct Session {
    runner: String,
    files: VecDeque<Known>,
    /// Start of its running command.
    began: Option<i64>,
    /// Its last commands that may have written something.
    runs: VecDeque<Run>,
    loops: Loops,
    request: String,
    /// The question that it was asked back at the end of a turn.
    question: String,
    /// The capsule of its start, until there is an answer that its agent passes on.
    capsule: String,
    limits: Option<Arc<SteerState>>,
    claims: Vec<Claim>,
    /// Budgets spent in its turn, once somebody asked.
    spent: Option<Spent>,
    seen: u64,
}

/// A file, directory or pattern that a session keeps for itself while it is open.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Claim {
    worktree: PathBuf,
    entry: String,
    at: Timestamp,
}

impl Claim {
    /// Returns true if it stands for a file (absolute).
    fn covers(&self, path: &Path) -> bool {
        let inside = path.strip_prefix(&self.worktree).ok();
        let inside = inside.and_then(|path| RepoPath::parse(&path.to_string_lossy()).ok());
        inside.is_some_and(|path| covers(&self.entry, &path))
    }
}

/// Activity of all sessions.
#[derive(Debug, Default)]
pub struct Presence {
    sessions: Mutex<(u64, HashMap<String, Session>)>,
    /// Activity of ended sessions, newest last.
    past: Mutex<VecDeque<Past>>,
}

impl Presence {
    fn lock(&self) -> MutexGuard<'_, (u64, HashMap<String, Session>)> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn with<T>(&self, session: &str, change: impl FnOnce(&mut Session) -> T) -> T {
        let mut all = self.lock();
        all.0 += 1;
        let now = all.0;
        if all.1.len() >= MAX_SESSIONS && !all.1.contains_key(session) {
            let mut seen: Vec<u64> = all.1.values().map(|s| s.seen).collect();
            seen.sort_unstable();
            let until = seen.get(MAKE_ROOM).copied().unwrap_or(now);
            all.1.retain(|_, s| s.seen >= until);
        }
        let entry = all.1.entry(session.to_owned()).or_default();
        entry.seen = now;
        change(entry)
    }

    /// Notes a request of the user; whether it was not the first.
    pub fn asked(&self, session: &str, runner: &str, request: &str) -> bool {
        self.with(session, |s| {
            let begun = !s.request.is_empty();
            runner.clone_into(&mut s.runner);
            s.request = aictx_proto::text::clean(request, 160);
            // What was about to run then was refused.
            s.began = None;
            s.loops.clear();
            s.spent = s.spent.is_some().then(Spent::default);
            begun
        })
    }

    /// Notes the question that a session was asked back.
    pub fn asked_back(&self, session: &str, question: &str) {
        self.with(session, |s| question.clone_into(&mut s.question));
    }

    /// Keeps the capsule of a session for its next answer.
    pub fn hold_back(&self, session: &str, capsule: String) {
        self.with(session, |s| s.capsule = capsule);
    }

    /// Takes the capsule that was held back; empty when there is none.
    pub fn held_back(&self, session: &str) -> String {
        self.with(session, |s| std::mem::take(&mut s.capsule))
    }

    /// Returns true for a prompt that is the question a session was asked back: Gemini CLI and Copilot hand it to the
    /// model as what the user says next.
    pub fn is_own_question(&self, session: &str, prompt: &str) -> bool {
        let all = self.lock();
        let question = all.1.get(session).map_or("", |s| s.question.as_str());
        !question.is_empty() && prompt.contains(question)
    }

    /// Notes that a session read or wrote a file (absolute).
    pub fn touched(&self, session: &str, runner: &str, path: PathBuf, edited: bool, at: Timestamp) {
        let known = Known::now(path, edited, at);
        self.saw(session, runner, known);
    }

    fn saw(&self, session: &str, runner: &str, mut known: Known) {
        self.with(session, |s| {
            runner.clone_into(&mut s.runner);
            if known.edited.is_some() {
                s.loops.clear();
            }
            let before = s.files.iter().position(|f| f.is_at(&known.path));
            if let Some(before) = before.and_then(|i| s.files.remove(i)) {
                known.edited = known.edited.or(before.edited);
            }
            s.files.push_back(known);
            if s.files.len() > MAX_FILES {
                s.files.pop_front();
            }
        });
    }

    /// Notes that a session is about to run a command.
    pub fn begins(&self, session: &str, at: Timestamp) {
        self.with(session, |s| {
            s.began.get_or_insert(moment_of(at));
        });
    }

    /// Notes that a session ran a command which may have written something in a worktree.
    pub fn ran(&self, session: &str, worktree: &Path, at: Timestamp, took_ms: Option<u64>) {
        self.with(session, |s| {
            let began = s.began.take();
            s.runs.push_back(Run::until(worktree, at, began, took_ms));
            if s.runs.len() > MAX_RUNS {
                s.runs.pop_front();
            }
        });
    }

    /// Claims entries for a session, or lets go of them (of all when none are named). Gives what it
    /// claims from then on.
    pub fn claim(
        &self,
        session: &str,
        runner: &str,
        worktree: &Path,
        entries: &[String],
        release: bool,
        at: Timestamp,
    ) -> Vec<String> {
        self.with(session, |s| {
            runner.clone_into(&mut s.runner);
            apply_claim(&mut s.claims, worktree, entries, release, at);
            names(&s.claims)
        })
    }

    /// Returns the claims of a session after [`Self::claim`].
    pub fn would_claim(
        &self,
        session: &str,
        worktree: &Path,
        entries: &[String],
        release: bool,
        at: Timestamp,
    ) -> Vec<String> {
        let all = self.lock();
        let mut claims = all
            .1
            .get(session)
            .map_or_else(Vec::new, |s| s.claims.clone());
        drop(all);
        apply_claim(&mut claims, worktree, entries, release, at);
        names(&claims)
    }

    /// Returns the claims of a session.
    pub fn claims(&self, session: &str) -> Vec<String> {
        let all = self.lock();
        all.1
            .get(session)
            .map_or_else(Vec::new, |s| names(&s.claims))
    }

    /// Other sessions that are where a session wants to be: their claims that meet its entries, and
    /// files below these that they edited.
    pub fn held_by(
        &self,
        session: &str,
        worktree: &Path,
        entries: &[String],
        live: impl Fn(&str) -> bool,
    ) -> Vec<HeldBy> {
        let all = self.lock();
        let mut out = Vec::new();
        for (id, s) in all.1.iter().filter(|(id, _)| *id != session && live(id)) {
            let held = |path: String, claimed: bool| HeldBy {
                path,
                session_id: id.clone(),
                runner: s.runner.clone(),
                claimed,
            };
            let meets = |entry: &str| {
                entries.iter().any(|mine| {
                    let path = |text: &str| RepoPath::parse(text).ok();
                    mine == entry
                        || path(entry).is_some_and(|path| covers(mine, &path))
                        || path(mine).is_some_and(|path| covers(entry, &path))
                })
            };
            let theirs = s.claims.iter().filter(|c| c.worktree == worktree);
            out.extend(
                theirs
                    .filter(|c| meets(&c.entry))
                    .map(|c| held(c.entry.clone(), true)),
            );
            let edited = s.files.iter().filter(|f| f.edited.is_some());
            out.extend(edited.filter_map(|f| {
                let inside = f.path.strip_prefix(worktree).ok()?.to_string_lossy();
                let path = RepoPath::parse(&inside).ok()?;
                let within = entries.iter().any(|mine| covers(mine, &path));
                within.then(|| held(inside.into_owned(), false))
            }));
        }
        out.sort_by(|a, b| (&a.path, &a.session_id).cmp(&(&b.path, &b.session_id)));
        out.truncate(MAX_HELD);
        out
    }

    /// Takes up a session as its ledger tells it: what it asked, read, edited and claims. How files
    /// were when it saw them is not known any more.
    pub fn recall(&self, session: &str, runner: &str, worktree: &Path, rows: &[LedgerRow]) {
        let begun = rows
            .iter()
            .rposition(|row| row.kind == LedgerKind::SessionEnd)
            .map_or(0, |at| at + 1);
        for row in rows.get(begun..).unwrap_or_default() {
            match row.kind {
                LedgerKind::Prompt if row.agent_id.is_empty() => {
                    self.asked(session, runner, &row.text);
                }
                LedgerKind::AskedBack => self.asked_back(session, &row.text),
                LedgerKind::Command => {
                    self.ran(session, worktree, row.at, row.duration_ms);
                    for path in &row.paths {
                        let known = Known::recalled(worktree.join(path), true, row.at);
                        self.saw(session, runner, known);
                    }
                }
                LedgerKind::Read | LedgerKind::Edit => {
                    for path in &row.paths {
                        let edited = row.kind == LedgerKind::Edit;
                        let known = Known::recalled(worktree.join(path), edited, row.at);
                        self.saw(session, runner, known);
                    }
                }
                LedgerKind::Claimed => {
                    let known = self.claims(session);
                    self.claim(session, runner, worktree, &row.paths, false, row.at);
                    let gone: Vec<String> = known
                        .into_iter()
                        .filter(|entry| !row.paths.contains(entry))
                        .collect();
                    if !gone.is_empty() {
                        self.claim(session, runner, worktree, &gone, true, row.at);
                    }
                }
                _ => {}
            }
        }
    }

    /// Forgets a session that ended, but for what it changed.
    pub fn ended(&self, session: &str) {
        let gone = self.lock().1.remove(session);
        let Some(past) =
            gone.and_then(|gone| Past::of(session, gone.runner, gone.files, gone.runs))
        else {
            return;
        };
        let mut all = self.past.lock().unwrap_or_else(PoisonError::into_inner);
        all.push_back(past);
        if all.len() > MAX_PAST {
            all.pop_front();
        }
    }

    /// Returns true if any other session edited or claimed something.
    pub fn others_at_work(&self, session: &str) -> bool {
        let all = self.lock();
        let mut others = all.1.iter().filter(|(id, _)| *id != session);
        others.any(|(_, s)| !s.claims.is_empty() || s.files.iter().any(|f| f.edited.is_some()))
    }

    /// Files of a worktree that other sessions edited, relative to it, newest first, and behind them what they
    /// `claimed`. `live` says which still are.
    pub fn edited_by_others(
        &self,
        session: &str,
        worktree: &Path,
        claimed: bool,
        live: impl Fn(&str) -> bool,
    ) -> Vec<RepoPath> {
        let all = self.lock();
        let others = all.1.iter().filter(|(id, _)| *id != session && live(id));
        let mut edited: Vec<(Timestamp, RepoPath)> = others
            .flat_map(|(_, s)| s.files.iter().filter(|f| f.edited.is_some()))
            .filter_map(|f| {
                let inside = f.path.strip_prefix(worktree).ok()?.to_str()?;
                Some((f.at, RepoPath::parse(inside).ok()?))
            })
            .collect();
        let others = all.1.iter().filter(|(id, _)| *id != session && live(id));
        let claims = others
            .filter(|_| claimed)
            .flat_map(|(_, s)| s.claims.iter().filter(|c| c.worktree == worktree));
        let claims: Vec<RepoPath> = claims
            .filter_map(|claim| RepoPath::parse(&claim.entry).ok())
            .collect();
        drop(all);
        edited.sort_by(|a, b| b.cmp(a));
        edited.truncate(MAX_FILES);
        let edited = edited.into_iter().map(|(_, path)| path);
        edited.chain(claims.into_iter().take(MAX_FILES)).collect()
    }

    /// Returns the budgets spent in a session's turn; `count` reads them from the ledger the first time.
    pub fn spent(&self, session: &str, count: impl FnOnce() -> Spent) -> Spent {
        if let Some(spent) = self.lock().1.get(session).and_then(|s| s.spent.clone()) {
            return spent;
        }
        let spent = count();
        self.with(session, |s| s.spent.get_or_insert(spent).clone())
    }

    /// Counts a step that a session took.
    pub fn spend(&self, session: &str, step: Step) {
        self.with(session, |s| {
            if let Some(spent) = &mut s.spent {
                spent.add(step);
            }
        });
    }

    /// Returns the user's limits in a session; read from its ledger the first time.
    pub fn limits(&self, host: &Host, session: &str) -> Arc<SteerState> {
        if session.is_empty() {
            return Arc::default();
        }
        if let Some(limits) = self.lock().1.get(session).and_then(|s| s.limits.clone()) {
            return limits;
        }
        let (told, damaged) = host.store.newest_of(session, LedgerKind::Steered);
        let mut limits: SteerState = told
            .and_then(|row| serde_json::from_value(row.limits?).ok())
            .unwrap_or_default();
        limits.lost = damaged || host.store.ledger_is_lost(session);
        self.set_limits(session, limits)
    }

    /// Returns the user's limits in a session, as far as this process knows.
    pub fn known_limits(&self, session: &str) -> Arc<SteerState> {
        let all = self.lock();
        let known = all.1.get(session).and_then(|s| s.limits.clone());
        known.unwrap_or_default()
    }

    /// Replaces the limits of a session in memory.
    pub fn set_limits(&self, session: &str, limits: SteerState) -> Arc<SteerState> {
        let limits = Arc::new(limits);
        self.with(session, |s| s.limits = Some(Arc::clone(&limits)));
        limits
    }

    /// Runner, request and edited files (absolute, newest last) of a session.
    pub fn of(&self, session: &str) -> (String, String, Vec<PathBuf>) {
        let all = self.lock();
        all.1.get(session).map_or_else(Default::default, |s| {
            let edited = s.files.iter().filter(|f| f.edited.is_some());
            let edited = edited.map(|f| f.path.clone());
            (s.runner.clone(), s.request.clone(), edited.collect())
        })
    }
}

/// Returns the time of a session's first claim on a file.
fn apply_claim(
    claims: &mut Vec<Claim>,
    worktree: &Path,
    entries: &[String],
    release: bool,
    at: Timestamp,
) {
    if release {
        claims.retain(|c| !entries.is_empty() && !entries.contains(&c.entry));
        return;
    }
    for entry in entries {
        let known = |c: &Claim| c.entry == *entry && c.worktree == worktree;
        if claims.len() < MAX_CLAIMS && !claims.iter().any(known) {
            claims.push(Claim {
                worktree: worktree.to_owned(),
                entry: entry.clone(),
                at,
            });
        }
    }
}

fn names(claims: &[Claim]) -> Vec<String> {
    claims.iter().map(|c| c.entry.clone()).collect()
}

fn claim_on(session: &Session, path: &Path) -> Option<Timestamp> {
    let claims = session.claims.iter().filter(|claim| claim.covers(path));
    claims.map(|claim| claim.at).min()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(n: i64) -> Timestamp {
        Timestamp::from_unix(n)
    }

    #[test]
    fn a_claim_holds_while_its_session_is_open() {
        let presence = Presence::default();
        let root = Path::new("/w");
        let file = root.join("src/auth/login.rs");
        let entries = ["src/auth".to_owned(), "docs/*.md".to_owned()];
        let live = |_: &str| true;
        presence.claim("b", "codex", root, &entries, false, at(5));
        let found = presence.before_edit("a", &file, live).unwrap();
        assert!(found.claimed && !found.old_news);
        assert_eq!(presence.before_edit("b", &file, live), None);
        let other = Path::new("/other/src/auth/login.rs");
        assert_eq!(presence.before_edit("a", other, live), None);
        assert_eq!(presence.before_edit("a", &file, |_| false), None);
        // Whoever came later does not take it away.
        presence.claim("a", "claude", root, &["src".to_owned()], false, at(9));
        assert!(presence.before_edit("a", &file, live).is_some());
        assert_eq!(presence.before_edit("b", &file, live), None);
        let held = presence.held_by("a", root, &["src".to_owned()], live);
        assert_eq!(held.len(), 1);
        assert_eq!((held[0].path.as_str(), held[0].claimed), ("src/auth", true));
        presence.claim("b", "codex", root, &["src/auth".to_owned()], true, at(9));
        assert_eq!(presence.before_edit("a", &file, live), None);
        assert_eq!(presence.claims("b"), ["docs/*.md"]);
        presence.ended("b");
        assert!(presence.claims("b").is_empty());
    }

    #[test]
    fn a_ledger_brings_edits_and_claims_back() {
        let presence = Presence::default();
        let root = Path::new("/w");
        let row = |kind, paths: &[&str]| LedgerRow {
            paths: paths.iter().map(|p| (*p).to_owned()).collect(),
            ..LedgerRow::observed(at(3), kind)
        };
        let rows = [
            row(LedgerKind::Claimed, &["old"]),
            row(LedgerKind::SessionEnd, &[]),
            row(LedgerKind::Edit, &["a.rs"]),
            row(LedgerKind::Claimed, &["src", "docs"]),
            row(LedgerKind::Claimed, &["src"]),
        ];
        presence.recall("b", "codex", root, &rows);
        assert_eq!(presence.claims("b"), ["src"]);
        let edited = presence
            .before_edit("a", &root.join("a.rs"), |_| true)
            .unwrap();
        assert!(!edited.claimed);
    }
}
