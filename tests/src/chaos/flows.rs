//! Flows whose daemon, host or agent is killed at each point of a turn, or whose files are damaged then.
//!
//! A flow of three tickets is brought to the point, a person writes into the worktree meanwhile, and the victim is
//! killed. The next daemon has to end the flow, and what is promised in `docs/flows.md` is compared with what
//! there is: dispatches, replies, edits, commits, numbers, processes.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use super::{Outcome, Random};
use crate::{Daemon, PATIENCE, Run, TestEnv, wait_long_until};

/// Tickets of a flow.
const TICKETS: usize = 3;

/// Scripted agent. It writes down its starts and dispatches, and stays where it is told to.
const AGENT: &str = r#"
SCRIPT=$(dirname "$0")
cat > "$AICTX_TURN_DIR/seen"
echo "$AICTX_TURN_DIR" >> "$SCRIPT/runs"
if ! mkdir "$SCRIPT/alone" 2>/dev/null; then
    case $(cut -d' ' -f3 "/proc/$(cat "$SCRIPT/alone/pid")/stat" 2>/dev/null) in
    ''|Z) ;;
    *) echo "two agents at once" >> "$SCRIPT/faults" ;;
    esac
fi
echo $$ > "$SCRIPT/alone/pid"
. "$SCRIPT/stay.sh"
cd "$AICTX_ROOT"
name=$(basename "$AICTX_TICKET" .md)
stay launched
[ -e "work-$name" ] && echo "$AICTX_TURN" >> "fixed-$name"
echo "$AICTX_TICKET_ID" > "work-$name"
sed -i.bak 's/done: false/done: true/' "$AICTX_TICKET" && rm -f "$AICTX_TICKET.bak"
# A git that was killed leaves it behind; agents read git's message and remove it.
rm -f .git/index.lock
git add work-* $(ls fixed-* 2>/dev/null)
git diff --cached --quiet || git commit -qm "$name"
mkdir -p "$AICTX_FLOW_DIR/dispatch/sub"
for file in a b sub/c; do echo "$name" > "$AICTX_FLOW_DIR/dispatch/$file"; done
id="dispatch-$AICTX_TURN-$$-end"
printf -- '---\ntitle: %s\n---\n%s\n' "$name" "$id" > "$SCRIPT/draft"
mv "$SCRIPT/draft" "$AICTX_FLOW_DIR/DISPATCH.md"
echo "$id" >> "$SCRIPT/written"
stay delivered
rm -r "$SCRIPT/alone"
echo "worked on $name"
"#;

/// Check of a ticket; with `strict` beside it, it wants work to have been done twice on one of them.
const CHECK: &str = r#"
SCRIPT=$(dirname "$0")
. "$SCRIPT/stay.sh"
stay checking
[ -e "work-$1" ] || exit 1
[ ! -e "$SCRIPT/strict-$1" ] || [ -e "fixed-$1" ]
"#;

/// Waits at a point, once, until the file `agent-hold` is gone.
const STAY: &str = r#"
stay() {
    turn=$(echo "$AICTX_TURN_DIR" | sed 's,.*/turns/0*\([0-9]*\).*,\1,')
    [ -e "$SCRIPT/at-$1-$turn" ] && mkdir "$SCRIPT/once" 2>/dev/null || return 0
    echo $$ > "$SCRIPT/here.draft"
    mv "$SCRIPT/here.draft" "$SCRIPT/here"
    while [ -e "$SCRIPT/agent-hold" ]; do sleep 0.02; done
}
"#;

/// Points of a turn, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Point {
    /// The turn is chosen, nothing of it is written.
    Chosen,
    /// The prompt is written, no host was started.
    Prompt,
    /// The host is started, and nobody noted it.
    Spawned,
    /// The agent works.
    Launched,
    /// The agent has done everything but end.
    Delivered,
    /// The agent has ended, and nobody noted it.
    Ended,
    /// The end is noted.
    Collected,
    /// One of three attachments is in the archive.
    HalfArchived,
    /// The dispatch is in the archive, and nobody noted it.
    Archived,
    /// The checks run.
    Checking,
    /// Everything is known, nothing is settled.
    Settling,
    /// The same, after a check that failed and a ticket that was set back.
    Failing,
    /// The turn is settled, `flow.json` is not written.
    Settled,
    /// The ticket is finished, its Work State is open.
    Finished,
    /// One of two attachments of a reply is in the archive.
    HalfReplied,
}

