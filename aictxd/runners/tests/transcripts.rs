//! Transcripts of every agent, of the shape that its current version writes, and of earlier ones.

#![allow(
    clippy::disallowed_methods,
    clippy::indexing_slicing,
    clippy::unwrap_used
)]

use std::fs;
use std::path::Path;

use aictx_runners::transcript::sqlite::{Database, Stored};
use aictx_runners::transcript::{AGENTS, Session, Transcript, directory_hash};
use proptest::prelude::*;

fn fixture(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/transcripts");
    fs::read_to_string(folder.join(name)).unwrap()
}

fn read(agent: &str, name: &str) -> Session {
    let text = fixture(name);
    let mut reader = Transcript::new(agent).unwrap();
    match name.ends_with(".json") {
        true => reader.line(text.as_bytes()),
        false => text.lines().for_each(|line| reader.line(line.as_bytes())),
    }
    reader.finish()
}

const DIRECTORY: &str = "/home/dev/shop";

#[test]
fn requests_answers_edits_and_failures_are_read() {
    // Agent, file, lines that are no records, whether it names a branch.
    let table = [
        ("claude", "claude.jsonl", 1, true),
        ("codex", "codex.jsonl", 1, true),
        ("codex", "codex-bare.jsonl", 1, true),
        ("gemini", "gemini.jsonl", 1, false),
        ("gemini", "gemini.json", 0, false),
        ("copilot", "copilot.jsonl", 1, true),
        ("opencode", "opencode.json", 0, false),
    ];
    for (agent, file, not_understood, has_branch) in table {
        let session = read(agent, file);
        let row = &session.row;
        assert_eq!(row.session_id, format!("s-{agent}"), "{file}");
        assert_eq!((row.source.as_str(), row.agent_id.as_str()), (agent, agent));
        match agent {
            "gemini" => assert_eq!(session.cwd_hash, directory_hash(DIRECTORY)),
            _ => assert_eq!(session.cwd, DIRECTORY, "{file}"),
        }
        let turns: Vec<(&str, &str)> = row
            .turns
            .iter()
            .map(|turn| (turn.asked.as_str(), turn.said.as_str()))
            .collect();
        let want = [
            (
                "Cap the voucher discount at 30 %.",
                "Capped it. Next step: wire up the checkout.",
            ),
            ("Now the checkout.", "The checkout uses the cap."),
        ];
        assert_eq!(turns, want, "{file}");
        assert_eq!(row.files_edited, ["/home/dev/shop/vouchers.py"], "{file}");
        let [failed] = row.failed.as_slice() else {
            panic!("{file}: {:?}", row.failed);
        };
        assert_eq!(failed.command, "pytest -q", "{file}");
        assert!(
            failed.error.ends_with("AssertionError: 40 != 30"),
            "{file}: {failed:?}"
        );
        assert_eq!(session.not_understood, not_understood, "{file}");
        assert_eq!(
            row.branch,
            if has_branch { "vouchers" } else { "" },
            "{file}"
        );
        assert!(!session.is_subagent);
        assert!(
            row.started_at.starts_with("2026-03-01T10:00:0"),
            "{file}: {row:?}"
        );
        if file != "codex-bare.jsonl" {
            assert!(
                row.timestamp.starts_with("2026-03-01T10:00:10"),
                "{file}: {row:?}"
            );
        }
        let text = fixture(file);
        let known = match file.ends_with(".json") {
            true => Transcript::recognise(&text),
            false => text.lines().find_map(Transcript::recognise),
        };
        assert_eq!(known, Some(agent), "{file}");
    }
}

#[test]
fn sessions_of_sub_agents_are_known() {
    let table = [
        (
            "claude",
            r#"{"type":"user","isSidechain":true,"message":{"content":"x"}}"#,
        ),
        (
            "codex",
            r#"{"type":"session_meta","payload":{"id":"a","source":{"subagent":"review"}}}"#,
        ),
        (
            "gemini",
            r#"{"sessionId":"a","projectHash":"b","kind":"subagent"}"#,
        ),
        (
            "opencode",
            r#"{"info":{"id":"a","parentID":"b"},"messages":[]}"#,
        ),
    ];
    for (agent, line) in table {
        let mut reader = Transcript::new(agent).unwrap();
        reader.line(line.as_bytes());
        assert!(reader.finish().is_subagent, "{agent}");
    }
}

