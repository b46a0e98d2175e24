//! Help that clap cannot derive: groups of commands, examples, exit statuses. The reference pages and the
//! man pages are made from the same tables.

use std::fmt::Write;

use clap::{Command, CommandFactory};

use super::arguments::CommandLine;

/// A heading of `aictx --help` and the commands under it.
#[derive(Debug, Clone, Copy)]
pub struct Group {
    /// Heading.
    pub title: &'static str,
    /// Commands in the order of the help.
    pub commands: &'static [&'static str],
}

/// All commands, most used first.
pub const GROUPS: &[Group] = &[
    Group {
        title: "Everyday",
        commands: &[
            "resume", "next", "recall", "remember", "task", "ticket", "flow", "run", "finalize",
        ],
    },
    Group {
        title: "Memory",
        commands: &[
            "memory",
            "failures",
            "session",
            "log",
            "why",
            "preview",
            "view",
            "pin",
            "wrong",
            "forget",
            "prepare",
            "suggest",
            "reuse",
            "reflect",
            "report",
            "import",
            "portability",
            "messages",
        ],
    },
    Group {
        title: "Map",
        commands: &["map", "intake", "docs"],
    },
    Group {
        title: "Guard",
        commands: &["guard", "steer", "claim", "who", "trust"],
    },
    Group {
        title: "Setup",
        commands: &[
            "install",
            "init",
            "doctor",
            "status",
            "repo",
            "daemon",
            "clean",
            "uninstall",
            "version",
            "help",
        ],
    },
    Group {
        title: "Advanced",
        commands: &[
            "advanced", "mcp", "hook", "eval", "signals", "scrub", "internal",
        ],
    },
];

/// Exit statuses of `aictx` and their meanings.
pub const EXIT_STATUSES: &[(&str, &str)] = &[
    (
        "0",
        "Success, also when the reader of the output left early",
    ),
    ("1", "Failure, or findings where a command checks something"),
    ("2", "Wrong command line"),
    (
        "3",
        "`daemon status`: no daemon is running; `install`, `init`, `clean`, `uninstall`: something was left undone",
    ),
    (
        "3, 4, 6, 9",
        "`ticket`, `run`, `intake`, `docs`: not found; claimed by another or another is active; no daemon; internal error",
    ),
    ("10, 20", "`guard --exit-code`: `re_ground`, `block`"),
    (
        "any",
        "`internal run-execution`, `run verify`: the status of the command; 124 at its time limit, 126 and 127 as in a shell",
    ),
];

/// Command lines that show what a command is for, with what they do.
const EXAMPLES: &[(&str, &[(&str, &str)])] = &[
    (
        "init",
        &[
            ("aictx init", "Remember the repository you are in"),
            (
                "aictx init ~/src/shop --dry-run",
                "Show what would be written",
            ),
        ],
    ),
    (
        "install",
        &[
            ("aictx install", "Register hooks with every agent found"),
            (
                "aictx install --agents claude,codex --yes",
                "Only these two, without a question",
            ),
        ],
    ),
    (
        "resume",
        &[
            ("aictx resume", "Where the work on this branch stands"),
            (
                "aictx resume --task \"fix the login redirect\"",
                "The same for one task",
            ),
        ],
    ),
    (
        "finalize",
        &[(
            "aictx finalize --status success --summary \"Redirect fixed\" --next-step \"add a test\"",
            "Hand the work over",
        )],
    ),
    (
        "recall",
        &[
            (
                "aictx recall redirect loop",
                "Everything remembered about it",
            ),
            (
                "aictx recall --kind decision --file src/auth.rs",
                "Decisions about one file",
            ),
        ],
    ),
    (
        "remember",
        &[
            (
                "aictx remember \"sessions live in Redis, not in memory\"",
                "Record a decision",
            ),
            (
                "aictx remember --rule \"use pnpm, never npm\"",
                "A rule that every session is told",
            ),
        ],
    ),
    (
        "task",
        &[
            (
                "aictx task start \"Ship 1.2\"",
                "Begin a task that takes several sessions",
            ),
            ("aictx task status", "Where it stands"),
        ],
    ),
    (
        "ticket",
        &[
            (
                "aictx ticket new --title \"Parse tables\" --verify \"cargo test\"",
                "Put work into the queue",
            ),
            ("aictx ticket claim", "Take the next ticket that is ready"),
            ("aictx ticket done", "Mark the claimed ticket as done"),
        ],
    ),
    (
        "flow",
        &[
            (
                "aictx flow start --verify \"cargo test\" --trust-verify",
                "Let the agents of the tickets work them off",
            ),
            ("aictx flow watch", "Follow it until it ends"),
            (
                "aictx flow reply \"Use the second key\"",
                "Answer its question and let it go on",
            ),
        ],
    ),
    (
        "run",
        &[
            (
                "aictx run start \"find why the export is slow\"",
                "Begin the ledger of one hard problem",
            ),
            (
                "aictx run hypothesis add \"the index is missing\"",
                "Add a hypothesis; its ID is printed",
            ),
            (
                "aictx run close --summary \"Index added\" --verification \"make bench\" --no-risks",
                "Close it, or show what is missing",
            ),
        ],
    ),
    (
        "intake",
        &[(
            "aictx intake \"release a new version\"",
            "Documents that the request belongs to, and what they say to open first",
        )],
    ),
    (
        "failures",
        &[
            ("aictx failures list", "What fails here and is not resolved"),
            ("aictx failures resolve ID", "Mark one as resolved"),
        ],
    ),
    (
        "memory",
        &[("aictx memory list --kind failure", "Items with their IDs")],
    ),
    (
        "map",
        &[
            (
                "aictx map query \"where is the cart total computed\"",
                "Files and symbols, best first",
            ),
            ("aictx map refs CartTotal", "Who uses a symbol"),
        ],
    ),
    (
        "guard",
        &[(
            "aictx guard --action risky_command --command \"git reset --hard\" --exit-code",
            "Exit with 20 when the command must not run",
        )],
    ),
    (
        "doctor",
        &[(
            "aictx doctor",
            "Check hooks, daemon and memory of this repository",
        )],
    ),
];

