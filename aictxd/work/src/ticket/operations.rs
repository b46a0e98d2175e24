//! Commands on a queue: which files are to be written and removed, or why nothing is.

use std::collections::{BTreeMap, BTreeSet};

use aictx_proto::methods::{MAX_TICKETS, TicketRange, TicketRename};

use super::changes::Changes;
use super::edit::{self, EditError, MAX_TICKET, Value};
use super::file_name::FileName;
use super::queue::{Claim, Entry, Queue};
use super::scalar::{double_quoted, scalar};

/// Agent of a ticket when nobody names one.
pub const DEFAULT_AGENT: &str = "codex";
/// Most numbers that are freed at once.
const MAX_GAP: u64 = 1_000;
/// Largest number that tools make.
const MAX_NUMBER: u64 = 999_999_999;

/// Reason why a command changes nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TicketError {
    /// Nothing has this number, name or id.
    #[error("there is no ticket `{0}`")]
    NoSuch(String),
    /// Several files have this number.
    #[error("number {number} is used by {files}; rename one of them")]
    Ambiguous {
        /// Number.
        number: u64,
        /// Files.
        files: String,
    },
    /// The number is taken.
    #[error("{file} has this number already")]
    Exists {
        /// File.
        file: String,
    },
    /// Somebody works on it.
    #[error("{file} is claimed by {holder} since {at}")]
    Claimed {
        /// File.
        file: String,
        /// Holder.
        holder: String,
        /// Time of the claim.
        at: String,
    },
    /// A done ticket is not worked on.
    #[error("{file} is done")]
    Done {
        /// File.
        file: String,
    },
    /// Others must be done before.
    #[error("{file} waits for {}", .names.join(", "))]
    Blocked {
        /// File.
        file: String,
        /// Names.
        names: Vec<String>,
    },
    /// Others wait for it.
    #[error("{waiting}:{line}: `after` names {file}")]
    Needed {
        /// File.
        file: String,
        /// File of a ticket that names it.
        waiting: String,
        /// Line.
        line: u32,
    },
    /// The text cannot be edited.
    #[error("{file}:{source}")]
    Edit {
        /// File.
        file: String,
        /// Cause.
        source: EditError,
    },
    /// The file is not a text that can be read.
    #[error("{file}: {why}")]
    Unreadable {
        /// File.
        file: String,
        /// Cause.
        why: String,
    },
    /// The text changed since it was read.
    #[error("{file} was changed meanwhile")]
    Stale {
        /// File.
        file: String,
    },
    /// An argument has no meaning here.
    #[error("{0}")]
    Argument(String),
    /// Too many or too much.
    #[error("{what} would exceed the limit of {limit}")]
    TooMuch {
        /// Measure.
        what: &'static str,
        /// Bound.
        limit: usize,
    },
}

/// Content of a new ticket.
#[derive(Debug, Clone, Copy, Default)]
pub struct Draft<'a> {
    /// `ticket_id`.
    pub id: &'a str,
    /// Title.
    pub title: &'a str,
    /// Agent; empty for the usual one.
    pub agent: &'a str,
    /// Goal; may be empty.
    pub goal: &'a str,
    /// Tickets that must be done before.
    pub after: &'a [String],
    /// Commands that check the work.
    pub verify: &'a [String],
    /// Patterns of paths.
    pub scope: &'a [String],
    /// Text below.
    pub body: Option<&'a str>,
}

impl Draft<'_> {
    fn agent(&self) -> String {
        match self.agent.trim() {
            "" => DEFAULT_AGENT.to_owned(),
            agent => agent.to_lowercase(),
        }
    }

    /// The whole text of the ticket.
    fn text(&self) -> String {
        let mut text = format!(
            "---\nticket_id: {}\nagent: {}\ndone: false\ntitle: {}\n",
            self.id,
            scalar(&self.agent()),
            double_quoted(self.title.trim()),
        );
        if !self.goal.trim().is_empty() {
            text.push_str(&format!("goal: {}\n", double_quoted(self.goal.trim())));
        }
        for (key, items) in [
            ("after", self.after),
            ("verify", self.verify),
            ("scope", self.scope),
        ] {
            if !items.is_empty() {
                text.push_str(&format!("{key}:\n"));
                items
                    .iter()
                    .for_each(|item| text.push_str(&format!("  - {}\n", scalar(item))));
            }
        }
        text.push_str("---\n\n");
        text.push_str(self.body.unwrap_or("## Goal\n"));
        if !text.ends_with('\n') {
            text.push('\n');
        }
        text
    }
}

