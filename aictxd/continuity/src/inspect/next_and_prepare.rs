//! `next` and `prepare`: the context of a task in two forms.

use std::collections::BTreeSet;
use std::fmt::Write;

use aictx_proto::Timestamp;
use aictx_proto::record::{ORIGIN, Origin, Thread};
use aictx_proto::shown::{self, Code, Line, Name, Quoted};
use aictx_proto::snapshot::Snapshot;
use aictx_proto::told;
use aictx_shell::{only_checks, only_looks};
use serde_json::{Value, json};

use super::AtHand;
use crate::origin::{self, labelled, marked, with_origin};
use crate::project::Project;
use crate::recall::Recollection;
use crate::relevance::{Context, Hand, Ranked, Relevance};
use crate::resume::{
    carryover_gaps, decision_text, discarded_hypotheses, entry_points, failure_text, other_work,
    recalled, validation_policy,
};
use crate::session_brief::next_action;
use crate::tasks::{compact, ticket_at_hand, ticket_line};
use crate::{memory_freshness, preferences, strategies};

fn load<'a>(
    snapshot: &'a Snapshot,
    project: &'a Project,
    hand: &AtHand,
    now: Timestamp,
) -> Context<'a> {
    let at_hand = Hand {
        files: hand.files,
        commands: hand.commands,
        tests: hand.tests,
        errors: hand.errors,
    };
    Context::load(
        snapshot,
        project,
        hand.request,
        hand.task_type,
        at_hand,
        now,
    )
}

/// `aictx next`: `{continuity_brief, ranked_items, why_loaded}`, and the same as text.
pub fn next(
    snapshot: &Snapshot,
    project: &Project,
    hand: &AtHand,
    now: Timestamp,
) -> (Value, String) {
    let context = load(snapshot, project, hand, now);
    let ranked = context.ranked();
    let why = context.why_loaded(ranked);
    let brief = brief(&context, ranked, &why);
    let at_hand = context.threads_at_hand().next().is_some();
    let mut text = next_text(&brief, &why, at_hand, &project.recalled);
    if let Some(thread) = ticket_at_hand(snapshot, &project.checkout)
        && let Some(link) = &thread.ticket
    {
        text.insert_str(TITLE.len(), &format!("{}\n", ticket_line(&thread, link)));
    }
    if let Some(run) = &project.run {
        let _ = writeln!(text, "\n{}{}", run.line(), run.origin.label());
    }
    let items: Vec<Value> = ranked.iter().map(Ranked::to_json).collect();
    (
        json!({
            "continuity_brief": brief, "ranked_items": items, "why_loaded": why,
            "active_run": project.run.as_ref().map(|run| &run.id),
        }),
        text,
    )
}

