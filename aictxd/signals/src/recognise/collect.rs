//! Runs the recognisers that the text calls for and makes the final list of events.

use std::sync::OnceLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind};
use aictx_proto::event::{ErrorEvent, MAX_EVENTS};

use super::{ALL, Context, Finding, Lines, finish};

/// Events one recogniser may contribute when others matched as well (spec/memory §4.8).
const MAX_SHARED: usize = 6;

/// All needles in one automaton, and whose each of them is.
struct Prefilter {
    automaton: Option<AhoCorasick>,
    owners: Vec<usize>,
}

fn prefilter() -> &'static Prefilter {
    static BUILT: OnceLock<Prefilter> = OnceLock::new();
    BUILT.get_or_init(|| {
        let mut needles = Vec::new();
        let mut owners = Vec::new();
        for (which, recogniser) in ALL.iter().enumerate() {
            for needle in recogniser.needles {
                needles.push(*needle);
                owners.push(which);
            }
        }
        // Without an automaton (it cannot fail for our needles) every recogniser reads all.
        let automaton = AhoCorasick::builder()
            .kind(Some(AhoCorasickKind::DFA))
            .build(needles)
            .ok();
        Prefilter { automaton, owners }
    })
}

/// Which recognisers a text calls for, in the order of [`ALL`].
pub(crate) fn called_for(context: &Context, text: &str) -> Vec<bool> {
    let filter = prefilter();
    let mut wanted: Vec<bool> = ALL
        .iter()
        .map(|recogniser| context.runs(recogniser.programs))
        .collect();
    let Some(automaton) = &filter.automaton else {
        return vec![true; ALL.len()];
    };
    let mut left = wanted.iter().filter(|wanted| !**wanted).count();
    for found in automaton.find_overlapping_iter(text) {
        let owner = filter.owners.get(found.pattern().as_usize());
        if let Some(flag) = owner.and_then(|owner| wanted.get_mut(*owner))
            && !*flag
        {
            *flag = true;
            left -= 1;
            if left == 0 {
                break;
            }
        }
    }
    wanted
}

/// Runs the recognisers over the streams and makes the final list: ordered, merged, bounded.
pub(crate) fn collect(
    context: &Context,
    texts: &[String],
    streams: &mut [Lines],
) -> Vec<ErrorEvent> {
    let mut found: Vec<(usize, usize, Finding)> = Vec::new();
    for (stream, (lines, text)) in streams.iter_mut().zip(texts).enumerate() {
        if lines.len() == 0 {
            continue;
        }
        let wanted = called_for(context, text);
        for (which, (recogniser, wanted)) in ALL.iter().zip(wanted).enumerate() {
            if wanted {
                let findings = (recogniser.read)(context, lines);
                found.extend(findings.into_iter().map(|mut finding| {
                    lines.in_task(&mut finding);
                    (stream, which, finding)
                }));
            }
        }
    }
    sift(&mut found);
    merge(context, found)
}

/// Drops what says less than the rest, and orders what stays.
fn sift(found: &mut Vec<(usize, usize, Finding)>) {
    let warning = |finding: &Finding| finding.event.severity == "warning";
    found.sort_by_key(|(stream, _, finding)| (warning(finding), *stream, finding.at));
    if found.iter().any(|(_, _, finding)| !finding.wrapper) {
        found.retain(|(_, _, finding)| !finding.wrapper);
    } else {
        // The innermost wrapper is the one that saw what happened.
        found.truncate(1);
    }
    if found.iter().any(|(_, _, finding)| !warning(finding)) {
        // Warnings of compilers and checkers are no failures once there is an error.
        found.retain(|(_, _, finding)| !warning(finding) || finding.event.phase == "lint");
    }
}

fn merge(context: &Context, found: Vec<(usize, usize, Finding)>) -> Vec<ErrorEvent> {
    let shared = found
        .iter()
        .any(|(_, which, _)| found.first().is_some_and(|(_, first, _)| first != which));
    let limit = if shared { MAX_SHARED } else { MAX_EVENTS };
    let mut taken = vec![0usize; ALL.len()];
    let mut events: Vec<ErrorEvent> = Vec::new();
    for (_, which, finding) in found {
        let event = finish(context, finding.event);
        if let Some(same) = events
            .iter_mut()
            .find(|known| known.fingerprint == event.fingerprint)
        {
            same.count = same.count.max(1) + 1;
            continue;
        }
        if let Some(count) = taken.get_mut(which) {
            if *count >= limit || events.len() >= MAX_EVENTS {
                continue;
            }
            *count += 1;
            events.push(event);
        }
    }
    events
}
