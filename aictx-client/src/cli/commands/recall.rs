//! `recall`, `preview`, `remember`.

use aictx_proto::methods::{
    DecideParams, DecideReply, IMPORT, ImportParams, ImportReply, MEMORY_DECIDE, PREVIEW,
    PreviewParams, RECALL, RecallParams, Recalled,
};
use serde_json::{Map, json};

use super::{absolute, caller, setup, working_directory};
use crate::cli::Answer;
use crate::cli::arguments::{Import, Preview, Recall, Remember};
use crate::cli::backend::{Backend, parse};
use crate::cli::error::CliError;
use crate::cli::render::recall as render;
use crate::cli::terminal_text::{Meter, Paint};

/// `aictx recall`.
pub(super) fn recall(backend: &Backend, options: Recall, paint: Paint) -> Result<Answer, CliError> {
    let params = RecallParams {
        repo: absolute(&options.at.repo)?,
        cwd: working_directory(),
        query: options.query.join(" "),
        kinds: options.kinds,
        since: options.since,
        file: options.file,
        branch: options.branch,
        agent: options.agent,
        limit: options.limit,
    };
    let value = backend.call(RECALL, &params)?;
    let recalled: Recalled = parse(value.clone())?;
    Ok(Answer {
        value,
        text: render::items(&recalled, paint),
        ..Answer::default()
    })
}

/// `aictx import`.
pub(super) fn import(backend: &Backend, options: Import, paint: Paint) -> Result<Answer, CliError> {
    let path = options.path.as_deref().map(absolute).transpose()?;
    let mut params = ImportParams {
        repo: absolute(&options.at.repo)?,
        surroundings: setup::surroundings(backend)?,
        sources: options.sources,
        path: path.unwrap_or_default(),
        since: options.since,
        skip: 0,
        dry_run: options.dry_run,
        remove: options.remove,
    };
    let mut meter = Meter::on_stderr("importing");
    let mut whole = ImportReply::default();
    loop {
        let reply: ImportReply = parse(backend.call(IMPORT, &params)?)?;
        let is_stuck = reply.done <= params.skip;
        whole.add(reply);
        if is_stuck || whole.done >= whole.total {
            break;
        }
        params.skip = whole.done;
        meter.show(whole.done, whole.total);
    }
    drop(meter);
    let text = render::imported(&whole, options.remove, paint);
    Ok(Answer {
        notes: super::super::render::warnings(&whole.warnings),
        value: serde_json::to_value(&whole).unwrap_or_default(),
        text,
        ..Answer::default()
    })
}

/// `aictx preview`.
pub(super) fn preview(
    backend: &Backend,
    options: Preview,
    paint: Paint,
) -> Result<Answer, CliError> {
    let params = PreviewParams {
        repo: absolute(&options.at.repo)?,
        runner: options.agent,
        prompt: options.prompt,
    };
    let value = backend.call(PREVIEW, &params)?;
    let reply: aictx_proto::methods::Preview = parse(value.clone())?;
    Ok(Answer {
        value,
        text: render::preview(&reply, &params.prompt, paint),
        ..Answer::default()
    })
}

/// Reason of a decision for which none is given.
const BY_HAND: &str = "written down by hand";

/// `aictx remember`.
pub(super) fn remember(backend: &Backend, options: Remember) -> Result<Answer, CliError> {
    let mut decision = Map::new();
    decision.insert("decision".to_owned(), json!(options.text));
    let why = match options.why.is_empty() && options.files.is_empty() {
        true => BY_HAND,
        false => options.why.as_str(),
    };
    decision.insert("rationale".to_owned(), json!(why));
    decision.insert("related_paths".to_owned(), json!(options.files));
    let params = DecideParams {
        repo: absolute(&options.at.repo)?,
        cwd: working_directory(),
        decision,
        rule: options.rule,
        caller: caller(options.caller),
    };
    let value = backend.call(MEMORY_DECIDE, &params)?;
    let reply: DecideReply = parse(value.clone())?;
    Ok(Answer {
        value,
        text: render::remembered(&reply),
        ..Answer::default()
    })
}
