//! Continuity: what a session is told, and what is kept of it.
//!
//! Pure decisions on a [`Snapshot`](aictx_proto::snapshot::Snapshot): no clock, no disk, no
//! process. Each gives a reply and the effects it wants; `aictx_artifacts` makes them durable.

mod area;
mod capsule;
mod classify;
mod failures;
mod finalize;
mod handoff;
mod observe;
mod project;
mod resume;
mod session;
mod suggest;
mod summary;

pub use area::derive_area;
pub use capsule::{SessionStart, session_start};
pub use classify::{
    Observed, TaskType, classify, effective, inferred_types, observed, provisional,
};
pub use failures::{
    FailureEdit, FailureQuery, edit_failure, find_failures, known_failure, pick_failure,
};
pub use finalize::{ExplicitReport, Finalize, finalize};
pub use observe::{OpenSession, open_session, session_report, session_summary};
pub use project::Project;
pub use resume::resume;
pub use session::{Touch, touch};
pub use suggest::{MAX_SUGGESTIONS, seen_paths, suggest};
