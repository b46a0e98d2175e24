use clap::Parser;
use clap::error::ErrorKind;

use super::arguments::{Command, CommandLine, Daemon, Map, Outcome, Repo, Risk, Session};
use super::error::from_parser;
use super::*;

fn line(arguments: &[&str]) -> Result<CommandLine, clap::Error> {
    CommandLine::try_parse_from([&["aictx"], arguments].concat())
}

fn command(arguments: &[&str]) -> Command {
    line(arguments).unwrap().command
}

fn refused(arguments: &[&str]) -> CliError {
    from_parser(&line(arguments).unwrap_err()).unwrap()
}

macro_rules! parsed {
    ($arguments:expr, $pattern:pat => $check:expr) => {
        match command(&$arguments) {
            $pattern => $check,
            other => panic!("{other:?}"),
        }
    };
}

#[test]
fn the_definition_is_consistent() {
    help::command().debug_assert();
}

#[test]
fn global_flags_stand_anywhere() {
    for arguments in [["--json", "status"], ["status", "--json"]] {
        assert!(line(&arguments).unwrap().json);
    }
    assert!(line(&["daemon", "status", "--no-color"]).unwrap().no_color);
    assert!(!line(&["status"]).unwrap().json);
}

#[test]
fn init() {
    parsed!(["init"], Command::Init(o) => {
        assert!(o.path.is_none() && o.repo.is_none() && !o.no_register && !o.force && !o.shared);
        assert!(o.what.agents.is_empty() && !o.what.dry_run);
    });
    parsed!(["init", "/p", "--runner", "none", "--no-register", "--force"], Command::Init(o) => {
        assert_eq!(o.path.unwrap().to_str(), Some("/p"));
        assert!(o.no_register && o.force);
        assert_eq!(o.what.agents, ["none"]);
    });
    parsed!(["init", "--repo", "/q", "--agents", "claude,codex", "--runner", "x"], Command::Init(o) => {
        assert_eq!(o.repo.unwrap().to_str(), Some("/q"));
        assert_eq!(o.what.agents, ["claude", "codex", "x"]);
    });
    assert_eq!(refused(&["init", "/p", "--repo", "/q"]).status(), 2);
}

#[test]
fn setup() {
    parsed!(["install", "--agents", "claude", "--yes", "--mcp-profile", "full"], Command::Install(o) => {
        assert!(o.what.yes && o.what.agents == ["claude"]);
    });
    parsed!(["install", "--no-mcp", "--mcp-profile", "full", "--install-codex-global", "--with-repomap"], Command::Install(o) => {
        assert!(o.what.no_mcp && o.install_codex_global);
    });
    parsed!(["init", "--no-mcp", "--mcp-profile", "full", "--no-gitignore"], Command::Init(o) => assert!(o.what.no_mcp));
    parsed!(["clean", "--repo", "--verify"], Command::Clean(o) => {
        assert_eq!(o.repo.to_str(), Some("."));
        assert!(o.how.verify && !o.how.dry_run && !o.delete_memory);
    });
    parsed!(["clean", "--repo", "/x", "--delete-memory", "-y"], Command::Clean(o) => {
        assert_eq!(o.repo.to_str(), Some("/x"));
        assert!(o.delete_memory && o.how.yes);
    });
    parsed!(["uninstall", "--purge", "--dry-run"], Command::Uninstall(o) => {
        assert!(o.purge && o.how.dry_run);
    });
    parsed!(["doctor", "--fix", "--exit-code"], Command::Doctor(o) => assert!(o.fix && o.exit_code));
    parsed!(["hook", "probe", "codex", "--wait", "5"], Command::Hook(o) => {
        assert_eq!((o.event.as_deref(), o.wait, o.run), (Some("codex"), 5, false));
    });
}

