//! `init`: the store, git's exclude file, what agents need in the repository, the registry.

use std::fs;
use std::path::{Path, PathBuf};

use aictx_artifacts::root::{RootError, find_repository};
use aictx_proto::methods::{FileChange, InitParams, InitReply, PersonStep, Surroundings};
use aictx_proto::rpc::{INVALID_PARAMS, NO_REPOSITORY, NOT_WRITABLE, RpcError};
use aictx_proto::snapshot::Snapshot;
use aictx_runners::merge::{Block, Comment, Content};
use aictx_runners::plan::{Detected, Edit, Options, Scope, plan, plan_all};
use aictx_runners::python_aictx;

use crate::app::App;
use crate::hosts::Place;
use crate::setup::agent_detection::Around;
use crate::setup::files::{self, Bounds};
use crate::setup::ledger::{Entry, Ledger};
use crate::setup::{Carrier, slot};
use crate::storage_location::MEMORY;

pub(super) mod portable;

/// Changes of files.
pub(super) type Changes = Vec<FileChange>;

/// Pattern hidden from git. Written to `.git/info/exclude`, which is personal and never committed.
pub(super) const EXCLUDED: &str = "/.aictx/";
/// Tells our block of the exclude file from others of ours.
const EXCLUDE_BLOCK: &str = "exclude";

/// A repository and the files of git that belong to it.
#[derive(Debug, Clone)]
pub(super) struct Site {
    pub(super) root: PathBuf,
    /// Directory that `.aictx` lies in, or would lie in.
    pub(super) home: PathBuf,
    pub(super) worktree: PathBuf,
    pub(super) common_dir: Option<PathBuf>,
}

impl Site {
    /// The repository that a path lies in; with `force` a plain folder will do.
    pub(super) fn find(app: &App, repo: &str, force: bool) -> Result<Self, RpcError> {
        let path = Path::new(repo);
        if !path.is_absolute() || !path.is_dir() {
            let text = format!("{repo} is not a directory");
            return Err(RpcError::new(NO_REPOSITORY, text));
        }
        match find_repository(path) {
            Ok(found) => Ok(Self {
                home: app.homes.of(&found.root),
                root: found.root,
                worktree: found.worktree,
                common_dir: found.common_dir,
            }),
            Err(RootError::NotARepository { .. }) if force => {
                let root = fs::canonicalize(path)
                    .map_err(|e| RpcError::new(NOT_WRITABLE, format!("{}: {e}", path.display())))?;
                Ok(Self {
                    worktree: root.clone(),
                    home: root.clone(),
                    root,
                    common_dir: None,
                })
            }
            Err(e) => Err(RpcError::new(NO_REPOSITORY, e.to_string()).hint(match e {
                RootError::Bare { .. } => "`git worktree add` makes a worktree of it",
                RootError::Refused { .. } => "give the path of a folder in it",
                _ => "give the path of a git repository, or use --force in a plain folder",
            })),
        }
    }

    /// The scope of its entries in the install ledger.
    pub(super) fn scope(&self) -> String {
        self.root.to_string_lossy().into_owned()
    }

    /// The directory of its memory, whether it is there or not.
    pub(super) fn memory(&self) -> PathBuf {
        self.home.join(MEMORY)
    }

    /// The memory lies outside of the repository, in which nothing may be seen of it.
    pub(super) fn is_outside(&self) -> bool {
        self.home != self.root
    }

    /// The memory's directory as it is shown.
    pub(super) fn shown_memory(&self) -> String {
        if self.is_outside() {
            self.memory().to_string_lossy().into_owned()
        } else {
            ".aictx/".to_owned()
        }
    }

    /// Returns the directories that its files may lie in.
    pub(super) fn bounds(&self, more: &[PathBuf]) -> Bounds {
        let own = [&self.root, &self.worktree];
        let all = own.into_iter().chain(&self.common_dir).chain(more);
        Bounds::new(all)
    }

