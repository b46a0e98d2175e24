//! Which strategies fit a question, and why.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use aictx_proto::Timestamp;
use aictx_proto::record::Strategy;
use aictx_proto::snapshot::Rows;
use aictx_proto::text::clean;
use aictx_shell::Check;
use serde_json::{Map, Value, json};

use crate::file_anchors::{Presents, dirt};
use crate::inverted_index::Postings;
use crate::item_flags;
use crate::lru_cache::check;
use crate::row_cache::{Made, Prepared, Role, anchored_terms, hash_as, is_said, said};
use crate::text_similarity::{asked_terms, hashed_terms, likeness, share};

/// Half of a strategy's score is gone after this many days.
const HALF_LIFE_DAYS: f64 = 90.0;
/// Evidence counts half from this age on.
const OLD_EVIDENCE: u64 = 30 * 86_400;
/// Least share of common words, of requests and of errors, that makes a candidate.
const LIKE_REQUEST: f64 = 0.25;
const LIKE_ERROR: f64 = 0.3;

/// What is asked.
#[derive(Debug, Clone, Copy, Default)]
pub struct StrategyQuery<'a> {
    /// The request.
    pub request: &'a str,
    /// Task type; empty or `unknown` says nothing.
    pub task_type: &'a str,
    /// Area; the same.
    pub area: &'a str,
    /// Files at hand, the first one first.
    pub files: &'a [String],
    /// Commands at hand.
    pub commands: &'a [String],
    /// Test runs at hand.
    pub tests: &'a [String],
    /// Errors at hand.
    pub errors: &'a [String],
}

/// A strategy that fits, and why.
#[derive(Debug, Clone, PartialEq)]
pub struct StrategyMatch<'a> {
    /// The row.
    pub strategy: &'a Strategy,
    /// Score after decay.
    pub score: i64,
    /// `signal:value`, in the order of the weights.
    pub signals: Vec<String>,
    /// Points by signal, and `total` and `recency`.
    pub breakdown: Map<String, Value>,
    /// Files in common.
    pub overlapping_files: Vec<String>,
    /// `high`, `medium` or `low`.
    pub confidence: &'static str,
    /// What changed since of what it speaks of, in words; see [`Self::told_now`].
    pub changed: Vec<String>,
}

impl StrategyMatch<'_> {
    /// The match as it has to be told where the files are as they are now: what was learned of code that changed
    /// since is a grade less sure, everywhere.
    #[must_use]
    pub(crate) fn told_now(mut self, presents: &Presents) -> Self {
        self.changed = dirt(&self.strategy.anchors, presents);
        if !self.changed.is_empty() {
            self.confidence = match self.confidence {
                "high" => "medium",
                _ => "low",
            };
            (self.signals).push(format!("changed_since:{}", self.changed.join(", ")));
        }
        self
    }

    /// The signals in one text.
    pub fn reason(&self) -> String {
        self.signals.join("; ")
    }
}

/// Points of the spec, and which of them are evidence beyond words.
struct Points {
    /// Reasons are put into words; not while hundreds of rows are only ranked.
    explain: bool,
    signals: Vec<String>,
    breakdown: Map<String, Value>,
    total: f64,
    overlap: bool,
    strong: usize,
}

impl Points {
    fn new(explain: bool) -> Self {
        Self {
            explain,
            signals: Vec::new(),
            breakdown: Map::new(),
            total: 0.0,
            overlap: false,
            strong: 0,
        }
    }

    fn add(&mut self, name: &str, points: f64, strong: bool, value: impl FnOnce() -> String) {
        if points <= 0.0 {
            return;
        }
        self.total += points;
        self.strong += usize::from(strong);
        if self.explain {
            self.breakdown
                .insert(name.to_owned(), json!(points.round() as i64));
            self.signals.push(format!("{name}:{}", value()));
        }
    }
}

/// What is known of a strategy before anything is asked.
#[derive(Debug)]
struct Known {
    /// Terms of its request and of its errors.
    request: Box<[u64]>,
    errors: Box<[u64]>,
    /// Its files, and those that it is anchored to.
    paths: Box<[u64]>,
    tests: Vec<Arc<Check>>,
    commands: Vec<Arc<Check>>,
    /// Hashes of its first file, of its area and of the sub-system that this is in; none for none.
    primary: Option<u64>,
    area: Option<u64>,
    subsystem: Option<u64>,
    /// It may be offered at all.
    usable: bool,
    at: Option<Timestamp>,
}