/// A database of 512-byte pages: some of its records are in the write-ahead log only, some fill several pages.
fn database() -> (Vec<u8>, Vec<u8>) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/transcripts");
    let read = |name: &str| fs::read(folder.join(name)).unwrap();
    (read("opencode.db"), read("opencode.db-wal"))
}

fn stored(file: &[u8], log: Vec<u8>) -> Option<Stored> {
    let mut read = |at: u64, into: &mut [u8]| {
        let at = usize::try_from(at).unwrap();
        let bytes = file.get(at..at + into.len());
        bytes.is_some_and(|bytes| {
            into.copy_from_slice(bytes);
            true
        })
    };
    let mut database = Database::open(&mut read, log)?;
    Some(database.opencode_sessions(&mut |directory| directory == DIRECTORY, false))
}

#[test]
fn sessions_are_read_from_the_database_and_its_log() {
    let (file, log) = database();
    let found = stored(&file, log).unwrap();
    assert_eq!((found.elsewhere, found.of_subagents), (1, 1));
    let names: Vec<&str> = found
        .sessions
        .iter()
        .map(|one| one.row.session_id.as_str())
        .collect();
    assert_eq!(
        names,
        [
            "s-more0",
            "s-more1",
            "s-more2",
            "s-more3",
            "s-more4",
            "s-more5",
            "s-opencode"
        ]
    );
    let long = &found.sessions[5].row.turns[0].asked;
    assert_eq!(
        *long,
        format!("Request 5 {}", "long ".repeat(300)).trim_end()
    );
    let mut exported = read("opencode", "opencode.json");
    let own = found.sessions.into_iter().next_back().unwrap();
    exported.row.timestamp.clone_from(&own.row.timestamp);
    assert_eq!(own, exported);
    let (file, _) = database();
    let before = stored(&file, Vec::new()).unwrap();
    assert_eq!(before.sessions[6].row.turns[0].said, "I look first.");
    assert!(stored(b"no database", Vec::new()).is_none());
}

/// Lines of a transcript that were cut, spoiled and mixed with others.
fn spoiled() -> impl Strategy<Value = Vec<Vec<u8>>> {
    let line = (0..7_usize, 0..20_usize, 0..400_usize, any::<u8>());
    prop::collection::vec(line, 1..30).prop_map(|all| {
        let names = [
            "claude.jsonl",
            "codex.jsonl",
            "codex-bare.jsonl",
            "gemini.jsonl",
            "gemini.json",
            "copilot.jsonl",
            "opencode.json",
        ];
        let texts: Vec<String> = names.into_iter().map(fixture).collect();
        let spoil = |(file, line, at, byte): (usize, usize, usize, u8)| {
            let lines: Vec<&str> = texts[file].lines().collect();
            let mut bytes = lines[line % lines.len()].as_bytes().to_vec();
            match at.checked_rem(bytes.len() + 1) {
                Some(at) if byte < 100 => bytes.truncate(at),
                Some(at) if at < bytes.len() && byte < 200 => bytes[at] = byte,
                _ => {}
            }
            bytes
        };
        all.into_iter().map(spoil).collect()
    })
}

proptest! {
    #[test]
    fn any_database_is_survived(spots in prop::collection::vec((any::<usize>(), any::<u8>()), 1..40), cut in 0..60_000_usize) {
        let (mut file, mut log) = database();
        for (at, byte) in spots {
            let (at, all) = (at / 2, [&mut file, &mut log]);
            for bytes in all {
                let at = at % bytes.len();
                bytes[at] = byte;
            }
        }
        file.truncate(cut.max(600));
        if let Some(found) = stored(&file, log) {
            prop_assert!(found.sessions.len() < 100);
        }
    }

    #[test]
    fn any_lines_are_survived(lines in spoiled(), agent in 0..AGENTS.len()) {
        let mut reader = Transcript::new(AGENTS[agent]).unwrap();
        for line in &lines {
            reader.line(line);
        }
        let session = reader.finish();
        prop_assert!(session.row.turns.len() <= lines.len() * 32);
        prop_assert!(session.not_understood <= lines.len() as u64);
    }
}
