//! The map: found what is there, right after every change, the same with and without the daemon's
//! memory, and told to agents when it helps.

use std::fs;
use std::path::{Path, PathBuf};

use aictx_tests::session::{edited, end, prompt, start};
use aictx_tests::{TestEnv, wait_until};
use serde_json::{Value, json};

/// A small project with a past.
fn project(env: &TestEnv, name: &str) -> PathBuf {
    let repo = env.plain_repository(name);
    let files = [
        (
            "src/parser.rs",
            "//! Reads requests.\nuse crate::errors::ParseFailure;\n\n/// Splits a header line.\npub fn split_header(line: &str) -> Option<(&str, &str)> {\n    line.split_once(':')\n}\n",
        ),
        (
            "src/errors.rs",
            "/// Why a request cannot be read.\npub enum ParseFailure {\n    /// No colon.\n    MissingColon,\n}\n",
        ),
        (
            "src/lib.rs",
            "pub mod errors;\npub mod parser;\n\npub fn serve() {\n    let _ = parser::split_header(\"a:b\");\n}\n",
        ),
        (
            "tests/parser.rs",
            "use demo::parser::split_header;\n\n#[test]\nfn splits() {\n    assert!(split_header(\"a:b\").is_some());\n}\n",
        ),
        ("docs/guide.md", "# Guide\n\n## Retrying uploads\n\nText.\n"),
        (
            "Cargo.toml",
            "[package]\nname = \"demo\"\nversion = \"0.1.0\"\n",
        ),
    ];
    for (path, text) in files {
        write(&repo, path, text);
    }
    for name in ["alpha", "beta", "gamma", "delta"] {
        write(
            &repo,
            &format!("src/{name}.rs"),
            &format!("pub fn {name}() {{}}\n"),
        );
    }
    env.git(&repo, &["add", "."]);
    env.git(&repo, &["commit", "-qm", "a server that reads headers"]);
    write(&repo, "src/upload.rs", "pub fn send_chunk() {}\n");
    env.git(&repo, &["add", "."]);
    env.git(
        &repo,
        &["commit", "-qm", "upload: retry with exponential backoff"],
    );
    repo
}