impl Point {
    /// All of them.
    pub const ALL: [Self; 15] = [
        Self::Chosen,
        Self::Prompt,
        Self::Spawned,
        Self::Launched,
        Self::Delivered,
        Self::Ended,
        Self::Collected,
        Self::HalfArchived,
        Self::Archived,
        Self::Checking,
        Self::Settling,
        Self::Failing,
        Self::Settled,
        Self::Finished,
        Self::HalfReplied,
    ];

    /// Point at which the daemon is held; nothing where the agent or a check stays instead.
    fn held_at(self) -> Option<&'static str> {
        Some(match self {
            Self::Chosen => "prepare",
            Self::Prompt => "prompt",
            Self::Spawned => "spawned",
            Self::Ended => "ended",
            Self::Collected => "collected",
            Self::HalfArchived => "moved",
            Self::Archived => "archived",
            Self::Settling | Self::Failing => "settling",
            Self::Settled => "settled",
            Self::Finished => "finished",
            Self::HalfReplied => "replied",
            Self::Launched | Self::Delivered | Self::Checking => return None,
        })
    }

    /// Point at which the agent or a check stays.
    fn stays_at(self) -> Option<&'static str> {
        match self {
            Self::Spawned | Self::Launched => Some("launched"),
            Self::Delivered => Some("delivered"),
            Self::Checking => Some("checking"),
            _ => None,
        }
    }
}

impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Chosen => "before prepare",
            Self::Prompt => "prompt written",
            Self::Spawned => "host started, not noted",
            Self::Launched => "agent works",
            Self::Delivered => "agent is about to end",
            Self::Ended => "agent ended, not noted",
            Self::Collected => "collected",
            Self::HalfArchived => "dispatch half archived",
            Self::Archived => "archived, not noted",
            Self::Checking => "checks run",
            Self::Settling => "settling",
            Self::Failing => "settling a failed check",
            Self::Settled => "settled, flow.json not written",
            Self::Finished => "ticket finished, work still open",
            Self::HalfReplied => "reply half archived",
        })
    }
}

/// Victim of a kill.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Victim {
    /// The daemon.
    Daemon,
    /// The host of the agent or of the check.
    Host,
    /// The agent or the check.
    Agent,
    /// All at once, as when the machine goes down.
    All,
}

impl Victim {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Daemon, Self::Host, Self::Agent, Self::All];

    fn takes_daemon(self) -> bool {
        matches!(self, Self::Daemon | Self::All)
    }
}

/// Damage to a file while no daemon runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Damage {
    /// The last write to the database is cut off.
    LogCut,
    /// The whole log of the database is gone.
    LogLost,
    /// A page of the database is something else.
    Page,
    /// The database is empty.
    Empty,
    /// The database is gone.
    Lost,
    /// `flow.json` of the worktree is cut off.
    State,
    /// The copy in the state directory is.
    Copy,
    /// `exit.json` is cut off.
    Exit,
    /// `exit.json` is empty.
    ExitEmpty,
    /// `host.json` is gone.
    Host,
}

impl Damage {
    /// All of them.
    pub const ALL: [Self; 10] = [
        Self::LogCut,
        Self::LogLost,
        Self::Page,
        Self::Empty,
        Self::Lost,
        Self::State,
        Self::Copy,
        Self::Exit,
        Self::ExitEmpty,
        Self::Host,
    ];

    /// Point at which the file matters most.
    pub fn point(self, seed: u64) -> Point {
        let points: &[Point] = match self {
            Self::Exit | Self::ExitEmpty => &[Point::Ended],
            Self::Host => &[Point::Spawned, Point::Launched, Point::Delivered],
            _ => &[
                Point::Launched,
                Point::Settling,
                Point::Settled,
                Point::Ended,
            ],
        };
        let at = Random(seed).below(points.len() as u64);
        points[usize::try_from(at).unwrap()]
    }
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::LogCut => "flows.db-wal: last write cut off",
            Self::LogLost => "flows.db-wal gone",
            Self::Page => "flows.db: a page overwritten",
            Self::Empty => "flows.db empty",
            Self::Lost => "flows.db gone",
            Self::State => "flow.json cut off",
            Self::Copy => "flow.json of the state directory cut off",
            Self::Exit => "exit.json cut off",
            Self::ExitEmpty => "exit.json empty",
            Self::Host => "host.json gone",
        })
    }
}

