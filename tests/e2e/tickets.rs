//! Tickets: a queue of files, with and without the daemon. Tests are named after the groups of behaviour that they
//! show: d19_1 frontmatter, d19_2 queue, d19_12 selection, d19_16 claims, d19_20 git, d19_22 command line.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Barrier;
use std::thread;

use aictx_tests::documentation::assert_example;
use aictx_tests::mcp::Mcp;
use aictx_tests::session::{after_command, edited, end, failed_command, payload, prompt, start};
use aictx_tests::{Run, TestEnv, program};
use serde_json::{Value, json};

/// A ticket with further lines of frontmatter; its id is made of its number.
fn text(number: u64, lines: &str) -> String {
    format!("---\nticket_id: tkt_{number:06}\nagent: codex\ndone: false\n{lines}---\n\nText\n")
}

fn put(repo: &Path, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
    let directory = repo.join(".aictx/tickets");
    fs::create_dir_all(&directory).unwrap();
    let file = directory.join(name);
    fs::write(&file, text).unwrap();
    file
}

fn ticket(env: &TestEnv, repo: &Path, arguments: &[&str]) -> Run {
    env.aictx(repo, &[&["ticket"], arguments].concat())
}

fn ticket_json(env: &TestEnv, repo: &Path, arguments: &[&str]) -> Value {
    ticket(env, repo, &[arguments, &["--json"]].concat()).json()
}

/// `number state` of every ticket.
fn states(env: &TestEnv, repo: &Path) -> Vec<String> {
    let list = ticket_json(env, repo, &["list"]);
    let rows = list["tickets"].as_array().unwrap();
    rows.iter()
        .map(|row| format!("{} {}", row["number"], row["state"].as_str().unwrap()))
        .collect()
}

