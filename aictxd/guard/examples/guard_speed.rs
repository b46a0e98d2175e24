//! How long judging a command takes: `cargo run --release -p aictx-guard --example guard_speed`.
//!
//! Prints median and 99th percentile for commands of growing size and for deep nesting; with an
//! argument only those whose name holds it.

use std::hint::black_box;
use std::time::{Duration, Instant};

use aictx_guard::{NoFacts, Place, command_risk};

const PLACE: Place = Place {
    root: "/home/dev/app",
    cwd: "/home/dev/app",
};

/// What an agent writes, repeated up to a size.
const UNIT: &str = "(cd web && FOO=1 npm run build -- --x=\"$Y\" 2>&1 | tail -n 5); \
    if [ -f a ]; then echo 'x y' > out.txt; fi; for f in a b; do cat \"$f\"; done; \
    git commit -m \"a $(date)\" && rm -f /tmp/a.log\n";

fn main() {
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
    let wanted = std::env::args().nth(1).unwrap_or_default();
    for (name, text) in cases.iter().filter(|(name, _)| name.contains(&wanted)) {
        let mut times: Vec<Duration> = Vec::new();
        let started = Instant::now();
        while times.len() < 2_000 && (times.len() < 20 || started.elapsed().as_secs() < 2) {
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
}
