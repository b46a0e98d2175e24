//! Effects of a program on services, databases and other machines.

use super::super::table::{EVALUATIONS, REQUESTS, ROW_DELETES, SERVICE_DELETES};
use super::super::{Call, Judge, Kind, Tier, http_request};
use super::prefilter::Lists;
use super::scan::Find as _;
use super::{Code, FORK_BOMBS, MAX_CALLS, callee_names, exfiltration, orm_chains};

impl Code<'_> {
    /// Services, databases, other machines.
    pub(super) fn elsewhere(&self, judge: &mut Judge, call: Call) {
        let mut hit = |kind, tier, what: &str| {
            let verb = format!("{} {what}", self.language);
            judge.hit(Some(call), kind, tier, &verb, []);
        };
        let kept = self.found.has(Lists::WRITES)
            || ["urlretrieve", "copyfileobj", "pipe(", "print $", "|-"]
                .iter()
                .any(|way| self.text.holds(way));
        if (self.found.has(Lists::FETCHES) && (self.evaluates() || (kept && self.runs_a_file())))
            || (self.found.has(Lists::SOCKETS) && self.found.has(Lists::HANDED_OVER))
        {
            hit(Kind::NetworkExec, Tier::Destructive, "runs a download");
        }
        if self.found.has(Lists::DECODINGS)
            && (self.found.has(Lists::SHELL_CALLS) || self.evaluates())
        {
            hit(Kind::NetworkExec, Tier::Destructive, "runs what it decodes");
        }
        if exfiltration::sends_secrets(&self.tight) && !http_request::is_local(&self.text) {
            hit(Kind::Credentials, Tier::Destructive, "sends secrets");
        }
        let promised = callee_names::promised(&self.run);
        let promised = promised.filter(|_| self.language != "awk" && !self.only_seems());
        let one = promised.is_some_and(|(tier, _)| tier == Tier::Risky);
        let rows = self.deletes_rows().max(if self.replaces_a_table() {
            Some(Tier::Destructive)
        } else {
            None
        });
        let some = rows == Some(Tier::Risky);
        // What a chain says of rows says nothing of services.
        let rows = rows.max(orm_chains::of_rows(&self.run));
        let of_rows = ["delete_all", "destroy_all", "delete_by_query"];
        if let Some((tier, name)) = promised.filter(|(_, name)| !some || !of_rows.contains(name)) {
            // One after the other, as they are listed.
            let each = ["for ", "forEach(", ".map(", ".each"]
                .iter()
                .any(|way| self.text.holds(way))
                && [
                    ".scan(", ".list", ".search", ".find(", "paginate", ".query(",
                ]
                .iter()
                .any(|way| self.run.holds(way));
            // A server of one's own may be a trial; all that it holds is not.
            let tier = match (each, http_request::is_local(&self.text)) {
                (true, _) => Tier::Destructive,
                (false, true) => Tier::Risky,
                (false, false) => tier,
            };
            hit(Kind::RemoteDelete, tier, name);
        }
        if self.unprotects() && !self.only_seems() {
            hit(
                Kind::RemoteDelete,
                Tier::Destructive,
                "takes a protection away",
            );
        }
        if self.discards() {
            hit(Kind::DiscardChanges, Tier::Destructive, "discards changes");
        }
        if let Some(tier) = rows.filter(|_| !self.only_seems()) {
            hit(Kind::DatabaseWrite, tier, "deletes rows");
        }
        if self.requests_a_deletion() && !self.only_seems() {
            let tier = if http_request::is_local(&self.text) {
                Tier::Risky
            } else {
                Tier::Destructive
            };
            hit(Kind::RemoteDelete, tier, "DELETE");
        } else if !one
            && !some
            && self.found.has(Lists::SERVICES)
            && self.found.has(Lists::SERVICE_DELETES)
            && self.asks_a_service()
            && !self.only_seems()
        {
            hit(
                Kind::RemoteDelete,
                Tier::Destructive,
                "deletes at a service",
            );
        }
        if self.found.has(Lists::SERVICE_DELETES) && self.deletes_every_key() {
            hit(Kind::DatabaseWrite, Tier::Destructive, "deletes keys");
        }
        if FORK_BOMBS.iter().any(|bomb| self.tight.holds(bomb)) {
            hit(Kind::ProcessKill, Tier::Catastrophic, "fork bomb");
        }
        let moved = ["rename", "move("]
            .iter()
            .any(|call| self.run.holds(call) || self.tight.holds(call));
        if moved
            && [",'/dev/null'", ",\"/dev/null\""]
                .iter()
                .any(|to| self.tight.holds(to))
        {
            hit(Kind::Delete, Tier::Destructive, "moves to nowhere");
        }
        if self.tight.holds(".kill(-1,") || self.ends_all_processes() {
            hit(Kind::ProcessKill, Tier::Destructive, "ends every process");
        }
    }

    /// Returns the tier of deleted rows: `None` without any, lower when a condition says which.
    fn deletes_rows(&self) -> Option<Tier> {
        let tight = &self.tight;
        let conditions = [".where(", ".andWhere(", ".whereIn(", ".filter("];
        let all = ["where(\"1=1", "where('1=1", "match_all", "where(true"];
        let bounded = || {
            conditions.iter().any(|way| tight.holds(way)) && !all.iter().any(|way| tight.holds(way))
        };
        let queried =
            || (tight.holds("query=") || tight.holds("query:")) && !tight.holds("match_all");
        let mut worst = whole_statement(&self.run);
        if self.found.has(Lists::ROW_DELETES) {
            // What stands in a text is not called.
            let run: String = self.run.split_ascii_whitespace().collect();
            let called = |row: &str| row.contains(['\'', '"']) || run.holds(row);
            let rows = ROW_DELETES.iter();
            let own = |row: &str| {
                let name = row.trim_matches(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
                callee_names::is_own(&self.run, name)
            };
            for row in rows.filter(|row| tight.holds(**row) && called(row) && !own(row)) {
                worst = worst.max(Some(match *row {
                    ".delete_all" | ".destroy_all" | ").del()" if bounded() => Tier::Risky,
                    "delete_by_query(" if queried() => Tier::Risky,
                    _ => Tier::Destructive,
                }));
            }
        }
        // `find_each { |b| b.purge }`
        let ends = [
            ".purge}",
            ".purge_later}",
            ".destroy}",
            ".destroy!}",
            ".purgeend",
            ".destroyend",
            ".destroy!end",
        ];
        let each = self.language == "ruby"
            && tight.holds("each")
            && ends.iter().any(|end| tight.holds(end));
        match each {
            true if bounded() => worst.max(Some(Tier::Risky)),
            true => Some(Tier::Destructive),
            false => worst,
        }
    }

    /// A request with the method DELETE. `.delete('/x')` is one where it is run, not in a text.
    fn requests_a_deletion(&self) -> bool {
        let session = [
            "requests.Session()",
            "requests.session()",
            "httpx.Client(",
            "httpx.AsyncClient(",
            "ClientSession(",
        ]
        .iter()
        .any(|way| self.tight.holds(way));
        if session && self.run.holds(".delete(") {
            return true;
        }
        self.found.has(Lists::REQUESTS)
            && REQUESTS.iter().any(|way| {
                self.tight.holds(way)
                    && (!way.starts_with(".delete(") || self.run.holds(".delete("))
            })
    }

    /// `subprocess.run(["bash", path])`: a file that it has just made, as like as not.
    fn runs_a_file(&self) -> bool {
        let shells = [
            "bash",
            "sh",
            "/bin/bash",
            "/bin/sh",
            "python3",
            "python",
            "node",
            "bun",
            "deno",
            "ruby",
            "perl",
            "php",
        ];
        let named = shells.iter().flat_map(|shell| {
            ['\'', '"'].map(|quote| {
                [
                    format!("{quote}{shell}{quote},"),
                    format!("{quote}{shell}{quote},["),
                ]
            })
        });
        let run = named.flatten().chain(["[sys.executable,".to_owned()]);
        let fed = [
            "\"|-\",\"bash\"",
            "\"|-\",\"sh\"",
            "'|-','bash'",
            "'|-','sh'",
            "|bash\"",
            "|sh\"",
        ];
        if fed.iter().any(|way| self.tight.holds(way)) {
            return true;
        }
        self.found.has(Lists::SHELL_CALLS)
            && run.into_iter().any(|way| {
                let mut found = self.tight.found(&way).take(MAX_CALLS);
                found.any(|(at, _)| {
                    let behind = self.tight.get(at + way.len()..).unwrap_or_default();
                    // What is named here and where it was written.
                    let arguments = behind.split([']', ')']).next().unwrap_or_default();
                    let mut named = arguments
                        .split(['\'', '"'])
                        .filter(|text| text.contains('/'));
                    behind.starts_with(|next: char| next.is_ascii_alphabetic())
                        || named.any(|path| self.tight.count(path) > 1)
                })
            })
    }

    /// `modify_db_instance(DeletionProtection=False, BackupRetentionPeriod=0)`
    fn unprotects(&self) -> bool {
        let tight = self.tight.to_ascii_lowercase();
        let names = [
            "deletionprotection",
            "deletion_protection",
            "deletionprotectionenabled",
            "disableapitermination",
            "termination_protection",
        ];
        let off = [
            "=false",
            ":false",
            "={'value':false}",
            ":{value:false}",
            "={\"value\":false}",
        ];
        let says = |name: &str, value: &str| {
            let found = tight.found(name).take(MAX_CALLS);
            found.into_iter().any(|(at, _)| {
                let behind = tight.get(at + name.len()..).unwrap_or_default();
                behind.trim_start_matches(['\'', '"']).starts_with(value)
            })
        };
        let calls = [
            "modify_",
            "update_",
            "patch_",
            "put_",
            "modify",
            "Modify",
            "patch(",
            "PutPublicAccessBlock",
            "putBucket",
        ]
        .iter()
        .any(|verb| self.run.holds(verb));
        calls
            && (names
                .iter()
                .any(|name| off.iter().any(|value| says(name, value)))
                || says("backupretentionperiod", "=0")
                || says("backupretentionperiod", ":0")
                || says("blockpublicacls", "=false")
                || says("blockpublicacls", ":false")
                || says("blockpublicpolicy", ":false")
                || (says("principal", ":\"*\"") && tight.holds("policy(")))
    }

    /// Returns true if a git library discards changes.
    fn discards(&self) -> bool {
        let tight = &self.tight;
        tight.holds("GIT_RESET_HARD") || (tight.holds(".push(") && tight.holds("force=True"))
    }

    /// Tables of a database that are made anew, with what is given, or emptied by a condition that is
    /// none.
    fn replaces_a_table(&self) -> bool {
        let tight = &self.tight;
        let kept = tight.holds(":memory:") || self.found.has(Lists::TEMPORARY);
        let replaced = (tight.holds(".to_sql(")
            && (tight.holds("if_exists='replace'") || tight.holds("if_exists=\"replace\"")))
            || (tight.holds("dbWriteTable(") && tight.holds("overwrite=TRUE"));
        let all = (tight.holds(".update_all(") && !tight.holds(".where("))
            || self.updates_a_whole_model()
            || tight.holds(".objects.update(")
            || tight.holds(".objects.all().update(");
        let jobs = (tight.holds("Jenkins") && tight.holds(".delete()"))
            || (tight.holds(".chat.delete(") && tight.holds("for"));
        (replaced && !kept) || all || jobs
    }

    /// `Account.update_all(…)`: straight from the model.
    fn updates_a_whole_model(&self) -> bool {
        let mut found = self.run.found(".update_all(").take(MAX_CALLS);
        found.any(|(at, _)| {
            let before = self.run.get(..at).unwrap_or_default();
            let chain = before
                .rsplit([' ', '\n', ';', '(', '{', '='])
                .next()
                .unwrap_or_default();
            let model = chain.trim_end_matches(".all").trim_end_matches(".unscoped");
            model.starts_with(|first: char| first.is_ascii_uppercase()) && !model.contains('.')
        })
    }

    /// Every process that a program finds, whatever it is called.
    fn ends_all_processes(&self) -> bool {
        let lists = ["process_iter(", "psutil.pids(", "Get-Process|", "psList("]
            .iter()
            .any(|way| self.tight.holds(way));
        let ends = [".kill(", ".terminate(", "Stop-Process"]
            .iter()
            .any(|way| self.run.holds(way));
        let chosen = [
            "name()",
            "['name']",
            "[\"name\"]",
            "cmdline",
            "username",
            "exe()",
            "==",
            "-Name",
            ".name.",
            "ppid",
            "status()",
            "cpu_percent",
            "memory",
        ];
        lists && ends && !chosen.iter().any(|way| self.tight.holds(way))
    }

    /// `[r.delete(k) for k in r.scan_iter('*')]`
    fn deletes_every_key(&self) -> bool {
        ["scan_iter(", ".keys('*", ".keys(\"*", "scanStream("]
            .iter()
            .any(|listing| self.tight.holds(listing))
            && [".delete(", ".unlink(", ".del("]
                .iter()
                .any(|call| self.run.holds(call))
    }

    /// Returns true if text becomes a program; `re.compile(` and `/x/.exec(` are others' calls.
    fn evaluates(&self) -> bool {
        self.found.has(Lists::EVALUATIONS)
            && EVALUATIONS.iter().any(|name| {
                let mut found = self.text.found(name);
                found.any(|(at, _)| {
                    let before = self
                        .text
                        .get(..at)
                        .and_then(|text| text.chars().next_back());
                    name.starts_with('(')
                        || name.starts_with("runIn")
                        || !before
                            .is_some_and(|last| matches!(last, '.' | '_') || last.is_alphanumeric())
                })
            })
    }

    fn asks_a_service(&self) -> bool {
        // `new DeleteObjectCommand(…)`
        let ordered = |at: usize| {
            let rest = self.run.get(at..).unwrap_or_default();
            let name = rest.split('(').next().unwrap_or_default();
            name.len() < 64 && name.ends_with("Command")
        };
        // `gh.git.deleteRef(…)`
        let named = |(at, name): (usize, &str)| {
            let rest = self.run.get(at + name.len()..).unwrap_or_default();
            rest.starts_with(|next: char| next.is_ascii_uppercase())
        };
        SERVICE_DELETES.iter().any(|call| self.run.holds(call))
            || self.run.found(".delete").take(MAX_CALLS).any(named)
            || self
                .run
                .found("Delete")
                .take(MAX_CALLS)
                .any(|(at, _)| ordered(at))
    }
}