/// The names of the files of the queue, drafts included.
fn names(repo: &Path) -> Vec<String> {
    let entries = fs::read_dir(repo.join(".aictx/tickets")).unwrap();
    let mut names: Vec<String> = entries
        .map(|e| e.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn d19_1_every_form_of_a_ticket_is_read_or_named_with_line_and_column() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let crlf = text(1, "title: 'It''s' # why\n").replace('\n', "\r\n");
    let long = text(2, "") + &"word ".repeat(210_000);
    let files: Vec<(&str, Vec<u8>)> = vec![
        ("TICKET-001.md", format!("\u{feff}{crlf}").into_bytes()),
        ("TICKET-002.md", long.into_bytes()),
        (
            "TICKET-003.md",
            text(3, "").replace("done: false", "done: no").into_bytes(),
        ),
        ("TICKET-004.md", text(4, "title: Foo: Bar\n").into_bytes()),
        ("TICKET-005.md", text(5, "verify:\n\t- x\n").into_bytes()),
        ("TICKET-006.md", text(6, "agent: codex\n").into_bytes()),
        (
            "TICKET-007.md",
            text(7, "").replace("codex", "cladue").into_bytes(),
        ),
        ("TICKET-008.md", b"---\nagent: c\xff\n---\n".to_vec()),
        (
            "TICKET-009.md",
            text(9, "").replace("false\n---", "false\n...").into_bytes(),
        ),
    ];
    for (name, content) in &files {
        put(&repo, name, content);
    }
    let lint = ticket(&env, &repo, &["lint", "--json"]);
    assert_eq!(lint.status, 1);
    let found = lint.json()["findings"].as_array().unwrap().clone();
    let found: Vec<String> = found
        .iter()
        .map(|f| {
            format!(
                "{}:{}:{} {}",
                f["file"]
                    .as_str()
                    .unwrap()
                    .trim_start_matches(".aictx/tickets/TICKET-"),
                f["line"],
                f["column"],
                f["code"].as_str().unwrap()
            )
        })
        .collect();
    assert_eq!(
        found,
        [
            "003.md:4:7 T021",
            "004.md:5:11 T003",
            "005.md:6:2 T003",
            "006.md:5:1 T071",
            "007.md:3:8 T011",
            "008.md:2:9 T001"
        ]
    );
    let shown = ticket(&env, &repo, &["lint"]).stdout;
    assert!(shown.contains("(write `title: \"Foo: Bar\"`)"), "{shown}");
    assert!(shown.contains("(write `agent: claude`)"), "{shown}");
    // Marking one as done changes one line of it, and no other byte.
    for (name, before) in files.iter().filter(|(name, _)| {
        [
            "TICKET-001.md",
            "TICKET-002.md",
            "TICKET-003.md",
            "TICKET-009.md",
        ]
        .contains(name)
    }) {
        ticket(&env, &repo, &["done", name]).ok();
        let after = fs::read(repo.join(".aictx/tickets").join(name)).unwrap();
        let lines = |text: &[u8]| {
            text.split(|b| *b == b'\n')
                .map(<[u8]>::to_vec)
                .collect::<Vec<_>>()
        };
        let (old, new) = (lines(before), lines(&after));
        let changed: Vec<usize> = (0..old.len()).filter(|n| old[*n] != new[*n]).collect();
        assert_eq!((old.len(), changed.len()), (new.len(), 1), "{name}");
        ticket(&env, &repo, &["done", name]).ok();
        assert_eq!(
            fs::read(repo.join(".aictx/tickets").join(name)).unwrap(),
            after,
            "{name}: said twice"
        );
    }
    // What cannot be edited is refused with file, line and column, and stays.
    let refused = ticket(&env, &repo, &["done", "4"]);
    assert_eq!(refused.status, 1);
    assert!(
        refused
            .stderr
            .contains(".aictx/tickets/TICKET-004.md:5:11: T003"),
        "{}",
        refused.stderr
    );
    let shown = ticket(&env, &repo, &["show", "4", "--raw"]).ok();
    assert_eq!(shown.stdout, text(4, "title: Foo: Bar\n"));
    ticket(&env, &repo, &["lint", "--fix"]);
    assert!(
        fs::read_to_string(repo.join(".aictx/tickets/TICKET-004.md"))
            .unwrap()
            .contains("title: \"Foo: Bar\"\n")
    );
}

#[test]
fn d19_2_the_directory_is_the_queue() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    // Files that people add, rename and remove count at once, for a daemon, too.
    let _daemon = env.daemon();
    put(&repo, "TICKET-010-late.md", text(10, ""));
    put(
        &repo,
        "ticket-0002.MD",
        text(2, "").replace("false", "true"),
    );
    put(&repo, "AGENTS.md", "");
    assert_eq!(states(&env, &repo), ["2 done", "10 ready"]);
    ticket(&env, &repo, &["lint"]).ok();
    put(&repo, "TICKET-003.md", text(3, ""));
    assert_eq!(states(&env, &repo), ["2 done", "3 ready", "10 ready"]);
    fs::rename(
        repo.join(".aictx/tickets/TICKET-003.md"),
        repo.join(".aictx/tickets/TICKET-020.md"),
    )
    .unwrap();
    fs::remove_file(repo.join(".aictx/tickets/TICKET-010-late.md")).unwrap();
    assert_eq!(states(&env, &repo), ["2 done", "20 ready"]);
    put(&repo, "TICKET-002-other.md", text(7, ""));
    put(&repo, "notes.txt", "");
    let found = ticket_json(&env, &repo, &["lint"])["findings"].clone();
    let codes: Vec<&str> = found
        .as_array()
        .unwrap()
        .iter()
        .map(|f| f["code"].as_str().unwrap())
        .collect();
    assert_eq!(codes, ["T060", "T060", "T062"]);
    // A foreign file stops a start and not a run; a number that two have stops both.
    let run = ticket_json(&env, &repo, &["lint", "--gate", "run"])["findings"].clone();
    assert_eq!(run.as_array().unwrap().len(), 2);
    assert_eq!(ticket(&env, &repo, &["done", "2"]).status, 1, "ambiguous");
    // Nothing is read through a link.
    let secret = env.path().join("secret");
    fs::write(&secret, text(1, "title: secret\n")).unwrap();
    std::os::unix::fs::symlink(&secret, repo.join(".aictx/tickets/TICKET-001.md")).unwrap();
    let shown = ticket(&env, &repo, &["show", "1"]);
    assert!(
        !shown.stdout.contains("secret") && shown.stderr.contains("T001"),
        "{shown:?}"
    );
    assert_eq!(ticket(&env, &repo, &["done", "1"]).status, 1);
    assert_eq!(
        fs::read_to_string(&secret).unwrap(),
        text(1, "title: secret\n")
    );
}

