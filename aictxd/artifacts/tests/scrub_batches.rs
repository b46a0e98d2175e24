//! The scrubber against batches of samples that were written without looking at it.

#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "helpers of tests may fail loudly"
)]

use aictx_artifacts::scrub::{Report, scrub_text};

/// The kind and the text of every case, with its random values filled in.
fn cases(data: &str) -> Vec<(String, String)> {
    let mut all: Vec<(String, String)> = Vec::new();
    for line in data.lines() {
        if let Some(name) = line.strip_prefix("== ") {
            all.push((name.to_owned(), String::new()));
        } else if let Some((_, text)) = all.last_mut() {
            text.push_str(line);
            text.push('\n');
        }
    }
    for (i, (_, text)) in all.iter_mut().enumerate() {
        *text = fill(text.replace('¦', "").trim_end(), i as u64);
    }
    all
}

/// Replaces `{a36}` by a random value of the class and `{B:…}` by base64.
fn fill(text: &str, seed: u64) -> String {
    let (mut out, mut rest) = (String::new(), text);
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0x1234_5678_9ABC_DEF1;
    while let Some(at) = rest.find('{') {
        let (head, tail) = rest.split_at(at);
        out.push_str(head);
        let inner = tail.split_once('}').map_or("", |(inner, _)| &inner[1..]);
        if let Some(plain) = inner.strip_prefix("B:") {
            out.push_str(&base64(plain.as_bytes()));
        } else if let Some(value) = random(inner, &mut state) {
            out.push_str(&value);
        } else {
            out.push('{');
            rest = &tail[1..];
            continue;
        }
        rest = &tail[inner.len() + 2..];
    }
    out + rest
}

fn random(class: &str, state: &mut u64) -> Option<String> {
    let n: usize = class.get(1..)?.parse().ok()?;
    let set: &[u8] = match class.get(..1)? {
        "h" => b"0123456789abcdef",
        "l" => b"abcdefghijklmnopqrstuvwxyz0123456789",
        "u" => b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
        "U" => b"ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789",
        "d" => b"0123456789",
        "a" => b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
        "b" => b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
        _ => return None,
    };
    let mut next = || {
        *state ^= *state << 13;
        *state ^= *state >> 7;
        *state ^= *state << 17;
        char::from(set[usize::try_from(*state >> 33).unwrap() % set.len()])
    };
    Some((0..n).map(|_| next()).collect())
}

fn base64(bytes: &[u8]) -> String {
    const SET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for part in bytes.chunks(3) {
        let n =
            part.iter().fold(0_usize, |n, b| n << 8 | usize::from(*b)) << (8 * (3 - part.len()));
        for i in 0..4 {
            let digit = char::from(SET[n >> (18 - 6 * i) & 63]);
            out.push(if i <= part.len() { digit } else { '=' });
        }
    }
    out
}

fn between(text: &str, open: char, close: char) -> Vec<String> {
    text.split(open)
        .skip(1)
        .map(|t| {
            t.split_once(close)
                .expect("closed")
                .0
                .replace(['«', '»', '‹', '›'], "")
        })
        .collect()
}

fn secret_case(case: &str) -> Result<(), String> {
    let text = case.replace(['«', '»', '‹', '›'], "");
    let clean = scrub_text(&text, &mut Report::default()).into_owned();
    let mut why = Vec::new();
    for secret in between(case, '«', '»') {
        // Of a block no single line may stay either.
        let pieces = secret.lines().flat_map(|l| l.split("\\n")).map(str::trim);
        if clean.contains(&secret) || pieces.filter(|p| p.len() >= 8).any(|p| clean.contains(p)) {
            why.push(format!("leaves {secret}"));
        }
    }
    for keep in between(case, '‹', '›') {
        if !clean.contains(&keep) {
            why.push(format!("takes {keep}"));
        }
    }
    let again = scrub_text(&clean, &mut Report::default()).into_owned();
    if again != clean {
        why.push(format!("differs the second time: {again}"));
    }
    if why.is_empty() {
        return Ok(());
    }
    Err(format!("{}\n--- {text}\n--> {clean}", why.join("; ")))
}

fn lookalike_case(text: &str) -> Result<(), String> {
    let mut report = Report::default();
    let clean = scrub_text(text, &mut report);
    if clean == text && report.is_empty() {
        return Ok(());
    }
    let rules: Vec<_> = report.findings.iter().map(|f| f.rule).collect();
    Err(format!("--- {text}\n--> {clean}  {rules:?}"))
}

fn run(what: &str, data: &str, check: fn(&str) -> Result<(), String>) {
    let all = cases(data);
    let mut wrong = 0;
    for (name, text) in &all {
        if let Err(miss) = check(text) {
            wrong += 1;
            eprintln!("MISS {what} [{name}] {miss}");
        }
    }
    eprintln!("{what}: {}/{} right", all.len() - wrong, all.len());
    assert!(wrong == 0, "{wrong} of {} wrong in batch {what}", all.len());
}

#[test]
fn batch_a() {
    run("A", include_str!("scrub/batch_a.txt"), secret_case);
}

#[test]
fn batch_b() {
    run("B", include_str!("scrub/batch_b.txt"), lookalike_case);
}

#[test]
fn batch_c() {
    run("C", include_str!("scrub/batch_c.txt"), secret_case);
}

#[test]
fn batch_c_plain() {
    run("C plain", include_str!("scrub/batch_c_plain.txt"), lookalike_case);
}
