//! Flows with a scripted agent: real daemon, real hosts, real git. Tests are named after the groups of behaviour
//! that they show (d19_3 happy path … d19_17 prompt).

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Barrier;
use std::thread;

use aictx_proto::flow::{Actor, FlowReason};
use aictx_tests::documentation::assert_example;
use aictx_tests::{Run, TestEnv, wait_long_until, wait_until};
use serde_json::Value;

/// Shell functions for the turns of the scripted agent.
const AGENT: &str = r#"
cat > "$AICTX_TURN_DIR/seen"
finish() { sed -i.bak 's/done: false/done: true/' "$AICTX_TICKET"; rm -f "$AICTX_TICKET.bak"; }
commit() { git add -A . && git commit -qm "turn $AICTX_TURN"; }
work() { echo "$AICTX_TICKET_ID" > "work-$(basename "$AICTX_TICKET" .md)"; }
say() { printf '%s\n' "$1" > "$AICTX_FLOW_DIR/DISPATCH.md"; }
report() { printf '{"aictx":%s}\n' "$1"; }
wait_for() { while [ ! -e "$1" ]; do sleep 0.05; done; }
script=$SCRIPT/$AICTX_TURN
[ -e "$script" ] || script=$SCRIPT/default
cd "$AICTX_ROOT"
. "$script"
"#;

/// A turn that does its ticket.
const WORKS: &str = "work; finish; commit; echo worked";

/// A repository with a scripted agent.
struct Scene {
    env: TestEnv,
    repo: PathBuf,
    script: PathBuf,
}

impl Scene {
    /// With tickets, each with these further lines of frontmatter.
    fn new(tickets: &[&str]) -> Self {
        let mut env = TestEnv::new();
        let repo = env.repository("demo");
        let script = env.path().join("script");
        fs::create_dir(&script).unwrap();
        fs::write(script.join("agent.sh"), AGENT).unwrap();
        env.set("SCRIPT", script.to_str().unwrap());
        let scene = Self { env, repo, script };
        for (at, lines) in tickets.iter().enumerate() {
            let number = at + 1;
            let directory = scene.repo.join(".aictx/tickets");
            fs::create_dir_all(&directory).unwrap();
            let text = format!(
                "---\nticket_id: tkt_{number:06}\nagent: codex\ndone: false\ntitle: Number {number}\n{lines}---\n\nDo it\n"
            );
            fs::write(directory.join(format!("TICKET-{number:03}.md")), text).unwrap();
        }
        scene.turn("default", WORKS);
        scene
    }

    fn turn(&self, number: impl ToString, commands: &str) {
        fs::write(self.script.join(number.to_string()), commands).unwrap();
    }

    fn flow(&self, arguments: &[&str]) -> Run {
        self.env.aictx(&self.repo, &[&["flow"], arguments].concat())
    }

    fn json(&self, arguments: &[&str]) -> Value {
        self.flow(&[arguments, &["--json"]].concat()).json()
    }

    fn start(&self, arguments: &[&str]) -> Value {
        let exec = format!("sh {}", self.script.join("agent.sh").display());
        let own = [
            "start",
            "--exec",
            &exec,
            "--trust-verify",
            "--unverified",
            "--env",
            "SCRIPT",
        ];
        self.json(&[&own, arguments].concat())
    }

    /// Waits until the flow rests, and gives it.
    fn rest(&self) -> Value {
        let _ = self.flow(&["watch", "--until-rest"]);
        self.status()
    }

    fn status(&self) -> Value {
        self.json(&["status"])["flows"][0].clone()
    }

    fn ends_as(&self, status: &str, reason: &str) -> Value {
        let flow = self.rest();
        let code = flow["reason_code"].as_str().unwrap_or_default();
        assert_eq!(
            (flow["status"].as_str().unwrap(), code),
            (status, reason),
            "{flow:#}"
        );
        flow
    }

    fn turns(&self) -> Vec<Value> {
        let log = self.json(&["log"]);
        log["turns"].as_array().cloned().unwrap_or_default()
    }

    fn kinds(&self) -> Vec<String> {
        let turns = self.turns();
        turns
            .iter()
            .map(|turn| turn["kind"].as_str().unwrap().to_owned())
            .collect()
    }

    fn prompt(&self, turn: u32) -> String {
        let log = self.json(&["log", "--prompt", "--turn", &turn.to_string()]);
        log["text"].as_str().unwrap().to_owned()
    }

    /// Directory of the flow in the worktree.
    fn files(&self) -> PathBuf {
        let id = self.status()["flow_id"].as_str().unwrap().to_owned();
        self.repo.join(".aictx/flows").join(id)
    }

    /// Folder of a turn in the state directory.
    fn folder(&self, turn: u32) -> PathBuf {
        let id = self.status()["flow_id"].as_str().unwrap().to_owned();
        let state = self.env.path().join("state/aictx/flows").join(id);
        state.join(format!("turns/{turn:04}"))
    }

