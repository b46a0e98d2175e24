//! Runs the recognisers that the text calls for and makes the final list of events.

use std::collections::HashMap;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::sync::OnceLock;

use aho_corasick::automaton::Automaton as _;
use aho_corasick::{Anchored, MatchKind, dfa};
use aictx_proto::event::{ErrorEvent, MAX_EVENTS};

use super::{ALL, Context, Finding, Lines, finish};

/// Events one recogniser may contribute when others matched as well (spec/memory §4.8).
const MAX_SHARED: usize = 6;

/// All needles in one automaton, and whose each of them is.
struct Prefilter {
    automaton: Option<dfa::DFA>,
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
        let automaton = dfa::Builder::new()
            .match_kind(MatchKind::Standard)
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
    let start = filter
        .automaton
        .as_ref()
        .and_then(|automaton| Some((automaton, automaton.start_state(Anchored::No).ok()?)));
    let Some((automaton, mut state)) = start else {
        return vec![true; ALL.len()];
    };
    let mut left = wanted.iter().filter(|wanted| !**wanted).count();
    // Driven by hand: needles overlap, and the search for overlapping ones is several times slower.
    for byte in text.bytes() {
        state = automaton.next_state(Anchored::No, state, byte);
        if !automaton.is_special(state) || !automaton.is_match(state) {
            continue;
        }
        for nth in 0..automaton.match_len(state) {
            let owner = filter
                .owners
                .get(automaton.match_pattern(state, nth).as_usize());
            if let Some(flag) = owner.and_then(|owner| wanted.get_mut(*owner))
                && !*flag
            {
                *flag = true;
                left -= 1;
            }
        }
        if left == 0 {
            break;
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The search from the first match on must not lose a needle that starts before it ends.
    #[test]
    fn every_needle_calls_its_recogniser() {
        let run = crate::Run {
            command: "",
            exit_status: Some(1),
            stdout: b"",
            stderr: b"",
            root: "/r",
            cwd: "/r",
        };
        let context = Context::new(&run);
        for (which, recogniser) in ALL.iter().enumerate() {
            for needle in recogniser.needles {
                let text = format!("xx {needle} yy");
                assert_eq!(
                    called_for(&context, &text).get(which),
                    Some(&true),
                    "{needle}"
                );
            }
        }
    }
}
