//! Which remembered failures matter: for a task, for a file, for a command, for an error at hand
//!.

use std::cmp::Ordering;
use std::sync::{Arc, LazyLock};

use aictx_proto::Timestamp;
use aictx_proto::event::ErrorEvent;
use aictx_proto::ledger::{LedgerRow, LeftOut, MAX_LEFT_OUT, Receipt, ToldItem};
use aictx_proto::record::FailurePattern;
use aictx_proto::shown::{Line, Name, Quoted};
use aictx_proto::snapshot::Rows;
use aictx_proto::tokens;
use aictx_proto::told;
use aictx_proto::words;
use aictx_shell::Check;
use aictx_steer::FAILURE_WORDS;

use super::mentions::{ELSE, Ends, FILE, Named};
use crate::file_anchors::{Presents, dirt};
use crate::inverted_index::Postings;
use crate::item_flags;
use crate::lru_cache::check;
use crate::row_cache::{Prepared, Role, anchored_terms, hash, hash_as, said};
use crate::session_brief::age;

/// Weights of the spec, in its order.
const EXACT_FILE: f64 = 6.0;
const SAME_DIRECTORY: f64 = 2.0;
const NAMED: f64 = 6.0;
const EACH_WORD: f64 = 2.0;
const ALL_WORDS: f64 = 8.0;
const SAME_AREA: f64 = 2.0;
const SAME_TASK_TYPE: f64 = 1.0;
const OFTEN: f64 = 1.0;
const RECENT: f64 = 1.0;
/// A command that is the same check; the spec knows no such question, a file is the nearest.
const SAME_COMMAND: f64 = 6.0;
/// Below this nothing is shown: type and area alone load nothing.
const LEAST: f64 = 4.0;
/// From so much on, words alone say what a question is about: a telling one, or two that many patterns have.
const TELLING: f64 = 1.5;
/// Occurrences that count as often, and seconds that count as recent.
const MANY: u64 = 3;
const FORTNIGHT: u64 = 14 * 86_400;
/// Most lines said about a failure that came back.
const MAX_LINES: usize = 3;
/// And most tokens.
const MAX_TOKENS: u32 = 400;

/// What is asked.
#[derive(Debug, Clone, Copy, Default)]
pub struct FailureQuery<'a> {
    /// The task in words.
    pub task: &'a str,
    /// Kind of task, empty when unknown.
    pub task_type: &'a str,
    /// Area, empty when unknown.
    pub area: &'a str,
    /// Files edited or named, relative to the repository.
    pub paths: &'a [String],
    /// A command about to be run.
    pub command: &'a str,
}

/// What is known of a pattern before anything is asked.
#[derive(Debug)]
struct Known {
    /// Hashes of its words, and of the paths that it has to do with by what those are to it; each once.
    terms: Box<[u64]>,
    brief: Brief,
    /// What its files, and its codes and tests, are looked for by in a text.
    names: Box<[u64]>,
    /// The command that failed.
    command: Arc<Check>,
    /// It is open, and nobody said that it is wrong.
    is_open: bool,
}

/// What is known of all patterns.
#[derive(Debug)]
struct Sum {
    /// Places of the open ones, the ones seen last first.
    open: Vec<usize>,
    /// Of each row, what most questions want to know of it.
    each: Vec<Brief>,
    /// By their words and paths.
    having: Postings<Known>,
    /// By the names of their files, codes and tests.
    named: Postings<Known>,
}

/// A row as far as it is looked at for every question: one that has nothing to do with it is passed
/// over without a look at the row.
#[derive(Debug, Clone, Copy)]
struct Brief {
    /// Hashes of its area and of the kind of task; none for none.
    area: Option<u64>,
    task_type: Option<u64>,
    often: bool,
    /// When it was seen last.
    seen: Option<Timestamp>,
}

static KNOWN: Prepared<FailurePattern, Known, Sum> = Prepared::with_sum(know, summed);

