//! Reads what agents keep of their sessions: lines of a transcript to an [`ImportedRow`].
//!
//! The formats are undocumented and change often. Everything is read leniently: unknown records are
//! passed over, and lines that are no records are counted.

use std::borrow::Cow;
use std::collections::{HashSet, VecDeque};

use aictx_proto::record::{FailedCommand, ImportedRow, ImportedTurn};
use serde_json::value::RawValue;

use crate::event_and_tool_tables;
use crate::payload::{Members, elements_of, text_of};
use crate::{Action, claude, codex, copilot, gemini, opencode};

pub mod beads;
pub mod markdown;
pub mod sqlite;

/// Longest text of a turn and most of an error that are kept, in bytes. Who stores them cuts them further: a secret
/// at the edge of this one is not seen by a scrubber.
pub const MAX_TEXT: usize = 64 * 1024;
/// First and last turns of a session that are kept.
const MAX_FIRST: usize = 64;
const MAX_LAST: usize = 192;
/// Files and failed commands of a session, the last ones.
const MAX_FILES: usize = 64;
const MAX_FAILED: usize = 8;
/// Calls whose end has not been seen.
const MAX_CALLS: usize = 256;
/// Ids of messages that are remembered.
const MAX_WRITTEN: usize = 20_000;
/// End of a command's output that is kept, in bytes.
const MAX_ERROR: usize = 4 * 1024;

/// Reader of one transcript, fed line by line.
#[derive(Debug)]
pub struct Transcript {
    agent: &'static str,
    draft: Draft,
}

/// A session as its transcript tells it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Session {
    /// Its row without an id; texts as they were written, paths absolute.
    pub row: ImportedRow,
    /// Directory that it began in; empty when not recorded.
    pub cwd: String,
    /// SHA-256 of that directory, in hexadecimal digits, where only this is recorded (Gemini CLI).
    pub cwd_hash: String,
    /// It was run by another session.
    pub is_subagent: bool,
    /// Lines that are no records.
    pub not_understood: u64,
}

/// Agents whose transcripts are read.
pub const AGENTS: &[&str] = &["claude", "codex", "gemini", "opencode", "copilot"];

impl Transcript {
    /// A reader for an agent of [`AGENTS`].
    pub fn new(agent: &str) -> Option<Self> {
        let agent = AGENTS.iter().find(|known| **known == agent)?;
        let mut draft = Draft::default();
        draft.session.row.source = (*agent).to_owned();
        draft.session.row.agent_id = (*agent).to_owned();
        Some(Self { agent, draft })
    }

    /// Tells which agent wrote a transcript by one of its first lines.
    pub fn recognise(line: &str) -> Option<&'static str> {
        let line = Members::parse(line).ok()?;
        let has = |name: &str| line.raw(name).is_some();
        let kind = line.text(&["type"]);
        if has("projectHash") {
            Some("gemini")
        } else if has("payload") || kind == "session_meta" || has("instructions") && has("id") {
            Some("codex")
        } else if has("data") && kind.contains('.') {
            Some("copilot")
        } else if has("info") && has("messages") {
            Some("opencode")
        } else if has("sessionId") {
            Some("claude")
        } else {
            None
        }
    }

    /// Directory that the session began in, as far as it is known.
    pub fn cwd(&self) -> &str {
        &self.draft.session.cwd
    }

    /// Takes a line, or a whole document where the agent writes one.
    pub fn line(&mut self, line: &[u8]) {
        let line = line.trim_ascii();
        if line.is_empty() {
            return;
        }
        let text = String::from_utf8_lossy(line);
        let Ok(record) = Members::parse(&text) else {
            self.draft.session.not_understood += 1;
            return;
        };
        match self.agent {
            "claude" => claude_line(&mut self.draft, &record),
            "codex" => codex_line(&mut self.draft, &record),
            "gemini" => gemini_line(&mut self.draft, &record),
            "copilot" => copilot_line(&mut self.draft, &record),
            _ => opencode_export(&mut self.draft, &record),
        }
    }

    /// Counts a line that was not read.
    pub fn passed_over(&mut self) {
        self.draft.session.not_understood += 1;
    }

    /// Takes a message of OpenCode's storage and its parts, in order.
    pub fn opencode_message(&mut self, info: &str, parts: &[String]) {
        let Ok(info) = Members::parse(info) else {
            self.passed_over();
            return;
        };
        let mut read = Vec::new();
        for part in parts {
            match Members::parse(part) {
                Ok(part) => read.push(part),
                Err(_) => self.draft.session.not_understood += 1,
            }
        }
        opencode_message(&mut self.draft, &info, &read);
    }

    /// Takes the record of a session of OpenCode's storage.
    pub fn opencode_session(&mut self, info: &str) {
        match Members::parse(info) {
            Ok(info) => opencode_session(&mut self.draft, &info),
            Err(_) => self.passed_over(),
        }
    }

    /// The session.
    pub fn finish(self) -> Session {
        self.draft.finish()
    }
}