/// A flow that something happens to.
struct Scene {
    env: TestEnv,
    repo: PathBuf,
    script: PathBuf,
    point: Point,
    /// Turn that it happens in.
    turn: u32,
    faults: Vec<String>,
    /// Numbers of the state, as seen one after the other.
    revisions: Vec<u64>,
}

impl Scene {
    fn new(point: Point, seed: u64) -> Self {
        let env = TestEnv::new();
        let repo = env.repository("demo");
        let script = env.path().join("script");
        fs::create_dir(&script).unwrap();
        for (name, text) in [("agent.sh", AGENT), ("check.sh", CHECK), ("stay.sh", STAY)] {
            fs::write(script.join(name), text).unwrap();
        }
        let turn = match point {
            // Counted are the turns of the ticket there.
            Point::Finished => 1,
            // Counted are the replies; one is told before.
            Point::HalfReplied => 2,
            _ => 1 + u32::try_from(seed % 2).unwrap(),
        };
        if let Some(stay) = point.stays_at() {
            fs::write(script.join(format!("at-{stay}-{turn}")), "").unwrap();
            fs::write(script.join("agent-hold"), "").unwrap();
        }
        if point == Point::Failing {
            fs::write(script.join(format!("strict-TICKET-{turn:03}")), "").unwrap();
        }
        let scene = Self {
            env,
            repo,
            script,
            point,
            turn,
            faults: Vec::new(),
            revisions: Vec::new(),
        };
        fs::create_dir_all(scene.repo.join(".aictx/tickets")).unwrap();
        for number in 1..=TICKETS {
            let check = scene.script.join("check.sh");
            let text = format!(
                "---\nticket_id: tkt_{number:06}\nagent: codex\ndone: false\ntitle: Number {number}\nverify: ['sh {} TICKET-{number:03}']\n---\n\nDo it\n",
                check.display()
            );
            fs::write(scene.ticket(number), text).unwrap();
        }
        fs::write(scene.repo.join("mine.txt"), "before\n").unwrap();
        scene
    }

    fn ticket(&self, number: usize) -> PathBuf {
        self.repo
            .join(format!(".aictx/tickets/TICKET-{number:03}.md"))
    }

    fn flow(&self, arguments: &[&str]) -> Run {
        self.env.aictx(&self.repo, &[&["flow"], arguments].concat())
    }

    fn daemon(&self, is_held: bool) -> Daemon {
        let hold = self.point.held_at().filter(|_| is_held);
        let hold = hold.map(|point| {
            let file = self.script.join("hold");
            format!("{point}:{}:{}", self.turn, file.display())
        });
        match hold {
            Some(hold) => self.env.daemon_with(&[("AICTXD_FLOW_HOLD", &hold)]),
            None => self.env.daemon(),
        }
    }

    /// Starts the flow and waits until it is at the point.
    fn begin(&mut self) -> Daemon {
        let daemon = self.daemon(true);
        let exec = format!("sh {}", self.script.join("agent.sh").display());
        let start = ["start", "--exec", &exec, "--trust-verify"];
        self.flow(&start).ok();
        self.flow(&["say", "the word is mark-said-end"]).ok();
        if self.point == Point::HalfReplied {
            self.reply_by_file();
        }
        wait_long_until("the point is reached", || self.is_there());
        self.note_revision();
        daemon
    }

    fn is_there(&self) -> bool {
        let is_held = self.point.held_at().is_none() || self.script.join("hold").exists();
        let is_here = self.point.stays_at().is_none() || self.script.join("here").exists();
        let is_noted = match self.point {
            Point::Launched | Point::Delivered => self.state()["turn"]["phase"] == "launched",
            _ => true,
        };
        is_held && is_here && is_noted
    }

