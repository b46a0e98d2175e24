//! Latency of judging a command: `cargo run --release -p aictx-guard --example guard_speed`.
//!
//! Prints median and 99th percentile for commands of growing size and for deep nesting; with an
//! argument only those whose name holds it. With `--set FILE.jsonl …` each `command` of the files is
//! repeated up to 4 KB and to 1 MB, and the slowest are shown. With `--repeat COMMAND` that one is judged
//! at 4 KB for some seconds, for a profiler to look at. `--tries N` at the end makes that exactly so many
//! verdicts, for one that counts instructions; also of each of the named commands.

#![allow(clippy::disallowed_methods)]

use std::hint::black_box;
use std::time::{Duration, Instant};

use aictx_guard::{NoFacts, Place, command_risk};

/// The daemon's.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const PLACE: Place = Place {
    root: "/home/dev/app",
    cwd: "/home/dev/app",
};

/// Command line of an agent, repeated up to a size.
const UNIT: &str = "(cd web && FOO=1 npm run build -- --x=\"$Y\" 2>&1 | tail -n 5); \
    if [ -f a ]; then echo 'x y' > out.txt; fi; for f in a b; do cat \"$f\"; done; \
    git commit -m \"a $(date)\" && rm -f /tmp/a.log\n";

/// Time of one verdict, the best of a few.
fn best(text: &str, tries: usize) -> Duration {
    let time = |_| {
        let from = Instant::now();
        black_box(command_risk(black_box(text), PLACE, &NoFacts));
        from.elapsed()
    };
    (0..tries).map(time).min().unwrap_or_default()
}

/// The slowest commands of some files, when each is repeated up to a size.
fn sweep(files: impl Iterator<Item = String>) -> std::io::Result<()> {
    let text: std::io::Result<String> = files.map(std::fs::read_to_string).collect();
    let text = text?;
    let rows = text.lines().filter_map(|line| {
        let row: serde_json::Value = serde_json::from_str(line).ok()?;
        Some(row.get("command")?.as_str()?.to_owned())
    });
    let commands: Vec<String> = rows.collect();
    for (size, tries) in [(4096, 20), (1 << 20, 2)] {
        let mut slowest: Vec<(Duration, &String)> = commands
            .iter()
            .map(|command| {
                let times = (size / (command.len() + 1)).max(1);
                (best(&format!("{command}\n").repeat(times), tries), command)
            })
            .collect();
        slowest.sort_by_key(|(time, _)| std::cmp::Reverse(*time));
        let at = |share: f64| {
            let nth = (slowest.len() as f64 * share) as usize;
            slowest.get(nth).map_or(Duration::ZERO, |(time, _)| *time)
        };
        println!("{} commands repeated up to {size} bytes:", commands.len());
        println!(
            "p50 {:.1?}, p95 {:.1?}, p99 {:.1?}",
            at(0.5),
            at(0.05),
            at(0.01)
        );
        for (time, command) in slowest.iter().take(25) {
            let shown: String = command.chars().take(120).collect();
            println!("{time:>10.1?} {shown:?}");
        }
    }
    Ok(())
}

fn main() -> std::io::Result<()> {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let option = arguments.iter().position(|word| word == "--tries");
    let tries = option.and_then(|at| arguments.drain(at..).nth(1));
    let tries: Option<usize> = tries.and_then(|count| count.parse().ok());
    let mut words = arguments.into_iter();
    let wanted = words.next().unwrap_or_default();
    if wanted == "--set" {
        return sweep(words);
    }
    if wanted == "--repeat" {
        let command = words.next().unwrap_or_default();
        let text = format!("{command}\n").repeat(4096 / (command.len() + 1));
        println!("{:.1?}", best(&text, tries.unwrap_or(20_000)));
        return Ok(());
    }
    let of = |size: usize| UNIT.repeat(size / UNIT.len() + 1);
    let heredoc = |size: usize| {
        let text = "let x = \"some $text\"; // rm -rf /\n".repeat(size / 34);
        format!("cat > a.rs <<'EOF'\n{text}EOF\ncargo test")
    };
    let programs = |size: usize| {
        let text = "total = items.count('x') + len(rows)  # what it is\n".repeat(1_280);
        format!("python3 - <<'EOF'\n{text}EOF\n").repeat(size / text.len())
    };
    let statements = |size: usize| {
        let text = "insert into items (name) values ('a b c');\n".repeat(1_480);
        format!("psql app <<'EOF'\n{text}EOF\n").repeat(size / text.len())
    };
    let nest = |open: &str, close: &str, depth: usize| {
        format!("{}rm -rf /{}", open.repeat(depth), close.repeat(depth))
    };
    let cases = [
        ("git status", "git status".to_owned()),
        ("100 B", of(60)),
        ("4 KB", of(4096)),
        ("64 KB", of(65_536)),
        ("1 MB", of(1 << 20)),
        ("1 MB here-document", heredoc(1 << 20)),
        ("1 MB of programs", programs(1 << 20)),
        ("1 MB of statements", statements(1 << 20)),
        (
            "1 MB of requests",
            "curl -X POST https://x.example/y -d 'a b c';".repeat(24_000),
        ),
        ("1 MB of python", "python3 -c 'print(1, 2)';".repeat(42_000)),
        ("1 MB of scripts", "python manage.py flush;".repeat(45_000)),
        (
            "1 MB of copies",
            "rsync -an --delete ./public/ web1:/srv/www/;".repeat(24_000),
        ),
        (
            "1 MB in containers",
            "docker exec app redis-cli -n 0 FLUSHDB;".repeat(27_000),
        ),
        ("1 MB one word", "x".repeat(1 << 20)),
        ("1 MB braces", "{a,".repeat((1 << 20) / 3)),
        ("1 MB quotes", "'a' \"b\" ".repeat((1 << 20) / 8)),
        ("1 MB of rm", "rm -rf $x y;".repeat((1 << 20) / 12)),
        ("1 MB backticks", "`a` ".repeat((1 << 20) / 4)),
        ("1000 deep $(", nest("echo $(", ")", 1000)),
        ("1000 deep (", nest("( ", " )", 1000)),
        ("1000 deep \"$(", nest("echo \"$(", ")\"", 1000)),
        ("1000 deep ${", nest("${x:-", "}", 1000)),
        ("1000 deep sudo", nest("sudo ", "", 1000)),
        ("1000 deep if", nest("if true; then ", "; fi", 1000)),
    ];
    println!(
        "{:<22} {:>9} {:>12} {:>12}  level",
        "command", "bytes", "p50", "p99"
    );
    for (name, text) in cases.iter().filter(|(name, _)| name.contains(&wanted)) {
        let mut times: Vec<Duration> = Vec::new();
        let started = Instant::now();
        let goes_on = |done: usize| match tries {
            Some(tries) => done < tries,
            None => done < 2_000 && (done < 20 || started.elapsed().as_secs() < 2),
        };
        while goes_on(times.len()) {
            let from = Instant::now();
            black_box(command_risk(black_box(text), PLACE, &NoFacts));
            times.push(from.elapsed());
        }
        times.sort();
        let at = |share: f64| {
            let nth = (times.len() as f64 * share) as usize;
            times.get(nth).copied().unwrap_or_default()
        };
        let risk = command_risk(text, PLACE, &NoFacts);
        println!(
            "{name:<22} {:>9} {:>12.1?} {:>12.1?}  {} {}",
            text.len(),
            at(0.5),
            at(0.99),
            risk.level().as_str(),
            risk.parsed
        );
    }
    Ok(())
}
