//! The fields of a ticket, and what is wrong with them.

use super::file_name::FileName;
use super::finding::{Code, Finding, Place};
use super::frontmatter::{Content, Field, Frontmatter, Node};

/// Agent of a ticket that a person works on.
pub const USER: &str = "user";
/// Keys of the format. Those that begin with `template` are of it, too.
const KEYS: &[&str] = &[
    "ticket_id",
    "agent",
    "done",
    "title",
    "goal",
    "model",
    "reasoning",
    "profile",
    "context",
    "after",
    "verify",
    "scope",
    "budget",
    "depends_on",
    "isolation",
    "labels",
    "priority",
];
/// Limits that `budget` may hold.
const LIMITS: &[&str] = &["turns", "tokens", "cost", "time"];

/// A ticket whose frontmatter could be read. Fields that are missing or wrong are empty; findings say so.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Ticket {
    /// `ticket_id` as written; empty where it is missing or malformed.
    pub ticket_id: String,
    /// Agent in lower case, or [`USER`].
    pub agent: String,
    /// It is done.
    pub done: bool,
    /// Short label.
    pub title: String,
    /// Intent in a line.
    pub goal: String,
    /// Model of the agent.
    pub model: String,
    /// Effort of the agent.
    pub reasoning: String,
    /// Profile of the agent.
    pub profile: String,
    /// Tickets that must be done before.
    pub after: Vec<Reference>,
    /// Commands that check the work.
    pub verify: Vec<Check>,
    /// Patterns of paths that the work may change; empty for any.
    pub scope: Vec<String>,
    /// Files that are part of the request.
    pub context: Vec<ContextFile>,
    /// Limits of the work, by name.
    pub budget: Vec<(String, String)>,
    /// It may be worked on in a worktree of its own.
    pub is_isolated: bool,
}

/// A ticket that another one names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference {
    /// As written.
    pub text: String,
    /// Place.
    pub place: Place,
    /// Bytes of it in the text of the file.
    pub span: std::ops::Range<usize>,
}

/// A command that checks the work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Check {
    /// Command line.
    pub command: String,
    /// Limit such as `10m`; empty for the usual one.
    pub timeout: String,
}

/// A file that is part of the request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContextFile {
    /// Path relative to the repository.
    pub path: String,
    /// Bytes of it at most.
    pub max_bytes: Option<u64>,
    /// Work cannot begin without it.
    pub required: bool,
}

impl Ticket {
    /// Reads the fields. `agents` are the names of known agents.
    pub fn of(front: &Frontmatter, agents: &[&str]) -> (Self, Vec<Finding>) {
        let mut reader = Reader {
            front,
            findings: Vec::new(),
        };
        let ticket = Self {
            ticket_id: reader.id(),
            agent: reader.agent(agents),
            done: reader.done(),
            title: reader.text("title"),
            goal: reader.text("goal"),
            model: reader.text("model"),
            reasoning: reader.text("reasoning"),
            profile: reader.profile(),
            after: reader.after(),
            verify: reader.verify(),
            scope: reader.scope(),
            context: reader.context(),
            budget: reader.budget(),
            is_isolated: reader.text("isolation") == "worktree",
        };
        reader.keys();
        let mut findings = reader.findings;
        findings.sort_by_key(|finding| finding.place);
        (ticket, findings)
    }

    /// Title, else goal, else the suffix of the file's name in words.
    pub fn label(&self, file: &FileName) -> String {
        let named = [&self.title, &self.goal];
        let named = named.into_iter().find(|text| !text.trim().is_empty());
        named.cloned().unwrap_or_else(|| {
            let words = file
                .suffix()
                .split(['-', '_'])
                .filter(|word| !word.is_empty());
            words.collect::<Vec<_>>().join(" ")
        })
    }
}

/// Returns true for a well-formed `ticket_id`.
pub fn is_id(text: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    (6..=128).contains(&text.len()) && text.chars().all(plain)
}

struct Reader<'f> {
    front: &'f Frontmatter,
    findings: Vec<Finding>,
}

impl<'f> Reader<'f> {
    fn found(&mut self, code: Code, place: Place, message: impl Into<String>) {
        self.findings.push(Finding::new(code, place, message));
    }

    fn fixable(&mut self, code: Code, place: Place, message: impl Into<String>, fix: String) {
        self.findings
            .push(Finding::new(code, place, message).fix(fix));
    }

    /// Place of something that is missing: the first key.
    fn top(&self) -> Place {
        self.front
            .fields
            .first()
            .map(|field| field.place)
            .unwrap_or_default()
    }