/// `continuity_brief`, version 2.
fn brief(context: &Context, ranked: &[Ranked], why: &Value) -> Value {
    let active = context.active.thread.as_deref();
    let recent = context.active.recent.as_deref();
    let handoff = context.handoff;
    let mut paths: Vec<(String, Origin)> = Vec::new();
    // Memory that only exists says nothing about this request, nor does the handoff of other work.
    let elsewhere = other_work(context);
    let is_about = |item: &&Ranked| match item.kind {
        "handoff" => !elsewhere || item.fits_the_request(),
        "decision" => item
            .reasons
            .iter()
            .any(|reason| reason != "recent_decision"),
        _ => true,
    };
    let from_items = ranked.iter().filter(is_about);
    let from_items = from_items.flat_map(|i| i.paths.iter().take(4).map(|p| (p.clone(), i.origin)));
    let handoff_at_hand = handoff.filter(|_| !elsewhere);
    let from_handoff = handoff_at_hand.into_iter().flat_map(|h| {
        let points = context.live(&h.recommended_starting_points).into_iter();
        points.map(|path| (path, h.origin))
    });
    for (path, origin) in from_items.chain(from_handoff) {
        if paths.len() < 8 && !paths.iter().any(|(known, _)| *known == path) {
            paths.push((path, origin));
        }
    }
    let mut go_on: Vec<String> = Vec::new();
    let mut add = |text: String, origin: Origin| {
        let text = origin::line(&text, 240, origin);
        if !text.trim().is_empty() && go_on.len() < 6 && !go_on.contains(&text) {
            go_on.push(text);
        }
    };
    // What waits is shown, and gone on with by who asks for it.
    let at_hand = |t: &&Thread| context.threads_at_hand().any(|of| of.task_id == t.task_id);
    if let Some(t) = active.filter(at_hand) {
        add(t.next_action.clone(), t.origin);
        let newest: Vec<String> = t.active_files.iter().rev().cloned().collect();
        let newest = context.live(&newest).into_iter().take(3);
        newest.for_each(|path| add(path, t.origin));
    }
    if elsewhere {
        paths
            .iter()
            .take(3)
            .for_each(|(path, origin)| add(path.clone(), *origin));
    }
    if let Some(h) = handoff_at_hand {
        h.next_steps
            .iter()
            .take(3)
            .for_each(|s| add(s.clone(), h.origin));
        if h.next_steps.is_empty() {
            let next = next_action(h).map(|next| next.to_string());
            add(next.unwrap_or_default(), h.origin);
        }
        let points = context.live(&h.recommended_starting_points).into_iter();
        points.take(3).for_each(|path| add(path, h.origin));
    }
    if let Some(t) = recent.filter(at_hand) {
        add(t.next_action.clone(), t.origin);
    }
    paths
        .iter()
        .take(3)
        .for_each(|(path, origin)| add(path.clone(), *origin));
    let mut risks: Vec<String> = Vec::new();
    let mut risk = |text: &str, origin: Origin| {
        let text = origin::line(text, 240, origin);
        if !text.trim().is_empty() && risks.len() < 8 && !risks.contains(&text) {
            risks.push(text);
        }
    };
    for thread in context.threads_at_hand() {
        thread
            .risks
            .iter()
            .rev()
            .take(2)
            .for_each(|r| risk(r, thread.origin));
    }
    if let Some(h) = handoff_at_hand {
        h.risks.iter().take(4).for_each(|r| risk(r, h.origin));
    }
    for found in context.decisions.iter().take(5) {
        found
            .decision
            .risks
            .iter()
            .take(2)
            .for_each(|r| risk(r, found.decision.origin));
    }
    // What failed and what may help, not the signature.
    context
        .failures
        .iter()
        .take(3)
        .for_each(|(_, p)| risk(&failure_text(p, context), Origin::Own));
    for s in &context.subsystems {
        s.fragile_areas
            .iter()
            .take(2)
            .for_each(|r| risk(r, s.origin));
    }
    let mut commands: Vec<String> = Vec::new();
    let threads = context.threads_at_hand();
    let of_threads =
        threads.flat_map(|t| t.recommended_commands.iter().rev().map(|c| (c, t.origin)));
    let strategy = || context.strategy.iter().map(|found| found.strategy);
    let of_strategy = strategy().flat_map(|s| s.commands_executed.iter().map(|c| (c, s.origin)));
    // What was run once is nothing to run again, unless it only finds out how things stand.
    let worth = |(command, _): &(&String, Origin)| only_checks(command) && !only_looks(command);
    for (command, origin) in of_threads.chain(of_strategy).filter(worth) {
        let command = origin::line(command, 200, origin);
        if commands.len() < 5 && !commands.contains(&command) {
            commands.push(command);
        }
    }
    let tests = strategy().flat_map(|s| {
        s.tests_executed
            .iter()
            .map(|c| with_origin(c.clone(), s.origin))
    });
    let mut tests: Vec<String> = tests.take(4).collect();
    if let Some((check, _)) = context.project.canonical_check(context.snapshot)
        && !tests.contains(&check)
    {
        tests.push(check);
    }
    let strategy = context.strategy.as_ref();
    json!({
        "version": 2,
        "where_to_continue": go_on,
        "recalled": recalled(context),
        "active_work_state": active.map_or_else(|| json!({}), compact),
        "recent_work_state": recent.map_or_else(|| json!({}), compact),
        "active_decisions": context.decisions.iter().take(5).map(|d| decision_text(d.decision, context)).collect::<Vec<_>>(),
        "probable_paths": paths.into_iter().map(|(path, origin)| with_origin(path, origin)).collect::<Vec<_>>(),
        "known_risks": risks,
        "recommended_commands": commands,
        "recommended_tests": tests,
        "reuse_confidence": strategy.map_or("low", |s| s.confidence),
        "discarded_hypotheses": discarded_hypotheses(context, 1),
        "strategy_hint": strategy.map_or_else(|| json!({}), strategies::hint),
        "contract_gaps": carryover_gaps(context),
        "top_ranked_items": ranked.iter().take(5).map(Ranked::to_json).collect::<Vec<_>>(),
        "why_loaded": why,
    })
}

/// First line of the text.
const TITLE: &str = "AICTX next\n";
/// Longest text of others in what is told, in characters.
const MAX_SAID: usize = 400;

