//! History from before aictx was installed, as other programs keep it.

use std::collections::HashMap;

use aictx_proto::Timestamp;
use aictx_proto::effect::{Effect, Effects, KeyOrder};
use aictx_proto::record::{ImportedRow, ImportedTurn, files};
use aictx_proto::text::clean;
use aictx_steer::{decisions_told, rules_kept};

use crate::ids::long_hash;
use crate::left::next_steps;
use crate::record_json::row_value;
use aictx_proto::text::shorten;

/// Most text of one session, in bytes; texts of longer ones are cut first, then turns in the middle are left out.
const MAX_TEXT: usize = 32 * 1024;
/// Beginning and end of a text that stay where the whole is too long.
const MAX_BEGINNING: usize = 3 * 1024;
const MAX_END: usize = 1024;
/// Most bytes of all rows, and most rows: all of it is prepared for being searched.
const MAX_HISTORY: usize = 4 * 1024 * 1024;
const MAX_ROWS: usize = 5_000;
const MAX_TITLE: usize = 400;
const MAX_PATH: usize = 256;
const MAX_DECISIONS: usize = 8;
/// A command and what it printed, in characters.
const MAX_COMMAND: usize = 240;
const MAX_ERROR: usize = 400;

/// The id of what a source calls by some name.
pub fn imported_id(source: &str, name: &str) -> String {
    let hash = long_hash(&format!("{source}\0{name}"));
    format!("imported::{}", hash.get(..12).unwrap_or(&hash))
}

/// Completes a row that was read and scrubbed: its id, its bounds, what is heard in its texts. `None` where nobody
/// said anything. Edited files that `inside` knows no place for are left out.
pub fn imported_row(
    mut row: ImportedRow,
    inside: impl Fn(&str) -> Option<String>,
    now: Timestamp,
) -> Option<ImportedRow> {
    row.turns
        .retain(|turn| !turn.asked.is_empty() || !turn.said.is_empty());
    let first = row.turns.first()?;
    row.id = imported_id(&row.source, &row.session_id);
    if row.title.is_empty() {
        let title = if first.asked.is_empty() {
            &first.said
        } else {
            &first.asked
        };
        row.title.clone_from(title);
    }
    row.title = clean(&row.title, MAX_TITLE);
    for turn in &row.turns {
        let heard = rules_kept(&turn.asked)
            .into_iter()
            .chain(decisions_told(&turn.said));
        for decision in heard {
            if row.decisions.len() < MAX_DECISIONS && !row.decisions.contains(&decision) {
                row.decisions.push(decision);
            }
        }
    }
    if row.status.is_empty() {
        let last = row.turns.last();
        row.next_steps = last.map(|turn| next_steps(&turn.said)).unwrap_or_default();
    }
    row.files_edited = row.files_edited.iter().filter_map(|f| inside(f)).collect();
    row.files_edited.retain(|file| file.len() <= MAX_PATH);
    for failed in &mut row.failed {
        failed.command = clean(&failed.command, MAX_COMMAND);
        let lines = failed.error.lines().rev().take(4);
        let lines: Vec<&str> = lines.collect();
        let error: Vec<&str> = lines.into_iter().rev().collect();
        failed.error = shorten(&error.join("\n"), MAX_ERROR);
    }
    fit(&mut row);
    row.imported_at = now.to_string();
    Some(row)
}

/// Bytes of a row's texts.
fn size(row: &ImportedRow) -> usize {
    row.turns.iter().map(turn_size).sum()
}

/// As it is written: a row has at most 64 KiB of JSON.
fn turn_size(turn: &ImportedTurn) -> usize {
    serde_json::to_string(turn).map_or(0, |text| text.len())
}

