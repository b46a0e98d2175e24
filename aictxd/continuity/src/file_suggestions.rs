//! Files to look at first, as the map ranks them: what of it an agent is told, and in what words.

use std::collections::BTreeSet;

use aictx_proto::ledger::{LedgerKind, LedgerRow, LeftOut, MAX_LEFT_OUT, Receipt, ToldItem};
use aictx_proto::methods::MapHit;
use aictx_proto::shown::{self, Line, Name};
use aictx_proto::snapshot::Snapshot;
use aictx_proto::tokens;
use aictx_proto::told;
use serde_json::{Value, json};

use crate::handoff::handoff_of_branch;
use crate::item_flags;
use crate::ledger_facts::open_rows;

/// Most files named at once.
pub const MAX_SUGGESTIONS: usize = 5;
/// Most tokens of a text of suggestions.
const MAX_TOKENS: u32 = 400;
/// Definitions named of one file.
const MAX_SYMBOLS: usize = 3;
/// Below this probability a file is a guess, and a guess costs an agent more than it saves.
const CONFIDENT: f64 = 0.1;
/// A file far behind the best one is noise beside it: share of its probability.
const SHARE_OF_BEST: f64 = 0.25;
/// The same of its score.
const SHARE_OF_SCORE: f64 = 0.65;
/// A question shorter than this many words says too little, unless it names something.
const MIN_WORDS: usize = 3;

/// Paths that a session has seen already: what it read, edited or was told of.
pub fn seen_paths(rows: &[LedgerRow]) -> BTreeSet<String> {
    rows.iter()
        .filter(|row| {
            matches!(
                row.kind,
                LedgerKind::Read | LedgerKind::Edit | LedgerKind::Suggested
            )
        })
        .flat_map(|row| row.paths.iter().cloned())
        .collect()
}

/// Returns true if the map had a part in what the session that is open was told.
pub fn told_of_the_map(rows: &[LedgerRow]) -> bool {
    let receipts = open_rows(rows)
        .iter()
        .filter_map(|row| row.receipt.as_ref());
    receipts
        .flat_map(|receipt| &receipt.items)
        .any(|item| item.kind == "map")
}

/// Hits worth telling: confident ones, in their order, at most [`MAX_SUGGESTIONS`].
fn confident(hits: &[MapHit]) -> impl Iterator<Item = &MapHit> {
    let best = hits.iter().map(|hit| hit.confidence).fold(0.0, f64::max);
    hits.iter()
        .filter(move |hit| {
            let sure = hit.confidence >= CONFIDENT.max(best * SHARE_OF_BEST);
            names_it(hit) || (sure && !is_form(&hit.path) && !is_made(hit))
        })
        .take(MAX_SUGGESTIONS)
}

/// Hits that have to do with what is to be done: the best one, and those whose evidence is nearly as
/// good. How sure the map is says little here, as one file that is named outright leaves nothing to the
/// others. Padding with the rest costs a reader more than it says.
pub(crate) fn related(hits: &[MapHit]) -> impl Iterator<Item = &MapHit> {
    let best = hits
        .iter()
        .map(|hit| hit.score)
        .max()
        .map_or(0.0, f64::from);
    hits.iter()
        .filter(move |hit| {
            let near = f64::from(hit.score) >= best * SHARE_OF_SCORE;
            names_it(hit) || (near && has_grounds(hit) && !is_form(&hit.path) && !is_made(hit))
        })
        .take(MAX_SUGGESTIONS)
}

/// Returns true if there is more to a hit than that it lies or changes beside others.
fn has_grounds(hit: &MapHit) -> bool {
    !hit.reasons.iter().all(|reason| {
        matches!(
            short(reason),
            "recency"
                | "file_class"
                | "coverage"
                | "cochange"
                | "import_neighbour"
                | "history_beside"
        )
    })
}

/// Texts about how people deal with each other; they hold every word of a report ("bug", "expected").
fn is_form(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    let stem = name.split('.').next().unwrap_or_default().to_lowercase();
    path.contains("ISSUE_TEMPLATE/")
        || matches!(
            stem.as_str(),
            "license" | "licence" | "copying" | "code_of_conduct" | "pull_request_template"
        )
        || (path.starts_with(".github/") && name.ends_with(".md"))
}

/// Lock files and other output of programs, other people's code: nobody begins there unasked.
fn is_made(hit: &MapHit) -> bool {
    matches!(hit.metadata.class.as_str(), "generated" | "vendored")
}

