//! Intake: which documents of a repository a request belongs to, by the sections they say so in.
//!
//! A document takes part when it has a level-2 section `Request Signals`; `Intent`, `Open First`, `Verify` and
//! `Risks` belong to the form, too (docs/runs.md#intake).

use std::collections::{BTreeMap, BTreeSet};

use aictx_proto::methods::{Confidence, DocsFinding, IntakeDoc, IntakeFile, IntakeReply};
use serde_json::{Map, json};

/// Most documents in an answer.
const MAX_DOCS: usize = 3;
/// Most files in an answer.
const MAX_FILES: usize = 8;
/// Most files that are told for their own paths.
const MAX_DIRECT: usize = 3;
/// Most entries of one section that are read.
const MAX_ENTRIES: usize = 64;
/// Most checks and risks in an answer.
const MAX_UNION: usize = 16;
/// Longest entry, in characters.
const MAX_ENTRY: usize = 300;

/// Weights of the fields of a document.
const SIGNALS: u32 = 8;
const INTENT: u32 = 4;
const TITLE: u32 = 3;
const PATH: u32 = 2;
/// Weight of a file's path, and least score by it that counts without a document: two words that say something.
const FILE_PATH: u32 = 6;
const DIRECT: u32 = 5;
/// Share of a document's score that a file gets for being named by it.
const OPEN_FIRST: u32 = 3;
/// Scores of the best document from which on it stands out.
const HIGH: u32 = 18;
const MEDIUM: u32 = 8;

/// Words that say nothing of a request.
const STOP_WORDS: &[&str] = &[
    "an", "and", "are", "as", "at", "be", "by", "can", "do", "for", "from", "has", "how", "if",
    "in", "into", "is", "it", "its", "not", "of", "on", "or", "our", "so", "that", "the", "then",
    "this", "to", "use", "using", "was", "we", "what", "when", "where", "which", "with", "you",
    "your", "file", "files", "path", "paths",
];
/// Words that many documents share.
const GENERIC: &[&str] = &[
    "test", "tests", "doc", "docs", "md", "fix", "review", "new", "add", "change", "update",
    "code", "make", "run", "work", "issue", "bug", "error", "readme",
];

/// Sections of the form, with what is missed where one is empty.
const SECTIONS: [(&str, &str); 5] = [
    ("Intent", "no intent is stated"),
    ("Request Signals", "no request signal is listed"),
    ("Open First", "no path is listed to open first"),
    ("Verify", "no command is listed to verify with"),
    ("Risks", "no risk is listed"),
];

/// A document in the form.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Document {
    /// Path in the repository.
    pub path: String,
    /// Title.
    pub title: String,
    /// Purpose, by itself and by its header.
    pub intent: Vec<String>,
    /// Phrases of requests that belong to it.
    pub signals: Vec<String>,
    /// Paths to open first, each with its line.
    pub open_first: Vec<(u32, String)>,
    /// Commands to verify with.
    pub verify: Vec<String>,
    /// Risks.
    pub risks: Vec<String>,
    /// Lines of the sections that it has, in the order of the form; 0 for one that is missing.
    lines: [u32; 5],
}

/// Reads a document; nothing for one that does not take part.
pub fn parse(path: &str, text: &str) -> Option<Document> {
    let mut document = Document {
        path: path.to_owned(),
        ..Document::default()
    };
    let mut section = None;
    let mut fence = None;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    for (line, number) in text.lines().zip(1_u32..) {
        let bare = line.trim();
        let mark = ["```", "~~~"]
            .into_iter()
            .find(|mark| bare.starts_with(mark));
        let in_fence = fence.is_some();
        if let Some(mark) = mark {
            match fence {
                None => fence = Some(mark),
                Some(open) if open == mark => fence = None,
                Some(_) => {}
            }
            continue;
        }
        if !in_fence && let Some(heading) = heading(bare, 1) {
            if document.title.is_empty() {
                heading.clone_into(&mut document.title);
            }
            section = None;
            continue;
        }
        if !in_fence && let Some(heading) = heading(bare, 2) {
            let at = SECTIONS
                .iter()
                .position(|(name, _)| name.eq_ignore_ascii_case(heading));
            if let Some(line) = at.and_then(|at| document.lines.get_mut(at)) {
                *line = number;
            }
            section = at;
            continue;
        }
        let Some(section) = section else { continue };
        // Commands often stand in a fence, a line each.
        let item = match in_fence {
            true => (section == 3 && !bare.is_empty() && !bare.starts_with('#')).then_some(bare),
            false => item(bare),
        };
        let (list, entry) = match (section, item) {
            (0, _) if !bare.is_empty() => (&mut document.intent, item.unwrap_or(bare)),
            (1, Some(item)) => (&mut document.signals, item),
            (2, Some(item)) => {
                let path = without_comment(&unquoted(item)).to_owned();
                if document.open_first.len() < MAX_ENTRIES && !path.is_empty() {
                    document.open_first.push((number, path));
                }
                continue;
            }
            (3, Some(item)) => (&mut document.verify, item),
            (4, Some(item)) => (&mut document.risks, item),
            _ => continue,
        };
        if list.len() < MAX_ENTRIES {
            let entry = aictx_proto::text::clean(&unquoted(entry), MAX_ENTRY);
            list.push(entry);
        }
    }
    (document.lines.get(1) != Some(&0)).then_some(document)
}