#[test]
fn d19_12_what_is_ready_is_chosen_and_what_is_not_says_why() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    put(&repo, "TICKET-001.md", text(1, "after: [TICKET-003]\n"));
    put(&repo, "TICKET-002.md", text(2, "after: [1, tkt_000003]\n"));
    put(&repo, "TICKET-003.md", text(3, "title: First of all\n"));
    let ready = ticket_json(&env, &repo, &["ready"]);
    assert_eq!(ready["ready"][0]["number"], 3);
    assert_eq!(
        ready["waiting"][1]["blocked_by"],
        json!(["TICKET-001", "TICKET-003"])
    );
    let next = ticket(&env, &repo, &["next"]).ok().stdout;
    assert!(
        next.contains("next: 3 (.aictx/tickets/TICKET-003.md): First of all"),
        "{next}"
    );
    let blocked = ticket(&env, &repo, &["claim", "2"]);
    assert_eq!(blocked.status, 1);
    assert!(
        blocked.stderr.contains("waits for TICKET-001, TICKET-003"),
        "{}",
        blocked.stderr
    );
    ticket(&env, &repo, &["claim"]).ok();
    assert_eq!(states(&env, &repo)[2], "3 claimed");
    assert_eq!(
        ticket_json(&env, &repo, &["next"])["tickets"][0]["number"],
        3,
        "it is at hand"
    );
    ticket(&env, &repo, &["done"]).ok();
    assert_eq!(states(&env, &repo), ["1 ready", "2 blocked", "3 done"]);
    put(&repo, "TICKET-004.md", text(4, "after: [5]\n"));
    put(&repo, "TICKET-005.md", text(5, "after: [4, 99]\n"));
    let lint = ticket(&env, &repo, &["lint"]).stdout;
    for line in [
        "TICKET-004.md:5:9: T081 these wait for each other: TICKET-004 → TICKET-005 → TICKET-004",
        "TICKET-005.md:5:12: T080 `99` names no ticket",
    ] {
        assert!(lint.contains(line), "{lint}");
    }
}

/// Runs fifty claims of one ticket at once, each for another holder, and gives the winners.
fn winners(claim: &(dyn Fn(&str) -> Run + Sync)) -> usize {
    let gate = Barrier::new(50);
    let claims = thread::scope(|scope| {
        let run = |n: usize| {
            let gate = &gate;
            scope.spawn(move || {
                gate.wait();
                claim(&format!("worker-{n}"))
            })
        };
        let running: Vec<_> = (0..50).map(run).collect();
        running
            .into_iter()
            .map(|claim| claim.join().unwrap())
            .collect::<Vec<_>>()
    });
    for lost in claims.iter().filter(|claim| claim.status != 0) {
        assert!(
            lost.stderr.contains("TICKET-001.md is claimed by worker-"),
            "{}",
            lost.stderr
        );
    }
    claims.iter().filter(|claim| claim.status == 0).count()
}

#[test]
fn d19_16_fifty_claims_have_one_winner_with_a_daemon() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    put(&repo, "TICKET-001.md", text(1, ""));
    let _daemon = env.daemon();
    let claim = |holder: &str| {
        let run = ticket(&env, &repo, &["claim", "1", "--as", holder]);
        assert!(matches!(run.status, 0 | 4), "{run:?}");
        run
    };
    assert_eq!(winners(&claim), 1);
}

#[test]
fn d19_16_fifty_claims_have_one_winner_without_a_daemon() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    put(&repo, "TICKET-001.md", text(1, ""));
    let claim = |holder: &str| {
        env.once(
            "ticket.claim",
            &json!({ "repo": repo, "ticket": "1", "holder": holder }),
        )
    };
    assert_eq!(winners(&claim), 1);
}

#[test]
fn d19_16_a_claim_belongs_to_its_holder_until_it_is_let_go() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    put(&repo, "TICKET-001.md", text(1, ""));
    put(&repo, "TICKET-002.md", text(2, ""));
    let claim = ticket_json(&env, &repo, &["claim", "1", "--as", "ann"]);
    let again = ticket_json(&env, &repo, &["claim", "1", "--as", "ann"]);
    assert_eq!(
        (&claim["claim"], &again["changed"]),
        (&again["claim"], &json!(false))
    );
    for refused in [
        &["done", "1"][..],
        &["done", "1", "--as", "bob"],
        &["release", "1"],
        &["claim", "1"],
        &["rm", "1"],
        &["insert", "--before", "1"],
    ] {
        assert_eq!(ticket(&env, &repo, refused).status, 4, "{refused:?}");
    }
    // Renumbering others is fine.
    ticket(&env, &repo, &["insert", "--after", "1"]).ok();
    assert_eq!(states(&env, &repo), ["1 claimed", "3 ready"]);
    let id = claim["claim"].as_str().unwrap();
    ticket(&env, &repo, &["release", "1", "--claim", id]).ok();
    let released = ticket_json(&env, &repo, &["release", "1"]);
    assert_eq!(released["changed"], false, "said twice");
    ticket(&env, &repo, &["claim", "1", "--as", "bob"]).ok();
    ticket(&env, &repo, &["done", "1", "--force"]).ok();
    let done = ticket(&env, &repo, &["claim", "1", "--as", "bob"]);
    assert_eq!(done.status, 1);
    assert!(
        done.stderr.contains("TICKET-001.md is done"),
        "{}",
        done.stderr
    );
}

