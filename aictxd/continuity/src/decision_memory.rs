//! Decisions: the ones that still hold, the most relevant and newest first.

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use aictx_proto::record::Decision;
use aictx_proto::snapshot::{Rows, Snapshot};

use crate::ids::decision_id;
use crate::inverted_index::Postings;
use crate::item_flags;
use crate::row_cache::{Prepared, anchored_terms, hash};
use crate::text_similarity::{asked_terms, hashed_terms, in_common};

/// Rationale of what was kept because its user asked for it.
pub const SAID_BY_USER: &str = "the user said so";
/// Before a rule that its user took back.
pub(crate) const NO_LONGER: &str = "No longer: ";
/// Terms in common from which two decisions are on one subject, and from which they are where both govern the same
/// path.
const SAME_SUBJECT: usize = 2;
const SAME_SUBJECT_AND_PATH: usize = 1;

/// Tells decisions on one subject by the number of terms that they share.
pub(crate) fn are_on_one_subject(shared: usize, same_path: bool) -> bool {
    match same_path {
        true => shared >= SAME_SUBJECT_AND_PATH,
        false => shared >= SAME_SUBJECT,
    }
}

/// The rules of the user that hold, the newest first.
pub(crate) fn user_rules(all: &Rows<Decision>) -> impl Iterator<Item = &Decision> {
    let holding = holding(all).into_iter();
    holding.filter(|d| d.rationale == SAID_BY_USER && !d.decision.starts_with(NO_LONGER))
}

/// The newest decision that holds, is later than one of these rows and on its subject, and was made by another
/// execution. Linear in the rows.
pub(crate) fn later_on_the_subject<'d>(
    rows: &'d Rows<Decision>,
    one: &Decision,
) -> Option<&'d Decision> {
    let known = KNOWN.of(rows);
    let at = rows.iter().rposition(|row| std::ptr::eq(&**row, one))?;
    let own = known.each.get(at)?;
    let later = known.sum.holding.iter().take_while(|held| held.row > at);
    let found = later.filter_map(|held| Some((rows.get(held.row)?, known.each.get(held.row)?)));
    let mut found = found.filter(|(row, other)| {
        let same_path = in_common(&own.governs, &other.governs) > 0;
        let shared = in_common(&own.subject, &other.subject);
        row.execution_id != one.execution_id && are_on_one_subject(shared, same_path)
    });
    found.next().map(|(row, _)| &**row)
}

/// A decision, and what speaks for telling it.
#[derive(Debug, Clone)]
pub(crate) struct RankedDecision<'a> {
    pub(crate) decision: &'a Decision,
    known: Arc<Known>,
    pub(crate) score: i64,
    reasons: Reasons,
}

/// Reasons for a decision's rank; put into words only for those that are told.
#[derive(Debug, Clone, Copy)]
struct Reasons {
    pinned: bool,
    governs: bool,
    words: usize,
    recent: bool,
}

impl RankedDecision<'_> {
    pub(crate) fn id(&self) -> &str {
        &self.known.id
    }

    /// Returns true if anything but its being new speaks for telling it.
    pub(crate) fn is_about(&self) -> bool {
        let Reasons {
            pinned,
            governs,
            words,
            ..
        } = self.reasons;
        pinned || governs || words > 0
    }

    /// Why it stands where it stands.
    pub(crate) fn reasons(&self) -> Vec<String> {
        let Reasons {
            pinned,
            governs,
            words,
            recent,
        } = self.reasons;
        let shared = (words > 0).then(|| format!("shared_terms:{words}"));
        let said = |yes: bool, what: &str| yes.then(|| what.to_owned());
        said(pinned, "pinned")
            .into_iter()
            .chain(said(governs, "governs_these_files"))
            .chain(shared)
            .chain(said(recent, "recent_decision"))
            .collect()
    }
}

/// Precomputed facts of a decision. Texts are compared by their hashes.
#[derive(Debug)]
struct Known {
    id: String,
    id_hash: u64,
    says_nothing: bool,
    pinned: bool,
    /// What was decided.
    text: u64,
    /// Terms of what was decided.
    subject: Box<[u64]>,
    /// Terms of all it says, and the files that it is anchored to.
    terms: Box<[u64]>,
    /// The earlier ones that it replaces, by what it calls them.
    supersedes: Box<[u64]>,
    /// The paths that it governs, sorted.
    governs: Box<[u64]>,
}

static KNOWN: Prepared<Decision, Known, Standing> = Prepared::with_sum(know, stand);

fn know(decision: &Decision) -> Known {
    let id = decision_id(decision);
    let mut governs: Vec<u64> = decision.related_paths.iter().map(|p| governed(p)).collect();
    governs.sort_unstable();
    let text = format!(
        "{} {} {}",
        decision.decision, decision.rationale, decision.subsystem
    );
    let mut terms = hashed_terms(&text).into_vec();
    terms.extend(anchored_terms(&decision.anchors));
    terms.sort_unstable();
    terms.dedup();
    Known {
        id_hash: hash(&id),
        id,
        says_nothing: decision.decision.trim().is_empty(),
        pinned: item_flags::is_pinned(&decision.extra),
        text: hash(decision.decision.trim()),
        subject: hashed_terms(&decision.decision),
        terms: terms.into(),
        supersedes: decision.supersedes.iter().map(|n| hash(n.trim())).collect(),
        governs: governs.into(),
    }
}