/// Brings a session below [`MAX_TEXT`]: the beginning and the end stay.
fn fit(row: &mut ImportedRow) {
    if size(row) <= MAX_TEXT {
        return;
    }
    // A document has one text and gets all the room.
    let (beginning, end) = match row.turns.len() {
        1 => (MAX_TEXT / 2, MAX_TEXT / 4),
        _ => (MAX_BEGINNING, MAX_END),
    };
    for turn in &mut row.turns {
        for text in [&mut turn.asked, &mut turn.said] {
            cut_middle(text, beginning, end);
        }
    }
    let (mut room, mut kept_first) = (MAX_TEXT / 2, 0);
    for turn in &row.turns {
        let Some(left) = room.checked_sub(turn_size(turn)) else {
            break;
        };
        (room, kept_first) = (left, kept_first + 1);
    }
    room += MAX_TEXT / 2;
    let mut from_last = row.turns.len();
    for turn in row.turns.iter().skip(kept_first).rev() {
        let Some(left) = room.checked_sub(turn_size(turn)) else {
            break;
        };
        (room, from_last) = (left, from_last - 1);
    }
    let from_last = from_last.max(kept_first);
    row.omitted_turns += (from_last - kept_first) as u64;
    row.turns.drain(kept_first..from_last);
}

fn cut_middle(text: &mut String, beginning: usize, end: usize) {
    if text.len() <= beginning + end {
        return;
    }
    let head = text.get(..text.floor_char_boundary(beginning));
    let tail = text.get(text.ceil_char_boundary(text.len() - end)..);
    *text = format!(
        "{} … {}",
        head.unwrap_or_default(),
        tail.unwrap_or_default()
    );
}

/// Counts of rows that were offered, by what became of them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Imported {
    /// New ones.
    pub added: u64,
    /// Ones that say something else than before: their transcript grew.
    pub changed: u64,
    /// Ones that are there already.
    pub known: u64,
    /// Ones older than what there is room for.
    pub no_room: u64,
}