    pub(super) fn exclude(&self) -> Option<PathBuf> {
        self.common_dir.as_ref().map(|dir| dir.join("info/exclude"))
    }
}

pub(super) fn init(app: &App, params: &InitParams) -> Result<InitReply, RpcError> {
    let around = surroundings(params)?;
    let mut site = Site::find(app, &params.repo, params.force)?;
    if !params.dry_run && app.follow_move(&site.root) {
        site = Site::find(app, &params.repo, params.force)?;
    }
    let around = around
        .map(|told| Around::new(&told, &site.worktree.to_string_lossy()))
        .transpose()?;
    let stealth = is_stealth(&site, params)?;
    if stealth {
        site.home = app.homes.outside(&site.root);
    }
    portable::check(&site, params, stealth)?;
    let portable = !stealth && portable::is_chosen(&site, params.portable);
    let had_store = site.memory().exists();
    if !params.dry_run {
        if stealth {
            app.hosts.create_outside(&site.root)?;
        } else {
            app.hosts.create(&site.root)?;
        }
    }
    let mut reply = InitReply {
        stealth,
        portable,
        repo: site.root.to_string_lossy().into_owned(),
        dry_run: params.dry_run,
        ..InitReply::default()
    };
    reply.files.push(FileChange {
        path: site.shown_memory(),
        action: if had_store { "unchanged" } else { "created" }.to_owned(),
        ..FileChange::default()
    });
    if stealth {
        stay_out(around.as_ref(), params, &mut reply)?;
    } else {
        write_files(app, &site, around.as_ref(), params, &mut reply)?;
        remember_choice(app, &site, params.portable, &mut reply);
        if params.portable == Some(true) {
            let (changes, trouble) = portable::untrack(app, &site, params.dry_run)?;
            reply.files.extend(changes);
            reply.warnings.extend(trouble);
        }
    }
    if !params.no_register && !params.dry_run {
        match app.registry.add(&site.root, app.now()) {
            Ok(_) => {
                reply.registered = true;
                // Whoever watches and indexes begins now.
                app.registry_changed.notify_one();
            }
            Err(e) => reply
                .warnings
                .push(format!("the repository was not registered: {e}")),
        }
    }
    let around = &params.surroundings;
    if !around.home.is_empty()
        && !params.dry_run
        && app.hosts.open(&site.root)?.snapshot().imported == 0
    {
        let place = Place {
            root: site.root.clone(),
            worktree: site.worktree.clone(),
        };
        reply.earlier = super::import::earlier_sessions(app, &place, around);
    }
    Ok(reply)
}

/// Returns true if nothing may be written into the repository: because it is asked for, or because it was so
/// when its memory was made.
fn is_stealth(site: &Site, params: &InitParams) -> Result<bool, RpcError> {
    if site.is_outside() && params.shared {
        let text = "nothing is to be seen of aictx in this repository, and --shared writes into it";
        return Err(RpcError::new(INVALID_PARAMS, text).hint("take it out first: `aictx clean`"));
    }
    if !params.stealth || site.is_outside() {
        return Ok(site.is_outside());
    }
    if site.common_dir.is_none() {
        let text = format!(
            "{} is no git repository: without .aictx in it nothing tells where it begins",
            site.root.display()
        );
        return Err(RpcError::new(INVALID_PARAMS, text).hint("leave out --stealth"));
    }
    if fs::symlink_metadata(site.memory()).is_ok() {
        let text = format!("{} has its memory in itself already", site.root.display());
        let hint = "`aictx clean` takes it out and keeps it in an archive; then run this again";
        return Err(RpcError::new(INVALID_PARAMS, text).hint(hint));
    }
    Ok(true)
}

