//! Writes of programs go through the checks of redirections.

// Helpers of tests may fail the test.
#![allow(clippy::unwrap_used)]

use aictx_guard::{HookVerdict, NoFacts, Place, Tier, command_risk, hook_command};

const ROOT: &str = "/home/dev/app";

fn verdict(command: &str) -> &'static str {
    match hook_command(command, ROOT, ROOT) {
        HookVerdict::Pass => "pass",
        HookVerdict::Ask(_) => "ask",
        HookVerdict::Deny(_) => "deny",
    }
}

/// Ways to write the file `@`.
const WAYS: &[&str] = &[
    "python3 -c \"open('@','w').write('x')\"",
    "python3 -c \"open('@', mode='w').write('x')\"",
    "python3 -c \"m = 'w'; p = '@'; open(p, m).write('x')\"",
    "python3 -c \"from pathlib import Path; Path('@').write_text('x')\"",
    "python3 -c \"from pathlib import Path; p = Path('@'); p.write_text('x')\"",
    "python3 -c \"import pathlib; pathlib.Path('@').open('w').write('x')\"",
    "python3 -c \"import os; os.write(os.open('@', os.O_WRONLY | os.O_CREAT), b'x')\"",
    "python3 -c \"import shutil; shutil.copy('README.md', '@')\"",
    "python3 -c \"import os; os.replace('a.txt', '@')\"",
    "python3 -c \"import sys; open(sys.argv[1], 'w').write('x')\" @",
    "python3 - <<'EOF'\nfor f in ['README.md', '@']:\n    open(f, 'w').write('x')\nEOF",
    "python3 - <<'EOF'\nwith open('@', 'w', encoding='utf-8') as f:\n    f.write('x')\nEOF",
    "node -e \"require('fs').writeFileSync('@','x')\"",
    "node -e \"const f='@'; require('fs').writeFileSync(f,'x')\"",
    "node -e \"require('fs').copyFileSync('README.md','@')\"",
    "node -e \"require('fs').createWriteStream('@').write('x')\"",
    "ruby -e \"File.write('@', 'x')\"",
    "ruby -e \"File.open('@', 'w') { |f| f.puts 'x' }\"",
    "perl -e \"open(F, '>@'); print F 'x'\"",
    "perl -e \"open(my \\$f, '>', '@'); print \\$f 'x'\"",
    "php -r \"file_put_contents('@', 'x');\"",
    "awk 'BEGIN { print \"x\" > \"@\" }'",
    "sed -n 'w @' README.md",
    "sed -n '1,3w @' README.md",
    "sed 's/a/b/gw @' README.md",
    "deno eval \"Deno.writeTextFileSync('@', 'x')\"",
];

#[test]
fn a_program_writes_where_a_redirection_may() {
    for way in WAYS {
        let of = |path: &str| way.replace('@', path);
        for (path, want) in [
            (".aictx/policy.toml", "deny"),
            (".git/hooks/pre-commit", "ask"),
            ("/etc/hosts", "ask"),
            ("/home/dev/other/a.py", "ask"),
            ("../x.py", "ask"),
            // As with `>`, these are nobody's business.
            ("src/new.py", "pass"),
            ("/tmp/x", "pass"),
            ("/home/dev/app/.gitignore", "pass"),
            (".aictx/memory/source/note.md", "pass"),
        ] {
            assert_eq!(verdict(&of(path)), want, "{}", of(path));
        }
    }
}

#[test]
fn what_is_put_at_the_end_is_as_mild_as_two_signs() {
    for way in [
        "echo x >> @",
        "python3 -c \"open('@', 'a').write('x')\"",
        "node -e \"require('fs').appendFileSync('@', 'x')\"",
    ] {
        let of = |path: &str| way.replace('@', path);
        for (path, want) in [
            (".aictx/policy.toml", "deny"),
            (".git/config", "ask"),
            ("/etc/passwd", "ask"),
            ("/etc/motd", "pass"),
        ] {
            assert_eq!(verdict(&of(path)), want, "{}", of(path));
        }
    }
}

#[test]
fn paths_are_put_together_as_programs_do() {
    for (line, want) in [
        (
            "python3 -c \"import os; open(os.path.join('.git', 'hooks', 'x'), 'w')\"",
            "ask",
        ),
        (
            "python3 -c \"from pathlib import Path; (Path('.git') / 'hooks' / 'x').write_text('x')\"",
            "ask",
        ),
        (
            "python3 -c \"from pathlib import Path; (Path.home() / '.bashrc').write_text('x')\"",
            "ask",
        ),
        (
            "python3 -c \"import os; open(os.path.expanduser('~/.bashrc'), 'w').write('x')\"",
            "ask",
        ),
        (
            "python3 -c \"import os; d = '.aictx'; open(os.path.join(d, 'policy.toml'), 'w').write('x')\"",
            "deny",
        ),
        (
            "node -e \"const p=require('path'),fs=require('fs'),os=require('os'); fs.writeFileSync(p.join(os.homedir(),'.npmrc'),'x')\"",
            "ask",
        ),
        (
            "node -e \"require('fs').renameSync('a', '.git/hooks/pre-commit')\"",
            "ask",
        ),
    ] {
        assert_eq!(verdict(line), want, "{line}");
    }
}

#[test]
fn what_only_reads_or_is_not_known_says_nothing() {
    for line in [
        "python3 -c \"print(open('/etc/hosts').read())\"",
        "python3 -c \"print(open('.git/HEAD', 'r', encoding='ascii').read())\"",
        "python3 -c \"import json; print(json.load(open('.aictx/continuity/handoff.json', 'rb')))\"",
        "python3 -c \"from pathlib import Path; print(Path('/etc/hosts').open('r').read())\"",
        "python3 -c \"import sys; open(sys.argv[1], 'w').write('/etc/hosts')\" out.txt",
        "python3 -c \"open('out.txt', 'w').write('/etc/hosts')\"",
        "python3 -c \"import os; os.rename('a.txt', 'b.txt'); print('.git/x')\"",
        "python3 -c \"import tempfile, os; d = tempfile.mkdtemp(); open(os.path.join(d, '.git', 'x'), 'w')\"",
        "python3 -c \"import re; print(re.sub('a', '/etc', 'x').replace('/a', '/b'))\"",
        "python3 -c \"import shutil; shutil.copy('/etc/hosts', 'x')\"",
        "node -e \"console.log(require('fs').readFileSync('/etc/hosts','utf8'))\"",
        "node -e \"const fs=require('fs'); fs.writeFileSync('out.json', fs.readFileSync('/etc/x'))\"",
        "sed 's/w /etc/x' README.md",
        "sed -e 's|new /etc|b|' README.md",
        "awk '$1 > \"/a\" { print $2 }' x",
        "ssh host python3 -c \"open('/etc/hosts','w').write('x')\"",
    ] {
        assert_eq!(verdict(line), "pass", "{line}");
    }
}

#[test]
fn many_names_are_no_burden() {
    let mut text = String::new();
    for n in 0..2_000 {
        text.push_str(&format!("n{n} = n{}\nopen(n{n}, 'w')\n", n + 1));
    }
    let line = format!("python3 - <<'EOF'\n{text}\nEOF");
    let place = Place {
        root: ROOT,
        cwd: ROOT,
    };
    let begun = std::time::Instant::now();
    assert!(command_risk(&line, place, &NoFacts).tier < Tier::Catastrophic);
    assert!(begun.elapsed() < std::time::Duration::from_secs(2));
}
