//! Words and texts that reach a program from elsewhere: `set --`, `IFS`, pipes into other machines.

// Helpers of tests may fail the test.
#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use aictx_guard::{Level, MemoryFacts, NoFacts, Place, command_risk};
use aictx_proto::path::RepoPath;

const PLACE: Place = Place {
    root: "/home/dev/app",
    cwd: "/home/dev/app",
};

fn level(command: &str) -> Level {
    command_risk(command, PLACE, &NoFacts).level()
}

#[test]
fn words_put_together_are_read_as_the_shell_does() {
    for command in [
        "set -- rm -rf src; \"$@\"",
        "set -- git reset --hard\n$*",
        "set -- -rf src; rm \"$1\" \"$2\"",
        "set -- ls rm -rf src; shift; \"$@\"",
        "sh -c '\"$@\"' _ rm -rf src",
        "sh -c 'rm -rf \"$1\"' _ src",
        "IFS=,; cmd='rm,-rf,src'; $cmd",
        "rm${IFS}-rf${IFS}src",
        "rm$IFS-rf${IFS}src",
        "read -r a b c <<< 'rm -rf src'; $a $b $c",
        "read -ra c <<< 'rm -rf src'; \"${c[@]}\"",
        "a='rm '; ${a}-rf src",
        "ls | xargs -I{} sh -c '{}'",
    ] {
        assert_eq!(level(command), Level::Destructive, "{command}");
    }
    for command in [
        "set -- a b; echo \"$@\"",
        "set -euo pipefail; set -- test --workspace; cargo \"$@\"",
        "IFS=, read -ra parts <<< \"$LIST\"; printf '%s\\n' \"${parts[@]}\"",
        "IFS=$'\\n'; for f in $(git ls-files); do wc -l \"$f\"; done",
        "bash -c 'echo \"$1\"' _ 'rm -rf /'",
        "read -r a b <<< 'rm -rf'; echo \"$a\"",
    ] {
        assert_eq!(level(command), Level::Safe, "{command}");
    }
}

#[test]
fn a_function_has_words_of_its_own() {
    let command = "set -- build; f() { rm -rf \"$1\"; }; f src";
    assert_eq!(level(command), Level::Destructive);
}

#[test]
fn statements_reach_the_client_behind_another_program() {
    for command in [
        "cat wipe.sql | ssh db psql app",
        "ssh db 'psql app' < drop_all.sql",
        "zcat drop_all.sql.gz | psql app",
        "cat drop_all.sql | docker exec -i db psql app",
        "docker exec -i db psql -U postgres app < wipe.sql",
        "sh -c 'cd /srv && psql app' < wipe.sql",
        "psql app -c \"$(cat drop_all.sql)\"",
        "psql app <<< \"$(cat drop_all.sql)\"",
        "psql app -c \"$(cat <<'SQL'\nDROP TABLE users;\nSQL\n)\"",
        "echo 'drop table users' | ssh db 'psql app'",
        "psql -Atc \"select 'truncate '||tablename from pg_tables\" | psql",
    ] {
        assert_eq!(level(command), Level::Destructive, "{command}");
    }
    for command in [
        "cat schema.sql | ssh db psql app",
        "docker exec -i db psql app < seed.sql",
        "cat wipe.sql | ssh db 'wc -l'",
        "psql -c 'BEGIN; DELETE FROM sessions; ROLLBACK;'",
    ] {
        assert_eq!(level(command), Level::Safe, "{command}");
    }
    // Elsewhere a deletion of a table ends the transaction.
    let command = "mysql -e 'BEGIN; DROP TABLE users; ROLLBACK;' shop";
    assert_eq!(level(command), Level::Destructive);
    let command = "psql -c 'BEGIN; DELETE FROM t; COMMIT; BEGIN; ROLLBACK;'";
    assert_eq!(level(command), Level::Destructive);
}

#[test]
fn a_piped_script_is_judged_by_its_text_and_told_when_it_is_not_known() {
    for command in [
        "cat x.sh | sh",
        "bash < x.sh",
        "bash <(cat x.sh)",
        "sh -c \"$(cat x.sh)\"",
        "ssh web 'bash -s' < x.sh",
        "cat x.sh | ssh web",
    ] {
        assert_eq!(level(command), Level::Caution, "{command}");
    }
    for command in [
        "echo 'rm -rf src' | ssh web",
        "printf 'rm -rf src\\n' | ssh -p 22 web sh",
        "bash <(echo 'rm -rf src')",
        "bash < <(echo 'rm -rf src')",
        "sh -c \"$(cat <<'EOF'\nrm -rf src\nEOF\n)\"",
        "echo 'rm -rf src' > x.sh; cat x.sh | sh",
        "cat wipe_all.sh | sh",
    ] {
        assert_eq!(level(command), Level::Destructive, "{command}");
    }
    let facts = |text: &str| {
        let mut facts = MemoryFacts::default();
        let path = RepoPath::parse("x.sh").unwrap();
        facts.texts.insert(path, Arc::from(text));
        facts
    };
    for command in ["cat x.sh | sh", "sh < x.sh", "sh x.sh"] {
        let said = |text: &str| command_risk(command, PLACE, &facts(text)).level();
        assert_eq!(said("#!/bin/sh\nrm -rf src\n"), Level::Destructive);
        assert_eq!(said("#!/bin/sh\ncargo build\n"), Level::Safe);
    }
}

#[test]
fn a_name_that_promises_to_empty_something_wide_is_told() {
    for command in [
        "./scripts/wipe-prod-db.sh",
        "python tools/delete_all_data.py --yes",
        "npm run db:drop",
        "make destroy-prod",
    ] {
        assert_eq!(level(command), Level::Destructive, "{command}");
    }
    for command in [
        "./scripts/wipe-prod-db.sh --dry-run",
        "bash -n scripts/wipe-prod-db.sh",
        "make -n destroy-prod",
        "npm run test:delete-all",
        "npm run delete-cache",
        "./scripts/clean.sh",
        "cat scripts/wipe-prod-db.sh",
    ] {
        assert_eq!(level(command), Level::Safe, "{command}");
    }
    // What its text says does not take the promise back.
    let mut facts = MemoryFacts::default();
    let path = RepoPath::parse("wipe_all.sh").unwrap();
    facts.texts.insert(path, Arc::from("echo nothing\n"));
    let risk = command_risk("sh wipe_all.sh", PLACE, &facts);
    assert_eq!(risk.level(), Level::Destructive);
}
