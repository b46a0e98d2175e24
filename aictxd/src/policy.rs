//! Policy files, and the user's trust in them.

mod last_good;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use aictx_files::untrusted::{self, ReadError};
use aictx_guard::{Kind, Policy, READ_ONLY, Rules, Say};
use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::storage_location::MEMORY;

/// A repository's policy, in its memory.
const FILE: &str = "policy.toml";
/// Larger policies are not read.
const MAX_BYTES: u64 = 64 * 1024;
/// Longest list of trusted policies that is read, in bytes.
const MAX_TRUSTED: u64 = 64 * 1024 * 1024;
/// Longest notice of a policy that is not in force, in characters.
const MAX_NOTICE: usize = 400;
/// Repositories whose policy is remembered.
const MAX_REMEMBERED: usize = 256;
/// Sessions that are remembered as told.
const MAX_TOLD: usize = 1024;

/// Policies as read last.
#[derive(Debug, Default)]
pub struct Policies {
    known: Mutex<BTreeMap<PathBuf, Known>>,
    /// The user's policy as it could be read last, for whatever repository.
    own: Mutex<Option<Policy>>,
    /// Those of repositories, the same.
    theirs: Mutex<BTreeMap<PathBuf, Policy>>,
    /// Sessions that were told of a problem, and of which.
    told: Mutex<BTreeSet<(String, String)>>,
}

#[derive(Debug, Clone)]
struct Known {
    stamps: [Option<Stamp>; 3],
    rules: Arc<Rules>,
    problems: Problems,
}

/// Time of change, length and inode of a file.
type Stamp = (SystemTime, u64, u64);

/// Why policies are not in force; empty texts when they are.
#[derive(Debug, Clone, Default)]
pub struct Problems {
    /// The user's own.
    pub user: String,
    /// The repository's.
    pub repository: String,
}

impl Problems {
    /// Both, for people.
    pub fn text(&self) -> String {
        let told = [self.user.as_str(), self.repository.as_str()];
        let told: Vec<&str> = told.into_iter().filter(|text| !text.is_empty()).collect();
        told.join("; ")
    }

    /// For an agent: nothing of it is the repository's own text.
    pub fn notice(&self) -> String {
        let user = match self.user.as_str() {
            "" => String::new(),
            why => format!("Tell the user: their guard policy cannot be read: {why}"),
        };
        let repository = match self.repository.as_str() {
            "" => String::new(),
            _ => format!("Tell the user: {MEMORY}/{FILE} cannot be read; `aictx trust` says why."),
        };
        let told: Vec<String> = [user, repository]
            .into_iter()
            .filter(|text| !text.is_empty())
            .map(|text| aictx_proto::shown::line(&text, MAX_NOTICE))
            .collect();
        told.join("\n")
    }
}

/// Hashes of repository policies that the user trusts, by root.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct Trusted {
    policies: BTreeMap<String, String>,
    /// Texts trusted last, for comparison.
    texts: BTreeMap<String, String>,
}

/// A repository's policy and whether it is trusted.
#[derive(Debug, Clone, Default)]
pub struct RepositoryPolicy {
    /// Its text; empty when there is none.
    pub text: String,
    /// SHA-1 of the text as git would have it.
    pub hash: String,
    /// The user trusts just this text.
    pub trusted: bool,
    /// Why it cannot be used.
    pub problem: String,
}

fn stamp(path: &Path) -> Option<Stamp> {
    let meta = fs::symlink_metadata(path).ok()?;
    Some((meta.modified().ok()?, meta.len(), meta.ino()))
}

/// Returns the path of the user's own policy, by this process's environment.
pub fn user_file(state: &Path) -> PathBuf {
    let config = std::env::var_os("XDG_CONFIG_HOME")
        .map(PathBuf::from)
        .filter(|p| p.is_absolute());
    let home = directories::BaseDirs::new().map(|dirs| dirs.home_dir().join(".config"));
    config
        .or(home)
        .unwrap_or_else(|| state.to_owned())
        .join("aictx/policy.toml")
}

