//! States of flows, receipts of their turns, events and trust, in `flows.db` of the user's state directory.
//!
//! One process writes at a time: each start of the daemon raises the epoch, and whoever holds an older one is
//! refused. A state is taken only as the successor of the one that is there. What the database holds of a flow
//! is in its `flow.json`, too, so that a lost database costs receipts and events and nothing else.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use aictx_files::private;
use aictx_work::flow::state::{Flow, Receipt};
use rusqlite::{Connection, ErrorCode, OptionalExtension, Row, params};
use serde::{Deserialize, Serialize};

/// Version of the schema.
const SCHEMA: i64 = 1;
/// Events kept of a flow.
const MAX_EVENTS: i64 = 2_000;
/// Flows that are listed at once.
const MAX_LISTED: i64 = 1_000;
/// Time to wait for another process.
const BUSY: std::time::Duration = std::time::Duration::from_secs(5);

const TABLES: &str = "
CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS flow (
    id TEXT PRIMARY KEY, repo TEXT NOT NULL, worktree TEXT NOT NULL, is_open INTEGER NOT NULL,
    state_rev INTEGER NOT NULL, created_at INTEGER NOT NULL, state TEXT NOT NULL);
CREATE UNIQUE INDEX IF NOT EXISTS one_open ON flow (worktree) WHERE is_open = 1;
CREATE TABLE IF NOT EXISTS turn (
    flow_id TEXT NOT NULL REFERENCES flow (id) ON DELETE CASCADE, n INTEGER NOT NULL, receipt TEXT NOT NULL,
    PRIMARY KEY (flow_id, n));