/// What is known of all strategies.
#[derive(Debug)]
struct Sum {
    /// By the terms of their requests.
    asked: Postings<Known>,
    /// By their files.
    having: Postings<Known>,
}

static KNOWN: Prepared<Strategy, Known, Sum> = Prepared::with_sum(know, |_, known, earlier| Sum {
    asked: Postings::of(known, |known| &known.request, earlier.map(|e| &e.asked)),
    having: Postings::of(known, |known| &known.paths, earlier.map(|e| &e.having)),
});

fn know(strategy: &Strategy) -> Known {
    let files = strategy.files_used.iter().chain(&strategy.entry_points);
    let files = files.map(|path| hash_as(Role::File, path));
    let mut paths = Vec::from_iter(files.chain(anchored_terms(&strategy.anchors)));
    paths.sort_unstable();
    paths.dedup();
    Known {
        request: hashed_terms(&strategy.task_text),
        errors: hashed_terms(&strategy.notable_errors.join(" ")),
        paths: paths.into(),
        tests: checks(&strategy.tests_executed),
        commands: checks(&strategy.commands_executed),
        primary: strategy.primary_entry_point.as_deref().and_then(said),
        area: said(&strategy.area_id),
        subsystem: said(subsystem(&strategy.area_id)),
        usable: strategy.success && !strategy.is_failure && !item_flags::is_wrong(&strategy.extra),
        at: Timestamp::parse(&strategy.timestamp),
    }
}

/// Prepares a list that will be asked about.
pub(crate) fn warm(rows: &Rows<Strategy>) {
    drop(KNOWN.of(rows));
}

fn checks(commands: &[String]) -> Vec<Arc<Check>> {
    commands.iter().map(|command| check(command)).collect()
}

/// Strategies that are anchored to a path, the newest first.
pub(crate) fn anchored_to<'a>(strategies: &'a Rows<Strategy>, path: &str) -> Vec<&'a Strategy> {
    KNOWN.of(strategies).sum.having.anchored(path, strategies)
}

/// The question with what is the same for every row.
struct Asked<'q> {
    query: StrategyQuery<'q>,
    /// Nothing but a task type is asked about: then all of that type fit.
    only_type: bool,
    request: Box<[u64]>,
    errors: Box<[u64]>,
    tests: Vec<Arc<Check>>,
    commands: Vec<Arc<Check>>,
    primary: Option<u64>,
    area: Option<u64>,
    subsystem: Option<u64>,
    /// Which check proves which, by their places: equal commands are one check, and a history has
    /// few of them.
    proven: RefCell<HashMap<(*const Check, *const Check), bool>>,
    now: Timestamp,
}

/// The best strategies for a question, best first: successes only, each with at least one of file,
/// area, command or test overlap, a like error or a like request. All rows are ranked at once, which
/// is linear in them; the reasons of one are worked out when it is taken.
pub fn find_strategies<'a, 'q>(
    strategies: &'a Rows<Strategy>,
    query: &StrategyQuery<'q>,
    now: Timestamp,
) -> impl Iterator<Item = StrategyMatch<'a>> {
    let Ranking {
        asked,
        known,
        found,
    } = ranked(strategies, query, now);
    found.into_iter().filter_map(move |(_, index, strategy)| {
        asked.explain(strategy, known.each.get(index)?, index)
    })
}

/// The same without the reasons.
pub(crate) fn best_strategies<'a>(
    strategies: &'a Rows<Strategy>,
    query: &StrategyQuery<'_>,
    now: Timestamp,
) -> impl Iterator<Item = &'a Strategy> {
    let found = ranked(strategies, query, now).found.into_iter();
    found.map(|(_, _, strategy)| strategy)
}