/// The text of a heading of a level.
fn heading(line: &str, level: usize) -> Option<&str> {
    let marks = line.bytes().take_while(|b| *b == b'#').count();
    let rest = line.get(marks..)?;
    let is_heading = marks == level && rest.starts_with([' ', '\t']);
    is_heading.then(|| rest.trim().trim_end_matches('#').trim_end())
}

/// The text of a list item: `- text`, `* text` or `1. text`.
fn item(line: &str) -> Option<&str> {
    let bullet = ["- ", "* ", "+ "]
        .iter()
        .find_map(|mark| line.strip_prefix(mark));
    let numbered = || {
        let digits = line.bytes().take_while(u8::is_ascii_digit).count();
        let rest = line.get(digits..)?;
        (digits > 0).then(|| rest.strip_prefix(". ")).flatten()
    };
    let text = bullet.or_else(numbered)?.trim();
    (!text.is_empty()).then_some(text)
}

/// An item without the backticks around all of it.
fn unquoted(item: &str) -> String {
    let inner = item.strip_prefix('`').and_then(|rest| rest.split_once('`'));
    match inner {
        Some((inner, behind)) if behind.trim().is_empty() => inner.to_owned(),
        // `path` (comment)
        Some((inner, behind)) if behind.trim().starts_with('(') => format!("{inner}{behind}"),
        _ => item.to_owned(),
    }
}

/// A path without the comment in brackets behind it.
fn without_comment(path: &str) -> &str {
    match path.rsplit_once(" (") {
        Some((before, behind)) if behind.ends_with(')') => before.trim_end(),
        _ => path,
    }
}

/// Returns the findings about a document; `is_there` tells of paths in the repository.
pub fn check(document: &Document, is_there: impl Fn(&str) -> bool) -> Vec<DocsFinding> {
    let finding = |line, message: String| DocsFinding {
        path: document.path.clone(),
        line,
        message,
    };
    let counts = [
        document.intent.len(),
        document.signals.len(),
        document.open_first.len(),
        document.verify.len(),
        document.risks.len(),
    ];
    let mut found = Vec::new();
    for (((name, none), line), count) in SECTIONS.iter().zip(document.lines).zip(counts) {
        match (line, count) {
            (0, _) => found.push(finding(0, format!("the section `{name}` is missing"))),
            (line, 0) => found.push(finding(line, (*none).to_owned())),
            _ => {}
        }
    }
    if document.title.is_empty() {
        found.push(finding(1, "the title is missing".to_owned()));
    }
    for (line, path) in &document.open_first {
        if !is_there(path) {
            found.push(finding(*line, format!("`{path}` is not there")));
        }
    }
    found
}

/// The words of a text that say something, each once.
fn tokens(text: &str) -> BTreeSet<String> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric());
    let words = words.map(str::to_ascii_lowercase);
    words
        .filter(|word| word.len() > 1 && !STOP_WORDS.contains(&word.as_str()))
        .collect()
}

/// A text as words between blanks, to find phrases in it.
fn phrase(text: &str) -> String {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric());
    let words: Vec<String> = words
        .filter(|word| !word.is_empty())
        .map(str::to_ascii_lowercase)
        .collect();
    format!(" {} ", words.join(" "))
}

/// A request, ready to be compared.
struct Request {
    phrase: String,
    tokens: BTreeSet<String>,
}

impl Request {
    /// Score of a field group, and what it was found by. A word counts once in a group.
    fn score(&self, fields: &[&str], weight: u32, matches: &mut Vec<String>) -> u32 {
        let (mut score, mut seen) = (0, BTreeSet::new());
        for field in fields {
            let whole = phrase(field);
            let is_phrase = whole.trim().len() > 1 && self.phrase.contains(&whole);
            if is_phrase
                && tokens(field)
                    .iter()
                    .any(|word| !GENERIC.contains(&word.as_str()))
            {
                score += weight;
                matches.push((*field).to_owned());
            }
            for word in tokens(field) {
                if self.tokens.contains(&word) && seen.insert(word.clone()) {
                    let is_generic = GENERIC.contains(&word.as_str());
                    score += if is_generic { 1 } else { (weight / 2).max(1) };
                    matches.push(word);
                }
            }
        }
        score
    }
}

