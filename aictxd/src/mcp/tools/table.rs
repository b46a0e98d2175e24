//! The one list of tools.

use aictx_proto::json::member;
use aictx_proto::methods as words;
use serde_json::json;

use super::super::Profile::{Full, Readonly, Standard};
use super::super::answer::{Answer, Budget};
use super::super::schema::Argument;
use super::super::schema::Kind::{Count, Flag, Text, Texts, Word};
use super::{Tool, Writes, doctor_request, looking, params, shape, with_patch};

const TASK: Argument = Argument::new("task", Text, "What the session is asked to do, in a line");
const TASK_TYPE: Argument = Argument::new("task_type", Text, "");
const TASK_ID: Argument = Argument::new("task_id", Text, "By default the active task");
const RUN_ID: Argument = Argument::new("run_id", Text, "By default the active run");
const PATHS: Argument = Argument::new("paths", Texts, "Files about to be touched");
const FILES: Argument = Argument::new("files", Texts, "Files it is about");
const RISKS: Argument = Argument::new("risks", Texts, "");
const NEXT_ACTION: Argument = Argument::new("next_action", Text, "");
const HYPOTHESIS: Argument = Argument::new("hypothesis", Text, "");
const SESSION: Argument = Argument::new("session_id", Text, "");
/// Identity arguments for clients that know better than we do.
const WHO: &[Argument] = &[
    Argument::new("agent_id", Text, ""),
    Argument::new("adapter_id", Text, ""),
    SESSION,
];
/// Arguments for the work so far.
const AT_HAND: &[Argument] = &[
    Argument::new("files_opened", Texts, ""),
    Argument::new("commands_executed", Texts, ""),
    Argument::new("tests_executed", Texts, ""),
    Argument::new("notable_errors", Texts, ""),
];
const HAND: &[(&str, &str)] = &[
    ("request", "request"),
    ("task_type", "task_type"),
    ("files_opened", "files_opened"),
    ("commands_executed", "commands_executed"),
    ("tests_executed", "tests_executed"),
    ("notable_errors", "notable_errors"),
];
const REQUEST: &[Argument] = &[
    Argument::new("request", Text, "What is to be done"),
    TASK_TYPE,
];

const TICKET: Argument = Argument::new("ticket", Text, "Number, file name or id");
const HOLDER: Argument = Argument::new("holder", Text, "Your agent by default");
const HELD: &[(&str, &str)] = &[
    ("ticket", "ticket"),
    ("holder", "holder"),
    ("claim", "claim"),
    ("evidence", "evidence"),
];

/// A question that takes nothing and writes nothing.
const QUESTION: Tool = Tool {
    name: "",
    profile: Readonly,
    about: "",
    writes: Writes::Nothing,
    repeats: true,
    arguments: &[],
    request: |call| (words::REPORT, params(call, &[])),
    answer: |_, value| Answer::new("", value, &[], Budget::Standard),
    details: None,
};

