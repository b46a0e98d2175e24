//! Where paths lead: a path through a symbolic link hits what lies behind the link.

use std::borrow::Cow;
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

impl Judge<'_> {
    /// A path as written, or where it leads as an absolute one, when links of the repository are on the
    /// way. Links elsewhere are not asked for.
    pub(super) fn through_links<'t>(
        &self,
        dir: Option<&str>,
        raw: &'t str,
        last: Last,
    ) -> Cow<'t, str> {
        self.led(dir, raw, last)
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
        let led = self.contents_led(dir, &word.text, last);
        match self.place.locate(dir, &led) {
            Some(Located::Inside(path)) => self.facts.path(&path),
            _ => Known::default(),
        }
    }

    /// The directory of [`contents`], where it really is: whoever names what is in a link means what is
    /// behind it.
    pub(super) fn contents_led<'t>(
        &self,
        dir: Option<&str>,
        raw: &'t str,
        last: Last,
    ) -> Cow<'t, str> {
        let bare = contents(raw);
        let last = match bare.len() == raw.len() {
            true => last,
            false => Last::Followed,
        };
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
        if raw.is_empty() || raw.len() > MAX_PATH_BYTES || !self.facts.has_paths() {
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

/// Whether a path is spelled so that it means what is in a directory: `dir/`, `dir/.`, `dir/..`.
fn is_of_a_directory(path: &str) -> bool {
    let last = path.rsplit('/').next().unwrap_or_default();
    matches!(last, "" | "." | "..")
}