/// `at_hand`: the task is what was asked about.
fn next_text(brief: &Value, why: &Value, at_hand: bool, recalled: &[Recollection]) -> String {
    let mut out = String::from(TITLE);
    let mut block = |title: Line, lines: Vec<Line>| {
        if !lines.is_empty() {
            let _ = writeln!(out, "\n{title}");
            lines.iter().for_each(|line| {
                let _ = writeln!(out, "- {line}");
            });
        }
    };
    let list = |name: &str, limit: usize| {
        let items = brief[name].as_array().into_iter().flatten();
        items.take(limit).filter_map(Value::as_str)
    };
    let quoted = |name: &str, limit: usize| -> Vec<Line> {
        let items = list(name, limit);
        items
            .map(|item| marked(item, Quoted::new, MAX_SAID))
            .collect()
    };
    for (title, name) in [
        ("Active work", "active_work_state"),
        ("Recent paused/blocked work", "recent_work_state"),
    ] {
        let task = &brief[name];
        let said = |label: &'static str, member: &str| {
            Some(told!(
                "{}: {}",
                label,
                marked(task[member].as_str()?, Quoted::new, MAX_SAID)
            ))
        };
        let goal = said("Goal", "goal").into_iter();
        if !at_hand {
            block(told!("{}, not asked about", title), goal.collect());
            continue;
        }
        let more = [
            said("Hypothesis", "current_hypothesis"),
            said("Next", "next_action"),
        ];
        block(
            told!("{}", title),
            goal.chain(more.into_iter().flatten()).collect(),
        );
    }
    block(told!("Continue"), quoted("where_to_continue", 3));
    let recalled = recalled_lines(recalled).map(|lines| Line::join(lines, "\n"));
    block(told!("Earlier work on this"), recalled.collect());
    let reasons = why.as_object().into_iter().flatten();
    let mut because: Vec<Line> = reasons
        .filter(|(_, r)| r[0] != "not_loaded")
        .map(|(kind, r)| {
            let words = r.as_array().into_iter().flatten();
            let words = words.filter_map(Value::as_str).take(3);
            let words = words.map(|word| marked(word, Name::new, MAX_SAID));
            told!("{}: {}", Name::new(kind, 80), Line::join(words, ", "))
        })
        .take(5)
        .collect();
    if brief["reuse_confidence"] != "low" {
        let confidence = brief["reuse_confidence"].as_str().unwrap_or_default();
        because.push(told!("reuse confidence: {}", Name::new(confidence, 40)));
    }
    let changed = brief.pointer("/strategy_hint/changed_since");
    let origin = brief
        .get("strategy_hint")
        .map(Origin::of)
        .unwrap_or_default();
    for what in changed.and_then(Value::as_array).into_iter().flatten() {
        let what = Quoted::new(what.as_str().unwrap_or_default(), MAX_SAID);
        because.push(told!("since then {}{}", what, origin.label()));
    }
    block(told!("Why"), because);
    let paths = list("probable_paths", 5).map(|path| marked(path, Name::new, MAX_SAID));
    block(told!("Paths"), paths.collect());
    block(told!("Decisions"), quoted("active_decisions", 2));
    block(told!("Risks"), quoted("known_risks", 2));
    let mut run: Vec<Line> = Vec::new();
    for command in list("recommended_commands", 3).chain(list("recommended_tests", 2)) {
        let command = marked(command, Code::new, MAX_SAID);
        if !run.contains(&command) {
            run.push(command);
        }
    }
    block(told!("Run"), run);
    if out == TITLE {
        out.push_str("\nNothing is recorded here that says what to do next.\n");
    }
    out
}

/// Lines of the executions that fit a request, without a bullet before them.
fn recalled_lines(recalled: &[Recollection]) -> impl Iterator<Item = Vec<Line>> {
    let labelled = |one: &Recollection| {
        let lines = one.lines.iter();
        let lines = lines.map(|line| told!("{}{}", line.without("- "), one.origin.label()));
        lines.collect()
    };
    recalled.iter().map(labelled)
}