impl Queue {
    /// The ticket that an argument names.
    ///
    /// # Errors
    /// There is none, or several have its number.
    pub fn pick(&self, text: &str) -> Result<&Entry, TicketError> {
        let entry = self
            .find(text)
            .ok_or_else(|| TicketError::NoSuch(text.trim().to_owned()))?;
        let same = |other: &&Entry| other.file.number() == entry.file.number();
        let all: Vec<&str> = self
            .entries
            .iter()
            .filter(same)
            .map(|e| e.file.as_str())
            .collect();
        let is_number = text.trim().bytes().all(|byte| byte.is_ascii_digit());
        match all.len() > 1 && is_number {
            true => Err(TicketError::Ambiguous {
                number: entry.file.number(),
                files: all.join(", "),
            }),
            false => Ok(entry),
        }
    }

    /// The tickets that an argument names: one, `3:7` by number, or several with commas.
    ///
    /// # Errors
    /// One of them is not there.
    pub fn pick_all(&self, text: &str) -> Result<Vec<&Entry>, TicketError> {
        let mut picked: Vec<&Entry> = Vec::new();
        for part in text.split(',').filter(|part| !part.trim().is_empty()) {
            let range = part.split_once(':').and_then(|(first, last)| {
                Some((
                    first.trim().parse::<u64>().ok()?,
                    last.trim().parse::<u64>().ok()?,
                ))
            });
            let found = match range {
                Some((first, last)) => {
                    let inside = |e: &&Entry| (first..=last).contains(&e.file.number());
                    self.entries.iter().filter(inside).collect()
                }
                None => vec![self.pick(part)?],
            };
            if found.is_empty() {
                return Err(TicketError::NoSuch(part.trim().to_owned()));
            }
            for entry in found {
                if !picked.iter().any(|known| known.file == entry.file) {
                    picked.push(entry);
                }
            }
        }
        match picked.is_empty() {
            true => Err(TicketError::Argument(
                "name a ticket by number, file name or id".to_owned(),
            )),
            false => Ok(picked),
        }
    }

    /// Writes a new ticket. The same one at the same number again changes nothing.
    ///
    /// # Errors
    /// No title, a taken number, a reference that leads nowhere, too many tickets.
    pub fn create(
        &self,
        draft: &Draft<'_>,
        number: Option<u64>,
    ) -> Result<(FileName, Changes), TicketError> {
        if draft.title.trim().is_empty() {
            return Err(TicketError::Argument("a ticket needs a title".to_owned()));
        }
        for reference in draft.after {
            self.pick(reference)?;
        }
        let number = number.unwrap_or(self.last_number() + 1);
        if number > MAX_NUMBER {
            return Err(TicketError::Argument(format!(
                "{number} is too large for a number"
            )));
        }
        if let Some(there) = self.numbered(number) {
            let same = there.ticket.as_ref().is_some_and(|ticket| {
                ticket.title == draft.title.trim() && ticket.agent == draft.agent()
            });
            return match same {
                true => Ok((there.file.clone(), Changes::default())),
                false => Err(TicketError::Exists {
                    file: self.path(there.file.as_str()),
                }),
            };
        }
        self.room(1)?;
        let file = FileName::new(number, self.last_number(), &suffix(draft.title));
        let changes = Changes::write(file.as_str(), self.bounded(&file, draft.text())?);
        Ok((file, changes))
    }

    /// Frees numbers and, with a title, writes a ticket into the gap.
    ///
    /// # Errors
    /// Not exactly one anchor, no such number, a claimed ticket in the way, a title for several.
    pub fn insert(
        &self,
        draft: &Draft<'_>,
        (before, after): (Option<u64>, Option<u64>),
        count: u64,
        claims: &[Claim],
    ) -> Result<(Option<FileName>, Changes), TicketError> {
        let argument = |text: &str| Err(TicketError::Argument(text.to_owned()));
        let first = match (before, after) {
            (Some(number), None) if number > 0 => number,
            (None, Some(number)) if number > 0 => number + 1,
            (Some(_), Some(_)) | (None, None) => {
                return argument("give either --before or --after");
            }
            _ => return argument("numbers begin with 1"),
        };
        let count = count.max(1);
        if count > MAX_GAP || self.last_number() + count > MAX_NUMBER {
            return argument("so many numbers cannot be freed");
        }
        if count > 1 && !draft.title.trim().is_empty() {
            return argument("a title is for one ticket; leave out --count or --title");
        }
        let numbers: Vec<u64> = self
            .entries
            .iter()
            .map(|entry| match entry.file.number() {
                number if number >= first => number + count,
                number => number,
            })
            .collect();
        let mut changes = self.renumbered(&numbers, claims)?;
        if draft.title.trim().is_empty() {
            return Ok((None, changes));
        }
        self.room(1)?;
        let largest = numbers.iter().copied().max().unwrap_or(0);
        let file = FileName::new(first, largest, &suffix(draft.title));
        changes.removes.remove(file.as_str());
        changes
            .writes
            .insert(file.as_str().to_owned(), self.bounded(&file, draft.text())?);
        Ok((Some(file), changes))
    }

