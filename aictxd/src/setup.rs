//! Carries out installation plans: other people's files are read, edited by `aictx_runners::merge`
//! and written; what was done is kept in the install ledger, so that it can be undone to the byte.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};

use aictx_proto::methods::{FileChange, Verified};
use aictx_runners::merge::{
    self, After, Content, MergeError, Note, Outcome, digest, remove_everything,
};
use aictx_runners::plan::Edit;

pub mod agent_detection;
mod diff;
pub mod files;
pub mod ledger;

use self::files::{Bounds, FileError, Found};
use self::ledger::{Entry, Ledger};

/// Owner of ledger entries that are for no repository.
pub const USER: &str = "user";

/// Does what plans say, one file after the other. In a dry run nothing is written, but later steps
/// see what earlier ones would have done.
#[derive(Debug)]
pub struct Carrier<'a> {
    /// Ledger of changes.
    pub ledger: &'a mut Ledger,
    /// Directories for files, links followed.
    pub bounds: Bounds,
    /// Names of files below it are shown relative to it.
    pub shown_from: PathBuf,
    /// Write nothing.
    pub dry_run: bool,
    /// Take the ancestor's entries out of the places where ours go.
    pub replace_ancestor: bool,
    /// Warnings.
    pub warnings: Vec<String>,
    pretended: BTreeMap<PathBuf, Option<String>>,
}

/// One removal.
#[derive(Debug)]
struct Removal {
    change: FileChange,
    gone: bool,
}

impl<'a> Carrier<'a> {
    /// For files within these bounds.
    pub fn new(ledger: &'a mut Ledger, bounds: Bounds, shown_from: &Path, dry_run: bool) -> Self {
        Self {
            ledger,
            bounds,
            shown_from: shown_from.to_owned(),
            dry_run,
            replace_ancestor: false,
            warnings: Vec::new(),
            pretended: BTreeMap::new(),
        }
    }

    fn shown(&self, file: &Path) -> String {
        let inside = file.strip_prefix(&self.shown_from).ok();
        inside.unwrap_or(file).to_string_lossy().into_owned()
    }

    fn change(&self, file: &Path, action: &str, reason: &str) -> FileChange {
        FileChange {
            path: self.shown(file),
            action: action.to_owned(),
            reason: reason.to_owned(),
            diff: String::new(),
        }
    }

    fn read(&self, file: &Path) -> Result<Found, FileError> {
        let mut found = files::read(file, &self.bounds)?;
        if let Some(pretended) = self.pretended.get(&found.target) {
            found.text.clone_from(pretended);
        }
        Ok(found)
    }

    fn heed(&mut self, file: &Path, notes: &[Note]) {
        let name = self.shown(file);
        for note in notes {
            let text = match note {
                Note::UserEntry(path) => format!(
                    "{name}: `{path}` is an entry of yours; it stays, and ours is not written"
                ),
                Note::SwitchedOff(path) => format!(
                    "{name}: `{path}` is switched off there; it stays as it is, and the agent does not get these tools"
                ),
                Note::Ancestor(what) => format!(
                    "{name}: {what} of the Python aictx stands there; --replace-ancestor takes it out"
                ),
                Note::Repaired(marker) => {
                    format!("{name}: markers `{marker}` were out of order; the rest was left")
                }
                Note::Changed(_) => {
                    format!("{name}: somebody has changed this file of ours; it stays")
                }
            };
            if !self.warnings.contains(&text) {
                self.warnings.push(text);
            }
        }
    }

    /// Puts one edit into its file.
    pub fn put(&mut self, scope: &str, edit: &Edit) -> FileChange {
        let file = Path::new(&edit.file);
        let skipped = |carrier: &Self, why: &str| carrier.change(file, "skipped", why);
        let found = match self.read(file) {
            Ok(found) => found,
            Err(why) => return skipped(self, &why.to_string()),
        };
        let outcome = merge::install(
            &edit.file,
            found.text.as_deref(),
            &edit.content,
            self.replace_ancestor,
        );
        let Outcome {
            after,
            record,
            notes,
        } = match outcome {
            Ok(outcome) => outcome,
            Err(error) => return skipped(self, &problem(&error)),
        };
        self.heed(file, &notes);
        let After::Write(text) = after else {
            return self.change(file, "unchanged", edit.reason);
        };
        let executable = matches!(&edit.content, Content::Whole(whole) if whole.executable);
        let mut directories = Vec::new();
        if self.dry_run {
            if let Err(why) = found.check_writable() {
                return skipped(self, &why.to_string());
            }
            let target = found.target.clone();
            self.pretended.insert(target, Some(text.clone()));
        } else {
            match found.write(&text, executable) {
                Ok(made) => directories = made,
                Err(why) => return skipped(self, &why.to_string()),
            }
        }
        let action = if found.text.is_some() {
            "updated"
        } else {
            "created"
        };
        if let Some(record) = record {
            let slot = slot(&edit.content);
            self.ledger.note(Entry {
                scope: scope.to_owned(),
                agent: edit.agent.to_owned(),
                slot,
                shared: edit.shared,
                record,
                directories,
            });
            self.keep_ledger();
        }
        FileChange {
            diff: if self.dry_run {
                diff::lines(found.text.as_deref().unwrap_or_default(), &text)
            } else {
                String::new()
            },
            ..self.change(file, action, edit.reason)
        }
    }

