//! Where paths lead: a path through a symbolic link hits what lies behind the link.

use std::borrow::Cow;
use std::cell::{Cell, OnceCell};
use std::hash::BuildHasher as _;
use std::rc::Rc;
use std::sync::Arc;

use aictx_proto::path::{Located, MAX_PATH_BYTES, RepoPath, is_plain, segments, split_name};
use aictx_shell::Word;
use hashbrown::DefaultHashBuilder;

use super::path_target::{Place, Reach, contents};
use super::{Call, Judge, Known};
use crate::finding_codes::Code;
use crate::protected_paths;

/// Links of one path that are followed: more are a circle, or nobody's doing.
const MAX_LINKS: usize = 16;
/// Places that are asked for on behalf of one line; what a line names beyond that is taken as it is written.
const MAX_ASKED: u16 = 2048;

/// What happens to a link that a path ends at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Last {
    /// It is followed: what is written, is written behind it.
    Followed,
    /// It is taken itself, as `rm` and `mv` do, unless the path is spelled so that it cannot be the link:
    /// `link/`, `link/.`.
    Itself,
}

/// Ways that are remembered: as many as words of one command are looked at by one rule after the other.
const MAX_WAYS: usize = 256;

/// The ways that were walked: the rules for one command ask for the same words again and again.
#[derive(Debug, Default)]
pub(super) struct Ways {
    newest: Option<Rc<Way>>,
    /// Each at a place that its text gives; the next of the same place takes it.
    walked: Vec<Option<Rc<Way>>>,
    places: DefaultHashBuilder,
}

/// Where one path leads.
#[derive(Debug)]
pub(super) struct Way {
    dir: Option<String>,
    raw: String,
    last: Last,
    /// There are links on it.
    is_led: bool,
    /// Where it ends; nothing when it starts in a directory that is not known. Hardly anybody asks where that is
    /// the repository.
    absolute: OnceCell<Option<String>>,
    located: Option<Located>,
    known: Cell<Option<Known>>,
    temporary: OnceCell<bool>,
    verdict: OnceCell<Option<(&'static Code, &'static str)>>,
}

impl Way {
    /// The path as written, or where it leads as an absolute one when links of the repository are on the way.
    pub(super) fn text(&self) -> &str {
        self.led().unwrap_or(&self.raw)
    }

    /// Where links lead it.
    pub(super) fn led(&self) -> Option<&str> {
        let known = self.absolute.get().filter(|_| self.is_led);
        known.and_then(Option::as_deref)
    }

    /// Where it ends, in one piece.
    pub(super) fn absolute(&self, place: Place) -> Option<&str> {
        let whole = || place.absolute(self.dir.as_deref(), &self.raw);
        self.absolute.get_or_init(whole).as_deref()
    }

    /// Where it ends, seen from the repository.
    pub(super) fn located(&self) -> Option<&Located> {
        self.located.as_ref()
    }

    /// What is to be said about touching what lies there.
    pub(super) fn verdict(&self) -> Option<(&'static Code, &'static str)> {
        let verdict = || self.located().and_then(protected_paths::verdict);
        *self.verdict.get_or_init(verdict)
    }

    /// Returns true if it ends below a temporary directory.
    pub(super) fn is_temporary(&self, place: Place) -> bool {
        // What is in the repository is none, wherever that lies.
        if matches!(self.located, Some(Located::Inside(_))) {
            return false;
        }
        let below = || (self.absolute(place)).is_some_and(|path| place.is_temporary(path));
        *self.temporary.get_or_init(below)
    }

    fn answers(&self, dir: Option<&str>, raw: &str, last: Last) -> bool {
        // Where there is no link, it does not matter what happens to the last one.
        let same = self.last == last || (self.last == Last::Followed && !self.is_led);
        same && self.raw == raw && self.dir.as_deref() == dir
    }
}

impl Ways {
    fn known(&mut self, dir: Option<&str>, raw: &str, last: Last) -> Option<Rc<Way>> {
        let answers = |way: &&Rc<Way>| way.answers(dir, raw, last);
        if let Some(newest) = self.newest.as_ref().filter(answers) {
            return Some(Rc::clone(newest));
        }
        let found = self
            .walked
            .get(self.place_of(raw))?
            .as_ref()
            .filter(answers)?;
        self.newest = Some(Rc::clone(found));
        self.newest.clone()
    }

    fn keep(&mut self, way: &Rc<Way>) {
        self.newest = Some(Rc::clone(way));
        self.walked.resize(MAX_WAYS, None);
        let at = self.place_of(&way.raw);
        if let Some(place) = self.walked.get_mut(at) {
            *place = Some(Rc::clone(way));
        }
    }

