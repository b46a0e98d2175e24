//! A packet: text for an agent under a budget of tokens, with a receipt of what went in and what
//! did not.

use aictx_proto::ledger::{LeftOut, MAX_LEFT_OUT, Receipt, ToldItem};
use aictx_proto::record::Origin;
use aictx_proto::shown::{self, Line};
use aictx_proto::tokens;

use crate::origin::split;

/// Most tokens of one line, so that no single text takes the room of all others.
const MAX_LINE: u32 = 160;
/// Those of an item's lines where they do not all fit, before any of them goes.
const SHORTER: [u32; 3] = [100, 60, 45];

/// Parts of a text that are chosen by their rank and stand in the order in which they came, within a
/// budget. Lines go in whole or not at all; what is longer than any line needs is cut, with a mark.
#[derive(Debug)]
pub(crate) struct Packet {
    parts: Vec<Part>,
    rank: u8,
    closing: &'static str,
    /// Pointer to the rest.
    more: &'static str,
    receipt: Receipt,
}

#[derive(Debug)]
struct Part {
    rank: u8,
    /// Kind, id and reason of an item.
    item: Option<[String; 3]>,
    /// Each with its origin, whose label is never cut.
    lines: Vec<(String, Origin)>,
    /// Its first lines may stand without the rest.
    divisible: bool,
}

impl Part {
    /// Its lines as they are told.
    fn text(&self) -> String {
        let told = |(line, origin): &(String, Origin)| format!("{line}{}", origin.label());
        self.lines.iter().map(told).collect::<Vec<_>>().join("\n")
    }

    fn cost(&self) -> u32 {
        tokens::estimate(&self.text()) + 1
    }

    /// Makes its lines shorter until they take no more than `room`, and then fewer, down to one.
    fn shrink(&mut self, room: u32) {
        for most in SHORTER {
            if self.cost() <= room {
                return;
            }
            for (line, _) in &mut self.lines {
                *line = tokens::within(line, most);
            }
        }
        while self.lines.len() > 1 && self.cost() > room {
            self.lines.pop();
        }
    }
}

impl Packet {
    /// A packet of at most `budget` tokens that will end in `closing`.
    pub(crate) fn new(surface: &str, budget: u32, closing: &'static str) -> Self {
        Self {
            parts: Vec::new(),
            rank: 0,
            closing,
            more: "`aictx resume` shows them",
            receipt: Receipt {
                surface: surface.to_owned(),
                budget,
                ..Receipt::default()
            },
        }
    }

    /// Says where the rest is told, if not by `aictx resume`.
    pub(crate) fn more(&mut self, more: &'static str) {
        self.more = more;
    }

    /// Sets the rank of what follows: a higher rank is left out first, and where something of a
    /// rank does not fit, nothing of a higher one is told.
    pub(crate) fn rank(&mut self, rank: u8) {
        self.rank = rank;
    }

    /// A line of its own, such as a heading.
    pub(crate) fn line(&mut self, line: Line) {
        self.add(Origin::Own, None, &[line], false);
    }

    /// An item of memory: its lines, which stay together and tell their origin.
    pub(crate) fn item(&mut self, origin: Origin, kind: &str, id: &str, why: &str, lines: &[Line]) {
        let item = Some([kind, id, why].map(str::to_owned));
        self.add(origin, item, lines, false);
    }

    /// An item whose first lines say the most: its last ones go where they do not all fit.
    pub(crate) fn item_from_the_top(
        &mut self,
        origin: Origin,
        kind: &str,
        id: &str,
        why: &str,
        lines: &[Line],
    ) {
        let item = Some([kind, id, why].map(str::to_owned));
        self.add(origin, item, lines, true);
    }

    fn add(&mut self, origin: Origin, item: Option<[String; 3]>, lines: &[Line], divisible: bool) {
        // A "line" of a heading and its body is two.
        let lines = lines.iter().flat_map(|line| line.as_str().lines());
        let told = |line| {
            let (line, of_line) = split(line);
            (tokens::within(line, MAX_LINE), of_line.and(origin))
        };
        let lines: Vec<(String, Origin)> = lines.map(told).collect();
        if !lines.is_empty() {
            self.parts.push(Part {
                rank: self.rank,
                item,
                lines,
                divisible,
            });
        }
    }

    /// Notes that an item was not told, and why.
    pub(crate) fn leave_out(&mut self, kind: &str, id: &str, why: &str) {
        let known = |l: &LeftOut| l.kind == kind && l.id == id;
        if self.receipt.left_out.len() < MAX_LEFT_OUT && !self.receipt.left_out.iter().any(known) {
            self.receipt.left_out.push(LeftOut {
                kind: kind.to_owned(),
                id: id.to_owned(),
                why: why.to_owned(),
            });
        }
    }

