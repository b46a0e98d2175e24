//! Fits the weights of ranking on the past of repositories: `fit DIRECTORY …`.
//!
//! The weights of the features are those of a conditional logit: the probability of a file is the
//! softmax of its score among the candidates, and the files of a task should be probable.

use std::process::Command;
use std::time::Instant;

use aictx_repomap::eval::{self, Options, Scope, Scores, Task};
use aictx_repomap::history::History;
use aictx_repomap::parse::{Limits, Parser};
use aictx_repomap::rank::{self, Feature, Past, Query, Values, Weights};
use aictx_repomap::view::memory::{MemoryFile, MemoryView};
use aictx_repomap::view::{FileId, View};

struct Repo {
    name: String,
    view: MemoryView,
    history: History,
    tasks: Vec<(String, Vec<FileId>)>,
    code_tasks: Vec<(String, Vec<FileId>)>,
}

struct Case {
    files: Vec<FileId>,
    values: Vec<Values>,
    /// Which candidates may be answers.
    code: Vec<bool>,
    gold: Vec<FileId>,
    /// A task about code.
    is_code: bool,
}

fn gold(view: &dyn View, tasks: &[Task]) -> Vec<(String, Vec<FileId>)> {
    tasks
        .iter()
        .map(|t| {
            (
                t.question.clone(),
                t.files.iter().filter_map(|f| view.file_at(f)).collect(),
            )
        })
        .collect()
}

fn load(dir: &str) -> Option<Repo> {
    let git = || {
        let mut c = Command::new("git");
        c.args(["-C", dir, "--no-pager"]);
        c
    };
    let base = match eval::base(
        &git,
        &Options {
            scope: Scope::All,
            ..Options::default()
        },
    ) {
        Ok(b) => b,
        Err(e) => {
            eprintln!("{dir}: {e}");
            return None;
        }
    };
    let mut parser = Parser::new();
    let view = MemoryView::new(
        base.files
            .into_iter()
            .map(|f| MemoryFile::read(&mut parser, f.path, f.bytes, &Limits::default()))
            .collect(),
    );
    let tasks = gold(&view, &base.tasks);
    let code = eval::base(
        &git,
        &Options {
            scope: Scope::Code,
            ..Options::default()
        },
    )
    .ok()?;
    let code_tasks = gold(&view, &code.tasks);
    let history = History::new(&base.history);
    let name = dir
        .trim_end_matches("/repo")
        .rsplit('/')
        .next()
        .unwrap_or(dir)
        .to_owned();
    Some(Repo {
        name,
        view,
        history,
        tasks,
        code_tasks,
    })
}

use aictx_repomap::classify::is_code;

fn cases(repo: &Repo, w: &Weights) -> Vec<Case> {
    let past = Past::with(&repo.view, &repo.history, w);
    repo.tasks
        .iter()
        .map(|t| (t, false))
        .chain(repo.code_tasks.iter().map(|t| (t, true)))
        .map(|((text, gold), code)| {
            let found = rank::explain(
                &repo.view,
                &repo.history,
                &past,
                &Query {
                    text,
                    active: &[],
                    limit: 100,
                },
                w,
            );
            let (files, values): (Vec<_>, Vec<_>) = found.into_iter().unzip();
            Case {
                code: files.iter().map(|f| is_code(repo.view.class(*f))).collect(),
                files,
                values,
                is_code: code,
                gold: gold.clone(),
            }
        })
        .collect()
}

fn score(v: &Values, w: &[f32]) -> f32 {
    v.iter().zip(w).map(|(a, b)| a * b).sum()
}

/// 0: code tasks, answers filtered; 1: code tasks, all answers; 2: all tasks.
const SCOPES: [&str; 3] = ["code", "code/unf", "all"];
fn scope_of(c: &Case, scope: usize) -> bool {
    c.is_code == (scope < 2)
}

fn measure(cases: &[Case], w: &[f32], scope: usize) -> Scores {
    let mut s = Scores::default();
    for c in cases.iter().filter(|c| scope_of(c, scope)) {
        let mut order: Vec<(f32, FileId)> = c
            .files
            .iter()
            .zip(&c.values)
            .zip(&c.code)
            .filter(|(_, is)| scope != 0 || **is)
            .map(|((f, v), _)| (score(v, w), *f))
            .collect();
        order.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let answers: Vec<FileId> = order.into_iter().map(|o| o.1).take(100).collect();
        s.add(&answers, &c.gold);
    }
    s
}