    /// Moves tickets to a position among the others.
    ///
    /// # Errors
    /// No such ticket, a position out of range, a claimed ticket whose number would change.
    pub fn moved(&self, range: TicketRange, claims: &[Claim]) -> Result<Changes, TicketError> {
        let last = if range.last == 0 {
            range.first
        } else {
            range.last
        };
        if last < range.first {
            return Err(TicketError::Argument(
                "the range ends before it begins".to_owned(),
            ));
        }
        self.pick(&range.first.to_string())?;
        let inside = |entry: &Entry| (range.first..=last).contains(&entry.file.number());
        let (moving, mut order): (Vec<usize>, Vec<usize>) =
            (0..self.entries.len()).partition(|at| self.entries.get(*at).is_some_and(inside));
        let to = usize::try_from(range.to).unwrap_or(usize::MAX);
        if to == 0 || to > order.len() + 1 {
            let text = format!(
                "position {} is not between 1 and {}",
                range.to,
                order.len() + 1
            );
            return Err(TicketError::Argument(text));
        }
        order.splice(to - 1..to - 1, moving);
        let numbers: Vec<u64> = match range.keep_gaps {
            true => self
                .entries
                .iter()
                .map(|entry| entry.file.number())
                .collect(),
            false => (1..=u64::try_from(order.len()).unwrap_or(u64::MAX)).collect(),
        };
        let mut new = vec![0; self.entries.len()];
        for (at, number) in order.into_iter().zip(numbers) {
            if let Some(slot) = new.get_mut(at) {
                *slot = number;
            }
        }
        self.renumbered(&new, claims)
    }

    /// Gives every ticket a number, in the order of the entries, and follows references by number.
    fn renumbered(&self, numbers: &[u64], claims: &[Claim]) -> Result<Changes, TicketError> {
        let largest = numbers.iter().copied().max().unwrap_or(0);
        let mut names: Vec<FileName> = Vec::new();
        let mut moved: BTreeMap<u64, u64> = BTreeMap::new();
        for (entry, number) in self.entries.iter().zip(numbers) {
            let old = &entry.file;
            let name = match old.number() == *number {
                true => old.clone(),
                false => FileName::new(*number, largest, old.suffix()),
            };
            if name != *old {
                self.check_unclaimed(entry, claims)?;
                moved.insert(old.number(), *number);
            }
            names.push(name);
        }
        let mut changes = Changes::default();
        for (entry, name) in self.entries.iter().zip(&names) {
            let text = self.follow(entry, &moved);
            if *name == entry.file && text == entry.text {
                continue;
            }
            if entry.text.is_empty() {
                return Err(TicketError::Unreadable {
                    file: self.path(entry.file.as_str()),
                    why: "it cannot be read, so it cannot be renamed".to_owned(),
                });
            }
            changes.writes.insert(name.as_str().to_owned(), text);
            if *name != entry.file {
                changes.renames.push(TicketRename {
                    from: entry.file.as_str().to_owned(),
                    to: name.as_str().to_owned(),
                });
            }
        }
        let gone = changes.renames.iter().map(|rename| rename.from.clone());
        changes.removes = gone
            .filter(|name| !changes.writes.contains_key(name))
            .collect();
        Ok(changes)
    }

