//! Just enough of SQLite's file format to read whole tables: <https://www.sqlite.org/fileformat2.html>.
//!
//! OpenCode keeps its sessions in a database. It is read as bytes, so that nothing is locked or written, whatever
//! OpenCode does meanwhile; what does not fit together for that reason is passed over. A library would bring all of
//! SQLite in C.

use std::collections::{BTreeMap, HashMap};

use serde_json::json;

use super::{Session, Transcript};

/// Pages that are read of one database, and of the chain of one record.
const MAX_PAGES: u32 = 262_144;
/// Longest record that is read, and most of all records together, in bytes.
const MAX_RECORD: u64 = 1024 * 1024;
const MAX_RECORDS: usize = 64 * 1024 * 1024;
/// Sessions that are read.
const MAX_SESSIONS: usize = 5_000;
/// Deepest page below a root.
const MAX_DEPTH: usize = 20;

/// Reads bytes of the file at an offset; `false` where they are not there.
pub type ReadAt<'r> = dyn FnMut(u64, &mut [u8]) -> bool + 'r;

/// An open database.
pub struct Database<'r> {
    read: &'r mut ReadAt<'r>,
    page_size: usize,
    usable: usize,
    /// The write-ahead log, and where it has the newest committed state of a page.
    log: Vec<u8>,
    in_log: HashMap<u32, usize>,
    pages_left: u32,
    bytes_left: usize,
    is_full: bool,
}

impl std::fmt::Debug for Database<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Database").finish_non_exhaustive()
    }
}

/// A table: its first page and its columns.
#[derive(Debug, Clone)]
struct Table {
    root: u32,
    columns: Vec<String>,
}

/// The bytes of a record, of which the end may be missing.
#[derive(Debug, Clone, Copy)]
struct Record<'b>(&'b [u8]);

/// OpenCode's sessions.
#[derive(Debug, Default)]
pub struct Stored {
    /// Those that are wanted.
    pub sessions: Vec<Session>,
    /// Those that ran elsewhere.
    pub elsewhere: u64,
    /// Those that another session ran.
    pub of_subagents: u64,
    /// There is more than what is read of a database.
    pub is_partial: bool,
}

fn number(bytes: &[u8], at: usize, len: usize) -> Option<u64> {
    let bytes = bytes.get(at..at.checked_add(len)?)?;
    Some(
        bytes
            .iter()
            .fold(0, |all, byte| all << 8 | u64::from(*byte)),
    )
}

fn small(bytes: &[u8], at: usize, len: usize) -> Option<usize> {
    usize::try_from(number(bytes, at, len)?).ok()
}

fn page_number(bytes: &[u8], at: usize) -> Option<u32> {
    u32::try_from(number(bytes, at, 4)?).ok()
}

/// A variable-length integer and its length.
fn varint(bytes: &[u8], at: usize) -> Option<(u64, usize)> {
    let mut value = 0_u64;
    for n in 0..9 {
        let byte = *bytes.get(at.checked_add(n)?)?;
        if n == 8 {
            return Some((value << 8 | u64::from(byte), 9));
        }
        value = value << 7 | u64::from(byte & 0x7f);
        if byte < 0x80 {
            return Some((value, n + 1));
        }
    }
    None
}

impl<'b> Record<'b> {
    /// The bytes of a column and its serial type.
    fn column(self, wanted: usize) -> Option<(u64, &'b [u8])> {
        let (header, mut at) = varint(self.0, 0)?;
        let header = usize::try_from(header).ok()?;
        let mut from = header;
        for n in 0.. {
            if at >= header {
                return None;
            }
            let (kind, used) = varint(self.0, at)?;
            at += used;
            let len = match kind {
                0 | 8..=11 => 0,
                1..=4 => kind,
                5 => 6,
                6 | 7 => 8,
                _ => (kind - 12) / 2,
            };
            let len = usize::try_from(len).ok()?;
            if n == wanted {
                return Some((kind, self.0.get(from..from.checked_add(len)?)?));
            }
            from = from.checked_add(len)?;
        }
        None
    }

    fn text(self, column: Option<usize>) -> &'b str {
        let found = column.and_then(|column| self.column(column));
        let text = found.filter(|(kind, _)| *kind >= 13 && kind % 2 == 1);
        text.and_then(|(_, bytes)| std::str::from_utf8(bytes).ok())
            .unwrap_or_default()
    }

    fn whole(self, column: Option<usize>) -> Option<u64> {
        match self.column(column?)? {
            (8, _) => Some(0),
            (9, _) => Some(1),
            (1..=6, bytes) => number(bytes, 0, bytes.len()),
            _ => None,
        }
    }
}

impl Table {
    fn column(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column == name)
    }
}