/// Prepares a list that will be asked about.
pub(crate) fn warm(rows: &Rows<Decision>) {
    drop(KNOWN.of(rows));
}

/// Which decisions hold, before anything is asked.
#[derive(Debug)]
struct Standing {
    /// Those that do, the newest first.
    holding: Vec<Held>,
    /// Places of those that do not, and why.
    left: Vec<(usize, &'static str)>,
    /// Hashes of the ids of those that a later one replaces.
    gone: HashSet<u64>,
    /// All of them, by their terms.
    having: Postings<Known>,
}

/// A decision that holds, with what most questions want to know of it: they pass over the others
/// without a look at their rows.
#[derive(Debug, Clone, Copy)]
struct Held {
    row: usize,
    /// Number of newer rows.
    age: usize,
    pinned: bool,
    /// The paths that it governs, as a set of bits.
    governs: u64,
}

/// Hashes as a set of bits: two sets without a common bit have no hash in common.
fn bits(hashes: &[u64]) -> u64 {
    // The upper bits of this hash depend on all of the text.
    hashes.iter().fold(0, |bits, hash| bits | 1 << (hash >> 58))
}

fn stand(rows: &[Arc<Decision>], known: &[Arc<Known>], earlier: Option<&Standing>) -> Standing {
    let gone = gone(known);
    let mut texts: HashSet<u64> = HashSet::with_capacity(known.len());
    let (mut holding, mut left) = (Vec::with_capacity(known.len()), Vec::new());
    let newest_first = rows.iter().zip(known).enumerate().rev().enumerate();
    for (age, (at, (decision, known))) in newest_first {
        if known.says_nothing {
            continue;
        }
        if item_flags::is_wrong(&decision.extra) {
            left.push((at, "marked_wrong"));
        } else if gone.contains(&known.id_hash) {
            left.push((at, "superseded"));
        } else if texts.insert(known.text) {
            // The same words twice are one decision; the newest row stands for it.
            holding.push(Held {
                row: at,
                age,
                pinned: known.pinned,
                governs: bits(&known.governs),
            });
        }
    }
    Standing {
        holding,
        left,
        gone,
        having: Postings::of(known, |known| &known.terms, earlier.map(|e| &e.having)),
    }
}

fn governed(path: &str) -> u64 {
    hash(path.trim_end_matches('/').trim_end_matches("/**"))
}

/// Paths and the directories above them, as [`Known::governs`] has them.
fn governed_by(paths: &BTreeSet<String>) -> Vec<u64> {
    let mut all = Vec::new();
    for path in paths {
        let above = path.match_indices('/').filter_map(|(at, _)| path.get(..at));
        all.extend(above.filter(|above| !above.is_empty()).map(hash));
        all.push(hash(path));
    }
    all.sort_unstable();
    all.dedup();
    all
}

/// The decisions that are anchored to a path, the newest first.
pub(crate) fn anchored_to<'a>(decisions: &'a Rows<Decision>, path: &str) -> Vec<&'a Decision> {
    KNOWN.of(decisions).sum.having.anchored(path, decisions)
}

/// The decisions that share most words with a request, at most `limit`; of equals the newer ones.
pub(crate) fn about<'a>(
    decisions: &'a Rows<Decision>,
    request: &str,
    limit: usize,
) -> Vec<&'a Decision> {
    let asked = asked_terms(request);
    let known = KNOWN.of(decisions);
    let words = known.sum.having.in_common(&asked, decisions.len());
    let mut found: Vec<(usize, &Decision)> = words
        .into_iter()
        .zip(decisions.iter().map(|decision| &**decision))
        .rev()
        .filter(|(words, _)| *words > 0)
        .collect();
    found.sort_by_key(|(words, _)| Reverse(*words));
    found.into_iter().take(limit).map(|(_, d)| d).collect()
}

/// Which decisions a later one replaces, in the order of the rows: it names their id, or says their
/// very words.
pub(crate) fn superseded(decisions: &Rows<Decision>) -> Vec<bool> {
    let known = KNOWN.of(decisions);
    let is_gone = |k: &Arc<Known>| known.sum.gone.contains(&k.id_hash);
    known.each.iter().map(is_gone).collect()
}

/// Ids of the decisions that a later one replaces.
fn gone(known: &[Arc<Known>]) -> HashSet<u64> {
    let (mut named, mut gone) = (HashSet::<u64>::new(), HashSet::new());
    for known in known.iter().rev() {
        if !named.is_empty() && (named.contains(&known.text) || named.contains(&known.id_hash)) {
            gone.insert(known.id_hash);
        }
        named.extend(&known.supersedes);
    }
    gone
}

/// Returns true if a `supersedes` entry means a decision.
pub(crate) fn names(named: &str, decision: &Decision) -> bool {
    let named = named.trim();
    named == decision.decision.trim() || named == decision_id(decision)
}