fn summed(rows: &[Arc<FailurePattern>], known: &[Arc<Known>], earlier: Option<&Sum>) -> Sum {
    Sum {
        open: open_ones(rows, known),
        each: known.iter().map(|known| known.brief).collect(),
        having: Postings::of(known, |known| &known.terms, earlier.map(|e| &e.having)),
        named: Postings::of(known, |known| &known.names, earlier.map(|e| &e.named)),
    }
}

/// Prepares a list that will be asked about.
pub(crate) fn warm(rows: &Rows<FailurePattern>) {
    drop(KNOWN.of(rows));
}

fn know(pattern: &FailurePattern) -> Known {
    let mut terms = Vec::new();
    find_terms(&haystack(pattern), |term| terms.push(hash(term)));
    terms.extend(files(pattern).map(|path| hash_as(Role::File, path)));
    terms.extend(
        files(pattern)
            .filter_map(directory)
            .map(|path| hash_as(Role::Directory, path)),
    );
    terms.extend(anchored_terms(&pattern.anchors));
    terms.sort_unstable();
    terms.dedup();
    let named_files = files(pattern).filter_map(|name| Some(Ends::of(name)?.as_term(FILE)));
    let named_else = other_names(pattern).filter_map(|name| Some(Ends::of(name)?.as_term(ELSE)));
    let mut names: Vec<u64> = named_files.chain(named_else).collect();
    names.sort_unstable();
    names.dedup();
    Known {
        terms: terms.into(),
        brief: Brief {
            area: said(&pattern.area_id),
            task_type: said(&pattern.task_type),
            often: pattern.occurrences >= MANY,
            seen: Timestamp::parse(&pattern.timestamp),
        },
        names: names.into(),
        command: check(&pattern.failed_command),
        is_open: pattern.status != "resolved"
            && !item_flags::is_wrong(&pattern.extra)
            && says_something(pattern),
    }
}

/// A row that lost its texts has nothing to be told.
fn says_something(pattern: &FailurePattern) -> bool {
    let mut texts = [
        &pattern.error_text,
        &pattern.failed_command,
        &pattern.signature,
    ]
    .into_iter()
    .chain(&pattern.symptoms);
    texts.any(|text| !text.trim().is_empty())
}

fn files(pattern: &FailurePattern) -> impl Iterator<Item = &str> {
    let all = pattern.related_paths.iter().chain(&pattern.files_involved);
    all.map(String::as_str).filter(|path| !path.is_empty())
}

/// Codes and tests that a question may name.
fn other_names(pattern: &FailurePattern) -> impl Iterator<Item = &str> {
    let codes = pattern.error_codes.iter().map(String::as_str);
    codes.chain(pattern.error_events.iter().map(|e| e.test.as_str()))
}

fn open_ones(patterns: &[Arc<FailurePattern>], known: &[Arc<Known>]) -> Vec<usize> {
    let rows = patterns.iter().zip(known).enumerate();
    let mut open: Vec<(Option<Timestamp>, &str, usize)> = rows
        .filter(|(_, (_, known))| known.is_open)
        .map(|(at, (pattern, known))| (known.brief.seen, &*pattern.failure_id, at))
        .collect();
    open.sort_by(|(a, left, _), (b, right, _)| b.cmp(a).then_with(|| left.cmp(right)));
    open.into_iter().map(|(_, _, at)| at).collect()
}

/// Open patterns that nobody called wrong, the ones seen last first.
pub(crate) fn open(patterns: &Rows<FailurePattern>) -> Vec<&FailurePattern> {
    let known = KNOWN.of(patterns);
    let open = known.sum.open.iter();
    open.filter_map(|at| Some(&**patterns.get(*at)?)).collect()
}

/// Patterns that are anchored to a path, the newest first.
pub(crate) fn anchored_to<'a>(
    patterns: &'a Rows<FailurePattern>,
    path: &str,
) -> Vec<&'a FailurePattern> {
    KNOWN.of(patterns).sum.having.anchored(path, patterns)
}

