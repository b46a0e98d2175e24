//! Orders typed into a program: on standard input, as keys for another terminal, as commands of an editor.

use super::{Call, Judge, Kind, Tier, inline_code, stdin_source};

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

/// `vim -c '%d' -c wq file`: an editor that runs a script.
pub(super) fn editor(judge: &mut Judge, call: Call) {
    let words = call.arguments();
    let all = [
        "%d", "1,$d", ",d", "0,$d", "g/^/d", "g/./d", "g/.*/d", "%delete", "%s/.*//",
    ];
    let says = |text: &str| {
        text.split(['|', '\n']).any(|order| {
            let order = order.trim().trim_start_matches(['+', ':']);
            let order = ["argdo ", "bufdo ", "silent! ", "silent ", "sil! ", "sil "]
                .iter()
                .find_map(|before| order.strip_prefix(before))
                .unwrap_or(order)
                .trim_start_matches(':');
            all.contains(&order.replace("%%", "%").as_str())
        })
    };
    let told = stdin_source::piped_texts(call);
    if words.iter().any(|word| says(&word.text)) || told.iter().any(|text| says(text)) {
        let shown = words.last().map(|word| word.text.as_str());
        let name = call.name;
        judge.hit(Some(call), Kind::Overwrite, Tier::Destructive, name, shown);
    }
    let orders = words.iter().map(|word| word.text.as_str());
    let read = told.iter().flat_map(|text| text.lines());
    for order in orders.chain(read).take(256) {
        let order = order.trim_start_matches(['+', ':', ' ']);
        let order = ["silent! ", "silent ", "sil! ", "sil ", "exe ", "execute "]
            .iter()
            .find_map(|before| order.strip_prefix(before))
            .unwrap_or(order);
        if let Some(text) = order
            .trim_start_matches([':', ' ', '%', '\'', '"'])
            .strip_prefix('!')
        {
            judge.inner_script(text, call.command.remote);
        } else if order.contains('(') {
            inline_code::judge(judge, call, "vim", order);
        }
    }
}