    /// A text field that may be missing.
    fn text(&mut self, key: &str) -> String {
        let Some(node) = self.front.get(key) else {
            return String::new();
        };
        if !matches!(node.content, Content::Scalar { .. }) {
            self.found(Code::NotText, node.place, format!("`{key}` is not a text"));
        }
        node.text().unwrap_or_default().trim().to_owned()
    }

    fn id(&mut self) -> String {
        let Some(node) = self.front.get("ticket_id") else {
            let top = self.top();
            self.found(
                Code::IdMissing,
                top,
                "`ticket_id` is missing, so renaming the file makes it another ticket",
            );
            return String::new();
        };
        match node.text().filter(|text| is_id(text)) {
            Some(id) => id.to_owned(),
            None => {
                let why =
                    "`ticket_id` must have 6 to 128 letters, digits, dots, dashes or underscores";
                self.found(Code::IdMalformed, node.place, why);
                String::new()
            }
        }
    }

    fn agent(&mut self, agents: &[&str]) -> String {
        let node = self.front.get("agent");
        let Some((node, name)) = node.and_then(|node| Some((node, node.text()?.trim()))) else {
            let place = node.map_or_else(|| self.top(), |node| node.place);
            self.found(
                Code::AgentMissing,
                place,
                "`agent` is missing: name an agent, or `user` for yourself",
            );
            return String::new();
        };
        if name.is_empty() {
            self.found(Code::AgentMissing, node.place, "`agent` is empty");
        }
        let lower = name.to_lowercase();
        let known = lower == USER || agents.contains(&lower.as_str());
        if known && lower != name {
            let message = format!("`{name}` is spelled `{lower}`");
            self.fixable(
                Code::AgentSpelling,
                node.place,
                message,
                format!("agent: {lower}"),
            );
        } else if !known && !name.is_empty() {
            let names = agents.iter().copied().chain([USER]);
            let message = format!("no agent `{name}` is known");
            match nearest(&lower, names) {
                Some(meant) => self.fixable(
                    Code::AgentUnknown,
                    node.place,
                    message,
                    format!("agent: {meant}"),
                ),
                None => {
                    let all = agents
                        .iter()
                        .copied()
                        .chain([USER])
                        .collect::<Vec<_>>()
                        .join(", ");
                    self.found(
                        Code::AgentUnknown,
                        node.place,
                        format!("{message}; known are {all}"),
                    );
                }
            }
        }
        lower
    }

    fn done(&mut self) -> bool {
        let Some(node) = self.front.get("done") else {
            let top = self.top();
            self.fixable(
                Code::Done,
                top,
                "`done` is missing",
                "done: false".to_owned(),
            );
            return false;
        };
        let Some(done) = node.boolean() else {
            let meant = match node.text().map(str::to_ascii_lowercase).as_deref() {
                Some("true" | "yes" | "on" | "y" | "1") => "done: true",
                Some("false" | "no" | "off" | "n" | "0") => "done: false",
                _ => "",
            };
            let why = "`done` must be true or false, without quotes";
            self.fixable(Code::Done, node.place, why, meant.to_owned());
            return false;
        };
        let text = node.text().unwrap_or_default();
        if !text.eq_ignore_ascii_case(if done { "true" } else { "false" }) {
            let why = format!("`{text}` is read as {done} here and as a text by YAML 1.2");
            self.fixable(Code::DoneSpelling, node.place, why, format!("done: {done}"));
        }
        done
    }

    fn profile(&mut self) -> String {
        let profile = self.text("profile");
        if let Some(node) = self.front.get("profile").filter(|_| profile.is_empty()) {
            self.found(Code::ProfileEmpty, node.place, "`profile` is empty");
        }
        profile
    }

