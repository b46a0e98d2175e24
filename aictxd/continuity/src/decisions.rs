//! Decisions: the ones that still hold, the most relevant and newest first (W5).

use std::collections::{BTreeSet, HashMap, HashSet};

use aictx_proto::record::Decision;
use aictx_proto::snapshot::{Rows, Snapshot};

use crate::ids::decision_id;
use crate::marks;
use crate::matching::{hashed_terms, in_common};
use crate::prepared::{Prepared, hash};

/// A decision, and what speaks for telling it.
#[derive(Debug, Clone)]
pub(crate) struct RankedDecision<'a> {
    pub(crate) decision: &'a Decision,
    pub(crate) id: String,
    pub(crate) score: i64,
    pub(crate) reasons: Vec<String>,
}

/// What is known of a decision before anything is asked.
#[derive(Debug)]
struct Known {
    id: String,
    /// Hash of what was decided.
    text: u64,
    /// Terms of all it says.
    terms: Box<[u64]>,
}

static KNOWN: Prepared<Decision, Known> = Prepared::new(|decision| Known {
    id: decision_id(decision),
    text: hash(decision.decision.trim()),
    terms: hashed_terms(&format!(
        "{} {} {}",
        decision.decision, decision.rationale, decision.subsystem
    )),
});

/// The decisions that share most words with a request, at most `limit`; of equals the newer ones.
pub(crate) fn about<'a>(
    decisions: &'a Rows<Decision>,
    request: &str,
    limit: usize,
) -> Vec<&'a Decision> {
    let asked = hashed_terms(request);
    let known = KNOWN.of(decisions);
    let mut found: Vec<(usize, &Decision)> = decisions
        .iter()
        .zip(&*known)
        .rev()
        .map(|(decision, known)| (in_common(&asked, &known.terms), &**decision))
        .filter(|(words, _)| *words > 0)
        .collect();
    found.sort_by_key(|(words, _)| std::cmp::Reverse(*words));
    found.into_iter().take(limit).map(|(_, d)| d).collect()
}

/// Ids of decisions that a later one replaces: it names their id, or says their very words.
pub(crate) fn superseded(decisions: &Rows<Decision>) -> BTreeSet<String> {
    let known = KNOWN.of(decisions);
    // Earlier decisions by what they may be named by.
    let mut earlier: HashMap<&str, Vec<&str>> = HashMap::new();
    let mut gone = BTreeSet::new();
    if decisions.iter().all(|d| d.supersedes.is_empty()) {
        return gone;
    }
    for (decision, known) in decisions.iter().zip(&*known) {
        for named in &decision.supersedes {
            let named = earlier.get(named.trim()).into_iter().flatten();
            gone.extend(named.map(|id| (*id).to_owned()));
        }
        for name in [decision.decision.trim(), &known.id] {
            earlier.entry(name).or_default().push(&known.id);
        }
    }
    gone
}

/// Whether a `supersedes` entry means a decision.
pub(crate) fn names(named: &str, decision: &Decision) -> bool {
    let named = named.trim();
    named == decision.decision.trim() || named == decision_id(decision)
}

/// Whether a decision may be told at all; why not otherwise.
fn excluded(decision: &Decision, id: &str, gone: &BTreeSet<String>) -> Option<&'static str> {
    if marks::is_wrong(&decision.extra) {
        Some("marked_wrong")
    } else if gone.contains(id) {
        Some("superseded")
    } else {
        None
    }
}

/// The decisions that hold, best first, and those that do not, with the reason. A request and files
/// at hand bring forward what is about them; otherwise the newest come first. Decisions of one
/// sub-system stand side by side: only naming an earlier one replaces it.
pub(crate) fn ranked<'a>(
    snapshot: &'a Snapshot,
    request: &str,
    paths: &BTreeSet<String>,
) -> (Vec<RankedDecision<'a>>, Vec<(String, &'static str)>) {
    let gone = superseded(&snapshot.decisions);
    let asked = hashed_terms(request);
    let known = KNOWN.of(&snapshot.decisions);
    let mut out: Vec<RankedDecision> = Vec::new();
    let mut left = Vec::new();
    let mut texts: HashSet<u64> = HashSet::with_capacity(snapshot.decisions.len());
    let rows = snapshot.decisions.iter().zip(&*known);
    for (age, (decision, known)) in rows.rev().enumerate() {
        if decision.decision.trim().is_empty() {
            continue;
        }
        let id = known.id.clone();
        if let Some(why) = excluded(decision, &id, &gone) {
            left.push((id, why));
            continue;
        }
        // The same words twice are one decision; the newest row stands for it.
        if !texts.insert(known.text) {
            continue;
        }
        let mut reasons = Vec::new();
        let mut score = 0;
        if marks::is_pinned(&decision.extra) {
            score += 1_000;
            reasons.push("pinned".to_owned());
        }
        let governed = |p: &&String| covers(p, paths);
        let hits = decision.related_paths.iter().filter(governed).count();
        if hits > 0 {
            score += 20 * hits.min(3) as i64;
            reasons.push("governs_these_files".to_owned());
        }
        let words = in_common(&asked, &known.terms);
        if words > 0 {
            score += (4 * words as i64).min(20);
            reasons.push(format!("shared_terms:{words}"));
        }
        if age < 5 {
            score += 5 - age as i64;
            reasons.push("recent_decision".to_owned());
        }
        out.push(RankedDecision {
            decision,
            id,
            score,
            reasons,
        });
    }
    // Stable: of equal scores the newer one stays first.
    out.sort_by_key(|found| std::cmp::Reverse(found.score));
    (out, left)
}

/// Whether a governed path is, or is a directory above, one of some paths.
fn covers(governed: &str, paths: &BTreeSet<String>) -> bool {
    let governed = governed.trim_end_matches('/').trim_end_matches("/**");
    paths.iter().any(|path| {
        path.strip_prefix(governed)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    })
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