fn write(repo: &Path, path: &str, text: &str) {
    let path = repo.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn paths(answer: &Value) -> Vec<&str> {
    let list = answer.as_array().unwrap();
    list.iter()
        .map(|hit| hit["path"].as_str().unwrap())
        .collect()
}

fn query(env: &TestEnv, repo: &Path, text: &str) -> Value {
    env.aictx(repo, &["map", "query", "--json", text])
        .ok()
        .json()
}

#[test]
fn a_question_is_answered_in_the_format() {
    let env = TestEnv::new();
    let repo = project(&env, "demo");
    let _daemon = env.daemon();
    let answer = query(&env, &repo, "how are header lines split in split_header");
    let best = &answer[0];
    assert_eq!(best["path"], "src/parser.rs");
    assert_eq!(best["id"], "src/parser.rs::split_header");
    assert_eq!(best["symbols"][0]["name"], "split_header");
    assert_eq!(best["symbols"][0]["kind"], "function");
    assert_eq!(best["symbols"][0]["line"], 5);
    assert_eq!(best["symbols"][0]["end_line"], 7);
    let reasons: Vec<_> = best["reasons"].as_array().unwrap().iter().collect();
    assert!(reasons.contains(&&json!("repo_map:exact_symbol")), "{best}");
    // One entry a file, best first.
    let mut all = paths(&answer);
    let scores: Vec<_> = answer
        .as_array()
        .unwrap()
        .iter()
        .map(|h| h["score"].as_u64())
        .collect();
    assert!(scores.is_sorted_by(|a, b| a >= b), "{scores:?}");
    all.sort_unstable();
    let count = all.len();
    all.dedup();
    assert_eq!(all.len(), count);
    // The past knows what the text does not say.
    let answer = query(&env, &repo, "exponential backoff");
    assert_eq!(paths(&answer)[0], "src/upload.rs", "{answer}");
    let text = env.aictx(&repo, &["map", "query", "split header"]).ok();
    assert!(text.stdout.contains("src/parser.rs"), "{}", text.stdout);
    assert!(!text.stdout.contains('\u{1b}'));
}

#[test]
fn every_other_question_has_an_answer() {
    let env = TestEnv::new();
    let repo = project(&env, "demo");
    let _daemon = env.daemon();
    let ask = |arguments: &[&str]| {
        let mut all = vec!["map"];
        all.extend(arguments);
        all.push("--json");
        env.aictx(&repo, &all).ok().json()
    };
    let outline = ask(&["outline", "src/errors.rs"]);
    assert_eq!(outline["language"], "rust");
    assert_eq!(outline["symbols"][0]["name"], "ParseFailure");
    assert_eq!(outline["symbols"][1]["container"], "ParseFailure");
    let symbol = ask(&["symbol", "splthdr"]);
    assert_eq!(symbol["results"][0]["symbol"]["name"], "split_header");
    assert_eq!(symbol["results"][0]["match"], "fuzzy");
    let refs = ask(&["refs", "split_header"]);
    assert_eq!(refs["definitions"][0]["path"], "src/parser.rs");
    let used: Vec<_> = refs["references"].as_array().unwrap().iter().collect();
    assert!(
        used.iter()
            .any(|r| r["path"] == "src/lib.rs" && r["within"] == "serve"),
        "{refs}"
    );
    let related = ask(&["related", "src/parser.rs"]);
    assert!(
        paths(&related["results"]).contains(&"src/errors.rs"),
        "{related}"
    );
    let impact = ask(&["impact", "src/errors.rs"]);
    assert!(
        paths(&impact["results"]).contains(&"src/parser.rs"),
        "{impact}"
    );
    let brief = ask(&["brief", "--tokens", "200"]);
    assert!(brief["tokens"].as_u64().unwrap() <= 200, "{brief}");
    assert!(
        brief["text"].as_str().unwrap().contains("split_header"),
        "{brief}"
    );
    let status = ask(&["status"]);
    assert_eq!(
        (&status["query_available"], &status["provider"]),
        (&json!(true), &json!("tree_sitter"))
    );
    assert_eq!(status["languages"]["rust"], 9);
    let refresh = ask(&["refresh"]);
    assert_eq!(
        (&refresh["status"], &refresh["files_reparsed"]),
        (&json!("ok"), &json!(0))
    );
    let full = ask(&["refresh", "--full"]);
    assert_eq!(full["executed_mode"], "full");
    let export = ask(&["export"]);
    let files = export["files"].as_array().unwrap();
    let parser = files.iter().find(|f| f["path"] == "src/parser.rs").unwrap();
    assert_eq!(
        parser["symbols"][0],
        json!({"name": "split_header", "kind": "function", "line": 5, "end_line": 7, "language": "rust"})
    );
    let missing = env.aictx(&repo, &["map", "outline", "nowhere.rs", "--json"]);
    assert_ne!(missing.status, 0);
    assert!(
        missing.stdout.contains("not in the index"),
        "{}",
        missing.stdout
    );
}

#[test]
fn files_are_found_by_any_path_that_names_them_and_what_is_not_one_is_told() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    fs::create_dir(repo.join("sub")).unwrap();
    write(&repo, "sub/inner.py", "def inner():\n    return 1\n");
    let odd = std::os::unix::ffi::OsStrExt::from_bytes(b"caf\xe9.py");
    let odd: &std::ffi::OsStr = odd;
    fs::write(repo.join(odd), "def served():\n    return 1\n").unwrap();
    let outline = |at: &Path, arguments: &[&str]| {
        let mut all = vec!["map", "outline", "--json"];
        all.extend(arguments);
        env.aictx(at, &all).ok().json()
    };
    let sub = repo.join("sub");
    let is_inner = |told: &Value| {
        assert_eq!(told["path"], "sub/inner.py");
        assert_eq!(told["symbols"][0]["name"], "inner");
    };
    is_inner(&outline(&sub, &["inner.py"]));
    is_inner(&outline(&sub, &["sub/inner.py"]));
    let elsewhere = env.plain_repository("elsewhere");
    is_inner(&outline(
        &elsewhere,
        &["inner.py", "--repo", sub.to_str().unwrap()],
    ));
    let told = outline(&repo, &["caf\u{fffd}.py"]);
    assert_eq!(told["symbols"][0]["name"], "served", "{told}");

    let asked = env.aictx(
        &sub,
        &[
            "map", "query", "inner", "--active", "inner.py", "--active", "nope.py",
        ],
    );
    let asked = asked.ok();
    assert!(
        asked.stderr.contains("nope.py is not in the index"),
        "{}",
        asked.stderr
    );
    assert!(!asked.stderr.contains("inner.py"), "{}", asked.stderr);
}

