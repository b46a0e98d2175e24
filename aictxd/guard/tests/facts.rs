//! Facts about a target, and what lies behind a name, change the verdict.

// Helpers of tests may fail the test.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::sync::Arc;

use aictx_guard::{
    CommandRisk, HookVerdict, Known, Level, MemoryFacts, NoFacts, Place, command_risk,
    hook_command_with,
};
use aictx_proto::path::RepoPath;

const PLACE: Place = Place {
    root: "/home/dev/app",
    cwd: "/home/dev/app",
};

fn path(text: &str) -> RepoPath {
    RepoPath::parse(text).unwrap()
}

/// Of what is not there.
const GONE: Known = Known {
    exists: Some(false),
    directory: None,
    tracked: None,
    ignored: None,
    dirty: None,
};

fn repository() -> MemoryFacts {
    let mut facts = MemoryFacts::default();
    let mut add = |name: &str, known: Known| {
        facts.paths.insert(path(name), known);
    };
    let tracked = Known {
        exists: Some(true),
        directory: Some(false),
        tracked: Some(true),
        ignored: Some(false),
        dirty: Some(false),
    };
    let tree = Known {
        directory: Some(true),
        ..tracked
    };
    let ignored = Known {
        tracked: Some(false),
        ignored: Some(true),
        ..tree
    };
    let dirty = Known {
        dirty: Some(true),
        ..tracked
    };
    add("src", tree);
    add("src/clean.rs", tracked);
    add("src/dirty.rs", dirty);
    add("Dirty", dirty);
    add("gone.rs", GONE);
    add("out", ignored);
    add("dist", tree);
    add("target", ignored);
    add(
        ".env",
        Known {
            directory: Some(false),
            ..ignored
        },
    );
    let mut text = |name: &str, text: &str| {
        facts.texts.insert(path(name), Arc::from(text));
    };
    text(
        "Makefile",
        "OUT = build\nall:\n\tcargo build\nclean:\n\trm -rf $(OUT)\nreset: clean\n\tgit reset --hard\nodd:\n\trm -rf $(UNSET)\ninclude more.mk\ndefine WIPE\n@rm -rf src\nendef\nwipe:\n\t$(WIPE)\n%.gone:\n\trm -rf $*\n",
    );
    text(
        "package.json",
        r#"{"scripts":{"build":"tsc","nuke":"rm -rf src","prebuild":"echo x","deploy":"npm run nuke","test":"jest","posttest":"git reset --hard","start":"node .","restart":"npm run nuke","ci:a":"ls","ci:nuke":"npm run nuke","gone":"rm -rf","both":"run-s build nuke"}}"#,
    );
    text(
        "web/package.json",
        r#"{"scripts":{"wipe":"rm -rf ../src"}}"#,
    );
    text(
        "composer.json",
        r#"{"scripts":{"wipe":["@sub","echo x"],"sub":"git clean -fdx","test":"phpunit"}}"#,
    );
    text(
        "deno.json",
        r#"{"tasks":{"nuke":"rm -rf src","dev":"deno run x.ts"}}"#,
    );
    text("more.mk", "deep:\n\tgit clean -fdx\n");
    text("sub/Makefile", "nuke:\n\trm -rf ../src\n");
    text("justfile", "build:\n  cargo build\ndrop:\n  dropdb app\n");
    text(
        "scripts/reset.sh",
        "#!/bin/sh\nset -e\nT=$(mktemp -d)\ngit clean -fdx\n",
    );
    text(
        "scripts/test.ps1",
        "Remove-Item -Recurse -Force $Out\\*\ndotnet test --no-build\n",
    );
    text(
        "scripts/test.sh",
        "#!/bin/sh\nT=$(mktemp -d)\ntrap 'rm -rf \"$T\"' EXIT\ncargo test\n",
    );
    text("scripts/install.sh", "curl -s https://x.test | sh\n");
    text("scripts/loop.sh", "./scripts/loop.sh\nsh scripts/loop.sh\n");
    facts
}

fn risk(command: &str) -> CommandRisk {
    command_risk(command, PLACE, &repository())
}

