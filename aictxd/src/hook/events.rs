//! Hook events by id: each is recorded once, however often it is handed over.
//!
//! A client that gets no answer in time puts its event into the spool, while the daemon may still
//! record it; a daemon may die between recording and answering. Ids of events that this process
//! took are remembered here; those that another process may have taken are looked for in the
//! session's ledger ([`aictx_artifacts::Store::append_ledger_once`]).

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::app::unix_nanos;

/// Most events that are remembered, the newest ones.
const MAX_EVENTS: usize = 4_096;
/// An event that is older when it comes may have been recorded by another process meanwhile: no
/// client gives up on this one earlier.
const LATE: Duration = Duration::from_millis(100);

/// Progress of an event in this process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    /// It is being handled.
    Begun,
    /// It is in the ledger.
    Recorded,
}

/// Events that this process took.
#[derive(Debug, Default)]
pub struct Events(Mutex<Remembered>);

#[derive(Debug, Default)]
struct Remembered {
    progress: HashMap<String, Progress>,
    order: VecDeque<String>,
}

impl Events {
    fn lock(&self) -> MutexGuard<'_, Remembered> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes that an event is being handled; how far it got before, if it came before. Events
    /// without an id are always new.
    pub fn begin(&self, id: &str) -> Option<Progress> {
        if id.is_empty() {
            return None;
        }
        let mut all = self.lock();
        if let Some(known) = all.progress.get(id) {
            return Some(*known);
        }
        if all.order.len() >= MAX_EVENTS
            && let Some(oldest) = all.order.pop_front()
        {
            all.progress.remove(&oldest);
        }
        all.order.push_back(id.to_owned());
        all.progress.insert(id.to_owned(), Progress::Begun);
        None
    }

    /// Notes whether an event was recorded; one that was not is forgotten.
    pub fn end(&self, id: &str, is_recorded: bool) {
        let mut all = self.lock();
        if is_recorded {
            if let Some(progress) = all.progress.get_mut(id) {
                *progress = Progress::Recorded;
            }
        } else if all.progress.remove(id).is_some() {
            all.order.retain(|other| other != id);
        }
    }
}

/// Returns true if an event may have been recorded by another process: its id says when it was made. Before this
/// one began, in nanoseconds since 1970, another one may have had it.
pub(super) fn is_late(id: &str, began: u64) -> bool {
    let late = u64::try_from(LATE.as_nanos()).unwrap_or(u64::MAX);
    let made = id.split('-').next().unwrap_or_default();
    u64::from_str_radix(made, 16)
        .is_ok_and(|made| made < began || unix_nanos().saturating_sub(made) > late)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_is_new_once_unless_it_was_not_recorded() {
        let events = Events::default();
        assert_eq!(events.begin("a"), None);
        assert_eq!(events.begin("a"), Some(Progress::Begun));
        events.end("a", true);
        assert_eq!(events.begin("a"), Some(Progress::Recorded));
        assert_eq!(events.begin("b"), None);
        events.end("b", false);
        assert_eq!(events.begin("b"), None);
        assert_eq!((events.begin(""), events.begin("")), (None, None));
    }

    #[test]
    fn what_is_remembered_is_bounded() {
        let events = Events::default();
        for n in 0..MAX_EVENTS + 10 {
            events.begin(&n.to_string());
        }
        let all = events.lock();
        assert_eq!(
            (all.order.len(), all.progress.len()),
            (MAX_EVENTS, MAX_EVENTS)
        );
        assert!(!all.progress.contains_key("9") && all.progress.contains_key("10"));
    }

    #[test]
    fn an_id_tells_its_age() {
        let id = |age: u64| format!("{:016x}-7", unix_nanos() - age);
        assert!(is_late(&id(200_000_000), 0));
        assert!(is_late(&id(1_000_000), unix_nanos()));
        assert!(!is_late(&id(0), 0) && !is_late("", 0) && !is_late("odd", 0));
    }
}