/// A session that is being read. Bounded, however long the transcript is.
#[derive(Debug, Default)]
struct Draft {
    session: Session,
    first: Vec<ImportedTurn>,
    last: VecDeque<ImportedTurn>,
    failed: VecDeque<FailedCommand>,
    files: VecDeque<String>,
    /// Command lines and edited files of calls that have not ended, oldest first.
    calls: VecDeque<(String, Call)>,
    /// Ids of messages that were read, and the last one: Gemini CLI writes a message again when it grew, and the
    /// list of all from time to time.
    written: HashSet<String>,
    last_written: String,
}

/// A call of a tool.
#[derive(Debug, Clone)]
enum Call {
    Command(String),
    Edit(Vec<String>),
}

impl Draft {
    fn at(&mut self, time: &str) {
        let row = &mut self.session.row;
        if is_time(time) {
            if row.started_at.is_empty() {
                time.clone_into(&mut row.started_at);
            }
            if *time > *row.timestamp {
                time.clone_into(&mut row.timestamp);
            }
        }
    }

    fn at_millis(&mut self, millis: Option<i64>) {
        if let Some(millis) = millis {
            let time = aictx_proto::Timestamp::from_unix(millis / 1_000);
            self.at(&time.to_string());
        }
    }

    fn set(slot: &mut String, value: &str) {
        if slot.is_empty() {
            value.clone_into(slot);
        }
    }

    fn turn(&mut self, turn: ImportedTurn) {
        if self.first.len() < MAX_FIRST {
            self.first.push(turn);
            return;
        }
        self.last.push_back(turn);
        if self.last.len() > MAX_LAST {
            self.last.pop_front();
            self.session.row.omitted_turns += 1;
        }
    }

    fn newest(&mut self) -> Option<&mut ImportedTurn> {
        match self.last.back_mut() {
            Some(turn) => Some(turn),
            None => self.first.last_mut(),
        }
    }

    /// A request of the person.
    fn asked(&mut self, text: &str) {
        let Some(text) = request(text) else {
            return;
        };
        // Asked again before anything was said.
        if let Some(turn) = self.newest()
            && turn.said.is_empty()
            && turn.asked == text
        {
            return;
        }
        self.turn(ImportedTurn {
            asked: beginning(&text, MAX_TEXT).to_owned(),
            said: String::new(),
        });
    }

    /// A text of the agent: the last one of a turn counts.
    fn said(&mut self, text: &str) {
        let text = beginning(text.trim(), MAX_TEXT);
        if text.is_empty() {
            return;
        }
        match self.newest() {
            Some(turn) => text.clone_into(&mut turn.said),
            None => self.turn(ImportedTurn {
                asked: String::new(),
                said: text.to_owned(),
            }),
        }
    }

    fn called(&mut self, id: &str, action: &Action) {
        let call = match action {
            Action::Edit(path) => Call::Edit(vec![path.clone().into_owned()]),
            Action::Patch(paths) => {
                Call::Edit(paths.iter().map(|p| p.clone().into_owned()).collect())
            }
            Action::Command { command, .. } => Call::Command(command.clone().into_owned()),
            Action::Read(_) | Action::Discard | Action::Other => return,
        };
        self.calls.push_back((id.to_owned(), call));
        if self.calls.len() > MAX_CALLS {
            self.calls.pop_front();
        }
    }

