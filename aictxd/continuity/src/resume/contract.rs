//! Contract of a session: the fit of the request to memory, and what follows from it
//!. Bound only by evidence in the request itself, or when it says to go on.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use aictx_proto::record::Origin;
use aictx_proto::shown::{Line, Name, Quoted};
use aictx_proto::text::clean;
use aictx_proto::told;
use aictx_steer::{NamedFiles, Naming};
use serde_json::{Value, json};

use crate::file_suggestions;
use crate::origin::with_origin;
use crate::relevance::{Context, Relevance};
use crate::text_similarity::{shared, terms};

/// Entry points told, in the usual and in the full form.
const MAX_ENTRY_POINTS: usize = 4;
const MAX_ENTRY_POINTS_FULL: usize = 8;
/// Further paths of a contract's scope.
const MAX_SECONDARY: usize = 4;

/// A file to begin with.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct EntryPoint {
    pub(crate) path: String,
    pub(crate) reason: Line,
    pub(crate) source: Source,
    /// Origin of the reason.
    pub(crate) origin: Origin,
}

/// Source of an entry point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Source {
    Task,
    Handoff,
    Map,
    Memory,
}

impl EntryPoint {
    /// `work_state`, `handoff`, `repo_map` or `memory`.
    pub(crate) fn source_name(&self) -> &'static str {
        match self.source {
            Source::Task => "work_state",
            Source::Handoff => "handoff",
            Source::Map => "repo_map",
            Source::Memory => "memory",
        }
    }

    /// Its reason, with the label of its origin.
    pub(crate) fn why(&self) -> String {
        with_origin(self.reason.to_string(), self.origin)
    }

    pub(super) fn to_json(&self) -> Value {
        let mut point = json!({ "path": self.path, "reason": self.why() });
        self.origin.mark(&mut point);
        point
    }
}

/// Files to begin with, best first, and those of memory that do not fit the request: those that the
/// request names, then the active task's, what the last handoff recommends where that fits, what the map
/// ranks highest, what other memory speaks of.
pub(crate) fn entry_points(
    context: &Context,
    task_fits: bool,
    full: bool,
) -> (Vec<EntryPoint>, Vec<EntryPoint>) {
    let limit = if full {
        MAX_ENTRY_POINTS_FULL
    } else {
        MAX_ENTRY_POINTS
    };
    let (mut points, mut fallback): (Vec<EntryPoint>, Vec<EntryPoint>) = Default::default();
    let mut seen: BTreeSet<String> = BTreeSet::new();
    let mut add = |list: &mut Vec<EntryPoint>, path: String, reason: Line, from| {
        if !path.starts_with(".aictx") && seen.insert(path.clone()) {
            let (source, origin): (Source, Origin) = from;
            list.push(EntryPoint {
                path,
                reason,
                source,
                origin,
            });
        }
    };
    let thread = context
        .active
        .thread
        .as_ref()
        .or(context.active.recent.as_ref());
    if let Some(thread) = thread.filter(|_| task_fits) {
        let newest: Vec<String> = thread.active_files.iter().rev().cloned().collect();
        for path in context.live(&newest).into_iter().take(5) {
            add(
                &mut points,
                path,
                told!("active Work State file"),
                (Source::Task, thread.origin),
            );
        }
    }
    let handoff: Vec<String> = context
        .handoff
        .map(|h| context.live(&h.recommended_starting_points))
        .unwrap_or_default();
    let of_handoff = context.handoff.map(|h| h.origin).unwrap_or_default();
    let of_handoff = (Source::Handoff, of_handoff);
    let fits = context.relevance >= Relevance::Medium && context.handoff_stale.is_empty();
    let from_handoff = |path: String| {
        (
            path,
            told!(
                "previous handoff starting point; {}",
                context.relevance.name()
            ),
        )
    };
    let mapped: Vec<(String, Line)> = file_suggestions::entry_points(&context.project.map)
        .iter()
        .filter_map(|point| {
            let text = |name: &str| Some(point.get(name)?.as_str()?.to_owned());
            let reason = text("reason").unwrap_or_default();
            Some((text("path")?, told!("{}", Name::new(&reason, 80))))
        })
        .collect();
    // A request that goes on starts where the last one stopped; another one where the map says.
    let first = if context.relevance == Relevance::High {
        Source::Handoff
    } else {
        Source::Map
    };
    for source in [first, Source::Map, Source::Handoff] {
        if source == Source::Map {
            for (path, reason) in mapped.iter().take(limit) {
                let from = (Source::Map, Origin::Own);
                add(&mut points, path.clone(), reason.clone(), from);
            }
        } else if fits {
            for path in handoff.iter().take(5) {
                let (path, reason) = from_handoff(path.clone());
                add(&mut points, path, reason, of_handoff);
            }
        }
    }
    for item in context
        .ranked()
        .iter()
        .filter(|i| i.kind != "repo_map" && i.kind != "handoff")
    {
        // Memory that only exists says nothing about this request.
        let related =
            item.reasons.iter().any(|r| {
                r.starts_with("shared_terms") || r == "pinned" || r == "governs_these_files"
            }) || matches!(item.kind, "strategy");
        for path in item.paths.iter().take(3) {
            let reason = told!("{}: {}", item.kind, Quoted::new(&item.title, 80));
            let list = if related { &mut points } else { &mut fallback };
            add(list, path.clone(), reason, (Source::Memory, item.origin));
        }
    }
    for path in handoff.iter().take(5) {
        let (path, reason) = from_handoff(path.clone());
        add(&mut fallback, path, reason, of_handoff);
    }
    let named = NamedFiles::of(&context.request);
    let how = |point: &EntryPoint| named.how(&point.path);
    points.extend(fallback.extract_if(.., |point| how(point) >= Naming::Name));
    points.sort_by_cached_key(|point| Reverse(how(point)));
    points.truncate(limit);
    fallback.truncate(limit);
    (points, fallback)
}