/// Routes a request to documents and files. `files` are those of the repository.
pub fn route(request: &str, documents: &[Document], files: &[String]) -> IntakeReply {
    let asked = Request {
        phrase: phrase(request),
        tokens: tokens(request),
    };
    let mut docs: Vec<IntakeDoc> = documents
        .iter()
        .map(|document| scored(&asked, document))
        .filter(|doc| doc.score > 0)
        .collect();
    docs.sort_by(|a, b| b.score.cmp(&a.score).then_with(|| a.path.cmp(&b.path)));
    docs.truncate(MAX_DOCS);
    let mut reply = IntakeReply {
        request: request.to_owned(),
        ..IntakeReply::default()
    };
    let Some(best) = docs.first() else {
        return reply;
    };
    reply.confidence = Some(match best.score {
        HIGH.. => Confidence::High,
        MEDIUM.. => Confidence::Medium,
        _ => Confidence::Low,
    });
    reply.files = opened(&asked, &docs, files);
    reply.verify = union(&docs, |doc| &doc.verify);
    reply.risks = union(&docs, |doc| &doc.risks);
    reply.docs = docs;
    reply
}

fn scored(asked: &Request, document: &Document) -> IntakeDoc {
    let mut matches = Vec::new();
    let texts = |list: &[String]| -> Vec<String> { list.to_vec() };
    let groups = [
        ("signals", texts(&document.signals), SIGNALS),
        ("intent", texts(&document.intent), INTENT),
        ("title", vec![document.title.clone()], TITLE),
        ("path", vec![document.path.clone()], PATH),
    ];
    let mut details = Map::new();
    for (name, fields, weight) in groups {
        let fields: Vec<&str> = fields.iter().map(String::as_str).collect();
        let score = asked.score(&fields, weight, &mut matches);
        if score > 0 {
            details.insert(name.to_owned(), json!(score));
        }
    }
    let score: u64 = details.values().filter_map(serde_json::Value::as_u64).sum();
    let mut seen = BTreeSet::new();
    matches.retain(|text| seen.insert(text.clone()));
    IntakeDoc {
        path: document.path.clone(),
        title: document.title.clone(),
        score: u32::try_from(score).unwrap_or(u32::MAX),
        matches,
        score_details: details,
        open_first: document
            .open_first
            .iter()
            .map(|(_, path)| path.clone())
            .collect(),
        verify: document.verify.clone(),
        risks: document.risks.clone(),
    }
}

/// Files that stand out by their paths, then those that the documents name, then the rest.
fn opened(asked: &Request, docs: &[IntakeDoc], files: &[String]) -> Vec<IntakeFile> {
    let mut all: BTreeMap<&str, IntakeFile> = BTreeMap::new();
    for path in files {
        let mut matches = Vec::new();
        let direct = asked.score(&[path], FILE_PATH, &mut matches);
        if direct >= DIRECT && matches.len() > 1 {
            let file = all.entry(path).or_default();
            (file.direct_score, file.score) = (direct, direct);
        }
    }
    for doc in docs {
        for path in &doc.open_first {
            // What is not there is the business of `docs check`.
            let is_there = files.binary_search(path).is_ok();
            let below = format!("{}/", path.trim_end_matches('/'));
            let is_directory = || files.iter().any(|file| file.starts_with(&below));
            if is_there || is_directory() {
                let file = all.entry(path).or_default();
                file.score = file
                    .score
                    .saturating_add(doc.score.saturating_mul(OPEN_FIRST));
                file.referenced_by.push(doc.path.clone());
            }
        }
    }
    for (path, file) in &mut all {
        (*path).clone_into(&mut file.path);
    }
    let mut ranked: Vec<IntakeFile> = all.into_values().collect();
    ranked.sort_by(|a, b| b.score.cmp(&a.score).then_with(|| a.path.cmp(&b.path)));
    let (seeds, mut direct): (Vec<_>, Vec<_>) = ranked
        .into_iter()
        .partition(|file| !file.referenced_by.is_empty());
    direct.truncate(MAX_DIRECT);
    direct.extend(seeds);
    direct.truncate(MAX_FILES);
    direct
}

