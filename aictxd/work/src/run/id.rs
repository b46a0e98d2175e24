//! Ids of runs, and of the items in their ledgers.

use aictx_proto::Timestamp;
use aictx_proto::text;

use super::{ACTIVE, RunError};

/// Longest id of a run, in bytes.
pub const MAX_ID: usize = 96;
/// Longest slug of a request, in bytes.
const MAX_SLUG: usize = 48;
/// Slug of a request without a letter or digit of ASCII.
const EMPTY_SLUG: &str = "agent-run";
/// Most digits of an item's number.
const MAX_DIGITS: usize = 9;

/// Id of a run: the name of its directory.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RunId(String);

impl RunId {
    /// Checks an id that somebody gave.
    ///
    /// # Errors
    /// [`RunError::BadId`] for anything but a plain name: an id becomes a directory.
    pub fn parse(id: &str) -> Result<Self, RunError> {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
        let is_good = id.len() <= MAX_ID
            && id.starts_with(|c: char| c.is_ascii_alphanumeric())
            && id.chars().all(is_plain)
            && !id.contains("..")
            && !id.ends_with('.')
            && !id.eq_ignore_ascii_case(ACTIVE);
        match is_good {
            true => Ok(Self(id.to_owned())),
            false => Err(RunError::BadId(text::truncate_chars(id, MAX_ID))),
        }
    }

    /// Makes the id of a run that is started now: `YYYYMMDDTHHMMSSZ-<slug>`.
    pub fn of_request(request: &str, now: Timestamp) -> Self {
        // The slug is cut before its ends are bared, so that it never ends in a dash.
        let slug = text::slug(request, MAX_SLUG, EMPTY_SLUG).replace('_', "-");
        Self(format!("{}-{slug}", now.compact()))
    }

    /// The id.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// A file of the run, below the directory of runs.
    pub fn file(&self, name: &str) -> String {
        format!("{}/{name}", self.0)
    }
}

impl std::fmt::Display for RunId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

/// The number of an item's id; nothing for an id of another form.
pub fn number(prefix: char, id: &str) -> Option<u64> {
    let digits = id.strip_prefix(prefix)?;
    let is_number = (1..=MAX_DIGITS).contains(&digits.len());
    let is_number = is_number && digits.bytes().all(|b| b.is_ascii_digit());
    is_number.then(|| digits.parse().ok()).flatten()
}

/// The id after the highest one: three digits at least.
pub fn next<'i>(prefix: char, ids: impl IntoIterator<Item = &'i str>) -> String {
    let numbers = ids.into_iter().filter_map(|id| number(prefix, id));
    let next = numbers.max().unwrap_or(0) + 1;
    format!("{prefix}{next:03}")
}

/// Ids that are like one that does not exist, best first.
pub fn nearest<'i>(id: &str, all: impl IntoIterator<Item = &'i str>) -> Vec<String> {
    const MOST: usize = 3;
    let wanted = id.to_ascii_lowercase();
    let mut near: Vec<(usize, &str)> = all
        .into_iter()
        .filter_map(|other| {
            let lower = other.to_ascii_lowercase();
            let shared = wanted
                .bytes()
                .zip(lower.bytes())
                .take_while(|(a, b)| a == b)
                .count();
            let contains = wanted.len() >= 3 && lower.contains(&wanted);
            // Every id of a day begins with its date.
            let is_near = contains || shared * 2 > wanted.len().max(6);
            is_near.then_some((if contains { usize::MAX } else { shared }, other))
        })
        .collect();
    near.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(b.1)));
    near.into_iter()
        .take(MOST)
        .map(|(_, other)| other.to_owned())
        .collect()
}