/// The answer to a question, and what it takes to explain it.
struct Ranking<'a, 'q> {
    asked: Asked<'q>,
    known: Arc<Made<Known, Sum>>,
    /// Score, place and row, best first.
    found: Vec<(i64, usize, &'a Strategy)>,
}

/// Ranks the rows for which there is evidence.
fn ranked<'a, 'q>(
    strategies: &'a Rows<Strategy>,
    query: &StrategyQuery<'q>,
    now: Timestamp,
) -> Ranking<'a, 'q> {
    let lists = [query.files, query.commands, query.tests, query.errors];
    let says_more = !query.request.trim().is_empty() || lists.iter().any(|list| !list.is_empty());
    let asked = Asked {
        query: *query,
        only_type: is_said(query.task_type) && !says_more,
        request: asked_terms(query.request),
        errors: hashed_terms(&query.errors.join(" ")),
        tests: checks(query.tests),
        commands: checks(query.commands),
        primary: query.files.first().and_then(|f| said(f)),
        area: said(query.area),
        subsystem: said(subsystem(query.area)).filter(|_| is_said(query.area)),
        proven: RefCell::default(),
        now,
    };
    let known = KNOWN.of(strategies);
    let shared = known.sum.asked.in_common(&asked.request, strategies.len());
    let mut has_file = vec![false; strategies.len()];
    let terms = query.files.iter().map(|path| hash_as(Role::File, path));
    for row in terms.flat_map(|term| known.sum.having.rows(term)) {
        if let Some(has) = has_file.get_mut(row) {
            *has = true;
        }
    }
    let rows = strategies.iter().zip(&known.each).enumerate();
    let mut found: Vec<(i64, usize, &Strategy)> = rows
        .zip(shared.into_iter().zip(has_file))
        .filter(|((_, (_, known)), (shared, has_file))| {
            known.usable && (*has_file || asked.may_offer(known, *shared))
        })
        .filter_map(|((index, (strategy, known)), (_, has_file))| {
            let (score, _, _) = asked.judge(strategy, known, has_file, false)?;
            Some((score, index, &**strategy))
        })
        .collect();
    found.sort_by(|(a, _, left), (b, _, right)| {
        b.cmp(a)
            .then_with(|| right.timestamp.cmp(&left.timestamp))
            .then_with(|| left.task_id.cmp(&right.task_id))
    });
    Ranking {
        asked,
        known,
        found,
    }
}

impl Asked<'_> {
    fn proves(&self, passed: &Arc<Check>, failed: &Arc<Check>) -> bool {
        let pair = (Arc::as_ptr(passed), Arc::as_ptr(failed));
        let mut proven = self.proven.borrow_mut();
        *proven.entry(pair).or_insert_with(|| passed.proves(failed))
    }

    /// Returns true if there can be evidence for a strategy beside files in common, from what is known of it: for
    /// most there cannot, and then the row is not looked at. The requests have `shared` terms in common.
    fn may_offer(&self, known: &Known, shared: usize) -> bool {
        let same = |asked: Option<u64>, known: Option<u64>| asked.is_some() && asked == known;
        if self.only_type {
            return true;
        }
        same(self.primary, known.primary)
            // Work in the same place is evidence only for requests with words in common.
            || (shared > 0
                && (same(self.area, known.area) || same(self.subsystem, known.subsystem)))
            || !(self.tests.is_empty() && self.commands.is_empty() && self.errors.is_empty())
            || share(shared, &self.request, &known.request) >= LIKE_REQUEST
    }