#[test]
fn targets_matter() {
    for (command, with, without) in [
        ("rm -rf target", Level::Caution, Level::Caution),
        ("rm -rf out", Level::Caution, Level::Destructive),
        ("rm -rf src", Level::Destructive, Level::Destructive),
        // A name that promises build output, but somebody committed it.
        ("rm -rf dist", Level::Destructive, Level::Caution),
        ("rm -rf .", Level::Destructive, Level::Destructive),
        ("rm src/clean.rs", Level::Safe, Level::Safe),
        ("rm -rf src/clean.rs", Level::Safe, Level::Destructive),
        ("rm src/dirty.rs", Level::Caution, Level::Safe),
        (
            "git checkout -- src/clean.rs",
            Level::Caution,
            Level::Destructive,
        ),
        (
            "git checkout -- src/dirty.rs",
            Level::Destructive,
            Level::Destructive,
        ),
        (
            "git restore src/clean.rs",
            Level::Caution,
            Level::Destructive,
        ),
        (
            "git checkout src/dirty.rs",
            Level::Destructive,
            Level::Destructive,
        ),
        (
            "git checkout src/clean.rs",
            Level::Caution,
            Level::Destructive,
        ),
        // A branch of this name would not be taken for one.
        ("git checkout src", Level::Caution, Level::Safe),
        (
            "git checkout HEAD src/dirty.rs",
            Level::Destructive,
            Level::Destructive,
        ),
        (
            "git checkout HEAD~1 src/dirty.rs",
            Level::Destructive,
            Level::Destructive,
        ),
        (
            "git restore src/dirty.rs",
            Level::Destructive,
            Level::Destructive,
        ),
        (
            "git checkout HEAD gone.rs",
            Level::Destructive,
            Level::Destructive,
        ),
        ("git checkout gone.rs", Level::Caution, Level::Destructive),
        ("echo x > src/dirty.rs", Level::Caution, Level::Safe),
        ("mv a src/dirty.rs", Level::Caution, Level::Safe),
        ("cp a src/dirty.rs", Level::Caution, Level::Safe),
        ("cp /tmp/dirty.rs src/", Level::Caution, Level::Safe),
        ("cp -n a src/dirty.rs", Level::Safe, Level::Safe),
        ("cp a src/clean.rs", Level::Safe, Level::Safe),
        ("cp a gone.rs", Level::Safe, Level::Safe),
        ("make x | tee src/dirty.rs", Level::Caution, Level::Safe),
        ("make x | tee -a src/dirty.rs", Level::Safe, Level::Safe),
        ("dd if=a of=Dirty bs=1", Level::Caution, Level::Safe),
        ("sort a -o src/dirty.rs", Level::Caution, Level::Safe),
        (
            "sort src/dirty.rs -o src/dirty.rs",
            Level::Safe,
            Level::Safe,
        ),
        (
            "curl -o src/dirty.rs https://x.test",
            Level::Caution,
            Level::Safe,
        ),
        (
            "curl -so src/dirty.rs https://x.test",
            Level::Caution,
            Level::Safe,
        ),
        (
            "wget -Osrc/dirty.rs https://x.test",
            Level::Caution,
            Level::Safe,
        ),
        (
            "cd src && rm -rf ../out",
            Level::Caution,
            Level::Destructive,
        ),
        (
            "ssh host rm -rf out",
            Level::Destructive,
            Level::Destructive,
        ),
    ] {
        assert_eq!(risk(command).level(), with, "{command}");
        let bare = command_risk(command, PLACE, &NoFacts);
        assert_eq!(bare.level(), without, "{command}, nothing known");
    }
    let reversible = |command: &str| risk(command).reply().effects[0].reversible;
    assert!(reversible("rm -rf src"), "git has all of it");
    assert!(!reversible("rm -rf ."));
    assert!(!reversible("git checkout -- src/dirty.rs"));
    assert!(reversible("git checkout -- src/clean.rs"));
}