/// `{level, contract_strength, score, reason, signals}`.
pub(super) fn continuity_match(context: &Context, points: &[EntryPoint], task_fits: bool) -> Value {
    let mut score = 0;
    let mut signals: Vec<&str> = Vec::new();
    let mut add = |points: i64, signal: &'static str| {
        score += points;
        signals.push(signal);
    };
    if task_fits {
        if context.active.thread.is_some() {
            add(6, "active_work_state");
        } else {
            add(4, "recent_work_state_blocked_or_paused");
        }
    }
    if context.continues && (context.handoff.is_some() || !points.is_empty()) {
        add(2, "explicit_continuation_request");
    }
    if let Some(first) = points.first() {
        let asked = terms(&context.request);
        let overlap = shared(&asked, &terms(&format!("{} {}", first.path, first.reason)));
        match overlap {
            0 => {}
            1 => add(2, "first_action_partial_overlap"),
            _ => add(4, "first_action_term_overlap"),
        }
        match first.source {
            Source::Task => add(3, "first_action_from_active_work_state"),
            Source::Handoff => add(2, "first_action_from_handoff"),
            Source::Map => add(1, "task_driven_repomap"),
            Source::Memory => {}
        }
        if first.source == Source::Handoff && overlap > 0 {
            add(1, "handoff_term_overlap");
        }
    }
    if context.handoff.is_some() && !context.continues {
        match context.relevance {
            Relevance::High => add(2, "handoff_high_relevance"),
            Relevance::Unrelated => add(-2, "handoff_demoted_unrelated"),
            _ => {}
        }
    }
    if context
        .strategy
        .as_ref()
        .is_some_and(|s| s.confidence == "high")
    {
        add(3, "high_confidence_strategy_reuse");
    }
    if points.is_empty() {
        add(-2, "missing_entry_points");
    }
    // Strict only with something that this repository's own sessions left; the map alone advises.
    let remembered = points.first().is_some_and(|p| p.source != Source::Map);
    let (level, strength) = match score {
        7.. if remembered => ("high", "strict"),
        3.. => ("medium", "soft"),
        _ => ("low", "exploratory"),
    };
    json!({
        "level": level, "contract_strength": strength, "score": score,
        "reason": format!("score={score}; {}", signals.join(", ")), "signals": signals,
    })
}

