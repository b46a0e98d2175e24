//! Targets of a command, and the severity of hitting them.

use aictx_proto::path::{Located, Outside, RepoPath, is_plain, locate, segments};
use aictx_shell::Word;

use super::outside_repo::{self, home, is_in_use, is_trusted, rules_agents};
use super::symlinks::Last;
use super::table::{DISKS, REGENERABLE, REGENERABLE_FILES, TEMPORARY};
use super::{Call, Judge, Kind, Limit, Tier, What, path_limits};
use crate::finding_codes::{self, ERROR, PATH_OUTSIDE_REPO};

/// Place in which a command line is run.
#[derive(Debug, Clone, Copy)]
pub struct Place<'a> {
    /// Absolute root of the worktree.
    pub root: &'a str,
    /// Absolute working directory.
    pub cwd: &'a str,
}

/// Manner of a write. Leaving a new file somewhere is less than changing what is there.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Touch {
    Alter,
    /// Taken away: of a link, the link itself.
    Remove,
    /// Taken elsewhere: of a link, the link itself.
    Move,
    /// At its end: what is there stays.
    Append,
    Create,
}

/// Reach of a recursive deletion.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Reach {
    /// One file, as facts tell.
    File,
    /// Can be made again, or is temporary.
    Regenerable,
    /// Somebody's files.
    Files,
    /// The repository, its history, a home or the system.
    Everything,
}

impl<'a> Place<'a> {
    /// Returns the directory a command starts in, empty for the root; `None` when that is spelled with a detour, or
    /// is not in it.
    pub(super) fn base(&self) -> Option<&'a str> {
        let below = self.cwd.strip_prefix(self.root)?;
        let plain = |text: &str| is_plain(text) && !text.contains(['\\', '\0']);
        let rooted = self.root.strip_prefix('/').is_some_and(plain);
        match below.strip_prefix('/') {
            None => below.is_empty().then_some(""),
            Some(below) => plain(below).then_some(below),
        }
        .filter(|_| rooted)
    }

    /// Absolute form of a path as written in a command that runs in `dir`; `None` when unknown.
    pub(super) fn absolute(&self, dir: Option<&str>, raw: &str) -> Option<String> {
        let raw = home(raw);
        if raw.starts_with(['/', '~']) {
            return Some(raw.into_owned());
        }
        let dir = dir?;
        Some(match dir.chars().next() {
            None => [self.cwd, &raw].join("/"),
            Some('/' | '~') => [dir, &raw].join("/"),
            Some(_) => [self.cwd, dir, &raw].join("/"),
        })
    }

    pub(super) fn locate(&self, dir: Option<&str>, raw: &str) -> Option<Located> {
        self.located(raw, self.absolute(dir, raw).as_deref())
    }

    /// [`Place::locate`] of a path whose [absolute](Place::absolute) form was asked for.
    pub(super) fn located(&self, raw: &str, absolute: Option<&str>) -> Option<Located> {
        let drive = Located::Outside(Outside::Drive);
        if raw.contains('\\') && locate(self.root, "", raw) == drive {
            return Some(drive);
        }
        Some(locate(self.root, "", absolute?))
    }

    /// Returns true if a path lies below a temporary directory. A repository that lies there, too, is none: what
    /// is in it, or holds it, is people's work like any other.
    pub(super) fn is_temporary(&self, path: &str) -> bool {
        is_temporary(path) && {
            let (root, path) = (resolve(self.root), resolve(path));
            !path.starts_with(&root) && !root.starts_with(&path)
        }
    }

    /// Judges the target of a recursive deletion.
    pub(super) fn reach(&self, dir: Option<&str>, raw: &str, remote: bool) -> Reach {
        let raw = home(raw);
        let bare = contents(&raw);
        if is_all_parents(bare) || is_drive_root(bare) {
            return Reach::Everything;
        }
        let Some(absolute) = self.absolute(dir, bare) else {
            return Reach::Files;
        };
        if let Some(rest) = absolute.strip_prefix('~') {
            // `~`, `~user`, and whole trees of settings.
            let below = rest
                .split('/')
                .skip(1)
                .find(|part| !part.is_empty() && *part != ".");
            // What was fetched or built is so again.
            let kept = rest.split('/').skip(1).any(|part| {
                matches!(
                    part,
                    ".cache"
                        | "_cacache"
                        | "Caches"
                        | "caches"
                        | "_npx"
                        | "__pycache__"
                        | "DerivedData"
                )
            }) || rest.contains("/.cargo/registry");
            return match below {
                None => Reach::Everything,
                Some(_) if kept => Reach::Regenerable,
                Some(_) => Reach::Files,
            };
        }
        let segments = resolve(&absolute);
        if !remote {
            let root = resolve(self.root);
            if root.starts_with(&segments) {
                return Reach::Everything;
            }
            if let Some(inside) = segments.strip_prefix(root.as_slice()) {
                return match inside.last() {
                    Some(last) if last.eq_ignore_ascii_case(".git") => Reach::Everything,
                    Some(last) if REGENERABLE_FILES.contains(last) => Reach::Regenerable,
                    _ if inside.iter().any(|part| is_regenerable(part)) => Reach::Regenerable,
                    _ => Reach::Files,
                };
            }
        }
        match segments.as_slice() {
            [] => Reach::Everything,
            ["tmp"] => Reach::Files,
            [_] | ["home" | "Users", _] => Reach::Everything,
            _ if !remote && self.is_temporary(&absolute) => Reach::Regenerable,
            _ => Reach::Files,
        }
    }
}