    fn git(&self, arguments: &[&str]) -> String {
        self.env.git(&self.repo, arguments)
    }

    fn host(&self, turn: u32) -> Option<i32> {
        let text = fs::read_to_string(self.folder(turn).join("host.json")).ok()?;
        let note: Value = serde_json::from_str(&text).ok()?;
        i32::try_from(note["pid"].as_i64()?).ok()
    }
}

fn kill(pid: i32) {
    let pid = rustix::process::Pid::from_raw(pid).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
}

/// Returns true if a process runs; one that only nobody has reaped does not.
fn is_alive(pid: &str) -> bool {
    let stat = fs::read_to_string(Path::new("/proc").join(pid.trim()).join("stat"));
    stat.is_ok_and(|stat| !stat.contains(") Z "))
}

#[test]
fn d19_3_two_tickets_are_worked_off_committed_and_verified() {
    let scene = Scene::new(&[
        "verify: ['test -f work-TICKET-001']\n",
        "verify: ['test -f work-TICKET-002']\n",
    ]);
    let daemon = scene.env.daemon();
    scene.turn(
        1,
        "printf 'a\\nb\\nc\\n' > new.txt; work; finish; commit; echo 'all of it'",
    );
    let started = scene.start(&[]);
    assert_eq!(started["flows"][0]["status"], "running", "{started:#}");
    let flow = scene.ends_as("completed", "");
    assert_eq!(flow["tickets"], serde_json::json!([2, 2]));
    assert_eq!(flow["unverified"], serde_json::json!([]));
    let turns = scene.turns();
    assert_eq!(turns.len(), 2);
    // New files count, and so does what was committed within the turn.
    assert_eq!(turns[0]["diff"]["insertions"], 4);
    assert_eq!(turns[0]["diff"]["files_changed"], 2);
    assert_eq!(
        (&turns[0]["verified"], &turns[1]["verified"]),
        (&Value::Bool(true), &Value::Bool(true))
    );
    assert_eq!(turns[0]["summary"], "all of it");
    assert_eq!(
        scene.git(&["log", "--format=%s", "-2"]).trim(),
        "turn 2\nturn 1"
    );
    assert_eq!(scene.git(&["status", "--porcelain"]), "");
    assert!(
        !scene
            .git(&["log", "--branches", "--format=%s"])
            .contains("checkpoint")
    );
    let patch = scene.flow(&["diff", "--turn", "1"]).ok().stdout;
    assert!(patch.contains("+++ b/new.txt"), "{patch}");
    scene
        .flow(&["restore", "--turn", "2", "--branch", "before-two"])
        .ok();
    assert!(
        scene
            .git(&["ls-tree", "--name-only", "before-two"])
            .contains("work-TICKET-001")
    );
    // What was done is work of the memory, too.
    let tasks = scene
        .env
        .aictx(&scene.repo, &["task", "list", "--json"])
        .json();
    assert!(tasks.to_string().contains("Number 2"), "{tasks:#}");
    let executions = scene
        .env
        .rows(&scene.repo, "metrics/agent_execution_log.jsonl");
    let summaries: Vec<&str> = executions
        .iter()
        .filter_map(|row| row["result_summary"].as_str())
        .collect();
    assert_eq!(summaries, ["all of it", "worked"], "{executions:#?}");
    let again = scene.start(&[]);
    assert_ne!(again["flows"][0]["flow_id"], started["flows"][0]["flow_id"]);
    scene.ends_as("completed", "");
    drop(daemon);
}

#[test]
fn d19_4_what_is_not_committed_is_asked_for_and_committed_by_hand_costs_no_turn() {
    let scene = Scene::new(&["verify: ['true']\n"]);
    let daemon = scene.env.daemon();
    fs::write(scene.repo.join("mine.txt"), "mine").unwrap();
    scene.turn("default", "work; finish");
    scene.start(&[]);
    let flow = scene.ends_as("paused", "commit_required");
    assert_eq!(
        flow["details"],
        serde_json::json!(["work-TICKET-001"]),
        "what was there before is not asked for"
    );
    assert_eq!(scene.kinds(), ["work", "commit", "commit"]);
    assert!(scene.prompt(2).contains("work-TICKET-001"));
    let refused = scene.flow(&["resume"]);
    assert_ne!(refused.status, 0, "{refused:?}");
    scene.git(&["add", "work-TICKET-001"]);
    scene.git(&["commit", "-qm", "by hand"]);
    scene.flow(&["resume"]).ok();
    scene.ends_as("completed", "");
    assert_eq!(scene.turns().len(), 3);
    drop(daemon);
}

