//! `finalize`: options, a document, or both, into one report.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use aictx_proto::ErrorEvent;
use aictx_proto::methods::{
    FINALIZE, FinalizeParams, FinalizeReply, MEMORY_VIEW, ViewParams, ViewReply,
};
use serde_json::{Map, Value};

use super::memory::read_text;
use super::{absolute, caller, request_id, working_directory};
use crate::cli::Answer;
use crate::cli::arguments::{Finalize, Outcome};
use crate::cli::backend::{Backend, parse};
use crate::cli::compatibility;
use crate::cli::error::CliError;
use crate::cli::render;
use crate::cli::terminal_text::Paint;

/// Members that say who calls and from where: the client fills them in.
const INTERNAL: [&str; 5] = ["repo", "cwd", "caller", "edited_since_ms", "request_id"];
/// Bytes kept of an output file's start and end.
const OUTPUT_START: u64 = 64 * 1024;
const OUTPUT_END: u64 = 1024 * 1024;

/// `aictx finalize`.
pub(super) fn finalize(backend: &Backend, options: Finalize) -> Result<Answer, CliError> {
    let (include_view, online_view) = (options.include_view, options.online_view);
    let document = match &options.from_file {
        Some(file) => read_document(file)?,
        None => FinalizeParams::default(),
    };
    let params = FinalizeParams {
        request_id: request_id(),
        ..merge(document, options)?
    };
    let mut value = match backend.call(FINALIZE, &params) {
        Ok(value) => value,
        Err(error) => return Ok(unavailable(&error)),
    };
    let reply: FinalizeReply = parse(value.clone())?;
    let mut notes = render::finalize_notes(&reply);
    if include_view {
        let view = ViewParams {
            repo: params.repo.clone(),
            write: true,
        };
        let view: ViewReply = parse(backend.call(MEMORY_VIEW, &view)?)?;
        notes.push_str(&format!("wrote {}\n", view.markdown_path));
    }
    if online_view {
        notes.push_str("note: --online-view has no effect; nothing is published\n");
    }
    compatibility::finalize(&mut value, &params.repo);
    Ok(Answer {
        value,
        text: render::finalize(&reply),
        notes,
        status: 0,
    })
}

/// Answer where nobody could record the execution: agents put this summary before their users.
fn unavailable(error: &CliError) -> Answer {
    Answer {
        value: error.to_json(),
        text: format!("{}\n", render::NO_SUMMARY),
        notes: error.to_text(Paint::off()),
        status: error.status(),
    }
}

fn read_document(file: &Path) -> Result<FinalizeParams, CliError> {
    document(&read_text(file)?)
        .map_err(|e| CliError::usage(format!("{}: {}", file.display(), e.message)))
}