#[test]
fn resume() {
    parsed!(["resume"], Command::Resume(o) => {
        assert_eq!(o.at.repo.to_str(), Some("."));
        assert_eq!(o.task, "");
    });
    parsed!(
        ["resume", "--repo", "/r", "--task", "- x", "--task-type", "bugfix", "--full",
         "--agent-id", "a", "--adapter-id", "b", "--session-id", "c"],
        Command::Resume(o) => {
            assert_eq!(o.at.repo.to_str(), Some("/r"));
            assert_eq!((o.task.as_str(), o.task_type.as_str()), ("- x", "bugfix"));
            assert!(o.full && !o.brief);
            assert_eq!(o.caller.agent_id, "a");
            assert_eq!(o.caller.adapter_id, "b");
            assert_eq!(o.caller.session_id, "c");
        }
    );
    parsed!(["resume", "--task", "", "--brief"], Command::Resume(o) => assert!(o.brief));
    let both = refused(&["resume", "--task", "x", "--brief", "--full"]);
    assert_eq!((both.status(), both.code()), (2, "usage"));
    assert_eq!(both.message, "--brief and --full are mutually exclusive");
    assert_eq!(refused(&["resume", "--request", "x"]).status(), 2);
}

#[test]
fn a_command_under_observation_needs_no_dashes() {
    for dashes in [&["--"][..], &[]] {
        let options = [
            "internal",
            "run-execution",
            "--task",
            "t",
            "--files-edited",
            "a",
            "--agent-id",
            "x",
        ];
        let line = [&options[..], dashes, &["make", "--json", "-k"]].concat();
        parsed!(line, Command::Internal(arguments::Internal::RunExecution(o)) => {
            assert_eq!(o.command, ["make", "--json", "-k"]);
            assert_eq!(o.observed.files_edited, ["a"]);
        });
    }
}

#[test]
fn finalize() {
    parsed!(
        ["finalize", "--status", "success", "--summary", "s", "--include-view", "--online-view"],
        Command::Finalize(o) => {
            assert_eq!(o.status, Some(Outcome::Success));
            assert!(o.include_view && o.online_view);
        }
    );
    parsed!(
        ["finalize", "--status", "failure", "--summary", "s", "--view"],
        Command::Finalize(o) => assert!(o.include_view)
    );
    parsed!(["finalize", "--from-file", "-"], Command::Finalize(o) => assert!(o.status.is_none()));
    assert_eq!(refused(&["finalize", "--summary", "s"]).status(), 2);
    assert_eq!(refused(&["finalize", "--status", "success"]).status(), 2);
    assert_eq!(
        refused(&["finalize", "--status", "done", "--summary", "s"]).status(),
        2
    );
}

#[test]
fn guard() {
    parsed!(
        ["guard", "--repo", "/r", "--action", "risky_command", "--paths", "a", "--paths", "-b",
         "--command", "-rf /", "--intent", "-i", "--risk", "high", "--exit-code",
         "--agent-id", "g", "--session-id", "s"],
        Command::Guard(o) => {
            assert_eq!(o.action, "risky_command");
            assert_eq!(o.paths, ["a", "-b"]);
            assert_eq!(o.command.as_deref(), Some("-rf /"));
            assert_eq!(o.intent, "-i");
            assert_eq!(o.risk, Risk::High);
            assert!(o.exit_code && !o.command_stdin);
            assert_eq!((o.caller.agent_id.as_str(), o.caller.session_id.as_str()), ("g", "s"));
        }
    );
    // What `log` and `why` call it.
    parsed!(["claim", "src", "--session", "s"], Command::Claim(o) => assert_eq!(o.caller.session_id, "s"));
    parsed!(["claim", "src", "--session-id", "s"], Command::Claim(o) => assert_eq!(o.caller.session_id, "s"));
    parsed!(["guard", "--action", "edit", "--command-stdin"], Command::Guard(o) => {
        assert!(o.command_stdin);
        assert_eq!(o.risk, Risk::Normal);
    });
    parsed!(["guard", "--action", "edit", "--command=--x"], Command::Guard(o) => {
        assert_eq!(o.command.as_deref(), Some("--x"));
    });
    let wrong: [&[&str]; 5] = [
        &["guard"],
        &["guard", "--action", "dance"],
        &["guard", "--action", "edit", "--risk", "HIGH"],
        &["guard", "--action", "edit", "--paths", "a", "b"],
        &[
            "guard",
            "--action",
            "edit",
            "--command",
            "x",
            "--command-stdin",
        ],
    ];
    for arguments in wrong {
        assert_eq!(refused(arguments).status(), 2, "{arguments:?}");
    }
}