    /// The whole text and its receipt.
    pub(crate) fn close(mut self) -> (String, Receipt) {
        // The line that says how much was left out takes about 20.
        let room = self
            .receipt
            .budget
            .saturating_sub(tokens::estimate(self.closing) + 20);
        let mut parts = std::mem::take(&mut self.parts);
        let mut order: Vec<&mut Part> = parts.iter_mut().collect();
        order.sort_by_key(|part| part.rank);
        let (mut used, mut full_at, mut dropped) = (0, u8::MAX, 0);
        for part in order {
            let whole = part.lines.len();
            if part.divisible {
                // The other parts want room, too.
                part.shrink((room - used).min(room / 5 * 3));
            }
            let cost = part.cost();
            if part.rank > full_at || used + cost > room {
                full_at = full_at.min(part.rank);
                part.lines.clear();
            } else {
                used += cost;
            }
            dropped += whole - part.lines.len();
        }
        let mut text = String::new();
        for part in &parts {
            let body = part.text();
            if !body.is_empty() {
                text.push_str(&body);
                text.push('\n');
            }
            match &part.item {
                Some([kind, id, _]) if part.lines.is_empty() => self.leave_out(kind, id, "budget"),
                Some([kind, id, why]) => self.receipt.items.push(ToldItem {
                    kind: kind.clone(),
                    id: id.clone(),
                    tokens: tokens::estimate(&body) + 1,
                    why: why.clone(),
                }),
                None => {}
            }
        }
        if dropped > 0 {
            let lines = if dropped == 1 { "line" } else { "lines" };
            let where_to = self.more;
            text.push_str(&format!("({dropped} more {lines}: {where_to})\n"));
        }
        text.push_str(self.closing);
        let text = shown::lines(&text).into_owned();
        self.receipt.tokens = tokens::estimate(&text);
        (text, self.receipt)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use aictx_proto::shown::Quoted;
    use aictx_proto::told;

    proptest::proptest! {
        #[test]
        fn a_packet_keeps_its_budget(lines in proptest::collection::vec(".{0,300}", 0..60), budget in 60u32..900) {
            let mut packet = Packet::new("resume", budget, "The end of it.");
            for line in &lines {
                packet.item(Origin::Own, "decision", "d", "recent", &[told!("{}", Quoted::new(line, 300))]);
            }
            let (text, receipt) = packet.close();
            assert!(tokens::estimate(&text) <= budget, "{} > {budget}", tokens::estimate(&text));
            assert_eq!(receipt.tokens, tokens::estimate(&text));
            assert!(receipt.items.len() <= lines.len());
            assert!(text.ends_with("The end of it."));
        }
    }

    #[test]
    fn what_matters_least_goes_first() {
        let mut packet = Packet::new("session_start", 120, "End.");
        let words = |n: usize| told!("{}", Quoted::new(&"word ".repeat(n), 900));
        packet.rank(2);
        packet.item(Origin::Own, "handoff", "older", "", &[words(60)]);
        packet.rank(0);
        packet.item_from_the_top(
            Origin::Own,
            "handoff",
            "last",
            "",
            &[words(40), words(40), words(40)],
        );
        packet.rank(3);
        packet.item(Origin::Own, "map", "small", "", &[told!("src/a.rs")]);
        let (text, receipt) = packet.close();
        let told: Vec<&str> = receipt.items.iter().map(|i| i.id.as_str()).collect();
        assert_eq!(told, ["last"], "{text}");
        assert_eq!(receipt.left_out.len(), 2);
        assert!(
            text.contains("more lines: `aictx resume` shows them)"),
            "{text}"
        );
        assert!(tokens::estimate(&text) <= 120);
    }

    #[test]
    fn every_line_of_what_came_with_the_repository_says_so_however_short_it_gets() {
        let mut packet = Packet::new("resume", 200, "End.");
        let long = |n: usize| told!("{} {}", n, Quoted::new(&"word ".repeat(300), 900));
        packet.item_from_the_top(Origin::Repository, "handoff", "h", "", &[long(1), long(2)]);
        packet.item(Origin::Repository, "decision", "d", "", &[told!("short")]);
        let of_body = told!("{}{}", long(3), Origin::Repository.label());
        packet.item(Origin::Own, "decision", "e", "", &[of_body]);
        let (text, receipt) = packet.close();
        let told: Vec<&str> = text
            .lines()
            .filter(|line| !line.starts_with("End"))
            .collect();
        let told: Vec<&&str> = told.iter().filter(|line| !line.starts_with('(')).collect();
        assert!(told.len() >= 2, "{text}");
        assert!(
            told.iter()
                .all(|line| line.ends_with("(came with the repository)")),
            "{text}"
        );
        assert!(receipt.tokens <= 200);
    }

    #[test]
    fn a_long_text_is_cut_with_a_mark_and_hides_nobody() {
        let mut packet = Packet::new("resume", 400, "End.");
        packet.line(told!("{}", Quoted::new(&"漢".repeat(500), 900)));
        let long = told!("{}", Quoted::new(&"次".repeat(300), 900));
        packet.item(Origin::Own, "decision", "d", "recent", &[long]);
        let (text, receipt) = packet.close();
        assert_eq!(receipt.items.len(), 1);
        assert!(
            receipt.left_out.is_empty() && text.matches('…').count() == 2,
            "{text}"
        );
    }
}