    /// Entries are noted one by one: whatever happens, what was done can be undone.
    fn keep_ledger(&mut self) {
        if self.dry_run {
            return;
        }
        if let Err(error) = self.ledger.save() {
            let text = format!(
                "the install ledger was not written ({error}); removal will take out our entries, \
                 but may not give a file back to the byte"
            );
            if !self.warnings.contains(&text) {
                self.warnings.push(text);
            }
        }
    }

    /// Takes out everything of a scope: what the ledger tells, then whatever the plan names.
    pub fn take_all(&mut self, scope: &str, plan: &[Edit]) -> (Vec<FileChange>, Vec<Verified>) {
        let entries = self.ledger.of(scope);
        self.take(&entries, plan)
    }

    /// Takes out these entries, newest first, then whatever the plan names besides.
    pub fn take(&mut self, entries: &[Entry], plan: &[Edit]) -> (Vec<FileChange>, Vec<Verified>) {
        let mut changes: Vec<FileChange> = Vec::new();
        let mut done = HashSet::new();
        for entry in entries.iter().rev() {
            let file = entry.record.file.clone();
            let edit = plan
                .iter()
                .find(|edit| edit.file == file && slot(&edit.content) == entry.slot);
            let removal = self.take_one(&file, edit.map(|e| &e.content), Some(entry));
            done.insert((file, entry.slot.clone()));
            if removal.gone {
                self.ledger.forget(entry);
                self.keep_ledger();
            }
            changes.push(removal.change);
        }
        for edit in plan {
            if !done.insert((edit.file.clone(), slot(&edit.content))) {
                continue;
            }
            let removal = self.take_one(&edit.file, Some(&edit.content), None);
            if removal.change.action != "unchanged" {
                changes.push(removal.change);
            }
        }
        let verified = self.verify(entries);
        (changes, verified)
    }

    fn take_one(
        &mut self,
        file: &str,
        content: Option<&Content>,
        entry: Option<&Entry>,
    ) -> Removal {
        let path = Path::new(file);
        let left = |carrier: &Self, why: &str| Removal {
            change: carrier.change(path, "skipped", why),
            gone: false,
        };
        let found = match self.read(path) {
            Ok(found) => found,
            // What cannot be read holds nothing of ours unless the ledger says so.
            Err(why) if entry.is_some() => return left(self, &why.to_string()),
            Err(_) => return self.nothing(path),
        };
        let Some(text) = found.text.clone() else {
            return self.nothing(path);
        };
        let record = entry.map(|entry| &entry.record);
        let outcome = match (record.and_then(|record| record.undo(&text)), content) {
            (Some(after), _) => Ok(Outcome {
                after,
                record: None,
                notes: Vec::new(),
            }),
            (None, Some(content)) => merge::uninstall(file, Some(&text), content, record),
            (None, None) => remove_everything(file, &text),
        };
        let outcome = match outcome {
            Ok(outcome) => outcome,
            Err(_) if !text.contains("aictx") && !text.contains("AICTX") => {
                return self.nothing(path);
            }
            Err(error) => return left(self, &problem(&error)),
        };
        self.heed(path, &outcome.notes);
        let kept = outcome
            .notes
            .iter()
            .any(|note| matches!(note, Note::Changed(_)));
        match outcome.after {
            After::Unchanged if kept => left(self, "somebody has changed it"),
            After::Unchanged => self.nothing(path),
            After::Write(new) => {
                if let Err(why) = self.write(&found, &new) {
                    return left(self, &why.to_string());
                }
                Removal {
                    change: FileChange {
                        diff: self.diff(&text, &new),
                        ..self.change(path, "restored", "")
                    },
                    gone: true,
                }
            }
            After::Delete => {
                if let Err(why) = self.delete(&found, entry) {
                    return left(self, &why.to_string());
                }
                Removal {
                    change: self.change(path, "removed", ""),
                    gone: true,
                }
            }
        }
    }

