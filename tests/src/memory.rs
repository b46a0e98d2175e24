//! Looking at a repository's `.aictx` as files, the way another program would.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::wait_until;

/// The four logs that get one row from every finalize, and the member that names the execution.
pub const LOGS: [(&str, &str); 4] = [
    ("metrics/execution_logs.jsonl", "task_id"),
    ("metrics/agent_execution_log.jsonl", "execution_id"),
    ("continuity/handoffs.jsonl", "execution_id"),
    ("continuity/lifecycle_events.jsonl", "execution_id"),
];

/// [`files`] of a memory without its journal, whose entries come and go by themselves while what was
/// answered is made sure of.
pub fn facts(memory: &Path) -> Vec<PathBuf> {
    let mut found = files(memory);
    found.retain(|file| !file.starts_with("journal"));
    found
}

/// All plain files below a directory, with paths relative to it, in order.
pub fn files(directory: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut pending = vec![directory.to_owned()];
    while let Some(next) = pending.pop() {
        for entry in fs::read_dir(&next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                pending.push(path);
            } else {
                found.push(path.strip_prefix(directory).unwrap().to_owned());
            }
        }
    }
    found.sort();
    found
}

/// Copies a directory, replacing what is there. Files that are in both stay the same files, so that
/// ledgers that are put back are proven as before.
pub fn replace_tree(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for file in files(to) {
        if !from.join(&file).exists() {
            fs::remove_file(to.join(file)).unwrap();
        }
    }
    for file in files(from) {
        let target = to.join(&file);
        fs::create_dir_all(target.parent().unwrap()).unwrap();
        fs::copy(from.join(&file), target).unwrap();
    }
}

/// Every file of the memory can be read to its last line, nothing waits in the journal, no draft
/// of a file is left. Only an intent that was never complete may have been put aside.
#[track_caller]
pub fn assert_sound(repository: &Path) {
    let memory = repository.join(".aictx");
    // A resume is answered a moment before its intent goes.
    crate::wait_until("nothing waits in the journal", || {
        let mut waiting = fs::read_dir(memory.join("journal")).into_iter().flatten();
        waiting.next().is_none()
    });
    for file in files(&memory) {
        let name = file.to_string_lossy();
        if name.starts_with("quarantine/journal-") {
            continue;
        }
        assert!(!name.starts_with("quarantine/"), "{name} was put aside");
        assert!(!name.contains(".aictx-tmp"), "{name} is a draft");
        if name.ends_with(".jsonl.gz") {
            unpack(&memory.join(&file));
            continue;
        }
        let text = match fs::read_to_string(memory.join(&file)) {
            // The daemon moves what is done with into the archive when nobody asks for anything.
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => continue,
            read => read.unwrap(),
        };
        let parse = |text: &str| {
            serde_json::from_str::<Value>(text).unwrap_or_else(|e| panic!("{name}: {e}: {text}"))
        };
        if name.ends_with(".json") {
            parse(&text);
        } else if name.ends_with(".jsonl") {
            assert!(text.is_empty() || text.ends_with('\n'), "{name} is torn");
            for line in text.lines() {
                assert!(parse(line).is_object(), "{name}: {line}");
            }
        }
    }
}

/// The text of a segment of the archive.
#[track_caller]
fn unpack(segment: &Path) -> String {
    let mut text = String::new();
    let packed = fs::File::open(segment).unwrap();
    flate2::read::MultiGzDecoder::new(packed)
        .read_to_string(&mut text)
        .unwrap_or_else(|e| panic!("{}: {e}", segment.display()));
    text
}

/// A whole history: its archived rows, then the file.
pub fn history(repository: &Path, file: &str) -> String {
    let memory = repository.join(".aictx");
    let stem = format!("archive/{}-", file.trim_end_matches(".jsonl"));
    let is_segment = |f: &&PathBuf| f.to_string_lossy().starts_with(&stem);
    let all = files(&memory);
    let segments = all.iter().filter(is_segment);
    let archived: String = segments.map(|f| unpack(&memory.join(f))).collect();
    archived + &fs::read_to_string(memory.join(file)).unwrap_or_default()
}

/// Counts each execution in the four logs: the same in all of them, or the test fails. A daemon that
/// puts rows away meanwhile has them in two places for a moment.
#[track_caller]
pub fn executions(repository: &Path) -> BTreeMap<String, usize> {
    let mut found = Vec::new();
    wait_until("the logs hold the same executions", || {
        found = LOGS
            .map(|(file, member)| counted(repository, file, member))
            .into();
        found.windows(2).all(|two| two[0] == two[1])
    });
    found.swap_remove(0)
}

/// Counts each execution in a log.
fn counted(repository: &Path, file: &str, member: &str) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for line in history(repository, file).lines() {
        let row: Value = serde_json::from_str(line).unwrap();
        if file.ends_with("lifecycle_events.jsonl") && row["event_type"] != "finalize_called" {
            continue;
        }
        let id = row[member]
            .as_str()
            .unwrap_or_else(|| panic!("{file}: {line}"));
        *counts.entry(id.to_owned()).or_default() += 1;
    }
    counts
}
