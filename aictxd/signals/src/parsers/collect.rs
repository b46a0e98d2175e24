//! Runs the recognisers that the text calls for and makes the final list of events.

use std::collections::HashMap;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

use aictx_proto::event::{ErrorEvent, MAX_EVENTS};

use super::{ALL, Context, Finding, Lines, finish};
use crate::prefilter::Scanned;

/// Events one recogniser may contribute when others matched as well.
const MAX_SHARED: usize = 6;

/// Runs the recognisers over the streams and makes the final list: ordered, merged, bounded.
pub(crate) fn collect(
    context: &Context,
    scanned: &[Scanned],
    streams: &mut [Lines],
) -> Vec<ErrorEvent> {
    let mut found: Vec<(usize, usize, Finding)> = Vec::new();
    for (stream, (lines, scanned)) in streams.iter_mut().zip(scanned).enumerate() {
        if lines.len() == 0 {
            continue;
        }
        for (which, (recogniser, called)) in ALL.iter().zip(&scanned.called).enumerate() {
            if *called || context.runs(recogniser.programs) {
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

fn identity(event: &ErrorEvent) -> u64 {
    let mut hasher = DefaultHasher::new();
    (
        &event.toolchain,
        &event.phase,
        &event.code,
        &event.file,
        &event.test,
        &event.message,
    )
        .hash(&mut hasher);
    hasher.finish()
}

fn merge(context: &Context, found: Vec<(usize, usize, Finding)>) -> Vec<ErrorEvent> {
    let shared = found
        .iter()
        .any(|(_, which, _)| found.first().is_some_and(|(_, first, _)| first != which));
    let limit = if shared { MAX_SHARED } else { MAX_EVENTS };
    let mut taken = vec![0usize; ALL.len()];
    let mut events: Vec<ErrorEvent> = Vec::new();
    // Findings that say the same word for word, by what they became; saves most fingerprints.
    let mut said: HashMap<u64, Option<usize>> = HashMap::new();
    for (_, which, finding) in found {
        let key = identity(&finding.event);
        if let Some(known) = said.get(&key) {
            if let Some(same) = known.and_then(|at| events.get_mut(at)) {
                same.count = same.count.max(1) + 1;
            }
            continue;
        }
        let event = finish(context, finding.event);
        let known = events
            .iter()
            .position(|known| known.fingerprint == event.fingerprint);
        said.insert(key, known.or(Some(events.len())));
        if let Some(same) = events
            .iter_mut()
            .find(|known| known.fingerprint == event.fingerprint)
        {
            same.count = same.count.max(1) + 1;
            continue;
        }
        if let Some(count) = taken.get_mut(which) {
            if *count >= limit || events.len() >= MAX_EVENTS {
                said.insert(key, None);
                continue;
            }
            *count += 1;
            events.push(event);
        }
    }
    events
}