/// Patterns that have to do with a question, best first, with their scores; deterministic.
pub fn find_failures<'a>(
    patterns: &'a Rows<FailurePattern>,
    query: &FailureQuery<'_>,
    now: Timestamp,
) -> Vec<(f64, &'a FailurePattern)> {
    let mut found = scored(patterns, query, now);
    found.sort_by(best_first);
    found
}

/// The first of [`find_failures`] that are not resolved, at most `most`.
pub(crate) fn open_failures<'a>(
    patterns: &'a Rows<FailurePattern>,
    query: &FailureQuery<'_>,
    now: Timestamp,
    most: usize,
) -> Vec<(f64, &'a FailurePattern)> {
    let mut found = scored(patterns, query, now);
    found.retain(|(_, pattern)| pattern.status != "resolved");
    if found.len() > most {
        found.select_nth_unstable_by(most, best_first);
        found.truncate(most);
    }
    found.sort_by(best_first);
    found
}

/// The higher score first, then the one seen later.
fn best_first(a: &(f64, &FailurePattern), b: &(f64, &FailurePattern)) -> Ordering {
    let later = || b.1.timestamp.cmp(&a.1.timestamp);
    let by_id = || a.1.failure_id.cmp(&b.1.failure_id);
    b.0.total_cmp(&a.0).then_with(later).then_with(by_id)
}

/// The patterns that have to do with a question, with their scores.
fn scored<'a>(
    patterns: &'a Rows<FailurePattern>,
    query: &FailureQuery<'_>,
    now: Timestamp,
) -> Vec<(f64, &'a FailurePattern)> {
    let known = KNOWN.of(patterns);
    let asked = asked(query.task);
    // Bit by bit, which of the question's terms a pattern has.
    let mut masks = vec![0_u64; patterns.len()];
    let all = patterns.len().max(1) as f64;
    let mut telling = Vec::with_capacity(asked.len());
    for (at, (term, weight)) in asked.iter().enumerate() {
        let mut having = 0.0;
        for row in known.sum.having.rows(*term) {
            having += 1.0;
            if let Some(mask) = masks.get_mut(row) {
                *mask |= 1 << at;
            }
        }
        // 1 for a term of one pattern, the less the more have it; of a single pattern nothing is known.
        let rarity = (1.0 + all / f64::max(having, 1.0)).ln() / (1.0 + all).ln();
        telling.push(EACH_WORD * rarity.min(1.0) * weight);
    }
    let question = Question::new(query, now);
    let named = question.named(&known.sum, patterns.len());
    let mut found: Vec<(f64, &FailurePattern)> = Vec::new();
    for (at, ((brief, mut mask), named)) in known.sum.each.iter().zip(masks).zip(named).enumerate()
    {
        // Nothing of most patterns stands in the question, and circumstances alone make it about none.
        if mask == 0 && named & OWN == 0 && question.command.is_none() {
            continue;
        }
        let mut words = 0.0;
        while mask != 0 {
            words += telling.get(mask.trailing_zeros() as usize).unwrap_or(&0.0);
            mask &= mask - 1;
        }
        let words = words.min(ALL_WORDS);
        if words + question.most(brief, named) < LEAST {
            continue;
        }
        let (Some(pattern), Some(known)) = (patterns.get(at), known.each.get(at)) else {
            continue;
        };
        let (is_about, score) = question.score(pattern, known, brief, named);
        let score = words + score;
        // Neighbours, area, kind of task and how new it is tell those apart that it may be about.
        if (is_about || words >= TELLING) && score >= LEAST {
            found.push((score, pattern));
        }
    }
    found
}

/// The directory of a path, if it is in one.
fn directory(path: &str) -> Option<&str> {
    path.rsplit_once('/').map(|(directory, _)| directory)
}

