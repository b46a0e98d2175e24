//! Paths that deserve a word whatever the contract says.

use std::sync::LazyLock;

use aictx_proto::methods::guard::GuardWarning;
use aictx_proto::path::{Located, RepoPath, split_name};
use aictx_proto::pattern::names_below;
use aictx_proto::text::lower;
use aictx_shell::Names;

use crate::finding_codes::{
    CI_CONFIG_PATH, Code, ERROR, GENERATED_STATE_PATH, PATH_OUTSIDE_REPO, SENSITIVE_PATH,
    VCS_INTERNALS_PATH, WARNING,
};

/// Directories that aictx and its predecessors write themselves. These, those of version control and those
/// of credential stores all begin with a dot.
const STATE_DIRECTORIES: &[&str] = &[
    ".aictx",
    ".aictx_failure_memory",
    ".aictx_memory",
    ".aictx_task_memory",
    ".context_metrics",
];

/// Version control directories.
const VCS_DIRECTORIES: &[&str] = &[".git", ".hg", ".svn", ".jj", ".bzr"];

/// Directories of credential stores.
const SECRET_DIRECTORIES: &[&str] = &[".ssh", ".aws", ".gnupg", ".kube", ".azure", ".gcloud"];

/// Files that hold credentials, by name.
const SECRET_FILES: &[&str] = &[
    ".envrc",
    ".netrc",
    "_netrc",
    ".pypirc",
    ".pgpass",
    ".my.cnf",
    ".git-credentials",
    ".htpasswd",
    ".vault-token",
    "credentials",
    "credentials.json",
    "secrets.json",
    "secrets.yml",
    "secrets.yaml",
    "secrets.toml",
    "master.key",
];

/// Endings of key files.
const KEY_ENDINGS: &[&str] = &[
    ".pem",
    ".key",
    ".p12",
    ".pfx",
    ".jks",
    ".keystore",
    ".kdbx",
    ".ppk",
];

/// Stems of key files without an ending.
const KEY_STEMS: &[&str] = &["id_rsa", "id_dsa", "id_ecdsa", "id_ed25519"];

/// Endings of `.env` files that are meant to be shared.
const SHARED_ENV: &[&str] = &["example", "sample", "template", "dist", "defaults"];

/// Directories (from the root) of continuous integration.
const CI_DIRECTORIES: &[&str] = &[
    ".github/workflows",
    ".github/actions",
    ".gitea/workflows",
    ".forgejo/workflows",
    ".gitlab/ci",
    ".circleci",
    ".buildkite",
    ".woodpecker",
    ".semaphore",
    ".teamcity",
    ".drone",
];

/// Files of continuous integration and release, by name without ending.
const CI_FILES: &[&str] = &[
    ".gitlab-ci",
    ".travis",
    ".drone",
    ".woodpecker",
    ".appveyor",
    "appveyor",
    "azure-pipelines",
    "bitbucket-pipelines",
    "cloudbuild",
    ".goreleaser",
    ".releaserc",
    "jenkinsfile",
    "buildspec",
];

/// What is to be said about touching this path; nothing for ordinary ones.
pub fn path_risk(path: &Located) -> Option<GuardWarning> {
    let (code, severity) = verdict(path)?;
    let shown = match path {
        Located::Inside(path) => path.as_str(),
        Located::Outside(_) => "",
    };
    Some(code.warning(severity, [shown]))
}

pub(crate) fn verdict(path: &Located) -> Option<(&'static Code, &'static str)> {
    match path {
        Located::Inside(path) => verdict_inside(path),
        Located::Outside(_) => Some((&PATH_OUTSIDE_REPO, ERROR)),
    }
}

