//! Input typed into a program instead of being given as words: orders on standard input, keys for
//! another terminal.

use super::{Call, Judge, Kind, Tier, stdin_source};

/// Programs that read orders from standard input, and what they are told in order to delete. In lower
/// case.
const ORDERED: &[(&str, &[&str])] = &[
    ("ldapmodify", &["changetype: delete", "changetype:delete"]),
    ("nsupdate", &["update delete", "update del ", "\ndel "]),
    ("kadmin", &["delprinc", "delete_principal"]),
    ("kadmin.local", &["delprinc", "delete_principal"]),
    ("debugfs", &["kill_file", "clri", "rm "]),
    (
        "hbase",
        &[
            "drop ",
            "truncate ",
            "drop_all",
            "deleteall",
            "delete_all",
            "truncate_preserve",
        ],
    ),
    ("zkCli.sh", &["deleteall", "rmr ", "delete "]),
    ("zookeeper-shell.sh", &["deleteall", "rmr ", "delete "]),
    ("bconsole", &["purge ", "delete ", "prune "]),
    ("gremlin.sh", &[".drop("]),
    ("sacctmgr", &["delete "]),
    ("aql", &["truncate ", "delete "]),
    ("asadm", &["truncate"]),
    ("mysqlsh", &["drop ", "truncate "]),
    ("cyradm", &["deletemailbox", "dm "]),
    ("vtysh", &["write erase"]),
    ("targetcli", &["clearconfig", "/delete"]),
    ("gdisk", &["\nz\n", "o\ny"]),
    ("lvm", &["lvremove", "vgremove", "pvremove"]),
    ("xfs_db", &["write "]),
    ("ncs_cli", &["delete "]),
];

/// Orders on standard input.
pub(super) fn ordered(judge: &mut Judge, call: Call) {
    let name = call.name;
    let Some((_, orders)) = ORDERED.iter().find(|(known, _)| *known == name) else {
        return;
    };
    let says = |text: &String| {
        let text = text.to_ascii_lowercase();
        orders.iter().any(|order| text.contains(order))
    };
    if stdin_source::piped_texts(call).iter().any(says) {
        let verb = format!("{name} of a deletion");
        judge.hit(Some(call), Kind::RemoteDelete, Tier::Destructive, &verb, []);
    }
}

/// `tmux send-keys -t x rm Space -rf Space src Enter`: keys that make up lines.
pub(super) fn keys(judge: &mut Judge, call: Call) -> bool {
    let mut words = call.arguments().iter();
    if !words.any(|word| matches!(word.text.as_str(), "send-keys" | "send")) {
        return false;
    }
    let mut text = String::new();
    while let Some(word) = words.next() {
        match word.text.as_str() {
            "-t" | "-N" | "-c" => {
                words.next();
            }
            "Space" => text.push(' '),
            "Enter" | "C-m" | "C-j" | "KPEnter" => text.push('\n'),
            "-l" | "-R" | "-H" | "--" => {}
            keys => {
                text.push_str(keys);
                text.push(' ');
            }
        }
    }
    judge.inner_script(&stdin_source::unescaped(&text), call.command.remote);
    true
}
