//! Handoff of a run: its state as a text within a bound, the same for the same state.

use aictx_proto::json::{member, texts};
use aictx_proto::methods::{HypothesisStatus, RunStatus};
use aictx_proto::shown;
use aictx_proto::snapshot::GitState;

use super::gate::{Artifact, unresolved};
use super::ledger::text;
use super::state::Run;

/// Bound of a handoff in bytes, when nobody says another one.
pub const DEFAULT_BYTES: usize = 6_000;
/// Least and most that can be asked for.
pub const BYTES: std::ops::RangeInclusive<usize> = 200..=64 * 1024;
/// Longest line, in characters.
const MAX_LINE: usize = 400;
/// Most lines of one section.
const MAX_LINES: usize = 12;
/// Commands that are told, the newest ones.
const MAX_COMMANDS: usize = 5;

/// A handoff.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Handoff {
    /// Its text.
    pub text: String,
    /// Lines that did not fit.
    pub left_out: usize,
}

/// A line with a title, or a list with one.
struct Section {
    title: &'static str,
    lines: Vec<String>,
    is_list: bool,
}

/// Tells where a run stands. `git` is what is checked out now.
pub fn handoff(
    run: &Run,
    git: &GitState,
    artifact: &dyn Fn(&str) -> Artifact,
    max_bytes: usize,
) -> Handoff {
    let max_bytes = match max_bytes {
        0 => DEFAULT_BYTES,
        bytes => bytes.clamp(*BYTES.start(), *BYTES.end()),
    };
    let mut sections = sections(run, git, artifact);
    let mut left_out = 0;
    for section in &mut sections {
        left_out += section.lines.len().saturating_sub(MAX_LINES);
        section.lines.truncate(MAX_LINES);
    }
    loop {
        let text = render(&sections, left_out);
        if text.len() <= max_bytes {
            return Handoff { text, left_out };
        }
        // The longest list gives way first, the later one of two; what everybody needs is one line a section.
        let longest = (0..sections.len())
            .max_by_key(|at| sections.get(*at).map_or(0, |section| section.lines.len()));
        let longest = longest.and_then(|at| sections.get_mut(at));
        match longest {
            Some(section) if section.lines.len() > 1 => {
                section.lines.pop();
                left_out += 1;
            }
            _ => match shorten(&mut sections) {
                true => {}
                false => {
                    left_out += sections.pop().map_or(0, |section| section.lines.len());
                    if sections.is_empty() {
                        return Handoff {
                            text: String::new(),
                            left_out,
                        };
                    }
                }
            },
        }
    }
}

/// Halves the longest line; false if all are short already.
fn shorten(sections: &mut [Section]) -> bool {
    const SHORT: usize = 60;
    let lines = sections.iter_mut().flat_map(|section| &mut section.lines);
    let longest = lines.max_by_key(|line| line.chars().count());
    let Some(line) = longest.filter(|line| line.chars().count() > SHORT) else {
        return false;
    };
    *line = shown::line(line, line.chars().count() / 2);
    true
}

fn render(sections: &[Section], left_out: usize) -> String {
    let mut out = String::new();
    for section in sections.iter().filter(|section| !section.lines.is_empty()) {
        match section.is_list {
            true => out.push_str(&format!("{}:\n", section.title)),
            false => out.push_str(&format!("{}: ", section.title)),
        }
        for line in &section.lines {
            let mark = if section.is_list { "- " } else { "" };
            out.push_str(&format!("{mark}{line}\n"));
        }
    }
    if left_out > 0 {
        out.push_str(&format!("({left_out} more in the ledgers)\n"));
    }
    out
}

