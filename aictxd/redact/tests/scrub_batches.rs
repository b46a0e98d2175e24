//! The scrubber against batches of samples that were written without looking at it.

#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "helpers of tests may fail loudly"
)]

use aictx_redact::{Report, scrub_text};

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
        "w" => b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-",
        "c" => b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789./",
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
    run(
        "C plain",
        include_str!("scrub/batch_c_plain.txt"),
        lookalike_case,
    );
}

#[test]
fn batch_q() {
    run("Q", include_str!("scrub/batch_q.txt"), secret_case);
}

#[test]
fn batch_q_plain() {
    run(
        "Q plain",
        include_str!("scrub/batch_q_plain.txt"),
        lookalike_case,
    );
}

mod records {
    use super::*;
    use aictx_proto::event::ErrorEvent;
    use aictx_proto::ledger::LedgerRow;
    use aictx_proto::record::{
        AgentExecutionRow, Decision, ExecutionLogRow, FailurePattern, Handoff, HandoffRow,
        RecentSession, SessionFile,
    };
    use aictx_redact::scrub_value;
    use serde_json::{Value, json};

    /// An ordinary value for a text field of this name.
    fn ordinary(field: &str, salt: u64) -> String {
        let mut state = (salt + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
        let mut text = |class: &str| random(class, &mut state).unwrap();
        match field {
            "signature" | "failure_signature" | "fingerprint" | "task_fingerprint"
            | "error_fingerprints" => {
                format!("python_test_assertionerror_token_expired_{}", text("h12"))
            }
            "failure_id" => format!("failure::rust_compile_e0308_secret_{}", text("h12")),
            "session_id" | "banner_shown_session_id" => format!(
                "{}-{}-4{}-a{}-{}",
                text("h8"),
                text("h4"),
                text("h3"),
                text("h3"),
                text("h12")
            ),
            "commit" | "head" | "sha" => text("h40"),
            "digest" | "hash" => text("h64"),
            "call_id" | "tool_use_id" => format!("toolu_01{}", text("a22")),
            "execution_id"
            | "task_id"
            | "source_execution_id"
            | "last_execution_id"
            | "resolved_by_execution_id"
            | "resolved_by" => {
                format!("exec-20260501T120000Z-{}", text("h8"))
            }
            "version" => "0.4.2+build.7f3c2d1".to_owned(),
            f if f.ends_with("_at") || matches!(f, "timestamp" | "at" | "first_seen") => {
                "2026-05-01T12:00:00Z".to_owned()
            }
            f if f.contains("file") || f.contains("path") => "src/auth/token.rs".to_owned(),
            f if f.contains("command") => {
                "cargo test -p auth token::refresh -- --nocapture".to_owned()
            }
            _ => "The token parser failed: password is required".to_owned(),
        }
    }

    /// Gives every text in the value an ordinary one, and every empty list an element.
    fn dress(value: &mut Value, field: &str, salt: &mut u64) {
        *salt += 1;
        match value {
            Value::String(text) if text.is_empty() => *text = ordinary(field, *salt),
            Value::Array(items) => {
                if items.is_empty() {
                    items.push(json!(""));
                }
                items.iter_mut().for_each(|i| dress(i, field, salt));
            }
            Value::Object(map) => map.iter_mut().for_each(|(k, v)| dress(v, k, salt)),
            _ => {}
        }
    }

    /// Fields that are left out when they are empty, and those that other versions add.
    const MORE: &[&str] = &[
        "signature",
        "fingerprint",
        "fingerprints",
        "error_fingerprints",
        "failure_id",
        "execution_id",
        "session_id",
        "task_id",
        "call_id",
        "tool_use_id",
        "task_fingerprint",
        "commit",
        "head",
        "sha",
        "digest",
        "hash",
        "path",
        "paths",
        "file",
        "files",
        "command_id",
        "timestamp",
        "version",
        "first_seen",
        "resolution_evidence",
        "resolution_summary",
        "column",
        "tool",
        "test",
        "package",
        "role",
        "finalized_from",
        "runner",
        "agent_id",
        "command",
        "cwd",
        "text",
        "source",
        "verdict",
        "worktree",
        "branch",
        "transcript",
    ];

    #[test]
    fn ordinary_records_stay_as_they_are() {
        fn value<T: serde::Serialize + Default>() -> Value {
            serde_json::to_value(T::default()).unwrap()
        }
        let event = value::<ErrorEvent>();
        let mut pattern = value::<FailurePattern>();
        pattern["error_events"] = json!([event.clone()]);
        let mut log = value::<ExecutionLogRow>();
        log["error_events"] = json!([event.clone()]);
        let mut ledger = value::<LedgerRow>();
        ledger["errors"] = json!([event.clone()]);
        let mut session = value::<SessionFile>();
        session["recent_sessions"] = json!([value::<RecentSession>()]);
        let all = [
            event,
            pattern,
            log,
            ledger,
            session,
            value::<Handoff>(),
            value::<HandoffRow>(),
            value::<Decision>(),
            value::<AgentExecutionRow>(),
            value::<RecentSession>(),
        ];
        for (i, mut record) in all.into_iter().enumerate() {
            for (k, field) in MORE.iter().enumerate() {
                if record.get(field).is_none() {
                    record[field] = json!(ordinary(field, (i * 100 + k) as u64));
                }
            }
            dress(&mut record, "", &mut (i as u64 * 1000));
            let before = record.clone();
            let mut report = Report::default();
            scrub_value(&mut record, &mut report);
            assert_eq!(record, before, "{:?}", report.findings);
            assert!(report.is_empty());
            // The files hold one record a line.
            let line = before.to_string();
            assert_eq!(
                scrub_text(&line, &mut report),
                line,
                "{:?}",
                report.findings
            );
        }
        let mut record =
            json!({"kind": "Secret", "metadata": {"name": "shop"}, "data": {"user": "Ym9iYm9i"}});
        scrub_value(&mut record, &mut Report::default());
        assert_eq!(record["data"]["user"], "[redacted:secret]");
        assert_eq!(record["metadata"]["name"], "shop");
        // By shape they are secrets under any name.
        let token = format!("gh{}{}", "p_", random("a36", &mut 77).unwrap());
        let mut record =
            json!({"signature": token, "session_id": token, "commit": token, "paths": [token]});
        scrub_value(&mut record, &mut Report::default());
        assert!(!record.to_string().contains(&token));
    }
}

#[test]
fn batch_d() {
    run("D", include_str!("scrub/batch_d.txt"), secret_case);
}

#[test]
fn batch_d_plain() {
    run(
        "D plain",
        include_str!("scrub/batch_d_plain.txt"),
        lookalike_case,
    );
}

#[test]
fn batch_e() {
    run("E", include_str!("scrub/batch_e.txt"), secret_case);
}

#[test]
fn batch_e_plain() {
    run(
        "E plain",
        include_str!("scrub/batch_e_plain.txt"),
        lookalike_case,
    );
}

#[test]
fn batch_f() {
    run("F", include_str!("scrub/batch_f.txt"), secret_case);
}

#[test]
fn batch_f_plain() {
    run(
        "F plain",
        include_str!("scrub/batch_f_plain.txt"),
        lookalike_case,
    );
}

#[test]
fn batch_g() {
    run("G", include_str!("scrub/batch_g.txt"), secret_case);
}

#[test]
fn batch_h() {
    run("H", include_str!("scrub/batch_h.txt"), secret_case);
}

#[test]
fn batch_i() {
    run("I", include_str!("scrub/batch_i.txt"), secret_case);
}

#[test]
fn batch_j() {
    run("J", include_str!("scrub/batch_j.txt"), secret_case);
}

#[test]
fn batch_j_plain() {
    run(
        "J plain",
        include_str!("scrub/batch_j_plain.txt"),
        lookalike_case,
    );
}

#[test]
fn batch_k() {
    run("K", include_str!("scrub/batch_k.txt"), secret_case);
}

#[test]
fn batch_k_plain() {
    run(
        "K plain",
        include_str!("scrub/batch_k_plain.txt"),
        lookalike_case,
    );
}

#[test]
fn batch_l() {
    run("L", include_str!("scrub/batch_l.txt"), secret_case);
}

#[test]
fn batch_l_plain() {
    run(
        "L plain",
        include_str!("scrub/batch_l_plain.txt"),
        lookalike_case,
    );
}

#[test]
fn batch_m() {
    run("M", include_str!("scrub/batch_m.txt"), secret_case);
}

#[test]
fn batch_m_plain() {
    run(
        "M plain",
        include_str!("scrub/batch_m_plain.txt"),
        lookalike_case,
    );
}

#[test]
fn batch_n() {
    run("N", include_str!("scrub/batch_n.txt"), secret_case);
}

#[test]
fn batch_n_plain() {
    run(
        "N plain",
        include_str!("scrub/batch_n_plain.txt"),
        lookalike_case,
    );
}

#[test]
fn batch_o() {
    run("O", include_str!("scrub/batch_o.txt"), secret_case);
}

#[test]
fn batch_o_plain() {
    run(
        "O plain",
        include_str!("scrub/batch_o_plain.txt"),
        lookalike_case,
    );
}

#[test]
fn batch_p() {
    run("P", include_str!("scrub/batch_p.txt"), secret_case);
}

#[test]
fn batch_p_plain() {
    run(
        "P plain",
        include_str!("scrub/batch_p_plain.txt"),
        lookalike_case,
    );
}

#[test]
fn batch_r() {
    run("R", include_str!("scrub/batch_r.txt"), secret_case);
}

#[test]
fn batch_r_plain() {
    run(
        "R plain",
        include_str!("scrub/batch_r_plain.txt"),
        lookalike_case,
    );
}