CREATE TABLE IF NOT EXISTS event (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, flow_id TEXT NOT NULL REFERENCES flow (id) ON DELETE CASCADE,
    at INTEGER NOT NULL, text TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS event_of_flow ON event (flow_id, seq);
CREATE TABLE IF NOT EXISTS trust (repo TEXT NOT NULL, command TEXT NOT NULL, PRIMARY KEY (repo, command));
CREATE TABLE IF NOT EXISTS quota (agent TEXT PRIMARY KEY, until INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS reply_key (
    flow_id TEXT NOT NULL REFERENCES flow (id) ON DELETE CASCADE, key TEXT NOT NULL, seq INTEGER NOT NULL,
    PRIMARY KEY (flow_id, key));
";

/// Failed operations on the database.
#[derive(Debug, thiserror::Error)]
pub enum DatabaseError {
    /// SQLite reports an error.
    #[error("{}: {source}", path.display())]
    Sqlite {
        /// File.
        path: PathBuf,
        /// Error.
        source: rusqlite::Error,
    },
    /// The file or its directory cannot be used.
    #[error("{}: {source}", path.display())]
    File {
        /// File.
        path: PathBuf,
        /// Error.
        source: io::Error,
    },
    /// Somebody else changed the flow meanwhile.
    #[error("flow {0} was changed by somebody else")]
    Stale(String),
    /// A newer daemon has taken over.
    #[error("another daemon works on the flows now")]
    Fenced,
    /// The worktree has another flow that has not ended.
    #[error("flow {0} works on this worktree already")]
    Taken(String),
    /// A state cannot be written as JSON, or read.
    #[error("flow {id}: {source}")]
    State {
        /// Flow.
        id: String,
        /// Error.
        source: serde_json::Error,
    },
}

/// Something that happened to a flow.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Event {
    /// Number, increasing.
    pub seq: i64,
    /// Time, in seconds since the Unix epoch.
    pub at: i64,
    /// For people.
    pub text: String,
}

/// The database.
#[derive(Debug)]
pub struct Database {
    path: PathBuf,
    connection: Mutex<Connection>,
    epoch: i64,
    is_new: bool,
}

impl Database {
    /// Opens the database, makes it where it is missing, moves a damaged one aside, and raises the epoch.
    ///
    /// # Errors
    /// It can neither be opened nor made.
    pub fn open(path: &Path) -> Result<Self, DatabaseError> {
        let sqlite = |source| DatabaseError::Sqlite {
            path: path.to_owned(),
            source,
        };
        let file = |source| DatabaseError::File {
            path: path.to_owned(),
            source,
        };
        if let Some(directory) = path.parent() {
            private::directory(directory).map_err(file)?;
        }
        let (connection, is_new) = match connect(path) {
            Ok(opened) => opened,
            Err(error) if is_damage(&error) => {
                tracing::warn!(path = %path.display(), %error, "moved aside and made anew");
                let aside = path.with_extension("db.damaged");
                fs::rename(path, aside).map_err(file)?;
                for extension in ["db-wal", "db-shm"] {
                    // Of the damaged one; it may not be there.
                    let _ = fs::remove_file(path.with_extension(extension));
                }
                connect(path).map_err(sqlite)?
            }
            Err(error) => return Err(sqlite(error)),
        };
        connection
            .execute(
                "INSERT INTO meta VALUES ('epoch', 1) ON CONFLICT (key) DO UPDATE SET value = value + 1",
                [],
            )
            .map_err(sqlite)?;
        let epoch = read_epoch(&connection).map_err(sqlite)?;
        Ok(Self {
            path: path.to_owned(),
            connection: Mutex::new(connection),
            epoch,
            is_new,
        })
    }

    /// Makes sure that no newer daemon has taken over.
    ///
    /// # Errors
    /// [`DatabaseError::Fenced`] if one has.
    pub fn check_epoch(&self) -> Result<(), DatabaseError> {
        match read_epoch(&self.connection()).map_err(|e| self.error(e))? {
            epoch if epoch == self.epoch => Ok(()),
            _ => Err(DatabaseError::Fenced),
        }
    }

    /// Returns true if there was no database, or a damaged one.
    pub fn is_new(&self) -> bool {
        self.is_new
    }

    fn connection(&self) -> MutexGuard<'_, Connection> {
        self.connection
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn error(&self, source: rusqlite::Error) -> DatabaseError {
        DatabaseError::Sqlite {
            path: self.path.clone(),
            source,
        }
    }

    /// Adds a flow.
    ///
    /// # Errors
    /// [`DatabaseError::Taken`] when its worktree has one that has not ended.
    pub fn insert(&self, flow: &Flow) -> Result<(), DatabaseError> {
        let state = encoded(flow)?;
        let connection = self.connection();
        let added = connection.execute(
            "INSERT INTO flow VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
            params![
                flow.flow_id,
                flow.repo,
                flow.worktree,
                flow.is_open(),
                signed(flow.state_rev),
                flow.created_at,
                state
            ],
        );
        match added {
            Ok(_) => Ok(()),
            Err(error) if error.sqlite_error_code() == Some(ErrorCode::ConstraintViolation) => {
                let there = connection
                    .query_row(
                        "SELECT id FROM flow WHERE worktree = ?1 AND is_open = 1",
                        [&flow.worktree],
                        |row| row.get(0),
                    )
                    .optional();
                let there: Option<String> = there.map_err(|e| self.error(e))?;
                Err(DatabaseError::Taken(there.unwrap_or_default()))
            }
            Err(error) => Err(self.error(error)),
        }
    }

    /// Saves the next state of a flow, with what happened and the receipt of a turn that was settled, all or
    /// nothing. The state gets the next number.
    ///
    /// # Errors
    /// [`DatabaseError::Stale`] when the state there is another one, or a newer daemon has taken over.
    pub fn save(
        &self,
        flow: &mut Flow,
        events: &[String],
        receipt: Option<&Receipt>,
        now: i64,
    ) -> Result<(), DatabaseError> {
        let before = flow.state_rev;
        flow.state_rev += 1;
        let saved = self.save_successor(flow, before, events, receipt, now);
        if saved.is_err() {
            flow.state_rev = before;
        }
        saved
    }

    fn save_successor(
        &self,
        flow: &Flow,
        before: u64,
        events: &[String],
        receipt: Option<&Receipt>,
        now: i64,
    ) -> Result<(), DatabaseError> {
        let state = encoded(flow)?;
        let receipt = receipt.map(|receipt| {
            serde_json::to_string(receipt)
                .map(|text| (receipt.n, text))
                .map_err(|source| DatabaseError::State {
                    id: flow.flow_id.clone(),
                    source,
                })
        });
        let receipt = receipt.transpose()?;
        let mut connection = self.connection();
        let write = || -> Result<bool, rusqlite::Error> {
            let transaction =
                connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
            let changed = transaction.execute(
                "UPDATE flow SET state = ?1, state_rev = ?2, is_open = ?3
                 WHERE id = ?4 AND state_rev = ?5
                   AND (SELECT value FROM meta WHERE key = 'epoch') = ?6",
                params![
                    state,
                    signed(flow.state_rev),
                    flow.is_open(),
                    flow.flow_id,
                    signed(before),
                    self.epoch
                ],
            )?;
            if changed == 0 {
                return Ok(false);
            }
            for text in events {
                transaction.execute(
                    "INSERT INTO event (flow_id, at, text) VALUES (?1, ?2, ?3)",
                    params![flow.flow_id, now, text],
                )?;
            }
            transaction.execute(
                "DELETE FROM event WHERE flow_id = ?1 AND seq <= (
                     SELECT seq FROM event WHERE flow_id = ?1 ORDER BY seq DESC LIMIT 1 OFFSET ?2)",
                params![flow.flow_id, MAX_EVENTS],
            )?;
            if let Some((n, text)) = &receipt {
                transaction.execute(
                    "INSERT OR REPLACE INTO turn VALUES (?1, ?2, ?3)",
                    params![flow.flow_id, n, text],
                )?;
            }
            transaction.commit()?;
            Ok(true)
        };
        let mut write = write;
        let is_saved = write().map_err(|e| self.error(e))?;
        drop(connection);
        match is_saved {
            true => Ok(()),
            false => self
                .check_epoch()
                .and(Err(DatabaseError::Stale(flow.flow_id.clone()))),
        }
    }

    /// Puts a newer state of a flow in the place of the one that is there, as after a loss of the last writes.
    ///
    /// # Errors
    /// The database cannot be written.
    pub fn catch_up(&self, flow: &Flow) -> Result<(), DatabaseError> {
        let state = encoded(flow)?;
        let rev = signed(flow.state_rev);
        self.execute(
            "UPDATE flow SET state = ?1, state_rev = ?2, is_open = ?3 WHERE id = ?4 AND state_rev < ?2",
            params![state, rev, flow.is_open(), flow.flow_id],
        )
    }

    /// Returns a flow by its id.
    ///
    /// # Errors
    /// The database cannot be read.
    pub fn get(&self, id: &str) -> Result<Option<Flow>, DatabaseError> {
        let found = self.flows("SELECT state FROM flow WHERE id = ?1", [id])?;
        Ok(found.into_iter().next())
    }

    /// Returns a flow by id or a unique beginning of it, as people name it.
    ///
    /// # Errors
    /// The database cannot be read.
    pub fn find(&self, id: &str) -> Result<Option<Flow>, DatabaseError> {
        let found = self.flows(
            "SELECT state FROM flow WHERE substr(id, 1, length(?1)) = ?1 ORDER BY id = ?1 DESC LIMIT 2",
            [id],
        )?;
        let mut found = found.into_iter();
        Ok(match (found.next(), found.next()) {
            (Some(flow), None) => Some(flow),
            (Some(flow), Some(_)) if flow.flow_id == id => Some(flow),
            _ => None,
        })
    }

    /// The flow of a worktree: the one that has not ended, else the newest.
    ///
    /// # Errors
    /// The database cannot be read.
    pub fn of_worktree(&self, worktree: &str) -> Result<Option<Flow>, DatabaseError> {
        let found = self.flows(
            "SELECT state FROM flow WHERE worktree = ?1
             ORDER BY is_open DESC, created_at DESC, rowid DESC LIMIT 1",
            [worktree],
        )?;
        Ok(found.into_iter().next())
    }

    /// Flows, the newest first; those of one repository where it is named.
    ///
    /// # Errors
    /// The database cannot be read.
    pub fn list(&self, repo: &str) -> Result<Vec<Flow>, DatabaseError> {
        self.flows(
            "SELECT state FROM flow WHERE ?1 = '' OR repo = ?1
             ORDER BY is_open DESC, created_at DESC, rowid DESC LIMIT ?2",
            params![repo, MAX_LISTED],
        )
    }

    fn flows(
        &self,
        query: &str,
        params: impl rusqlite::Params,
    ) -> Result<Vec<Flow>, DatabaseError> {
        let texts = self.texts(query, params)?;
        let read = |text: String| match serde_json::from_str(&text) {
            Ok(flow) => Some(flow),
            Err(error) => {
                tracing::warn!(%error, "a flow cannot be read");
                None
            }
        };
        Ok(texts.into_iter().filter_map(read).collect())
    }

    fn texts(
        &self,
        query: &str,
        params: impl rusqlite::Params,
    ) -> Result<Vec<String>, DatabaseError> {
        let connection = self.connection();
        let mut statement = connection.prepare(query).map_err(|e| self.error(e))?;
        let rows = statement
            .query_map(params, |row| row.get(0))
            .map_err(|e| self.error(e))?;
        rows.collect::<Result<_, _>>().map_err(|e| self.error(e))
    }

    /// Receipts of the turns of a flow, in order.
    ///
    /// # Errors
    /// The database cannot be read.
    pub fn receipts(&self, flow_id: &str) -> Result<Vec<Receipt>, DatabaseError> {
        let texts = self.texts(
            "SELECT receipt FROM turn WHERE flow_id = ?1 ORDER BY n",
            [flow_id],
        )?;
        Ok(texts
            .iter()
            .filter_map(|text| serde_json::from_str(text).ok())
            .collect())
    }

    /// Events of a flow behind a number, in order, at most so many.
    ///
    /// # Errors
    /// The database cannot be read.
    pub fn events(
        &self,
        flow_id: &str,
        behind: i64,
        limit: i64,
    ) -> Result<Vec<Event>, DatabaseError> {
        let connection = self.connection();
        let read = |row: &Row<'_>| {
            Ok(Event {
                seq: row.get(0)?,
                at: row.get(1)?,
                text: row.get(2)?,
            })
        };
        let rows = || {
            // The newest ones, where there are more than asked for.
            let mut statement = connection.prepare(
                "SELECT seq, at, text FROM (
                     SELECT seq, at, text FROM event WHERE flow_id = ?1 AND seq > ?2
                     ORDER BY seq DESC LIMIT ?3) ORDER BY seq",
            )?;
            statement
                .query_map(params![flow_id, behind, limit], read)?
                .collect::<Result<Vec<_>, _>>()
        };
        rows().map_err(|e| self.error(e))
    }

    /// Removes a flow that has ended, with its receipts and events.
    ///
    /// # Errors
    /// The database cannot be written.
    pub fn remove(&self, flow_id: &str) -> Result<(), DatabaseError> {
        self.execute("DELETE FROM flow WHERE id = ?1", [flow_id])
    }

    /// Returns true if a command of a repository may be run.
    ///
    /// # Errors
    /// The database cannot be read.
    pub fn is_trusted(&self, repo: &str, command: &str) -> Result<bool, DatabaseError> {
        let found = self.texts(
            "SELECT command FROM trust WHERE repo = ?1 AND command = ?2",
            [repo, command],
        )?;
        Ok(!found.is_empty())
    }

    /// Trusts a command of a repository.
    ///
    /// # Errors
    /// The database cannot be written.
    pub fn trust(&self, repo: &str, command: &str) -> Result<(), DatabaseError> {
        self.execute(
            "INSERT OR IGNORE INTO trust VALUES (?1, ?2)",
            [repo, command],
        )
    }

    /// End of a limit of use of an agent, in seconds since the Unix epoch.
    ///
    /// # Errors
    /// The database cannot be read.
    pub fn quota_until(&self, agent: &str) -> Result<Option<i64>, DatabaseError> {
        let connection = self.connection();
        let found = connection
            .query_row("SELECT until FROM quota WHERE agent = ?1", [agent], |row| {
                row.get(0)
            })
            .optional();
        found.map_err(|e| self.error(e))
    }

    /// Notes the end of a limit of use of an agent.
    ///
    /// # Errors
    /// The database cannot be written.
    pub fn set_quota(&self, agent: &str, until: i64) -> Result<(), DatabaseError> {
        self.execute(
            "INSERT OR REPLACE INTO quota VALUES (?1, ?2)",
            params![agent, until],
        )
    }

    /// Number of the reply that was given under a key.
    ///
    /// # Errors
    /// The database cannot be read.
    pub fn reply_of(&self, flow_id: &str, key: &str) -> Result<Option<u32>, DatabaseError> {
        let connection = self.connection();
        let found = connection
            .query_row(
                "SELECT seq FROM reply_key WHERE flow_id = ?1 AND key = ?2",
                [flow_id, key],
                |row| row.get(0),
            )
            .optional();
        found.map_err(|e| self.error(e))
    }

    /// Notes the key of a reply.
    ///
    /// # Errors
    /// The database cannot be written.
    pub fn note_reply(&self, flow_id: &str, key: &str, seq: u32) -> Result<(), DatabaseError> {
        self.execute(
            "INSERT OR IGNORE INTO reply_key VALUES (?1, ?2, ?3)",
            params![flow_id, key, seq],
        )
    }

    fn execute(&self, query: &str, params: impl rusqlite::Params) -> Result<(), DatabaseError> {
        let done = self.connection().execute(query, params);
        done.map(drop).map_err(|e| self.error(e))
    }
}

