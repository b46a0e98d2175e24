//! Where paths lead: a path through a symbolic link hits what lies behind the link.

use std::borrow::Cow;
use std::cell::{Cell, OnceCell};
use std::sync::Arc;

use aictx_proto::path::{Located, MAX_PATH_BYTES, RepoPath, segments};
use aictx_signals::shell::Word;

use super::target::{Reach, contents};
use super::{Call, Judge, Known};

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

/// Paths whose ways are remembered: as many as the rules for one command go back and forth between.
const MAX_WAYS: usize = 8;

/// The ways that were walked last: the rules for one command ask for the same words again and again.
#[derive(Debug, Default)]
pub(super) struct Ways {
    walked: Vec<Way>,
    next: usize,
}

/// Where one path leads.
#[derive(Debug)]
struct Way {
    dir: Option<String>,
    raw: String,
    /// How the path ends: paths of one line begin alike.
    end: u64,
    last: Last,
    /// When links are on it.
    led: Option<String>,
    located: OnceCell<Option<Located>>,
    known: Cell<Option<Known>>,
}

impl Ways {
    fn known(&self, dir: Option<&str>, raw: &str, last: Last) -> Option<&Way> {
        // The newest first: it is the one almost always.
        let (newer, older) = self.walked.split_at_checked(self.next)?;
        let mut ways = newer.iter().rev().chain(older.iter().rev());
        let end = end_of(raw);
        ways.find(|way| {
            way.end == end && way.last == last && way.raw == raw && way.dir.as_deref() == dir
        })
    }

    fn keep(&mut self, way: Way) {
        match self.walked.get_mut(self.next) {
            Some(oldest) => *oldest = way,
            None => self.walked.push(way),
        }
        self.next = (self.next + 1) % MAX_WAYS;
    }
}