/// A repository's policy file.
pub fn file(app: &App, root: &Path) -> PathBuf {
    app.homes.of(root).join(MEMORY).join(FILE)
}

/// A policy that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum PolicyError {
    /// The file cannot be read.
    #[error("{}: {source}", .path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: ReadError,
    },
    /// It is not what a policy looks like.
    #[error("{}: {source}", .path.display())]
    Syntax {
        /// The file.
        path: PathBuf,
        /// Position, and what was expected.
        source: toml_edit::de::Error,
    },
    /// Only "allow" makes sense for what only reads.
    #[error("{}: `{READ_ONLY}` can only be \"allow\"; leave it out otherwise", .0.display())]
    ReadOnly(PathBuf),
    /// An effect that does not exist would silently rule nothing.
    #[error("{}: there is no effect `{name}`; there are {known}", .path.display())]
    UnknownEffect {
        /// The file.
        path: PathBuf,
        /// The name in it.
        name: String,
        /// The names that there are.
        known: String,
    },
    /// The list of trusted policies cannot be written.
    #[error("{}: {source}", .path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
}

/// The user's own policy; the default one when there is no file.
///
/// # Errors
/// When the file cannot be read or is not understood.
pub fn of_user(app: &App) -> Result<Policy, PolicyError> {
    Ok(text_of_user(app)?.map_or_else(Policy::default, |(_, policy)| policy))
}

/// The same with its text, when there is a file.
fn text_of_user(app: &App) -> Result<Option<(String, Policy)>, PolicyError> {
    let path = &app.user_policy;
    let Some(text) = read(path)? else {
        return Ok(None);
    };
    let policy = parse(path, &text)?;
    Ok(Some((text, policy)))
}

fn trust_file(app: &App) -> PathBuf {
    app.locations.state.join("trusted_policies.json")
}

fn read(path: &Path) -> Result<Option<String>, PolicyError> {
    let read = untrusted::open_itself(path).and_then(|file| file.read(MAX_BYTES));
    let text = read.and_then(|bytes| String::from_utf8(bytes).map_err(|_| ReadError::NotText));
    match text {
        Ok(text) => Ok(Some(text)),
        // Only what is not there says nothing.
        Err(error) if error.is_missing() => Ok(None),
        Err(source) => Err(PolicyError::Read {
            path: path.to_owned(),
            source,
        }),
    }
}

fn parse(path: &Path, text: &str) -> Result<Policy, PolicyError> {
    let policy: Policy = toml_edit::de::from_str(text).map_err(|source| PolicyError::Syntax {
        path: path.to_owned(),
        source,
    })?;
    let known =
        |name: &str| name == READ_ONLY || Kind::ALL.iter().any(|kind| kind.as_str() == name);
    let reading = policy.effects.get(READ_ONLY);
    if reading.is_some_and(|say| *say != Say::Allow) {
        return Err(PolicyError::ReadOnly(path.to_owned()));
    }
    match policy.effects.keys().find(|name| !known(name)) {
        None => Ok(policy),
        Some(name) => {
            let kinds: Vec<&str> = Kind::ALL.iter().map(|kind| kind.as_str()).collect();
            Err(PolicyError::UnknownEffect {
                path: path.to_owned(),
                name: name.clone(),
                known: kinds.join(", "),
            })
        }
    }
}

/// A text against an older one, line by line: `+`, `-` or a blank, then the line.
fn diff(old: &str, new: &str) -> Vec<String> {
    let lines = similar::TextDiff::from_lines(old, new);
    lines
        .iter_all_changes()
        .map(|change| {
            format!(
                "{}{}",
                change.tag(),
                change.value().trim_end_matches(['\n', '\r'])
            )
        })
        .collect()
}