fn read_epoch(connection: &Connection) -> Result<i64, rusqlite::Error> {
    let query = "SELECT value FROM meta WHERE key = 'epoch'";
    connection.query_row(query, [], |row| row.get(0))
}

/// Opens the file, and tells whether there was nothing in it.
fn connect(path: &Path) -> Result<(Connection, bool), rusqlite::Error> {
    let connection = Connection::open(path)?;
    connection.busy_timeout(BUSY)?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "foreign_keys", true)?;
    let check: String = connection.query_row("PRAGMA quick_check", [], |row| row.get(0))?;
    if check != "ok" {
        return Err(rusqlite::Error::SqliteFailure(
            rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_CORRUPT),
            Some(check),
        ));
    }
    let version: i64 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    connection.execute_batch(TABLES)?;
    connection.pragma_update(None, "user_version", SCHEMA)?;
    Ok((connection, version == 0))
}

fn is_damage(error: &rusqlite::Error) -> bool {
    matches!(
        error.sqlite_error_code(),
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase)
    )
}

fn encoded(flow: &Flow) -> Result<String, DatabaseError> {
    serde_json::to_string(flow).map_err(|source| DatabaseError::State {
        id: flow.flow_id.clone(),
        source,
    })
}

fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use aictx_proto::flow::FlowStatus;

    use super::*;

    fn flow(id: &str, worktree: &str) -> Flow {
        Flow::new(id.into(), "/r".into(), worktree.into(), 1)
    }

    #[test]
    fn a_worktree_has_one_open_flow_and_a_state_has_one_successor() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("state/flows.db");
        let database = Database::open(&path).unwrap();
        assert!(database.is_new());
        let mut one = flow("flw_1", "/w");
        database.insert(&one).unwrap();
        let second = database.insert(&flow("flw_2", "/w"));
        assert!(matches!(second, Err(DatabaseError::Taken(id)) if id == "flw_1"));
        let mut stale = one.clone();
        database.save(&mut one, &["begun".into()], None, 2).unwrap();
        let refused = database.save(&mut stale, &[], None, 3);
        assert!(matches!(refused, Err(DatabaseError::Stale(_))));
        assert_eq!(stale.state_rev, 0);
        assert_eq!(database.find("flw_").unwrap(), Some(one.clone()));
        assert_eq!(database.get("flw_").unwrap(), None);
        assert_eq!(database.events("flw_1", 0, 9).unwrap()[0].text, "begun");
        // A newer daemon fences the older one.
        let newer = Database::open(&path).unwrap();
        let fenced = database.save(&mut one, &[], None, 4);
        assert!(matches!(fenced, Err(DatabaseError::Fenced)));
        one.status = FlowStatus::Completed;
        newer.save(&mut one, &[], None, 5).unwrap();
        newer.insert(&flow("flw_2", "/w")).unwrap();
        assert_eq!(newer.of_worktree("/w").unwrap().unwrap().flow_id, "flw_2");
        assert_eq!(newer.list("").unwrap().len(), 2);
    }

    #[test]
    fn a_damaged_database_is_moved_aside() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("state/flows.db");
        drop(Database::open(&path).unwrap());
        fs::write(&path, vec![b'x'; 8192]).unwrap();
        let database = Database::open(&path).unwrap();
        assert!(database.is_new());
        database.insert(&flow("flw_1", "/w")).unwrap();
        assert!(path.with_extension("db.damaged").exists());
    }
}