/// Returns true if the question itself names the file or something that it defines.
fn names_it(hit: &MapHit) -> bool {
    hit.reasons.iter().any(|r| r.starts_with("repo_map:exact"))
}

/// Suggestion of files for a request.
#[derive(Debug, Clone, PartialEq)]
pub struct Suggestion {
    /// The text.
    pub text: String,
    /// Files that it names.
    pub paths: Vec<String>,
    /// Why just those.
    pub receipt: Receipt,
}

/// Suggests files for a request. `None` when there is nothing confident that the session
/// has not seen.
pub fn suggest(request: &str, hits: &[MapHit], seen: &BTreeSet<String>) -> Option<Suggestion> {
    let enough = request.split_whitespace().count() >= MIN_WORDS;
    let mut text =
        String::from("Files that look relevant (ranked by aictx from the code and its history):");
    let mut receipt = Receipt {
        surface: "prompt".to_owned(),
        tokens: tokens::estimate(&text),
        budget: MAX_TOKENS,
        ..Receipt::default()
    };
    let mut paths = Vec::new();
    let mut full = false;
    for hit in confident(hits).filter(|hit| enough || names_it(hit)) {
        let line = format!("\n- {}", line(hit));
        let known = seen.contains(&hit.path);
        let cost = tokens::estimate(&line);
        full |= !known && receipt.tokens + cost > MAX_TOKENS;
        if known || full {
            receipt.left_out.push(LeftOut {
                kind: "map".to_owned(),
                id: hit.path.clone(),
                why: if known { "seen" } else { "budget" }.to_owned(),
            });
            continue;
        }
        receipt.items.push(ToldItem {
            kind: "map".to_owned(),
            id: hit.path.clone(),
            tokens: cost,
            why: hit
                .reasons
                .iter()
                .take(3)
                .cloned()
                .collect::<Vec<_>>()
                .join(", "),
        });
        receipt.tokens += cost;
        text.push_str(&line);
        paths.push(hit.path.clone());
    }
    receipt.left_out.truncate(MAX_LEFT_OUT);
    (!paths.is_empty()).then_some(Suggestion {
        text,
        paths,
        receipt,
    })
}

/// `src/a.rs: parse (12), Parser (40) [symbol, history]`
fn line(hit: &MapHit) -> Line {
    let mut line = told!("{}", Name::new(&hit.path, 200));
    let symbols = hit.symbols.iter().take(MAX_SYMBOLS);
    let symbols = symbols.map(|s| told!("{} ({})", Name::new(&s.name, 60), s.line));
    let symbols = Line::join(symbols, ", ");
    if !symbols.is_empty() {
        line.push(&told!(": {}", symbols));
    }
    let reasons = hit.reasons.iter().take(3);
    let reasons = Line::join(reasons.map(|r| Name::new(short(r), 80)), ", ");
    if !reasons.is_empty() {
        line.push(&told!(" [{}]", reasons));
    }
    line
}

fn short(reason: &str) -> &str {
    reason.strip_prefix("repo_map:").unwrap_or(reason)
}

/// One line for a capsule: the best files and their first definitions.
/// Where there is nothing to relate them to, all of them: they say what the repository is.
pub(crate) fn capsule_line(hits: &[MapHit], nothing_to_do: bool) -> Option<Line> {
    let (overview, work) = match nothing_to_do {
        true => (hits, [].as_slice()),
        false => ([].as_slice(), hits),
    };
    let overview = overview.iter().take(MAX_SUGGESTIONS);
    let files = overview.chain(related(work)).map(|hit| {
        let path = Name::new(&hit.path, 120);
        match hit.symbols.first() {
            Some(s) => told!("{} ({}:{})", path, Name::new(&s.name, 60), s.line),
            None => told!("{}", path),
        }
    });
    let files = Line::join(files, ", ");
    (!files.is_empty()).then_some(files)
}

/// Entry points of a contract.
pub(crate) fn entry_points(hits: &[MapHit]) -> Vec<Value> {
    confident(hits)
        .map(|hit| {
            let symbols: Vec<_> = hit
                .symbols
                .iter()
                .take(MAX_SYMBOLS)
                .map(|s| json!({ "name": shown::line(&s.name, 100), "line": s.line }))
                .collect();
            json!({
                "path": shown::line(&hit.path, 400), "reason": "repo_map",
                "score": hit.score, "signals": hit.reasons, "symbols": symbols,
            })
        })
        .collect()
}