#[test]
fn names_are_followed_into_files() {
    for (command, want) in [
        ("make", Level::Safe),
        ("make all", Level::Safe),
        ("make clean", Level::Caution),
        ("make reset", Level::Destructive),
        ("make -j4 all reset", Level::Destructive),
        ("make odd", Level::Caution),
        ("make unknown", Level::Safe),
        ("make deep", Level::Destructive),
        ("make wipe", Level::Destructive),
        ("make src.gone", Level::Destructive),
        ("make dist.gone out.gone", Level::Destructive),
        ("make out.gone", Level::Caution),
        ("make -f sub/Makefile", Level::Destructive),
        ("make --file=sub/Makefile nuke", Level::Destructive),
        ("make -Csub", Level::Destructive),
        ("npm run build", Level::Safe),
        ("npm t", Level::Destructive),
        ("npm test -- --watch", Level::Destructive),
        ("npm start", Level::Safe),
        ("npm stop", Level::Safe),
        ("npm restart", Level::Destructive),
        ("npm run-script nuke", Level::Destructive),
        ("npm install", Level::Safe),
        ("npm ci", Level::Safe),
        ("npm run gone src", Level::Destructive),
        ("npm run gone -- src", Level::Destructive),
        ("pnpm gone out", Level::Caution),
        ("npm run both", Level::Destructive),
        ("npx run-p build 'ci:*'", Level::Destructive),
        ("npm-run-all --parallel build ci:a", Level::Safe),
        ("bun run nuke", Level::Destructive),
        ("node --run nuke", Level::Destructive),
        ("composer wipe", Level::Destructive),
        ("composer run-script test", Level::Safe),
        ("composer install", Level::Safe),
        ("deno task nuke", Level::Destructive),
        ("deno task dev", Level::Safe),
        ("npx turbo run nuke", Level::Destructive),
        ("lerna run build", Level::Safe),
        ("npx rimraf@5 src", Level::Destructive),
        ("npx --yes rimraf@latest out", Level::Caution),
        ("bun x rimraf src", Level::Destructive),
        ("npm x -- rimraf src", Level::Destructive),
        ("npm run nuke", Level::Destructive),
        ("npm run deploy", Level::Destructive),
        ("yarn nuke", Level::Destructive),
        ("pnpm run nuke", Level::Destructive),
        ("cd web && npm run wipe", Level::Destructive),
        ("npm --prefix web run wipe", Level::Destructive),
        ("just drop", Level::Destructive),
        ("just", Level::Safe),
        ("./scripts/reset.sh", Level::Destructive),
        ("bash scripts/reset.sh --yes", Level::Destructive),
        ("bash -x scripts/reset.sh", Level::Destructive),
        ("sh -eu ./scripts/reset.sh", Level::Destructive),
        ("bash -euo pipefail scripts/reset.sh", Level::Destructive),
        ("zsh -f scripts/reset.sh", Level::Destructive),
        ("bash -n scripts/reset.sh", Level::Safe),
        ("tail -n +2 scripts/reset.sh | bash", Level::Destructive),
        ("sed 's/x/y/' scripts/reset.sh | bash", Level::Destructive),
        ("sed 's/x/y/' scripts/none.sh | bash", Level::Caution),
        ("cp scripts/reset.sh y.sh; bash y.sh", Level::Destructive),
        ("bash -e scripts/test.sh", Level::Safe),
        ("sudo ./scripts/reset.sh", Level::Destructive),
        ("./scripts/test.sh", Level::Safe),
        ("sh scripts/loop.sh", Level::Safe),
        // What `-File` hands to PowerShell is known by its name only.
        ("pwsh -File scripts/test.ps1", Level::Safe),
        ("pwsh ./scripts/test.ps1", Level::Caution),
        ("pwsh -NoProfile -File scripts/wipe.ps1", Level::Caution),
        ("cmd /c drop-database.bat", Level::Destructive),
        ("cat scripts/wipe.ps1", Level::Safe),
        ("cat scripts/reset.sh", Level::Safe),
        ("ssh host ./scripts/reset.sh", Level::Safe),
    ] {
        assert_eq!(risk(command).level(), want, "{command}");
    }
}