#[test]
fn an_answer_knows_what_was_saved_just_before_the_question() {
    let env = TestEnv::new();
    let watched = env.repository("watched");
    let alone = env.plain_repository("alone");
    let _daemon = env.daemon();
    for repo in [&watched, &alone] {
        let outline = || {
            let asked = json!({ "repo": repo, "path": "calc.py", "wait_ms": 10_000 });
            env.rpc("map.outline", &asked)["result"].clone()
        };
        wait_until("the index is there", || {
            outline()["freshness"]["state"] == "fresh"
        });
        for round in 0..5 {
            let name = format!("renamed_{round}");
            write(
                repo,
                "calc.py",
                &format!("\ndef {name}(a):\n    return a\n"),
            );
            let told = outline();
            assert_eq!(told["symbols"][0]["name"], name, "{told}");
            let asked = json!({ "repo": repo, "name": name, "wait_ms": 10_000 });
            write(
                repo,
                "calc.py",
                &format!("{name}(1)\ndef {name}(a):\n    return a\n"),
            );
            let refs = env.rpc("map.refs", &asked)["result"].clone();
            assert_eq!(refs["definitions"][0]["symbol"]["line"], 2, "{refs}");
            assert_eq!(refs["references"][0]["line"], 1, "{refs}");
        }
        fs::remove_file(repo.join("calc.py")).unwrap();
        let asked = json!({ "repo": repo, "path": "calc.py", "wait_ms": 10_000 });
        let gone = env.rpc("map.outline", &asked);
        assert!(gone["error"].is_object(), "{gone}");
    }
}

#[test]
fn what_nobody_waits_for_is_not_called_fresh() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    let outline = |wait: u64| {
        let asked = json!({ "repo": repo, "path": "calc.py", "wait_ms": wait });
        env.rpc("map.outline", &asked)["result"].clone()
    };
    wait_until("the index is there", || {
        outline(10_000)["freshness"]["state"] == "fresh"
    });
    for round in 0..5 {
        let name = format!("renamed_{round}");
        write(&repo, "calc.py", &format!("def {name}(a):\n    return a\n"));
        let told = outline(0);
        assert!(
            told["symbols"][0]["name"] == name || told["freshness"]["state"] != "fresh",
            "{told}"
        );
        wait_until("the index follows", || {
            let told = outline(0);
            told["symbols"][0]["name"] == name && told["freshness"]["state"] == "fresh"
        });
    }
}