    /// The items of a list, or the one item that stands in its place.
    fn list(&mut self, key: &str, code: Code, of: &str) -> Vec<&'f Node> {
        let Some(node) = self.front.get(key) else {
            return Vec::new();
        };
        match &node.content {
            Content::Sequence(items) => items.iter().collect(),
            Content::Scalar { .. } if node.is_null() => Vec::new(),
            Content::Scalar { .. } => vec![node],
            Content::Mapping(_) => {
                self.found(code, node.place, format!("`{key}` must be a list of {of}"));
                Vec::new()
            }
        }
    }

    fn after(&mut self) -> Vec<Reference> {
        if let Some(field) = self.front.field("depends_on") {
            let why = "`depends_on` is the former name of `after`";
            self.fixable(Code::DependsOn, field.place, why, "after".to_owned());
        }
        let key = match self.front.get("after") {
            Some(_) => "after",
            None => "depends_on",
        };
        let items = self.list(key, Code::AfterList, "tickets");
        let mut after = Vec::new();
        for node in items {
            match node.text().map(str::trim).filter(|text| !text.is_empty()) {
                Some(text) => after.push(Reference {
                    text: text.to_owned(),
                    place: node.place,
                    span: node.span.clone(),
                }),
                None => self.found(
                    Code::AfterList,
                    node.place,
                    format!("`{key}` must name tickets by number, name or id"),
                ),
            }
        }
        after
    }

    fn verify(&mut self) -> Vec<Check> {
        const WHY: &str =
            "`verify` must be a command, or a list of commands or of `cmd:` with a `timeout:`";
        // A single mapping is a list of one.
        let items = match self.front.get("verify") {
            Some(node) if matches!(node.content, Content::Mapping(_)) => vec![node],
            _ => self.list("verify", Code::Verify, "commands"),
        };
        let mut checks = Vec::new();
        for node in items {
            let (command, timeout) = match &node.content {
                Content::Mapping(fields) => (member(fields, "cmd"), member(fields, "timeout")),
                _ => (Some(node), None),
            };
            let command = command
                .and_then(Node::text)
                .map(str::trim)
                .unwrap_or_default();
            if command.is_empty() {
                self.found(Code::Verify, node.place, WHY);
                continue;
            }
            let limit = timeout.and_then(Node::text).unwrap_or_default();
            if let Some(timeout) = timeout.filter(|_| !is_duration(limit)) {
                self.found(
                    Code::Verify,
                    timeout.place,
                    "`timeout` must be a number with s, m or h",
                );
            }
            checks.push(Check {
                command: command.to_owned(),
                timeout: limit.to_owned(),
            });
        }
        checks
    }

    fn scope(&mut self) -> Vec<String> {
        let mut scope = Vec::new();
        for node in self.list("scope", Code::Scope, "patterns of paths") {
            match node.text().map(str::trim).filter(|text| !text.is_empty()) {
                Some(pattern) if self.is_inside(pattern, node.place) => {
                    scope.push(pattern.to_owned())
                }
                Some(_) => {}
                None => self.found(
                    Code::Scope,
                    node.place,
                    "`scope` must name patterns of paths",
                ),
            }
        }
        scope
    }

    /// Checks that a path stays in the repository.
    fn is_inside(&mut self, path: &str, place: Place) -> bool {
        let (code, why) = if path.starts_with(['/', '~']) {
            (
                Code::PathAbsolute,
                "is absolute; write it relative to the repository",
            )
        } else if path.contains('\\') {
            (Code::PathBackslash, "has a backslash; write slashes")
        } else if path.split('/').any(|part| part == "..") {
            (Code::PathClimbs, "leads out of the repository")
        } else {
            return true;
        };
        self.found(code, place, format!("`{path}` {why}"));
        false
    }

    fn context(&mut self) -> Vec<ContextFile> {
        let Some(node) = self.front.get("context").filter(|node| !node.is_null()) else {
            return Vec::new();
        };
        let Content::Sequence(items) = &node.content else {
            self.found(
                Code::ContextList,
                node.place,
                "`context` must be a list of files, each with a `path`",
            );
            return Vec::new();
        };
        let mut files = Vec::new();
        for item in items {
            let Content::Mapping(fields) = &item.content else {
                self.found(
                    Code::ContextEntry,
                    item.place,
                    "an entry of `context` must be `path: …`",
                );
                continue;
            };
            let path = member(fields, "path")
                .and_then(Node::text)
                .unwrap_or_default()
                .trim();
            if path.is_empty() {
                self.found(
                    Code::ContextPath,
                    item.place,
                    "an entry of `context` has no `path`",
                );
                continue;
            }
            let place = member(fields, "path").map_or(item.place, |path| path.place);
            let inside = self.is_inside(path, place);
            let max_bytes = member(fields, "max_bytes");
            let bytes = max_bytes.and_then(number);
            if let Some(wrong) = max_bytes.filter(|_| bytes.is_none()) {
                self.found(
                    Code::MaxBytes,
                    wrong.place,
                    "`max_bytes` must be a whole number above 0",
                );
            }
            let required = member(fields, "required");
            if let Some(wrong) = required.filter(|node| node.boolean().is_none()) {
                self.found(
                    Code::Required,
                    wrong.place,
                    "`required` must be true or false",
                );
            }
            if inside {
                files.push(ContextFile {
                    path: path.to_owned(),
                    max_bytes: bytes,
                    required: required.and_then(Node::boolean).unwrap_or(false),
                });
            }
        }
        files
    }

    fn budget(&mut self) -> Vec<(String, String)> {
        let Some(node) = self.front.get("budget").filter(|node| !node.is_null()) else {
            return Vec::new();
        };
        let Content::Mapping(fields) = &node.content else {
            self.found(
                Code::Budget,
                node.place,
                "`budget` must hold limits: turns, tokens, cost, time",
            );
            return Vec::new();
        };
        let mut budget = Vec::new();
        for field in fields {
            let text = field.node.text().unwrap_or_default();
            let fits = match field.key.as_str() {
                "turns" | "tokens" => number(&field.node).is_some(),
                "cost" => text
                    .parse::<f64>()
                    .is_ok_and(|cost| cost.is_finite() && cost > 0.0),
                "time" => is_duration(text) && !text.is_empty(),
                _ => false,
            };
            match (fits, LIMITS.contains(&field.key.as_str())) {
                (true, _) => budget.push((field.key.clone(), text.to_owned())),
                (false, true) => self.found(
                    Code::Budget,
                    field.node.place,
                    format!("`{}` is not a limit above 0", field.key),
                ),
                (false, false) => self.found(
                    Code::Budget,
                    field.place,
                    format!(
                        "`{}` is no limit; there are {}",
                        field.key,
                        LIMITS.join(", ")
                    ),
                ),
            }
        }
        budget
    }

    /// Keys that stand there twice, or are nearly known ones.
    fn keys(&mut self) {
        for (at, field) in self.front.fields.iter().enumerate() {
            let mut before = self.front.fields.iter().take(at);
            if let Some(first) = before.find(|first| first.key == field.key) {
                let message = format!(
                    "`{}` stands in line {} already",
                    field.key, first.place.line
                );
                self.found(Code::KeyTwice, field.place, message);
            }
            let key = field.key.as_str();
            if !KEYS.contains(&key)
                && !key.starts_with("template")
                && let Some(meant) = nearest(key, KEYS.iter().copied())
            {
                let message = format!("`{key}` is no key of a ticket; did you mean `{meant}`?");
                self.fixable(Code::KeyNearly, field.place, message, meant.to_owned());
            }
        }
    }
}