    /// Score, files in common (where it `has_file` of the question's) and points of a strategy; none without
    /// evidence.
    fn judge(
        &self,
        strategy: &Strategy,
        known: &Known,
        has_file: bool,
        explain: bool,
    ) -> Option<(i64, Vec<String>, Points)> {
        let query = &self.query;
        let mut points = Points::new(explain);
        let primary = strategy.primary_entry_point.as_deref().unwrap_or_default();
        if !primary.is_empty() && query.files.first().is_some_and(|f| f == primary) {
            points.add("primary_entry_point", 5000.0, true, || primary.to_owned());
            points.overlap = true;
        }
        let mut files: Vec<String> = Vec::new();
        for file in query.files.iter().filter(|_| has_file) {
            let has = strategy.files_used.contains(file) || strategy.entry_points.contains(file);
            if has && !files.contains(file) {
                files.push(file.clone());
            }
        }
        if !files.is_empty() {
            let n = files.len() as f64;
            points.add("file_overlap", 3000.0 + 100.0 * n, true, || {
                files.iter().take(5).cloned().collect::<Vec<_>>().join(", ")
            });
            points.overlap = true;
        }
        let like = likeness(&self.request, &known.request);
        points.add("prompt_similarity", like * 2500.0, false, || {
            format!("{like:.4}")
        });
        let common = |theirs: &[Arc<Check>], ours: &[Arc<Check>], said: &[String]| -> Vec<String> {
            let ours = ours.iter().zip(said);
            ours.filter(|(ours, _)| theirs.iter().any(|theirs| self.proves(theirs, ours)))
                .take(3)
                .map(|(_, said)| clean(said, 80))
                .collect()
        };
        let tests = common(&known.tests, &self.tests, query.tests);
        if !tests.is_empty() {
            let n = tests.len() as f64;
            points.add("test_overlap", 1100.0 + 100.0 * n, true, || {
                tests.join(", ")
            });
        }
        if is_said(query.task_type) && query.task_type == strategy.task_type {
            points.add("task_type", 1000.0, false, || query.task_type.to_owned());
        }
        let commands = common(&known.commands, &self.commands, query.commands);
        if !commands.is_empty() {
            let n = commands.len() as f64;
            points.add("command_overlap", 900.0 + 100.0 * n, true, || {
                commands.join(", ")
            });
        }
        if !self.errors.is_empty() && !strategy.notable_errors.is_empty() {
            let alike = likeness(&self.errors, &known.errors);
            let strong = alike >= LIKE_ERROR;
            points.add("error_similarity", alike * 1200.0, strong, || {
                format!("{alike:.4}")
            });
        }
        // Half of a small repository is one area: it is evidence only for requests with words in common.
        let akin = like > 0.0;
        if is_said(query.area) && query.area == strategy.area_id {
            points.add("area", 800.0, akin, || query.area.to_owned());
            points.overlap |= akin;
        } else if is_said(query.area) && subsystem(query.area) == subsystem(&strategy.area_id) {
            points.add("subsystem", 600.0, akin, || {
                subsystem(query.area).to_owned()
            });
        }
        // A strategy is only offered on evidence; type and general activity are none.
        let of_type = self.only_type && query.task_type == strategy.task_type;
        if points.strong == 0 && like < LIKE_REQUEST && !of_type {
            return None;
        }
        let age = known.at.map_or(0, |at| self.now.since(at));
        let ran = 12 * strategy.commands_executed.len()
            + 18 * strategy.tests_executed.len()
            + 16 * strategy.files_edited.len();
        let mut evidence = ran.min(80);
        if age > OLD_EVIDENCE {
            evidence = (evidence / 2).max(usize::from(evidence > 0));
        }
        points.add("execution_evidence", evidence as f64, false, || {
            evidence.to_string()
        });
        let decay = 0.5_f64.powf(age as f64 / 86_400.0 / HALF_LIFE_DAYS);
        let score = (points.total * decay).round() as i64;
        Some((score, files, points))
    }

    /// A strategy with the reasons for it.
    fn explain<'a>(
        &self,
        strategy: &'a Strategy,
        known: &Known,
        index: usize,
    ) -> Option<StrategyMatch<'a>> {
        let (score, files, mut points) = self.judge(strategy, known, true, true)?;
        points.breakdown.insert("recency".to_owned(), json!(index));
        points.breakdown.insert("total".to_owned(), json!(score));
        let good = matches!(quality(strategy), "high" | "medium");
        let confidence = if points.overlap && points.strong >= 2 && good {
            "high"
        } else if points.overlap || points.strong >= 1 {
            "medium"
        } else {
            "low"
        };
        Some(StrategyMatch {
            strategy,
            score,
            signals: points.signals,
            breakdown: points.breakdown,
            overlapping_files: files,
            confidence,
            changed: Vec::new(),
        })
    }
}

/// The first two directories of an area.
fn subsystem(area: &str) -> &str {
    let end = area
        .match_indices('/')
        .nth(1)
        .map_or(area.len(), |(at, _)| at);
    area.get(..end).unwrap_or(area)
}

pub(super) fn quality(strategy: &Strategy) -> &str {
    if strategy.evidence_quality.is_empty() {
        evidence_quality(
            !strategy.tests_executed.is_empty(),
            !strategy.commands_executed.is_empty(),
            !strategy.files_edited.is_empty(),
            !strategy.notable_errors.is_empty(),
        )
    } else {
        &strategy.evidence_quality
    }
}

/// Grades what shows that a strategy worked: `high` for edits with tests, `unknown` for nothing.
pub(crate) fn evidence_quality(
    tests: bool,
    commands: bool,
    edits: bool,
    errors: bool,
) -> &'static str {
    if tests && edits {
        "high"
    } else if (tests || commands) && edits {
        "medium"
    } else if commands || edits || errors {
        "low"
    } else {
        "unknown"
    }
}
