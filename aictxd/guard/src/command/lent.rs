//! Programs behind programs that no table of wrappers knows: what a tool runs elsewhere, or lends a place to.

use super::table::Traits;
use super::verbs::READING;
use super::{Call, Judge, table};

/// Verbs behind which another program stands, for programs that lend a place or secrets.
const LENDING: &[&str] = &[
    "exec", "run", "shell", "ssh", "enter", "env", "with", "local",
];
/// Programs whose words behind `--` are for the project's own program.
pub(super) const OWN: &[&str] = &[
    "cargo", "npm", "pnpm", "yarn", "bun", "go", "dotnet", "make", "gradle", "gradlew", "mvn",
    "swift", "node", "deno", "git", "bazel", "nx", "turbo", "mix", "sbt", "stack", "cabal", "zig",
    "docker", "podman", "kubectl", "oc", "k",
];

/// Services that run a script on machines: `aws ssm send-command`, `az vm run-command`.
pub(super) fn sent(judge: &mut Judge, call: Call) {
    let arguments = call.arguments();
    let sends = arguments.iter().take(6).any(|word| {
        matches!(
            word.text.as_str(),
            "send-command" | "run-command" | "execute-command"
        )
    });
    if !sends {
        return;
    }
    for word in arguments
        .iter()
        .filter(|word| word.text.contains(' '))
        .take(16)
    {
        let texts = super::code::literals(&word.text);
        if texts.is_empty() {
            judge.inner_script(&word.text, true);
        }
        for text in texts {
            judge.inner_script(&text, true);
        }
    }
}

/// `tool exec box -- rm -rf /srv`, `heroku run rails db:drop`: judges what is run inside.
pub(super) fn lent(judge: &mut Judge, call: Call) {
    let name = call.command.name();
    let arguments = call.arguments();
    if arguments.len() < 2 || call.traits.has(Traits::OWN) {
        return;
    }
    let lends = matches!(
        name,
        "heroku"
            | "railway"
            | "adb"
            | "lima"
            | "toolbox"
            | "devbox"
            | "ddev"
            | "lando"
            | "warden"
            | "sail"
    );
    behind(judge, call);
    if !lends && !arguments.iter().any(|word| word.text == "--") {
        return;
    }
    let verb = arguments
        .iter()
        .take(4)
        .position(|word| LENDING.contains(&word.text.as_str()));
    let dashes = arguments
        .iter()
        .position(|word| word.text == "--")
        .filter(|at| verb.is_some_and(|verb| verb < *at) || table::rules_of(name).is_empty());
    let rest = match (dashes, verb) {
        (Some(at), _) if !call.traits.has(Traits::NAMES) => arguments.get(at + 1..),
        (None, Some(at)) if lends => arguments.get(at + 1..),
        _ => None,
    };
    let Some(rest) = rest.filter(|rest| !rest.is_empty()) else {
        return;
    };
    let remote = !arguments
        .iter()
        .take(4)
        .any(|word| matches!(word.text.as_str(), "with" | "env"));
    // Several words are a call; one word may be a whole script.
    let text = match rest {
        [word, ..] if word.text.contains(' ') => word.text.clone(),
        [word] => word.text.clone(),
        words if name == "adb" => words
            .iter()
            .map(|word| word.text.as_str())
            .collect::<Vec<_>>()
            .join(" "),
        words => words
            .iter()
            .map(|word| quoted(&word.text))
            .collect::<Vec<_>>()
            .join(" "),
    };
    judge.inner_script(&text, remote || call.command.remote);
}

/// Programs that mean harm with options only they take.
const TELLING: &[(&str, &[&str])] = &[
    ("rm", &["-rf", "-fr", "-r", "-R", "-Rf", "-f"]),
    (
        "git",
        &[
            "reset",
            "clean",
            "push",
            "checkout",
            "restore",
            "filter-branch",
            "branch",
            "stash",
        ],
    ),
    ("sh", &["-c", "-lc"]),
    ("bash", &["-c", "-lc", "-ec"]),
    ("find", &["."]),
    ("psql", &["-c"]),
    ("mysql", &["-e"]),
    ("terraform", &["destroy"]),
    ("kubectl", &["delete"]),
    ("shred", &["-u"]),
    ("truncate", &["-s"]),
];

/// `anything --of-its-own rm -rf src`: a program that no table knows, and behind it one that is known
/// with words that only belong to it.
fn behind(judge: &mut Judge, call: Call) {
    if call.traits.any() || !table::rules_of(call.command.name()).is_empty() {
        return;
    }
    let arguments = call.arguments();
    let found = arguments.windows(2).take(12).position(|pair| {
        let [program, next] = pair else {
            return false;
        };
        let known = TELLING.iter().find(|(name, _)| *name == program.program());
        known.is_some_and(|(_, words)| words.contains(&next.text.as_str()))
    });
    let Some(at) = found else {
        return;
    };
    let before = arguments.get(..at).unwrap_or_default();
    if before
        .iter()
        .any(|word| READING.contains(&word.text.as_str()) && !LENDING.contains(&word.text.as_str()))
    {
        return;
    }
    let rest = arguments.get(at..).unwrap_or_default();
    let text: Vec<String> = rest.iter().map(|word| quoted(&word.text)).collect();
    judge.inner_script(&text.join(" "), call.command.remote);
}

pub(super) fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}