fn member<'n>(fields: &'n [Field], key: &str) -> Option<&'n Node> {
    fields
        .iter()
        .rev()
        .find(|field| field.key == key)
        .map(|field| &field.node)
}

/// A whole number above 0, not in quotes.
fn number(node: &Node) -> Option<u64> {
    match &node.content {
        Content::Scalar {
            text,
            is_plain: true,
        } => text.parse().ok().filter(|n| *n > 0),
        _ => None,
    }
}

/// Returns true for `90`, `90s`, `10m`, `2h`, and for nothing.
fn is_duration(text: &str) -> bool {
    let digits = text.strip_suffix(['s', 'm', 'h']).unwrap_or(text);
    text.is_empty() || !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit())
}

/// Edits of a word after which it counts as another word.
const MAX_EDITS: usize = 2;

/// The word that another one was probably meant to be.
fn nearest<'w>(word: &str, words: impl Iterator<Item = &'w str>) -> Option<&'w str> {
    let word = word.to_lowercase();
    let close = words.map(|known| (distance(&word, known), known));
    // Of a short word two edits leave nothing.
    let close = close.filter(|(edits, known)| *edits <= MAX_EDITS.min(known.len() / 3));
    close
        .min_by_key(|(edits, _)| *edits)
        .map(|(_, known)| known)
}

/// Edit distance in which swapping two neighbours is one edit (optimal string alignment). Time:
/// O(length of both), of words that are cut to 32 characters.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) =
        (a.chars().take(32).collect(), b.chars().take(32).collect());
    let (mut before, mut last) = (Vec::new(), (0..=b.len()).collect::<Vec<_>>());
    for (i, x) in a.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, y) in b.iter().enumerate() {
            let at =
                |row: &[usize], column: usize| row.get(column).copied().unwrap_or(usize::MAX / 2);
            let mut edits = (at(&last, j) + usize::from(x != y))
                .min(at(&last, j + 1) + 1)
                .min(at(&row, j) + 1);
            let swapped = i > 0 && j > 0 && a.get(i - 1) == Some(y) && b.get(j - 1) == Some(x);
            if swapped {
                edits = edits.min(at(&before, j - 1) + 1);
            }
            row.push(edits);
        }
        before = std::mem::replace(&mut last, row);
    }
    last.last().copied().unwrap_or_default()
}