/// Entries of all documents: those of most documents first, then by text.
fn union(docs: &[IntakeDoc], of: impl Fn(&IntakeDoc) -> &Vec<String>) -> Vec<String> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for doc in docs {
        let entries: BTreeSet<&str> = of(doc).iter().map(String::as_str).collect();
        for entry in entries {
            *counts.entry(entry).or_default() += 1;
        }
    }
    let mut entries: Vec<(&str, usize)> = counts.into_iter().collect();
    entries.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(b.0)));
    let entries = entries.into_iter().take(MAX_UNION);
    entries.map(|(entry, _)| entry.to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const RUNS: &str = "# Agent Run State\n\n## Intent\nKeep reasoning visible.\n\n## Request Signals\n- hypothesis ledger\n- \
        agent run\n* closeout\n\n## Open First\n- `docs/runs.md` (the page)\n1. src/run.rs\n- gone.py\n\n## Verify\n```sh\n\
        # all of it\ncargo test -p work\n```\n- `cargo xtask docs`\n\n## Risks\n- Hidden memory debt.\n\n## Workflow\n- not read\n";

    fn other() -> Document {
        let text = "# Releases\n## Intent\nShip.\n## Request Signals\n- release notes\n- tests\n## Open First\n- CHANGELOG.md\n\
            ## Verify\n- cargo test -p work\n## Risks\n- Late.\n";
        parse("docs/release.md", text).unwrap()
    }

    #[test]
    fn sections_are_read_as_they_are_written() {
        let document = parse("docs/dev/agent-runs.md", RUNS).unwrap();
        assert_eq!(document.title, "Agent Run State");
        assert_eq!(document.intent, ["Keep reasoning visible."]);
        assert_eq!(
            document.signals,
            ["hypothesis ledger", "agent run", "closeout"]
        );
        let open: Vec<&str> = document
            .open_first
            .iter()
            .map(|(_, path)| path.as_str())
            .collect();
        assert_eq!(open, ["docs/runs.md", "src/run.rs", "gone.py"]);
        assert_eq!(document.verify, ["cargo test -p work", "cargo xtask docs"]);
        assert_eq!(document.risks, ["Hidden memory debt."]);
        assert_eq!(parse("README.md", "# Tool\n## Verify\n- x\n"), None);
        assert_eq!(parse("x.md", "```\n## Request Signals\n```\n"), None);
    }

    #[test]
    fn what_breaks_the_form_is_named_with_its_line() {
        let document = parse("d.md", RUNS).unwrap();
        let found = check(&document, |path| path != "gone.py");
        assert_eq!(found.len(), 1);
        assert_eq!(
            (found[0].line, found[0].message.as_str()),
            (14, "`gone.py` is not there")
        );
        let bare = parse("b.md", "## Request Signals\n\n## Risks\n").unwrap();
        let found = check(&bare, |_| true);
        let all: Vec<(u32, &str)> = found.iter().map(|f| (f.line, f.message.as_str())).collect();
        assert_eq!(
            all,
            [
                (0, "the section `Intent` is missing"),
                (1, "no request signal is listed"),
                (0, "the section `Open First` is missing"),
                (0, "the section `Verify` is missing"),
                (3, "no risk is listed"),
                (1, "the title is missing"),
            ]
        );
    }

    #[test]
    fn a_request_goes_to_the_document_whose_signals_it_has() {
        let documents = [other(), parse("docs/dev/agent-runs.md", RUNS).unwrap()];
        let files: Vec<String> = [
            "CHANGELOG.md",
            "docs/runs.md",
            "src/closeout/report.rs",
            "src/run.rs",
        ]
        .map(str::to_owned)
        .to_vec();
        let reply = route("the agent run needs a closeout report", &documents, &files);
        assert_eq!(reply.confidence, Some(Confidence::High));
        assert_eq!(reply.docs[0].path, "docs/dev/agent-runs.md");
        assert!(
            reply.docs[0].matches.contains(&"agent run".to_owned()),
            "{reply:?}"
        );
        let files_told: Vec<&str> = reply.files.iter().map(|f| f.path.as_str()).collect();
        assert_eq!(
            files_told,
            ["src/closeout/report.rs", "docs/runs.md", "src/run.rs"]
        );
        assert_eq!(reply.verify[0], "cargo test -p work");
        let generic = route("fix the tests", &documents, &files);
        assert_eq!(generic.confidence, Some(Confidence::Low));
        let none = route("paint it blue", &documents, &files);
        assert_eq!(
            (none.confidence, none.docs.len(), none.files.len()),
            (None, 0, 0)
        );
        assert_eq!(route("x", &[], &files).docs, []);
    }

    #[test]
    fn checks_of_most_documents_come_first() {
        let documents = [other(), parse("docs/dev/agent-runs.md", RUNS).unwrap()];
        let reply = route("release notes of an agent run", &documents, &[]);
        assert_eq!(reply.verify, ["cargo test -p work", "cargo xtask docs"]);
        assert_eq!(reply.risks, ["Hidden memory debt.", "Late."]);
    }
}
