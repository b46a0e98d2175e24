//! The closeout of a run, as JSON and as Markdown.

use aictx_proto::Timestamp;
use aictx_proto::json::{member, set, texts};
use aictx_proto::methods::RunCloseParams;
use serde_json::{Value, json};

use super::gate::command_of;
use super::ledger::text;
use super::state::Run;

/// Builds the closeout of a run: its summary, and how it was closed.
pub fn closeout(run: &Run, closing: &RunCloseParams, now: Timestamp) -> Value {
    let mut value = run.summary();
    set(&mut value, "closed_at", now.to_string());
    let Value::Object(stated) = stated(closing) else {
        return value;
    };
    for (name, content) in stated {
        set(&mut value, &name, content);
    }
    let checked = closing.verification.iter().filter_map(|entry| {
        let command = command_of(run, entry)?;
        Some(json!({
            "id": text(command, "id"), "command": text(command, "command"),
            "status": text(command, "status"),
        }))
    });
    let checked: Vec<Value> = checked.collect();
    if !checked.is_empty() {
        set(&mut value, "verified_by", checked);
    }
    value
}

/// Members that the caller states; compared to tell a repetition from another closeout.
fn stated(closing: &RunCloseParams) -> Value {
    let given = |list: &[String]| -> Vec<String> {
        let texts = list.iter().map(|text| text.trim().to_owned());
        texts.filter(|text| !text.is_empty()).collect()
    };
    let mut value = json!({
        "summary": closing.summary.trim(), "verification": given(&closing.verification),
        "residual_risks": given(&closing.risks),
    });
    if !closing.unverified.trim().is_empty() {
        set(&mut value, "unverified", closing.unverified.trim());
    }
    if !closing.carry.is_empty() {
        set(&mut value, "carried", given(&closing.carry));
    }
    if !closing.overrides.is_empty() {
        set(&mut value, "overrides", json!(closing.overrides));
    }
    value
}

/// Returns true if a run was closed with these very words.
pub fn is_repeated(closeout: &Value, closing: &RunCloseParams) -> bool {
    let stated = stated(closing);
    let names = [
        "summary",
        "verification",
        "residual_risks",
        "unverified",
        "carried",
        "overrides",
    ];
    names
        .iter()
        .all(|name| member(closeout, name) == member(&stated, name))
}

/// Name of a closeout's file, without its ending: the first has none of the numbers that later ones have.
pub fn stem(number: usize) -> String {
    match number {
        0 | 1 => "closeout".to_owned(),
        number => format!("closeout-{number:03}"),
    }
}

/// Renders a closeout as Markdown.
pub fn markdown(closeout: &Value) -> String {
    let said = |name: &str| member(closeout, name).as_str().unwrap_or_default();
    let line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut out = format!(
        "# Run {}\n\n- Request: {}\n- Intent: {}\n- Closed: {}\n",
        said("id"),
        line(said("request")),
        said("intent"),
        said("closed_at"),
    );
    let mut section = |title: &str, lines: Vec<String>, none: &str| {
        out.push_str(&format!("\n## {title}\n\n"));
        match lines.is_empty() {
            true => out.push_str(&format!("{none}\n")),
            false => lines
                .iter()
                .for_each(|line| out.push_str(&format!("{line}\n"))),
        }
    };
    let list = |name: &str| -> Vec<String> {
        let texts = texts(closeout.get(name));
        texts
            .iter()
            .map(|text| format!("- {}", line(text)))
            .collect()
    };
    let summary = match said("summary") {
        "" => Vec::new(),
        summary => vec![summary.to_owned()],
    };
    section("Summary", summary, "No summary was given.");
    let mut verification = list("verification");
    if !said("unverified").is_empty() {
        verification.push(format!("- Not verified: {}", line(said("unverified"))));
    }
    section("Verification", verification, "Nothing was verified.");
    let learning = member(closeout, "learning").as_array();
    let learning = learning.into_iter().flatten().map(|row| {
        let of = |name: &str| member(row, name).as_str().unwrap_or_default();
        let target = match of("path") {
            "" => of("reason"),
            path => path,
        };
        let what = format!("- {} {} -> {}", of("id"), of("kind"), of("repo_action"));
        format!("{what}: {} ({})", line(of("summary")), line(target))
    });
    section("Learning", learning.collect(), "Nothing was learned.");
    section("Residual Risks", list("residual_risks"), "None is known.");
    let carried = list("carried");
    if !carried.is_empty() {
        section("Carried Hypotheses", carried, "");
    }
    let overrides = member(closeout, "overrides").as_array();
    let overrides: Vec<String> = overrides
        .into_iter()
        .flatten()
        .map(|over| {
            let of = |name: &str| member(over, name).as_str().unwrap_or_default();
            format!("- {}: {}", of("gate"), line(of("reason")))
        })
        .collect();
    if !overrides.is_empty() {
        section("Overrides", overrides, "");
    }
    out
}
