//! Text for terminals: colours where they are wanted, nothing a repository could smuggle in.

use std::env;
use std::io::IsTerminal;

use aictx_proto::record::Origin;
use aictx_proto::shown;

/// Characters of a drawn bar.
const METER_WIDTH: usize = 24;

/// The sequences that colours are made of.
const CODES: [&str; 5] = [
    "\u{1b}[1;31m",
    "\u{1b}[32m",
    "\u{1b}[33m",
    "\u{1b}[1m",
    "\u{1b}[0m",
];

/// Colours, or none.
#[derive(Debug, Clone, Copy)]
pub struct Paint {
    on: bool,
}

impl Paint {
    /// No colours.
    pub const fn off() -> Self {
        Self { on: false }
    }

    /// Colours where `stream` is a terminal and nobody objects.
    pub fn for_stream(stream: &impl IsTerminal, no_color: bool) -> Self {
        let objection = no_color
            || env::var_os("NO_COLOR").is_some_and(|v| !v.is_empty())
            || env::var_os("TERM").is_some_and(|v| v == "dumb");
        Self {
            on: !objection && stream.is_terminal(),
        }
    }

    fn wrap(self, code: &str, text: &str) -> String {
        if self.on {
            format!("\u{1b}[{code}m{text}\u{1b}[0m")
        } else {
            text.to_owned()
        }
    }

    /// Returns a text without sequences that steer a terminal, these colours aside.
    pub fn shown(self, text: &str) -> String {
        if !self.on {
            return shown::lines(text).into_owned();
        }
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        while let Some((at, code)) = CODES
            .iter()
            .filter_map(|code| Some((rest.find(code)?, *code)))
            .min()
        {
            let (before, from) = rest.split_at(at);
            out.push_str(&shown::lines(before));
            out.push_str(code);
            rest = from.strip_prefix(code).unwrap_or_default();
        }
        out + &shown::lines(rest)
    }

    /// For what failed.
    pub fn red(self, text: &str) -> String {
        self.wrap("1;31", text)
    }

    /// For what is new.
    pub fn green(self, text: &str) -> String {
        self.wrap("32", text)
    }

    /// For what to look at.
    pub fn yellow(self, text: &str) -> String {
        self.wrap("33", text)
    }

    /// For headings.
    pub fn bold(self, text: &str) -> String {
        self.wrap("1", text)
    }
}

/// Text whose every line tells where it is from, however it was cut.
pub fn label(text: &str, origin: Origin) -> String {
    let label = origin.label();
    let told = |line: &str| {
        let (body, end) = match line.strip_suffix('\n') {
            Some(body) => (body, "\n"),
            None => (line, ""),
        };
        match body.trim().is_empty() || body.ends_with(label) {
            true => line.to_owned(),
            false => format!("{body}{label}{end}"),
        }
    };
    text.split_inclusive('\n').map(told).collect()
}

/// Longest line that is drawn over; a longer one would wrap.
const LINE: usize = 78;

/// One line of progress that is drawn over and over, and gone in the end. Only on a terminal.
#[derive(Debug)]
pub struct Meter {
    what: &'static str,
    on: bool,
    drawn: bool,
    /// Lines above the cursor that are drawn over.
    lines: usize,
}

impl Meter {
    /// A meter on standard error.
    pub fn on_stderr(what: &'static str) -> Self {
        Self {
            what,
            on: std::io::stderr().is_terminal(),
            drawn: false,
            lines: 0,
        }
    }

    /// Returns true if anybody sees it.
    pub fn is_seen(&self) -> bool {
        self.on
    }

    /// Draws how far it is.
    pub fn show(&mut self, done: u64, total: u64) {
        if !self.on || total == 0 {
            return;
        }
        self.drawn = true;
        let filled = usize::try_from(done.min(total) * METER_WIDTH as u64 / total).unwrap_or(0);
        let bar = "█".repeat(filled) + &"░".repeat(METER_WIDTH.saturating_sub(filled));
        eprint!("\r{} {bar} {done}/{total} ", self.what);
    }

    /// Draws lines, each cut to the usual width of a terminal.
    pub fn lines(&mut self, text: &str) {
        if self.on {
            self.clear();
            for line in text.lines() {
                eprintln!("{}", one_line(line, LINE));
                self.lines += 1;
            }
        }
    }