#[test]
fn d19_4_the_daemon_commits_with_hooks_and_tells_what_they_say() {
    let scene = Scene::new(&["verify: ['true']\n"]);
    let daemon = scene.env.daemon();
    let hook = scene.repo.join(".git/hooks/pre-commit");
    fs::create_dir_all(hook.parent().unwrap()).unwrap();
    fs::write(
        &hook,
        "#!/bin/sh\n[ -e formatted ] || { echo 'run the formatter'; exit 1; }\n",
    )
    .unwrap();
    let mut mode = fs::metadata(&hook).unwrap().permissions();
    std::os::unix::fs::PermissionsExt::set_mode(&mut mode, 0o755);
    fs::set_permissions(&hook, mode).unwrap();
    scene.turn(1, "work; finish");
    scene.turn(2, "touch formatted");
    scene.start(&["--commit", "daemon"]);
    scene.ends_as("completed", "");
    assert_eq!(scene.kinds(), ["work", "commit"]);
    assert!(scene.prompt(2).contains("run the formatter"));
    assert_eq!(scene.git(&["log", "-1", "--format=%s"]).trim(), "Number 1");
    drop(daemon);
}

#[test]
fn d19_5_a_broken_ticket_is_repaired_in_the_same_turn_as_its_question_is_asked() {
    let scene = Scene::new(&["verify: ['true']\n"]);
    let daemon = scene.env.daemon();
    scene.turn(1, "cp \"$AICTX_TICKET\" \"$SCRIPT/good\"; sed -i.bak 's/title: .*/title: \"a/' \"$AICTX_TICKET\"; rm \"$AICTX_TICKET.bak\"; say '---\nmode: pause\n---\nWhich key?'");
    scene.turn(2, "cp \"$SCRIPT/good\" \"$AICTX_TICKET\"");
    scene.start(&[]);
    scene.ends_as("paused", "user_pause");
    scene.flow(&["reply", "the second one"]).ok();
    scene.ends_as("completed", "");
    assert_eq!(scene.kinds(), ["work", "repair_frontmatter", "work"]);
    assert!(scene.prompt(2).contains("the second one"));
    drop(daemon);
}

#[test]
fn d19_6_a_limit_of_use_waits_and_what_tools_print_does_not() {
    let scene = Scene::new(&["verify: ['true']\n"]);
    let daemon = scene.env.daemon();
    scene.turn(
        1,
        "echo 'connection timeout; 5-hour limit reached'; touch note; git add note",
    );
    scene.turn(2, "report '{\"error\":{\"class\":\"quota\",\"text\":\"limit reached\",\"resets_at\":4102444800}}'; exit 1");
    scene.start(&[]);
    let flow = scene.ends_as("waiting", "quota_wait");
    assert!(flow["due_at"].as_i64().unwrap() >= 4_102_444_800);
    assert_eq!(flow["turns"][0], 1, "a limit counts no turn");
    assert_eq!(scene.kinds().len(), 2);
    let status = scene.flow(&["status"]).ok().stdout;
    assert!(status.contains("goes on at 2100-01-01T00:0"), "{status}");
    scene.flow(&["stop"]).ok();
    scene.ends_as("stopped", "user_stop");
    scene.flow(&["resume"]).ok();
    scene.ends_as("waiting", "quota_wait");
    scene.flow(&["resume", "--force"]).ok();
    scene.ends_as("completed", "");
    drop(daemon);
}

#[test]
fn d19_8_a_dispatch_is_archived_once_with_its_attachments() {
    let scene = Scene::new(&["verify: ['true']\n"]);
    let daemon = scene.env.daemon();
    scene.turn(
        1,
        "mkdir -p \"$AICTX_FLOW_DIR/dispatch/sub\"; echo x > \"$AICTX_FLOW_DIR/dispatch/sub/ä b.txt\"; say '---\nmode: pause\ntitle: Which key?\n---\nOne or two'",
    );
    scene.start(&[]);
    let flow = scene.ends_as("paused", "user_pause");
    assert_eq!(flow["reason"], "Which key?");
    let archived = scene.files().join("dispatch_history/0001");
    assert!(archived.join("sub/ä b.txt").exists());
    let meta: Value =
        serde_json::from_str(&fs::read_to_string(archived.join("meta.json")).unwrap()).unwrap();
    assert_eq!(
        (&meta["turn"], &meta["mode"]),
        (&Value::from(1), &Value::from("pause"))
    );
    let inbox = scene.json(&["inbox"]);
    assert_eq!(inbox["inbox"][0]["text"], "One or two\n", "{inbox:#}");
    // Malformed: the flow pauses with the name of the file, and goes on when it is corrected.
    scene.turn(2, "say '---\nmode: later\n---\nx'");
    scene.flow(&["reply", "two"]).ok();
    let flow = scene.ends_as("paused", "needs_user_fix");
    assert!(
        flow["reason"].as_str().unwrap().contains("DISPATCH.md"),
        "{flow:#}"
    );
    let file = scene.files().join("DISPATCH.md");
    fs::write(&file, "---\nmode: notify\n---\nfine\n").unwrap();
    scene.flow(&["resume", "--force"]).ok();
    scene.ends_as("completed", "");
    let names = fs::read_dir(scene.files().join("dispatch_history"))
        .unwrap()
        .count();
    assert_eq!(names, 2);
    assert!(!file.exists());
    drop(daemon);
}