#[test]
fn d19_20_git_sees_tickets_only_where_that_was_asked_for() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let status = |repo: &Path| env.git(repo, &["status", "--porcelain", "--untracked-files=all"]);
    ticket(&env, &repo, &["new", "--title", "First"]).ok();
    ticket(&env, &repo, &["claim", "1"]).ok();
    assert_eq!(status(&repo), "");
    env.aictx(&repo, &["init", "--agents", "none", "--track", "tickets"])
        .ok();
    assert_eq!(status(&repo), "?? .aictx/tickets/TICKET-001-first.md\n");
    env.git(&repo, &["add", "-A"]);
    env.git(&repo, &["commit", "-q", "-m", "tickets"]);
    // A tracked ticket is edited where it lies, and its choice survives another init.
    env.aictx(&repo, &["init", "--agents", "none"]).ok();
    ticket(&env, &repo, &["done"]).ok();
    assert_eq!(status(&repo), " M .aictx/tickets/TICKET-001-first.md\n");
    let difference = env.git(&repo, &["diff", "--numstat"]);
    assert_eq!(difference, "1\t1\t.aictx/tickets/TICKET-001-first.md\n");
    env.git(&repo, &["commit", "-q", "-am", "done"]);
    // The memory can go through git besides.
    env.aictx(
        &repo,
        &["init", "--agents", "none", "--portable-continuity"],
    )
    .ok();
    ticket(&env, &repo, &["new", "--title", "Second"]).ok();
    let shown = status(&repo);
    assert!(
        shown.contains("?? .aictx/tickets/TICKET-002-second.md"),
        "{shown}"
    );
    assert!(
        !shown.contains(".lock") && !shown.contains("journal"),
        "{shown}"
    );
    env.aictx(
        &repo,
        &[
            "init",
            "--agents",
            "none",
            "--no-portable-continuity",
            "--track",
            "none",
        ],
    )
    .ok();
    assert!(!status(&repo).contains("TICKET-002"), "{}", status(&repo));
    // Linked worktrees share the queue; a detached head has a task of its own, too.
    let linked = env.path().join("linked");
    env.git(
        &repo,
        &[
            "worktree",
            "add",
            "-q",
            "--detach",
            linked.to_str().unwrap(),
        ],
    );
    ticket(&env, &linked, &["claim", "2", "--as", "ann"]).ok();
    assert_eq!(states(&env, &repo)[1], "2 claimed");
    let at_hand = ticket_json(&env, &linked, &["next"]);
    assert!(
        at_hand["message"]
            .as_str()
            .unwrap()
            .starts_with("at hand: 2"),
        "{at_hand}"
    );
    assert!(
        !ticket_json(&env, &repo, &["next"])["message"]
            .as_str()
            .unwrap()
            .contains("at hand")
    );
    ticket(&env, &linked, &["done", "--as", "ann"]).ok();
    // Before the first commit.
    let unborn = env.path().join("unborn");
    fs::create_dir(&unborn).unwrap();
    env.git(&unborn, &["init", "-q", "."]);
    env.aictx(&unborn, &["init", "--agents", "none"]).ok();
    ticket(&env, &unborn, &["new", "--title", "First"]).ok();
    ticket(&env, &unborn, &["claim"]).ok();
    assert_eq!(status(&unborn), "");
}

/// A repository as codex-autorunner leaves it.
fn car_repository(env: &TestEnv, name: &str) -> PathBuf {
    let repo = env.repository(name);
    let directory = repo.join(".codex-autorunner/tickets");
    fs::create_dir_all(&directory).unwrap();
    fs::write(repo.join(".codex-autorunner/.gitignore"), "*\n").unwrap();
    fs::write(directory.join("AGENTS.md"), "").unwrap();
    fs::write(
        directory.join("TICKET-001.md"),
        "---\nagent: codex\ndone: false # not yet\n---\nBody\n",
    )
    .unwrap();
    fs::write(
        directory.join("TICKET-002-b.md"),
        "---\nagent: codex\ndone: false\ndepends_on: [1]\n---\nBody\n",
    )
    .unwrap();
    repo
}