    /// The text of a ticket whose references by number follow tickets to their new ones.
    pub(super) fn follow(&self, entry: &Entry, moved: &BTreeMap<u64, u64>) -> String {
        let references = entry.ticket.iter().flat_map(|ticket| &ticket.after);
        let changed = references.filter_map(|reference| {
            let named = self.find(&reference.text)?;
            let is_id = named.id == reference.text;
            let number = moved.get(&named.file.number()).filter(|_| !is_id)?;
            let written = entry.text.get(reference.span.clone())?;
            Some((reference.span.clone(), with_number(written, *number)))
        });
        edit::splice(&entry.text, changed.collect())
    }

    fn check_unclaimed(&self, entry: &Entry, claims: &[Claim]) -> Result<(), TicketError> {
        let claim = claims.iter().find(|claim| claim.ticket == entry.id);
        match claim.filter(|_| !entry.is_done()) {
            Some(claim) => Err(TicketError::Claimed {
                file: self.path(entry.file.as_str()),
                holder: claim.holder.clone(),
                at: claim.at.clone(),
            }),
            None => Ok(()),
        }
    }

    /// Sets fields of a ticket: `key=value`, repeated for lists; without a value the key is removed.
    ///
    /// # Errors
    /// No such form, a key that has a command of its own, a text that cannot be edited.
    pub fn set(&self, entry: &Entry, values: &[String]) -> Result<Changes, TicketError> {
        let mut wanted: Vec<(&str, Vec<&str>)> = Vec::new();
        for given in values {
            let Some((key, value)) = given.split_once('=') else {
                return Err(TicketError::Argument(format!("`{given}` is not key=value")));
            };
            let key = key.trim();
            let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
            if key.is_empty() || !key.chars().all(plain) {
                return Err(TicketError::Argument(format!("`{key}` is not a key")));
            }
            if key == "done" {
                let text = "`done` is set by `aictx ticket done` and `aictx ticket reopen`";
                return Err(TicketError::Argument(text.to_owned()));
            }
            match wanted.iter_mut().find(|(known, _)| *known == key) {
                Some((_, all)) => all.push(value),
                None => wanted.push((key, vec![value])),
            }
        }
        let mut text = entry.text.clone();
        for (key, all) in wanted {
            let is_list = matches!(key, "after" | "verify" | "scope" | "labels");
            let value = match all.as_slice() {
                [""] => None,
                [one] if !is_list => Some(Value::Text(self.scalar_of(key, one)?)),
                _ if !is_list => {
                    return Err(TicketError::Argument(format!("`{key}` takes one value")));
                }
                [one] if key == "after" => Some(Value::List(
                    one.split(',').map(|r| r.trim().to_owned()).collect(),
                )),
                all => Some(Value::List(
                    all.iter().map(|item| item.trim().to_owned()).collect(),
                )),
            };
            if let Some(Value::List(items)) = value.as_ref().filter(|_| key == "after") {
                for item in items {
                    self.pick(item)?;
                }
            }
            text = self.edited(entry, edit::set(&text, key, value.as_ref()))?;
        }
        self.rewritten(entry, text)
    }

    fn scalar_of(&self, key: &str, value: &str) -> Result<String, TicketError> {
        match key {
            "agent" => Ok(value.trim().to_lowercase()),
            "ticket_id" if !super::fields::is_id(value) => {
                Err(TicketError::Argument(format!("`{value}` is not an id")))
            }
            _ => Ok(value.to_owned()),
        }
    }

    /// Sets `done`.
    ///
    /// # Errors
    /// The text cannot be edited.
    pub fn set_done(&self, entry: &Entry, done: bool) -> Result<Changes, TicketError> {
        // The spelling stays where it says the same.
        if entry
            .ticket
            .as_ref()
            .is_some_and(|ticket| ticket.done == done && done)
        {
            return Ok(Changes::default());
        }
        let text = self.edited(
            entry,
            edit::set(&entry.text, "done", Some(&Value::Bool(done))),
        )?;
        self.rewritten(entry, text)
    }

    /// Replaces the text below the frontmatter, or the whole text.
    ///
    /// # Errors
    /// The frontmatter cannot be read before (body) or afterwards (text), or the text is too long.
    pub fn replaced(
        &self,
        entry: &Entry,
        body: Option<&str>,
        text: Option<&str>,
    ) -> Result<Changes, TicketError> {
        let text = match (body, text) {
            (Some(body), None) => self.edited(entry, edit::with_body(&entry.text, body))?,
            (None, Some(text)) => {
                let read = super::frontmatter::Frontmatter::of(text);
                self.edited(
                    entry,
                    read.map_err(EditError::Unreadable).map(|_| text.to_owned()),
                )?
            }
            _ => {
                return Err(TicketError::Argument(
                    "give either the body or the whole text".to_owned(),
                ));
            }
        };
        self.rewritten(entry, text)
    }