#[test]
fn d19_8_links_in_attachments_are_refused() {
    let scene = Scene::new(&["verify: ['true']\n"]);
    let daemon = scene.env.daemon();
    scene.turn(
        1,
        "ln -s /etc/passwd \"$AICTX_FLOW_DIR/dispatch/p\"; say hello",
    );
    scene.start(&[]);
    let flow = scene.ends_as("paused", "needs_user_fix");
    assert!(flow["reason"].as_str().unwrap().contains('p'), "{flow:#}");
    assert!(
        scene.files().join("DISPATCH.md").exists(),
        "nothing was moved"
    );
    drop(daemon);
}

#[test]
fn d19_9_replies_are_told_once_in_order_and_again_after_a_failure() {
    let scene = Scene::new(&["verify: ['true']\n"]);
    let daemon = scene.env.daemon();
    scene.turn(1, "say '---\nmode: pause\n---\nWhat now?'");
    scene.turn(
        2,
        "report '{\"error\":{\"class\":\"auth\",\"text\":\"sign in\"}}'; exit 1",
    );
    scene.turn(3, "touch note; git add note");
    scene.start(&[]);
    scene.ends_as("paused", "user_pause");
    scene
        .flow(&["reply", "zebra", "--no-resume", "--key", "k"])
        .ok();
    scene
        .flow(&["reply", "zebra", "--no-resume", "--key", "k"])
        .ok();
    fs::write(scene.files().join("USER_REPLY.md"), "by file").unwrap();
    scene.flow(&["resume"]).ok();
    scene.ends_as("paused", "auth_required");
    scene.flow(&["resume"]).ok();
    scene.ends_as("completed", "");
    for turn in [2, 3] {
        let prompt = scene.prompt(turn);
        let (first, file) = (
            prompt.find("zebra").unwrap(),
            prompt.find("by file").unwrap(),
        );
        assert!(first < file);
        assert_eq!(prompt.matches("zebra").count(), 1, "{prompt}");
    }
    assert!(!scene.prompt(4).contains("by file"));
    drop(daemon);
}

#[test]
fn d19_11_checks_are_asked_for_repaired_and_missed_where_there_are_none() {
    let scene = Scene::new(&["verify: ['grep -q fixed code']\n", ""]);
    let daemon = scene.env.daemon();
    scene.turn(1, "echo broken > code; finish; commit");
    scene.turn(2, "echo fixed > code; finish; commit");
    let exec = format!("sh {}", scene.script.join("agent.sh").display());
    let refused = scene.flow(&["start", "--exec", &exec]);
    assert!(refused.stderr.contains("TICKET-002.md"), "{refused:?}");
    scene.json(&["start", "--exec", &exec, "--unverified", "--env", "SCRIPT"]);
    let flow = scene.ends_as("paused", "approval_needed");
    assert!(
        flow["reason"].as_str().unwrap().contains("grep -q fixed"),
        "{flow:#}"
    );
    assert_eq!(scene.turns().len(), 0);
    scene
        .flow(&["resume", "--trust-verify", "--env", "SCRIPT"])
        .ok();
    let flow = scene.ends_as("completed", "");
    assert_eq!(scene.kinds(), ["work", "verify_fix", "work"]);
    assert!(scene.prompt(2).contains("grep -q fixed code"));
    assert_eq!(flow["unverified"], serde_json::json!(["TICKET-002.md"]));
    let turns = scene.turns();
    assert_eq!(
        (&turns[0]["verified"], &turns[1]["verified"]),
        (&Value::Bool(false), &Value::Bool(true))
    );
    drop(daemon);
}

#[test]
fn d19_13_limits_interrupt_and_can_be_raised() {
    let scene = Scene::new(&["verify: ['true']\n"]);
    let daemon = scene.env.daemon();
    scene.turn(1, "report '{\"usage\":{\"input\":5000,\"output\":1}}'; touch \"$SCRIPT/told\"; wait_for /never");
    scene.start(&["--max-tokens", "1000"]);
    scene.ends_as("paused", "budget_exhausted");
    assert_eq!(scene.turns()[0]["outcome"], "interrupted");
    scene.flow(&["resume", "--tokens", "100000"]).ok();
    scene.ends_as("completed", "");
    let cost = scene.json(&["cost"]);
    let sum: u64 = cost["turns"]
        .as_array()
        .unwrap()
        .iter()
        .map(|t| t["usage"]["input"].as_u64().unwrap())
        .sum();
    assert_eq!(Value::from(sum), cost["flows"][0]["usage"]["input"]);
    drop(daemon);
}

