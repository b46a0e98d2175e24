//! Processes, and calls whose meaning hangs on a value: `kill -9 -1`, `curl -X DELETE`.

use std::borrow::Cow;

use aictx_shell::Word;

use super::http_request::request;
use super::options::{self, has_option, value_of};
use super::path_target::{Reach, Touch};
use super::{Call, Judge, Kind, Level, Tier, cron, inline_code, interactive_input, stdin_source};

/// Returns whether the program is one of these and there is nothing more to know about it.
pub(super) fn judge(judge: &mut Judge, call: Call) -> bool {
    match call.name {
        "kill" => kill(judge, call),
        "curl" | "wget" | "xh" | "http" | "https" | "curlie" | "gh" | "glab" => {
            request(judge, call);
            return false;
        }
        "grpcurl" | "grpc_cli" | "evans" => {
            super::http_request::procedure(judge, call);
            return false;
        }
        "awk" | "gawk" | "mawk" | "nawk" => {
            let runs = |text: &str| {
                ["system(", "getline", "| \"", "|\""]
                    .iter()
                    .any(|way| text.contains(way))
            };
            for word in call.arguments().iter().filter(|word| runs(&word.text)) {
                inline_code::judge(judge, call, "awk", &word.text);
            }
            for word in call.arguments().iter().take(16) {
                emptied_by_awk(judge, call, &word.text);
            }
        }
        "ssh" => {
            shell_elsewhere(judge, call);
            return false;
        }
        "terraform" | "tofu" | "terragrunt" => {
            planned(judge, call);
            return false;
        }
        "crontab" => cron::crontab(judge, call),
        "vi" | "vim" | "nvim" | "ex" => interactive_input::editor(judge, call),
        "ansible" if !has_option(call.arguments(), &["-C", "--check"]) => {
            ansible(judge, call);
            return false;
        }
        "lftp" | "sftp" | "ftp" | "smbclient" => transfers(judge, call),
        // What is typed into another terminal, or run on many machines.
        "salt" | "salt-ssh" | "salt-call" => {
            let run = |word: &Word| {
                matches!(
                    word.text.as_str(),
                    "cmd.run" | "cmd.shell" | "cmd.run_all" | "cmd.run_bg"
                )
            };
            let words = call.arguments();
            if let Some(text) = words.iter().position(run).and_then(|at| words.get(at + 1)) {
                judge.inner_script(&text.text, true);
            }
            return false;
        }
        "knife" | "bolt" | "dsh" | "mussh" | "mco" | "cap" => {
            for word in call
                .arguments()
                .iter()
                .filter(|word| word.text.contains(' '))
            {
                judge.inner_script(&word.text, true);
            }
            return false;
        }
        "ldapmodify" | "nsupdate" | "kadmin" | "kadmin.local" | "debugfs" | "hbase"
        | "zkCli.sh" | "zookeeper-shell.sh" | "bconsole" | "gremlin.sh" | "sacctmgr" | "aql"
        | "asadm" | "mysqlsh" | "cyradm" | "vtysh" | "targetcli" | "gdisk" | "lvm" | "xfs_db"
        | "ncs_cli" => {
            interactive_input::ordered(judge, call);
            return false;
        }
        "cmake" => {
            let mut words = call.arguments().iter().skip_while(|word| word.text != "-E");
            let program = words.nth(1).map_or("", |word| word.text.as_str());
            let rest: Vec<String> = words
                .map(|word| super::unknown_wrapper::quoted(&word.text))
                .collect();
            let line = match program {
                "rm" => format!("rm {}", rest.join(" ")),
                "remove_directory" => format!("rm -r {}", rest.join(" ")),
                _ => return false,
            };
            judge.inner_script(&line, call.command.remote);
        }
        "tmux" if interactive_input::keys(judge, call) => return false,
        "sbatch" | "qsub" | "bsub" | "msub" | "hq" | "oarsub" | "condor_submit" => {
            // A job without a file is read from standard input.
            for text in stdin_source::piped_texts(call) {
                judge.inner_script(&text, call.command.remote);
            }
            stdin_source::piped_script(judge, call);
            return false;
        }
        "tmux" | "stuff" | "pssh" | "parallel-ssh" | "pdsh" | "clush" => {
            for word in call
                .arguments()
                .iter()
                .filter(|word| word.text.contains(' '))
            {
                let text = stdin_source::unescaped(&word.text.replace("^M", "\n"));
                judge.inner_script(&text, call.command.remote);
            }
            return false;
        }
        "gdb" | "lldb" => {
            for word in call.arguments() {
                let text = word.text.as_str();
                let run = text
                    .strip_prefix("shell ")
                    .or_else(|| text.strip_prefix('!'));
                if let Some(text) = run.or_else(|| text.strip_prefix("platform shell ")) {
                    judge.inner_script(text, call.command.remote);
                }
                // `call (int)unlink("…")`: done by the program that is looked into.
                let called = ["call ", "p ", "print ", "expr ", "expression "]
                    .iter()
                    .find_map(|order| text.strip_prefix(order));
                if let Some(text) = called {
                    inline_code::judge(judge, call, "c", text);
                }
            }
            return false;
        }
        "nc" | "ncat" | "netcat" | "socat" | "telnet" => {
            let hands_over = |word: &Word| {
                let text = word.text.to_ascii_lowercase();
                text.contains("exec:") || text.contains("system:")
            };
            let words = call.arguments();
            if has_option(words, &["-e", "-c", "--exec", "--sh-exec"]) && call.name != "socat"
                || words.iter().any(hands_over)
            {
                let verb = "a shell over the network";
                judge.hit(Some(call), Kind::NetworkExec, Tier::Destructive, verb, []);
            }
            if stdin_source::piped_texts(call)
                .iter()
                .any(|text| stdin_source::is_flush(text))
            {
                let verb = "flush of a database";
                judge.hit(Some(call), Kind::DatabaseWrite, Tier::Destructive, verb, []);
            }
            return false;
        }
        "tar" | "gtar" | "bsdtar" | "unzip" | "cpio" | "7z" | "unrar" => {
            unpacked(judge, call);
            return false;
        }
        "ed" | "red" => interactive_input::editor(judge, call),
        "emacs" | "emacsclient" => {
            for word in call
                .arguments()
                .iter()
                .filter(|word| word.text.starts_with('('))
            {
                // `nil` stands for what is not given between the words of a call.
                inline_code::judge(judge, call, "emacs", &word.text.replace(" nil", ""));
                if word.text.contains("(erase-buffer)") {
                    let verb = "emacs empties a file";
                    judge.hit(Some(call), Kind::Overwrite, Tier::Destructive, verb, []);
                }
                if word.text.contains("(delete-directory") {
                    let verb = "emacs deletes a tree";
                    judge.hit(Some(call), Kind::Delete, Tier::Destructive, verb, []);
                }
            }
            return false;
        }
        "ssh-keygen" => {
            // The question whether to replace a key is answered beforehand.
            let answered = call.fed_by(&["yes"])
                || stdin_source::piped_texts(call)
                    .iter()
                    .any(|text| text.trim_start().starts_with(['y', 'Y']));
            if answered && has_option(call.arguments(), &["-f"]) {
                let verb = "ssh-keygen over a key";
                judge.hit(Some(call), Kind::Credentials, Tier::Destructive, verb, []);
            }
        }
        "setfacl" | "chattr" => {
            attributes(judge, call);
            return false;
        }
        "osascript" => {
            for word in call.arguments() {
                inline_code::judge(judge, call, "osascript", &word.text);
            }
            let told = |word: &Word| {
                let text = word.text.to_ascii_lowercase();
                text.contains("delete") || text.contains("empty trash") || text.contains("erase")
            };
            if call.arguments().iter().any(told) {
                judge.hit(Some(call), Kind::Delete, Tier::Destructive, "osascript", []);
            }
        }
        "eval" => {
            let decoders = super::table::DECODERS;
            let decoded =
                |word: &Word| word.inner.is_some() && call.holds_output_of(word, decoders);
            if call.arguments().iter().any(decoded) {
                judge.undecidable(Level::Destructive, "eval", &[]);
            }
            for word in call.arguments().iter().take(16) {
                if word.inner.is_some() {
                    stdin_source::printed_script(judge, call, word);
                }
            }
            unknown_text(judge, call, call.arguments().first());
        }
        "sh" | "bash" | "zsh" | "dash" => {
            let text = value_of(call.arguments(), &["-c", "-lc", "-ic"]);
            if let Some(word) = text.filter(|word| word.inner.is_some()) {
                stdin_source::printed_script(judge, call, word);
            }
            unknown_text(judge, call, text);
            return false;
        }
        _ => {
            // `/etc/init.d/nginx stop`
            let program = call
                .command
                .words
                .first()
                .map_or("", |word| word.text.as_str());
            let order = call
                .arguments()
                .first()
                .map_or("", |word| word.text.as_str());
            if program.starts_with("/etc/init.d/") && matches!(order, "stop" | "restart") {
                let shown = [program];
                judge.hit(Some(call), Kind::ProcessKill, Tier::Risky, "service", shown);
            }
            return false;
        }
    }
    true
}

