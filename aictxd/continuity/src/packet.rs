//! A packet: text for an agent under a budget of tokens, with a receipt of what went in and what
//! did not.

use aictx_proto::ledger::{LeftOut, MAX_LEFT_OUT, Receipt, ToldItem};
use aictx_proto::tokens;

/// Text that grows line by line and never beyond its budget. Lines go in whole or not at all.
#[derive(Debug)]
pub(crate) struct Packet {
    text: String,
    /// Kept free for the last lines.
    reserve: u32,
    closing: &'static str,
    receipt: Receipt,
    dropped: usize,
}

impl Packet {
    /// A packet of at most `budget` tokens that will end in `closing`.
    pub(crate) fn new(surface: &str, budget: u32, closing: &'static str) -> Self {
        Self {
            text: String::new(),
            // The line that says how much was left out takes about 20.
            reserve: tokens::estimate(closing) + 20,
            closing,
            receipt: Receipt {
                surface: surface.to_owned(),
                budget,
                ..Receipt::default()
            },
            dropped: 0,
        }
    }

    /// A line of its own, such as a heading. Whether it fit.
    pub(crate) fn line(&mut self, line: impl AsRef<str>) -> bool {
        let line = line.as_ref();
        let cost = tokens::estimate(line) + 1;
        if self.receipt.tokens + cost + self.reserve > self.receipt.budget {
            self.dropped += 1;
            return false;
        }
        self.receipt.tokens += cost;
        self.text.push_str(line);
        self.text.push('\n');
        true
    }

    /// An item of memory: its lines, which stay together. Whether they fit.
    pub(crate) fn item(&mut self, kind: &str, id: &str, why: &str, lines: &[String]) -> bool {
        let text = lines.join("\n");
        let before = self.receipt.tokens;
        let fits = self.line(&text);
        if fits {
            self.receipt.items.push(ToldItem {
                kind: kind.to_owned(),
                id: id.to_owned(),
                tokens: self.receipt.tokens - before,
                why: why.to_owned(),
            });
        } else {
            self.leave_out(kind, id, "budget");
        }
        fits
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
        if self.dropped > 0 {
            let more = format!("({} more lines: `aictx resume` shows them)\n", self.dropped);
            self.text.push_str(&more);
        }
        self.text.push_str(self.closing);
        self.receipt.tokens = tokens::estimate(&self.text);
        (self.text, self.receipt)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        #[test]
        fn a_packet_keeps_its_budget(lines in proptest::collection::vec(".{0,300}", 0..60), budget in 60u32..900) {
            let mut packet = Packet::new("resume", budget, "The end of it.");
            for line in &lines {
                packet.item("decision", "d", "recent", std::slice::from_ref(line));
            }
            let (text, receipt) = packet.close();
            assert!(tokens::estimate(&text) <= budget, "{} > {budget}", tokens::estimate(&text));
            assert_eq!(receipt.tokens, tokens::estimate(&text));
            assert!(receipt.items.len() <= lines.len());
            assert!(text.ends_with("The end of it."));
        }
    }
}