    /// Directory of the flow in the worktree.
    fn files(&self) -> PathBuf {
        let flows = fs::read_dir(self.repo.join(".aictx/flows")).unwrap();
        let mut flows = flows.map(|entry| entry.unwrap().path());
        flows.find(|path| path.is_dir()).unwrap()
    }

    fn state(&self) -> Value {
        let text = fs::read_to_string(self.files().join("flow.json")).unwrap_or_default();
        serde_json::from_str(&text).unwrap_or_default()
    }

    fn note_revision(&mut self) {
        self.revisions.extend(self.state()["state_rev"].as_u64());
    }

    /// Folder of the turn that it happens in.
    fn folder(&self) -> PathBuf {
        let id = self.files().file_name().unwrap().to_owned();
        let turns = self.env.path().join("state/aictx/flows").join(id);
        turns.join(format!("turns/{:04}", self.turn))
    }

    /// Acts of a person meanwhile.
    fn write_as_person(&self, with_edits: bool) {
        if self.point != Point::HalfReplied {
            self.reply_by_file();
        }
        if with_edits {
            fs::write(self.repo.join("mine.txt"), "after\n").unwrap();
            for number in [usize::try_from(self.turn).unwrap(), TICKETS] {
                let text = fs::read_to_string(self.ticket(number)).unwrap();
                fs::write(self.ticket(number), text + "mark-edit-end\n").unwrap();
            }
        }
    }

    fn reply_by_file(&self) {
        let files = self.files();
        fs::create_dir_all(files.join("reply")).unwrap();
        fs::write(files.join("reply/note.txt"), "note").unwrap();
        fs::write(files.join("reply/more.txt"), "more").unwrap();
        fs::write(files.join("USER_REPLY.md.draft"), "here is mark-file-end\n").unwrap();
        fs::rename(
            files.join("USER_REPLY.md.draft"),
            files.join("USER_REPLY.md"),
        )
        .unwrap();
    }

    fn host(&self) -> Option<Pid> {
        let folder = match self.point {
            Point::Checking => self.folder().join("check-0"),
            _ => self.folder(),
        };
        let note: Value =
            serde_json::from_str(&fs::read_to_string(folder.join("host.json")).ok()?).ok()?;
        alive(i32::try_from(note["pid"].as_i64()?).ok()?)
    }

    fn agent(&self) -> Option<Pid> {
        self.point.stays_at()?;
        let text = fs::read_to_string(self.script.join("here")).ok()?;
        alive(text.trim().parse().ok()?)
    }

    /// Kills; nothing where there is no such process. Gives the daemon that is left.
    fn kill(&self, victim: Victim, daemon: Daemon) -> Result<Option<Daemon>, Daemon> {
        let wanted = match victim {
            Victim::Daemon => Vec::new(),
            Victim::Host => vec![self.host()],
            Victim::Agent => vec![self.agent()],
            // The host first: it would still tell how the agent ended.
            Victim::All => vec![self.host(), self.agent()],
        };
        let daemon = match victim.takes_daemon() {
            true => {
                daemon.kill();
                None
            }
            false if wanted.iter().all(Option::is_none) => return Err(daemon),
            false => Some(daemon),
        };
        for pid in wanted.into_iter().flatten() {
            let _ = kill_process(pid, Signal::KILL);
        }
        Ok(daemon)
    }

    /// Lets go what is held.
    fn release(&self, name: &str) {
        let path = self.script.join(name);
        let _ = fs::remove_file(&path).or_else(|_| fs::remove_dir(&path));
    }

    /// Waits until the flow has ended; a database that was lost has lost trust with it.
    fn end(&mut self) {
        let end = Instant::now() + PATIENCE * 4;
        loop {
            self.note_revision();
            let run = self.flow(&["status", "--json"]);
            let status: Value = serde_json::from_str(&run.stdout).unwrap_or_default();
            let flow = &status["flows"][0];
            match (flow["status"].as_str(), flow["reason_code"].as_str()) {
                (Some("completed"), _) => return,
                (Some("paused"), Some("approval_needed")) => {
                    let _ = self.flow(&["resume", "--trust-verify"]);
                }
                (Some("running" | "waiting"), _) | (None, _) if Instant::now() < end => {}
                _ => {
                    let log = self.flow(&["log", "--events"]).stdout;
                    return self.faults.push(format!("it is {flow}\n{log}"));
                }
            }
            std::thread::sleep(Duration::from_millis(30));
        }
    }