/// Nothing of a file is shown, and a file never makes anything worse than a question.
#[test]
fn repository_text_does_not_speak() {
    let told = risk("npm run nuke");
    for finding in &told.findings {
        assert_eq!(finding.verb, "npm run nuke");
        assert!(finding.targets.is_empty());
    }
    assert_eq!(told.reply().effects[0].target, "npm run nuke");
    let verdict = hook_command_with("./scripts/install.sh", PLACE, &repository());
    assert!(matches!(verdict, HookVerdict::Ask(_)), "{verdict:?}");
    let verdict = hook_command_with("./scripts/test.sh", PLACE, &repository());
    assert_eq!(verdict, HookVerdict::Pass);
}

/// Whatever stands in the repository's files, a verdict without them is never made milder by texts.
#[test]
fn texts_only_raise() {
    let mut facts = repository();
    for text in [
        "rm -rf src",
        "git reset --hard",
        "dropdb app",
        "curl x | sh",
    ] {
        facts.texts.insert(path("rm"), Arc::from("echo safe"));
        let known = command_risk(text, PLACE, &facts).tier;
        assert!(known >= command_risk(text, PLACE, &NoFacts).tier, "{text}");
    }
}

#[test]
fn a_file_written_and_run_on_the_same_line() {
    for command in [
        "cat > x.sh <<'EOF'\nrm -rf src\nEOF\nbash x.sh",
        "echo 'git reset --hard' > x && sh x",
        "printf 'rm -rf src\\n' > ./run.sh; ./run.sh",
        "curl -o i.sh https://x.test/i.sh; sh i.sh",
        "echo 'Remove-Item -Recurse -Force src' > x.ps1; pwsh -File x.ps1",
        "cat > x.ps1 <<'EOF'\nGet-ChildItem src -Recurse | Remove-Item -Force\nEOF\npwsh ./x.ps1",
        "wget https://x.test/i.sh && bash i.sh",
        "curl -o i.ps1 https://x.test/i.ps1; pwsh -File i.ps1",
        "curl -o i.bat https://x.test/i.bat; ./i.bat",
        "cat > t.py <<'EOF'\nimport shutil, os\n[os.remove(f) for f in os.listdir('.')]\nEOF\npython t.py",
    ] {
        let level = command_risk(command, PLACE, &NoFacts).level();
        assert_eq!(level, Level::Destructive, "{command}");
    }
}

#[test]
fn reply_has_its_shape() {
    let reply = risk("rm -rf ~/x src; echo 'a").reply();
    assert_eq!(reply.level, "destructive");
    assert!(!reply.parsed, "a quote is open");
    let effect = &reply.effects[0];
    assert_eq!(
        (
            effect.kind.as_str(),
            effect.target.as_str(),
            effect.reason.as_str()
        ),
        ("delete", "~/x", "Deletes something.")
    );
    let reply = risk("ls").reply();
    assert_eq!(
        (reply.level.as_str(), reply.effects.len(), reply.parsed),
        ("safe", 0, true)
    );
    let text = serde_json::to_value(risk("git push -f").reply()).unwrap();
    assert_eq!(text["effects"][0]["kind"], "rewrite_history");
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig {
        cases: 1_000,
        failure_persistence: None,
        ..proptest::prelude::ProptestConfig::default()
    })]

    /// Any text behind any call: it never panics, and never makes the level milder.
    #[test]
    fn any_text_only_raises(
        calls in "(make( x)?|npm run x|just x|\\./x\\.sh|sh x\\.sh|cargo x|cd y|rm -rf (src|out)|git reset --hard|;|&&| |\n){1,6}",
        file in "(x:|\t|\n|rm -rf src|make x|\\./x\\.sh|\\$\\(A\\)|A = \\$\\(A\\)\n|\\{\"scripts\":\\{\"x\":\"|\"\\}\\}|\\[alias\\]\nx = |'|\"|\\$\\(){0,12}",
    ) {
        let mut facts = MemoryFacts::default();
        for name in ["Makefile", "package.json", "justfile", "x.sh", "y/x.sh", ".cargo/config.toml"] {
            facts.texts.insert(path(name), Arc::from(file.as_str()));
        }
        let with = command_risk(&calls, PLACE, &facts);
        let without = command_risk(&calls, PLACE, &NoFacts);
        proptest::prop_assert!(with.level() >= without.level());
        proptest::prop_assert!(with.tier >= without.tier);
        proptest::prop_assert!(with.reply().effects.len() <= 16);
    }
}

