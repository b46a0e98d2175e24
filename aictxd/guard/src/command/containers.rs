//! Commands inside of a container, as on another machine.

use aictx_shell::{SimpleCommand, Word};

use super::path_target::Reach;
use super::table::SQL_CLIENTS;
use super::{Call, Judge, Kind, Level, Tier, has_option, sql, stdin_source};

/// Options of `exec` and `run` that take the next word.
const CONTAINER_VALUED: &[&str] = &[
    "-e",
    "--env",
    "--env-file",
    "-u",
    "--user",
    "-w",
    "--workdir",
    "-v",
    "--volume",
    "--mount",
    "-p",
    "--publish",
    "--name",
    "--network",
    "--net",
    "--entrypoint",
    "-h",
    "--hostname",
    "-l",
    "--label",
    "-m",
    "--memory",
    "--cpus",
    "--platform",
    "--index",
    "-n",
    "--namespace",
    "-c",
    "--container",
    "--context",
    "--add-host",
    "--restart",
    "--gpus",
    "--ulimit",
    "--tmpfs",
    "--volumes-from",
    "--detach-keys",
    "--pull",
    "--shm-size",
    "--device",
    "--image",
];

/// `docker rm -f $(docker ps -aq)`: all containers with what they wrote, running or not.
fn removed(judge: &mut Judge, call: Call) {
    let arguments = call.arguments();
    let verb = arguments.iter().take(2).any(|word| word.text == "rm");
    if !verb || !has_option(arguments, &["-f", "--force"]) {
        return;
    }
    let name = call.name;
    let lists = |command: &SimpleCommand| {
        let words = command.arguments();
        command.name() == name
            && words
                .iter()
                .take(2)
                .any(|word| matches!(word.text.as_str(), "ps" | "ls" | "list"))
            && !words
                .iter()
                .any(|word| matches!(word.text.as_str(), "volume" | "image" | "network"))
            && has_option(words, &["-a", "--all"])
            && !has_option(words, &["-f", "--filter", "-l", "--latest", "-n", "--last"])
    };
    let inside = |word: &Word| {
        let commands = call.script.commands.get(word.range()).unwrap_or_default();
        matches!(commands, [one] if lists(one))
    };
    let piped = call.command.fed && call.feeder().is_some_and(lists);
    let all = matches!(name, "podman" | "nerdctl") && has_option(arguments, &["-a", "--all"]);
    if all || piped || arguments.iter().any(inside) {
        let verb = format!("{name} rm of all");
        judge.hit(Some(call), Kind::Delete, Tier::Destructive, &verb, []);
    }
}

/// `docker exec box psql -c …`: what runs inside is judged as on another machine.
pub(super) fn judge(judge: &mut Judge, call: Call) {
    let arguments = call.arguments();
    removed(judge, call);
    let Some(at) = arguments
        .iter()
        .position(|word| matches!(word.text.as_str(), "exec" | "run" | "debug"))
    else {
        return;
    };
    // What is mounted is this machine's.
    let mounts = |word: &&Word| {
        let source = word.text.split(':').next().unwrap_or_default();
        word.text.starts_with('/')
            && word.text.contains(':')
            && judge.place.reach(None, source, false) == Reach::Everything
            && !source.contains("/sock")
    };
    if let Some(word) = arguments.iter().find(mounts) {
        let verb = format!("{} with the system mounted", call.name);
        let shown = [word.text.as_str()];
        judge.hit(Some(call), Kind::Privilege, Tier::Risky, &verb, shown);
    }
    // Options, then the container, then what runs in it.
    let mut rest = arguments.get(at + 1..).unwrap_or_default().iter();
    let mut named = false;
    let mut text = String::new();
    while let Some(word) = rest.next() {
        let shown = word.text.as_str();
        if text.is_empty() && shown.starts_with('-') {
            if !named && CONTAINER_VALUED.contains(&shown) {
                rest.next();
            }
            continue;
        }
        if !named {
            named = true;
            continue;
        }
        text.push('\'');
        text.push_str(&shown.replace('\'', "'\\''"));
        text.push_str("' ");
    }
    // What stands in the command line's own here-document goes to the program inside.
    let input = stdin_source::piped_texts(call);
    if let Some(body) = input.first().filter(|_| !text.is_empty()) {
        let end = (0..64)
            .map(|nth| format!("END{nth}"))
            .find(|end| !body.contains(end.as_str()));
        match end {
            Some(end) => text.push_str(&format!("<<'{end}'\n{body}\n{end}\n")),
            None => judge.undecidable(Level::Destructive, call.name, &[]),
        }
    }
    if text.is_empty() {
        return;
    }
    if input.is_empty()
        && let Some(file) = stdin_source::piped_files(call).first()
        && !file.unknown
    {
        text.push_str("< ");
        text.push_str(&super::unknown_wrapper::quoted(&file.text));
    }
    let client = arguments
        .iter()
        .find(|word| SQL_CLIENTS.contains(&word.program()));
    if let Some(client) = client {
        sql::printed_deletions(judge, call, client.program());
    }
    // A container of its own that is thrown away, with nothing of this machine in it.
    let keeps = [
        "-v",
        "--volume",
        "--mount",
        "--volumes-from",
        "--privileged",
        "--device",
        "--pid",
    ];
    let options: Vec<&str> = arguments
        .iter()
        .map(|word| word.text.split('=').next().unwrap_or_default())
        .collect();
    let thrown_away = arguments.get(at).is_some_and(|verb| verb.text == "run")
        && options.contains(&"--rm")
        && !options
            .iter()
            .any(|option| keeps.contains(option) || option.starts_with("-v"));
    let before = thrown_away.then(|| judge.risk.clone());
    judge.inner_script(&text, true);
    if let Some(before) = before {
        judge.forget_files_since(before);
    }
}