#[test]
fn a_codex_autorunner_queue_is_worked_on_in_place_and_imported_once() {
    let env = TestEnv::new();
    let repo = car_repository(&env, "car");
    let theirs = |name: &str| repo.join(".codex-autorunner/tickets").join(name);
    assert_eq!(states(&env, &repo), ["1 ready", "2 blocked"]);
    ticket(&env, &repo, &["claim"]).ok();
    ticket(&env, &repo, &["done"]).ok();
    assert_eq!(
        fs::read_to_string(theirs("TICKET-001.md")).unwrap(),
        "---\nagent: codex\ndone: true # not yet\n---\nBody\n"
    );
    ticket(
        &env,
        &repo,
        &["insert", "--before", "2", "--title", "Between"],
    )
    .ok();
    assert!(
        fs::read_to_string(theirs("TICKET-003-b.md"))
            .unwrap()
            .contains("depends_on: [1]")
    );
    assert!(!repo.join(".aictx/tickets").exists());
    assert_eq!(env.git(&repo, &["status", "--porcelain"]), "");
    let rest: Vec<_> = fs::read_dir(repo.join(".codex-autorunner/journal"))
        .unwrap()
        .collect();
    assert!(rest.is_empty(), "{rest:?}");

    // Into another repository: from the folder, from a zip, and again.
    let other = env.repository("other");
    let path = repo.to_str().unwrap();
    let planned = ticket_json(&env, &other, &["import", path, "--dry-run"]);
    assert_eq!(planned["message"], "3 tickets would be imported");
    assert!(!other.join(".aictx/tickets").exists());
    ticket(&env, &other, &["import", path, "--agent", "claude"]).ok();
    assert_eq!(
        names(&other),
        ["TICKET-001.md", "TICKET-002-between.md", "TICKET-003-b.md"]
    );
    assert_eq!(states(&env, &other), ["1 done", "2 ready", "3 ready"]);
    let pack = env.plain_repository("pack");
    fs::create_dir(pack.join("pack")).unwrap();
    fs::write(pack.join("pack/TICKET-001.md"), text(71, "")).unwrap();
    fs::write(pack.join("pack/TICKET-002.md"), text(72, "after: [1]\n")).unwrap();
    env.git(&pack, &["add", "-A"]);
    env.git(&pack, &["commit", "-q", "-m", "pack"]);
    env.git(
        &pack,
        &["archive", "--format=zip", "-o", "../pack.zip", "HEAD"],
    );
    let zip = env.path().join("pack.zip");
    let zip = zip.to_str().unwrap();
    let imported = ticket_json(&env, &other, &["import", zip]);
    assert_eq!(imported["renamed"][1]["to"], "TICKET-005.md");
    assert!(
        fs::read_to_string(other.join(".aictx/tickets/TICKET-005.md"))
            .unwrap()
            .contains("after: [4]")
    );
    let again = ticket_json(&env, &other, &["import", zip]);
    assert_eq!(
        (again["changed"].clone(), names(&other).len()),
        (json!(false), 5)
    );
}

#[test]
fn d19_22_every_command_prints_json_and_exits_with_its_status() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let json = |arguments: &[&str]| {
        let run = ticket(&env, &repo, &[arguments, &["--json"]].concat());
        (run.status, run.json())
    };
    for (arguments, status) in [
        (&["list"][..], 0),
        (&["next"], 0),
        (&["ready"], 0),
        (&["lint"], 1),
        (
            &[
                "new",
                "--title",
                "One",
                "--verify",
                "make test",
                "--scope",
                "src/**",
            ],
            0,
        ),
        (&["new", "--title", "One", "--at", "1"], 0),
        (&["new", "--title", "Two", "--at", "1"], 4),
        (&["new"], 2),
        (&["new", "--title", "Two", "--after", "9"], 3),
        (&["new", "--title", "Two", "--after", "1"], 0),
        (&["insert", "--after", "1", "--title", "Between"], 0),
        (&["insert"], 2),
        (&["move", "--start", "2", "--to", "1"], 0),
        (&["move", "--start", "2", "--to", "9"], 2),
        (&["set", "1:3", "model=fast"], 0),
        (&["set", "1", "done=true"], 2),
        (&["edit", "1", "--body-file", "README.md"], 0),
        (&["edit", "1"], 2),
        (&["show", "1"], 0),
        (&["show"], 3),
        (&["claim", "1"], 0),
        (&["claim", "3"], 1),
        (&["release"], 0),
        (&["done", "1"], 0),
        (&["reopen", "1"], 0),
        (&["rm", "2"], 1),
        (&["rm", "2", "--force"], 0),
        (&["rm", "7"], 3),
        (&["fmt", "--check"], 0),
        (&["lint", "--fix"], 1),
        (&["import", "nowhere"], 3),
        (&["nonsense"], 2),
    ] {
        let (got, value) = json(arguments);
        assert_eq!(got, status, "{arguments:?}: {value}");
        assert!(value.is_object(), "{arguments:?}");
        let is_error = value["error"]["message"].is_string();
        assert_eq!(
            is_error,
            !matches!(status, 0 | 1) || value["tickets"].is_null() && status == 1,
            "{arguments:?}: {value}"
        );
    }
    let outside = env.aictx(env.path(), &["ticket", "list"]);
    assert_eq!(outside.status, 3, "{outside:?}");
}

