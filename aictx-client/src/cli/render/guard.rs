//! Steer, who, trust and verdicts, as text for people.

use aictx_proto::methods::{
    ClaimReply, GuardFinding, SteerReply, TrustReply, VerdictList, WhoReply,
};
use serde::Deserialize;

use crate::cli::terminal_text::{Paint, clean, one_line};

/// Longest text on a line.
const LINE: usize = 120;

/// `aictx steer`.
pub fn steer(reply: &SteerReply, paint: Paint) -> String {
    let decision = match reply.decision.as_str() {
        "continue" => reply.decision.clone(),
        other => paint.yellow(other),
    };
    let mut out = format!(
        "AICTX steer: {decision} ({}, {})\n",
        clean(&reply.classification),
        clean(&reply.impact)
    );
    let updates = &reply.suggested_updates;
    for (label, list) in [
        ("forbidden", &updates.forbidden_paths),
        ("only", &updates.only_paths),
        ("allowed again", &updates.lifted_paths),
        ("to be worked on", &updates.required_paths),
    ] {
        if !list.is_empty() {
            out.push_str(&format!("{label}: {}\n", one_line(&list.join(", "), LINE)));
        }
    }
    if !reply.applied_to.is_empty() {
        out.push_str(&format!("kept for session {}\n", clean(&reply.applied_to)));
    }
    out
}

/// `aictx who`.
pub fn who(reply: &WhoReply, paint: Paint) -> String {
    if reply.sessions.is_empty() {
        return "nobody is at work here\n".to_owned();
    }
    let mut out = String::new();
    for s in &reply.sessions {
        out.push_str(&format!(
            "{} {}  {}  branch {}\n",
            paint.bold(&clean(&s.runner)),
            clean(&s.session_id),
            clean(&s.last_seen_at),
            clean(&s.branch)
        ));
        if !s.request.is_empty() {
            out.push_str(&format!("  request: {}\n", one_line(&s.request, LINE)));
        }
        if !s.files.is_empty() {
            out.push_str(&format!(
                "  edited: {}\n",
                one_line(&s.files.join(", "), LINE * 2)
            ));
        }
        if !s.claims.is_empty() {
            out.push_str(&format!(
                "  claims: {}\n",
                one_line(&s.claims.join(", "), LINE)
            ));
        }
        if !s.limits.is_empty() {
            out.push_str(&format!(
                "  off limits: {}\n",
                one_line(&s.limits.join(", "), LINE)
            ));
        }
    }
    out
}

/// `aictx claim`.
pub fn claim(reply: &ClaimReply, paint: Paint) -> String {
    let mut out = if reply.claims.is_empty() {
        "this session claims nothing\n".to_owned()
    } else {
        format!(
            "claimed: {}\n",
            one_line(&reply.claims.join(", "), LINE * 2)
        )
    };
    for held in &reply.held_by {
        let did = if held.claimed { "claims" } else { "edited" };
        out.push_str(&paint.yellow(&format!(
            "  {} ({}) {did} {}",
            clean(&held.runner),
            clean(&held.session_id),
            clean(&held.path)
        )));
        out.push('\n');
    }
    out
}

/// `aictx trust`.
pub fn trust(reply: &TrustReply, paint: Paint) -> String {
    if reply.policy.is_empty() {
        return format!(
            "{} is not there: the repository has no policy\n",
            clean(&reply.path)
        );
    }
    let state = if reply.trusted {
        "trusted".to_owned()
    } else {
        paint.yellow("not trusted: it can only make the guard stricter")
    };
    let mut out = format!("{} ({state})\n", clean(&reply.path));
    for line in &reply.diff {
        let line = clean(line);
        let shown = match line.as_bytes().first() {
            Some(b'+') => paint.green(&line),
            Some(b'-') => paint.red(&line),
            _ => line,
        };
        out.push_str(&format!("{shown}\n"));
    }
    if !reply.would_change.is_empty() {
        out.push_str("trusting it would change:\n");
        for change in &reply.would_change {
            out.push_str(&format!("  {}\n", clean(change)));
        }
    }
    out.push_str(&format!("hash {}\n", clean(&reply.hash)));
    if !reply.problem.is_empty() {
        out.push_str(&format!("problem: {}\n", clean(&reply.problem)));
    }
    out
}

/// `aictx why --verdict`.
pub fn verdicts(list: &VerdictList, paint: Paint) -> String {
    if list.verdicts.is_empty() {
        return "nothing was refused or asked about\n".to_owned();
    }
    let mut out = String::new();
    for row in &list.verdicts {
        let text = |name: &str| clean(row[name].as_str().unwrap_or_default());
        let decision = text("decision");
        let shown = if decision == "deny" {
            paint.red(&decision)
        } else {
            paint.yellow(&decision)
        };
        out.push_str(&format!(
            "{}  {}  {shown}  {} {}\n  {}: {}\n  {}\n",
            text("id"),
            text("at"),
            text("runner"),
            text("session_id"),
            text("tool"),
            one_line(row["subject"].as_str().unwrap_or_default(), LINE * 2),
            text("reason"),
        ));
        // One verdict is shown with all that it rests on.
        if list.verdicts.len() == 1 {
            if !text("cwd").is_empty() {
                out.push_str(&format!("  in {}\n", text("cwd")));
            }
            let findings = row["findings"].as_array().into_iter().flatten();
            for found in findings.filter_map(|f| GuardFinding::deserialize(f).ok()) {
                out.push_str(&format!("  - {}\n", finding(&found)));
            }
        }
    }
    out
}

/// A finding of the guard on one line.
pub fn finding(finding: &GuardFinding) -> String {
    let mut parts = vec![clean(&finding.code), clean(&finding.severity)];
    parts.push(clean(&finding.level));
    parts.push(clean(&finding.kind));
    if !finding.verb.is_empty() {
        parts.push(format!("`{}`", clean(&finding.verb)));
    }
    parts.extend(finding.targets.iter().map(|target| clean(target)));
    if finding.verb.is_empty() && finding.targets.is_empty() {
        parts.extend(finding.evidence.iter().map(|fact| clean(fact)));
    }
    if let Some(part) = finding.part {
        parts.push(format!("(command {part} of the line)"));
    }
    if finding.reversible == Some(false) {
        parts.push("cannot be taken back".to_owned());
    }
    parts.retain(|part| !part.is_empty());
    parts.join("  ")
}