/// Returns the remaining work on a branch as a request to the map, and the files to start from: what the last handoff
/// says, else the newest task. Empty when nothing is.
pub fn left_to_do(
    snapshot: &Snapshot,
    branch: &str,
    gone: &BTreeSet<String>,
) -> (String, Vec<String>) {
    let of_branch = handoff_of_branch(snapshot, branch, gone);
    let last = snapshot.handoff.as_deref();
    let last = last.filter(|last| !item_flags::is_wrong(&last.extra));
    if let Some(handoff) = of_branch.as_ref().or(last) {
        let next = handoff.next_steps.first().or(handoff.blocked.first());
        let next = next.map_or("", String::as_str);
        let text = format!("{} {next} {}", handoff.summary, handoff.reason);
        return (text, handoff.recommended_starting_points.clone());
    }
    let tasks = snapshot.threads.iter();
    let tasks = tasks.filter(|task| task.status == "in_progress");
    let newest = tasks.max_by(|a, b| a.updated_at.cmp(&b.updated_at));
    newest.map_or_else(Default::default, |task| {
        let text = format!("{} {}", task.goal, task.next_action);
        (text, task.active_files.clone())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hit(path: &str, confidence: f64, reason: &str) -> MapHit {
        MapHit {
            path: path.to_owned(),
            confidence,
            reasons: vec![reason.to_owned()],
            ..MapHit::default()
        }
    }

    #[test]
    fn only_confident_and_new_files_are_told() {
        let hits = [
            hit("a.rs", 0.5, "repo_map:symbol_match"),
            hit("b.rs", 0.2, "repo_map:history_match"),
            hit("c.rs", 0.12, "repo_map:path_match"),
            hit("d.rs", 0.0, "repo_map:exact_symbol"),
        ];
        let seen = BTreeSet::from(["b.rs".to_owned()]);
        let told = suggest("fix the parser of d", &hits, &seen).unwrap();
        let (text, receipt) = (told.text, told.receipt);
        assert_eq!(told.paths, ["a.rs", "d.rs"]);
        assert_eq!((receipt.items.len(), receipt.left_out.len()), (2, 1));
        assert_eq!(receipt.left_out[0].why, "seen");
        assert!(receipt.tokens <= receipt.budget);
        assert!(text.contains("\n- a.rs [symbol_match]"), "{text}");
        assert!(suggest("thanks", &hits[..1], &seen).is_none());
        assert!(suggest("fix the parser now", &hits[3..3], &seen).is_none());
        let all = hits.iter().map(|h| h.path.clone()).collect();
        assert!(suggest("fix the parser now", &hits, &all).is_none());
    }

    #[test]
    fn a_capsule_is_not_padded_with_what_has_nothing_to_do_with_it() {
        let scored = |path, score, reason| MapHit {
            score,
            ..hit(path, 0.0, reason)
        };
        let hits = [
            scored("src/retry.rs", 620, "repo_map:symbol_match"),
            scored("tests/retry.rs", 490, "repo_map:test_pair"),
            scored("src/geo.rs", 480, "repo_map:recency"),
            scored("src/pdf.rs", 100, "repo_map:text_match"),
        ];
        let told = capsule_line(&hits, false).unwrap();
        assert_eq!(told.as_str(), "src/retry.rs, tests/retry.rs");
        // That it was changed lately is no reason.
        assert!(capsule_line(&hits[2..3], false).is_none());
        // Nothing is left to do: what the repository is.
        let all = capsule_line(&hits, true).unwrap();
        assert_eq!(all.as_str().split(", ").count(), 4);
    }

    #[test]
    fn what_programs_made_is_told_only_when_it_is_named() {
        let mut lock = hit("uv.lock", 0.5, "repo_map:text_match");
        lock.metadata.class = "generated".to_owned();
        let told = |hits: &[MapHit]| suggest("update the dependencies", hits, &BTreeSet::new());
        assert!(told(std::slice::from_ref(&lock)).is_none());
        lock.reasons = vec!["repo_map:exact_path".to_owned()];
        assert_eq!(told(&[lock]).unwrap().paths, ["uv.lock"]);
    }

    #[test]
    fn the_text_is_bounded_and_defused() {
        let long = "x/".repeat(400) + "\u{1b}[31m\u{202e}.rs";
        let hits: Vec<_> = (0..9)
            .map(|n| hit(&format!("{n}{long}"), 0.5, "r"))
            .collect();
        let told = suggest("one two three", &hits, &BTreeSet::new()).unwrap();
        let (text, paths) = (told.text, told.paths);
        assert!(tokens::estimate(&text) <= MAX_TOKENS && paths.len() <= MAX_SUGGESTIONS);
        assert!(!text.contains('\u{1b}') && !text.contains('\u{202e}'));
    }
}