/// The contract object: one file to begin with, a scope, a check.
pub(super) fn execution_contract(
    context: &Context,
    matched: &Value,
    points: &[EntryPoint],
    test: Option<&(String, &'static str)>,
) -> Value {
    let strength = matched["contract_strength"]
        .as_str()
        .unwrap_or("exploratory");
    let exploratory = strength == "exploratory";
    let first = points.first().filter(|_| !exploratory);
    let first_action = match first {
        Some(entry) => json!({
            "type": "open_file", "path": entry.path, "binding": "must_open_first",
            "reason": entry.why(),
        }),
        None => json!({
            "type": "inspect_entry_points", "path": "",
            "binding": "must_inspect_listed_entry_points_only",
            "reason": "nothing remembered binds this request",
        }),
    };
    let mut secondary: Vec<String> = points
        .iter()
        .skip(1)
        .take(MAX_SECONDARY)
        .map(|p| p.path.clone())
        .collect();
    if let Some(directory) = first
        .and_then(|f| f.path.rsplit_once('/'))
        .map(|(d, _)| format!("{d}/**"))
    {
        // What lies beside the first file, and tests wherever they are, belong to the work.
        secondary.push(directory);
    }
    if first.is_some() {
        secondary.extend(["tests/**", "test/**", "spec/**"].map(str::to_owned));
    }
    let primary: Vec<&String> = first.iter().map(|f| &f.path).collect();
    let (command, source) = test.map_or((String::new(), "none"), |(c, s)| (c.clone(), *s));
    let structural: Vec<&String> = points
        .iter()
        .filter(|p| p.source == Source::Map)
        .take(3)
        .map(|p| &p.path)
        .collect();
    let mut contract = json!({
        "mode": "closed_loop",
        "task_goal": clean(&context.request, 240),
        "contract_strength": strength,
        "first_action": first_action,
        "first_action_policy": {
            "must_follow": strength == "strict",
            "allowed_before_first_edit": if exploratory {
                json!(["minimal_task_driven_discovery"])
            } else {
                json!(["open:first_action.path", "open:paired_source_or_test_if_needed",
                       "open:fallback_entry_points_only_if_first_action_is_missing_or_invalid"])
            },
        },
        "forbidden_before_first_edit": ["edit .aictx/**", "inspect .aictx/**"],
        "edit_scope": { "primary": primary, "secondary_if_needed": secondary, "avoid": [".aictx/**"] },
        "test_command": {
            "command": command, "source": source, "policy": "run before finalize when code was edited",
        },
        "finalize_command": "aictx finalize --status success|failure --summary \"<what happened>\"",
        "validation_policy": validation_policy(&context.task.name, exploratory || command.is_empty()),
    });
    let at_hand = context.project.at_hand.as_ref();
    if let Some(check) = at_hand.filter(|check| check.command == command && !check.ran.is_empty())
        && let Some(test) = contract.pointer_mut("/test_command")
    {
        aictx_proto::json::set(test, "runs", json!(check.ran));
    }
    let further = match at_hand {
        None => context.project.further_checks(&command),
        Some(_) => Vec::new(),
    };
    if !further.is_empty()
        && let Some(test) = contract.pointer_mut("/test_command")
    {
        aictx_proto::json::set(test, "further", json!(further));
    }
    if !structural.is_empty() && !exploratory {
        aictx_proto::json::set(&mut contract, "expected_first_files", json!(structural));
        aictx_proto::json::set(&mut contract, "expected_first_files_source", "repo_map");
    }
    contract
}

/// Returns whether work of a task type must be tested before it counts as done, and how a missing test is told.
pub(crate) fn validation_policy(task_type: &str, lenient: bool) -> Value {
    let (required, evidence, severity) = match task_type {
        "bug_fixing" | "feature_work" | "refactoring" | "testing" | "performance"
        | "architecture" => (
            !lenient,
            "focused_test_or_relevant_command",
            if lenient {
                "caution"
            } else {
                "needs-validation"
            },
        ),
        "documentation" | "analysis" | "investigation" | "qa" => {
            (false, "inspection_or_relevant_command", "info")
        }
        _ => (false, "task_relevant_command_when_available", "caution"),
    };
    json!({
        "version": 1, "task_type": task_type, "required": required, "evidence": evidence,
        "missing_validation_severity": severity,
    })
}

/// Constant.
pub(super) fn runner_contract() -> Value {
    json!({
        "version": 1, "aictx_required": true, "preferred_surface": "mcp",
        "fallback_surface": "cli", "must_verify_mcp_once_per_session": true,
        "do_not_skip_lifecycle": true,
        "required_tools": ["aictx_resume", "aictx_finalize", "aictx_continuity_guard", "aictx_steer_guard"],
        "if_tools_missing": "use_cli_fallback_and_report_degraded_mode",
    })
}

/// Returns when an agent has to ask the guard or the steer guard, by task type and strength of the contract.
pub(super) fn guard_triggers(strength: &str, task_type: &str) -> Vec<Value> {
    let trigger = |condition: &str, tool: &str, action: &str, risk: Option<&str>| {
        let mut out = json!({
            "condition": condition, "tool": tool, "action": action, "required": true,
        });
        if let Some(risk) = risk {
            aictx_proto::json::set(&mut out, "risk", json!(risk));
        }
        out
    };
    let guard = "aictx_continuity_guard";
    let mut list = Vec::new();
    let reads = matches!(
        task_type,
        "analysis" | "investigation" | "documentation" | "qa"
    );
    if strength != "exploratory" && !reads {
        list.push(trigger(
            "before_first_edit",
            guard,
            "before_first_edit",
            Some("low"),
        ));
        list.push(trigger(
            "edit_path_outside_contract_scope",
            guard,
            "scope_change",
            Some("normal"),
        ));
    }
    list.push(trigger(
        "risky_command",
        guard,
        "risky_command",
        Some("high"),
    ));
    list.push(trigger(
        "before_final_answer_after_repo_work",
        guard,
        "final_answer",
        Some("normal"),
    ));
    list.push(trigger(
        "user_correction_or_task_redirect",
        "aictx_steer_guard",
        "steer",
        None,
    ));
    list
}
