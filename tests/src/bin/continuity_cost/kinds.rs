//! Guards over lines of one kind, each as long as a size allows: what a line is made of matters more than how long the
//! history is.

use std::time::Duration;

use serde_json::json;

use super::Agents;
use super::work::{LINE, Work};

/// Sizes of questions: about 4 KB, and 1 MB.
const SIZES: [(usize, usize); 2] = [(4 * 1024, 1), (1024 * 1024, 20)];
/// Levels of nesting.
const DEPTH: usize = 1_000;

/// Kinds of lines: a name, what stands before and behind, and the piece that is repeated.
type Kind = (
    &'static str,
    &'static str,
    fn(usize) -> String,
    &'static str,
);

const KINDS: [Kind; 15] = [
    (
        "conditions",
        "",
        |n| format!("if [ -f src/module_{n}.txt ]; then echo yes; else echo no; fi\n"),
        "",
    ),
    (
        "a here-document",
        "cat > notes.md <<'EOF'\n",
        |n| format!("line {n} of notes that say rm -rf and more\n"),
        "EOF\n",
    ),
    (
        "a program for Python",
        "python3 - <<'EOF'\n",
        |n| format!("value_{n} = compute(data[{n}], 'x{n}')\n"),
        "EOF\n",
    ),
    (
        "one long argument",
        "echo '",
        |n| format!("word{n} "),
        "'\n",
    ),
    (
        "paths",
        "wc -l",
        |n| format!(" src/module_{n:03}/file.py"),
        "\n",
    ),
    (
        "a commit message",
        "git commit -m '",
        |n| format!("Sentence {n} of a message.\n"),
        "'\n",
    ),
    (
        "statements for psql",
        "psql -c \"",
        |n| format!("SELECT * FROM t{n} WHERE id = {n}; "),
        "\"\n",
    ),
    (
        "`cargo test`",
        "",
        |n| format!("cargo test t{}\n", n % 10),
        "",
    ),
    (
        "the line that is repeated above",
        "",
        |_| LINE.to_owned(),
        "",
    ),
    (
        "`sed -i`",
        "",
        |n| format!("sed -i 's/foo/bar/g' src/m{n:03}.py\n"),
        "",
    ),
    (
        "requests",
        "",
        |n| format!("curl -s http://localhost:8080/api/items/{n:02}\n"),
        "",
    ),
    (
        "`rm -f` of new files",
        "",
        |n| format!("rm -f out{n:04}.o\n"),
        "",
    ),
    (
        "mixed, with changes of directory",
        "",
        |n| {
            format!(
                "cd src && npm run lint -- --fix && git status > log{n:02}.txt; cp a{n:02}.py b.py; \
                 rm -f x{n:02}.tmp; echo 'done'; ls -la\n"
            )
        },
        "",
    ),
    (
        "`mv` and `cp`",
        "",
        |n| match n % 2 {
            0 => format!("cp -p a{n:03} b{n:03}\n"),
            _ => format!("mv a{n:03} b{n:03}\n"),
        },
        "",
    ),
    (
        "programs on the line",
        "",
        |n| format!("python3 -c 'print({n})'\n"),
        "",
    ),
];

/// The line of a kind, at most so long, and how many pieces it has.
fn line(kind: &Kind, size: usize) -> (String, usize) {
    let (_, before, piece, behind) = kind;
    let mut line = (*before).to_owned();
    for nth in 0.. {
        let piece = piece(nth);
        if line.len() + piece.len() + behind.len() > size {
            return (line + behind, nth);
        }
        line.push_str(&piece);
    }
    (line, 0)
}

/// Times guards over all kinds, `times` each of 4 KB and fewer of 1 MB, and over nesting; prints a table.
pub(crate) fn print(agents: &mut Agents, times: usize) {
    let work = Work::new(agents.done, &mut agents.dice);
    agents.client.call("resume", &work.resume(&agents.repo));
    let repo = agents.repo.clone();
    let mut timed = |command: &str, times: usize| {
        let params = json!({
            "repo": repo, "action": "risky_command", "command": command,
            "caller": { "session_id": work.session },
        });
        let call = |_| agents.client.call("guard", &params).1;
        let mut took: Vec<Duration> = (0..times.max(1)).map(call).collect();
        took.sort_unstable();
        let at = |q: f64| {
            let nth = (took.len().saturating_sub(1) as f64 * q).round() as usize;
            took.get(nth)
                .map_or(f64::NAN, |took| took.as_secs_f64() * 1e6)
        };
        (at(0.5), at(0.99))
    };
    println!("\n| kind | pieces in 4 KB | 4 KB p50 / p99, µs | 1 MB p50, ms |");
    println!("|---|---:|---:|---:|");
    let mut middle = Vec::new();
    for kind in &KINDS {
        let cells = SIZES.map(|(size, part)| {
            let (line, pieces) = line(kind, size);
            (pieces, timed(&line, times / part))
        });
        let [(pieces, (p50, p99)), (_, (large, _))] = cells;
        println!(
            "| {} | {pieces} | {p50:.0} / {p99:.0} | {:.1} |",
            kind.0,
            large / 1e3
        );
        middle.push(p50);
    }
    middle.sort_by(f64::total_cmp);
    println!("\nThe middle of them: {:.0} µs.", middle[middle.len() / 2]);
    for (name, open, close) in [
        ("brackets", "(", ")"),
        ("`bash -c`", "bash -c ", ""),
        ("`sudo`", "sudo ", ""),
    ] {
        let nested = format!("{}rm x{}", open.repeat(DEPTH), close.repeat(DEPTH));
        let (p50, p99) = timed(&nested, times);
        println!("{DEPTH} levels of {name}: {p50:.0} / {p99:.0} µs.");
    }
    agents.client.call("finalize", &work.finalize(&agents.repo));
    agents.done += 1;
}
