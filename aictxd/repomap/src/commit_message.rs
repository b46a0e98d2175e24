//! Commit messages: what of them says what a change is about.

use std::borrow::Cow;

/// Trailers that name people, tools and numbers.
static TRAILERS: &[&str] = &[
    "signed-off-by",
    "co-authored-by",
    "co-developed-by",
    "reviewed-by",
    "reviewed by",
    "acked-by",
    "tested-by",
    "reported-by",
    "suggested-by",
    "helped-by",
    "approved-by",
    "change-id",
    "differential revision",
    "pull-request",
    "pull request resolved",
    "fbshipit-source-id",
    "cc",
    "reviewers",
    "subscribers",
    "tasks",
    "tags",
    "git-svn-id",
    "cr-commit-position",
    "commit-queue",
    "auto-submit",
    "piperorigin-revid",
    "github-pull-request",
    "github-last-rev",
    "gerrit-change-number",
    "x-original-commit",
    "cherry-picked-from",
    "grafted path base",
    "x-link",
    "ghstack-source-id",
    "reviewed-on",
    "reviewed-at",
    "bors",
    "lgtm",
    "tryjob-request",
];

/// The message without what tells nothing of the change: trailers that name people and tools,
/// numbers of pull requests such as `(#123)`, web addresses, and the line of a cherry-pick. The
/// first line stays first.
pub fn clean(message: &str) -> String {
    let mut out = String::with_capacity(message.len());
    let mut comment = false;
    for line in message.lines() {
        // Forms that people fill in: comments, boxes to tick.
        let (line, still) = uncommented(line, comment);
        comment = still;
        // The title may look like one: `cc: find the compiler`.
        if !out.is_empty() && (is_trailer(&line) || is_box(&line)) {
            continue;
        }
        let mut first = true;
        for word in line.split(' ') {
            let bare = word.trim_matches(|c: char| matches!(c, '(' | ')' | ',' | '.' | ':' | ';'));
            let number = bare
                .strip_prefix('#')
                .is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()));
            if number || bare.starts_with("https://") || bare.starts_with("http://") {
                continue;
            }
            if !first {
                out.push(' ');
            }
            first = false;
            out.push_str(word);
        }
        while out.ends_with(' ') {
            out.pop();
        }
        out.push('\n');
    }
    out.truncate(out.trim_end().len());
    out
}

/// A line without what stands in `<!-- -->`, and whether such a comment goes on behind it.
fn uncommented(line: &str, mut within: bool) -> (Cow<'_, str>, bool) {
    if !within && !line.contains("<!--") {
        return (Cow::Borrowed(line), false);
    }
    let mut out = String::new();
    let mut rest = line;
    loop {
        let mark = if within { "-->" } else { "<!--" };
        let Some((before, after)) = rest.split_once(mark) else {
            break;
        };
        if !within {
            out.push_str(before);
        }
        within = !within;
        rest = after;
    }
    if !within {
        out.push_str(rest);
    }
    (Cow::Owned(out), within)
}

/// `- [ ] I have read the rules`
fn is_box(line: &str) -> bool {
    let line = line.trim_start();
    ["- [", "* ["].iter().any(|m| {
        line.strip_prefix(m)
            .is_some_and(|rest| rest.starts_with([' ', 'x', 'X']) && rest.get(1..2) == Some("]"))
    })
}

fn is_trailer(line: &str) -> bool {
    if line.starts_with("(cherry picked from commit") {
        return true;
    }
    let Some((key, _)) = line.split_once(':') else {
        return false;
    };
    let key = key.trim();
    key.len() <= 32 && TRAILERS.iter().any(|t| key.eq_ignore_ascii_case(t))
}

#[cfg(test)]
mod tests {
    use super::clean;

    #[test]
    fn what_names_people_and_numbers_goes() {
        let message = "feat(cli): add `--x` (#123)\n\nThe body: stays.\n\nSee https://x.example/1.\n\
            Signed-off-by: A <a@b>\nCo-Authored-By: B <b@c>\nDifferential Revision: D1\n";
        assert_eq!(
            clean(message),
            "feat(cli): add `--x`\n\nThe body: stays.\n\nSee"
        );
        assert_eq!(clean(""), "");
        assert_eq!(clean("cc: find it\n\ncc: somebody"), "cc: find it");
        assert_eq!(
            clean(
                "Title\n\nText <!-- a form\nto fill in --> goes on\n- [x] I have read it\n- a [b]"
            ),
            "Title\n\nText\n goes on\n- a [b]"
        );
    }
}