/// `execute(delete(Item))`, `execute(update(Item).values(…))`: a statement that is built, and whether a
/// condition is put behind it. Of a program without its literals.
fn whole_statement(run: &str) -> Option<Tier> {
    let mut worst = None;
    // `session.query(Item).delete()`
    for (at, way) in run.found(".query(").take(MAX_CALLS) {
        let behind = run.get(at + way.len()..).unwrap_or_default();
        let (model, rest) = behind.split_once(')').unwrap_or((behind, ""));
        let chain = rest.lines().next().unwrap_or_default();
        if !model.contains(['(', ' ']) && rest.trim_start().starts_with(".delete()") {
            worst = Some(Tier::Destructive);
        } else if chain.starts_with(".filter") && chain.contains(".delete(") {
            worst = worst.max(Some(Tier::Risky));
        }
    }
    for (at, way) in run.found("execute(").take(MAX_CALLS) {
        let statement = run.get(at + way.len()..).unwrap_or_default().trim_start();
        let statement = statement.strip_prefix("sa.").unwrap_or(statement);
        let built = statement
            .strip_prefix("delete(")
            .or_else(|| statement.strip_prefix("update("));
        let Some((model, rest)) = built.and_then(|rest| rest.split_once(')')) else {
            continue;
        };
        if model.contains('(') {
            continue;
        }
        // A chain goes on over lines that begin with a dot.
        let lines = rest.lines().enumerate();
        let mut chain = lines
            .take_while(|(nth, line)| *nth == 0 || line.trim_start().starts_with(['.', ')']))
            .take(16);
        let conditioned = chain.any(|(_, line)| line.contains(".where("));
        worst = worst.max(Some(if conditioned {
            Tier::Risky
        } else {
            Tier::Destructive
        }));
    }
    worst
}
