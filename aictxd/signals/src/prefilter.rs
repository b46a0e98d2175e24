//! One pass over a text for everything that is looked for in all of it: which recognisers it calls
//! for, and which lines may sum up a run.

use std::sync::OnceLock;

use aho_corasick::automaton::Automaton as _;
use aho_corasick::{Anchored, MatchKind, dfa};

use crate::parsers::ALL;
use crate::run_totals;

/// Texts shorter than this are read in one go.
const MIN_LANES: usize = 2_048;

/// Result of the pass.
pub(crate) struct Scanned<'t> {
    /// Which recognisers the text calls for, in the order of [`ALL`].
    pub(crate) called: Vec<bool>,
    /// The lines that may sum up a run, in order.
    pub(crate) totals: Vec<&'t str>,
}

/// Parser that a needle belongs to.
#[derive(Clone, Copy)]
enum Owner {
    Recogniser(usize),
    Totals,
}

/// All needles in one automaton, and whose each of them is.
struct Needles {
    automaton: Option<dfa::DFA>,
    owners: Vec<Owner>,
}

fn needles() -> &'static Needles {
    static BUILT: OnceLock<Needles> = OnceLock::new();
    BUILT.get_or_init(|| {
        let mut needles: Vec<&str> = Vec::new();
        let mut owners = Vec::new();
        for (which, recogniser) in ALL.iter().enumerate() {
            needles.extend(recogniser.needles);
            owners.resize(needles.len(), Owner::Recogniser(which));
        }
        needles.extend(run_totals::NEEDLES);
        owners.resize(needles.len(), Owner::Totals);
        // It cannot fail for our needles. Without it every recogniser reads everything.
        let automaton = dfa::Builder::new()
            .match_kind(MatchKind::Standard)
            .prefilter(false)
            .build(needles)
            .ok();
        Needles { automaton, owners }
    })
}

/// A part of the text that is read at the same time as others.
struct Lane<'t> {
    text: &'t str,
    /// End of the last line in `totals`.
    line_end: usize,
    totals: Vec<&'t str>,
}

impl<'t> Lane<'t> {
    /// A needle ends at `at`.
    #[cold]
    #[inline(never)]
    fn matched(&mut self, owner: Owner, at: usize, called: &mut [bool]) {
        match owner {
            Owner::Recogniser(which) => {
                if let Some(called) = called.get_mut(which) {
                    *called = true;
                }
            }
            // A line counts once.
            Owner::Totals if at < self.line_end => {}
            Owner::Totals => {
                let bytes = self.text.as_bytes();
                let (before, after) = bytes.split_at_checked(at).unwrap_or((bytes, b""));
                let start = memchr::memrchr(b'\n', before).map_or(0, |end| end + 1);
                let end = memchr::memchr(b'\n', after).map_or(bytes.len(), |end| at + end);
                self.totals
                    .push(self.text.get(start..end).unwrap_or_default());
                self.line_end = end;
            }
        }
    }
}

/// Four parts of nearly the same size that end where lines end.
fn parts(text: &str) -> [&str; 4] {
    if text.len() < MIN_LANES {
        return [text, "", "", ""];
    }
    let mut rest = text;
    [4, 3, 2, 1].map(|left| {
        let near = rest.len() / left;
        let after = rest.as_bytes().get(near..).unwrap_or_default();
        let end = memchr::memchr(b'\n', after).map_or(rest.len(), |end| near + end + 1);
        let (part, others) = rest.split_at_checked(end).unwrap_or((rest, ""));
        rest = others;
        part
    })
}

