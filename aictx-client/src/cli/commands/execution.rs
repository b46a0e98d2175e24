//! `internal execution prepare` and `finalize`: an execution that a wrapper observes itself.
//!
//! `prepare` prints the reply of `resume` with the wrapper's own account in `envelope`; `finalize`
//! reads both back, so that nothing has to be kept in between.

use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use aictx_proto::ErrorEvent;
use aictx_proto::methods::{FINALIZE, FinalizeParams, FinalizeReply, RESUME, ResumeParams};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::finalize::json_option;
use super::memory::read_text;
use super::{absolute, caller, request_id};
use crate::cli::Answer;
use crate::cli::arguments::{
    CallerOptions, Execution, ExecutionFinalize, ExecutionPrepare, Observed,
};
use crate::cli::backend::{Backend, parse};
use crate::cli::compatibility;
use crate::cli::error::CliError;
use crate::cli::render;

/// The wrapper's account of an execution, as `prepare` prints it. Also read from what the Python
/// program printed.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct Envelope {
    repo_root: String,
    user_request: String,
    agent_id: String,
    adapter_id: String,
    session_id: String,
    execution_id: String,
    timestamp: String,
    declared_task_type: Option<String>,
    execution_mode: String,
    start_time_ms: Option<u64>,
    files_opened: Vec<String>,
    files_edited: Vec<String>,
    files_reopened: Vec<String>,
    commands_executed: Vec<String>,
    tests_executed: Vec<String>,
    notable_errors: Vec<String>,
    error_events: Vec<ErrorEvent>,
    work_state: Map<String, Value>,
}

/// `aictx internal execution`.
pub(super) fn execution(
    backend: &Backend,
    command: Execution,
    json: bool,
) -> Result<Answer, CliError> {
    match command {
        Execution::Prepare(options) => prepare(backend, *options),
        Execution::Finalize(options) => finalize(backend, *options, json),
    }
}

fn prepare(backend: &Backend, mut options: ExecutionPrepare) -> Result<Answer, CliError> {
    let mut account = FinalizeParams::default();
    let files_reopened = std::mem::take(&mut options.observed.files_reopened);
    add_observed(&mut account, options.observed)?;
    let params = ResumeParams {
        repo: absolute(&options.at.repo)?,
        task: options.task,
        task_type: options.task_type,
        full: false,
        brief: false,
        look_only: false,
        caller: caller(options.caller),
    };
    let mut value = backend.call(RESUME, &params)?;
    compatibility::resume(&mut value, params.brief);
    let text = |value: &Value, name: &str| {
        let member = value.get(name).and_then(Value::as_str);
        member.unwrap_or_default().to_owned()
    };
    let timestamp = match options.timestamp {
        given if given.is_empty() => text(&value, "generated_at"),
        given => given,
    };
    let envelope = Envelope {
        repo_root: params.repo,
        user_request: params.task,
        agent_id: text(&value, "agent_id"),
        adapter_id: text(&value, "adapter_id"),
        session_id: params.caller.session_id,
        execution_id: options.execution_id,
        timestamp,
        declared_task_type: Some(params.task_type).filter(|kind| !kind.is_empty()),
        execution_mode: "plain".to_owned(),
        start_time_ms: Some(now_ms()),
        files_opened: account.files_opened,
        files_edited: account.files_edited,
        files_reopened,
        commands_executed: account.commands_executed,
        tests_executed: account.tests_executed,
        notable_errors: account.notable_errors,
        error_events: account.error_events,
        work_state: account.work_state,
    };
    if let Some(members) = value.as_object_mut() {
        members.remove("text");
        members.insert("execution_mode".to_owned(), "plain".into());
        members.insert("envelope".to_owned(), json!(envelope));
    }
    Ok(Answer {
        // Always JSON: this is what `finalize` reads.
        text: format!("{value}\n"),
        value,
        ..Answer::default()
    })
}

fn finalize(backend: &Backend, options: ExecutionFinalize, json: bool) -> Result<Answer, CliError> {
    let name = options.prepared.display().to_string();
    let text = read_text(&options.prepared)?;
    let envelope = envelope(&name, &text)?;
    let params = report(envelope, options)?;
    let mut value = backend.call(FINALIZE, &params)?;
    let reply: FinalizeReply = parse(value.clone())?;
    compatibility::finalize(&mut value, &params.repo);
    let text = if json {
        String::new()
    } else {
        format!("{value}\n")
    };
    Ok(Answer {
        value,
        text,
        notes: render::finalize_notes(&reply),
        status: 0,
    })
}