/// Start and end of a file of any size: errors stand at either.
fn read_output(path: &Path) -> Result<String, CliError> {
    let failed = |e| CliError::io(path.display(), &e);
    let mut file = File::open(path).map_err(failed)?;
    let length = file.metadata().map_err(failed)?.len();
    let mut bytes = Vec::new();
    if length <= OUTPUT_START + OUTPUT_END {
        file.read_to_end(&mut bytes).map_err(failed)?;
    } else {
        let mut start = Read::by_ref(&mut file).take(OUTPUT_START);
        start.read_to_end(&mut bytes).map_err(failed)?;
        let left_out = length - OUTPUT_START - OUTPUT_END;
        let mark = format!("\n… [{left_out} characters truncated] …\n");
        bytes.extend_from_slice(mark.as_bytes());
        let end = SeekFrom::End(-(OUTPUT_END as i64));
        file.seek(end).map_err(failed)?;
        file.take(OUTPUT_END)
            .read_to_end(&mut bytes)
            .map_err(failed)?;
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Reads a document. A member that we do not know is refused: a misspelt list would otherwise be
/// lost without a word.
fn document(text: &str) -> Result<FinalizeParams, CliError> {
    let members: Map<String, Value> = serde_json::from_str(text)
        .map_err(|e| CliError::usage(format!("not a JSON object: {e}")))?;
    let known = serde_json::to_value(FinalizeParams::default()).unwrap_or_default();
    if let Some(unknown) = members.keys().find(|key| known.get(key.as_str()).is_none()) {
        let names: Vec<&str> = known.as_object().map_or_else(Vec::new, |all| {
            let names = all.keys().map(String::as_str);
            names.filter(|name| !INTERNAL.contains(name)).collect()
        });
        return Err(CliError::usage(format!(
            "there is no field `{unknown}`; there are {}",
            names.join(", ")
        )));
    }
    serde_json::from_value(Value::Object(members)).map_err(|e| CliError::usage(e.to_string()))
}

/// Options over the document: single values replace, lists are added.
fn merge(document: FinalizeParams, options: Finalize) -> Result<FinalizeParams, CliError> {
    let mut params = document;
    let given = match (&options.repo, params.repo.as_str()) {
        (Some(path), _) => path.clone(),
        (None, "") => ".".into(),
        (None, path) => path.into(),
    };
    params.repo = absolute(&given)?;
    if params.cwd.is_empty() {
        params.cwd = working_directory();
    }
    if let Some(status) = options.status {
        params.status = match status {
            Outcome::Success => "success".to_owned(),
            Outcome::Failure => "failure".to_owned(),
        };
    }
    let goal = options.task.filter(|t| !t.is_empty()).or(options.request);
    let single = [
        (&mut params.summary, options.summary),
        (&mut params.task, goal),
        (&mut params.task_type, options.task_type),
        (&mut params.execution_id, options.execution_id),
    ];
    for (field, option) in single {
        if let Some(text) = option {
            *field = text;
        }
    }
    let lists = [
        (&mut params.files_opened, options.files_opened),
        (&mut params.files_edited, options.files_edited),
        (&mut params.commands_executed, options.commands_executed),
        (&mut params.tests_executed, options.tests_executed),
        (&mut params.notable_errors, options.notable_errors),
        (&mut params.next_steps, options.next_step),
        (&mut params.blocked, options.blocked),
        (&mut params.risks, options.risk),
        (&mut params.resolved_failures, options.resolved_failure),
    ];
    for (field, option) in lists {
        field.extend(option);
    }
    params.notable_errors.extend(options.error);
    if let Some(file) = &options.output_file {
        params.output = read_output(file)?;
    }
    for text in &options.decision_json {
        let decision: Map<String, Value> = json_option("--decision-json", text)?;
        params.decisions.push(Value::Object(decision));
    }
    for text in &options.semantic_json {
        let update: Map<String, Value> = json_option("--semantic-json", text)?;
        params.semantic_updates.push(Value::Object(update));
    }
    if let Some(text) = &options.work_state_json {
        let patch: Map<String, Value> = json_option("--work-state-json", text)?;
        params.work_state.extend(patch);
    }
    params.validated_learning |= options.validated_learning;
    for text in &options.error_event_json {
        let event: ErrorEvent = json_option("--error-event-json", text)?;
        params.error_events.push(event);
    }
    let document_caller = std::mem::take(&mut params.caller);
    params.caller = caller(options.caller);
    let identity = [
        (&mut params.caller.agent_id, document_caller.agent_id),
        (&mut params.caller.adapter_id, document_caller.adapter_id),
        (&mut params.caller.session_id, document_caller.session_id),
    ];
    for (field, fallback) in identity {
        if field.is_empty() {
            *field = fallback;
        }
    }
    Ok(params)
}

pub(super) fn json_option<T: serde::de::DeserializeOwned>(
    flag: &str,
    text: &str,
) -> Result<T, CliError> {
    serde_json::from_str(text)
        .map_err(|e| CliError::usage(format!("{flag} is not the JSON object it must be: {e}")))
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::cli::arguments::{Command, CommandLine};

    fn options(arguments: &[&str]) -> Finalize {
        let argv = [&["aictx", "finalize"], arguments].concat();
        match CommandLine::try_parse_from(argv).unwrap().command {
            Command::Finalize(options) => *options,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn every_option_arrives() {
        let params = merge(
            FinalizeParams::default(),
            options(&[
                "--repo",
                "/r",
                "--status",
                "failure",
                "--summary",
                "- did",
                "--task",
                "t",
                "--task-type",
                "bugfix",
                "--files-opened",
                "a",
                "b",
                "--files-opened",
                "c",
                "--files-edited",
                "d",
                "--commands-executed",
                "make all",
                "--tests-executed",
                "make test",
                "--notable-errors",
                "e1",
                "--error",
                "e2",
                "--next-step",
                "n1",
                "n2",
                "--blocked",
                "x",
                "--risk",
                "y",
                "--decision-json",
                r#"{"decision":"d"}"#,
                "--error-event-json",
                r#"{"message":"m","exit_code":2}"#,
                "--resolved-failure",
                "failure::1",
                "--execution-id",
                "id",
                "--agent-id",
                "g",
                "--adapter-id",
                "h",
                "--session-id",
                "i",
            ]),
        )
        .unwrap();
        assert_eq!(params.repo, "/r");
        assert_eq!(params.status, "failure");
        assert_eq!(params.summary, "- did");
        assert_eq!(
            (params.task.as_str(), params.task_type.as_str()),
            ("t", "bugfix")
        );
        assert_eq!(params.files_opened, ["a", "b", "c"]);
        assert_eq!(params.files_edited, ["d"]);
        assert_eq!(params.commands_executed, ["make all"]);
        assert_eq!(params.tests_executed, ["make test"]);
        assert_eq!(params.notable_errors, ["e1", "e2"]);
        assert_eq!(params.next_steps, ["n1", "n2"]);
        assert_eq!(
            (&params.blocked[0], &params.risks[0]),
            (&"x".into(), &"y".into())
        );
        assert_eq!(params.decisions[0]["decision"], "d");
        assert_eq!(params.error_events[0].exit_code, 2);
        assert_eq!(params.resolved_failures, ["failure::1"]);
        assert_eq!(params.execution_id, "id");
        let caller = params.caller;
        assert_eq!(
            [caller.agent_id, caller.adapter_id, caller.session_id],
            ["g", "h", "i"]
        );
    }

    #[test]
    fn a_list_may_be_empty_and_request_stands_in_for_task() {
        let given = options(&[
            "--status",
            "success",
            "--files-opened",
            "--summary",
            "s",
            "--request",
            "r",
        ]);
        let params = merge(FinalizeParams::default(), given).unwrap();
        assert!(params.files_opened.is_empty());
        assert_eq!(params.task, "r");
        assert!(Path::new(&params.repo).is_absolute());
        assert!(!params.cwd.is_empty());
    }

    #[test]
    fn options_are_laid_over_the_document() {
        let base = document(
            r#"{"repo":"/d","status":"success","summary":"s","files_edited":["a"],"caller":{"session_id":"doc"}}"#,
        )
        .unwrap();
        let given = options(&[
            "--from-file",
            "-",
            "--summary",
            "mine",
            "--files-edited",
            "b",
        ]);
        let params = merge(base, given).unwrap();
        assert_eq!(params.repo, "/d");
        assert_eq!(params.status, "success");
        assert_eq!(params.summary, "mine");
        assert_eq!(params.files_edited, ["a", "b"]);
        assert_eq!(params.caller.session_id, "doc");
    }

    #[test]
    fn wrong_documents_and_wrong_json_are_refused() {
        assert!(
            document("[]")
                .unwrap_err()
                .message
                .contains("not a JSON object")
        );
        let misspelt = document(r#"{"file_edited":["a"]}"#).unwrap_err().message;
        assert!(misspelt.starts_with("there is no field `file_edited`; there are status, "));
        assert!(misspelt.contains(", next_steps, "), "{misspelt}");
        assert!(document(r#"{"files_edited":"a"}"#).is_err());
        let given = options(&[
            "--status",
            "success",
            "--summary",
            "s",
            "--decision-json",
            "[]",
        ]);
        let error = merge(FinalizeParams::default(), given).unwrap_err();
        assert_eq!(error.code(), "usage");
        assert!(error.message.starts_with("--decision-json"));
    }
}
