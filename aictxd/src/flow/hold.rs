//! Points of a turn at which a test holds the daemon, to kill it or its neighbours there.
//!
//! `AICTXD_FLOW_HOLD` is `POINT:NUMBER:DIRECTORY`. Where a flow comes to that point for the first time, the directory is
//! made, and the thread waits for as long as it is there. Without the variable nothing happens.

use std::fs;
use std::path::PathBuf;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde::Deserialize;
use serde::de::IntoDeserializer;
use serde::de::value::StrDeserializer;

const VARIABLE: &str = "AICTXD_FLOW_HOLD";
const PACE: Duration = Duration::from_millis(5);

/// Point at which a daemon can be held; its number is that of the turn, where nothing else is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Point {
    /// The turn is chosen.
    Prepare,
    /// Prompt and request are written.
    Prompt,
    /// The host is started.
    Spawned,
    /// The agent has ended.
    Ended,
    /// Its end is noted.
    Collected,
    /// An attachment of the dispatch was moved.
    Moved,
    /// The dispatch is in the archive.
    Archived,
    /// The checks have run.
    Settling,
    /// The turn is in the database as settled.
    Settled,
    /// A ticket is in the database as finished, after so many turns of its own.
    Finished,
    /// An attachment of the reply of that number was moved.
    Replied,
}

struct Hold {
    point: Point,
    number: u32,
    directory: PathBuf,
    is_over: AtomicBool,
}

/// Waits where this is the point to be held at. Blocks.
pub(super) fn at(point: Point, number: u32) {
    static HOLD: OnceLock<Option<Hold>> = OnceLock::new();
    let Some(hold) = HOLD.get_or_init(|| wanted(&std::env::var(VARIABLE).ok()?)) else {
        return;
    };
    let is_it = hold.point == point && hold.number == number;
    if is_it
        && !hold.is_over.swap(true, Ordering::Relaxed)
        && fs::create_dir(&hold.directory).is_ok()
    {
        while hold.directory.exists() {
            std::thread::sleep(PACE);
        }
    }
}

fn wanted(text: &str) -> Option<Hold> {
    let mut parts = text.splitn(3, ':');
    let name: StrDeserializer<'_, serde::de::value::Error> = parts.next()?.into_deserializer();
    Some(Hold {
        point: Point::deserialize(name).ok()?,
        number: parts.next()?.parse().ok()?,
        directory: parts.next()?.into(),
        is_over: AtomicBool::new(false),
    })
}