    fn check(&mut self, is: bool, text: impl FnOnce() -> String) {
        if !is {
            self.faults.push(text());
        }
    }

    fn lines(&self, name: &str) -> Vec<String> {
        let text = fs::read_to_string(self.script.join(name)).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }

    /// Compares what is promised with what there is. `lost` receipts and numbers are those of a lost database.
    fn compare(
        &mut self,
        mut outcome: Outcome,
        with_edits: bool,
        is_database_lost: bool,
    ) -> Outcome {
        outcome.harm = 1;
        self.end();
        if self.faults.is_empty() {
            self.compare_turns();
            self.compare_dispatches(&mut outcome);
            if !is_database_lost {
                self.compare_replies(&mut outcome);
            }
            self.compare_files(with_edits);
            self.compare_processes();
        }
        for line in self.lines("faults") {
            self.faults.push(line);
        }
        outcome.faults = std::mem::take(&mut self.faults);
        outcome
    }

    fn compare_turns(&mut self) {
        let runs = self.lines("runs");
        let allowed = TICKETS + 1 + usize::from(self.point == Point::Failing);
        self.check(runs.len() <= allowed, || format!("{runs:?} started"));
        let mut once = runs.clone();
        once.sort();
        once.dedup();
        self.check(once.len() == runs.len(), || {
            format!("two agents in {runs:?}")
        });
        let row = self.flow(&["status", "--json"]).json()["flows"][0].clone();
        // The file is written behind the database.
        wait_long_until("flow.json is as new as the flow", || {
            self.state()["state_rev"] == row["state_rev"]
        });
        self.note_revision();
        let revisions = self.revisions.clone();
        self.check(revisions.is_sorted(), || format!("numbers {revisions:?}"));
        let unverified = row["unverified"].clone();
        self.check(unverified.as_array().is_some_and(Vec::is_empty), || {
            format!("{unverified} not verified")
        });
        let tasks = self.env.aictx(&self.repo, &["task", "list", "--json"]);
        let claims = self
            .env
            .aictx(&self.repo, &["ticket", "list", "--json"])
            .stdout;
        self.check(!claims.contains("flow flw_"), || {
            format!("a ticket is still claimed: {claims}\n{}", tasks.stdout)
        });
    }

    fn compare_dispatches(&mut self, outcome: &mut Outcome) {
        let files = self.files();
        let history = files.join("dispatch_history");
        let names = fs::read_dir(&history).map_or_else(
            |_| Vec::new(),
            |entries| {
                let mut names: Vec<String> = entries
                    .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
                    .collect();
                names.sort();
                names
            },
        );
        let expected: Vec<String> = (1..=names.len()).map(|n| format!("{n:04}")).collect();
        self.check(names == expected, || format!("dispatches {names:?}"));
        let mut archived = String::new();
        for (n, name) in names.iter().enumerate() {
            let directory = history.join(name);
            archived += &fs::read_to_string(directory.join("DISPATCH.md")).unwrap_or_default();
            let meta = fs::read_to_string(directory.join("meta.json")).unwrap_or_default();
            let meta: Value = serde_json::from_str(&meta).unwrap_or_default();
            let mut listed: Vec<_> = meta["files"].as_array().cloned().unwrap_or_default();
            listed.sort_by_key(|file| file["name"].to_string());
            let listed: Vec<_> = listed
                .iter()
                .filter_map(|file| file["name"].as_str())
                .collect();
            self.check(meta["seq"] == n + 1, || format!("{name} says {meta}"));
            self.check(listed == ["a", "b", "sub/c"], || {
                format!("{name} lists {listed:?}")
            });
            let are_there = ["a", "b", "sub/c"]
                .iter()
                .all(|f| directory.join(f).is_file());
            self.check(are_there, || format!("{name} lacks an attachment"));
        }
        self.check(!files.join("DISPATCH.md").exists(), || {
            "DISPATCH.md was left".to_owned()
        });
        for id in self.lines("written") {
            outcome.sent += 1;
            match archived.matches(&id).count() {
                0 => outcome.lost += 1,
                1 => {}
                _ => outcome.twice += 1,
            }
        }
    }