/// Options of `ssh` that take the next word.
const SSH_VALUED: &[&str] = &[
    "-p", "-i", "-l", "-o", "-F", "-J", "-L", "-R", "-D", "-W", "-b", "-c", "-E", "-e", "-I", "-m",
    "-O", "-Q", "-S", "-w", "-B",
];

/// `… | ssh host`: the shell over there reads what comes.
fn shell_elsewhere(judge: &mut Judge, call: Call) {
    let mut words = call.arguments().iter();
    let mut operands = 0;
    while let Some(word) = words.next() {
        if SSH_VALUED.contains(&word.text.as_str()) {
            words.next();
        } else if !word.text.starts_with('-') {
            operands += 1;
        } else if matches!(word.text.as_str(), "-N" | "-n" | "-V" | "-G") {
            return;
        }
    }
    if operands == 1 {
        // A here-document was followed already.
        if call.command.stdin_text().is_none() {
            for text in stdin_source::piped_texts(call) {
                judge.inner_script(&text, true);
            }
        }
        stdin_source::piped_script(judge, call);
    }
}

/// A script that is only known when it runs. Programs that print settings for the shell are usual.
fn unknown_text(judge: &mut Judge, call: Call, text: Option<&Word>) {
    if let Some(word) = text.filter(|word| word.unknown && word.inner.is_none())
        && word.text.starts_with('$')
        && call.arguments().len() == 1 + usize::from(call.name != "eval")
    {
        let words = std::slice::from_ref(word);
        judge.undecidable(Level::Caution, call.name, words);
    }
}