    /// A call ended; `error` where it failed.
    fn ended(&mut self, id: &str, error: Option<&str>) {
        let Some(at) = self.calls.iter().position(|(known, _)| known == id) else {
            return;
        };
        match (self.calls.remove(at), error) {
            (Some((_, Call::Command(command))), Some(error)) => {
                self.failed.push_back(FailedCommand {
                    command: beginning(&command, MAX_ERROR).to_owned(),
                    error: end(error.trim(), MAX_ERROR).to_owned(),
                });
                if self.failed.len() > MAX_FAILED {
                    self.failed.pop_front();
                }
            }
            (Some((_, Call::Edit(paths))), None) => self.edited(paths),
            _ => {}
        }
    }

    fn edited(&mut self, paths: Vec<String>) {
        for path in paths {
            self.files.retain(|known| *known != path);
            self.files.push_back(path);
            if self.files.len() > MAX_FILES {
                self.files.pop_front();
            }
        }
    }

    fn finish(mut self) -> Session {
        let row = &mut self.session.row;
        row.turns = self.first;
        row.turns.extend(self.last);
        row.failed = self.failed.into();
        row.files_edited = self.files.into();
        self.session
    }
}

/// The hash by which Gemini CLI knows a directory.
pub fn directory_hash(directory: &str) -> String {
    use sha2::{Digest, Sha256};
    aictx_proto::text::hex(&Sha256::digest(directory.as_bytes()))
}

/// Tells times as RFC 3339 writes them: texts of this form can be compared.
fn is_time(text: &str) -> bool {
    let bytes = text.as_bytes();
    (20..=35).contains(&bytes.len())
        && bytes.iter().take(4).all(u8::is_ascii_digit)
        && bytes.get(10) == Some(&b'T')
        && bytes.is_ascii()
}

/// The first bytes of a text.
fn beginning(text: &str, limit: usize) -> &str {
    text.get(..text.floor_char_boundary(limit))
        .unwrap_or_default()
}

/// The last bytes of a text.
fn end(text: &str, limit: usize) -> &str {
    let from = text.ceil_char_boundary(text.len().saturating_sub(limit));
    text.get(from..).unwrap_or_default()
}

/// Returns the person's part of a message; `None` where the agent put all of it there: instructions, reminders, outputs of
/// its own commands. Such texts stand between tags whose names have a hyphen or an underscore.
fn request(text: &str) -> Option<Cow<'_, str>> {
    const INJECTED: &[&str] = &[
        "# AGENTS.md instructions",
        "Caveat: The messages below",
        "[Request interrupted",
        "This session is being continued from a previous conversation",
    ];
    let mut rest = text.trim();
    let mut command = None;
    while let Some(inside) = rest.strip_prefix('<') {
        let name = inside.split(['>', ' ', '\n']).next().unwrap_or_default();
        let is_tag = name.contains(['-', '_'])
            && name
                .bytes()
                .all(|b| b.is_ascii_lowercase() || matches!(b, b'-' | b'_'));
        let close = format!("</{name}>");
        let Some((content, behind)) = inside.split_once(&close).filter(|_| is_tag) else {
            break;
        };
        // "/review src": what was asked stands behind the command.
        if name == "command-args" {
            command = content.split_once('>').map(|(_, args)| args.trim());
        }
        rest = behind.trim_start();
    }
    let rest = match rest {
        "" => command.unwrap_or_default(),
        rest => rest,
    };
    let is_injected = INJECTED.iter().any(|begin| rest.starts_with(begin));
    if rest.is_empty() || is_injected {
        return None;
    }
    // Reminders stand behind requests, too.
    match rest.find("<system-reminder>") {
        Some(at) => {
            let before = rest.get(..at).unwrap_or_default().trim();
            (!before.is_empty()).then_some(Cow::Borrowed(before))
        }
        None => Some(Cow::Borrowed(rest)),
    }
}

/// All elements of a list, of which [`elements_of`] gives the first.
fn all_of(list: Option<&RawValue>) -> Vec<&RawValue> {
    list.and_then(|list| serde_json::from_str(list.get()).ok())
        .unwrap_or_default()
}