    /// Removes a ticket.
    ///
    /// # Errors
    /// It is claimed, or an open ticket waits for it, unless `force`.
    pub fn removed(
        &self,
        entry: &Entry,
        claims: &[Claim],
        force: bool,
    ) -> Result<Changes, TicketError> {
        if !force {
            self.check_unclaimed(entry, claims)?;
            for other in self.entries.iter().filter(|other| !other.is_done()) {
                let references = other.ticket.iter().flat_map(|ticket| &ticket.after);
                for reference in references {
                    if self
                        .find(&reference.text)
                        .is_some_and(|named| named.file == entry.file)
                    {
                        return Err(TicketError::Needed {
                            file: self.path(entry.file.as_str()),
                            waiting: self.path(other.file.as_str()),
                            line: reference.place.line,
                        });
                    }
                }
            }
        }
        Ok(Changes {
            removes: BTreeSet::from([entry.file.as_str().to_owned()]),
            ..Changes::default()
        })
    }

    /// Repairs every ticket where that needs no guess; those that cannot be edited stay as they are.
    pub fn repaired(&self, agents: &[&str], new_id: &mut dyn FnMut() -> String) -> Changes {
        let mut changes = Changes::default();
        for entry in self.entries.iter().filter(|entry| !entry.text.is_empty()) {
            if let Ok(text) = edit::repair(&entry.text, agents, &new_id())
                && text != entry.text
            {
                changes.writes.insert(entry.file.as_str().to_owned(), text);
            }
        }
        changes
    }

    /// Checks that a ticket may be claimed: open, readable, not waiting, and held by nobody else.
    ///
    /// # Errors
    /// The ticket is done, unreadable, waiting or claimed.
    pub fn check_claimable(&self, entry: &Entry, claims: &[Claim]) -> Result<(), TicketError> {
        let file = self.path(entry.file.as_str());
        if entry.is_done() {
            return Err(TicketError::Done { file });
        }
        if let (None, Some(finding)) = (&entry.ticket, entry.findings.first()) {
            let source = EditError::Unreadable(finding.clone());
            return Err(TicketError::Edit { file, source });
        }
        self.check_unclaimed(entry, claims)?;
        let names = self.blocked_by(entry);
        match names.is_empty() {
            true => Ok(()),
            false => Err(TicketError::Blocked { file, names }),
        }
    }

    fn edited(
        &self,
        entry: &Entry,
        text: Result<String, EditError>,
    ) -> Result<String, TicketError> {
        text.map_err(|source| TicketError::Edit {
            file: self.path(entry.file.as_str()),
            source,
        })
    }

    fn rewritten(&self, entry: &Entry, text: String) -> Result<Changes, TicketError> {
        match text == entry.text {
            true => Ok(Changes::default()),
            false => Ok(Changes::write(
                entry.file.as_str(),
                self.bounded(&entry.file, text)?,
            )),
        }
    }

    fn bounded(&self, file: &FileName, text: String) -> Result<String, TicketError> {
        match text.len() > MAX_TICKET {
            true => Err(TicketError::Unreadable {
                file: self.path(file.as_str()),
                why: format!("it would be longer than {MAX_TICKET} bytes"),
            }),
            false => Ok(text),
        }
    }

    pub(super) fn room(&self, more: usize) -> Result<(), TicketError> {
        match self.entries.len() + more > MAX_TICKETS {
            true => Err(TicketError::TooMuch {
                what: "the number of tickets",
                limit: MAX_TICKETS,
            }),
            false => Ok(()),
        }
    }
}

/// Suffix of a name, made of a title.
fn suffix(title: &str) -> String {
    let slug = aictx_proto::text::slug(title, 40, "");
    match slug.as_str() {
        "" | "empty" => String::new(),
        slug => format!("-{}", slug.replace('_', "-")),
    }
}

/// A reference in which the number is another one, padded as it was.
fn with_number(written: &str, number: u64) -> String {
    let Some(start) = written.find(|c: char| c.is_ascii_digit()) else {
        return written.to_owned();
    };
    let (head, rest) = written.split_at(start);
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    format!(
        "{head}{number:0digits$}{}",
        rest.get(digits..).unwrap_or_default()
    )
}