    fn nothing(&self, file: &Path) -> Removal {
        Removal {
            change: self.change(file, "unchanged", ""),
            gone: true,
        }
    }

    fn diff(&self, before: &str, after: &str) -> String {
        if self.dry_run {
            diff::lines(before, after)
        } else {
            String::new()
        }
    }

    fn write(&mut self, found: &Found, text: &str) -> Result<(), FileError> {
        if self.dry_run {
            found.check_writable()?;
            self.pretended
                .insert(found.target.clone(), Some(text.to_owned()));
            return Ok(());
        }
        found.write(text, false).map(drop)
    }

    fn delete(&mut self, found: &Found, entry: Option<&Entry>) -> Result<(), FileError> {
        if self.dry_run {
            self.pretended.insert(found.target.clone(), None);
            return Ok(());
        }
        found.delete()?;
        for directory in entry
            .iter()
            .flat_map(|entry| entry.directories.iter().rev())
        {
            // Somebody may have put something there since: then it stays.
            let _ = std::fs::remove_dir(directory);
        }
        Ok(())
    }

    /// Compares the files of these entries with their state before the first of them.
    fn verify(&self, entries: &[Entry]) -> Vec<Verified> {
        let mut first: BTreeMap<&str, &Entry> = BTreeMap::new();
        for entry in entries {
            first.entry(&entry.record.file).or_insert(entry);
        }
        let verify = |(file, entry): (&str, &Entry)| {
            let path = Path::new(file);
            let (identical, reason) = match self.read(path) {
                Err(why) => (false, why.to_string()),
                Ok(found) => match (&found.text, entry.record.created_by_us) {
                    (None, true) => (true, String::new()),
                    (None, false) => (false, "it is gone".to_owned()),
                    (Some(_), true) => (false, "it was not there before".to_owned()),
                    (Some(text), false) if digest(text) == entry.record.hash_before => {
                        (true, String::new())
                    }
                    (Some(_), false) => (
                        false,
                        "somebody has changed it since; only our entries were taken out".to_owned(),
                    ),
                },
            };
            Verified {
                path: self.shown(path),
                identical,
                reason,
            }
        };
        first.into_iter().map(verify).collect()
    }

    /// Takes the ancestor's entries out of a file, or the file when it is its own.
    pub fn take_ancestor(
        &mut self,
        place: &aictx_runners::python_aictx::Place,
    ) -> Option<FileChange> {
        use aictx_runners::python_aictx::{Remains, is_its_own};
        let path = Path::new(&place.file);
        let found = self.read(path).ok()?;
        let text = found.text.clone()?;
        let after = match place.remains {
            Remains::File if is_its_own(&text) => After::Delete,
            Remains::File => return None,
            Remains::Entries => match merge::remove_ancestor(&place.file, &text) {
                Ok(outcome) => outcome.after,
                Err(error) if text.contains("aictx") || text.contains("AICTX") => {
                    return Some(self.change(path, "skipped", &problem(&error)));
                }
                Err(_) => return None,
            },
        };
        let reason = "the Python aictx had entries here";
        let (done, action, diff) = match after {
            After::Unchanged => return None,
            After::Write(new) => (self.write(&found, &new), "updated", self.diff(&text, &new)),
            After::Delete => (self.delete(&found, None), "removed", String::new()),
        };
        if done.is_ok() && action == "removed" && !self.dry_run {
            // Those that hold anything stay.
            let root = Path::new(&place.root);
            let between = path.ancestors().skip(1);
            for directory in between.take_while(|dir| *dir != root && dir.starts_with(root)) {
                if std::fs::remove_dir(directory).is_err() {
                    break;
                }
            }
        }
        Some(match done {
            Ok(()) => FileChange {
                diff,
                ..self.change(path, action, reason)
            },
            Err(why) => self.change(path, "skipped", &why.to_string()),
        })
    }
}

/// Which of our contents in one file.
pub fn slot(content: &Content) -> String {
    match content {
        Content::Json(_) => "json".to_owned(),
        Content::Block(block) => format!("block {}", block.id),
        Content::Toml(table) => format!("table {}", table.path.join(".")),
        Content::Yaml(_) => "yaml".to_owned(),
        Content::Whole(_) => "whole".to_owned(),
    }
}

fn problem(error: &MergeError) -> String {
    error.problem.to_string()
}

#[cfg(test)]
mod tests;