#[test]
fn d19_22_lists_are_for_people() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    put(
        &repo,
        "TICKET-001.md",
        text(1, "title: Set the table\n").replace("false", "true"),
    );
    put(&repo, "TICKET-002-cook.md", text(2, "title: Cook\n"));
    put(&repo, "TICKET-003.md", text(3, "title: Eat\nafter: [2]\n"));
    put(&repo, "TICKET-004.md", text(4, "title: Wash: up\n"));
    ticket(&env, &repo, &["claim", "2", "--as", "ann"]).ok();
    let ages = |text: String| {
        let lines = text.lines().map(|line| match line.split_once("by ann, ") {
            Some((head, _)) => format!("{head}by ann, <time> ago)\n"),
            None => format!("{line}\n"),
        });
        lines.collect::<String>()
    };
    let list = ticket(&env, &repo, &["list"]);
    let told = format!(
        "{}--\n{}--\n{}",
        ages(list.stdout),
        list.stderr,
        ages(ticket(&env, &repo, &["ready"]).stdout)
    );
    insta::assert_snapshot!(told);
}

#[test]
fn a_text_changes_by_editor_and_only_if_nobody_else_changed_it() {
    let mut env = TestEnv::new();
    let repo = env.repository("demo");
    let file = put(&repo, "TICKET-001.md", text(1, ""));
    let editor = env.path().join("editor");
    fs::write(&editor, "#!/bin/sh\nsed -i 's/Text/Other/' \"$2\"\n").unwrap();
    let mut mode = fs::metadata(&editor).unwrap().permissions();
    std::os::unix::fs::PermissionsExt::set_mode(&mut mode, 0o755);
    fs::set_permissions(&editor, mode).unwrap();
    env.set("EDITOR", &format!("{} -x", editor.display()));
    ticket(&env, &repo, &["edit", "1"]).ok();
    assert_eq!(
        fs::read_to_string(&file).unwrap(),
        text(1, "").replace("Text", "Other")
    );
    fs::write(
        &editor,
        format!("#!/bin/sh\nsed -i 's/Other/Mine/' {}\n", file.display()),
    )
    .unwrap();
    let stale = ticket(&env, &repo, &["edit", "1"]);
    assert_eq!(stale.status, 4, "{stale:?}");
    assert!(fs::read_to_string(&file).unwrap().contains("Mine"));
    env.set("EDITOR", "false");
    assert_eq!(ticket(&env, &repo, &["edit", "1"]).status, 2);
}

#[test]
fn a_process_that_dies_in_a_mutation_leaves_every_file_old_or_new() {
    let env = TestEnv::new();
    let cases: [(&str, Value); 3] = [
        (
            "ticket.insert",
            json!({ "insert_before": 1, "title": "New" }),
        ),
        ("ticket.done", json!({ "ticket": "1", "holder": "ann" })),
        ("ticket.move", json!({ "range": { "first": 3, "to": 1 } })),
    ];
    for (n, (method, more)) in cases.into_iter().enumerate() {
        let mut crashes = 0;
        for at in 1.. {
            let repo = env.repository(&format!("demo-{n}-{at}"));
            for number in 1..4 {
                put(
                    &repo,
                    &format!("TICKET-{number:03}.md"),
                    text(number, &format!("after: [{}]\n", number.max(2) - 1))
                        .replace("after: [1]\n---", "x: y\n---"),
                );
            }
            if method == "ticket.done" {
                ticket(&env, &repo, &["claim", "1", "--as", "ann"]).ok();
            }
            let read = || -> Vec<(String, String)> {
                let all = names(&repo)
                    .into_iter()
                    .filter(|name| !name.starts_with('.'));
                all.map(|name| {
                    (
                        name.clone(),
                        fs::read_to_string(repo.join(".aictx/tickets").join(name)).unwrap(),
                    )
                })
                .collect()
            };
            let before = read();
            let mut params = more.clone();
            params["repo"] = json!(repo);
            let mut command = env.command(program("aictxd"));
            command
                .args(["once", method])
                .env("AICTX_CRASH_AT", at.to_string())
                .env("AICTX_CRASH_TORN", "1");
            let run = env.with_input(&mut command, params.to_string().as_bytes());
            // Whoever comes next finds all of it or nothing.
            let listed = ticket(&env, &repo, &["list"]);
            assert_eq!(listed.status, 0, "{method} at {at}: {listed:?}");
            let after = read();
            let lint = ticket(&env, &repo, &["lint"]).ok();
            assert!(
                lint.stdout.contains(" 0 errors"),
                "{method} at {at}: {}",
                lint.stdout
            );
            if run.status == 0 {
                assert_ne!(after, before, "{method}");
                break;
            }
            crashes += 1;
            let whole = after == before
                || after.len() == before.len() + usize::from(method == "ticket.insert");
            assert!(whole, "{method} at {at}: {after:?}");
            assert!(at < 200, "{method}: {run:?}");
        }
        assert!(crashes > 3, "{method}: {crashes}");
    }
}

