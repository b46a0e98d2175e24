//! The last message of an agent whose hooks only name its transcript.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use aictx_files::range::read_range;
use aictx_files::untrusted;
use aictx_proto::Timestamp;
use aictx_proto::ledger::{LedgerKind, LedgerRow, MAX_TEXT};
use aictx_runners::{Dialect, dialect};

use crate::intake;
use crate::sessions::Live;

/// Bytes at the end of a transcript that are read.
const MAX_TAIL: u64 = 512 * 1024;
/// Agents write transcripts in batches, Copilot CLI 1.0.102 within 100 ms of the event: how often it is read again,
/// and the pause between.
const MAX_LOOKS: u32 = 10;
const PAUSE: Duration = Duration::from_millis(60);

/// Records the message with which a turn ended, once the transcript has it. Nothing where the event said it itself, the
/// next turn began, or the agent writes no transcript that is understood.
pub(super) async fn hear_last_message(id: &str, live: &Live, now: Timestamp) {
    let Ok(dialect) = dialect(&live.runner) else {
        return;
    };
    if !dialect.writes_last_messages() {
        return;
    }
    for look in 0..MAX_LOOKS {
        if look > 0 {
            tokio::time::sleep(PAUSE).await;
        }
        let (host, session) = (Arc::clone(&live.host), id.to_owned());
        let read = move || {
            let rows = host.store.read_ledger(&session).rows;
            let transcript = unheard(&rows)?;
            Some(last_message(dialect, Path::new(transcript)))
        };
        let Ok(Some(read)) = tokio::task::spawn_blocking(read).await else {
            return;
        };
        if let Some(text) = read {
            let row = LedgerRow {
                text: intake::cut(&text, MAX_TEXT),
                ..LedgerRow::observed(now, LedgerKind::Stop)
            };
            if let Err(error) = live.host.observe(id, &[row]) {
                tracing::warn!(session = id, %error, "a last message was not recorded");
            }
            return;
        }
    }
}

/// The transcript of a turn that ended without a message and is still the newest.
fn unheard(rows: &[LedgerRow]) -> Option<&str> {
    let is_turn = |row: &&LedgerRow| {
        matches!(row.kind, LedgerKind::Prompt | LedgerKind::Stop) && row.agent_id.is_empty()
    };
    let last = rows.iter().rev().find(is_turn)?;
    let is_open = last.kind == LedgerKind::Stop && last.text.is_empty();
    (is_open && !last.transcript.is_empty()).then_some(last.transcript.as_str())
}

fn last_message(dialect: &dyn Dialect, transcript: &Path) -> Option<String> {
    if !transcript.is_absolute() {
        return None;
    }
    let file = untrusted::open(transcript).ok()?;
    let from = file.len().saturating_sub(MAX_TAIL);
    let bytes = read_range(&file.into_file(), from, MAX_TAIL).ok()?;
    dialect.last_message_of(&String::from_utf8_lossy(&bytes))
}