/// Beside [`FILE`] and [`ELSE`], what a pattern has of a question: one of the files asked about, or one that lies
/// where one of them does.
const AT_HAND: u8 = 4;
const NEAR: u8 = 8;
/// What makes a question one about the pattern itself.
const OWN: u8 = FILE | ELSE | AT_HAND;

/// A question with what is the same for every pattern.
struct Question<'q> {
    query: &'q FailureQuery<'q>,
    text: Named<'q>,
    command: Option<Arc<Check>>,
    area: Option<u64>,
    task_type: Option<u64>,
    now: Timestamp,
}

impl<'q> Question<'q> {
    fn new(query: &'q FailureQuery<'q>, now: Timestamp) -> Self {
        Self {
            query,
            text: Named::new(query.task),
            command: (!query.command.is_empty()).then(|| check(query.command)),
            area: said(query.area),
            task_type: said(query.task_type),
            now,
        }
    }

    /// Of each row, what it has of the question's paths, and whether the text may name one of its files, or
    /// something else that it has.
    fn named(&self, rows: &Sum, count: usize) -> Vec<u8> {
        let mut named = vec![0; count];
        let mut add = |row: usize, kind: u8| {
            if let Some(named) = named.get_mut(row) {
                *named |= kind;
            }
        };
        let mut seen: Vec<&str> = Vec::new();
        for path in self.query.paths {
            for row in rows.having.rows(hash_as(Role::File, path)) {
                add(row, AT_HAND);
            }
            let near = directory(path).filter(|near| !seen.contains(near));
            for row in near
                .into_iter()
                .flat_map(|near| rows.having.rows(hash_as(Role::Directory, near)))
            {
                add(row, NEAR);
            }
            seen.extend(near);
        }
        if !self.text.is_empty() {
            let said = |term| self.text.has_both(&Ends::of_term(term));
            rows.named
                .rows_where(said, |row, term| add(row, Ends::kind_of_term(term)));
        }
        named
    }

    /// What a row's score is not above, but for the words.
    fn most(&self, brief: &Brief, named: u8) -> f64 {
        let mut score = 0.0;
        if named & (AT_HAND | FILE) != 0 {
            score += EXACT_FILE;
        } else if named & NEAR != 0 {
            score += SAME_DIRECTORY;
        }
        if named & ELSE != 0 {
            score += NAMED;
        }
        if self.command.is_some() {
            score += SAME_COMMAND;
        }
        self.with_circumstances(score, brief)
    }

    /// Everything but the words, and whether the question is about the pattern's own files, names or command.
    fn score(
        &self,
        pattern: &FailurePattern,
        known: &Known,
        brief: &Brief,
        named: u8,
    ) -> (bool, f64) {
        let (mut is_about, mut score) = (false, 0.0);
        if named & AT_HAND != 0
            || (named & FILE != 0 && files(pattern).any(|path| self.text.mentions(path)))
        {
            is_about = true;
            score += EXACT_FILE;
        } else if named & NEAR != 0 {
            score += SAME_DIRECTORY;
        }
        if named & ELSE != 0 && other_names(pattern).any(|name| self.text.mentions(name)) {
            is_about = true;
            score += NAMED;
        }
        let proves = |check: &Arc<Check>| check.proves(&known.command);
        if self.command.as_ref().is_some_and(proves) {
            is_about = true;
            score += SAME_COMMAND;
        }
        (is_about, self.with_circumstances(score, brief))
    }

    /// A score, with what speaks for a row whatever it is about.
    fn with_circumstances(&self, mut score: f64, brief: &Brief) -> f64 {
        if self.area.is_some() && self.area == brief.area {
            score += SAME_AREA;
        }
        if self.task_type.is_some() && self.task_type == brief.task_type {
            score += SAME_TASK_TYPE;
        }
        if score > 0.0 || !self.query.task.is_empty() {
            if brief.often {
                score += OFTEN;
            }
            let recent = |seen| self.now.since(seen) < FORTNIGHT;
            if brief.seen.is_some_and(recent) {
                score += RECENT;
            }
        }
        score
    }
}