#[test]
fn d19_14_a_stop_ends_everything_the_agent_started_and_loses_nothing() {
    let scene = Scene::new(&["verify: ['true']\n"]);
    let daemon = scene.env.daemon();
    // A child in a session of its own, which no signal to the group reaches.
    scene.turn(1, "echo half > half.txt; setsid sh -c 'echo $$ > \"$SCRIPT/orphan\"; exec sleep 600' & wait_for \"$SCRIPT/orphan\"; touch \"$SCRIPT/ready\"; wait_for /never");
    scene.start(&[]);
    wait_until("the agent works", || scene.script.join("ready").exists());
    scene.flow(&["stop", "--now"]).ok();
    scene.ends_as("stopped", "user_stop");
    let orphan = fs::read_to_string(scene.script.join("orphan")).unwrap();
    wait_until("its child is gone", || !is_alive(&orphan));
    let id = scene.status()["flow_id"].as_str().unwrap().to_owned();
    let kept = scene.git(&[
        "show",
        &format!("refs/aictx/checkpoints/{id}/0001-after:half.txt"),
    ]);
    assert_eq!(kept, "half\n");
    scene.flow(&["resume"]).ok();
    scene.ends_as("completed", "");
    drop(daemon);
}

#[test]
fn d19_15_silent_and_idle_is_interrupted_and_silent_and_busy_is_not() {
    let scene = Scene::new(&["verify: ['true']\n"]);
    let daemon = scene.env.daemon();
    scene.turn(1, "end=$(($(date +%s) + 4)); while [ $(date +%s) -lt $end ]; do :; done; work; finish; commit");
    scene.start(&["--stall-time", "2s"]);
    scene.ends_as("completed", "");
    assert_eq!(scene.turns()[0]["outcome"], "ok");
    let scene = Scene::new(&["verify: ['true']\n"]);
    let second = scene.env.daemon();
    scene.turn(1, "wait_for_ever() { exec sleep 600; }; wait_for_ever");
    scene.start(&["--stall-time", "2s"]);
    scene.ends_as("completed", "");
    assert_eq!(scene.turns()[0]["outcome"], "interrupted");
    assert_eq!(scene.turns().len(), 2);
    drop((daemon, second));
}

#[test]
fn d19_16_fifty_starts_are_one_flow() {
    let scene = Scene::new(&["verify: ['true']\n"]);
    let daemon = scene.env.daemon();
    scene.turn("default", "wait_for \"$SCRIPT/go\"; work; finish; commit");
    let barrier = Barrier::new(50);
    let ids: Vec<String> = thread::scope(|scope| {
        let starts: Vec<_> = (0..50)
            .map(|_| {
                scope.spawn(|| {
                    barrier.wait();
                    let started = scene.start(&[]);
                    started["flows"][0]["flow_id"].as_str().unwrap().to_owned()
                })
            })
            .collect();
        starts
            .into_iter()
            .map(|start| start.join().unwrap())
            .collect()
    });
    assert!(ids.iter().all(|id| *id == ids[0]), "{ids:?}");
    fs::write(scene.script.join("go"), "").unwrap();
    scene.ends_as("completed", "");
    assert_eq!(scene.turns().len(), 1);
    drop(daemon);
}

#[test]
fn d19_7_a_turn_outlives_the_daemon_and_is_adopted() {
    let scene = Scene::new(&["verify: ['true']\n"]);
    let daemon = scene.env.daemon();
    scene.turn(1, "echo begun >> \"$SCRIPT/begun\"; wait_for \"$SCRIPT/go\"; work; finish; commit; echo worked");
    scene.start(&[]);
    wait_until("the agent works", || scene.script.join("begun").exists());
    daemon.kill();
    let daemon = scene.env.daemon();
    wait_until("the turn is known", || scene.status()["turn"] == 1);
    fs::write(scene.script.join("go"), "").unwrap();
    scene.ends_as("completed", "");
    let turns = scene.turns();
    assert_eq!((turns.len(), &turns[0]["attempt"]), (1, &Value::from(1)));
    assert_eq!(turns[0]["summary"], "worked");
    assert_eq!(
        fs::read_to_string(scene.script.join("begun")).unwrap(),
        "begun\n"
    );
    drop(daemon);
}