impl Judge<'_> {
    /// What `ask` finds out about the way of a path, which is walked once.
    fn on_way<T>(
        &self,
        dir: Option<&str>,
        raw: &str,
        last: Last,
        ask: impl FnOnce(&Way) -> T,
    ) -> T {
        if let Some(way) = self.ways.borrow().known(dir, raw, last) {
            return ask(way);
        }
        let way = Way {
            dir: dir.map(str::to_owned),
            raw: raw.to_owned(),
            end: end_of(raw),
            last,
            led: self.led(dir, raw, last),
            located: OnceCell::new(),
            known: Cell::default(),
        };
        let answer = ask(&way);
        self.ways.borrow_mut().keep(way);
        answer
    }

    fn located_on<'w>(&self, way: &'w Way) -> Option<&'w Located> {
        let located = way.located.get_or_init(|| {
            let led = way.led.as_deref().unwrap_or(&way.raw);
            self.place.locate(way.dir.as_deref(), led)
        });
        located.as_ref()
    }

    /// Where a path lies once links on the way are followed.
    pub(super) fn located(&self, dir: Option<&str>, raw: &str, last: Last) -> Option<Located> {
        if !self.facts.has_paths() {
            return self.place.locate(dir, raw);
        }
        self.on_way(dir, raw, last, |way| self.located_on(way).cloned())
    }

    /// [`Judge::located`] of a word of a call, which is taken as written unless it is run here.
    pub(super) fn word_located(&self, call: Call, word: &Word, last: Last) -> Option<Located> {
        let dir = call.command.dir.as_deref();
        if call.command.remote || word.unknown {
            return self.place.locate(dir, &word.text);
        }
        self.located(dir, &word.text, last)
    }

    /// A path as written, or where it leads as an absolute one, when links of the repository are on the
    /// way. Links elsewhere are not asked for.
    pub(super) fn through_links<'t>(
        &self,
        dir: Option<&str>,
        raw: &'t str,
        last: Last,
    ) -> Cow<'t, str> {
        if !self.facts.has_paths() {
            return Cow::Borrowed(raw);
        }
        self.on_way(dir, raw, last, |way| way.led.clone())
            .map_or(Cow::Borrowed(raw), Cow::Owned)
    }

    /// [`Judge::through_links`] of a word of a call, which must be one that is run here.
    pub(super) fn leads<'w>(&self, call: Call, word: &'w Word, last: Last) -> Cow<'w, str> {
        if call.command.remote || word.unknown {
            return Cow::Borrowed(&word.text);
        }
        self.through_links(call.command.dir.as_deref(), &word.text, last)
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
        let dir = call.command.dir.as_deref();
        let (bare, last) = bare(&word.text, last);
        self.on_way(dir, bare, last, |way| {
            way.known.get().unwrap_or_else(|| {
                let known = match self.located_on(way) {
                    Some(Located::Inside(path)) => self.facts.path(path),
                    _ => Known::default(),
                };
                way.known.set(Some(known));
                known
            })
        })
    }

    /// The directory of [`contents`], where it really is: whoever names what is in a link means what is
    /// behind it.
    pub(super) fn contents_led<'t>(
        &self,
        dir: Option<&str>,
        raw: &'t str,
        last: Last,
    ) -> Cow<'t, str> {
        let (bare, last) = bare(raw, last);
        self.through_links(dir, bare, last)
    }

    /// [`Place::reach`] of where a path leads.
    pub(super) fn reach(&self, call: Call, raw: &str) -> Reach {
        let (dir, remote) = (call.command.dir.as_deref(), call.command.remote);
        if remote {
            return self.place.reach(dir, raw, remote);
        }
        let led = self.contents_led(dir, raw, Last::Itself);
        self.place.reach(dir, &led, remote)
    }

    /// Walks a path as the system does: a link in it is replaced by where it leads, and `..` goes up from
    /// there. `None` when there is no link.
    fn led(&self, dir: Option<&str>, raw: &str, last: Last) -> Option<String> {
        if raw.is_empty() || raw.len() > MAX_PATH_BYTES {
            return None;
        }
        let absolute = self.place.absolute(dir, raw)?;
        if !absolute.starts_with('/') {
            return None;
        }
        let followed = last == Last::Followed || is_of_a_directory(&absolute);
        if self.is_straight(&absolute, followed) {
            return None;
        }
        // Where the walk is; the rest of the way, the next part at its end.
        let mut at = String::with_capacity(absolute.len());
        let mut rest: Vec<Cow<str>> = segments(&absolute).map(Cow::Borrowed).collect();
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

    /// Whether no link is on the way of a path in which there is nothing to take out: what almost every one
    /// is, and what a line asks again and again of the same directory.
    fn is_straight(&self, absolute: &str, followed: bool) -> bool {
        let mut parts = segments(absolute).skip(1);
        if parts.any(|part| matches!(part, "" | "." | "..")) {
            return false;
        }
        let (dir, _) = absolute.rsplit_once('/').unwrap_or_default();
        let asked = self.asked.get();
        let mut straight = self.straight.borrow_mut();
        if *straight != dir {
            // What lies above the repository is not asked for.
            let root = self.place.root.trim_end_matches('/').len();
            let ends = dir.bytes().enumerate().skip(root + 1);
            let mut ends = ends.filter(|(_, byte)| *byte == b'/').map(|(at, _)| at);
            let on_the_way = |at: usize| self.link_at(dir.get(..at).unwrap_or_default()).is_some();
            if ends.any(on_the_way) || self.link_at(dir).is_some() {
                self.asked.set(asked);
                return false;
            }
            if self.asked.get() < MAX_ASKED {
                straight.clear();
                straight.push_str(dir);
            }
        }
        let is_link = followed && self.link_at(absolute).is_some();
        if is_link {
            self.asked.set(asked);
        }
        !is_link
    }

    /// The text of the link at a place of the repository.
    fn link_at(&self, absolute: &str) -> Option<Arc<str>> {
        let root = self.place.root.trim_end_matches('/');
        let inside = absolute.strip_prefix(root)?.strip_prefix('/')?;
        let asked = self.asked.get();
        if asked >= MAX_ASKED {
            return None;
        }
        self.asked.set(asked + 1);
        self.facts.link(&RepoPath::parse(inside).ok()?)
    }
}

/// The last bytes of a path.
fn end_of(path: &str) -> u64 {
    let last = path.as_bytes().last_chunk();
    last.map_or(0, |last| u64::from_le_bytes(*last))
}

/// The directory whose contents a path names, which is then no link itself, or the path.
fn bare(raw: &str, last: Last) -> (&str, Last) {
    let bare = contents(raw);
    match bare.len() == raw.len() {
        true => (bare, last),
        false => (bare, Last::Followed),
    }
}

/// Whether a path is spelled so that it means what is in a directory: `dir/`, `dir/.`, `dir/..`.
fn is_of_a_directory(path: &str) -> bool {
    let last = path.rsplit('/').next().unwrap_or_default();
    matches!(last, "" | "." | "..")
}