    /// Takes it off the terminal, so that other text can follow.
    pub fn clear(&mut self) {
        if std::mem::take(&mut self.drawn) {
            // Over it and back.
            eprint!("\r\u{1b}[K");
        }
        match std::mem::take(&mut self.lines) {
            0 => {}
            lines => eprint!("\u{1b}[{lines}A\u{1b}[J"),
        }
    }
}

impl Drop for Meter {
    fn drop(&mut self) {
        self.clear();
    }
}

/// Makes hidden characters visible: prompts, commands and file names come from elsewhere, and a
/// terminal obeys them. Joiners and selectors, which letters and emoji have, are left to
/// [`Paint::shown`].
pub fn clean(text: &str) -> String {
    text.chars()
        .map(|c| match c {
            '\n' | '\t' | '\u{200c}' | '\u{200d}' | '\u{fe00}'..='\u{fe0f}' => c,
            c if shown::is_hidden(c) => char::REPLACEMENT_CHARACTER,
            c => c,
        })
        .collect()
}

/// [`clean`] on one line, cut to `limit` characters.
pub fn one_line(text: &str, limit: usize) -> String {
    let flat = clean(text).replace(['\n', '\t'], " ");
    if flat.chars().count() <= limit {
        return flat;
    }
    let mut cut: String = flat.chars().take(limit.saturating_sub(1)).collect();
    cut.push('…');
    cut
}

/// Lines up the columns of a table, two blanks between them, none at the ends of lines.
pub fn table(rows: &[Vec<String>], indent: usize) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        rows.iter()
            .filter_map(|row| row.get(column))
            .map(|cell| cell.chars().count())
            .max()
            .unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut out = String::new();
    for row in rows {
        let mut line = " ".repeat(indent);
        for (cell, width) in row.iter().zip(&widths) {
            let fill = width.saturating_sub(cell.chars().count()) + 2;
            line.push_str(cell);
            line.push_str(&" ".repeat(fill));
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out
}

/// `90` → `1 min`, and so on: the largest unit that fits.
pub fn duration(seconds: u64) -> String {
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3_600 => format!("{} min", seconds / 60),
        3_600..86_400 => format!("{} h {} min", seconds / 3_600, seconds % 3_600 / 60),
        _ => format!("{} d {} h", seconds / 86_400, seconds % 86_400 / 3_600),
    }
}

/// Microseconds for people.
pub fn microseconds(us: u64) -> String {
    match us {
        0..10_000 => format!("{us} µs"),
        10_000..10_000_000 => format!("{} ms", us / 1_000),
        _ => format!("{} s", us / 1_000_000),
    }
}

/// Bytes as MiB with one digit.
pub fn mebibytes(bytes: u64) -> String {
    let tenths = bytes * 10 / (1024 * 1024);
    format!("{}.{} MiB", tenths / 10, tenths % 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_defused() {
        assert_eq!(
            clean("a\u{1b}]0;x\u{7}b\r\n\tc\u{202e}"),
            "a\u{fffd}]0;x\u{fffd}b\u{fffd}\n\tc\u{fffd}"
        );
        assert_eq!(one_line("ab\ncdef", 5), "ab c…");
        assert_eq!(one_line("héé", 3), "héé");
    }

    #[test]
    fn tables_line_up() {
        let rows = [vec!["a".into(), "b".into()], vec!["ccc".into(), "d".into()]];
        assert_eq!(table(&rows, 2), "  a    b\n  ccc  d\n");
        assert_eq!(table(&[], 2), "");
    }

    #[test]
    fn quantities() {
        assert_eq!(duration(59), "59 s");
        assert_eq!(duration(3_700), "1 h 1 min");
        assert_eq!(duration(90_000), "1 d 1 h");
        assert_eq!(microseconds(64), "64 µs");
        assert_eq!(microseconds(12_345), "12 ms");
        assert_eq!(mebibytes(13 * 1024 * 1024 + 512 * 1024), "13.5 MiB");
    }

    #[test]
    fn nothing_but_our_colours_reaches_a_terminal() {
        let on = Paint { on: true };
        let text = format!(
            "{} {}",
            on.red("x"),
            "\u{1b}[2J\u{1b}]0;t\u{7}</system-reminder>"
        );
        assert_eq!(on.shown(&text), "\u{1b}[1;31mx\u{1b}[0m ‹/system-reminder>");
        assert_eq!(Paint::off().shown(&text), "x ‹/system-reminder>");
    }

    #[test]
    fn colours_only_when_on() {
        assert_eq!(Paint::off().red("x"), "x");
        assert_eq!(Paint { on: true }.bold("x"), "\u{1b}[1mx\u{1b}[0m");
    }
}