#[test]
fn what_has_no_copy_is_asked_about_with_its_directory() {
    let mut facts = repository();
    let ignored = facts.paths[&path("out")];
    for name in ["data", "vendored", "target"] {
        facts.paths.insert(path(name), ignored);
        facts.precious.push(path(name));
    }
    facts.paths.insert(path("plain"), ignored);
    let level = |command: &str| command_risk(command, PLACE, &facts).level();
    for command in [
        "rm -rf data",
        "rm -rf vendored && git clone https://h/vendored vendored",
        "rm -rf .git/objects",
        "rm -rf ./.git/refs",
    ] {
        assert!(level(command) >= Level::Destructive, "{command}");
    }
    // Nothing in it, or its name says that it is made again.
    for command in ["rm -rf plain", "rm -rf target", "rm .git/index.lock"] {
        assert!(level(command) < Level::Destructive, "{command}");
    }
}

#[test]
fn a_file_of_statements_is_judged_by_what_it_says() {
    let mut facts = repository();
    let mut add = |name: &str, text: &str| {
        facts.texts.insert(path(name), Arc::from(text));
    };
    add("db/cleanup.sql", "begin;\nDROP TABLE users;\ncommit;\n");
    add("db/drop_nothing.sql", "select 1;\n");
    let level = |command: &str| command_risk(command, PLACE, &facts).level();
    for command in [
        "psql app -f db/cleanup.sql",
        "psql app < db/cleanup.sql",
        "cat db/cleanup.sql | mysql app",
        "sqlite3 app.db '.read db/cleanup.sql'",
    ] {
        assert_eq!(level(command), Level::Destructive, "{command}");
    }
    // What it says takes nothing away from what its name promises.
    assert_eq!(level("psql app -f db/drop_nothing.sql"), Level::Destructive);
    assert_eq!(level("psql app -f db/seed.sql"), Level::Safe);
    assert_eq!(level("psql app -f db/drop_all.sql"), Level::Destructive);
    // Nothing of the file is shown.
    let risk = command_risk("psql app -f db/cleanup.sql", PLACE, &facts);
    assert!(!format!("{risk:?}").contains("users"), "{risk:?}");
}

#[test]
fn what_a_program_deletes_is_weighed_like_any_file() {
    let facts = repository();
    let level = |command: &str| command_risk(command, PLACE, &facts).level();
    let unlink = |file: &str| format!("python3 -c \"import os; os.remove('{file}')\"");
    assert_eq!(level(&unlink("src/clean.rs")), Level::Caution);
    assert_eq!(level(&unlink("src/dirty.rs")), Level::Destructive);
    assert_eq!(level(&unlink("/tmp/x.rs")), Level::Safe);
    assert_eq!(
        level("node -e \"require('fs').rmSync('out', {recursive: true})\""),
        Level::Caution
    );
    assert_eq!(
        level("node -e \"require('fs').rmSync('src', {recursive: true})\""),
        Level::Destructive
    );
}

/// A repository with links: to a directory of it, out of it, to git's own, to a temporary place, in a circle.
fn linked() -> MemoryFacts {
    let mut facts = repository();
    for (name, target) in [
        ("to_src", "src"),
        ("target/up", "../src"),
        ("etc", "/etc"),
        ("home", "/home/dev"),
        ("git", ".git"),
        ("scratch", "/tmp/scratch"),
        ("hosts", "etc/hosts"),
        ("a", "b"),
        ("b", "a"),
    ] {
        facts.links.insert(path(name), Arc::from(target));
        facts.paths.insert(
            path(name),
            Known {
                exists: Some(true),
                directory: Some(false),
                tracked: Some(true),
                ignored: Some(false),
                dirty: Some(false),
            },
        );
    }
    facts
}

