//! git: fatal errors, conflicts, rejected pushes. Samples: 92, 93.

use super::{Context, Finding, Lines, Recogniser};

pub(super) static RECOGNISER: Recogniser = Recogniser {
    programs: &["git", "gh"],
    needles: &[
        "fatal: ",
        "CONFLICT (",
        "! [rejected]",
        "! [remote rejected]",
        "GH001",
    ],
    read,
};

fn read(context: &Context, lines: &mut Lines) -> Vec<Finding> {
    let git = context.runs(&["git"]);
    // Other programs say `fatal:` as well; git is named somewhere when it was git.
    let whole = git || lines.all().iter().any(|line| line.contains("git"));
    let mut findings =
        lines.each(|_, at, line| {
            if let Some(text) = line.strip_prefix("fatal: ") {
                return whole.then(|| context.find(at, "git", "runtime", text));
            }
            if let Some(rest) = line.strip_prefix("CONFLICT (") {
                let (_, text) = rest.split_once("): ")?;
                let file = text
                    .rsplit_once(" in ")
                    .map(|(_, file)| file)
                    .filter(|_| text.starts_with("Merge conflict in "));
                let file = file.or_else(|| {
                    text.split(' ')
                        .next()
                        .filter(|_| text.contains(" deleted in "))
                });
                let text = text.trim_end();
                let finding = context.find(at, "git", "runtime", text).code("CONFLICT");
                return Some(match file {
                    Some(file) => finding.place(context, file.trim(), "", ""),
                    None => finding,
                });
            }
            if let Some(rest) = line.trim_start().strip_prefix("! [").filter(|rest| {
                rest.starts_with("rejected]") || rest.starts_with("remote rejected]")
            }) {
                let (_, text) = rest.split_once(']')?;
                let text = super::shape::joined([text]);
                return Some(context.find(at, "git", "runtime", &text).code("rejected"));
            }
            if !git {
                return None;
            }
            if let Some(text) = line.strip_prefix("error: ") {
                if text.starts_with("failed to push some refs to") {
                    return Some(context.find(at, "git", "runtime", text).wrapper());
                }
                return Some(context.find(at, "git", "runtime", text));
            }
            let bare = [
                "There is no tracking information",
                "No stash entries found",
                "nothing to commit",
                "nothing added to commit",
                "no changes added to commit",
            ];
            if bare.iter().any(|start| line.starts_with(start)) {
                return Some(context.find(at, "git", "runtime", line));
            }
            // The name of an unknown sub-command stands in quotes.
            let text = line
                .strip_prefix("git: ")
                .or_else(|| line.strip_prefix("merge: "))?;
            Some(context.find(at, "git", "runtime", text))
        });
    // Lines after the first error of one refusal explain it.
    let mut last: Option<usize> = None;
    findings.retain(|finding| {
        let follows = last.is_some_and(|last| finding.at == last + 1)
            && lines.get(finding.at).starts_with("error: ")
            && !finding.wrapper;
        last = Some(finding.at);
        !follows || lines.get(finding.at).starts_with("fatal: ")
    });
    findings
}