#[test]
fn rules_in_the_git_directory_are_followed_and_no_commit_is_no_lack_of_git() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    let knows = |name: &str| {
        let found = env.rpc(
            "map.symbol",
            &json!({ "repo": repo, "name": name, "wait_ms": 1_000 }),
        );
        found["result"]["results"][0]["match"] == "exact"
    };
    write(
        &repo,
        "private_notes.py",
        "def only_here():\n    return 1\n",
    );
    wait_until("the new file is known", || knows("only_here"));
    write(&repo, ".git/info/exclude", "private_notes.py\n");
    wait_until("the excluded file is forgotten", || !knows("only_here"));

    let empty = env.path().join("empty");
    fs::create_dir_all(&empty).unwrap();
    env.git(&empty, &["init", "-q"]);
    write(&empty, "a.py", "def first():\n    return 1\n");
    let asked = json!({ "repo": empty, "wait_ms": 10_000 });
    let status = env.rpc("map.status", &asked)["result"].clone();
    assert_eq!(status["warnings"], json!([]), "{status}");
    for option in ["--tasks", "--commits"] {
        let refused = env.aictx(&repo, &["eval", "localize", option, "0"]);
        assert_eq!(refused.status, 2, "{option}");
    }
}

#[test]
fn a_refresh_leaves_what_other_readers_of_the_format_expect() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    env.aictx(&repo, &["map", "refresh", "--full"]).ok();
    let manifest = env.file(&repo, "repo_map/manifest.json");
    assert_eq!(
        (&manifest["version"], &manifest["provider"]),
        (&json!(1), &json!("tree_sitter"))
    );
    assert_eq!(
        (&manifest["mode"], &manifest["discovery_source"]),
        (&json!("full"), &json!("git"))
    );
    let entries = manifest["file_entries"].as_array().unwrap();
    let calc = entries.iter().find(|e| e["path"] == "calc.py").unwrap();
    let size = fs::metadata(repo.join("calc.py")).unwrap().len();
    assert_eq!(calc["size_bytes"], size);
    assert_eq!(manifest["files_indexed"], entries.len());
    let status = env.file(&repo, "repo_map/status.json");
    assert_eq!(
        (&status["last_refresh_mode"], &status["last_refresh_status"]),
        (&json!("full"), &json!("ok"))
    );
    let config = env.file(&repo, "repo_map/config.json");
    assert_eq!(
        (&config["enabled"], &config["quick_refresh_max_files"]),
        (&json!(true), &json!(20))
    );
    // The user's settings stay as they are.
    write(
        &repo,
        ".aictx/repo_map/config.json",
        "{\"enabled\": true, \"mine\": 1}",
    );
    env.aictx(&repo, &["map", "refresh"]).ok();
    assert_eq!(env.file(&repo, "repo_map/config.json")["mine"], 1);
    assert_eq!(env.git(&repo, &["status", "--porcelain"]), "");
}

#[test]
fn a_saved_file_is_known_at_once_and_a_branch_switch_parses_nothing_twice() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    let knows = |name: &str| {
        let found = env.rpc("map.symbol", &json!({ "repo": repo, "name": name }));
        found["result"]["results"][0]["match"] == "exact"
    };
    wait_until("the first index is there", || knows("add"));
    write(&repo, "fresh.py", "def freshly_saved():\n    return 1\n");
    wait_until("the new file is known", || knows("freshly_saved"));
    fs::remove_file(repo.join("fresh.py")).unwrap();
    let status = env.rpc("map.status", &json!({ "repo": repo }));
    assert_eq!(
        status["result"]["warnings"],
        json!([]),
        "an update of one file forgets nothing"
    );
    wait_until("the removed file is forgotten", || !knows("freshly_saved"));
    env.git(&repo, &["checkout", "-qb", "other"]);
    write(
        &repo,
        "calc.py",
        "def subtract_only(a, b):\n    return a - b\n",
    );
    env.git(&repo, &["commit", "-qam", "subtract"]);
    wait_until("the edit is known", || knows("subtract_only"));
    env.git(&repo, &["checkout", "-q", "-"]);
    wait_until("the old branch is back", || {
        knows("add") && !knows("subtract_only")
    });
    let report = env.rpc("map.refresh", &json!({ "repo": repo }));
    assert_eq!(report["result"]["files_reparsed"], 0, "{report}");
}