/// The directory of `dir/*` and `dir/`: deleting the contents is deleting it.
pub(super) fn contents(raw: &str) -> &str {
    // Asked of every path again and again, and almost none ends so.
    if !raw.ends_with(['*', '/', '}']) {
        return raw;
    }
    let mut text = raw;
    loop {
        let shorter = text
            .strip_suffix("/*")
            .or_else(|| text.strip_suffix("/.*"))
            .or_else(|| text.strip_suffix("/**"));
        match shorter {
            Some("") => return "/",
            Some(rest) => text = rest,
            None => break,
        }
    }
    match text {
        "*" | ".*" | "**" | "{*,.*}" | ".[!.]*" => ".",
        text if text.len() > 1 => match text.trim_end_matches('/') {
            "" => "/",
            text => text,
        },
        text => text,
    }
}

fn is_all_parents(text: &str) -> bool {
    text.split('/').all(|part| part == "..")
}

fn is_drive_root(text: &str) -> bool {
    let mut chars = text.chars();
    chars.next().is_some_and(|c| c.is_ascii_alphabetic())
        && chars.next() == Some(':')
        && chars.all(|c| matches!(c, '\\' | '/' | '*'))
}

fn resolve(path: &str) -> Vec<&str> {
    let mut out = Vec::with_capacity(16);
    for part in segments(path) {
        match part {
            "" | "." => {}
            ".." => {
                out.pop();
            }
            part => out.push(part),
        }
    }
    out
}

/// Returns true if a file or directory of this name is made by tools, again and again.
pub fn is_made_again(name: &str) -> bool {
    is_regenerable(name) || REGENERABLE_FILES.contains(&name)
}

pub(super) fn is_regenerable(name: &str) -> bool {
    REGENERABLE.contains(&name)
        || name == "cache"
        || ["-cache", "_cache", ".egg-info"]
            .iter()
            .any(|ending| name.ends_with(ending))
        || name.starts_with("bazel-")
        || name.starts_with("cmake-build-")
}

/// Strictly below a temporary directory.
pub(crate) fn is_temporary(path: &str) -> bool {
    let Some(rest) = path.strip_prefix('/') else {
        return false;
    };
    if is_plain(rest) && !TEMPORARY.iter().any(|known| path.starts_with(known)) {
        return false;
    }
    let segments = resolve(path);
    let Some(first) = segments.first() else {
        return false;
    };
    TEMPORARY.iter().any(|known| {
        let known = known.trim_matches('/');
        known.starts_with(first) && {
            let mut rest = segments.iter();
            self::segments(known).all(|part| rest.next() == Some(&part)) && rest.next().is_some()
        }
    })
}