/// Adds a note where no agent gets anything in the repository.
fn stay_out(
    around: Option<&Around>,
    params: &InitParams,
    reply: &mut InitReply,
) -> Result<(), RpcError> {
    let Some(around) = around.filter(|_| params.detect || !params.runners.is_empty()) else {
        return Ok(());
    };
    let agents = around.choose(&params.runners)?;
    reply.steps = steps(around, &agents, Scope::User);
    reply.agents = around.told(&agents);
    Ok(())
}

/// Other people's files: what agents need in the repository, and what hides ours from git.
fn write_files(
    app: &App,
    site: &Site,
    around: Option<&Around>,
    params: &InitParams,
    reply: &mut InitReply,
) -> Result<(), RpcError> {
    let mut ledger = Ledger::open(&app.locations.state, !params.dry_run)
        .or_else(|_| Ledger::open(&app.locations.state, false))
        .map_err(|e| RpcError::new(NOT_WRITABLE, format!("the install ledger: {e}")))?;
    let bounds = site.bounds(&[]);
    let mut carrier = Carrier::new(&mut ledger, bounds, &site.worktree, params.dry_run);
    carrier.replace_ancestor = params.ancestor;
    if let Some(around) = around {
        register(&mut carrier, site, around, params, reply)?;
    }
    let tickets = tracks_tickets(site, params.track.as_deref(), &carrier.bounds);
    // The rules in .gitignore outweigh personal ones, so they say the same.
    let again = (reply.portable && params.track.is_some()).then_some(true);
    let changes = portable::write(&mut carrier, site, params.portable.or(again), tickets);
    reply.files.extend(changes);
    hide(
        &mut carrier,
        site,
        (reply.portable, tickets),
        &mut reply.files,
    );
    reply.warnings.extend(carrier.warnings);
    drop(ledger);
    let skipped = reply.files.iter().filter(|file| file.action == "skipped");
    let skipped: Vec<String> = skipped
        .map(|file| format!("{}: {}", file.path, file.reason))
        .collect();
    reply.warnings.splice(0..0, skipped);
    Ok(())
}

/// Writes into the memory whether it goes through git, for who asks, where that was ever a question.
fn remember_choice(app: &App, site: &Site, asked: Option<bool>, reply: &mut InitReply) {
    use aictx_proto::record::files::PORTABILITY;
    let known = site.memory().join(PORTABILITY).exists();
    if reply.dry_run || !reply.portable && !known {
        return;
    }
    if asked.is_some()
        && let Err(error) = write_choice(app, site, reply.portable, known)
    {
        reply.warnings.push(format!(
            "that memory goes through git was not written down: {}",
            error.message
        ));
    }
    if !reply.portable && !portable::tracked(site).is_empty() {
        reply.warnings.push(
            "git still tracks files in .aictx: `git rm -r --cached .aictx` takes them out of the next \
             commit and leaves them here; `aictx init --portable-continuity` shares single records instead"
                .to_owned(),
        );
    }
}

fn write_choice(app: &App, site: &Site, portable: bool, known: bool) -> Result<(), RpcError> {
    let host = app.hosts.open(&site.root)?;
    let is_new = host.store.portable_choice() != Some(portable);
    let decide = |_: &Snapshot| ((), portable::effects(portable, known, is_new));
    let done = host.store.transact(decide);
    done.map(drop)
        .map_err(|e| RpcError::new(NOT_WRITABLE, e.to_string()))
}

/// Our entries for these blocks.
fn block_only(carrier: &Carrier<'_>, site: &Site, edits: &[Edit]) -> Vec<Entry> {
    let mut entries = carrier.ledger.of(&site.scope());
    entries.retain(|entry| {
        let mut edits = edits.iter();
        edits.any(|edit| edit.file == entry.record.file && slot(&edit.content) == entry.slot)
    });
    entries
}

