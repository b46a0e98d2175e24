//! Carries out a plan, and takes it out again: `apply AGENT HOME REPOSITORY [--remove]`. For trying
//! an agent with our hooks in a throwaway home; the records are kept beside the files.
//!
//! `apply codex HOME REPOSITORY --trust FILE` approves the hooks named in what `codex app-server`
//! answered to `hooks/list`.

#![allow(clippy::disallowed_methods)]
#![allow(clippy::unwrap_used, clippy::panic)]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use aictx_runners::merge::{After, Content, Record, install, uninstall};
use aictx_runners::plan::{Options, Paths, Scope, codex_trust, plan};

fn approve(config: &str, list: &str) {
    let list: serde_json::Value = serde_json::from_str(&fs::read_to_string(list).unwrap()).unwrap();
    let hooks = list.pointer("/data/0/hooks").and_then(|h| h.as_array());
    let text = |hook: &serde_json::Value, name: &str| hook.get(name)?.as_str().map(str::to_owned);
    let hashes: Vec<_> = hooks
        .into_iter()
        .flatten()
        .filter_map(|hook| Some((text(hook, "key")?, text(hook, "currentHash")?)))
        .collect();
    for edit in codex_trust(config, &hashes) {
        let current = fs::read_to_string(config).ok();
        let outcome = install(config, current.as_deref(), &edit.content, false).unwrap();
        if let After::Write(text) = outcome.after {
            fs::write(config, text).unwrap();
        }
    }
    println!("{} hooks approved", hashes.len());
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [agent, home, repository, rest @ ..] = arguments.as_slice() else {
        panic!("apply AGENT HOME REPOSITORY [--remove]");
    };
    let paths = Paths {
        home: home.clone(),
        config: format!("{home}/.config"),
        repository: repository.clone(),
        program: "/usr/local/bin/aictx".into(),
        daemon: "/usr/local/bin/aictxd".into(),
        claude: None,
        codex: None,
        copilot: None,
        opencode: format!("{home}/.config/opencode/opencode.json"),
        variables: BTreeMap::new(),
    };
    if let [flag, list] = rest
        && flag == "--trust"
    {
        return approve(&format!("{home}/.codex/config.toml"), list);
    }
    let edits = plan(agent, Scope::User, &paths, &Options::default()).unwrap();
    for edit in &edits {
        let file = Path::new(&edit.file);
        let ledger = file.with_extension("aictx-record");
        let current = fs::read_to_string(file).ok();
        let record: Option<Record> = fs::read_to_string(&ledger)
            .ok()
            .and_then(|text| serde_json::from_str(&text).ok());
        let outcome = if rest.is_empty() {
            install(&edit.file, current.as_deref(), &edit.content, false)
        } else {
            uninstall(
                &edit.file,
                current.as_deref(),
                &edit.content,
                record.as_ref(),
            )
        };
        match outcome {
            Ok(outcome) => {
                println!("{}: {:?} {:?}", edit.file, edit.reason, outcome.notes);
                if let Some(new) = outcome.record {
                    let new = match &record {
                        Some(earlier) => new.following(earlier),
                        None => new,
                    };
                    fs::create_dir_all(file.parent().unwrap()).unwrap();
                    fs::write(&ledger, serde_json::to_string(&new).unwrap()).unwrap();
                }
                match outcome.after {
                    After::Write(text) => fs::write(file, text).unwrap(),
                    After::Delete => fs::remove_file(file).unwrap(),
                    After::Unchanged => {}
                }
                if let Content::Whole(whole) = &edit.content
                    && whole.executable
                {
                    println!("  has to be executable");
                }
            }
            Err(error) => println!("{error}"),
        }
    }
}