#[test]
fn d19_7_a_turn_whose_host_dies_is_repeated_and_its_processes_are_gone() {
    let scene = Scene::new(&["verify: ['true']\n"]);
    let daemon = scene.env.daemon();
    scene.turn(1, "echo $$ >> \"$SCRIPT/begun\"; [ $(wc -l < \"$SCRIPT/begun\") -gt 1 ] || wait_for /never; work; finish; commit");
    scene.start(&[]);
    wait_until("the agent works", || {
        scene.script.join("begun").exists() && scene.host(1).is_some()
    });
    let agent = fs::read_to_string(scene.script.join("begun")).unwrap();
    kill(scene.host(1).unwrap());
    scene.ends_as("completed", "");
    assert!(!is_alive(&agent), "the agent went with its host");
    let turns = scene.turns();
    assert_eq!((turns.len(), &turns[0]["attempt"]), (1, &Value::from(2)));
    drop(daemon);
}

#[test]
fn d19_19_a_lost_database_is_made_anew_of_the_files() {
    let scene = Scene::new(&["verify: ['true']\n", "verify: ['true']\n"]);
    let daemon = scene.env.daemon();
    scene.turn(2, "say '---\nmode: pause\n---\nGo on?'");
    scene.start(&[]);
    let before = scene.ends_as("paused", "user_pause");
    let reply = ["reply", "yes", "--no-resume", "--key", "k"];
    scene.flow(&reply).ok();
    daemon.kill();
    let state = scene.env.path().join("state/aictx");
    for name in ["flows.db", "flows.db-wal", "flows.db-shm"] {
        let _ = fs::remove_file(state.join(name));
    }
    let daemon = scene.env.daemon();
    wait_long_until("the flow is known again", || {
        scene.flow(&["status"]).status == 0
    });
    let after = scene.status();
    assert_eq!(
        (&before["flow_id"], &before["turns"]),
        (&after["flow_id"], &after["turns"])
    );
    scene.flow(&reply).ok();
    let replies = fs::read_dir(scene.files().join("reply_history"));
    assert_eq!(replies.unwrap().count(), 1);
    // Trust is in nobody's files.
    scene
        .flow(&["resume", "--trust-verify", "--env", "SCRIPT"])
        .ok();
    scene.ends_as("completed", "");
    drop(daemon);
}

#[test]
fn d19_10_turns_that_change_nothing_pause() {
    let scene = Scene::new(&["verify: ['true']\n"]);
    let daemon = scene.env.daemon();
    scene.turn("default", "echo thinking");
    scene.start(&[]);
    scene.ends_as("paused", "loop_no_progress");
    assert_eq!(scene.turns().len(), 2);
    scene.turn("default", WORKS);
    scene.flow(&["resume", "--force"]).ok();
    scene.ends_as("completed", "");
    drop(daemon);
}

#[test]
fn d19_12_lanes_work_at_once_and_are_merged_in_order() {
    let isolated = "isolation: worktree\nverify: ['true']\n";
    let scene = Scene::new(&[
        isolated,
        isolated,
        "after: [1, 2]\nverify: ['test -f work-TICKET-002']\n",
    ]);
    let daemon = scene.env.daemon();
    // Each waits until the other one has begun; the first one ends last.
    scene.turn(
        1,
        "echo x > \"$SCRIPT/begun-$AICTX_TICKET_ID\"; wait_for \"$SCRIPT/begun-tkt_000001\"; wait_for \"$SCRIPT/begun-tkt_000002\"; work; finish; commit; [ $AICTX_TICKET_ID = tkt_000002 ] || wait_for \"$SCRIPT/go\"",
    );
    scene.start(&["--lanes", "2"]);
    let all = || scene.json(&["status", "--all"]);
    let done = |flow: &Value| flow["status"] == "completed";
    wait_long_until("the second lane is done", || {
        all()["flows"].as_array().unwrap().iter().any(done)
    });
    assert!(
        !scene.repo.join("work-TICKET-002").exists(),
        "not before the first one"
    );
    // A lane that ends wakes the flow for a look.
    wait_until("the flow waits for the first lane", || {
        scene.status()["reason_code"] == "lane_wait"
    });
    fs::write(scene.script.join("go"), "").unwrap();
    let _ = scene.flow(&["watch"]);
    let flow = scene.status();
    assert_eq!(
        (&flow["status"], &flow["tickets"]),
        (&"completed".into(), &serde_json::json!([3, 3])),
        "{flow:#}"
    );
    let order = scene.git(&["log", "--format=%an", "--name-only", "--reverse", "-3"]);
    let at = |name: &str| order.find(name).unwrap();
    assert!(
        at("work-TICKET-001") < at("work-TICKET-002")
            && at("work-TICKET-002") < at("work-TICKET-003"),
        "{order}"
    );
    assert_eq!(scene.git(&["worktree", "list"]).lines().count(), 1);
    assert_eq!(
        scene.git(&["branch", "--format=%(refname:short)"]).trim(),
        "main"
    );
    drop(daemon);
}