fn haystack(pattern: &FailurePattern) -> String {
    let mut text = format!(
        "{} {} {} {}",
        pattern.error_text,
        pattern.failed_command,
        pattern.attempted_fix_summary,
        pattern.resolution_summary
    );
    let lists = [
        &pattern.symptoms,
        &pattern.related_paths,
        &pattern.error_codes,
    ];
    for item in lists.into_iter().flatten() {
        text.push(' ');
        text.push_str(item);
    }
    text
}

/// Terms of a question that are looked for.
const MAX_ASKED: usize = 64;

/// The terms of a question with their weights, the weightiest first.
fn asked(text: &str) -> Vec<(u64, f64)> {
    let mut found: Vec<(u64, f64)> = Vec::new();
    for word in text.split_whitespace() {
        find_terms(without_directories(word), |term| {
            let hash = hash(term);
            if !found.iter().any(|(known, _)| *known == hash) {
                found.push((hash, f64::from(words::weight(term))));
            }
        });
    }
    found.sort_by(|a, b| b.1.total_cmp(&a.1));
    found.truncate(MAX_ASKED);
    found
}

/// A word of a question; of a file's path only its name: the directories and the kind of file it shares with every
/// other file there, and as a whole it is looked at by itself.
fn without_directories(word: &str) -> &str {
    let path = word.trim_matches(|c: char| !c.is_alphanumeric() && c != '_');
    match path.rsplit_once('/').map(|(_, name)| name.rsplit_once('.')) {
        Some(Some((name, _))) if !name.is_empty() => name,
        _ => word,
    }
}

fn find_terms(text: &str, mut found: impl FnMut(&str)) {
    static STEMS: LazyLock<Vec<String>> = LazyLock::new(|| {
        FAILURE_WORDS
            .iter()
            .map(|c| words::stem(c).to_owned())
            .collect()
    });
    words::terms(text.as_bytes(), |term| {
        if words::is_long_enough(term) && !STEMS.iter().any(|c| c == term) {
            found(term);
        }
    });
}

/// Tells what is known of the errors that a command just ended with: when they were seen, what fixed them, what did
/// not. At most [`MAX_LINES`] lines; `None` when nothing is known, or the session with these rows was told before.
pub fn known_failure(
    patterns: &[Arc<FailurePattern>],
    events: &[ErrorEvent],
    rows: &[LedgerRow],
    now: Timestamp,
) -> Option<(String, Receipt)> {
    let is_it = |p: &&FailurePattern| {
        events.iter().any(|event| {
            !event.fingerprint.is_empty()
                && (event.fingerprint == p.signature
                    || p.error_fingerprints.contains(&event.fingerprint))
        })
    };
    let mut known: Vec<&FailurePattern> = patterns.iter().map(|p| &**p).filter(is_it).collect();
    // One that was solved helps more than one that was not.
    known.sort_by_key(|p| {
        (
            p.resolution_summary.is_empty(),
            std::cmp::Reverse(&p.timestamp),
        )
    });
    let (pattern, others) = known.split_first()?;
    if was_told(pattern, rows) {
        return None;
    }
    let seen = told!(
        "Seen before, as recorded in this repository ({}x, last {}, {}): {}",
        pattern.occurrences.max(1),
        age(&pattern.timestamp, now),
        if pattern.status == "resolved" {
            "resolved then"
        } else {
            "still open"
        },
        Quoted::new(pattern.symptoms.first().unwrap_or(&pattern.error_text), 160)
    );
    let (text, mut receipt) = tell(pattern, seen, "the same error was seen before");
    let others = others.iter().map(|p| LeftOut {
        kind: "failure".to_owned(),
        id: p.failure_id.clone(),
        why: "limit".to_owned(),
    });
    receipt.left_out = others.take(MAX_LEFT_OUT).collect();
    Some((text, receipt))
}

