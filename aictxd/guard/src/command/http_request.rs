//! Requests to servers: what they delete, by method, address and text.

use aictx_shell::Word;

use super::options::{has_option, is_harmless};
use super::{Call, Judge, Kind, Tier, inline_code, verb_heuristics};

mod body;

/// Returns true if a text names this machine as a host.
pub(super) fn is_local(text: &str) -> bool {
    ["localhost", "127.0.0.1", "0.0.0.0", "[::1]"]
        .iter()
        .any(|host| text.contains(host))
}

/// `-X DELETE` and its spellings.
pub(super) fn request(judge: &mut Judge, call: Call) {
    let name = call.name;
    let words = call.arguments();
    if matches!(name, "gh" | "glab") && words.first().is_none_or(|word| word.text != "api") {
        return;
    }
    // The last one counts.
    let method = words
        .windows(2)
        .rev()
        .find_map(|pair| match pair {
            [option, method] if matches!(option.text.as_str(), "-X" | "--request" | "--method") => {
                Some(method.text.as_str())
            }
            _ => None,
        })
        .or_else(|| {
            words.iter().find_map(|word| {
                let text = word.text.as_str();
                ["-X", "--request=", "--method="]
                    .iter()
                    .find_map(|start| text.strip_prefix(start).filter(|rest| !rest.is_empty()))
            })
        })
        .or_else(|| clustered(name, words))
        .or_else(|| {
            // Behind options, whose values look the same.
            let mut first = words
                .iter()
                .filter(|word| !word.text.starts_with('-'))
                .take(3);
            let method = first.find(|word| word.text.eq_ignore_ascii_case("delete"))?;
            matches!(name, "xh" | "http" | "https").then_some(method.text.as_str())
        });
    if !method.is_some_and(|method| method.eq_ignore_ascii_case("DELETE")) {
        posted(judge, call, method);
        return;
    }
    let local = |word: &Word| is_local(&word.text) || word.text.starts_with(':');
    // `…/_all` and `…/*` are everything that a server holds.
    let everything = |word: &Word| {
        let path = word.text.split('?').next().unwrap_or_default();
        let path = path.split_once("://").map_or(path, |(_, rest)| rest);
        // `:9200/index`, `:7700/indexes/x` and `…/api/v1/namespaces/x` hold much more than they are.
        let whole = HOLDERS.iter().any(|holder| {
            path.rsplit_once(holder).is_some_and(|(_, name)| {
                !name.is_empty() && !name.trim_end_matches('/').contains('/')
            })
        });
        path.ends_with("/_all") || path.contains('*') || whole
    };
    let tier = if words.iter().any(local) && !words.iter().any(everything) {
        Tier::Risky
    } else {
        Tier::Destructive
    };
    let shown = words
        .iter()
        .filter(|word| word.text.contains('/'))
        .map(|word| word.text.as_str());
    let verb = format!("{name} DELETE");
    judge.hit(Some(call), Kind::RemoteDelete, tier, &verb, shown);
}

/// Parts of addresses before the name of something that holds everything else: ports and paths of
/// search servers, vector stores, message brokers and clusters.
const HOLDERS: &[&str] = &[
    ":9200/",
    ":7700/indexes/",
    ":6333/collections/",
    ":8108/collections/",
    ":8080/v1/schema/",
    ":5984/",
    ":15672/api/vhosts/",
    "/api/v1/namespaces/",
];

/// `curl -sX DELETE`, `curl -fsSXDELETE`.
fn clustered<'w>(name: &str, words: &'w [Word]) -> Option<&'w str> {
    if name != "curl" {
        return None;
    }
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let Some(cluster) = word.text.strip_prefix('-') else {
            continue;
        };
        if let Some((switches, method)) = cluster.split_once('X')
            && switches.len() <= 8
            && switches
                .bytes()
                .all(|byte| b"sSfLkivgGIN46#".contains(&byte))
        {
            if method.is_empty() {
                return words.next().map(|word| word.text.as_str());
            }
            return Some(method);
        }
    }
    None
}

/// `grpcurl host:443 shop.v1.Users/DeleteUser`: the procedure says what it does.
pub(super) fn procedure(judge: &mut Judge, call: Call) {
    let words = call.arguments();
    let Some(word) = words.last() else {
        return;
    };
    let Some((service, method)) = word.text.rsplit_once('/') else {
        return;
    };
    if !service.contains('.') || !verb_heuristics::is_strong(method) {
        return;
    }
    let tier = if words.iter().any(|word| is_local(&word.text)) {
        Tier::Risky
    } else {
        Tier::Destructive
    };
    let verb = format!("{} of a deletion", call.name);
    let shown = [word.text.as_str()];
    judge.hit(Some(call), Kind::RemoteDelete, tier, &verb, shown);
}