impl<'r> Database<'r> {
    /// Opens a database and its write-ahead log, which may be empty.
    pub fn open(read: &'r mut ReadAt<'r>, log: Vec<u8>) -> Option<Self> {
        let mut head = [0; 100];
        if !read(0, &mut head) || !head.starts_with(b"SQLite format 3\0") {
            return None;
        }
        let page_size = match small(&head, 16, 2)? {
            1 => 65_536,
            size => size,
        };
        let is_utf8 = number(&head, 56, 4)? <= 1;
        if !page_size.is_power_of_two() || page_size < 512 || !is_utf8 {
            return None;
        }
        let in_log = committed(&log, page_size).unwrap_or_default();
        Some(Self {
            read,
            page_size,
            usable: page_size.checked_sub(small(&head, 20, 1)?)?,
            log,
            in_log,
            pages_left: MAX_PAGES,
            bytes_left: MAX_RECORDS,
            is_full: false,
        })
    }

    fn page(&mut self, number: u32) -> Option<Vec<u8>> {
        self.pages_left = self.pages_left.checked_sub(1)?;
        if let Some(at) = self.in_log.get(&number) {
            return Some(self.log.get(*at..at + self.page_size)?.to_vec());
        }
        let mut page = vec![0; self.page_size];
        let at = u64::from(number.checked_sub(1)?) * self.page_size as u64;
        (self.read)(at, &mut page).then_some(page)
    }

    /// Gives each record of a table that `wants` says of by its beginning.
    fn scan(&mut self, root: u32, wants: &dyn Fn(Record) -> bool, take: &mut dyn FnMut(Record)) {
        let mut waiting = vec![(root, 0)];
        while let Some((number, depth)) = waiting.pop() {
            let Some(page) = self.page(number).filter(|_| depth <= MAX_DEPTH) else {
                continue;
            };
            let head = if number == 1 { 100 } else { 0 };
            let kind = page.get(head).copied().unwrap_or_default();
            let cells = small(&page, head + 3, 2).unwrap_or(0);
            let pointers = head + if kind == 5 { 12 } else { 8 };
            let cells = (0..cells).filter_map(|n| small(&page, pointers + 2 * n, 2));
            match kind {
                5 => {
                    let mut below: Vec<u32> =
                        cells.filter_map(|at| page_number(&page, at)).collect();
                    below.extend(page_number(&page, head + 8));
                    waiting.extend(below.into_iter().rev().map(|page| (page, depth + 1)));
                }
                13 => {
                    for at in cells {
                        self.cell(&page, at, wants, take);
                    }
                }
                _ => {}
            }
        }
    }

    fn cell(
        &mut self,
        page: &[u8],
        at: usize,
        wants: &dyn Fn(Record) -> bool,
        take: &mut dyn FnMut(Record),
    ) -> Option<()> {
        let (len, used) = varint(page, at)?;
        let (_, row) = varint(page, at + used)?;
        let from = at + used + row;
        let (most, whole) = (self.usable.checked_sub(35)?, usize::try_from(len).ok()?);
        let here = if whole <= most {
            whole
        } else {
            let least = (self.usable - 12) * 32 / 255 - 23;
            let fits = least + (whole - least) % (self.usable - 4);
            if fits <= most { fits } else { least }
        };
        let beginning = page.get(from..from + here)?;
        if !wants(Record(beginning)) || len > MAX_RECORD {
            return None;
        }
        let Some(left) = self.bytes_left.checked_sub(whole) else {
            self.is_full = true;
            return None;
        };
        self.bytes_left = left;
        if here == whole {
            take(Record(beginning));
            return Some(());
        }
        let mut record = beginning.to_vec();
        let mut next = page_number(page, from + here)?;
        while record.len() < whole && next != 0 {
            let more = self.page(next)?;
            next = page_number(&more, 0)?;
            let missing = (whole - record.len()).min(self.usable - 4);
            record.extend_from_slice(more.get(4..4 + missing)?);
        }
        take(Record(&record));
        Some(())
    }

    fn tables(&mut self) -> HashMap<String, Table> {
        let mut tables = HashMap::new();
        self.scan(1, &|_| true, &mut |record| {
            let root = record
                .whole(Some(3))
                .and_then(|root| u32::try_from(root).ok());
            if let (Some(root), "table") = (root, record.text(Some(0))) {
                let columns = columns(record.text(Some(4)));
                tables.insert(record.text(Some(1)).to_owned(), Table { root, columns });
            }
        });
        tables
    }