/// Returns the changes of the effective rules if a repository's policy were trusted.
fn would_change(own: Policy, theirs: Policy) -> Vec<String> {
    let flat = |trusted| -> BTreeMap<String, String> {
        let policy = Rules::of(own.clone(), Some(theirs.clone()), trusted).policy;
        let value = serde_json::to_value(policy).unwrap_or_default();
        let mut entries = BTreeMap::new();
        for (name, value) in value.as_object().into_iter().flatten() {
            match value.as_object() {
                Some(members) => entries.extend(
                    members
                        .iter()
                        .map(|(key, say)| (format!("{name}.\"{key}\""), say.to_string())),
                ),
                None if value.is_null() => {}
                None => {
                    entries.insert(name.clone(), value.to_string());
                }
            }
        }
        entries
    };
    let (now, then) = (flat(false), flat(true));
    let changed = then.iter().filter(|(key, say)| now.get(*key) != Some(*say));
    changed
        .map(|(key, say)| match now.get(key) {
            Some(before) => format!("{key}: {before} -> {say}"),
            None => format!("{key}: {say}"),
        })
        .collect()
}

/// The [`diff`] and what trusting it [`would_change`], of a policy that can be used.
pub fn compared(app: &App, root: &Path, found: &RepositoryPolicy) -> (Vec<String>, Vec<String>) {
    let before = trusted(app).texts.remove(&key(root)).unwrap_or_default();
    let changes = match (of_user(app), parse(&file(app, root), &found.text)) {
        (Ok(own), Ok(theirs)) if !found.trusted => would_change(own, theirs),
        _ => Vec::new(),
    };
    (diff(&before, &found.text), changes)
}

/// Returns the key of a repository in [`Trusted`].
fn key(root: &Path) -> String {
    root.to_string_lossy().into_owned()
}

fn hash(text: &str) -> String {
    aictx_repomap::segment::ContentId::of(text.as_bytes()).to_string()
}

fn trusted(app: &App) -> Trusted {
    let text = untrusted::read_text(&trust_file(app), MAX_TRUSTED).unwrap_or_default();
    serde_json::from_str(&text).unwrap_or_default()
}

/// A repository's own policy, as it lies there.
pub fn of_repository(app: &App, root: &Path) -> RepositoryPolicy {
    let path = file(app, root);
    let mut out = RepositoryPolicy::default();
    match read(&path) {
        Ok(None) => return out,
        Ok(Some(text)) => out.text = text,
        Err(problem) => {
            out.problem = problem.to_string();
            return out;
        }
    }
    out.hash = hash(&out.text);
    let known = trusted(app).policies.get(&key(root)).cloned();
    out.trusted = known.as_deref() == Some(&out.hash);
    if let Err(problem) = parse(&path, &out.text) {
        out.problem = problem.to_string();
    }
    out
}

/// Trusts a repository's policy as it is now, or no longer.
///
/// # Errors
/// When the user's state directory cannot be written.
#[expect(clippy::disallowed_methods, reason = "a file of the state directory")]
pub fn set_trust(
    app: &App,
    root: &Path,
    policy: Option<&RepositoryPolicy>,
) -> Result<(), PolicyError> {
    let mut all = trusted(app);
    match policy {
        Some(policy) => {
            all.policies.insert(key(root), policy.hash.clone());
            all.texts.insert(key(root), policy.text.clone());
        }
        None => {
            all.policies.remove(&key(root));
        }
    }
    let path = trust_file(app);
    let fail = |source| PolicyError::Write {
        path: path.clone(),
        source,
    };
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent).map_err(fail)?;
    }
    let draft = path.with_extension(format!("tmp{}", std::process::id()));
    let text = serde_json::to_string_pretty(&all).unwrap_or_default();
    fs::write(&draft, text)
        .and_then(|()| fs::rename(&draft, &path))
        .map_err(fail)?;
    app.policies
        .known
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .clear();
    Ok(())
}