fn shares() -> [f32; 3] {
    let text = std::env::var("SHARES").unwrap_or("1,1,1".into());
    let v: Vec<f32> = text.split(',').map(|x| x.parse().unwrap()).collect();
    [v[0] / 3.0, v[1] / 3.0, v[2] / 3.0]
}

fn fit(sets: &[&[Case]], start: &[f32], frozen: &[usize]) -> Vec<f32> {
    const N: usize = Feature::COUNT;
    let shares = shares();
    let mut w = start.to_vec();
    let (mut m, mut v) = (vec![0.0f32; N], vec![0.0f32; N]);
    let steps = if std::env::var("SWEEP").is_ok() {
        80
    } else {
        200
    };
    for step in 1..=steps {
        let mut g = vec![0.0f32; N];
        for set in sets {
            for scope in 0..3 {
                if shares[scope] == 0.0 {
                    continue;
                }
                let count = set.iter().filter(|c| scope_of(c, scope)).count();
                let share = shares[scope] / count.max(1) as f32 / sets.len() as f32;
                for c in set.iter().filter(|c| scope_of(c, scope)) {
                    let inside = c.files.iter().filter(|f| c.gold.contains(f)).count();
                    if inside == 0 {
                        continue;
                    }
                    let scores: Vec<f32> = c
                        .values
                        .iter()
                        .zip(&c.code)
                        .map(|(v, is)| {
                            if scope != 0 || *is {
                                score(v, &w)
                            } else {
                                f32::NEG_INFINITY
                            }
                        })
                        .collect();
                    let top = scores.iter().copied().fold(f32::MIN, f32::max);
                    let e: Vec<f32> = scores.iter().map(|s| (s - top).exp()).collect();
                    let z: f32 = e.iter().sum();
                    for ((f, v), e) in c.files.iter().zip(&c.values).zip(&e) {
                        let target = if c.gold.contains(f) {
                            1.0 / inside as f32
                        } else {
                            0.0
                        };
                        let d = (target - e / z) * share;
                        if d.abs() < 1e-9 {
                            continue;
                        }
                        for (g, v) in g.iter_mut().zip(v) {
                            *g += d * v;
                        }
                    }
                }
            }
        }
        for i in 0..N {
            if frozen.contains(&i)
                || [
                    "TestAsked",
                    "DocsAsked",
                    "ConfigAsked",
                    "GeneratedAsked",
                    "NamedPath",
                    "NamedSymbol",
                    "Active",
                    "Vendored",
                ]
                .contains(&NAMES[i])
            {
                continue;
            }
            let grad = g[i]
                - if i >= Feature::Test as usize {
                    0.005
                } else {
                    0.0015
                } * w[i];
            if DROP.contains(&NAMES[i]) {
                w[i] = 0.0;
                continue;
            }
            m[i] = 0.9 * m[i] + 0.1 * grad;
            v[i] = 0.99 * v[i] + 0.01 * grad * grad;
            let mh = m[i] / (1.0 - 0.9f32.powi(step));
            let vh = v[i] / (1.0 - 0.99f32.powi(step));
            w[i] += 0.08 * mh / (vh.sqrt() + 1e-6);
            if i < Feature::Test as usize {
                w[i] = w[i].max(0.0);
            }
        }
    }
    w
}

fn show(name: &str, s: Scores) {
    println!(
        "{name:34} {:.3} {:.3} {:.3} {:.3}  n={}",
        s.acc1, s.recall5, s.recall10, s.mrr, s.tasks
    );
}

static DROP: &[&str] = &["Signature", "Doc"];
static NAMES: [&str; Feature::COUNT] = [
    "Body",
    "Path",
    "Name",
    "Signature",
    "Doc",
    "Past",
    "Near",
    "NearBeside",
    "Recent",
    "Cochange",
    "Import",
    "Pair",
    "Cover",
    "Title",
    "Stem",
    "ExactPath",
    "ExactDirectory",
    "ExactName",
    "NamedPath",
    "NamedSymbol",
    "Scope",
    "Active",
    "Test",
    "TestAsked",
    "Docs",
    "DocsAsked",
    "Config",
    "ConfigAsked",
    "Fixture",
    "Generated",
    "GeneratedAsked",
    "Vendored",
];