    /// OpenCode's sessions that began in a wanted directory; `only_count` leaves out what was said.
    pub fn opencode_sessions(
        &mut self,
        wants: &mut dyn FnMut(&str) -> bool,
        only_count: bool,
    ) -> Stored {
        /// A message and its parts by id.
        type Message = (String, BTreeMap<String, String>);
        let mut stored = Stored::default();
        let tables = self.tables();
        let mut found: BTreeMap<String, (Transcript, BTreeMap<String, Message>)> = BTreeMap::new();
        if let Some(table) = tables.get("session") {
            self.scan(table.root, &|_| true, &mut |record| {
                let text = |name: &str| record.text(table.column(name));
                let time = |name: &str| record.whole(table.column(name));
                let (id, directory) = (text("id"), text("directory"));
                if !text("parent_id").is_empty() {
                    stored.of_subagents += 1;
                } else if !wants(directory) {
                    stored.elsewhere += 1;
                } else if let Some(mut reader) = Transcript::new("opencode")
                    && found.len() < MAX_SESSIONS
                {
                    let time =
                        json!({ "created": time("time_created"), "updated": time("time_updated") });
                    let info = json!({ "id": id, "directory": directory, "time": time });
                    reader.opencode_session(&info.to_string());
                    found.insert(id.to_owned(), (reader, BTreeMap::new()));
                }
            });
        }
        if let Some(table) = tables.get("message").filter(|_| !only_count) {
            let session = table.column("session_id");
            let known: Vec<String> = found.keys().cloned().collect();
            let is_known = |id: &str| known.binary_search_by(|known| (**known).cmp(id)).is_ok();
            self.scan(
                table.root,
                &|record| is_known(record.text(session)),
                &mut |record| {
                    if let Some((_, messages)) = found.get_mut(record.text(session)) {
                        let data = record.text(table.column("data")).to_owned();
                        let id = record.text(table.column("id")).to_owned();
                        messages.insert(id, (data, BTreeMap::new()));
                    }
                },
            );
            if let Some(table) = tables.get("part") {
                let (session, message) = (table.column("session_id"), table.column("message_id"));
                self.scan(
                    table.root,
                    &|record| is_known(record.text(session)),
                    &mut |record| {
                        let messages = found.get_mut(record.text(session));
                        let message =
                            messages.and_then(|(_, all)| all.get_mut(record.text(message)));
                        if let Some((_, parts)) = message {
                            let data = record.text(table.column("data")).to_owned();
                            parts.insert(record.text(table.column("id")).to_owned(), data);
                        }
                    },
                );
            }
        }
        for (mut reader, messages) in found.into_values() {
            for (info, parts) in messages.into_values() {
                let parts: Vec<String> = parts.into_values().collect();
                reader.opencode_message(&info, &parts);
            }
            stored.sessions.push(reader.finish());
        }
        stored.is_partial = self.pages_left == 0 || self.is_full;
        stored
    }
}

/// Places of the newest committed pages in a write-ahead log. Frames of an earlier log have another salt.
fn committed(log: &[u8], page_size: usize) -> Option<HashMap<u32, usize>> {
    let magic = number(log, 0, 4)?;
    if magic & !1 != 0x377f_0682 || small(log, 8, 4)? != page_size {
        return None;
    }
    let salt = log.get(16..24)?;
    let (mut all, mut open) = (HashMap::new(), Vec::new());
    let mut at = 32;
    while let Some(head) = log.get(at..at + 24) {
        let page = at + 24;
        if head.get(8..16) != Some(salt) || log.len() < page + page_size {
            break;
        }
        open.push((page_number(head, 0)?, page));
        // The last frame of a transaction has the size of the database.
        if number(head, 4, 4)? != 0 {
            all.extend(open.drain(..));
        }
        at = page + page_size;
    }
    Some(all)
}

/// Names of the columns in `CREATE TABLE`.
fn columns(sql: &str) -> Vec<String> {
    let inside = sql.split_once('(').map_or("", |(_, rest)| rest);
    let (mut depth, mut names, mut is_new) = (0_usize, Vec::new(), true);
    let mut rest = inside;
    while let Some(first) = rest.chars().next() {
        if is_new && !first.is_whitespace() {
            let end = rest.find(|c: char| c.is_whitespace() || matches!(c, ',' | '(' | ')'));
            let name = rest.get(..end.unwrap_or(rest.len())).unwrap_or_default();
            let bare = name.trim_matches(['`', '"', '[', ']', '\'']);
            let is_constraint = ["CONSTRAINT", "PRIMARY", "FOREIGN", "UNIQUE", "CHECK"]
                .iter()
                .any(|word| name.eq_ignore_ascii_case(word));
            if !is_constraint && !bare.is_empty() {
                names.push(bare.to_owned());
            }
            is_new = false;
        }
        match first {
            '(' => depth += 1,
            ')' if depth == 0 => break,
            ')' => depth -= 1,
            ',' if depth == 0 => is_new = true,
            _ => {}
        }
        rest = rest.get(first.len_utf8()..).unwrap_or_default();
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_named_in_their_order() {
        let sql = "CREATE TABLE `part` (\n `id` text PRIMARY KEY,\n \"n\" numeric(3, 4) NOT NULL,\n data text, CONSTRAINT `x` FOREIGN KEY (`a`) REFERENCES `b`(`id`))";
        assert_eq!(columns(sql), ["id", "n", "data"]);
        assert!(columns("").is_empty());
    }

    #[test]
    fn numbers_of_every_length_are_read() {
        assert_eq!(varint(&[0x7f], 0), Some((127, 1)));
        assert_eq!(varint(&[0x81, 0x00], 0), Some((128, 2)));
        assert_eq!(varint(&[0xff; 9], 0), Some((u64::MAX, 9)));
        assert_eq!(varint(&[0x80], 0), None);
    }
}