/// The same of a path of the repository.
pub(crate) fn verdict_inside(path: &RepoPath) -> Option<(&'static Code, &'static str)> {
    let text = path.as_str();
    // Almost no path has anything of that in it.
    let hides = hides(text);
    if hides && is_state(path) {
        return Some((&GENERATED_STATE_PATH, ERROR));
    }
    // File systems that do not tell case apart make `.GIT` the same directory.
    let any = |names: &[&str]| {
        hides
            && path
                .segments()
                .any(|segment| names.iter().any(|name| name.eq_ignore_ascii_case(segment)))
    };
    if any(VCS_DIRECTORIES) {
        return Some((&VCS_INTERNALS_PATH, ERROR));
    }
    let name = lower(split_name(text).1);
    if any(SECRET_DIRECTORIES) || (may_be_secret(&name) && is_secret(&name)) {
        return Some((&SENSITIVE_PATH, WARNING));
    }
    let integrates = (hides && is_of_ci(text)) || is_ci_file(&name);
    integrates.then_some((&CI_CONFIG_PATH, WARNING))
}

/// Returns true if a part of a path begins with a dot.
fn hides(path: &str) -> bool {
    let mut begins = true;
    path.bytes().any(|byte| {
        let hidden = begins && byte == b'.';
        begins = byte == b'/';
        hidden
    })
}

/// What stands behind the last dot of every file that is secret by its name or its ending. Asked of every path,
/// and it tells almost always that a file is none.
static LAST: LazyLock<Names> = LazyLock::new(|| {
    let all = SECRET_FILES.iter().chain(KEY_ENDINGS).chain(&[".env"]);
    all.filter_map(|end| end.rsplit('.').next()).collect()
});

/// False only for a name, in small letters, that is none of a secret.
fn may_be_secret(name: &str) -> bool {
    let bytes = name.as_bytes();
    let begins = |start: &str| name.starts_with(start);
    match bytes.first() {
        Some(b'.') if begins(".env.") => true,
        Some(b'i') if begins("id_") => true,
        Some(b's') if begins("service-account") => true,
        _ => LAST.contains(ending(name)),
    }
}

/// What stands behind the last dot of a name, or all of it.
pub(crate) fn ending(name: &str) -> &str {
    match name.as_bytes().iter().rposition(|byte| *byte == b'.') {
        Some(at) => name.get(at + 1..).unwrap_or_default(),
        None => name,
    }
}

fn is_state(path: &RepoPath) -> bool {
    let mut segments = path.segments();
    let Some(first) = segments.next() else {
        return false;
    };
    let state = STATE_DIRECTORIES
        .iter()
        .any(|name| name.eq_ignore_ascii_case(first));
    // People and agents write sources, tickets and context documents, and the agent of a flow its messages.
    let written = match segments.next() {
        Some("memory") => segments.next() == Some("source"),
        Some("tickets" | "context") => true,
        Some("flows") => matches!(segments.nth(1), Some("DISPATCH.md" | "dispatch" | "ticket")),
        _ => false,
    };
    state && !written
}

fn is_secret(name: &str) -> bool {
    if name == ".env" {
        return true;
    }
    if let Some(rest) = name.strip_prefix(".env.") {
        return !rest.split('.').any(|part| SHARED_ENV.contains(&part));
    }
    // `prod.env`
    if let Some(stem) = name.strip_suffix(".env") {
        return !stem
            .split(['.', '-', '_'])
            .any(|part| SHARED_ENV.contains(&part));
    }
    if SECRET_FILES.contains(&name) {
        return true;
    }
    KEY_ENDINGS.iter().any(|ending| name.ends_with(ending))
        || KEY_STEMS
            .iter()
            .any(|stem| name.starts_with(stem) && !name.ends_with(".pub"))
        || (name.starts_with("service-account") && name.ends_with(".json"))
}

/// Returns true if a path is a directory of continuous integration, or in one. All their names begin with a dot.
fn is_of_ci(path: &str) -> bool {
    CI_DIRECTORIES.iter().any(|directory| {
        path.strip_prefix(directory)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    })
}