/// All decisions that hold, the newest first.
pub(crate) fn holding(decisions: &Rows<Decision>) -> Vec<&Decision> {
    let known = KNOWN.of(decisions);
    let rows = known.sum.holding.iter();
    rows.filter_map(|held| Some(&**decisions.get(held.row)?))
        .collect()
}

/// Most decisions that are of use to whoever asks: more are neither told nor named as left out.
const MAX_RANKED: usize = 32;

/// The decisions that hold, best first, and those that do not, with the reason; of both so many as
/// can be told of. A request and files at hand bring forward what is about them; otherwise the newest
/// come first. Decisions of one sub-system stand side by side: only naming an earlier one replaces it.
pub(crate) fn ranked<'a>(
    snapshot: &'a Snapshot,
    request: &str,
    paths: &BTreeSet<String>,
) -> (Vec<RankedDecision<'a>>, Vec<(String, &'static str)>) {
    let known = KNOWN.of(&snapshot.decisions);
    let asked = asked_terms(request);
    let at_hand = governed_by(paths);
    let near = bits(&at_hand);
    let words = known.sum.having.in_common(&asked, known.each.len());
    let score = |held: &Held| {
        let hits = match known.each.get(held.row) {
            Some(known) if held.governs & near != 0 => in_common(&known.governs, &at_hand),
            _ => 0,
        };
        let words = words.get(held.row).copied().unwrap_or_default();
        let recent = held.age < 5;
        let score = if held.pinned { 1_000 } else { 0 }
            + 20 * hits.min(3) as i64
            + (4 * words as i64).min(20)
            + if recent { 5 - held.age as i64 } else { 0 };
        let reasons = Reasons {
            pinned: held.pinned,
            governs: hits > 0,
            words,
            recent,
        };
        (score, held.row, reasons)
    };
    let scored = known.sum.holding.iter().map(score).enumerate();
    let mut scored: Vec<_> = scored.collect();
    // Of equal scores the newer one comes first.
    let order = |(newer, (score, ..)): &(usize, (i64, _, _))| (Reverse(*score), *newer);
    if scored.len() > MAX_RANKED {
        scored.select_nth_unstable_by_key(MAX_RANKED, order);
        scored.truncate(MAX_RANKED);
    }
    scored.sort_unstable_by_key(order);
    let best = scored.into_iter().map(|(_, scored)| scored);
    let best = best.filter_map(|(score, row, reasons)| {
        Some(RankedDecision {
            decision: snapshot.decisions.get(row)?,
            known: Arc::clone(known.each.get(row)?),
            score,
            reasons,
        })
    });
    let left = known.sum.left.iter().take(MAX_RANKED);
    let left = left.filter_map(|(row, why)| Some((known.each.get(*row)?.id.clone(), *why)));
    (best.collect(), left.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decision(n: u32, text: &str, path: &str) -> Decision {
        Decision {
            decision: text.into(),
            rationale: "because".into(),
            subsystem: "auth".into(),
            timestamp: format!("2026-01-{n:02}T00:00:00Z"),
            related_paths: vec![path.into()],
            ..Decision::default()
        }
    }

    fn texts(snapshot: &Snapshot, request: &str, paths: &[&str]) -> Vec<String> {
        let paths = paths.iter().map(|p| (*p).to_owned()).collect();
        let (found, _) = ranked(snapshot, request, &paths);
        found.iter().map(|d| d.decision.decision.clone()).collect()
    }

    #[test]
    fn w5_seven_decisions_newest_first_and_none_erases_another() {
        let rows = (1..=7).map(|n| decision(n, &format!("rule {n}"), "src/auth.py"));
        let snapshot = Snapshot {
            decisions: aictx_proto::snapshot::shared(rows),
            ..Snapshot::default()
        };
        let all = texts(&snapshot, "", &[]);
        assert_eq!(all.len(), 7);
        assert_eq!(all[..3], ["rule 7", "rule 6", "rule 5"]);
    }

    #[test]
    fn what_governs_the_files_at_hand_comes_first_and_supersedes_is_explicit() {
        let mut rows = vec![
            decision(1, "tokens live in one module", "src/auth"),
            decision(2, "paint the bike shed blue", "shed.py"),
        ];
        let snapshot = Snapshot {
            decisions: aictx_proto::snapshot::shared(rows.clone()),
            ..Snapshot::default()
        };
        assert_eq!(
            texts(&snapshot, "", &["src/auth/token.py"])[0],
            "tokens live in one module"
        );
        assert_eq!(
            texts(&snapshot, "repaint the shed", &[])[0],
            "paint the bike shed blue"
        );
        let mut new = decision(3, "paint it red", "shed.py");
        new.supersedes = vec![decision_id(&rows[1])];
        rows.push(new);
        let snapshot = Snapshot {
            decisions: aictx_proto::snapshot::shared(rows),
            ..Snapshot::default()
        };
        let (_, left) = ranked(&snapshot, "", &BTreeSet::new());
        assert_eq!(left[0].1, "superseded");
        assert_eq!(texts(&snapshot, "", &[]).len(), 2);
    }
}