#[test]
fn d19_12_a_conflict_of_lanes_keeps_both_branches() {
    let isolated = "isolation: worktree\nverify: ['true']\n";
    let scene = Scene::new(&[isolated, isolated]);
    let daemon = scene.env.daemon();
    scene.turn("default", "echo $AICTX_TICKET_ID > same; echo x > \"$SCRIPT/begun-$AICTX_TICKET_ID\"; wait_for \"$SCRIPT/begun-tkt_000001\"; wait_for \"$SCRIPT/begun-tkt_000002\"; finish; commit");
    scene.start(&["--lanes", "2"]);
    wait_long_until("a question", || scene.status()["status"] == "paused");
    assert_eq!(scene.status()["reason_code"], "merge_conflict");
    assert_eq!(
        fs::read_to_string(scene.repo.join("same")).unwrap(),
        "tkt_000001\n"
    );
    let branches = scene.git(&["branch", "--format=%(refname:short)"]);
    let lane = branches
        .lines()
        .find(|name| name.starts_with("aictx/"))
        .unwrap();
    assert_eq!(
        scene.git(&["show", &format!("{lane}:same")]),
        "tkt_000002\n"
    );
    // A person puts it right, and the flow goes on.
    scene.git(&["merge", "-q", "-X", "theirs", "-m", "by hand", lane]);
    scene.flow(&["resume"]).ok();
    let _ = scene.flow(&["watch"]);
    assert_eq!(scene.status()["status"], "completed");
    drop(daemon);
}

#[test]
fn a_flow_in_a_linked_worktree_works_on_a_copy_of_its_ticket() {
    let mut scene = Scene::new(&["verify: ['true']\n", "verify: ['true']\n"]);
    let daemon = scene.env.daemon();
    let linked = scene.env.path().join("linked");
    scene.git(&[
        "worktree",
        "add",
        "-q",
        "-b",
        "side",
        linked.to_str().unwrap(),
    ]);
    let tickets = scene.repo.join(".aictx/tickets");
    scene.repo = linked;
    scene.turn(2, "echo 'note of the agent' >> \"$AICTX_TICKET\"; touch \"$SCRIPT/noted\"; wait_for \"$SCRIPT/go\"");
    scene.start(&[]);
    wait_until("the agent works", || scene.script.join("noted").exists());
    let first = fs::read_to_string(tickets.join("TICKET-001.md")).unwrap();
    assert!(first.contains("done: true"), "{first}");
    // Somebody edits the same ticket: neither text is lost.
    let second = tickets.join("TICKET-002.md");
    let edited = fs::read_to_string(&second).unwrap() + "note of a person\n";
    fs::write(&second, &edited).unwrap();
    fs::write(scene.script.join("go"), "").unwrap();
    let flow = scene.ends_as("paused", "needs_user_fix");
    assert!(
        flow["reason"].as_str().unwrap().contains("TICKET-002.md"),
        "{flow:#}"
    );
    assert_eq!(fs::read_to_string(&second).unwrap(), edited);
    let copy = scene.files().join("ticket/TICKET-002.md");
    assert!(
        fs::read_to_string(copy)
            .unwrap()
            .contains("note of the agent")
    );
    scene.flow(&["resume", "--force"]).ok();
    scene.ends_as("completed", "");
    drop(daemon);
}

#[test]
fn taking_aictx_out_of_a_repository_ends_its_flow_and_leaves_no_checkpoint() {
    let scene = Scene::new(&["verify: ['true']\n"]);
    let daemon = scene.env.daemon();
    scene.turn(1, "echo $$ > \"$SCRIPT/agent\"; wait_for /never");
    scene.start(&[]);
    wait_until("the agent works", || {
        scene.script.join("agent").exists() && scene.host(1).is_some()
    });
    let agent = fs::read_to_string(scene.script.join("agent")).unwrap();
    scene.env.aictx(&scene.repo, &["clean"]).ok();
    wait_until("the agent is gone", || !is_alive(&agent));
    assert_eq!(scene.git(&["for-each-ref", "refs/aictx"]), "");
    assert!(!scene.repo.join(".aictx").exists());
    drop(daemon);
}

#[test]
fn a_flow_takes_over_the_ticket_of_one_that_was_stopped() {
    let scene = Scene::new(&["verify: ['true']\n"]);
    let daemon = scene.env.daemon();
    scene.turn(1, "say '---\nmode: pause\n---\nWhat?'");
    scene.start(&[]);
    scene.ends_as("paused", "user_pause");
    scene.flow(&["stop"]).ok();
    scene.turn(1, WORKS);
    scene.start(&[]);
    scene.ends_as("completed", "");
    drop(daemon);
}