/// Returns the open failure seen last that a command would show again.
pub fn failed_last_time<'r>(
    patterns: &'r Rows<FailurePattern>,
    command: &str,
) -> Option<&'r FailurePattern> {
    let known = KNOWN.of(patterns);
    if known.sum.open.is_empty() {
        return None;
    }
    let asked = check(command);
    let mut open = known.sum.open.iter();
    open.find_map(|at| {
        let (pattern, known) = (patterns.get(*at)?, known.each.get(*at)?);
        let has_command = !pattern.failed_command.trim().is_empty();
        (has_command && asked.proves(&known.command)).then_some(&**pattern)
    })
}

/// Tells, before its command runs again, of an open failure whose files are as they were when it was seen last. `None`
/// where one of them changed, none is known, or the session with these rows was told before.
pub fn tell_failed_last_time(
    pattern: &FailurePattern,
    presents: &Presents,
    rows: &[LedgerRow],
    now: Timestamp,
) -> Option<(String, Receipt)> {
    let is_as_it_was = !pattern.anchors.is_empty() && dirt(&pattern.anchors, presents).is_empty();
    if !is_as_it_was || was_told(pattern, rows) {
        return None;
    }
    let files = pattern.anchors.iter().take(MAX_FILES);
    let files = Line::join(files.map(|anchor| Name::new(&anchor.path, 120)), ", ");
    let seen = told!(
        "This failed {}, and {} did not change since: {}",
        age(&pattern.timestamp, now),
        files,
        Quoted::new(pattern.symptoms.first().unwrap_or(&pattern.error_text), 160)
    );
    Some(tell(
        pattern,
        seen,
        "its command is about to run, and its files did not change",
    ))
}

/// Files named of a failure.
const MAX_FILES: usize = 3;

/// Surface of receipts of failures that were told.
const SURFACE: &str = "failure";

/// Returns true where a session was told of a failure when its command ran.
fn was_told(pattern: &FailurePattern, rows: &[LedgerRow]) -> bool {
    let receipts = rows.iter().filter_map(|row| row.receipt.as_ref());
    let mut items = receipts
        .filter(|receipt| receipt.surface == SURFACE)
        .flat_map(|receipt| &receipt.items);
    items.any(|item| item.id == pattern.failure_id)
}

/// A failure in words: when it was seen, what fixed it, what did not.
fn tell(pattern: &FailurePattern, seen: Line, why: &str) -> (String, Receipt) {
    let mut lines = vec![seen];
    if !pattern.resolution_summary.is_empty() {
        let when = match pattern.status.as_str() {
            "resolved" => "",
            _ => " before it came back",
        };
        let fix = Quoted::new(&pattern.resolution_summary, 200);
        lines.push(told!("Recorded as what fixed it{}: {}", when, fix));
    }
    let tried = pattern
        .failed_attempts
        .iter()
        .find(|tried| !tried.is_empty() && **tried != pattern.resolution_summary);
    if let Some(tried) = tried {
        let tried = Quoted::new(tried, 200);
        lines.push(told!("Recorded as tried without success: {}", tried));
    }
    lines.truncate(MAX_LINES);
    for line in &mut lines {
        line.push(&told!("{}", pattern.origin.label()));
    }
    let mut text = Line::join(&lines, "\n").to_string();
    while lines.len() > 1 && tokens::estimate(&text) > MAX_TOKENS {
        lines.pop();
        text = Line::join(&lines, "\n").to_string();
    }
    let tokens = tokens::estimate(&text);
    let receipt = Receipt {
        surface: SURFACE.to_owned(),
        tokens,
        budget: MAX_TOKENS,
        items: vec![ToldItem {
            kind: "failure".to_owned(),
            id: pattern.failure_id.clone(),
            tokens,
            why: why.to_owned(),
        }],
        left_out: Vec::new(),
    };
    (text, receipt)
}

#[cfg(test)]
mod tests;