/// Every tool, by name.
pub(in crate::mcp) static TOOLS: &[Tool] = &[
    Tool {
        name: "aictx_continuity_guard",
        about: "Check a step before it is taken: does it fit the task, and what could it destroy?",
        arguments: &[
            &[
                Argument::needed("action", Word(words::GUARD_ACTIONS), "The step"),
                PATHS,
                Argument::new("command", Text, "Command about to be run"),
                Argument::new("intent", Text, "What it is for"),
                Argument::new("risk", Word(&["low", "normal", "high"]), ""),
            ],
            WHO,
        ],
        request: |call| {
            let named = ["action", "paths", "command", "intent", "risk"];
            let mut params = params(call, &named.map(|name| (name, name)));
            aictx_proto::json::set(&mut params, "look_only", call.look_only);
            (words::GUARD, params)
        },
        answer: shape::guard,
        ..QUESTION
    },
    Tool {
        name: "aictx_continuity_quality",
        profile: Full,
        about: "How far the memory of this repository can be relied on",
        arguments: &[&[TASK, TASK_TYPE]],
        request: looking,
        answer: |_, value| {
            let quality = member(&value, "continuity_quality");
            let text = format!(
                "{} of 100, {}",
                member(quality, "score"),
                shape::word(quality, "status")
            );
            let facts = json!({ "continuity_quality": quality });
            Answer::new(&text, facts, &[], Budget::Standard)
        },
        details: Some("continuity-quality"),
        ..QUESTION
    },
    Tool {
        name: "aictx_continuity_view_generate",
        profile: Full,
        about: "Write what is remembered on one page into the memory's reports",
        writes: Writes::Changes,
        request: |call| {
            let mut params = params(call, &[]);
            aictx_proto::json::set(&mut params, "write", true);
            (words::MEMORY_VIEW, params)
        },
        answer: shape::view,
        details: Some("continuity-view"),
        ..QUESTION
    },
    Tool {
        name: "aictx_doctor",
        profile: Full,
        about: "What keeps aictx from working here, and what fixes it",
        request: doctor_request,
        answer: |_, value| shape::doctor(value, Budget::Standard),
        details: Some("doctor"),
        ..QUESTION
    },
    Tool {
        name: "aictx_finalize",
        profile: Standard,
        about: "Record what was done. Files and commands that hooks have seen need not be listed",
        writes: Writes::Adds,
        repeats: false,
        arguments: &[
            &[
                Argument::needed("status", Word(&["success", "failure"]), ""),
                Argument::needed("summary", Text, "What was done"),
                TASK,
                TASK_TYPE,
                Argument::new("files_edited", Texts, ""),
                Argument::new("next_steps", Texts, "What is left"),
                Argument::new("blocked", Texts, "What stands in the way"),
                RISKS,
                Argument::new(
                    "resolved_failures",
                    Texts,
                    "Ids of failures that are resolved now",
                ),
                Argument::new(
                    "raw_output",
                    Text,
                    "What the last command printed; errors are read from it",
                ),
            ],
            AT_HAND,
            WHO,
        ],
        request: |call| {
            let named = [
                "status",
                "summary",
                "task",
                "task_type",
                "files_edited",
                "next_steps",
                "blocked",
                "risks",
                "resolved_failures",
                "files_opened",
                "commands_executed",
                "tests_executed",
                "notable_errors",
            ];
            let mut given: Vec<_> = named.iter().map(|name| (*name, *name)).collect();
            given.push(("raw_output", "output"));
            (words::FINALIZE, params(call, &given))
        },
        answer: shape::finalize,
        details: Some("handoffs"),
    },
    Tool {
        name: "aictx_intake",
        profile: Full,
        about: "The documents of the repository that a request belongs to, what they say to open first, and checks",
        arguments: &[&[Argument::needed("request", Text, "")]],
        request: |call| (words::INTAKE, params(call, &[("request", "request")])),
        answer: |_, value| {
            let text = match shape::listed(member(&value, "docs"), 3).as_str() {
                "" => "no document fits".to_owned(),
                docs => format!("{}: {docs}", shape::word(&value, "confidence")),
            };
            Answer::new(&text, value, &["files"], Budget::Standard)
        },
        ..QUESTION
    },
    Tool {
        name: "aictx_lifecycle_status",
        profile: Full,
        about: "Sessions that began here and never ended",
        arguments: &[&[TASK, SESSION]],
        request: looking,
        answer: |_, value| {
            let status = member(&value, "lifecycle_status");
            let open = member(status, "open_sessions")
                .as_array()
                .map_or(0, Vec::len);
            let text = format!(
                "{}: {open} sessions are open",
                shape::word(status, "status")
            );
            let facts = json!({ "lifecycle_status": status });
            Answer::new(&text, facts, &[], Budget::Standard)
        },
        details: Some("lifecycle-status"),
        ..QUESTION
    },
    Tool {
        name: "aictx_map_query",
        about: "Which files matter for a task or question, best first, with the definitions that fit",
        arguments: &[&[
            Argument::needed("query", Text, "Words of the task"),
            Argument::new(
                "limit",
                Count(words::MAX_MAP_RESULTS as u64),
                "10 by default",
            ),
        ]],
        request: |call| {
            let mut params = params(call, &[("query", "text")]);
            aictx_proto::json::set(&mut params, "limit", call.count("limit"));
            (words::MAP_QUERY, params)
        },
        answer: shape::map_query,
        ..QUESTION
    },
    Tool {
        name: "aictx_map_refresh",
        profile: Full,
        about: "Bring the map up to the files as they are now; it does so by itself",
        arguments: &[&[Argument::new("mode", Word(&["incremental", "full"]), "")]],
        request: |call| {
            let mut params = params(call, &[]);
            aictx_proto::json::set(&mut params, "full", call.text("mode") == "full");
            (words::MAP_REFRESH, params)
        },
        answer: |_, value| {
            let text = format!("refresh: {}", shape::word(&value, "status"));
            let parsed = member(&value, "files_reparsed").as_u64();
            let changed = parsed.is_some_and(|files| files > 0);
            let facts = json!({ "changed": changed, "warnings": [], "refresh": value });
            Answer::new(&text, facts, &[], Budget::Standard)
        },
        ..QUESTION
    },
    Tool {
        name: "aictx_map_status",
        profile: Full,
        about: "What the map of this repository knows",
        request: |call| (words::MAP_STATUS, params(call, &[])),
        answer: |_, value| {
            let text = format!(
                "{} files, {} definitions; last refresh: {}",
                member(&value, "files_indexed"),
                member(&value, "symbols_indexed"),
                shape::word(&value, "last_refresh_status")
            );
            Answer::new(&text, json!({ "status": value }), &[], Budget::Standard)
        },
        ..QUESTION
    },
    Tool {
        name: "aictx_messages_set",
        profile: Full,
        about: "Mute or unmute banner and summary",
        writes: Writes::Changes,
        arguments: &[&[Argument::needed("mode", Word(&["muted", "unmuted"]), "")]],
        request: |call| {
            let action = if call.text("mode") == "muted" {
                "mute"
            } else {
                "unmute"
            };
            let mut params = params(call, &[]);
            aictx_proto::json::set(&mut params, "action", action);
            (words::MESSAGES, params)
        },
        answer: shape::messages,
        ..QUESTION
    },
    Tool {
        name: "aictx_messages_status",
        profile: Full,
        about: "Whether banner and summary are muted",
        request: |call| (words::MESSAGES, params(call, &[])),
        answer: shape::messages,
        ..QUESTION
    },
    Tool {
        name: "aictx_next",
        profile: Full,
        about: "What to do next, and why",
        arguments: &[REQUEST, AT_HAND],
        request: |call| (words::NEXT, params(call, HAND)),
        answer: |_, value| shape::with_text(value, &["continuity_brief", "why_loaded"]),
        ..QUESTION
    },
    Tool {
        name: "aictx_portability_compact",
        profile: Full,
        about: "Take out of the histories that go through git what stands there twice or is too old; \
            without `apply` it is only said",
        writes: Writes::Changes,
        arguments: &[&[Argument::new("apply", Flag, "")]],
        request: |call| {
            let params = params(call, &[("apply", "apply")]);
            (words::PORTABILITY_COMPACT, params)
        },
        answer: shape::histories,
        ..QUESTION
    },
    Tool {
        name: "aictx_portability_status",
        profile: Full,
        about: "Whether memory goes through git, and whether everything is as it should be for that",
        request: |call| (words::PORTABILITY_STATUS, params(call, &[])),
        answer: shape::portability,
        ..QUESTION
    },
    Tool {
        name: "aictx_prepare_task_context",
        profile: Full,
        about: "What to look at for a goal: files, decisions, failures, checks",
        arguments: &[&[Argument::needed("goal", Text, ""), TASK_TYPE]],
        request: |call| {
            let given = [("goal", "goal"), ("task_type", "task_type")];
            (words::PREPARE, params(call, &given))
        },
        answer: shape::prepare,
        ..QUESTION
    },
    Tool {
        name: "aictx_recall",
        about: "Search all that earlier sessions left: handoffs, decisions, failures and what fixed them, \
            strategies, tasks; best first",
        arguments: &[&[
            Argument::needed("query", Text, "What is looked for"),
            Argument::new(
                "kinds",
                Texts,
                "Of handoff, decision, failure, strategy, task, note",
            ),
            Argument::new("file", Text, "Only what has to do with this file"),
            Argument::new("since", Text, "Only what is not older than this date"),
            Argument::new("branch", Text, ""),
            Argument::new("limit", Count(20), "5 by default"),
        ]],
        request: |call| {
            let named = ["query", "kinds", "file", "since", "branch"];
            let mut params = params(call, &named.map(|name| (name, name)));
            let limit = match call.count("limit") {
                0 => 5,
                limit => limit,
            };
            aictx_proto::json::set(&mut params, "limit", limit);
            (words::RECALL, params)
        },
        answer: shape::recalled,
        ..QUESTION
    },
    Tool {
        name: "aictx_record_decision",
        profile: Standard,
        about: "Keep a decision that later sessions must not undo unknowingly: with its rationale, or the \
            files it governs",
        writes: Writes::Adds,
        arguments: &[
            &[
                Argument::needed("title", Text, "What it is about"),
                Argument::needed("decision", Text, ""),
                Argument::new("rationale", Text, "Why"),
                Argument::new("scope", Text, "Part of the repository"),
                Argument::new("files", Texts, "Files it governs"),
            ],
            WHO,
        ],
        request: |call| {
            let given = [
                ("rationale", "rationale"),
                ("scope", "subsystem"),
                ("files", "related_paths"),
            ];
            let mut decision = call.members(&given);
            let words = format!("{}: {}", call.text("title"), call.text("decision"));
            decision.insert("decision".to_owned(), json!(words));
            let mut params = params(call, &[]);
            aictx_proto::json::set(&mut params, "decision", decision);
            (words::MEMORY_DECIDE, params)
        },
        answer: shape::decision,
        details: Some("decisions"),
        ..QUESTION
    },
    Tool {
        name: "aictx_record_failure",
        profile: Full,
        about: "Keep a failure that no hook has seen, so that later sessions know it",
        writes: Writes::Adds,
        repeats: false,
        arguments: &[
            &[
                Argument::needed("error", Text, "The message"),
                Argument::new("command", Text, "What failed with it"),
                Argument::new("resolution", Text, "What was tried against it"),
                TASK_TYPE,
                FILES,
            ],
            WHO,
        ],
        request: |call| {
            let mut params = params(
                call,
                &[("task_type", "task_type"), ("files", "files_opened")],
            );
            let error = call.text("error");
            let summary = match call.text("resolution") {
                "" => error,
                tried => tried,
            };
            let event = json!({ "message": error, "command": call.text("command") });
            aictx_proto::json::set(&mut params, "status", "failure");
            aictx_proto::json::set(&mut params, "summary", summary);
            aictx_proto::json::set(&mut params, "notable_errors", json!([error]));
            aictx_proto::json::set(&mut params, "error_events", json!([event]));
            (words::FINALIZE, params)
        },
        answer: shape::finalize,
        details: Some("failure-memory"),
    },
    Tool {
        name: "aictx_record_handoff",
        profile: Full,
        about: "Leave a handoff in the midst of work, whatever its outcome will be",
        writes: Writes::Adds,
        repeats: false,
        arguments: &[
            &[
                Argument::needed("summary", Text, "Where the work stands"),
                NEXT_ACTION,
                Argument::new("blocked_on", Texts, "What stands in the way"),
                RISKS,
                FILES,
            ],
            WHO,
        ],
        request: |call| {
            let given = [
                ("summary", "summary"),
                ("blocked_on", "blocked"),
                ("risks", "risks"),
                ("files", "files_opened"),
            ];
            let mut params = params(call, &given);
            let next = Some(call.text("next_action")).filter(|step| !step.is_empty());
            let next: Vec<&str> = next.into_iter().collect();
            aictx_proto::json::set(&mut params, "status", "unknown");
            aictx_proto::json::set(&mut params, "next_steps", next);
            (words::FINALIZE, params)
        },
        answer: shape::finalize,
        details: Some("handoffs"),
    },
    Tool {
        name: "aictx_report_real_usage",
        profile: Full,
        about: "What the logs show of how aictx was used here",
        answer: |_, value| {
            let text = format!(
                "{} executions on record",
                member(&value, "total_executions")
            );
            Answer::new(&text, json!({ "report": value }), &[], Budget::Standard)
        },
        ..QUESTION
    },
    Tool {
        name: "aictx_resume",
        about: "What this session needs to know: what the last one left, what to do first, known \
            failures, how to check",
        writes: Writes::Adds,
        repeats: false,
        arguments: &[
            &[
                TASK,
                TASK_TYPE,
                Argument::new("mode", Word(&["brief", "standard", "full"]), ""),
                Argument::new("brief", Flag, ""),
            ],
            WHO,
        ],
        request: |call| {
            let mut params = params(call, &[("task", "task"), ("task_type", "task_type")]);
            let mode = shape::mode(call);
            aictx_proto::json::set(&mut params, "brief", mode == "brief");
            aictx_proto::json::set(&mut params, "full", mode == "full");
            aictx_proto::json::set(&mut params, "look_only", call.look_only);
            (words::RESUME, params)
        },
        answer: shape::resume,
        details: Some("resume-capsule"),
        ..QUESTION
    },
    Tool {
        name: "aictx_run_close",
        profile: Full,
        about: "Close an agent run, or say what is missing: open hypotheses, learnings without an artifact, \
            verification, risks",
        writes: Writes::Changes,
        arguments: &[&[
            RUN_ID,
            Argument::needed("summary", Text, "What was done"),
            Argument::new(
                "verification",
                Texts,
                "Checks: command lines or ids of commands",
            ),
            Argument::new("unverified", Text, "Why nothing was verified"),
            Argument::new("risks", Texts, "Risks that are left"),
            Argument::new("no_risks", Flag, "No risk is left that you know of"),
            Argument::new(
                "carry",
                Texts,
                "Ids of open hypotheses left to the next run",
            ),
        ]],
        request: |call| {
            let named = [
                "run_id",
                "summary",
                "verification",
                "unverified",
                "risks",
                "no_risks",
                "carry",
            ];
            (
                words::RUN_CLOSE,
                params(call, &named.map(|name| (name, name))),
            )
        },
        answer: shape::run_closed,
        ..QUESTION
    },
    Tool {
        name: "aictx_run_note",
        profile: Full,
        about: "Add to an agent run: a hypothesis, its end, evidence, a command, a learning, a note",
        writes: Writes::Adds,
        repeats: false,
        arguments: &[&[
            RUN_ID,
            Argument::needed(
                "kind",
                Word(&[
                    "hypothesis",
                    "resolve",
                    "evidence",
                    "command",
                    "learning",
                    "note",
                ]),
                "",
            ),
            Argument::needed("text", Text, "What is said; of a command, its line"),
            Argument::new("hypothesis", Text, "Id; `resolve`, `evidence`"),
            Argument::new(
                "status",
                Word(&[
                    "accepted",
                    "rejected",
                    "blocked",
                    "superseded",
                    "pass",
                    "fail",
                    "skipped",
                ]),
                "`resolve`, `command`",
            ),
            Argument::new("confidence", Word(words::Confidence::NAMES), "`hypothesis`"),
            Argument::new(
                "learning",
                Word(words::LearningKind::NAMES),
                "`learning`: its kind",
            ),
            Argument::new("repo_action", Word(words::RepoAction::NAMES), "`learning`"),
            Argument::new(
                "path",
                Text,
                "`learning`: the artifact; `evidence`: PATH:LINE",
            ),
            Argument::new("reason", Text, "`learning`: why there is no artifact"),
        ]],
        request: |call| {
            // Each kind has its own names in the method.
            let (text, more): (&str, &[(&str, &str)]) = match call.text("kind") {
                "resolve" => ("note", &[("hypothesis", "id"), ("status", "status")]),
                "evidence" => ("text", &[("hypothesis", "hypothesis"), ("path", "file")]),
                "command" => ("command", &[("status", "status")]),
                "learning" => (
                    "summary",
                    &[
                        ("learning", "learning"),
                        ("repo_action", "repo_action"),
                        ("path", "path"),
                        ("reason", "reason"),
                    ],
                ),
                _ => ("text", &[("confidence", "confidence")]),
            };
            let mut given = vec![("kind", "kind"), ("text", text)];
            given.extend(more);
            let entry = call.members(&given);
            let mut params = params(call, &[("run_id", "run_id")]);
            aictx_proto::json::set(&mut params, "entry", entry);
            (words::RUN_ADD, params)
        },
        answer: |_, value| {
            let row = member(&value, "row");
            let text = format!(
                "{} of run {}",
                shape::word(row, "id"),
                shape::word(&value, "run_id")
            );
            Answer::new(&text, value, &[], Budget::Standard)
        },
        ..QUESTION
    },
    Tool {
        name: "aictx_run_start",
        profile: Full,
        about: "Start an agent run for a substantial task: the ledger of its hypotheses, evidence and learnings",
        writes: Writes::Adds,
        repeats: false,
        arguments: &[&[
            Argument::needed("request", Text, "The request, as it was made"),
            RUN_ID,
            Argument::new("non_goals", Texts, ""),
            Argument::new("switch", Flag, "Leave the active run open"),
            Argument::new("park", Flag, "Park the active run"),
        ]],
        request: |call| {
            let named = ["request", "run_id", "non_goals", "switch", "park"];
            (
                words::RUN_START,
                params(call, &named.map(|name| (name, name))),
            )
        },
        answer: |_, value| {
            let text = format!(
                "{}: {}",
                shape::word(&value, "status"),
                shape::word(&value, "path")
            );
            Answer::new(&text, value, &[], Budget::Standard)
        },
        ..QUESTION
    },
    Tool {
        name: "aictx_steer_guard",
        profile: Full,
        about: "What a person's message means for the work under way: limits, corrections, stop",
        arguments: &[
            &[
                Argument::needed("message", Text, "What the person wrote"),
                Argument::new("current_action", Word(words::STEER_ACTIONS), ""),
                PATHS,
            ],
            WHO,
        ],
        request: |call| {
            let named = ["message", "current_action", "paths"];
            (words::STEER, params(call, &named.map(|name| (name, name))))
        },
        answer: |_, value| {
            let text = format!(
                "{} -> {}: {}",
                shape::word(&value, "classification"),
                shape::word(&value, "decision"),
                shape::word(&value, "agent_instruction")
            );
            Answer::new(&text, value, &["labels"], Budget::Standard)
        },
        ..QUESTION
    },
    Tool {
        name: "aictx_strategy_suggest",
        profile: Full,
        about: "Where to begin, by what worked before",
        arguments: &[REQUEST, AT_HAND],
        request: |call| (words::SUGGEST, params(call, HAND)),
        answer: |_, value| {
            let files = member(&value, "suggested_entry_points");
            let text = match shape::listed(files, 5).as_str() {
                "" => "nothing on record fits".to_owned(),
                files => format!("begin with {files}"),
            };
            Answer::new(&text, json!({ "strategy": value }), &[], Budget::Standard)
        },
        ..QUESTION
    },
    Tool {
        name: "aictx_task_close",
        profile: Standard,
        about: "Close a task",
        writes: Writes::Changes,
        arguments: &[&[
            TASK_ID,
            Argument::new(
                "status",
                Word(&["resolved", "abandoned", "blocked", "paused"]),
                "",
            ),
            Argument::new("summary", Text, "What is proven now"),
            NEXT_ACTION,
        ]],
        request: |call| {
            let mut patch = call.members(&[("next_action", "next_action")]);
            if !call.text("summary").is_empty() {
                patch.insert("verified".to_owned(), json!([call.text("summary")]));
            }
            let given = [("task_id", "task_id"), ("status", "status")];
            (words::TASK_CLOSE, with_patch(params(call, &given), patch))
        },
        answer: |_, value| shape::task(value, true),
        details: Some("work-state"),
        ..QUESTION
    },
    Tool {
        name: "aictx_task_list",
        about: "The tasks that take several sessions, changed last first",
        request: |call| (words::TASK_LIST, params(call, &[])),
        answer: shape::tasks,
        details: Some("work-state"),
        ..QUESTION
    },
    Tool {
        name: "aictx_task_show",
        profile: Full,
        about: "One task",
        arguments: &[&[Argument::needed("task_id", Text, "")]],
        request: |call| (words::TASK_SHOW, params(call, &[("task_id", "task_id")])),
        answer: |_, value| shape::task(value, false),
        details: Some("work-state"),
        ..QUESTION
    },
    Tool {
        name: "aictx_task_start",
        profile: Standard,
        about: "Start a task that may take several sessions; it becomes the active one",
        writes: Writes::Adds,
        repeats: false,
        arguments: &[&[
            Argument::needed("goal", Text, ""),
            HYPOTHESIS,
            NEXT_ACTION,
            FILES,
            RISKS,
        ]],
        request: |call| {
            let named = ["hypothesis", "next_action", "files", "risks"];
            let patch = call.members(&named.map(|name| (name, name)));
            let params = params(call, &[("goal", "goal")]);
            (words::TASK_START, with_patch(params, patch))
        },
        answer: |_, value| shape::task(value, true),
        details: Some("work-state"),
    },
    Tool {
        name: "aictx_task_update",
        profile: Standard,
        about: "Change a task; lists add their entries",
        writes: Writes::Changes,
        arguments: &[&[
            TASK_ID,
            Argument::new("goal", Text, ""),
            Argument::new("status", Word(aictx_proto::record::THREAD_STATES), ""),
            HYPOTHESIS,
            NEXT_ACTION,
            FILES,
            RISKS,
            Argument::new("verification", Texts, "What was proven"),
        ]],
        request: |call| {
            let named = [
                "goal",
                "status",
                "hypothesis",
                "next_action",
                "files",
                "risks",
            ];
            let mut given: Vec<_> = named.iter().map(|name| (*name, *name)).collect();
            given.push(("verification", "verified"));
            let patch = call.members(&given);
            (
                words::TASK_UPDATE,
                with_patch(params(call, &[("task_id", "task_id")]), patch),
            )
        },
        answer: |_, value| shape::task(value, true),
        details: Some("work-state"),
        ..QUESTION
    },
    Tool {
        name: "aictx_ticket_claim",
        profile: Full,
        about: "Claim a ticket, by default the next one that is ready; it becomes the active task",
        writes: Writes::Changes,
        arguments: &[&[TICKET, HOLDER], WHO],
        request: |call| (words::TICKET_CLAIM, params(call, HELD)),
        answer: shape::ticket,
        details: Some("work-state"),
        ..QUESTION
    },
    Tool {
        name: "aictx_ticket_done",
        profile: Full,
        about: "Mark a ticket as done, by default the claimed one, and close the work on it",
        writes: Writes::Changes,
        arguments: &[
            &[
                TICKET,
                HOLDER,
                Argument::new("claim", Text, "The claim, as claiming gave it"),
                Argument::new("evidence", Text, "What shows that it is done"),
            ],
            WHO,
        ],
        request: |call| (words::TICKET_DONE, params(call, HELD)),
        answer: shape::ticket,
        ..QUESTION
    },
    Tool {
        name: "aictx_ticket_list",
        profile: Full,
        about: "The queue of tickets in order, and what those that are not ready wait for",
        arguments: &[&[Argument::new(
            "filter",
            Word(&["all", "open", "done", "ready"]),
            "",
        )]],
        request: |call| (words::TICKET_LIST, params(call, &[("filter", "filter")])),
        answer: shape::tickets,
        ..QUESTION
    },
    Tool {
        name: "aictx_ticket_new",
        profile: Full,
        about: "Write a ticket behind the last one",
        writes: Writes::Adds,
        repeats: false,
        arguments: &[&[
            Argument::needed("title", Text, ""),
            Argument::new("goal", Text, ""),
            Argument::new("agent", Text, "codex by default; user for a person"),
            Argument::new("after", Texts, "Tickets that must be done before"),
            Argument::new("verify", Texts, "Commands that check the work"),
            Argument::new("scope", Texts, "Patterns of paths that it may change"),
            Argument::new("body", Text, "Text below the frontmatter"),
        ]],
        request: |call| {
            let named = ["title", "goal", "agent", "after", "verify", "scope", "body"];
            let given = named.map(|name| (name, name));
            (words::TICKET_NEW, params(call, &given))
        },
        answer: shape::ticket,
        details: None,
    },
    Tool {
        name: "aictx_ticket_show",
        profile: Full,
        about: "One ticket, by default the claimed one: its text, its state, what is wrong with it",
        arguments: &[&[TICKET]],
        request: |call| (words::TICKET_SHOW, params(call, &[("ticket", "ticket")])),
        answer: shape::ticket,
        ..QUESTION
    },
    Tool {
        name: "aictx_ticket_update",
        profile: Full,
        about: "Change a ticket: fields, or the text below the frontmatter",
        writes: Writes::Changes,
        arguments: &[&[
            TICKET,
            Argument::new("fields", Texts, "key=value; a list repeats its key"),
            Argument::new("body", Text, "The new text, instead of fields"),
        ]],
        request: |call| {
            let given = [("ticket", "ticket"), ("fields", "values"), ("body", "body")];
            let method = match call.text("body") {
                "" => words::TICKET_SET,
                _ => words::TICKET_EDIT,
            };
            (method, params(call, &given))
        },
        answer: shape::ticket,
        ..QUESTION
    },
    Tool {
        name: "aictx_view",
        profile: Full,
        about: "What is remembered, on one page",
        request: |call| (words::MEMORY_VIEW, params(call, &[])),
        answer: shape::view,
        details: Some("continuity-map"),
        ..QUESTION
    },
];
