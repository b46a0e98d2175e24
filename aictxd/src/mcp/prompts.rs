//! Prompts that people choose in their client; each is one message without arguments.

use rmcp::model::{GetPromptResult, Prompt, PromptMessage, Role};

/// Longest description in a list, in characters.
const MAX_LISTED: usize = 120;

const PROMPTS: &[(&str, &str)] = &[
    (
        "aictx_continue_task",
        "Go on with the work in this repository. Call aictx_resume with the goal, tell me in two \
         sentences where things stand, then do the next action it names. Check the result as it says.",
    ),
    (
        "aictx_debug_failure",
        "Find out why the last check fails. Call aictx_resume, read the resource \
         aictx://repo/current/failure-memory for what is known of this failure and what was tried, ask \
         aictx_map_query for the files, then fix the cause and run the check again.",
    ),
    (
        "aictx_finalize_task",
        "Close this work. Run the checks that are still open, then call aictx_finalize with how it \
         ended, what was done, and what is left. Say plainly what was not checked.",
    ),
    (
        "aictx_prepare_release",
        "Prepare a release. Call aictx_resume and aictx_doctor, read the open tasks in \
         aictx://repo/current/work-state and the open failures, and list what still stands in the way \
         before anything is tagged or published. Ask me before you publish.",
    ),
    (
        "aictx_review_repo_continuity",
        "Look at what is remembered of this repository: call aictx_continuity_quality and \
         aictx_lifecycle_status, read the decisions and handoffs, and tell me which items are stale, \
         wrong or missing. Change nothing.",
    ),
];

/// All prompts, for clients.
pub(super) fn all() -> Vec<Prompt> {
    let listed = PROMPTS.iter().map(|(name, text)| {
        let about = aictx_proto::text::truncate_chars(text, MAX_LISTED);
        Prompt::new(*name, Some(about), None)
    });
    listed.collect()
}

/// One prompt.
pub(super) fn get(name: &str) -> Option<GetPromptResult> {
    let (_, text) = PROMPTS.iter().find(|(known, _)| *known == name)?;
    let message = PromptMessage::new_text(Role::User, *text);
    Some(GetPromptResult::new(vec![message]).with_description(*text))
}