fn kill(judge: &mut Judge, call: Call) {
    let words = call.arguments();
    let signal = words
        .first()
        .map(|word| word.text.as_str())
        .filter(|text| text.starts_with('-') && text.len() > 1);
    if matches!(signal, Some("-l" | "-L" | "-0" | "--list")) {
        return;
    }
    let rest = words
        .get(usize::from(signal.is_some())..)
        .unwrap_or_default();
    // `kill -1` alone is a signal; a process id of -1 means all of them.
    let everything = rest
        .iter()
        .any(|word| matches!(word.text.as_str(), "-1" | "1" | "0"));
    if everything {
        let tier = Tier::Destructive;
        judge.hit(
            Some(call),
            Kind::ProcessKill,
            tier,
            "kill",
            ["every process"],
        );
    } else if kills_what_ps_lists(call) {
        let verb = "kill of what ps lists";
        judge.hit(Some(call), Kind::ProcessKill, Tier::Destructive, verb, []);
    } else if matches!(signal, Some("-9" | "-KILL" | "-SIGKILL" | "-s" | "-STOP")) {
        let shown = rest.iter().map(|word| word.text.as_str());
        judge.hit(Some(call), Kind::ProcessKill, Tier::Risky, "kill -9", shown);
    }
}

/// `ps -e -o pid= | xargs kill -9`, with nothing that picks some of them.
fn kills_what_ps_lists(call: Call) -> bool {
    const PICKERS: &[&str] = &[
        "grep", "egrep", "rg", "pgrep", "head", "tail", "awk", "sed", "fzf",
    ];
    let piped = call.command.fed && call.fed_by(&["ps"]) && !call.fed_by(PICKERS);
    let listed = |word: &Word| {
        word.inner.is_some()
            && call.holds_output_of(word, &["ps"])
            && !call.holds_output_of(word, PICKERS)
    };
    piped || call.arguments().iter().any(listed)
}

/// `awk 'BEGIN { printf "" > "file" }'`
fn emptied_by_awk(judge: &mut Judge, call: Call, program: &str) {
    for (at, way) in program.match_indices("\"\"").take(8) {
        let behind = program
            .get(at + way.len()..)
            .unwrap_or_default()
            .trim_start();
        let Some(file) = behind.strip_prefix('>').map(str::trim_start) else {
            continue;
        };
        let file = file
            .strip_prefix('"')
            .and_then(|rest| rest.split('"').next());
        let file = file.filter(|file| !file.starts_with("/dev/"));
        if let Some(file) = file.filter(|_| !call.command.remote) {
            let tier = judge.emptying(call, &Word::plain(file));
            judge.hit(Some(call), Kind::Overwrite, tier, "awk", [file]);
        }
    }
}

/// `ansible hosts -m module -a arguments`
fn ansible(judge: &mut Judge, call: Call) {
    let words = call.arguments();
    let text = |options: &[&str]| value_of(words, options).map_or("", |word| word.text.as_str());
    let (module, given) = (text(&["-m", "--module-name"]), text(&["-a", "--args"]));
    let module = module.rsplit('.').next().unwrap_or_default();
    let absent = given.contains("state=absent");
    let (kind, tier) = match module {
        "reboot" | "shutdown" | "win_reboot" => (Kind::ProcessKill, Tier::Destructive),
        "apt" | "yum" | "dnf" | "package" | "pip" | "npm" if absent => {
            (Kind::RemoteDelete, Tier::Risky)
        }
        _ if absent => (Kind::RemoteDelete, Tier::Destructive),
        "service" | "systemd"
            if given.contains("state=stopped") || given.contains("state=restarted") =>
        {
            (Kind::ProcessKill, Tier::Risky)
        }
        _ => return,
    };
    let verb = format!("ansible {module}");
    judge.hit(Some(call), kind, tier, &verb, []);
}