/// Requests that change something, by their address or by what they send.
fn posted(judge: &mut Judge, call: Call, method: Option<&str>) {
    let name = call.name;
    let words = call.arguments();
    let changes = |method: &str| matches!(method.to_ascii_uppercase().as_str(), "PATCH" | "PUT");
    if matches!(name, "gh" | "glab") && method.is_some_and(changes) {
        let verb = format!("{name} api");
        judge.hit(Some(call), Kind::RemoteChange, Tier::Risky, &verb, []);
    }
    let local = words
        .iter()
        .any(|word| is_local(&word.text) || word.text.starts_with(':'));
    let worst = if local {
        Tier::Risky
    } else {
        Tier::Destructive
    };
    if is_harmless(words) {
        return;
    }
    let mutations: Vec<&str> = words
        .iter()
        .map(|word| word.text.as_str())
        .filter(|text| text.contains("mutation"))
        .filter_map(|text| text.get(text.find("mutation")?..))
        .collect();
    let mutates = |verbs: &[&str]| {
        let mut found = mutations.iter();
        found.any(|rest| verbs.iter().any(|verb| rest.contains(verb)))
    };
    let query = words
        .iter()
        .any(|word| word.text.contains("_delete_by_query"));
    // Every document of an index, wherever the server is.
    let whole = query
        && words.iter().any(|word| {
            ["match_all", "q=*", "*:*", "\"*\""]
                .iter()
                .any(|all| word.text.contains(all))
        });
    let tier = if whole {
        Some(Tier::Destructive)
    } else if query || mutates(&["delete", "destroy"]) || body::deletes(call, local) {
        Some(worst)
    } else if mutates(&["remove", "archive"]) {
        Some(Tier::Risky)
    } else {
        None
    };
    if let Some(tier) = tier {
        let verb = format!("{name} of a deletion");
        judge.hit(Some(call), Kind::RemoteDelete, tier, &verb, []);
        return;
    }
    let sends = method.is_some_and(|method| {
        !method.eq_ignore_ascii_case("GET") && !method.eq_ignore_ascii_case("HEAD")
    }) || has_option(
        words,
        &[
            "-d",
            "--data",
            "--data-raw",
            "--data-binary",
            "--json",
            "-F",
        ],
    );
    // The console of a build server runs what it is sent.
    if words.iter().any(|word| word.text.contains("/scriptText")) {
        for word in words.iter().take(64) {
            let text = word.text.strip_prefix("script=");
            inline_code::judge(judge, call, "groovy", text.unwrap_or_default());
        }
    }
    if !sends {
        return;
    }
    let destroys = |word: &&Word| {
        let text = word.text.as_str();
        let path = text.split(['?', '#']).next().unwrap_or_default();
        path.contains("://")
            && path.len() < 2048
            && path.rsplit('/').take(2).any(|part| {
                matches!(
                    part,
                    "delete"
                        | "destroy"
                        | "purge"
                        | "wipe"
                        | "flush"
                        | "drop"
                        | "terminate"
                        | "shutdown"
                )
            })
    };
    // `…/admin/tsdb/delete_series`: for those who run the server.
    let administers = |word: &&Word| {
        let path = word.text.split(['?', '#']).next().unwrap_or_default();
        let last = path.rsplit('/').next().unwrap_or_default();
        path.contains("://")
            && ((path.contains("/admin/") && verb_heuristics::is_strong(last))
                || last == "doDelete")
    };
    // `{"all": true}`
    let all = |word: &Word| {
        let tight: String = word.text.split_whitespace().collect();
        tight.contains("\"all\":true")
    };
    let every = if words.iter().any(all) {
        worst
    } else {
        Tier::Risky
    };
    let found = words
        .iter()
        .find(administers)
        .map(|word| (word, worst))
        .or_else(|| Some((words.iter().find(destroys)?, every)));
    if let Some((word, tier)) = found {
        let verb = format!("{name} of a deletion");
        let shown = [word.text.as_str()];
        judge.hit(Some(call), Kind::RemoteDelete, tier, &verb, shown);
    }
}