    /// The place of a text among [`MAX_WAYS`].
    fn place_of(&self, raw: &str) -> usize {
        self.places.hash_one(raw) as usize % MAX_WAYS
    }
}

impl Judge<'_> {
    /// The way of a path, which is walked once. Links elsewhere than in the repository are not asked for.
    pub(super) fn way(&self, dir: Option<&str>, raw: &str, last: Last) -> Rc<Way> {
        if let Some(way) = self.ways.borrow_mut().known(dir, raw, last) {
            return way;
        }
        let mut way = self.as_written(dir, raw, last);
        if let Some(led) = self.led(&way) {
            way.located = self.place.locate(dir, &led);
            way.absolute = OnceCell::from(Some(led));
            way.is_led = true;
        }
        let way = Rc::new(way);
        self.ways.borrow_mut().keep(&way);
        way
    }

    /// The way of a path whose links are not looked for.
    fn as_written(&self, dir: Option<&str>, raw: &str, last: Last) -> Way {
        let below = self.base.zip(dir).filter(|_| !raw.starts_with('$'));
        let below = below.and_then(|(base, dir)| RepoPath::below(base, dir, raw));
        let (absolute, located) = match below {
            Some(path) => (OnceCell::new(), Some(Located::Inside(path))),
            None => {
                let absolute = self.place.absolute(dir, raw);
                let located = self.place.located(raw, absolute.as_deref());
                (OnceCell::from(absolute), located)
            }
        };
        Way {
            located,
            absolute,
            dir: dir.map(str::to_owned),
            raw: raw.to_owned(),
            last,
            is_led: false,
            known: Cell::default(),
            temporary: OnceCell::new(),
            verdict: OnceCell::new(),
        }
    }

    /// [`Judge::way`] of a word of a call, which is taken as written unless it is run here.
    pub(super) fn way_of(&self, call: Call, word: &Word, last: Last) -> Rc<Way> {
        let dir = call.command.dir.as_deref();
        if call.command.remote || word.unknown {
            return Rc::new(self.as_written(dir, &word.text, last));
        }
        self.way(dir, &word.text, last)
    }

    /// What is known about a word as a path of this repository; about a link itself where it ends at one.
    pub(super) fn known(&self, call: Call, word: &Word) -> Known {
        self.known_at(call, word, Last::Itself)
    }

    /// The same about what is written when the word is: what lies behind a link.
    pub(super) fn known_behind(&self, call: Call, word: &Word) -> Known {
        self.known_at(call, word, Last::Followed)
    }

    fn known_at(&self, call: Call, word: &Word, last: Last) -> Known {
        if call.command.remote || word.unknown || word.text.is_empty() || !self.facts.has_paths() {
            return Known::default();
        }
        let (bare, last) = bare(&word.text, last);
        self.known_there(&self.way(call.command.dir.as_deref(), bare, last))
    }

    /// What is known about where a way ends, asked once.
    fn known_there(&self, way: &Way) -> Known {
        way.known.get().unwrap_or_else(|| {
            let known = match way.located() {
                Some(Located::Inside(path)) => self.facts.path(path),
                _ => Known::default(),
            };
            way.known.set(Some(known));
            known
        })
    }

    /// The way of the directory of [`contents`], where it really is: whoever names what is in a link means
    /// what is behind it.
    pub(super) fn way_to_contents(&self, dir: Option<&str>, raw: &str) -> Rc<Way> {
        let (bare, last) = bare(raw, Last::Itself);
        self.way(dir, bare, last)
    }

    /// [`Place::reach`] of where a path leads.
    pub(super) fn reach(&self, call: Call, raw: &str) -> Reach {
        let (dir, remote) = (call.command.dir.as_deref(), call.command.remote);
        if remote {
            return self.place.reach(dir, raw, remote);
        }
        let way = self.way_to_contents(dir, raw);
        self.place.reach(dir, way.text(), remote)
    }

    /// Walks a path as the system does: a link in it is replaced by where it leads, and `..` goes up from
    /// there. `None` when there is no link.
    fn led(&self, way: &Way) -> Option<String> {
        let walked = !way.raw.is_empty() && way.raw.len() <= MAX_PATH_BYTES;
        if !walked || !self.facts.has_paths() {
            return None;
        }
        // Spelled without a detour, as almost every one is.
        let plain = match way.absolute.get() {
            None => true,
            Some(absolute) => {
                let rest = absolute.as_deref()?.strip_prefix('/')?;
                is_plain(rest)
            }
        };
        match way.located() {
            Some(Located::Inside(path))
                if plain && self.is_straight(path, way.last == Last::Followed) =>
            {
                return None;
            }
            // Nobody is asked about links elsewhere.
            Some(Located::Outside(_)) if plain => return None,
            _ => {}
        }
        let absolute = way.absolute(self.place)?;
        let followed = way.last == Last::Followed || is_of_a_directory(absolute);
        // Where the walk is; the rest of the way, the next part at its end.
        let mut at = String::with_capacity(absolute.len());
        let mut rest: Vec<Cow<str>> = segments(absolute).map(Cow::Borrowed).collect();
        rest.reverse();
        let mut links = 0;
        while let Some(part) = rest.pop() {
            match part.as_ref() {
                "" | "." => continue,
                ".." => {
                    at.truncate(at.rfind('/').unwrap_or(0));
                    continue;
                }
                name => {
                    at.push('/');
                    at.push_str(name);
                }
            }
            let ends = rest.iter().all(|part| part.is_empty());
            if ends && !followed {
                break;
            }
            let Some(target) = self.link_at(&at) else {
                continue;
            };
            links += 1;
            if links > MAX_LINKS {
                return None;
            }
            let kept = match target.starts_with('/') {
                true => 0,
                false => at.rfind('/').unwrap_or(0),
            };
            at.truncate(kept);
            let parts: Vec<&str> = segments(&target).collect();
            rest.extend(
                parts
                    .into_iter()
                    .rev()
                    .map(|part| Cow::Owned(part.to_owned())),
            );
        }
        if at.is_empty() {
            at.push('/');
        }
        (links > 0).then_some(at)
    }

    /// Returns true if no link is on the way to a path, nor at its end when that is `followed`: what a line asks
    /// again and again of the same directory.
    pub(super) fn is_straight(&self, path: &RepoPath, followed: bool) -> bool {
        let (dir, _) = split_name(path.as_str());
        let asked = self.asked.get();
        let mut straight = self.straight.borrow_mut();
        if let Some(dir) = dir.filter(|dir| !is_within(&straight, dir)) {
            // What the last directory lies in is not asked for again.
            let known = shared(&straight, dir);
            let behind = dir.as_bytes().get(known..).unwrap_or_default().iter();
            let ends = behind.enumerate().filter(|(_, byte)| **byte == b'/');
            let ends = ends.map(|(at, _)| known + at);
            let mut parts = ends.chain([dir.len()]).filter_map(|at| dir.get(..at));
            let is_link = |part| RepoPath::parse(part).is_ok_and(|path| self.link(&path).is_some());
            if parts.any(is_link) {
                self.asked.set(asked);
                return false;
            }
            if self.asked.get() < MAX_ASKED {
                straight.clear();
                straight.push_str(dir);
            }
        }
        let is_link = followed && self.link(path).is_some();
        if is_link {
            self.asked.set(asked);
        }
        !is_link
    }

    /// The text of the link at a place of the repository.
    fn link_at(&self, absolute: &str) -> Option<Arc<str>> {
        let root = self.place.root.trim_end_matches('/');
        let inside = absolute.strip_prefix(root)?.strip_prefix('/')?;
        self.link(&RepoPath::parse(inside).ok()?)
    }

    /// The same of a path.
    fn link(&self, path: &RepoPath) -> Option<Arc<str>> {
        let asked = self.asked.get();
        if asked >= MAX_ASKED {
            return None;
        }
        self.asked.set(asked + 1);
        self.facts.link(path)
    }
}