/// Returns true if a path leads above where it begins: `$TMPDIR/../x`.
fn leaves(path: &str) -> bool {
    let mut depth = 0_usize;
    let below = path.split(['/', '\\']).skip(1);
    for part in below.filter(|part| !matches!(*part, "" | ".")) {
        if part == ".." {
            let Some(above) = depth.checked_sub(1) else {
                return true;
            };
            depth = above;
        } else {
            depth += 1;
        }
    }
    false
}

/// `$TMPDIR/x`: unknown, but temporary.
pub(super) fn is_temporary_variable(text: &str) -> bool {
    if !text.starts_with(['$', '%']) || leaves(text) {
        return false;
    }
    if [
        "$TMPDIR/",
        "${TMPDIR}/",
        "$TEMP/",
        "$RUNNER_TEMP/",
        "$env:TEMP/",
        "$env:TMP/",
        "%TEMP%/",
        "%TMP%/",
    ]
    .iter()
    .any(|start| text.starts_with(start) && text.len() > start.len())
    {
        return true;
    }
    // `$tmpdir` alone: whoever names it so made it so, and nothing is lost when it is empty.
    let name = text.strip_prefix('$').unwrap_or_default();
    let name = match name.strip_prefix('{') {
        Some(inner) => inner.strip_suffix('}').unwrap_or_default(),
        None => name,
    };
    let lower = name.to_ascii_lowercase();
    lower.len() <= 24
        && lower.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        && (["tmp", "temp", "scratch"].iter().any(|word| lower.starts_with(word) || lower.ends_with(word))
            || lower.ends_with("tmpdir")
            || lower.ends_with("tmp_dir")
            || lower.ends_with("tempdir"))
        // These are directories of the system that others use, too.
        && !matches!(name, "TMPDIR" | "TEMP" | "TMP" | "TEMPDIR" | "TMP_DIR")
}

/// A whole disk or partition.
pub(super) fn is_disk(path: &str) -> bool {
    path.strip_prefix("/dev/").is_some_and(|device| {
        DISKS.iter().any(|disk| {
            device
                .strip_prefix(disk)
                .is_some_and(|rest| disk.ends_with('/') || rest.len() <= 6)
        })
    })
}