/// The texts of a message's content: a string, or a list of parts with a `text`.
fn content_text(content: Option<&RawValue>, kinds: &[&str]) -> String {
    let Some(content) = content else {
        return String::new();
    };
    if content.get().starts_with('"') {
        return text_of(content).into_owned();
    }
    let parts = elements_of(content).into_iter().map(Members::of);
    let texts = parts.filter(|part| {
        let kind = part.text(&["type"]);
        kind.is_empty() || kinds.contains(&&*kind)
    });
    let texts: Vec<String> = texts
        .map(|part| part.text(&["text"]).into_owned())
        .filter(|text| !text.is_empty())
        .collect();
    texts.join("\n")
}

/// Claude Code 1 and 2: `projects/<directory>/<session>.jsonl`, seen in 2.1.332. Rows of sub-agents are marked in
/// older versions and stand in files of their own in newer ones.
fn claude_line(draft: &mut Draft, line: &Members) {
    let kind = line.text(&["type"]);
    if !matches!(&*kind, "user" | "assistant") {
        return;
    }
    if line.flag(&["isSidechain"]) {
        draft.session.is_subagent |= draft.first.is_empty();
        return;
    }
    let row = &mut draft.session.row;
    Draft::set(&mut row.session_id, &line.text(&["sessionId"]));
    Draft::set(&mut draft.session.cwd, &line.text(&["cwd"]));
    let branch = line.text(&["gitBranch"]);
    if !branch.is_empty() && branch != "HEAD" {
        branch.as_ref().clone_into(&mut row.branch);
    }
    draft.at(&line.text(&["timestamp"]));
    if line.flag(&["isMeta", "isCompactSummary", "isApiErrorMessage"]) {
        return;
    }
    let message = line.object(&["message"]);
    let content = message.raw("content");
    let parts: Vec<Members> = content
        .map(elements_of)
        .unwrap_or_default()
        .into_iter()
        .map(Members::of)
        .collect();
    for part in &parts {
        match &*part.text(&["type"]) {
            "tool_use" => {
                let tool = part.text(&["name"]);
                let action = event_and_tool_tables::action(claude::TOOLS, &tool, part.raw("input"));
                draft.called(&part.text(&["id"]), &action);
            }
            "tool_result" => {
                let text = content_text(part.raw("content"), &["text"]);
                let error = part.flag(&["is_error"]).then_some(text.as_str());
                draft.ended(&part.text(&["tool_use_id"]), error);
            }
            _ => {}
        }
    }
    let text = content_text(content, &["text"]);
    match &*kind {
        "user" => draft.asked(&text),
        _ => draft.said(&text),
    }
}

/// Codex: `sessions/<year>/<month>/<day>/rollout-*.jsonl`, seen in 0.171.0. Before 0.32 the records stood bare.
fn codex_line(draft: &mut Draft, line: &Members) {
    draft.at(&line.text(&["timestamp"]));
    let payload = line.object(&["payload"]);
    let item = match line.raw("payload") {
        Some(_) => &payload,
        None => line,
    };
    let row = &mut draft.session.row;
    match &*line.text(&["type"]) {
        "session_meta" | "" if item.raw("id").is_some() && item.raw("type").is_none() => {
            Draft::set(&mut row.session_id, &item.text(&["id"]));
            Draft::set(&mut draft.session.cwd, &item.text(&["cwd"]));
            Draft::set(&mut row.branch, &item.object(&["git"]).text(&["branch"]));
            let source = item.object(&["source"]);
            draft.session.is_subagent |=
                source.raw("subagent").is_some() || item.text(&["thread_source"]) == "subagent";
            return;
        }
        "turn_context" => {
            Draft::set(&mut draft.session.cwd, &item.text(&["cwd"]));
            return;
        }
        // The same once more, for the screen.
        "event_msg" => return,
        _ => {}
    }
    let id = item.text(&["call_id"]);
    match &*item.text(&["type"]) {
        "message" => {
            let text = content_text(item.raw("content"), &["input_text", "output_text", "text"]);
            match &*item.text(&["role"]) {
                "user" => {
                    if draft.session.cwd.is_empty()
                        && let Some((_, rest)) = text.split_once("<cwd>")
                        && let Some((cwd, _)) = rest.split_once("</cwd>")
                    {
                        cwd.clone_into(&mut draft.session.cwd);
                    }
                    draft.asked(&text);
                }
                "assistant" => draft.said(&text),
                _ => {}
            }
        }
        "function_call" | "custom_tool_call" | "local_shell_call" => {
            let tool = item.text(&["name"]);
            let tool = if tool.is_empty() {
                "local_shell"
            } else {
                &*tool
            };
            let input = ["arguments", "input", "action"];
            let input = input.iter().find_map(|name| item.raw(name));
            draft.called(
                &id,
                &event_and_tool_tables::action(codex::TOOLS, tool, input),
            );
        }
        "function_call_output" | "custom_tool_call_output" => {
            let output = item.raw("output");
            let text = match output.filter(|raw| raw.get().starts_with(['{', '['])) {
                None => item.text(&["output"]).into_owned(),
                Some(raw) if raw.get().starts_with('[') => {
                    content_text(Some(raw), &["input_text", "output_text", "text"])
                }
                Some(raw) => Members::of(raw).text(&["content"]).into_owned(),
            };
            // Older versions wrap the output in JSON.
            let wrapped = Members::parse(&text).unwrap_or_default();
            let shown = wrapped.text(&["output"]);
            let code = wrapped.object(&["metadata"]).whole(&["exit_code"]);
            let code = code.or_else(|| exit_code(&text, "exited with code "));
            let shown = match shown.is_empty() {
                true => text.split_once("Output:\n").map_or(&*text, |(_, out)| out),
                false => &*shown,
            };
            draft.ended(&id, (code.unwrap_or(0) != 0).then_some(shown));
        }
        _ => {}
    }
}