/// The command line with its groups, examples and exit statuses in the help.
pub fn command() -> Command {
    let mut command = CommandLine::command();
    for (name, examples) in EXAMPLES {
        let shown = shown(examples);
        command = command.mut_subcommand(name, |sub| sub.after_help(shown));
    }
    let template = template(&command);
    // `aictx help task list` is enough; `aictx task help list` is not needed besides.
    command
        .mut_subcommands(|sub| sub.disable_help_subcommand(true))
        .help_template(template)
        .after_long_help(exit_statuses())
}

fn shown(examples: &[(&str, &str)]) -> String {
    let mut text = String::from("Examples:\n");
    for (line, does) in examples {
        let _ = write!(text, "  {line}\n      {does}\n");
    }
    text
}

fn exit_statuses() -> String {
    let mut text = String::from("Exit statuses:\n");
    for (status, meaning) in EXIT_STATUSES {
        let _ = writeln!(text, "  {status:<10} {meaning}");
    }
    text
}

/// The help of the program as a whole. Clap knows one heading for all subcommands.
fn template(command: &Command) -> String {
    let header = command.get_styles().get_header();
    let literal = command.get_styles().get_literal();
    let mut text = String::from("{about-with-newline}\n{usage-heading} {usage}\n");
    for group in GROUPS {
        let _ = write!(text, "\n{header}{}:{header:#}\n", group.title);
        for name in group.commands {
            let about = match command.find_subcommand(name) {
                Some(sub) if sub.is_hide_set() => continue,
                Some(sub) => sub.get_about().map(ToString::to_string).unwrap_or_default(),
                // Clap adds its own command while it builds.
                None => "Show the help of a command".to_owned(),
            };
            let _ = writeln!(text, "  {literal}{name:<12}{literal:#} {about}");
        }
    }
    let _ = write!(
        text,
        "\n{header}Options:{header:#}\n{{options}}{{after-help}}"
    );
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_stands_in_one_group() {
        let command = CommandLine::command();
        let visible = command.get_subcommands().filter(|sub| !sub.is_hide_set());
        let mut expected: Vec<&str> = visible.map(Command::get_name).chain(["help"]).collect();
        let mut grouped: Vec<&str> = GROUPS.iter().flat_map(|g| g.commands).copied().collect();
        expected.sort_unstable();
        grouped.sort_unstable();
        assert_eq!(grouped, expected);
    }

    #[test]
    fn examples_are_command_lines_that_parse() {
        for (name, examples) in EXAMPLES {
            for (line, _) in *examples {
                let words = words_of(line);
                assert_eq!(words[..2], ["aictx", name], "{line}");
                let parsed = command().try_get_matches_from(&words);
                assert!(parsed.is_ok(), "{line}: {}", parsed.unwrap_err());
            }
        }
    }

    #[test]
    fn help_of_every_command() {
        let all = command();
        insta::assert_snapshot!("help", shown_by(&["aictx", "--help"]));
        for group in GROUPS {
            let commands = group.commands.iter().filter_map(|n| all.find_subcommand(n));
            let pages: String = commands.map(|sub| pages(&["aictx"], sub)).collect();
            insta::assert_snapshot!(group.title.to_lowercase(), pages);
        }
    }

    /// Answers to `--help` of a command and of those below it.
    fn pages(above: &[&str], command: &Command) -> String {
        let line = [above, &[command.get_name()]].concat();
        let help = shown_by(&[&line[..], &["--help"]].concat());
        let own = format!("$ {} --help\n{help}\n", line.join(" "));
        let below = command.get_subcommands().map(|sub| pages(&line, sub));
        below.fold(own, |all, page| all + &page)
    }

    fn shown_by(line: &[&str]) -> String {
        let answer = super::command().try_get_matches_from(line).unwrap_err();
        answer.to_string()
    }

    /// Words of a line; double quotes hold one together.
    fn words_of(line: &str) -> Vec<String> {
        let parts = line.split('"').enumerate();
        let parts = parts.flat_map(|(at, part)| match at % 2 {
            0 => part.split_whitespace().map(str::to_owned).collect(),
            _ => vec![part.to_owned()],
        });
        parts.collect()
    }
}