#[test]
fn a_claimed_ticket_is_the_task_of_its_branch_and_is_told() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    put(
        &repo,
        "TICKET-011-add.md",
        text(
            11,
            "title: Make add work\nverify: [python -m pytest -q]\nscope: [calc.py]\n",
        ) + "- [x] look\n- [ ] fix the sign\n",
    );
    let _daemon = env.daemon();
    ticket(&env, &repo, &["claim", "11", "--as", "ann"]).ok();
    let task = env.aictx(&repo, &["task", "status", "--json"]).ok().json();
    assert_eq!(task["goal"], "Make add work");
    assert_eq!(task["next_action"], "fix the sign");
    assert_eq!(task["recommended_commands"], json!(["python -m pytest -q"]));
    let line =
        "Ticket at hand: 11 (.aictx/tickets/TICKET-011-add.md), claimed by ann: \"Make add work\"";
    let next = env.aictx(&repo, &["next"]).ok().stdout;
    assert!(next.contains(line), "{next}");
    let told = env.hook(&repo, &start(&repo, "s1", "startup")).ok().stdout;
    let line = r#"Ticket 11 at hand (.aictx/tickets/TICKET-011-add.md): \"Make add work\""#;
    assert!(told.contains(line), "{told}");
    // The guard knows the scope of the ticket, here and not on another branch.
    let guard = |path: &str| {
        let found = env
            .aictx(
                &repo,
                &["guard", "--action", "edit", "--paths", path, "--json"],
            )
            .json();
        let warnings = found["warnings"].as_array().unwrap().clone();
        warnings
            .iter()
            .any(|warning| warning["code"] == "outside_ticket_scope")
    };
    assert!(guard("README.md") && !guard("calc.py"));
    env.git(&repo, &["switch", "-q", "-c", "other"]);
    env.git(&repo, &["commit", "-q", "--allow-empty", "-m", "other"]);
    ticket(&env, &repo, &["new", "--title", "Elsewhere"]).ok();
    ticket(&env, &repo, &["claim", "12", "--as", "ann"]).ok();
    assert!(!guard("README.md"));
    // Agents may edit the file itself.
    let verdict = env
        .aictx(
            &repo,
            &[
                "guard",
                "--action",
                "edit",
                "--paths",
                ".aictx/tickets/TICKET-011-add.md",
                "--json",
            ],
        )
        .json();
    assert_ne!(verdict["decision"], "block", "{verdict}");
}

/// A session that works on the claimed ticket and reports success.
fn work(env: &TestEnv, repo: &Path, session: &str, ran: &[(&str, bool)]) -> Value {
    env.hook(repo, &start(repo, session, "startup")).ok();
    env.hook(repo, &prompt(repo, session, "Make add work")).ok();
    env.hook(repo, &edited(repo, session, "calc.py")).ok();
    for (command, passed) in ran {
        let payload = match passed {
            true => after_command(repo, session, command, "4 passed in 0.01s"),
            false => failed_command(repo, session, command, "Exit code 1\n1 failed in 0.01s"),
        };
        env.hook(repo, &payload).ok();
    }
    let report = [
        "finalize",
        "--status",
        "success",
        "--summary",
        "Fixed add",
        "--session-id",
        session,
        "--json",
    ];
    env.aictx(repo, &report).ok().json()
}