/// Returns true if a directory is one of those that lead to another, or is it.
fn is_within(leads_to: &str, dir: &str) -> bool {
    (leads_to.strip_prefix(dir)).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// How many bytes two directories have in common, up to behind a slash.
fn shared(one: &str, other: &str) -> usize {
    // One is nearly always what the other lies in.
    if let Some(b"/") =
        (other.as_bytes().strip_prefix(one.as_bytes())).and_then(|rest| rest.get(..1))
    {
        return one.len() + 1;
    }
    let pairs = one.bytes().zip(other.bytes());
    let pairs = pairs.take_while(|(one, other)| one == other);
    let slashes = pairs.enumerate().filter(|(_, (byte, _))| *byte == b'/');
    slashes.last().map_or(0, |(at, _)| at + 1)
}

/// The directory whose contents a path names, which is then no link itself, or the path.
fn bare(raw: &str, last: Last) -> (&str, Last) {
    let bare = contents(raw);
    match bare.len() == raw.len() {
        true => (bare, last),
        false => (bare, Last::Followed),
    }
}

/// Returns true if a path is spelled so that it means what is in a directory: `dir/`, `dir/.`, `dir/..`.
fn is_of_a_directory(path: &str) -> bool {
    matches!(split_name(path).1, "" | "." | "..")
}