#[test]
fn agents_are_told_what_is_confident_and_new_to_them() {
    let env = TestEnv::new();
    let repo = project(&env, "demo");
    let _daemon = env.daemon();
    env.aictx(&repo, &["init"]).ok();
    wait_until("the index is there", || {
        let status = env.rpc("map.status", &json!({ "repo": repo }));
        status["result"]["freshness"]["state"] == "fresh"
    });
    let opening = env.hook(&repo, &start(&repo, "s1", "startup")).ok();
    assert!(
        opening.stdout.contains("Likely entry points"),
        "{}",
        opening.stdout
    );
    let ask = |text: &str| {
        let answer = env.hook(&repo, &prompt(&repo, "s1", text)).ok().stdout;
        if answer.is_empty() {
            return String::new();
        }
        let answer: Value = serde_json::from_str(&answer).unwrap();
        let output = &answer["hookSpecificOutput"];
        assert_eq!(output["hookEventName"], "UserPromptSubmit");
        output["additionalContext"].as_str().unwrap().to_owned()
    };
    let first = ask("make split_header accept header lines without a colon");
    assert!(
        first.contains("- src/parser.rs: split_header (5)"),
        "{first}"
    );
    assert!(first.chars().count() <= 1_600);
    let again = ask("and make split_header faster, please");
    assert!(!again.contains("src/parser.rs"), "{again}");
    env.hook(&repo, &edited(&repo, "s1", "src/upload.rs")).ok();
    let edited_already = ask("does send_chunk retry with exponential backoff");
    assert!(
        !edited_already.contains("src/upload.rs"),
        "{edited_already}"
    );
    assert_eq!(ask("thanks"), "");
    env.hook(&repo, &end(&repo, "s1")).ok();
    // Off means off, for agents; people may still ask.
    write(
        &repo,
        ".aictx/repo_map/config.json",
        "{\"version\": 1, \"enabled\": false}",
    );
    env.hook(&repo, &start(&repo, "s2", "startup")).ok();
    let off = env
        .hook(
            &repo,
            &prompt(&repo, "s2", "make split_header accept anything"),
        )
        .ok();
    assert!(!off.stdout.contains("Files that look"), "{off:?}");
    assert_eq!(
        paths(&query(&env, &repo, "split_header"))[0],
        "src/parser.rs"
    );
}

#[test]
fn hostile_trees_and_questions_do_no_harm() {
    let env = TestEnv::new();
    let repo = project(&env, "demo");
    write(
        &env.path().join("outside"),
        "secret.rs",
        "fn outside_secret() {}",
    );
    std::os::unix::fs::symlink(env.path().join("outside"), repo.join("link")).unwrap();
    write(&repo, ".env", "PASSWORD_IN_DOTENV=hunter2hunter2");
    write(&repo, "deep.rs", &"(".repeat(200_000));
    write(&repo, "wide.json", &"[".repeat(300_000));
    write(&repo, "half.rs", "fn broken( { struct \u{0}");
    let _daemon = env.daemon();
    for name in ["outside_secret", "PASSWORD_IN_DOTENV"] {
        let found = env
            .aictx(&repo, &["map", "refs", name, "--json"])
            .ok()
            .json();
        assert_eq!(
            (&found["definitions"], &found["references"]),
            (&json!([]), &json!([])),
            "{found}"
        );
    }
    let huge = "word ".repeat(100_000);
    let answer = env.rpc(
        "map.query",
        &json!({ "repo": repo, "text": huge, "wait_ms": 10_000 }),
    );
    assert!(answer["error"].is_null(), "{answer}");
    for bad in [
        json!({ "repo": repo, "text": "" }),
        json!({ "repo": "relative", "text": "x" }),
        json!({ "repo": "/", "text": "x" }),
        json!({ "repo": repo, "text": 7 }),
    ] {
        let answer = env.rpc("map.query", &bad);
        assert!(answer["error"]["message"].is_string(), "{bad}: {answer}");
    }
    let out = env.rpc(
        "map.outline",
        &json!({ "repo": repo, "path": "../outside/secret.rs" }),
    );
    assert!(out["error"]["message"].is_string(), "{out}");
}

