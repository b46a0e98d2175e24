//! Texts without the parts that differ from run to run, for snapshots.

use std::fs;
use std::path::Path;

/// Puts words in the place of what differs from run to run: the home, times, ages, ids of
/// executions and commits, durations.
pub fn normalised(text: &str, home: &Path) -> String {
    let home = fs::canonicalize(home).unwrap();
    let text = text.replace(&*home.to_string_lossy(), "$HOME");
    let mut out: String = text
        .lines()
        .map(|line| {
            let line = ages(line);
            let mut out = String::new();
            let mut word = String::new();
            for c in line.chars() {
                if c.is_alphanumeric() || "-_:".contains(c) {
                    word.push(c);
                } else {
                    out.push_str(&plain(&word));
                    word.clear();
                    out.push(c);
                }
            }
            out + &plain(&word) + "\n"
        })
        .collect();
    while out.ends_with("\n\n") {
        out.pop();
    }
    out
}

fn ages(line: &str) -> String {
    line.replace("just now", "<age>")
        .replace("1 min ago", "<age>")
        .replace("2 min ago", "<age>")
        .replace("3 min ago", "<age>")
}

/// A word, or the name of its kind.
fn plain(word: &str) -> String {
    let word_and_colon = word.strip_suffix(':').map(|word| plain(word) + ":");
    if let Some(named) = word_and_colon {
        return named;
    }
    let (head, bare) = match word.rsplit_once("::") {
        Some((head, bare)) => (format!("{head}::"), bare),
        None => (String::new(), word),
    };
    let digits = |s: &str| s.bytes().filter(u8::is_ascii_digit).count();
    let hex = bare.bytes().all(|b| b.is_ascii_hexdigit());
    let named = if let Some(rest) = bare.strip_prefix("exec-") {
        format!("exec-{}", rest.split('-').next().unwrap_or_default())
    } else if bare.len() == 20 && bare.ends_with('Z') && bare.contains('T') && digits(bare) == 14 {
        "<time>".to_owned()
    } else if head == "decision::" && hex {
        "<id>".to_owned()
    } else if hex && bare.len() >= 12 && digits(bare) > 0 {
        "<hash>".to_owned()
    } else {
        bare.to_owned()
    };
    head + &named
}