/// Reads a text once.
pub(crate) fn scan(text: &str) -> Scanned<'_> {
    let Needles {
        automaton: Some(automaton),
        owners,
    } = needles()
    else {
        return everything(text);
    };
    let Ok(start) = automaton.start_state(Anchored::No) else {
        return everything(text);
    };
    let mut called = vec![false; ALL.len()];
    let mut lanes = parts(text).map(|text| Lane {
        text,
        line_end: 0,
        totals: Vec::new(),
    });
    let mut special = |lane: &mut Lane, state, at| {
        if automaton.is_match(state) {
            for nth in 0..automaton.match_len(state) {
                let pattern = automaton.match_pattern(state, nth).as_usize();
                if let Some(owner) = owners.get(pattern) {
                    lane.matched(*owner, at, &mut called);
                }
            }
        }
    };
    // Each step waits for the one before it, so four parts are read in turns: while one waits, the
    // others go on. Driven by hand, because needles overlap, and the search for overlapping ones is
    // several times slower. Plain variables stay in registers.
    let [one, two, three, four] = &mut lanes;
    let (mut first, mut second, mut third, mut fourth) = (start, start, start, start);
    let mut read = 0;
    let step = |state, byte: &u8| automaton.next_state(Anchored::No, state, *byte);
    let together = one.text.as_bytes().iter().zip(two.text.as_bytes());
    let together = together.zip(three.text.as_bytes().iter().zip(four.text.as_bytes()));
    for ((a, b), (c, d)) in together {
        first = step(first, a);
        second = step(second, b);
        third = step(third, c);
        fourth = step(fourth, d);
        if automaton.is_special(first)
            | automaton.is_special(second)
            | automaton.is_special(third)
            | automaton.is_special(fourth)
        {
            special(one, first, read);
            special(two, second, read);
            special(three, third, read);
            special(four, fourth, read);
        }
        read += 1;
    }
    for (lane, mut state) in lanes.iter_mut().zip([first, second, third, fourth]) {
        let rest = lane.text.as_bytes().get(read..).unwrap_or_default();
        for (at, byte) in rest.iter().enumerate() {
            state = step(state, byte);
            if automaton.is_special(state) {
                special(lane, state, read + at);
            }
        }
    }
    Scanned {
        called,
        totals: lanes.into_iter().flat_map(|lane| lane.totals).collect(),
    }
}

fn everything(text: &str) -> Scanned<'_> {
    Scanned {
        called: vec![true; ALL.len()],
        totals: text.lines().collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Parts end where lines end, so no needle may lie across.
    #[test]
    fn no_needle_goes_on_behind_a_line() {
        let all = ALL.iter().flat_map(|recogniser| recogniser.needles);
        for needle in all.chain(run_totals::NEEDLES) {
            assert!(!needle.trim_end_matches('\n').contains('\n'), "{needle:?}");
        }
    }

    #[test]
    fn every_needle_calls_its_recogniser_wherever_it_stands() {
        let filler = "nothing here\n".repeat(400);
        for (which, recogniser) in ALL.iter().enumerate() {
            for needle in recogniser.needles {
                let mut text = filler.clone();
                for at in [0, filler.len() / 4, filler.len() / 2, filler.len()] {
                    text.truncate(filler.len());
                    text.insert_str(at, &format!("xx {needle} yy"));
                    assert_eq!(
                        scan(&text).called.get(which),
                        Some(&true),
                        "{needle} at {at}"
                    );
                }
                let short = format!("xx {needle} yy");
                assert_eq!(scan(&short).called.get(which), Some(&true), "{needle}");
            }
        }
    }

    #[test]
    fn lines_with_needles_come_once_and_in_order() {
        let mut text = String::new();
        let mut expected = Vec::new();
        for number in 0..2_000 {
            let line = if number % 7 == 0 {
                format!("{number} passed, 0 failed")
            } else {
                format!("{number} nothing")
            };
            text.push_str(&line);
            text.push('\n');
            if number % 7 == 0 {
                expected.push(line);
            }
        }
        assert_eq!(scan(&text).totals, expected);
        assert_eq!(scan("a\n1 passed").totals, ["1 passed"]);
        assert!(scan("").totals.is_empty());
    }
}