/// An archive is unpacked over the system.
fn unpacked(judge: &mut Judge, call: Call) {
    let words = call.arguments();
    let unpacks = match call.name {
        "tar" | "gtar" | "bsdtar" => {
            let bundled = words
                .first()
                .is_some_and(|word| !word.text.starts_with('-') && word.text.contains('x'));
            bundled || has_option(words, &["-x", "--extract", "--get"])
        }
        "cpio" => has_option(words, &["-i", "--extract"]),
        "unzip" => !has_option(words, &["-l", "-p", "-t", "-v", "-Z"]),
        "7z" => words
            .first()
            .is_some_and(|verb| matches!(verb.text.as_str(), "x" | "e")),
        _ => true,
    };
    let into = match call.name {
        "tar" | "gtar" | "bsdtar" => options::set(words, 'C', "--directory"),
        "cpio" => options::set(words, 'D', "--directory"),
        "7z" => {
            let given = words.iter().find_map(|word| word.text.strip_prefix("-o"));
            given.map(|dir| Cow::Owned(Word::plain(dir)))
        }
        _ => options::set(words, 'd', "--directory"),
    };
    let Some(word) = into.filter(|word| unpacks && !word.text.is_empty()) else {
        return;
    };
    let into = word.text.as_str();
    if call.command.remote {
        return;
    }
    let verb = format!("{} over the system", call.name);
    if matches!(
        into.trim_end_matches('/'),
        "" | "/etc" | "/usr" | "/bin" | "/lib" | "/usr/bin" | "/usr/lib"
    ) {
        judge.hit(
            Some(call),
            Kind::Overwrite,
            Tier::Destructive,
            &verb,
            [into],
        );
        return;
    }
    // Told not to ask, over what lies elsewhere; programs are put where programs are put.
    let unasked = call.name == "unzip"
        && has_option(words, &["-o"])
        && !into.starts_with("/opt")
        && !into.starts_with("/usr/local")
        && judge.is_outside(call, &word);
    if unasked {
        let kind = Kind::Overwrite;
        judge.hit(Some(call), kind, Tier::Destructive, "unzip -o", [into]);
    } else {
        judge.write_target(call, &word, call.name, Touch::Create);
    }
}

/// Rights and attributes of what the system needs.
fn attributes(judge: &mut Judge, call: Call) {
    let words = call.arguments();
    if !has_option(words, &["-R", "--recursive"]) {
        return;
    }
    let system = |word: &&Word| {
        let text = word.text.trim_end_matches('/');
        text.starts_with('/') && judge.place.reach(None, text, false) == Reach::Everything
            || word.text == "/"
    };
    if let Some(word) = words.iter().find(system) {
        let shown = [word.text.as_str()];
        let verb = format!("{} -R", call.name);
        judge.hit(
            Some(call),
            Kind::Permission,
            Tier::Destructive,
            &verb,
            shown,
        );
    }
}

/// Orders for a file transfer.
fn transfers(judge: &mut Judge, call: Call) {
    let orders = |text: &str| {
        text.split([';', '\n']).any(|order| {
            let mut words = order.split_whitespace();
            match words.next() {
                Some("rm" | "mrm" | "rmdir" | "mdelete" | "delete" | "deltree" | "del") => true,
                Some("glob") => matches!(words.next(), Some("rm" | "mrm")),
                Some("mirror") => {
                    words.any(|word| word.starts_with("--delete") || word.starts_with("--Remove"))
                }
                _ => false,
            }
        })
    };
    let texts = stdin_source::piped_texts(call);
    if texts.iter().any(|text| orders(text))
        || call.arguments().iter().any(|word| orders(&word.text))
    {
        let name = call.name;
        judge.hit(Some(call), Kind::RemoteDelete, Tier::Destructive, name, []);
    }
}

/// `plan -destroy` and then `apply`.
fn planned(judge: &mut Judge, call: Call) {
    let says = |words: &[Word], text: &str| words.iter().any(|word| word.text == text);
    if !says(call.arguments(), "apply") {
        return;
    }
    let before = call.script.commands.get(..call.segment).unwrap_or_default();
    let destroys = before.iter().rev().take(64).any(|command| {
        let words = command.arguments();
        command.name() == call.name
            && says(words, "plan")
            && (says(words, "-destroy") || says(words, "--destroy"))
    });
    if destroys {
        let verb = "apply of a plan that destroys";
        judge.hit(Some(call), Kind::RemoteDelete, Tier::Destructive, verb, []);
    }
}