#[test]
fn a_restart_finds_the_index_again_and_a_broken_cache_is_made_anew() {
    let env = TestEnv::new();
    let repo = project(&env, "demo");
    let daemon = env.daemon();
    assert_eq!(
        paths(&query(&env, &repo, "split_header"))[0],
        "src/parser.rs"
    );
    daemon.stop();
    let daemon = env.daemon();
    assert_eq!(
        paths(&query(&env, &repo, "split_header"))[0],
        "src/parser.rs"
    );
    let refreshed = env.aictx(&repo, &["map", "status", "--json"]).ok().json();
    assert_eq!(refreshed["files_reparsed"], 0, "{refreshed}");
    daemon.kill();
    let mut broken = 0;
    let mut directories = vec![env.path().to_owned()];
    while let Some(directory) = directories.pop() {
        for entry in fs::read_dir(directory).unwrap().flatten() {
            let path = entry.path();
            if path.is_dir() {
                directories.push(path);
            } else if path.extension().is_some_and(|e| e == "seg" || e == "tree") {
                fs::write(path, "not an index").unwrap();
                broken += 1;
            }
        }
    }
    assert!(broken >= 2, "{broken}");
    let _daemon = env.daemon();
    assert_eq!(
        paths(&query(&env, &repo, "split_header"))[0],
        "src/parser.rs"
    );
}

/// Files of indexes below a directory.
fn segments(directory: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(segments(&path));
        } else if path.extension().is_some_and(|e| e == "seg") {
            found.push(path);
        }
    }
    found
}

#[test]
fn an_index_that_is_cut_short_while_it_is_mapped_costs_no_answer() {
    let env = TestEnv::new();
    let repo = project(&env, "demo");
    let daemon = env.daemon();
    query(&env, &repo, "split_header");
    assert_eq!(daemon.stop(), 0);
    // The first byte of the last part, the middle of a page, nothing at all.
    for part in [3, 2, 0] {
        let daemon = env.daemon();
        let before = query(&env, &repo, "split_header");
        assert_eq!(paths(&before)[0], "src/parser.rs");
        let cut = segments(&env.path().join("cache"));
        assert!(!cut.is_empty());
        for path in &cut {
            let file = fs::File::options().write(true).open(path).unwrap();
            let length = file.metadata().unwrap().len();
            file.set_len(length * part / 4).unwrap();
        }
        let hook = env.hook(&repo, &prompt(&repo, "s", "fix split_header"));
        hook.ok();
        assert_eq!(paths(&query(&env, &repo, "split_header")), paths(&before));
        let status = env.status();
        assert_eq!(status.pid, daemon.pid(), "it lives");
        let told = status
            .warnings
            .iter()
            .any(|w| w.contains("damaged on disk"));
        assert!(told, "{:?}", status.warnings);
        assert_eq!(daemon.stop(), 0);
    }
}

#[test]
fn the_first_resume_of_a_small_repository_knows_where_to_begin() {
    let env = TestEnv::new();
    let _daemon = env.daemon();
    for name in ["one", "two", "three"] {
        let repo = env.plain_repository(name);
        env.aictx(&repo, &["init", "--agents", "none"]).ok();
        let resumed = env.aictx(&repo, &["resume", "--task", "fix add in calc", "--json"]);
        let resumed = resumed.ok().json();
        let points = resumed["capsule"]["entry_points"].to_string();
        assert!(points.contains("calc.py"), "{name}: {points}");
    }
}
