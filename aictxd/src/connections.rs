//! Open connections, within limits: when there are too many, or half lines hold too much memory,
//! those that have waited longest for input are closed.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use tokio::sync::Notify;

/// Most bytes that connections hold for lines whose end has not come yet, all together: some of
/// the longest lines at once.
const MAX_HELD: usize = 96 * 1024 * 1024;

/// All open connections.
#[derive(Debug, Default)]
pub struct Connections(Mutex<HashMap<usize, Connection>>);

#[derive(Debug)]
struct Connection {
    /// Since when it waits for input; none while a request is handled.
    waits_since: Option<Instant>,
    /// Bytes of its buffer.
    held: usize,
    close: Arc<Notify>,
}

/// One connection's entry, removed when dropped.
#[derive(Debug)]
pub struct Entry {
    all: Arc<Connections>,
    id: usize,
    close: Arc<Notify>,
}

impl Connections {
    fn lock(&self) -> MutexGuard<'_, HashMap<usize, Connection>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Enters a connection.
    pub fn enter(self: &Arc<Self>, id: usize) -> Entry {
        let close = Arc::new(Notify::new());
        let connection = Connection {
            waits_since: Some(Instant::now()),
            held: 0,
            close: Arc::clone(&close),
        };
        self.lock().insert(id, connection);
        Entry {
            all: Arc::clone(self),
            id,
            close,
        }
    }

    /// Number of open connections.
    pub fn count(&self) -> u64 {
        self.lock().len() as u64
    }

    /// Closes the connection that has waited for input longest; false when all are busy.
    pub fn close_longest_waiting(&self) -> bool {
        Self::close_one(&mut self.lock(), |_| true)
    }

    /// Closes one of those that wait, and that `may_go` accepts.
    fn close_one(
        all: &mut HashMap<usize, Connection>,
        may_go: impl Fn(&Connection) -> bool,
    ) -> bool {
        let waiting = all.iter().filter(|(_, one)| may_go(one));
        let waiting = waiting.filter_map(|(id, one)| Some((one.waits_since?, *id)));
        let Some(gone) = waiting.min().and_then(|(_, id)| all.remove(&id)) else {
            return false;
        };
        gone.close.notify_one();
        true
    }
}

impl Entry {
    /// Notes that the connection waits for input and holds so many bytes of a half line. Others
    /// are closed when all together hold too much, this one last.
    pub fn waits(&self, held: usize) {
        let mut all = self.all.lock();
        if let Some(own) = all.get_mut(&self.id) {
            own.waits_since = Some(Instant::now());
            own.held = held;
        }
        if held == 0 {
            return;
        }
        while all.values().map(|one| one.held).sum::<usize>() > MAX_HELD {
            if !Self::close_half_line(&mut all) {
                return;
            }
        }
    }

    fn close_half_line(all: &mut HashMap<usize, Connection>) -> bool {
        Connections::close_one(all, |one| one.held > 0)
    }

    /// Notes that a request is handled.
    pub fn is_busy(&self) {
        if let Some(own) = self.all.lock().get_mut(&self.id) {
            own.waits_since = None;
        }
    }

    /// Resolves when the connection has to make room.
    pub async fn closed(&self) {
        self.close.notified().await;
    }
}

impl Drop for Entry {
    fn drop(&mut self) {
        self.all.lock().remove(&self.id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_closed(entry: &Entry) -> bool {
        let closed = std::pin::pin!(entry.closed());
        let context = &mut std::task::Context::from_waker(std::task::Waker::noop());
        closed.poll(context).is_ready()
    }

    #[test]
    fn the_longest_waiting_connection_makes_room_and_busy_ones_stay() {
        let all = Arc::new(Connections::default());
        let [busy, first, second] = [1, 2, 3].map(|id| all.enter(id));
        busy.is_busy();
        assert!(all.close_longest_waiting());
        assert!(is_closed(&first) && !is_closed(&second) && !is_closed(&busy));
        assert!(all.close_longest_waiting() && is_closed(&second));
        assert!(!all.close_longest_waiting() && !is_closed(&busy));
        assert_eq!(all.count(), 1);
        drop(busy);
        assert_eq!(all.count(), 0);
    }

    #[test]
    fn half_lines_are_bounded_all_together() {
        let all = Arc::new(Connections::default());
        let entries: Vec<Entry> = (0..10).map(|id| all.enter(id)).collect();
        for entry in &entries {
            entry.waits(MAX_HELD / 4);
        }
        let closed: Vec<bool> = entries.iter().map(is_closed).collect();
        assert_eq!(closed.iter().filter(|closed| **closed).count(), 6);
        assert!(!closed[9], "the last one is served");
    }
}