/// A look at one file says nothing of its neighbours.
#[test]
fn a_link_is_seen_beside_what_is_none() {
    let facts = linked();
    for (command, want) in [
        (
            "touch target/a; touch target/b; rm -rf target/up/",
            Level::Destructive,
        ),
        ("touch target/a; rm -rf target/up/../out", Level::Caution),
        ("touch new; rm -rf etc/nginx", Level::Destructive),
        ("touch to_src/new; rm to_src/dirty.rs", Level::Caution),
        ("touch scratch/a; echo x > hosts", Level::Destructive),
        (
            "touch target/a; touch target/b; rm -rf target/other/",
            Level::Caution,
        ),
        ("touch new; rm -rf to_src", Level::Safe),
    ] {
        let risk = command_risk(command, PLACE, &facts);
        assert_eq!(risk.level(), want, "{command}: {risk:#?}");
    }
}

/// The cache of a word holds for that word, in that directory, used in that way; and of many words the first
/// ones are looked at again.
#[test]
fn what_a_word_leads_to_is_remembered_of_nothing_else() {
    let facts = linked();
    let many: String = (0..20).map(|n| format!("touch new{n}; ")).collect();
    for (command, want) in [
        // The link itself, then what is behind it.
        ("rm to_src; rm -rf to_src/", Level::Destructive),
        ("rm hosts; echo x > hosts", Level::Destructive),
        ("mv hosts x; cp x hosts", Level::Destructive),
        ("cp a1 a2; rm to_src", Level::Safe),
        // The same word somewhere else.
        ("cp x dirty.rs; cd src && cp x dirty.rs", Level::Caution),
        (
            "cd src && cp x clean.rs; cd .. && cp x clean.rs",
            Level::Safe,
        ),
        (
            "echo x > scratch/new; cd target && rm -rf up/",
            Level::Destructive,
        ),
        (
            "touch up/new; cd target && touch up/new; rm -rf up/",
            Level::Destructive,
        ),
        // Two words of one command.
        ("mv scratch/a hosts", Level::Caution),
        ("mv hosts hosts", Level::Destructive),
        ("cp src/dirty.rs src/clean.rs", Level::Safe),
        ("cp src/clean.rs src/dirty.rs", Level::Caution),
    ] {
        for before in ["", many.as_str()] {
            let line = format!("{before}{command}");
            let risk = command_risk(&line, PLACE, &facts);
            assert_eq!(risk.level(), want, "{line}: {:#?}", risk.findings);
        }
        let line = format!("{command}; {many}{command}");
        let risk = command_risk(&line, PLACE, &facts);
        assert!(risk.level() >= want, "{line}: {:#?}", risk.findings);
    }
}

#[test]
fn a_path_is_judged_by_where_links_lead() {
    let facts = linked();
    for (command, want) in [
        // The link itself is a file that goes away.
        ("rm to_src", Level::Safe),
        ("rm -rf to_src", Level::Safe),
        ("rm -rf etc", Level::Safe),
        // What is behind it.
        ("rm -rf to_src/", Level::Destructive),
        ("rm -rf to_src/.", Level::Destructive),
        ("rm -rf to_src/*", Level::Destructive),
        ("rm -rf target/up/", Level::Destructive),
        ("rm -rf target/up/../out", Level::Caution),
        ("cd target/up && rm -rf *", Level::Destructive),
        ("rm -rf etc/", Level::Destructive),
        ("rm -rf etc/nginx", Level::Destructive),
        ("rm -rf home/", Level::Destructive),
        ("rm -rf git/", Level::Destructive),
        ("rm -rf scratch/", Level::Caution),
        ("rm to_src/clean.rs", Level::Safe),
        ("rm to_src/dirty.rs", Level::Caution),
        ("echo x > etc/hosts", Level::Destructive),
        ("echo x > hosts", Level::Destructive),
        ("echo x > scratch/new", Level::Safe),
        ("echo x >> git/config", Level::Destructive),
        ("cp x hosts", Level::Destructive),
        (
            "python3 -c \"import shutil; shutil.rmtree('etc/nginx')\"",
            Level::Destructive,
        ),
        ("cat etc/hosts", Level::Safe),
        // Where a circle leads nobody knows.
        ("rm -rf a/", Level::Safe),
    ] {
        let risk = command_risk(command, PLACE, &facts);
        assert_eq!(risk.level(), want, "{command}: {:#?}", risk.findings);
    }
}