    /// Each reply is in the prompt of exactly one turn that succeeded.
    fn compare_replies(&mut self, outcome: &mut Outcome) {
        let log = self.flow(&["log", "--json"]).json();
        let turns = log["turns"].as_array().cloned().unwrap_or_default();
        let numbers: Vec<_> = turns.iter().filter_map(|turn| turn["n"].as_u64()).collect();
        self.check(numbers.is_sorted(), || format!("turns {numbers:?}"));
        let marks = ["mark-said-end", "mark-file-end", "note.txt", "more.txt"];
        let mut told = BTreeMap::from(marks.map(|mark| (mark, 0)));
        for turn in turns.iter().filter(|turn| turn["outcome"] == "ok") {
            let number = turn["n"].to_string();
            let prompt = self
                .flow(&["log", "--json", "--prompt", "--turn", &number])
                .json();
            let prompt = prompt["text"].as_str().unwrap_or_default();
            for (mark, count) in &mut told {
                *count += prompt.matches(mark).count();
            }
        }
        for (mark, count) in told {
            outcome.sent += 1;
            outcome.lost += u64::from(count == 0);
            outcome.twice += u64::from(count > 1);
            self.check(count == 1, || format!("{mark} was told {count} times"));
        }
    }

    fn compare_files(&mut self, with_edits: bool) {
        let mine = fs::read_to_string(self.repo.join("mine.txt")).unwrap_or_default();
        let expected = if with_edits { "after\n" } else { "before\n" };
        self.check(mine == expected, || format!("mine.txt holds {mine:?}"));
        for number in 1..=TICKETS {
            let text = fs::read_to_string(self.ticket(number)).unwrap_or_default();
            let is_edited = number == TICKETS || u32::try_from(number) == Ok(self.turn);
            let edits = usize::from(with_edits && is_edited);
            let is_as_edited = text.matches("mark-edit-end").count() == edits;
            self.check(is_as_edited && text.contains("done: true"), || {
                format!("TICKET-{number:03} holds {text}")
            });
            let name = format!("TICKET-{number:03}");
            let log = self.env.git(&self.repo, &["log", "--format=%s"]);
            let commits = log.lines().filter(|line| *line == name).count();
            let has_fix = self.point == Point::Failing && u32::try_from(number) == Ok(self.turn);
            let extra = usize::from(self.repo.join(format!("fixed-{name}")).exists());
            self.check(
                commits >= 1 && commits <= 1 + extra && (!has_fix || extra == 1),
                || format!("{commits} commits of {name}"),
            );
        }
        let status = self.env.git(&self.repo, &["status", "--porcelain"]);
        self.check(status.trim() == "?? mine.txt", || {
            format!("git says {status}")
        });
    }