#[test]
fn the_rest() {
    parsed!(["status"], Command::Status => ());
    parsed!(["scrub"], Command::Scrub => ());
    parsed!(["version"], Command::Version => ());
    parsed!(["repo", "list"], Command::Repo(Repo::List) => ());
    parsed!(["repo", "add"], Command::Repo(Repo::Add { path }) => assert_eq!(path.to_str(), Some(".")));
    parsed!(["repo", "remove", "/x"], Command::Repo(Repo::Remove { path }) => assert_eq!(path.to_str(), Some("/x")));
    parsed!(["session", "list", "-n", "3", "--repo", "/x"], Command::Session(Session::List { at, limit }) => {
        assert_eq!((at.repo.to_str(), limit), (Some("/x"), 3));
    });
    parsed!(["session", "show", "abc", "--rows"], Command::Session(Session::Show { id, rows, .. }) => {
        assert!(rows && id == "abc");
    });
    for asked in [
        &["map", "query", "--limit", "3", "--json", "- fix it"][..],
        &["map", "query", "- fix it", "--limit", "3", "--json"],
        &["map", "query", "-n", "3", "- fix it", "--json"],
        &["map", "query", "- fix", "it", "-n", "3", "--json"],
    ] {
        let line = line(asked).unwrap();
        assert!(line.json, "{asked:?}");
        let Command::Map(Map::Query {
            text, words, limit, ..
        }) = line.command
        else {
            panic!("{asked:?}");
        };
        assert_eq!(
            (format!("{text} {}", words.join(" ")).trim(), limit),
            ("- fix it", 3)
        );
    }
    parsed!(["daemon", "start"], Command::Daemon(Daemon::Start) => ());
    parsed!(["daemon", "stop"], Command::Daemon(Daemon::Stop) => ());
    parsed!(["daemon", "restart"], Command::Daemon(Daemon::Restart) => ());
    parsed!(["daemon", "status"], Command::Daemon(Daemon::Status) => ());
    parsed!(["daemon", "logs", "-n", "7"], Command::Daemon(Daemon::Logs { lines }) => assert_eq!(lines, 7));
    parsed!(["--json", "hook", "x", "y"], Command::Hook(o) => {
        assert_eq!((o.runner.as_deref(), o.event.as_deref()), (Some("x"), Some("y")));
    });
}

#[test]
fn help_and_version_are_no_errors() {
    for (arguments, kind) in [
        (&["--help"][..], ErrorKind::DisplayHelp),
        (&["-h"], ErrorKind::DisplayHelp),
        (&["hook", "--help"], ErrorKind::DisplayHelp),
        (&["-V"], ErrorKind::DisplayVersion),
    ] {
        let error = line(arguments).unwrap_err();
        assert_eq!(error.kind(), kind);
        assert!(from_parser(&error).is_none());
    }
}

#[test]
fn complaints_say_what_and_how() {
    assert_eq!(refused(&[]).message, "a command is missing");
    let behind = refused(&["session"]);
    assert_eq!(behind.message, "`aictx session` needs a command behind it");
    assert_eq!(behind.hint, "one of list, show; see `aictx session --help`");
    let unknown = refused(&["statsu"]);
    assert_eq!(unknown.message, "unrecognized subcommand 'statsu'");
    assert!(unknown.hint.contains("'status'"), "{}", unknown.hint);
    let missing = refused(&["guard"]);
    assert!(missing.message.contains("--action"), "{}", missing.message);
    assert!(missing.hint.contains("aictx guard"), "{}", missing.hint);
}

#[test]
fn a_wrong_command_line_ends_with_two_and_a_hook_never() {
    let argv = |list: &[&str]| list.iter().map(OsString::from).collect::<Vec<_>>();
    assert_eq!(run_with(&argv(&["aictx", "nonsense"])), 2);
    assert_eq!(
        run_with(&argv(&["aictx", "resume", "--full", "--brief", "--json"])),
        2
    );
}

#[test]
fn a_reader_that_has_left_is_no_failure() {
    let gone = Err(CliError::new(Kind::BrokenPipe, ""));
    assert_eq!(finish(gone, true, Paint::off()), 0);
    assert_eq!(finish(Ok(20), false, Paint::off()), 20);
}