/// Adds rows to those of the history. The newest stay where there is no room for all.
pub fn import(known: &[ImportedRow], new: Vec<ImportedRow>) -> (Imported, Effects) {
    let mut done = Imported::default();
    let mut all: Vec<ImportedRow> = known.to_vec();
    let mut places: HashMap<String, usize> = HashMap::new();
    for (at, row) in all.iter().enumerate() {
        places.insert(row.id.clone(), at);
    }
    let mut fresh: Vec<String> = Vec::new();
    for mut row in new {
        let before = places.get(&row.id).and_then(|at| all.get_mut(*at));
        if let Some(before) = before {
            // Marks of people stay.
            row.extra.clone_from(&before.extra);
            let at = std::mem::replace(&mut row.imported_at, before.imported_at.clone());
            if *before == row {
                done.known += 1;
                continue;
            }
            row.imported_at = at;
            done.changed += 1;
            fresh.push(row.id.clone());
            *before = row;
        } else {
            done.added += 1;
            fresh.push(row.id.clone());
            places.insert(row.id.clone(), all.len());
            all.push(row);
        }
    }
    if fresh.is_empty() {
        return (done, Effects::new());
    }
    let mut order: Vec<(bool, String, usize)> = Vec::with_capacity(all.len());
    for (at, row) in all.iter().enumerate() {
        let is_pinned = crate::item_flags::is_pinned(&row.extra);
        order.push((!is_pinned, row.timestamp.clone(), at));
    }
    order.sort_by(|(a, x, _), (b, y, _)| a.cmp(b).then_with(|| y.cmp(x)));
    let (mut bytes, mut stays) = (0, vec![false; all.len()]);
    for (_, _, at) in order.iter().take(MAX_ROWS) {
        let row = all.get(*at).map(row_value);
        bytes += row.map_or(0, |row| row.to_string().len() + 1);
        if bytes > MAX_HISTORY {
            break;
        }
        if let Some(stays) = stays.get_mut(*at) {
            *stays = true;
        }
    }
    let mut stays = stays.into_iter();
    all.retain(|_| stays.next().unwrap_or(false));
    let is_there = |id: &String| all.iter().any(|row| row.id == *id);
    let gone = fresh.iter().filter(|id| !is_there(id)).count() as u64;
    let displaced = known.iter().filter(|row| !is_there(&row.id)).count() as u64;
    done.no_room = gone + displaced;
    done.added = done.added.saturating_sub(gone);
    let is_same = all.len() == known.len() && all.iter().zip(known).all(|(a, b)| a == b);
    if is_same {
        return (done, Effects::new());
    }
    let only_appended = all.len() > known.len() && all.iter().zip(known).all(|(a, b)| a == b);
    let rows = |rows: &[ImportedRow]| rows.iter().map(row_value).collect();
    let (file, order) = (files::IMPORTED.to_owned(), KeyOrder::Sorted);
    let effect = match only_appended {
        true => Effect::AppendRows {
            file,
            rows: rows(all.get(known.len()..).unwrap_or_default()),
            order,
        },
        false => Effect::ReplaceRows {
            file,
            rows: rows(&all),
            order,
        },
    };
    (done, vec![effect])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn turn(asked: &str, said: &str) -> ImportedTurn {
        ImportedTurn {
            asked: asked.into(),
            said: said.into(),
        }
    }

    fn row(session: &str, time: &str, turns: Vec<ImportedTurn>) -> ImportedRow {
        let row = ImportedRow {
            source: "claude".into(),
            session_id: session.into(),
            timestamp: time.into(),
            turns,
            ..ImportedRow::default()
        };
        imported_row(row, |_| None, Timestamp::from_unix(0)).unwrap()
    }

    #[test]
    fn rules_decisions_and_next_steps_are_heard() {
        let row = row(
            "s",
            "2026-01-01T00:00:00Z",
            vec![
                turn("From now on use pnpm instead of npm", "Ok."),
                turn(
                    "go",
                    "We decided to keep the queue in memory. Next step: wire it up.",
                ),
            ],
        );
        assert_eq!(
            row.decisions,
            [
                "From now on use pnpm instead of npm",
                "We decided to keep the queue in memory"
            ]
        );
        assert_eq!(row.next_steps, ["wire it up."]);
        assert_eq!(row.title, "From now on use pnpm instead of npm");
    }

    #[test]
    fn a_repeat_changes_nothing_and_a_longer_session_replaces_its_row() {
        let first = row("a", "2026-01-01T00:00:00Z", vec![turn("x", "y")]);
        let (done, effects) = import(&[], vec![first.clone()]);
        assert_eq!((done.added, effects.len()), (1, 1));
        let (done, effects) = import(std::slice::from_ref(&first), vec![first.clone()]);
        assert_eq!((done.known, effects), (1, Effects::new()));
        let mut marked = first;
        marked.extra.insert("wrong".into(), "no".into());
        let longer = row("a", "2026-01-02T00:00:00Z", vec![turn("x", "y and z")]);
        let (done, effects) = import(&[marked], vec![longer]);
        assert_eq!(done.changed, 1);
        let Some(Effect::ReplaceRows { rows, .. }) = effects.first() else {
            panic!("{effects:?}");
        };
        assert_eq!((rows.len(), &rows[0]["wrong"]), (1, &"no".into()));
    }

    #[test]
    fn the_newest_stay_where_there_is_no_room() {
        let large = |n: usize| {
            let time = format!("2026-01-01T{:02}:{:02}:00Z", n / 60, n % 60);
            row(
                &format!("s{n}"),
                &time,
                vec![turn("q", &"x".repeat(30_000))],
            )
        };
        let (done, effects) = import(&[], (0..300).map(large).collect());
        assert!(
            done.no_room > 100 && done.added + done.no_room == 300,
            "{done:?}"
        );
        let Some(Effect::AppendRows { rows, .. }) = effects.first() else {
            panic!();
        };
        assert_eq!(rows.last().unwrap()["session_id"], "s299");
        let kept: Vec<ImportedRow> = rows
            .iter()
            .map(|row| serde_json::from_value(row.clone()).unwrap())
            .collect();
        let (again, effects) = import(&kept, vec![large(0)]);
        assert_eq!((again.no_room, again.added, effects.len()), (1, 0, 0));
    }

    proptest! {
        #[test]
        fn any_session_keeps_its_bounds(texts in prop::collection::vec(("\\PC{0,40}", 0..900_usize), 1..12)) {
            let turns = texts.iter().map(|(text, n)| turn(text, &text.repeat(*n)));
            let made = ImportedRow { turns: turns.collect(), ..ImportedRow::default() };
            let said: usize = made.turns.len();
            if let Some(row) = imported_row(made, |_| None, Timestamp::from_unix(0)) {
                prop_assert!(size(&row) <= MAX_TEXT);
                prop_assert!(row.turns.len() + row.omitted_turns as usize <= said);
            }
        }
    }
}
