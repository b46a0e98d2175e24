//! Scrubs what agents, tools and callers say where it enters the daemon, and what of memory leaves it.
//!
//! Ids, fingerprints, slugs, file names and cut texts are made of these texts, and in those forms a
//! secret is not recognised any more: half a token is no token, and a slug has no capitals. So they
//! are scrubbed before anything is made of them; `aictx-artifacts` scrubs once more what it writes.
//! Verdicts and outcomes are decided on the texts as they came.

use std::borrow::Cow;

use aictx_proto::event::ErrorEvent;
use aictx_proto::ledger::Outcome;
use aictx_proto::methods as words;
use aictx_proto::text::{hash, truncate_chars};
use aictx_redact::{Report, is_clean_row, scrub_again, scrub_bytes, scrub_text, scrub_value};
use aictx_signals::Run;
use serde_json::{Map, Value};

/// Replaces the secrets of a text.
pub fn text(text: &str) -> Cow<'_, str> {
    scrub_again(text, &mut Report::default())
}

/// Scrubs a text, then cuts it to `limit` characters.
pub fn cut(text: &str, limit: usize) -> String {
    truncate_chars(&self::text(text), limit)
}

/// Replaces the secrets of a text that goes out. Its parts were scrubbed when they were written, if it was this program
/// that wrote them.
pub fn outgoing(text: String) -> String {
    match scrub_text(&text, &mut Report::default()) {
        Cow::Owned(clean) => clean,
        Cow::Borrowed(_) => text,
    }
}

/// As [`outgoing`] for an answer in JSON, as serde_json writes it.
pub fn outgoing_json(answer: String) -> String {
    if is_clean_row(&answer) {
        return answer;
    }
    let Ok(mut value) = serde_json::from_str::<Value>(&answer) else {
        return answer;
    };
    scrub_value(&mut value, &mut Report::default());
    value.to_string()
}

/// Replaces the secrets of a session's id. The result still stands for one session: it ends in a
/// hash of the id as it was given.
pub fn session_id(id: &str) -> Cow<'_, str> {
    match text(id) {
        Cow::Borrowed(_) => Cow::Borrowed(id),
        Cow::Owned(clean) => Cow::Owned(format!("{clean}~{:08x}", hash(id))),
    }
}

/// Methods whose parameters are paths, questions to the index or calls to be judged: none of them is
/// kept, or it is scrubbed where it is ([`crate::hook`], [`crate::audit`]).
const AS_GIVEN: &[&str] = &[
    words::HOOK,
    words::GUARD,
    words::INIT,
    words::CLEAN,
    words::INSTALL,
    words::UNINSTALL,
    words::DOCTOR,
    words::TRUST,
    words::MCP_STATUS,
    words::REPO_ADD,
    words::REPO_REMOVE,
    words::MAP_QUERY,
    words::MAP_BRIEF,
    words::MAP_OUTLINE,
    words::MAP_SYMBOL,
    words::MAP_REFS,
    words::MAP_RELATED,
    words::MAP_IMPACT,
];

/// Parameters that name a place, or who calls ([`crate::app::App::identify`] scrubs that).
const PLACES: &[&str] = &["repo", "cwd", "caller"];
/// Parameters that name something that is there already, under whatever id it got long ago.
const LOOKED_UP: &[&str] = &["id", "failure_id", "task_id", "run_id", "resolved_failures"];
/// Parameters that tell one session or execution from others.
const APART: &[&str] = &["session", "session_id", "execution_id"];