impl Judge<'_> {
    /// Runs a path that is written to through the path checks.
    pub(super) fn write_target(&mut self, call: Call, word: &Word, verb: &str, touch: Touch) {
        let known_home = outside_repo::is_home(&word.text);
        if call.command.remote || word.text.is_empty() {
            return;
        }
        if word.unknown && !known_home {
            let part = path_limits::known_part(&word.text);
            if self.facts.has_limits()
                && let Some(limit) = path_limits::limit_on(self, call, part)
            {
                self.off_limits(&limit, verb, &word.text);
            }
            return;
        }
        if word.text.starts_with("/dev/") {
            if is_disk(&word.text) {
                let shown = [word.text.as_str()];
                self.hit(Some(call), Kind::Disk, Tier::Catastrophic, verb, shown);
            }
            return;
        }
        let last = match touch {
            Touch::Remove | Touch::Move => Last::Itself,
            Touch::Alter | Touch::Append | Touch::Create => Last::Followed,
        };
        let way = self.way_of(call, word, last);
        let Some(located) = way.located() else {
            return;
        };
        if let Located::Inside(inside) = located {
            // A directory is only there for what is put in it.
            if verb != "mkdir" {
                self.facts.edits(inside);
            }
            if let Some(limit) = self.limit(inside) {
                self.off_limits(&limit, verb, &word.text);
            }
        } else if let Some(limit) = self.limit_elsewhere(way.absolute(self.place)) {
            self.off_limits(&limit, verb, &word.text);
        }
        let Some((code, severity)) = way.verdict() else {
            return;
        };
        let outside = std::ptr::eq(code, &raw const PATH_OUTSIDE_REPO);
        let absolute = way.absolute(self.place).unwrap_or_default();
        if outside {
            let creates = matches!(touch, Touch::Create | Touch::Move);
            let into = || creates && self.place.is_temporary(&format!("{absolute}/new"));
            if way.is_temporary(self.place) || into() || outside_repo::is_agents_place(absolute) {
                return;
            }
        }
        let mild = match touch {
            Touch::Create | Touch::Move => !is_in_use(absolute) && !rules_agents(absolute),
            Touch::Append => !is_trusted(way.text()) && !is_trusted(absolute),
            Touch::Alter | Touch::Remove => false,
        };
        let mild = outside && mild;
        let tier = if severity == ERROR && !mild {
            Tier::Destructive
        } else {
            Tier::Risky
        };
        let kind = if outside {
            Kind::OutsideRepository
        } else if std::ptr::eq(code, &raw const finding_codes::SENSITIVE_PATH) {
            Kind::Credentials
        } else {
            Kind::Overwrite
        };
        let what = What {
            asks: false,
            code,
            kind,
            tier,
            level: tier.into(),
            reversible: tier == Tier::Risky && kind.mild_is_reversible(),
        };
        self.add(what, verb, [word.text.as_str()]);
    }

    /// Returns the limit on writing outside of the worktree.
    pub(super) fn limit_elsewhere(&self, absolute: Option<&str>) -> Option<Limit> {
        let limited = self.facts.has_limits();
        absolute
            .filter(|_| limited)
            .and_then(|path| self.facts.limit_elsewhere(path))
    }

    /// Returns the limit on writing a path, or one that a pattern stands for.
    fn limit(&self, path: &RepoPath) -> Option<Limit> {
        self.facts.limit(path).or_else(|| {
            let pattern = self.facts.has_limits() && path.as_str().contains(['*', '?', '[']);
            pattern
                .then(|| self.facts.limit_like(path.as_str()))
                .flatten()
        })
    }

    /// Corrects what names promise by what is known.
    pub(super) fn reach_by_facts(&self, call: Call, word: &Word, reach: Reach) -> Reach {
        let known = self.known(call, word);
        let whole = contents(&word.text) == word.text.trim_end_matches('/');
        // Recorded state is ignored by git, and nothing makes it again.
        let dir = call.command.dir.as_deref();
        let way = self.way_to_contents(dir, &word.text);
        if way.verdict().is_some_and(|(code, _)| {
            std::ptr::eq(code, &raw const finding_codes::GENERATED_STATE_PATH)
        }) {
            return reach.max(Reach::Files);
        }
        match reach {
            Reach::Regenerable | Reach::Files if known.directory == Some(false) && whole => {
                Reach::File
            }
            Reach::Regenerable if known.tracked == Some(true) => Reach::Files,
            Reach::Files if known.ignored == Some(true) && known.tracked == Some(false) => {
                Reach::Regenerable
            }
            reach => reach,
        }
    }

    /// Returns true if a path lies below a temporary directory.
    pub(super) fn is_temporary(&self, call: Call, word: &Word) -> bool {
        !call.command.remote
            && (is_temporary_variable(&word.text)
                || (self.way_of(call, word, Last::Itself)).is_temporary(self.place))
    }

    /// A file takes the place of another that nothing has a copy of.
    pub(super) fn overwritten(&mut self, call: Call, verb: &str, destination: &Word) {
        let known = self.known_behind(call, destination);
        // Of a file that is tracked nothing is lost when it is known to be as it was committed.
        let lost = known.exists == Some(true)
            && known.directory == Some(false)
            && known.dirty != Some(false)
            && (known.tracked == Some(true)
                || known.dirty == Some(true)
                || (known.tracked == Some(false) && known.ignored == Some(false)));
        if lost {
            let shown = [destination.text.as_str()];
            self.note(Kind::Overwrite, false, verb, shown);
        } else if known.exists == Some(true) && known.directory == Some(false) {
            self.quietly(Kind::Overwrite);
        }
    }

    pub(super) fn write_all<'w>(
        &mut self,
        call: Call,
        words: impl IntoIterator<Item = &'w Word<'w>>,
        verb: &str,
        touch: Touch,
    ) {
        for word in words {
            if self.risk.findings.len() >= super::MAX_FINDINGS {
                return;
            }
            self.write_target(call, word, verb, touch);
        }
    }

    /// Returns true if a path certainly lies outside of the repository and is not temporary.
    pub(super) fn is_outside(&self, call: Call, word: &Word) -> bool {
        if word.unknown {
            return false;
        }
        let way = self.way_of(call, word, Last::Followed);
        matches!(way.located(), Some(Located::Outside(_))) && !way.is_temporary(self.place)
    }
}