/// The caller's surroundings, when anything outside of our own files is to be touched. A caller that
/// tells none means this process's.
fn surroundings(params: &InitParams) -> Result<Option<Surroundings>, RpcError> {
    if params.runners.is_empty() && !params.detect && !params.ancestor && !params.shared {
        return Ok(None);
    }
    let mut told = params.surroundings.clone();
    if told.home.is_empty() {
        let home = directories::BaseDirs::new().map(|dirs| dirs.home_dir().to_owned());
        told.home = home.map_or("/".to_owned(), |home| home.to_string_lossy().into_owned());
    }
    if told.program.is_empty() {
        told.program.clone_from(&params.program);
    }
    Ok(Some(told))
}

/// Returns the remaining steps of a person, as far as the agents' own files tell.
fn steps(around: &Around, agents: &[Detected], scope: Scope) -> Vec<PersonStep> {
    let mut steps = around.steps(agents, scope, &around.options(false, ""));
    // Shared hooks stand in other files than those that the user has approved.
    let shared = scope == (Scope::Repository { shared: true });
    steps.retain(|step| shared || around.allowed(&step.agent).trusted != Some(true));
    steps
}

/// Registers the agents' files in the repository itself.
fn register(
    carrier: &mut Carrier<'_>,
    site: &Site,
    around: &Around,
    params: &InitParams,
    reply: &mut InitReply,
) -> Result<(), RpcError> {
    let agents = agents(around, params)?;
    let options = around.options(!params.no_mcp, &params.mcp_profile);
    let scope = Scope::Repository {
        shared: params.shared,
    };
    if params.ancestor {
        for place in python_aictx::places(scope, &around.paths) {
            reply.files.extend(carrier.take_ancestor(&place));
        }
    }
    for edit in edits(around, &agents, scope, &options) {
        let change = carrier.put(&site.scope(), &edit);
        reply.files.push(change);
    }
    if params.detect {
        reply.agents = around.told(&agents);
        reply.steps = steps(around, &agents, scope);
    }
    Ok(())
}

fn agents(around: &Around, params: &InitParams) -> Result<Vec<Detected>, RpcError> {
    if params.runners.is_empty() && !params.detect {
        return Ok(Vec::new());
    }
    let mut agents = around.choose(&params.runners)?;
    if agents.is_empty() && params.detect {
        // Whoever sets up a repository is going to use an agent; this file does no harm without.
        agents = around.choose(&["claude".to_owned()])?;
        for agent in &mut agents {
            "no agent was found; this is the usual one".clone_into(&mut agent.evidence);
        }
    }
    Ok(agents)
}

fn edits(around: &Around, agents: &[Detected], scope: Scope, options: &Options) -> Vec<Edit> {
    if scope == (Scope::Repository { shared: true }) {
        let mut names: Vec<&str> = agents.iter().map(|agent| agent.agent).collect();
        names.push("generic");
        return plan_all(&names, scope, &around.paths, options).unwrap_or_default();
    }
    let edits = agents.iter().flat_map(|agent| {
        let options = Options {
            user_has_hooks: around.user_has_hooks(agent.agent),
            ..options.clone()
        };
        plan(agent.agent, scope, &around.paths, &options).unwrap_or_default()
    });
    edits.collect()
}

/// The block of the exclude file that hides these lines.
pub(super) fn exclude_edit(exclude: &Path, lines: &[String]) -> Edit {
    Edit {
        agent: "",
        file: exclude.to_string_lossy().into_owned(),
        content: Content::Block(Block {
            comment: Comment::Hash,
            id: EXCLUDE_BLOCK.to_owned(),
            body: lines.iter().map(|line| format!("{line}\n")).collect(),
        }),
        reason: "hides aictx's own files from git",
        shared: false,
        caution: "",
    }
}

/// Show git the tickets below a directory of which everything else is hidden.
pub(super) const TICKET_RULES: [&str; 3] = [
    "!/.aictx/tickets/",
    "/.aictx/tickets/*",
    "!/.aictx/tickets/TICKET-*.md",
];

/// The text of the exclude file; empty where it cannot be read.
fn excluded(exclude: &Path, bounds: &Bounds) -> String {
    let found = files::read(exclude, bounds).ok();
    found.and_then(|found| found.text).unwrap_or_default()
}