/// Replaces the secrets in the parameters of a method. What is no JSON object stays as it is: its
/// handler refuses it.
pub fn params<'p>(method: &str, params: &'p str) -> (Cow<'p, str>, Report) {
    let mut report = Report::default();
    if AS_GIVEN.contains(&method) || is_clean_row(params) {
        return (Cow::Borrowed(params), report);
    }
    let Ok(Value::Object(mut given)) = serde_json::from_str(params) else {
        return (Cow::Borrowed(params), report);
    };
    let is_exact = |name: &str| {
        PLACES.contains(&name)
            || !matches!(method, words::TASK_START | words::RUN_START) && LOOKED_UP.contains(&name)
    };
    let (mut exact, mut told) = (Map::new(), Map::new());
    for (name, mut value) in std::mem::take(&mut given) {
        if is_exact(&name) {
            exact.insert(name, value);
            continue;
        }
        if let Value::String(id) = &mut value
            && APART.contains(&name.as_str())
        {
            *id = session_id(id).into_owned();
        }
        told.insert(name, value);
    }
    let mut told = Value::Object(told);
    scrub_value(&mut told, &mut report);
    if let Value::Object(told) = &mut told {
        told.extend(exact);
    }
    (Cow::Owned(told.to_string()), report)
}

/// Outcome and errors of a command. The outcome is that of its texts as they came; the errors,
/// which are kept and get fingerprints, are read from scrubbed ones.
pub fn judged(run: &Run<'_>) -> (Outcome, Vec<ErrorEvent>) {
    let (outcome, errors) = aictx_signals::judged(run);
    if errors.is_empty() {
        return (outcome, errors);
    }
    let mut report = Report::default();
    let stdout = scrub_bytes(run.stdout, &mut report);
    let stderr = scrub_bytes(run.stderr, &mut report);
    let command = scrub_text(run.command, &mut report);
    if report.is_empty() {
        return (outcome, errors);
    }
    let clean = Run {
        command: &command,
        stdout: &stdout,
        stderr: &stderr,
        ..*run
    };
    (outcome, aictx_signals::judged(&clean).1)
}

/// Secrets found in one text, to be removed from others that quote pieces of it:
/// a piece lacks the words by which its secret was recognised.
#[derive(Debug, Default)]
pub struct Secrets(Vec<String>);

/// Shorter secrets are not looked for in other texts: they are parts of words there.
const MIN_SECRET: usize = 4;

impl Secrets {
    /// The secrets of a text.
    pub fn of(text: &str) -> Self {
        let mut secrets = Vec::new();
        if let Cow::Owned(clean) = self::text(text) {
            let mut rest = text;
            let mut pieces = clean.split("[redacted:");
            rest = rest
                .strip_prefix(pieces.next().unwrap_or_default())
                .unwrap_or_default();
            for piece in pieces {
                let kept = piece.split_once(']').map_or("", |(_, kept)| kept);
                // The next words that were kept end what was taken out.
                let end = match kept {
                    "" => rest.len(),
                    kept => rest.find(kept).unwrap_or(rest.len()),
                };
                let (secret, behind) = rest.split_at(end);
                rest = behind.strip_prefix(kept).unwrap_or_default();
                if secret.len() >= MIN_SECRET {
                    secrets.push(secret.to_owned());
                }
            }
        }
        Self(secrets)
    }

    /// Scrubs a text that may quote them, then cuts it to `limit` characters.
    pub fn cut(&self, text: &str, limit: usize) -> String {
        let mut text = self::text(text);
        for secret in self.0.iter().filter(|secret| !secret.is_empty()) {
            if text.contains(secret.as_str()) {
                text = Cow::Owned(text.replace(secret.as_str(), "[redacted:secret]"));
            }
            // A piece that was cut ends in the beginning of the secret.
            let begins = |head: &str| {
                let starts = secret.char_indices().rev().map(|(at, _)| at);
                let mut starts = starts.filter(|at| *at >= MIN_SECRET);
                starts.find_map(|at| head.strip_suffix(secret.get(..at)?).map(str::to_owned))
            };
            if let Some(head) = text.strip_suffix('…').and_then(begins) {
                text = Cow::Owned(format!("{head}[redacted:secret]"));
            }
        }
        truncate_chars(&text, limit)
    }
}