impl Policies {
    /// A repository's policy, or while it cannot be read the one that could be read last: a broken file
    /// must not drop what it forbade. It is not the text that anybody trusted, so it only tightens. Nothing
    /// when there is no file, or none that ever could be read.
    fn last_readable(&self, app: &App, root: &Path, found: &RepositoryPolicy) -> Option<Policy> {
        let file = file(app, root);
        let kept = last_good::of_repository(app, root);
        let mut theirs = self.theirs.lock().unwrap_or_else(PoisonError::into_inner);
        if !found.problem.is_empty() {
            let known = theirs.get(root).cloned();
            return known.or_else(|| parse(&file, &last_good::read(&kept)?).ok());
        }
        let policy = parse(&file, &found.text)
            .ok()
            .filter(|_| !found.text.is_empty());
        last_good::keep(&kept, policy.as_ref().map(|_| found.text.as_str()));
        match &policy {
            Some(policy) if theirs.len() < MAX_REMEMBERED || theirs.contains_key(root) => {
                theirs.insert(root.to_owned(), policy.clone());
            }
            Some(_) => {}
            None => {
                theirs.remove(root);
            }
        }
        policy
    }

    /// The user's policy, or while it cannot be read the one that could be read last, and why it cannot; nothing
    /// when none ever could be.
    fn last_of_user(&self, app: &App) -> (Option<Policy>, String) {
        let kept = last_good::of_user(app);
        let mut own = self.own.lock().unwrap_or_else(PoisonError::into_inner);
        let why = match text_of_user(app) {
            Ok(found) => {
                last_good::keep(&kept, found.as_ref().map(|(text, _)| text.as_str()));
                *own = Some(found.map_or_else(Policy::default, |(_, policy)| policy));
                String::new()
            }
            // A slip of the pen must not drop what the user asked for: what was read last goes on, and the
            // problem is told wherever the user looks.
            Err(why) => {
                if own.is_none() {
                    let text = last_good::read(&kept);
                    *own = text.and_then(|text| parse(&app.user_policy, &text).ok());
                }
                why.to_string()
            }
        };
        (own.clone(), why)
    }

    fn rules(&self, app: &App, root: &Path) -> (Arc<Rules>, Problems) {
        let all = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let have = all().get(root).cloned();
        let theirs = stamp(&file(app, root));
        // Without a policy there is nothing to be trusted.
        let trusted = theirs.and_then(|_| stamp(&trust_file(app)));
        let stamps = [stamp(&app.user_policy), theirs, trusted];
        let fresh = match have {
            Some(have) if have.stamps == stamps => return (have.rules, have.problems),
            _ => {
                let (own, user) = self.last_of_user(app);
                let found = of_repository(app, root);
                let policy = self.last_readable(app, root, &found);
                let unread = (!user.is_empty() && own.is_none())
                    || (!found.problem.is_empty() && policy.is_none());
                let mut rules = Rules::of(own.unwrap_or_default(), policy, found.trusted);
                rules.unread = unread;
                let rules = Arc::new(rules);
                let problems = Problems {
                    user,
                    repository: found.problem,
                };
                Known {
                    stamps,
                    rules,
                    problems,
                }
            }
        };
        let mut known = all();
        if known.len() >= MAX_REMEMBERED {
            known.clear();
        }
        known.insert(root.to_owned(), fresh.clone());
        (fresh.rules, fresh.problems)
    }

    /// Returns a notice about a policy that cannot be read; empty when the session was told already.
    pub fn news(&self, session: &str, problems: &Problems) -> String {
        if problems.user.is_empty() && problems.repository.is_empty() {
            return String::new();
        }
        let notice = problems.notice();
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        if told.len() >= MAX_TOLD {
            told.clear();
        }
        match told.insert((session.to_owned(), notice.clone())) {
            true => notice,
            false => String::new(),
        }
    }
}

impl App {
    /// The rules that hold in a repository: whoever has just saved a policy relies on it, so its files
    /// are looked at every time, which takes some microseconds, and read when they changed.
    pub fn policy(&self, root: &Path) -> Arc<Rules> {
        self.policy_and_problems(root).0
    }

    /// Why the user's or the repository's policy is not in force.
    pub fn policy_problems(&self, root: &Path) -> Problems {
        self.policy_and_problems(root).1
    }

    /// [`Self::policy`] and [`Self::policy_problems`], from one look at the files.
    pub fn policy_and_problems(&self, root: &Path) -> (Arc<Rules>, Problems) {
        self.policies.rules(self, root)
    }
}