fn sections(run: &Run, git: &GitState, artifact: &dyn Fn(&str) -> Artifact) -> Vec<Section> {
    let cut = |text: &str| shown::line(text, MAX_LINE);
    let problem = |name: &str| -> Vec<String> {
        let all = texts(run.problem.get(name));
        all.iter().map(|text| cut(text)).collect()
    };
    let section = |title, lines| Section {
        title,
        lines,
        is_list: true,
    };
    let one = |title, line: String| Section {
        title,
        lines: if line.is_empty() {
            Vec::new()
        } else {
            vec![line]
        },
        is_list: false,
    };
    let mut all = vec![
        one("Run", format!("{} ({})", run.id, run.status)),
        one("Request", cut(run.request())),
        one("Intent", cut(run.said("intent"))),
        section("Non-goals", problem("non_goals")),
        one("Status", status_line(run)),
    ];
    let about = |hypothesis: &super::state::Hypothesis, newest: &str| match newest {
        "" => cut(&format!("{}: {}", hypothesis.id, hypothesis.text)),
        newest => cut(&format!(
            "{}: {} ({newest})",
            hypothesis.id, hypothesis.text
        )),
    };
    let evidence = |id: &str| {
        let newest = run.evidence_of(id).next_back();
        newest.map_or(String::new(), |row| {
            format!("{}: {}", text(row, "id"), text(row, "text"))
        })
    };
    let open = run.in_state(HypothesisStatus::Open).rev();
    let open = open.map(|h| about(h, &evidence(&h.id))).collect();
    all.push(section("Open hypotheses", open));
    let accepted = run.in_state(HypothesisStatus::Accepted).rev();
    let accepted = accepted.map(|h| about(h, &evidence(&h.id))).collect();
    all.push(section("Accepted hypotheses", accepted));
    let dead = [HypothesisStatus::Rejected, HypothesisStatus::Superseded];
    let dead = dead
        .into_iter()
        .flat_map(|status| run.in_state(status).rev());
    let why = |h: &super::state::Hypothesis| h.notes.last().cloned().unwrap_or_default();
    let dead = dead.map(|h| about(h, &why(h))).collect();
    all.push(section("Rejected hypotheses", dead));
    let commands = run.commands.iter().rev().take(MAX_COMMANDS);
    let commands = commands.map(|row| {
        let what = format!("{} {}", text(row, "id"), text(row, "status"));
        cut(&format!("{what}: {}", text(row, "command")))
    });
    all.push(section("Last commands", commands.collect()));
    let failing = run.failing().into_iter().map(cut).collect();
    all.push(section("Commands that still fail", failing));
    let unresolved = run
        .learning
        .iter()
        .filter_map(|row| unresolved(row, artifact));
    let unresolved = unresolved.map(|why| cut(&why)).collect();
    all.push(section("Unresolved learnings", unresolved));
    let notes = run.events.iter().rev();
    let notes = notes.filter(|row| text(row, "event") == "note");
    let notes = notes.map(|row| cut(text(row, "text"))).take(3).collect();
    all.push(section("Notes", notes));
    all.push(one("Next", next_action(run)));
    all.push(section("Checks", problem("expected_verification")));
    all.push(section("Risks", problem("risks")));
    if git.available {
        let touched = git.staged.iter().chain(&git.unstaged).chain(&git.untracked);
        let mut touched: Vec<String> = touched.map(|path| cut(path)).collect();
        touched.sort_unstable();
        touched.dedup();
        all.push(section("Changed files", touched));
        all.push(one("Git", git_line(run, git)));
    }
    all
}

fn status_line(run: &Run) -> String {
    let count = |status| run.in_state(status).count();
    format!(
        "{} since {}; hypotheses: {} open, {} accepted, {} rejected; evidence: {}; commands: {}; learnings: {}",
        run.status,
        run.updated_at(),
        count(HypothesisStatus::Open),
        count(HypothesisStatus::Accepted),
        count(HypothesisStatus::Rejected),
        run.evidence.len(),
        run.commands.len(),
        run.learning.len(),
    )
}

/// The step that the ledgers call for.
pub fn next_action(run: &Run) -> String {
    if run.status != RunStatus::Open {
        return format!("the run is {}", run.status);
    }
    if let Some(command) = run.failing().first() {
        return format!("make `{}` pass", shown::line(command, 120));
    }
    let open = run.in_state(HypothesisStatus::Open).next_back();
    match open {
        Some(open) if run.evidence_of(&open.id).next().is_none() => {
            format!("look for evidence for {} or against it", open.id)
        }
        Some(open) => format!("decide on {}", open.id),
        None if run.hypotheses.is_empty() => "state a hypothesis".to_owned(),
        None => "verify, then close the run".to_owned(),
    }
}

fn git_line(run: &Run, git: &GitState) -> String {
    let short = |commit: &str| commit.get(..12).unwrap_or(commit).to_owned();
    let started = member(&run.problem, "git");
    let of = |name: &str| member(started, name).as_str().unwrap_or_default();
    let dirty = git.staged.len() + git.unstaged.len() + git.untracked.len();
    let mut line = format!("branch {}, HEAD {}", git.branch, short(&git.head));
    if !of("branch").is_empty() && of("branch") != git.branch {
        line.push_str(&format!(" (started on {})", of("branch")));
    }
    match of("head") {
        "" => {}
        head if head == git.head => line.push_str(", not moved since the start"),
        head => line.push_str(&format!(", moved from {}", short(head))),
    }
    line.push_str(&format!(
        ", {dirty} changed {}",
        if dirty == 1 { "path" } else { "paths" }
    ));
    line
}
