//! Continuity: what a session is told, and what is kept of it.
//!
//! Pure decisions on a [`Snapshot`](aictx_proto::snapshot::Snapshot): no clock, no disk, no
//! process. Each gives a reply and the effects it wants; `aictx_artifacts` makes them durable.

#![cfg_attr(test, allow(clippy::disallowed_methods))]

mod active_run;
mod agent_summary;
mod anchored_paths;
mod area_memory;
mod area_of_paths;
mod classify;
mod compaction;
mod context_packet;
mod contracts;
mod decision_intake;
mod decision_memory;
mod error;
mod failures;
mod file_anchors;
mod file_suggestions;
mod finalize;
mod handoff;
mod ids;
mod imported;
mod inspect;
mod inverted_index;
mod item_flags;
mod ledger_facts;
mod left;
mod lru_cache;
mod memory_freshness;
mod memory_items;
mod origin;
mod page;
mod preferences;
mod project;
mod recall;
mod record_json;
mod relevance;
mod resume;
mod row_cache;
mod session;
mod session_brief;
mod session_goal;
mod stale_sessions;
mod strategies;
mod subsystem_memory;
mod summary;
mod tasks;
mod text_similarity;

pub use active_run::ActiveRun;
pub use anchored_paths::{Contents, anchored_paths, relevant_paths};
pub use area_of_paths::derive_area;
pub use classify::{Observed, TaskType, classify, effective, observed, provisional};
pub use compaction::{Fate, Known, RULES, Rule, portable_fates, rules, staleness};
pub use contracts::{Chosen, choose_contract, contract_file};
pub use decision_intake::record_decision;
pub use decision_memory::SAID_BY_USER;
pub use error::{ItemError, ReportError, TaskError};
pub use failures::{
    FailureEdit, FailureQuery, edit_failure, failed_last_time, find_failures, known_failure,
    list as failure_list, pick_failure, tell_failed_last_time,
};
pub use file_anchors::{Present, Presents};
pub use file_suggestions::{
    MAX_SUGGESTIONS, Suggestion, left_to_do, seen_paths, suggest, told_of_the_map,
};
pub use finalize::{
    ExplicitReport, Finalize, check_report, executions_asked, failed_branches, finalize,
    request_nonce, touched_paths,
};
pub use handoff::{handoff_as_of_now, handoff_of_branch, is_trunk, unfinished};
pub use imported::{Imported, import, imported_id, imported_row};
pub use inspect::{
    AtHand, Happened, LogQuery, Reported, log, next, prepare, reflect, report, reuse,
    suggest_strategy,
};
pub use ledger_facts::{
    FileCheck, Ground, OpenSession, Unchecked, open_session, session_report, session_summary,
    unchecked_edits,
};
pub use memory_items::{HISTORIES, MemoryEdit, edit_item, find_item, history_of, items};
pub use origin::keep_own;
pub use page::{Page, page};
pub use preferences::{is_muted, set_muted};
pub use project::{Note, Project};
pub use recall::{
    Found, Histories, Memory, PromptMemory, Recollection, Remembered, best_of_each, is_wanted,
    mark_stale, recalled_paths, recollect, tell_prompt, told,
};
pub use relevance::has_handoff;
pub use resume::{Resumed, resume};
pub use session::{Touch, touch};
pub use session_brief::{SessionStart, session_start, tell_where_it_stands};
pub use stale_sessions::lifecycle_status;
pub use strategies::{StrategyMatch, StrategyQuery, find_strategies};
pub use tasks::{
    Active, Checkout, ClaimOf, Loadable, TaskOutcome, active_thread, claim_ticket, claimed_tickets,
    close_task, find_thread, finish_ticket, held_ticket, loadable, passed_since_edit,
    release_ticket, resume_task, start_task, status_line, task_id, thread_file, thread_line,
    ticket_at_hand, ticket_line, update_task,
};
pub use text_similarity::goals_match;

/// Works out of a snapshot what every question wants to know of it, so that the first one need not
/// wait for that: what it costs is what changed since the last snapshot.
pub fn warm(snapshot: &aictx_proto::snapshot::Snapshot) {
    decision_memory::warm(&snapshot.decisions);
    failures::warm(&snapshot.failures);
    strategies::warm(&snapshot.strategies);
    stale_sessions::warm(&snapshot.lifecycle);
}