/// `aictx prepare`: what to look at for a goal, read-only.
pub fn prepare(
    snapshot: &Snapshot,
    project: &Project,
    goal: &str,
    task_type: &str,
    now: Timestamp,
) -> (Value, String) {
    let hand = AtHand {
        request: goal,
        task_type,
        ..AtHand::default()
    };
    let context = load(snapshot, project, &hand, now);
    let ranked = context.ranked();
    let fits = context.task_fits;
    let (points, fallback) = entry_points(&context, fits, true);
    let mut files: Vec<Value> = Vec::new();
    // Workflows of CI that memory merely speaks of are no place to look at.
    let further = fallback
        .iter()
        .filter(|point| file_kind(&point.path) != "ci");
    for point in points.iter().chain(further) {
        if files.len() < 8 && !files.iter().any(|f| f["path"] == point.path.as_str()) {
            let score = ranked
                .iter()
                .find(|r| r.paths.contains(&point.path))
                .map_or(0, |r| r.score);
            let mut file = json!({
                "path": point.path, "kind": file_kind(&point.path), "score": score,
                "source": point.source_name(), "why_loaded": [point.why()], "rank": files.len() + 1,
            });
            point.origin.mark(&mut file);
            files.push(file);
        }
    }
    let area = crate::area_of_paths::derive_area(points.iter().map(|p| p.path.as_str()));
    let mut areas = vec![json!({ "area": area, "why_loaded": "most of the files lie there" })];
    areas.extend(context.subsystems.iter().take(5).map(|s| {
        let area = json!({ "area": s.name, "why_loaded": shown::line(&s.description, 160) });
        labelled(&area, s.origin, &["why_loaded"])
    }));
    let check = project.canonical_check(snapshot);
    let policy = validation_policy(&context.task.name, check.is_none());
    let mut expectations: Vec<String> = check.iter().map(|(c, _)| c.clone()).collect();
    expectations.extend(
        context
            .strategy
            .iter()
            .map(|found| found.strategy)
            .flat_map(|s| {
                s.tests_executed
                    .iter()
                    .take(3)
                    .map(|c| with_origin(c.clone(), s.origin))
            }),
    );
    expectations.dedup();
    let first = match context
        .active
        .thread
        .as_ref()
        .filter(|_| fits)
        .map(|t| with_origin(t.next_action.clone(), t.origin))
    {
        Some(next) if !next.is_empty() => next,
        _ => match points.as_slice() {
            [] => "look at what the goal names".to_owned(),
            [one] => with_origin(format!("open {}", one.path), one.origin),
            [a, b, ..] => {
                let both = format!("open {} and {}", a.path, b.path);
                with_origin(both, a.origin.and(b.origin))
            }
        },
    };
    let of_handoff = context.handoff.map(|h| h.origin).unwrap_or_default();
    let stale = context.handoff_stale.iter();
    let mut stale: Vec<String> = stale
        .map(|why| with_origin(why.clone(), of_handoff))
        .collect();
    stale.extend(context.decisions.iter().take(5).flat_map(|d| {
        let dirt = context.dirt(&d.decision.anchors).into_iter();
        dirt.map(|dirt| with_origin(dirt, d.decision.origin))
    }));
    stale.extend(context.strategy.iter().flat_map(|s| {
        let changed = s.changed.iter();
        changed.map(|changed| with_origin(changed.clone(), s.strategy.origin))
    }));
    let mut known = BTreeSet::new();
    stale.retain(|what| known.insert(what.clone()));
    stale.truncate(8);
    let quality =
        memory_freshness::report(&context, &carryover_gaps(&context), check.is_some(), false);
    let handoff = context
        .handoff
        .filter(|_| context.relevance > Relevance::Unrelated);
    let mut warnings: Vec<String> = snapshot
        .issues
        .iter()
        .map(|i| i.warning())
        .take(8)
        .collect();
    if !project.has_map() {
        warnings.push("repo_map_empty".to_owned());
    }
    let pack = json!({
        "schema_version": "1.0", "mode": "task_context_pack", "repo": project.root,
        "goal": { "raw": goal, "normalized": context.request },
        "task_type": context.task.name, "task_type_confidence": context.task.confidence,
        "task_type_resolution": crate::record_json::record_value(&context.task),
        "relevant_files": files, "relevant_areas": areas,
        "repo_map_entrypoints": project.map.iter().take(5).map(|h| json!({
            "path": h.path, "title": h.title, "score": h.score, "reasons": h.reasons,
            "symbol": h.metadata.symbol, "symbol_kind": h.metadata.symbol_kind, "line": h.metadata.line,
        })).collect::<Vec<_>>(),
        "work_state": context.active.thread.as_ref().map_or_else(|| json!({ "active": false }), |t| {
            let mut out = compact(t);
            aictx_proto::json::set(&mut out, "active", true);
            out
        }),
        "recalled": recalled(&context),
        "decisions": context.decisions.iter().take(5).map(|d| labelled(&json!({
            "id": d.id(), "decision": shown::line(&d.decision.decision, 200),
            "text": decision_text(d.decision, &context), "why_loaded": d.reasons(),
        }), d.decision.origin, &["decision"])).collect::<Vec<_>>(),
        "handoffs": handoff.iter().map(|h| labelled(&json!({
            "summary": shown::line(&h.summary, 240), "status": h.status,
            "relevance": context.relevance.name(),
        }), h.origin, &["summary"])).collect::<Vec<_>>(),
        "failures": context.failures.iter().take(5).map(|(score, p)| labelled(&json!({
            "failure_id": p.failure_id, "text": failure_text(p, &context), "match_score": score,
        }), p.origin, &[])).collect::<Vec<_>>(),
        "execution_contract": {
            "mode": "focused_context_only", "task_goal": context.request,
            "first_action": { "type": "inspect", "instruction": first },
            "validation_expectations": expectations, "validation_policy": policy,
            "read_only_pack": true,
        },
        "validation_expectations": expectations, "suggested_first_action": first,
        "area_hints": crate::area_memory::hints(&snapshot.areas, &area),
        "continuity_quality": {
            "score": aictx_proto::json::member(&quality, "score"), "status": aictx_proto::json::member(&quality, "status"), "advisory_only": true,
        },
        "effective_preferences": preferences::as_json(&snapshot.preferences),
        "staleness_warnings": stale.iter().map(|what| json!({
            "code": stale_code(what), "summary": what, "severity": "warning",
        })).collect::<Vec<_>>(),
        "why_loaded": context.why_loaded(ranked),
        "warnings": warnings,
    });
    let text = prepare_text(&pack, &project.recalled);
    (pack, text)
}