/// Returns true if git is shown the tickets: what is asked for, else what the rules say that are there.
pub(super) fn tracks_tickets(site: &Site, asked: Option<&str>, bounds: &Bounds) -> bool {
    if let Some(asked) = asked {
        return asked == "tickets";
    }
    let text = site.exclude().map(|exclude| excluded(&exclude, bounds));
    let [shown, ..] = TICKET_RULES;
    text.is_some_and(|text| text.lines().any(|line| line.trim() == shown))
}

/// Hides what is not for others, by personal rules of git.
pub(super) fn hide(
    carrier: &mut Carrier<'_>,
    site: &Site,
    (portable, tickets): (bool, bool),
    reported: &mut Changes,
) {
    let Some(exclude) = site.exclude() else {
        return;
    };
    let text = excluded(&exclude, &carrier.bounds);
    let others = without_our_block(&exclude, &text);
    let is_of_others = |line: &str| others.lines().any(|own| own.trim() == line);
    let mut lines = Vec::new();
    if portable {
        // The rules in .gitignore are those of one branch; these hold on every other one, too.
        lines.extend(portable::rules());
        if tickets {
            lines.extend(TICKET_RULES.iter().map(|rule| (*rule).to_owned()));
        }
    } else if tickets {
        lines.push("/.aictx/*".to_owned());
        lines.extend(TICKET_RULES.iter().map(|rule| (*rule).to_owned()));
    } else {
        lines.push(EXCLUDED.to_owned());
    }
    for entry in carrier.ledger.of(&site.scope()) {
        let inside = Path::new(&entry.record.file).strip_prefix(&site.worktree);
        if let Ok(inside) = inside
            && entry.record.created_by_us
            && !entry.shared
        {
            let line = format!("/{}", inside.display());
            if !inside.starts_with(".git") && !lines.contains(&line) {
                lines.push(line);
            }
        }
    }
    // Hidden before, and still there: it came from us, though the record of that may be gone, or lie in another home.
    let shared = |path: &Path| {
        let entries = carrier.ledger.of(&site.scope()).into_iter();
        entries
            .filter(|entry| entry.shared)
            .any(|entry| Path::new(&entry.record.file) == path)
    };
    for line in text.lines().map(str::trim) {
        let inside = line.strip_prefix('/').filter(|_| !is_of_others(line));
        let is_there = |inside: &str| {
            let path = site.worktree.join(inside);
            path.is_file() && !shared(&path)
        };
        if inside.is_some_and(is_there) && !lines.iter().any(|known| known == line) {
            lines.push(line.to_owned());
        }
    }
    lines.retain(|line| !is_of_others(line));
    if lines.is_empty() {
        // A block of earlier has nothing to say any more.
        let edits = [exclude_edit(&exclude, &[])];
        let own = block_only(carrier, site, &edits);
        let (taken, _) = carrier.take(&own, &edits);
        let none = FileChange {
            action: "unchanged".to_owned(),
            ..FileChange::default()
        };
        let mut change = taken.into_iter().next().unwrap_or(none);
        ".git/info/exclude".clone_into(&mut change.path);
        reported.push(change);
        return;
    }
    let mut change = carrier.put(&site.scope(), &exclude_edit(&exclude, &lines));
    ".git/info/exclude".clone_into(&mut change.path);
    if change.action == "skipped" {
        change.reason = format!("{}; git will show .aictx as untracked", change.reason);
    }
    reported.push(change);
}

fn without_our_block(exclude: &Path, text: &str) -> String {
    use aictx_runners::merge::{After, uninstall};
    let edit = exclude_edit(exclude, &[]);
    match uninstall(&edit.file, Some(text), &edit.content, None).map(|outcome| outcome.after) {
        Ok(After::Write(rest)) => rest,
        Ok(After::Delete) => String::new(),
        _ => text.to_owned(),
    }
}