#[test]
fn d19_14_a_stop_interrupts_a_check_that_says_nothing_then() {
    let scene = Scene::new(&[
        "verify: ['touch \"$SCRIPT/checking\"; [ -e \"$SCRIPT/go\" ] || sleep 600']\n",
    ]);
    let daemon = scene.env.daemon();
    scene.start(&[]);
    wait_until("the check runs", || scene.script.join("checking").exists());
    scene.flow(&["stop", "--now"]).ok();
    scene.ends_as("stopped", "user_stop");
    let ticket = scene.repo.join(".aictx/tickets/TICKET-001.md");
    assert!(fs::read_to_string(ticket).unwrap().contains("done: true"));
    fs::write(scene.script.join("go"), "").unwrap();
    scene.flow(&["resume"]).ok();
    let flow = scene.ends_as("completed", "");
    assert_eq!(flow["unverified"], serde_json::json!([]));
    assert_eq!(scene.kinds(), ["work", "verify"]);
    assert_eq!(flow["turns"][0], 1);
    drop(daemon);
}

#[test]
fn d19_11_what_is_done_on_the_side_or_without_its_check_is_checked() {
    let scene = Scene::new(&["verify: ['test -f one']\n", "verify: ['test -f two']\n"]);
    let daemon = scene.env.daemon();
    // Its own check is taken out, and the other ticket is done without any work.
    scene.turn(1, "echo 1 > one; finish; sed -i.bak '/^verify/d' \"$AICTX_TICKET\"; rm \"$AICTX_TICKET.bak\"; cd .aictx/tickets; sed -i.bak 's/done: false/done: true/' TICKET-002.md; rm TICKET-002.md.bak; cd ../..; commit");
    scene.turn("default", "echo 2 > two; finish; commit");
    scene.start(&[]);
    let flow = scene.ends_as("completed", "");
    assert_eq!(flow["unverified"], serde_json::json!([]), "{flow:#}");
    assert_eq!(scene.kinds(), ["work", "verify", "verify_fix"]);
    drop(daemon);
}

#[test]
fn an_agent_cannot_approve_its_own_check() {
    let scene = Scene::new(&["verify: ['true']\n"]);
    let daemon = scene.env.daemon();
    let aictx = aictx_tests::program("aictx");
    scene.turn(1, &format!("work; finish; commit; sed -i.bak \"s/'true'/'echo mine'/\" \"$AICTX_TICKET\"; rm \"$AICTX_TICKET.bak\"; {} flow resume --trust-verify 2> \"$SCRIPT/said\" || true", aictx.display()));
    scene.start(&[]);
    let flow = scene.ends_as("paused", "approval_needed");
    assert!(
        flow["reason"].as_str().unwrap().contains("echo mine"),
        "{flow:#}"
    );
    let said = fs::read_to_string(scene.script.join("said")).unwrap();
    assert!(
        said.contains("an agent of a flow cannot steer flows"),
        "{said}"
    );
    drop(daemon);
}

#[test]
fn d19_8_a_dispatch_that_is_a_link_is_not_followed() {
    let scene = Scene::new(&["verify: ['true']\n"]);
    let daemon = scene.env.daemon();
    fs::write(scene.script.join("secret"), "content of another file").unwrap();
    // Nor is one in the place of a context document.
    let context = scene.repo.join(".aictx/context");
    fs::create_dir_all(&context).unwrap();
    std::os::unix::fs::symlink(scene.script.join("secret"), context.join("spec.md")).unwrap();
    fs::write(context.join("decisions.md"), "use tabs").unwrap();
    scene.turn(
        1,
        "echo \"$AICTX_NEW_SESSION\" > \"$SCRIPT/session\"; ln -s \"$SCRIPT/secret\" \"$AICTX_FLOW_DIR/DISPATCH.md\"; work; finish; commit",
    );
    scene.start(&[]);
    scene.ends_as("paused", "needs_user_fix");
    let events = scene.json(&["log", "--events"]).to_string();
    assert!(!events.contains("content of another"), "{events}");
    let prompt = scene.prompt(1);
    assert!(
        prompt.contains("use tabs") && !prompt.contains("content of another"),
        "{prompt}"
    );
    let session = fs::read_to_string(scene.script.join("session")).unwrap();
    assert_eq!(
        session.trim().len(),
        36,
        "a conversation of its own has an id"
    );
    drop(daemon);
}

#[test]
fn the_example_of_the_documentation_is_what_is_printed() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let daemon = env.daemon();
    assert_example(&env, &repo, "flows.md");
    drop(daemon);
}

#[test]
fn the_documentation_names_every_reason() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/flows.md");
    let text = fs::read_to_string(path).unwrap();
    let mut rows = String::new();
    for reason in FlowReason::ALL {
        let actor = match (reason.actor(), reason.needs_signal()) {
            (Actor::Daemon, _) => "itself",
            (Actor::Person, true) => "a change, and `flow resume`",
            (Actor::Person, false) => "a person",
        };
        rows.push_str(&format!(
            "| `{}` | {actor} | `{}` |\n",
            reason.code(),
            reason.command()
        ));
    }
    assert!(text.contains(&rows), "the table now:\n{rows}");
}