/// Reads the document that `prepare` printed into the file `name`.
fn envelope(name: &str, text: &str) -> Result<Envelope, CliError> {
    let invalid = |why: String| CliError::usage(format!("{name}: {why}"));
    let document: Map<String, Value> =
        serde_json::from_str(text).map_err(|e| invalid(format!("not a JSON object: {e}")))?;
    let Some(envelope) = document.get("envelope") else {
        let why = "there is no `envelope`; `internal execution prepare` prints one";
        return Err(invalid(why.to_owned()));
    };
    let mut envelope: Envelope =
        serde_json::from_value(envelope.clone()).map_err(|e| invalid(format!("envelope: {e}")))?;
    if envelope.repo_root.is_empty() || envelope.execution_id.is_empty() {
        let why = "envelope: repo_root and execution_id must be there";
        return Err(invalid(why.to_owned()));
    }
    if envelope.start_time_ms.is_none() {
        let observation = document.get("execution_observation");
        let start = observation.and_then(|seen| seen.get("start_time_ms"));
        envelope.start_time_ms = start.and_then(Value::as_u64);
    }
    Ok(envelope)
}

fn report(envelope: Envelope, options: ExecutionFinalize) -> Result<FinalizeParams, CliError> {
    let root = absolute(Path::new(&envelope.repo_root))?;
    let mut params = FinalizeParams {
        // Paths are relative to where it was prepared for, wherever the wrapper is now.
        cwd: root.clone(),
        repo: root,
        status: if options.success {
            "success"
        } else {
            "failure"
        }
        .to_owned(),
        summary: match options.result_summary {
            given if given.trim().is_empty() => envelope.user_request.clone(),
            given => given,
        },
        task: envelope.user_request,
        task_type: envelope.declared_task_type.unwrap_or_default(),
        files_opened: envelope.files_opened,
        files_edited: envelope.files_edited,
        files_reopened: envelope.files_reopened.clone(),
        commands_executed: envelope.commands_executed,
        tests_executed: envelope.tests_executed,
        notable_errors: envelope.notable_errors,
        error_events: envelope.error_events,
        work_state: envelope.work_state,
        execution_time_ms: envelope
            .start_time_ms
            .map(|start| now_ms().saturating_sub(start)),
        validated_learning: options.validated_learning,
        execution_id: envelope.execution_id,
        caller: caller(CallerOptions {
            agent_id: envelope.agent_id,
            adapter_id: envelope.adapter_id,
            session_id: envelope.session_id,
        }),
        request_id: request_id(),
        ..FinalizeParams::default()
    };
    params.files_opened.extend(envelope.files_reopened);
    for text in &options.decision_json {
        let decision = json_option("--decision-json", text)?;
        params.decisions.push(Value::Object(decision));
    }
    for text in &options.semantic_json {
        let update = json_option("--semantic-json", text)?;
        params.semantic_updates.push(Value::Object(update));
    }
    add_observed(&mut params, options.observed)?;
    Ok(params)
}

/// Adds what a wrapper observed to a report.
pub(super) fn add_observed(
    params: &mut FinalizeParams,
    observed: Observed,
) -> Result<(), CliError> {
    let lists = [
        (&mut params.files_edited, observed.files_edited),
        (&mut params.files_reopened, observed.files_reopened.clone()),
        (&mut params.commands_executed, observed.commands_executed),
        (&mut params.tests_executed, observed.tests_executed),
        (&mut params.notable_errors, observed.notable_errors),
    ];
    for (field, option) in lists {
        field.extend(option);
    }
    params.files_opened.extend(observed.files_opened);
    params.files_opened.extend(observed.files_reopened);
    for text in &observed.error_event_json {
        let event: ErrorEvent = json_option("--error-event-json", text)?;
        params.error_events.push(event);
    }
    if let Some(file) = &observed.work_state_file {
        let patch: Map<String, Value> = serde_json::from_str(&read_text(file)?)
            .map_err(|e| CliError::usage(format!("{}: not a JSON object: {e}", file.display())))?;
        params.work_state.extend(patch);
    }
    if let Some(text) = &observed.work_state_json {
        let patch: Map<String, Value> = json_option("--work-state-json", text)?;
        params.work_state.extend(patch);
    }
    Ok(())
}

fn now_ms() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    u64::try_from(now.unwrap_or_default().as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_envelope_is_read_back_and_others_are_refused() {
        let ours = Envelope {
            repo_root: "/r".into(),
            execution_id: "e".into(),
            start_time_ms: Some(7),
            ..Envelope::default()
        };
        let text = json!({ "envelope": ours }).to_string();
        assert_eq!(envelope("f", &text).unwrap(), ours);
        let other = r#"{"envelope":{"repo_root":"/r","execution_id":"e","skill_metadata":{},
            "declared_task_type":null},"execution_observation":{"start_time_ms":7}}"#;
        assert_eq!(envelope("f", other).unwrap().start_time_ms, Some(7));
        for wrong in ["", "[]", "{}", r#"{"envelope":1}"#, r#"{"envelope":{}}"#] {
            assert!(envelope("f", wrong).is_err(), "{wrong}");
        }
    }
}