/// The same of a file, by its name in small letters.
fn is_ci_file(name: &str) -> bool {
    // Most begin otherwise.
    let known = |stem: &&&str| stem.as_bytes().first() == name.as_bytes().first();
    CI_FILES.iter().filter(known).any(|stem| {
        name.strip_prefix(stem)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    })
}

/// Returns true if one of some entries, paths or patterns, names files that end in one of some ways, or directories
/// that may hold such, below a directory; all endings where none is named.
pub fn names_among<'e>(
    entries: impl IntoIterator<Item = &'e str>,
    directory: &RepoPath,
    endings: &[&str],
) -> bool {
    let may_end = |name: &str| {
        let ending = name
            .rfind('.')
            .filter(|at| *at > 0)
            .and_then(|at| name.get(at..));
        endings.is_empty() || ending.is_none_or(|ending| endings.contains(&ending))
    };
    entries.into_iter().any(|entry| {
        let entry = entry.trim_end_matches('/');
        let name = entry.rsplit('/').next().unwrap_or_default();
        // `**/*.py` is wherever such a file is.
        let anywhere =
            entry.starts_with(['*', '?', '[']) && name.contains('.') && !endings.is_empty();
        may_end(name) && (anywhere || names_below([entry], directory))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use aictx_proto::path::locate;

    #[test]
    fn every_kind() {
        let code = |raw: &str| {
            path_risk(&locate("/r", "", raw)).map_or("-".to_owned(), |warning| {
                format!("{} {}", warning.code, warning.severity)
            })
        };
        for (raw, want) in [
            ("src/a.rs", "-"),
            (
                ".aictx/continuity/handoff.json",
                "generated_state_path error",
            ),
            ("./x/../.aictx/a", "generated_state_path error"),
            (".AICTX/a", "generated_state_path error"),
            (".aictx", "generated_state_path error"),
            (".context_metrics/a", "generated_state_path error"),
            (".aictx/memory/source/note.md", "-"),
            (".aictx/memory/source", "-"),
            (".aictx/tickets/TICKET-001.md", "-"),
            (".aictx/context/decisions.md", "-"),
            (".aictx/flows/flw_1/DISPATCH.md", "-"),
            (".aictx/flows/flw_1/dispatch/log.txt", "-"),
            (".aictx/flows/flw_1/ticket/TICKET-001.md", "-"),
            (".aictx/flows/flw_1/flow.json", "generated_state_path error"),
            (".aictx/flows/DISPATCH.md", "generated_state_path error"),
            (
                ".aictx/memory/sources/note.md",
                "generated_state_path error",
            ),
            (".git/hooks/pre-commit", "vcs_internals_path error"),
            (".Git/config", "vcs_internals_path error"),
            ("sub/.git", "vcs_internals_path error"),
            (".gitignore", "-"),
            (".github/CODEOWNERS", "-"),
            (".github/workflows/ci.yml", "ci_config_path warning"),
            (".gitlab-ci.yml", "ci_config_path warning"),
            ("Jenkinsfile", "ci_config_path warning"),
            ("Jenkinsfile.release", "ci_config_path warning"),
            (".env", "sensitive_path warning"),
            ("web/.env.production", "sensitive_path warning"),
            ("deploy/prod.env", "sensitive_path warning"),
            ("example.env", "-"),
            (".env.example", "-"),
            (".env.production.sample", "-"),
            (".environment", "-"),
            ("deploy/id_rsa", "sensitive_path warning"),
            ("deploy/id_rsa.pub", "-"),
            ("certs/server.key", "sensitive_path warning"),
            ("src/keyboard.rs", "-"),
            ("../x", "path_outside_repo error"),
            ("/etc/passwd", "path_outside_repo error"),
            ("~/.ssh/config", "path_outside_repo error"),
            ("C:\\x", "path_outside_repo error"),
        ] {
            assert_eq!(code(raw), want, "{raw}");
        }
    }
}