/// Code of a staleness warning, by its text.
fn stale_code(what: &str) -> &'static str {
    match what.split(':').next() {
        Some("missing_paths") => "missing_linked_file",
        Some("age_days") => "stale_handoff",
        _ => "changed_since",
    }
}

fn file_kind(path: &str) -> &'static str {
    let name = path.rsplit('/').next().unwrap_or(path);
    let lower = path.to_lowercase();
    if path.starts_with(".github/") || name == ".gitlab-ci.yml" {
        "ci"
    } else if lower.contains("test") || lower.starts_with("spec/") || lower.contains("/spec/") {
        "test"
    } else if lower.starts_with("docs/") || name.ends_with(".md") || name.ends_with(".rst") {
        "docs"
    } else if [".toml", ".cfg", ".ini", ".yaml", ".yml", ".json", ".lock"]
        .iter()
        .any(|e| name.ends_with(e))
    {
        "config"
    } else if name.contains('.') {
        "source"
    } else {
        "other"
    }
}

fn prepare_text(pack: &Value, recalled: &[Recollection]) -> String {
    let mut out = String::new();
    let mut section = |title: &str, lines: Vec<Line>| {
        if !lines.is_empty() {
            let _ = writeln!(out, "{title}");
            lines.iter().for_each(|l| {
                let _ = writeln!(out, "  {l}");
            });
            out.push('\n');
        }
    };
    let quoted = |v: &Value| marked(v.as_str().unwrap_or_default(), Quoted::new, MAX_SAID);
    let name = |v: &Value| marked(v.as_str().unwrap_or_default(), Name::new, MAX_SAID);
    let each = |name: &str, line: &dyn Fn(&Value) -> Line| -> Vec<Line> {
        let items = pack[name].as_array().into_iter().flatten();
        items.map(line).collect()
    };
    let goal = pack.pointer("/goal/normalized").unwrap_or(&Value::Null);
    section("Goal", vec![quoted(goal)]);
    section("Task type", vec![told!("{}", name(&pack["task_type"]))]);
    section(
        "Relevant files",
        each("relevant_files", &|f| {
            let why = f.pointer("/why_loaded/0").unwrap_or(&Value::Null);
            told!(
                "{} ({}) - {}",
                name(&f["path"]),
                name(&f["kind"]),
                name(why)
            )
        }),
    );
    let recalled = recalled_lines(recalled).flatten();
    section("Earlier work on this", recalled.collect());
    section(
        "Relevant decisions",
        each("decisions", &|d| quoted(&d["text"])),
    );
    let noted = pack["effective_preferences"].as_object().into_iter();
    let noted = noted.flatten().filter(|(name, _)| *name != ORIGIN);
    let noted = noted.map(|(preference, said)| {
        let preference = Name::new(preference, MAX_SAID);
        told!("{}: {}", preference, quoted(said))
    });
    section("Preferences noted here", noted.collect());
    section("Known failures", each("failures", &|f| quoted(&f["text"])));
    section(
        "Validation contract",
        each("validation_expectations", &quoted),
    );
    section(
        "Staleness warnings",
        each("staleness_warnings", &|warning| quoted(&warning["summary"])),
    );
    section("Warnings", each("warnings", &quoted));
    let first = &pack["suggested_first_action"];
    section("Suggested first action", vec![quoted(first)]);
    out
}