/// The number behind some words.
fn exit_code(text: &str, words: &str) -> Option<i64> {
    let (_, behind) = text.split_once(words)?;
    let end = behind.find(|c: char| !c.is_ascii_digit() && c != '-');
    behind.get(..end.unwrap_or(behind.len()))?.parse().ok()
}

/// Gemini CLI: `tmp/<project>/chats/session-*.jsonl`, seen in 0.61.0; one document of the same members before.
fn gemini_line(draft: &mut Draft, line: &Members) {
    if line.raw("sessionId").is_some() {
        let row = &mut draft.session.row;
        Draft::set(&mut row.session_id, &line.text(&["sessionId"]));
        Draft::set(&mut draft.session.cwd_hash, &line.text(&["projectHash"]));
        draft.session.is_subagent |= line.text(&["kind"]) == "subagent";
        draft.at(&line.text(&["startTime"]));
        draft.at(&line.text(&["lastUpdated"]));
    }
    let changed = line.object(&["$set"]);
    for list in [line, &changed] {
        for message in all_of(list.raw("messages")) {
            gemini_message(draft, &Members::of(message));
        }
    }
    gemini_message(draft, line);
}

fn gemini_message(draft: &mut Draft, message: &Members) {
    let kind = message.text(&["type"]);
    if !matches!(&*kind, "user" | "gemini") {
        return;
    }
    let id = message.text(&["id"]);
    if !id.is_empty() && id != draft.last_written {
        if draft.written.contains(&*id) {
            return;
        }
        if draft.written.len() < MAX_WRITTEN {
            draft.written.insert(id.clone().into_owned());
        }
        draft.last_written = id.into_owned();
    }
    draft.at(&message.text(&["timestamp"]));
    let text = content_text(message.raw("content"), &["text"]);
    if kind == "user" {
        draft.asked(&text);
        return;
    }
    draft.said(&text);
    for call in message.elements("toolCalls") {
        let call = Members::of(call);
        let tool = call.text(&["name"]);
        let id = call.text(&["id"]);
        draft.called(
            &id,
            &event_and_tool_tables::action(gemini::TOOLS, &tool, call.raw("args")),
        );
        let result = call.elements("result");
        let response = result
            .first()
            .map(|raw| Members::of(raw))
            .unwrap_or_default();
        let response = response.object(&["functionResponse"]).object(&["response"]);
        let output = response.text(&["output", "error"]);
        let code = exit_code(&output, "Exit Code: ").unwrap_or(0);
        let failed = code != 0 || matches!(&*call.text(&["status"]), "error" | "cancelled");
        let shown = call.text(&["resultDisplay"]);
        let shown = if shown.is_empty() { output } else { shown };
        draft.ended(&id, failed.then_some(&*shown));
    }
}