fn evaluate(repos: &[Repo], dev: usize, w: &Weights, verbose: bool) -> f32 {
    let t = Instant::now();
    let all: Vec<Vec<Case>> = repos.iter().map(|r| cases(r, w)).collect();
    let took = t.elapsed();
    let which = std::env::var("TRAIN").unwrap_or("dev".into());
    let train: Vec<usize> = match which.as_str() {
        "dev" => (0..dev).collect(),
        "foreign" => (dev..repos.len()).collect(),
        _ => (0..repos.len()).collect(),
    };
    let refs = |skip: Option<usize>| -> Vec<&[Case]> {
        train
            .iter()
            .filter(|i| Some(**i) != skip)
            .map(|i| all[*i].as_slice())
            .collect()
    };
    let base = fit(&refs(None), &w.linear, &[]);
    let mut means = Vec::new();
    let loos: Vec<Vec<f32>> = (0..repos.len())
        .map(|i| {
            if verbose && train.contains(&i) {
                fit(&refs(Some(i)), &base, &[])
            } else {
                base.clone()
            }
        })
        .collect();
    for scope in 0..3 {
        let mut rows: Vec<Vec<Scores>> = vec![vec![]; 6];
        for (i, (r, c)) in repos.iter().zip(&all).enumerate() {
            let s = measure(c, &base, scope);
            let l = measure(c, &loos[i], scope);
            let d = measure(c, &w.linear, scope);
            let k = if i < dev { 0 } else { 3 };
            rows[k].push(s);
            rows[k + 1].push(l);
            rows[k + 2].push(d);
            if verbose {
                show(&format!("{} {}", r.name, SCOPES[scope]), l);
            }
        }
        for (n, r) in [
            "dev fit",
            "dev LORO",
            "dev given",
            "foreign fit",
            "foreign LORO",
            "foreign given",
        ]
        .iter()
        .zip(&rows)
        {
            if r.is_empty() || (!verbose && n.contains("LORO")) {
                continue;
            }
            if verbose {
                show(&format!("== {} {n}", SCOPES[scope]), Scores::macro_mean(r));
            }
        }
        let (a, b) = (Scores::macro_mean(&rows[1]), Scores::macro_mean(&rows[4]));
        means.push(a.mrr + a.recall10);
        if b.tasks > 0 {
            means.push(b.mrr + b.recall10);
        }
    }
    if verbose {
        if std::env::var("MISS").is_ok() {
            for (r, c) in repos.iter().zip(&all).take(dev) {
                for ((q, gold), c) in r.tasks.iter().chain(&r.code_tasks).zip(c) {
                    if !c.is_code {
                        continue;
                    }
                    let mut o: Vec<(f32, usize)> = (0..c.files.len())
                        .filter(|i| c.code[*i])
                        .map(|i| (score(&c.values[i], &base), i))
                        .collect();
                    o.sort_by(|a, b| b.0.total_cmp(&a.0));
                    let first = o.iter().position(|x| gold.contains(&c.files[x.1]));
                    if first.is_some_and(|f| f < 3) {
                        continue;
                    }
                    println!(
                        "MISS {} rank {first:?}: {}",
                        r.name,
                        q.chars().take(240).collect::<String>().replace('\n', " | ")
                    );
                    let f = |i: usize| {
                        let v = &c.values[i];
                        let mut parts: Vec<(f32, &str)> = v
                            .iter()
                            .zip(&base)
                            .zip(NAMES)
                            .map(|((a, b), n)| (a * b, n))
                            .filter(|x| x.0.abs() > 0.1)
                            .collect();
                        parts.sort_by(|a, b| b.0.total_cmp(&a.0));
                        format!(
                            "{} {:?}",
                            r.view.path(c.files[i]),
                            parts
                                .iter()
                                .map(|p| format!("{}{:.1}", p.1, p.0))
                                .collect::<Vec<_>>()
                                .join(" ")
                        )
                    };
                    for x in o.iter().take(2) {
                        println!("      {}", f(x.1));
                    }
                    for g in gold {
                        println!(
                            "   G  {}",
                            c.files
                                .iter()
                                .position(|f| f == g)
                                .map(f)
                                .unwrap_or(r.view.path(*g).to_owned())
                        );
                    }
                }
            }
        }
        println!("features took {took:?}");
        for (n, x) in NAMES.iter().zip(&base) {
            print!("{n} {x:.2}, ");
        }
        println!();
        // ablation
        for i in 0..Feature::COUNT {
            if base[i].abs() < 0.01 {
                continue;
            }
            let mut less = base.clone();
            less[i] = 0.0;
            let f = |w: &[f32], code: usize| {
                let v: Vec<_> = all.iter().map(|c| measure(c, w, code)).collect();
                let s = Scores::macro_mean(&v);
                (s.mrr, s.recall10)
            };
            let ((a, b), (c, d)) = (f(&base, 0), f(&less, 0));
            let ((a2, b2), (c2, d2)) = (f(&base, 2), f(&less, 2));
            println!(
                "  without {:12} code {:+.3} {:+.3}  all {:+.3} {:+.3}",
                NAMES[i],
                c - a,
                d - b,
                c2 - a2,
                d2 - b2
            );
        }
        // coverage of gold by candidates
        let (mut inn, mut n) = (0.0, 0.0);
        for c in all.iter().flatten() {
            for g in &c.gold {
                n += 1.0;
                if c.files.contains(g) {
                    inn += 1.0;
                }
            }
        }
        println!("gold among candidates {:.3}", inn / n);
    }
    means.iter().sum::<f32>() / means.len() as f32 / 2.0
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let t = Instant::now();
    let dev = args.iter().position(|a| a == "--").unwrap_or(args.len());
    let repos: Vec<Repo> = std::thread::scope(|s| {
        let h: Vec<_> = args
            .iter()
            .filter(|a| *a != "--")
            .map(|d| s.spawn(move || load(d)))
            .collect();
        h.into_iter().filter_map(|h| h.join().unwrap()).collect()
    });
    eprintln!("loaded {} in {:?}", repos.len(), t.elapsed());
    let w = Weights::default();
    if std::env::var("BASE").is_ok() {
        for code in [true, false] {
            let unf = std::env::var("UNF").is_ok();
            for which in [true, false] {
                let mut rows = vec![];
                for r in &repos {
                    let mut s = Scores::default();
                    for (q, gold) in if code { &r.code_tasks } else { &r.tasks } {
                        let ok = |f: &FileId| unf || !code || is_code(r.view.class(*f));
                        let a = if which {
                            eval::plain_bm25(&r.view, q, 100000)
                        } else {
                            eval::paths_only(&r.view, q, 100000)
                        };
                        let a: Vec<_> = a.into_iter().filter(ok).collect();
                        s.add(&a, &gold);
                    }
                    show(
                        &format!(
                            "{} {} {}",
                            r.name,
                            if code { "code" } else { "all" },
                            if which { "bm25" } else { "path" }
                        ),
                        s,
                    );
                    rows.push(s);
                }
                show("  == dev", Scores::macro_mean(&rows[..dev]));
                if rows.len() > dev {
                    show("  == foreign", Scores::macro_mean(&rows[dev..]));
                }
            }
        }
    }
    let v = evaluate(&repos, dev, &w, true);
    println!("J {v:.4}");
    if std::env::var("SWEEP").is_ok() {
        let mut w = w;
        let mut best = evaluate(&repos, dev, &w, false);
        println!("start {best:.4}");
        type Knob = (&'static str, fn(&mut Weights, f32), &'static [f32]);
        let knobs: &[Knob] = &[
            ("past k1", |w, x| w.past[0] = x, &[0.4, 3.0, 6.0]),
            ("past b", |w, x| w.past[1] = x, &[0.2, 0.8, 1.0]),
            ("near", |w, x| w.near = x as usize, &[20.0, 100.0]),
            ("near_power", |w, x| w.near_power = x, &[1.0, 3.0]),
            ("near_files", |w, x| w.near_files = x, &[0.4, 1.0]),
            ("near_half", |w, x| w.near_half = x, &[300.0, 3000.0]),
            ("recent_half", |w, x| w.recent_half = x, &[10.0, 20.0, 80.0]),
            ("body_text", |w, x| w.body_text = x, &[0.3, 0.55]),
            ("b path", |w, x| w.b[0] = x, &[0.0, 0.6]),
            ("k1 body", |w, x| w.k1[4] = x, &[0.6, 2.0, 4.0]),
            ("b body", |w, x| w.b[4] = x, &[0.5, 0.7]),
            ("scope_text", |w, x| w.scope_text = x, &[0.8, 2.0]),
        ];
        for (name, set, values) in knobs {
            for x in *values {
                let mut next = w.clone();
                set(&mut next, *x);
                let j = evaluate(&repos, dev, &next, false);
                println!("{name} {x}: {:+.4}", j - best);
                if j > best + 0.0005 {
                    best = j;
                    w = next;
                }
            }
        }
        println!("{w:?}");
        evaluate(&repos, dev, &w, true);
    }
}