#[test]
fn finalize_closes_a_ticket_only_when_its_check_was_seen_to_pass() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let check = "python -m pytest -q";
    for number in 1..4 {
        put(
            &repo,
            &format!("TICKET-{number:03}.md"),
            text(number, &format!("verify: [{check}]\n")),
        );
    }
    let _daemon = env.daemon();
    let claim = |number: &str| ticket(&env, &repo, &["claim", number, "--as", "ann"]).ok();
    let warned = |reply: &Value, text: &str| {
        let warnings = reply["warnings"].as_array().cloned().unwrap_or_default();
        warnings
            .iter()
            .any(|warning| warning.as_str().unwrap().contains(text))
    };
    claim("1");
    let reply = work(&env, &repo, "s1", &[("ls", true)]);
    assert!(
        warned(
            &reply,
            "TICKET-001.md stays open, unverified: `python -m pytest -q` was not seen to pass"
        ),
        "{reply}"
    );
    assert_eq!(states(&env, &repo)[0], "1 claimed");
    let reply = work(&env, &repo, "s2", &[(check, true)]);
    assert!(
        warned(&reply, "TICKET-001.md is done and verified"),
        "{reply}"
    );
    assert_eq!(states(&env, &repo)[0], "1 done");
    let task = env.aictx(&repo, &["task", "list", "--json"]).json();
    assert_eq!(task["tasks"][0]["status"], "resolved");

    // Whoever marks it in the file has the last word, and it is told as what it is.
    claim("2");
    let file = repo.join(".aictx/tickets/TICKET-002.md");
    fs::write(
        &file,
        fs::read_to_string(&file).unwrap().replace("false", "true"),
    )
    .unwrap();
    let reply = work(&env, &repo, "s3", &[]);
    assert!(
        warned(&reply, "TICKET-002.md is done, unverified"),
        "{reply}"
    );
    // The end of a session closes it as a report does.
    claim("3");
    env.hook(&repo, &start(&repo, "s4", "startup")).ok();
    env.hook(&repo, &prompt(&repo, "s4", "Make add work")).ok();
    env.hook(&repo, &edited(&repo, "s4", "calc.py")).ok();
    env.hook(
        &repo,
        &after_command(&repo, "s4", check, "4 passed in 0.01s"),
    )
    .ok();
    let said = json!({ "last_assistant_message": "Done." });
    env.hook(&repo, &payload(&repo, "s4", "Stop", said)).ok();
    env.hook(&repo, &end(&repo, "s4")).ok();
    aictx_tests::wait_until("the ticket is done", || states(&env, &repo)[2] == "3 done");
}

#[test]
fn models_work_on_tickets_with_the_full_profile() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let mut mcp = Mcp::start(&env, &repo, "claude-code", &["--profile", "full"]);
    let new = json!({ "title": "Make add work", "verify": ["pytest"], "body": "- [ ] go\n" });
    let made = mcp.facts("aictx_ticket_new", &new);
    assert_eq!(made["tickets"][0]["number"], 1);
    mcp.facts(
        "aictx_ticket_update",
        &json!({ "ticket": "1", "fields": ["goal=Add, do not subtract"] }),
    );
    mcp.facts(
        "aictx_ticket_update",
        &json!({ "ticket": "1", "body": "Other\n" }),
    );
    let claimed = mcp.facts("aictx_ticket_claim", &json!({}));
    assert!(claimed["claim"].as_str().unwrap().starts_with("clm_"));
    let shown = mcp.facts("aictx_ticket_show", &json!({}));
    let text = shown["text"].as_str().unwrap();
    assert!(
        text.contains("goal: Add, do not subtract\n")
            || text.contains("goal: \"Add, do not subtract\"\n"),
        "{text}"
    );
    assert!(text.ends_with("---\nOther\n"), "{text}");
    let done = mcp.facts("aictx_ticket_done", &json!({ "evidence": "I looked" }));
    assert_eq!(done["tickets"][0]["state"], "done");
    let listed = mcp.facts("aictx_ticket_list", &json!({ "filter": "open" }));
    assert_eq!(listed["tickets"], json!([]));
    let refused = mcp.refused("aictx_ticket_claim", &json!({ "ticket": "1" }));
    assert_eq!(refused, "tool_error");
}

#[test]
fn secrets_do_not_reach_a_ticket() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let token = format!(
        "ghp_{}",
        "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
            .chars()
            .take(36)
            .collect::<String>()
    );
    let made = ticket_json(
        &env,
        &repo,
        &[
            "new",
            "--title",
            "Use it",
            "--goal",
            &format!("with {token}"),
        ],
    );
    assert_eq!(made["changed"], true);
    for name in names(&repo) {
        let text = fs::read_to_string(repo.join(".aictx/tickets").join(name)).unwrap();
        assert!(!text.contains(&token), "{text}");
    }
}

#[test]
fn the_example_of_the_documentation_is_what_is_printed() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    assert_example(&env, &repo, "tickets.md");
}