/// Copilot CLI: `session-state/<session>/events.jsonl`, seen in 1.0.102.
fn copilot_line(draft: &mut Draft, line: &Members) {
    draft.at(&line.text(&["timestamp"]));
    let data = line.object(&["data"]);
    let row = &mut draft.session.row;
    let id = data.text(&["toolCallId"]);
    match &*line.text(&["type"]) {
        "session.start" | "session.resume" => {
            let context = data.object(&["context"]);
            Draft::set(&mut row.session_id, &data.text(&["sessionId"]));
            Draft::set(&mut draft.session.cwd, &context.text(&["cwd"]));
            let branch = context.text(&["branch"]);
            if !branch.is_empty() {
                branch.as_ref().clone_into(&mut row.branch);
            }
        }
        "user.message" if data.text(&["source"]).is_empty() => {
            draft.asked(&data.text(&["content"]));
        }
        // Those of sub-agents name the call that they belong to.
        "assistant.message" if data.text(&["parentToolCallId"]).is_empty() => {
            draft.said(&data.text(&["content"]));
        }
        "tool.execution_start" => {
            let tool = data.text(&["toolName"]);
            let action =
                event_and_tool_tables::action(copilot::TOOLS, &tool, data.raw("arguments"));
            draft.called(&id, &action);
        }
        "tool.execution_complete" => {
            let shell = data.object(&["shellExecution"]);
            let code = shell.whole(&["exitCode"]).unwrap_or(0);
            let failed = code != 0 || data.raw("success").is_some_and(|s| s.get() == "false");
            let result = data.object(&["result"]).text(&["content"]);
            let error = match result.is_empty() {
                true => data.object(&["error"]).text(&["message"]),
                false => result,
            };
            let error = error.split("\n<shellId:").next().unwrap_or_default();
            draft.ended(&id, failed.then_some(error));
        }
        _ => {}
    }
}

/// OpenCode: a session as `opencode export` prints it, seen in 1.18.33.
fn opencode_export(draft: &mut Draft, document: &Members) {
    opencode_session(draft, &document.object(&["info"]));
    for message in all_of(document.raw("messages")) {
        let message = Members::of(message);
        let parts = message.elements("parts");
        let parts: Vec<Members> = parts.into_iter().map(Members::of).collect();
        opencode_message(draft, &message.object(&["info"]), &parts);
    }
}

fn opencode_session(draft: &mut Draft, info: &Members) {
    let row = &mut draft.session.row;
    Draft::set(&mut row.session_id, &info.text(&["id"]));
    Draft::set(&mut draft.session.cwd, &info.text(&["directory"]));
    draft.session.is_subagent |= !info.text(&["parentID"]).is_empty();
    let time = info.object(&["time"]);
    draft.at_millis(time.whole(&["created"]));
    draft.at_millis(time.whole(&["updated"]));
}

fn opencode_message(draft: &mut Draft, info: &Members, parts: &[Members]) {
    let time = info.object(&["time"]);
    draft.at_millis(time.whole(&["created"]));
    draft.at_millis(time.whole(&["completed"]));
    Draft::set(
        &mut draft.session.cwd,
        &info.object(&["path"]).text(&["cwd"]),
    );
    let texts = parts
        .iter()
        .filter(|part| part.text(&["type"]) == "text" && !part.flag(&["synthetic", "ignored"]));
    let texts: Vec<String> = texts
        .map(|part| part.text(&["text"]).into_owned())
        .collect();
    let text = texts.join("\n");
    match &*info.text(&["role"]) {
        // `opencode run` quotes what stood on its command line.
        "user" => draft.asked(text.trim().trim_matches('"')),
        "assistant" => draft.said(&text),
        _ => {}
    }
    for part in parts.iter().filter(|part| part.text(&["type"]) == "tool") {
        let state = part.object(&["state"]);
        let id = part.text(&["callID"]);
        let tool = part.text(&["tool"]);
        let action = event_and_tool_tables::action(opencode::TOOLS, &tool, state.raw("input"));
        draft.called(&id, &action);
        let code = state.object(&["metadata"]).whole(&["exit"]).unwrap_or(0);
        let failed = code != 0 || state.text(&["status"]) == "error";
        let output = state.text(&["error", "output"]);
        draft.ended(&id, failed.then_some(&*output));
    }
}
