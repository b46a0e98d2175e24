//! The meaning of a person's message for the work under way.
//!
//! Pure, and the only crate that reads messages. [`steer`] classifies one: quotations, code and logs are
//! put aside, because only the person's own text can steer. Its words get meanings from language packs
//! (`lexicon`), clauses get labels from rules (`rules`), the most binding label is the answer, and each
//! path takes the role of its own clause (`path_role`). A model trained on labelled messages
//! (`classifier`) decides where rules are silent or unsure; otherwise the message is `unknown`, and the
//! agent asks. [`SteerState`] holds the limits that messages have set for a session.
//!
//! Beside that it tells work from small talk ([`request_kind`]), requests that only say to go on
//! ([`only_goes_on`]), the kind of a task ([`TaskScores`]), and what a user wants to be remembered
//! ([`rules_kept`]).

#![cfg_attr(test, allow(clippy::disallowed_methods))]

mod anaphora;
mod approval_gate;
mod classifier;
mod clause;
mod clause_continuation;
mod clause_label;
mod continue_request;
mod delegation;
mod edit_object;
mod edit_object_cjk;
mod edit_object_lexicon;
mod end_user_permission;
mod failure_request;
mod hold_all_changes;
mod indirect_request;
mod intent_label;
mod language_idioms;
mod lexicon;
mod named_files;
mod not_x_but_y;
mod nouns;
mod pasted_output;
mod path_lexicon;
mod path_limits;
mod path_resolution;
mod path_role;
mod paths;
mod product_requirement;
mod prohibition_scope;
mod request_kind;
mod retraction;
mod rules;
mod runtime_behaviour;
mod scope_restriction;
mod steer_reply;
mod subordinate_clause;
mod task_type;
mod tokenizer;
mod topicalised_object;
mod user_rules;
mod word_class;

pub use continue_request::{is_continuation, only_goes_on};
pub use failure_request::{FAILURE_WORDS, asks_what_fails};
pub use named_files::{NamedFiles, Naming};
pub use path_limits::{SteerState, SteerVerdict};
pub use path_resolution::{Names, readable_entries};
pub use path_role::EVERYTHING;
pub use request_kind::{RequestKind, request_kind, word_count};
pub use steer_reply::{MAX_MESSAGE, SteerError, steer, steer_in, warm};
pub use task_type::{TASK_TYPES, TaskScores};
pub use user_rules::{decisions_told, rules_kept, rules_taken_back};