    /// No process of a turn is left.
    fn compare_processes(&mut self) {
        let end = Instant::now() + Duration::from_secs(5);
        while let Some(left) = marked(self.env.path()) {
            if Instant::now() > end {
                return self.faults.push(format!("process {left} is left"));
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

/// A process that runs; one that only nobody has reaped does not.
fn alive(pid: i32) -> Option<Pid> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    (!stat.contains(") Z ")).then_some(Pid::from_raw(pid)?)
}

/// A process of a turn of flows below a directory.
fn marked(root: &Path) -> Option<i32> {
    let mark = format!("AICTX_TURN_DIR={}", root.display());
    let processes = fs::read_dir("/proc").into_iter().flatten();
    let mut pids = processes.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    pids.find(|pid: &i32| {
        let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        let mut entries = environment.split(|byte| *byte == 0);
        entries.any(|entry| entry.starts_with(mark.as_bytes())) && alive(*pid).is_some()
    })
}

/// Kills `victim` at a point; nothing where there is no such process then.
pub fn kill(point: Point, victim: Victim, seed: u64) -> Option<Outcome> {
    if matches!(victim, Victim::Host | Victim::Agent) && point.stays_at().is_none() {
        return None;
    }
    let mut scene = Scene::new(point, seed);
    let mut random = Random(seed);
    let with_edits = !seed.is_multiple_of(3);
    let daemon = scene.begin();
    scene.write_as_person(with_edits);
    std::thread::sleep(random.pause(20));
    let Ok(daemon) = scene.kill(victim, daemon) else {
        return None;
    };
    // The agent may go on and end while there is no daemon.
    let is_early = random.below(2) == 0;
    if is_early {
        scene.release("agent-hold");
        std::thread::sleep(random.pause(300));
    }
    scene.release("hold");
    let daemon = daemon.unwrap_or_else(|| scene.daemon(false));
    if !is_early {
        std::thread::sleep(random.pause(300));
        scene.release("agent-hold");
    }
    let outcome = scene.compare(Outcome::default(), with_edits, false);
    drop(daemon);
    Some(outcome)
}

/// Kills the daemon and damages a file before the next one starts.
pub fn damage(damage: Damage, seed: u64) -> Outcome {
    let mut scene = Scene::new(damage.point(seed), seed);
    let daemon = scene.begin();
    scene.write_as_person(true);
    daemon.kill();
    let state = scene.env.path().join("state/aictx");
    let cut = |path: PathBuf, part: u64| {
        let file = fs::OpenOptions::new().write(true).open(path).unwrap();
        file.set_len(file.metadata().unwrap().len() * part / 8)
            .unwrap();
    };
    let database = state.join("flows.db");
    let log = state.join("flows.db-wal");
    match damage {
        // Half of the last page.
        Damage::LogCut => {
            let file = fs::OpenOptions::new().write(true).open(&log).unwrap();
            let length = file.metadata().unwrap().len();
            file.set_len(length.saturating_sub(2_000)).unwrap();
        }
        Damage::LogLost => fs::remove_file(&log).unwrap(),
        Damage::Page => {
            let _ = fs::remove_file(&log);
            fs::write(&database, vec![0xa5; 16_384]).unwrap();
        }
        Damage::Empty => {
            let _ = fs::remove_file(&log);
            fs::write(&database, "").unwrap();
        }
        Damage::Lost => {
            for name in ["flows.db", "flows.db-wal", "flows.db-shm"] {
                let _ = fs::remove_file(state.join(name));
            }
        }
        Damage::State => cut(scene.files().join("flow.json"), 5),
        Damage::Copy => cut(scene.folder().join("../../flow.json"), 5),
        Damage::Exit => cut(scene.folder().join("exit.json"), 5),
        Damage::ExitEmpty => cut(scene.folder().join("exit.json"), 0),
        Damage::Host => fs::remove_file(scene.folder().join("host.json")).unwrap(),
    }
    scene.release("hold");
    let daemon = scene.daemon(false);
    scene.release("agent-hold");
    let is_lost = matches!(
        damage,
        Damage::LogLost | Damage::Page | Damage::Empty | Damage::Lost
    );
    let outcome = scene.compare(Outcome::default(), true, is_lost);
    drop(daemon);
    outcome
}

/// Lets a second daemon take over, with another runtime directory as after a clean-up of the first one's, while the
/// first one is about to settle a turn; then lets the first one go on.
pub fn two_daemons(point: Point, seed: u64) -> Outcome {
    let mut scene = Scene::new(point, seed);
    let stale = scene.begin();
    scene.write_as_person(true);
    let other = scene.env.path().join("run2");
    fs::create_dir(&other).unwrap();
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o700);
    fs::set_permissions(&other, mode).unwrap();
    scene.env.set("XDG_RUNTIME_DIR", other.to_str().unwrap());
    let mut command = scene.env.command(crate::program("aictxd"));
    let child = command
        .args(["run", "--detach"])
        .stdin(std::process::Stdio::null());
    let child = child
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null());
    let child = child.spawn().unwrap();
    let newer = Daemon {
        child,
        socket: other.join("aictx/v1/sock"),
    };
    wait_long_until("the newer daemon answers", || newer.socket.exists());
    // It may be at work, or done: either way the older one must change nothing.
    std::thread::sleep(Random(seed).pause(1_500));
    scene.release("hold");
    scene.release("agent-hold");
    let outcome = scene.compare(Outcome::default(), true, false);
    drop((stale, newer));
    outcome
}
