//! Fits the weights of ranking on the past of repositories: `fit DIRECTORY … [-- DIRECTORY …]`.
//!
//! The weights of features are those of a conditional logit: the probability of a file is the softmax
//! of its score among the candidates, and the files of a task should be probable. Repositories after
//! `--` are only measured. Three measures: tasks about code with other files passed over in the
//! answers, tasks about code with all answers, tasks about any file. Each is printed with the weights
//! as they are (`given`), as fitted (`fitted`), and as fitted without the repository (`left out`).

#![allow(clippy::disallowed_methods)]
#![allow(clippy::indexing_slicing, reason = "all vectors are of one length")]

use std::process::Command;

use aictx_repomap::eval::{Options, Scope, Scores, Task, base};
use aictx_repomap::file_class::is_code;
use aictx_repomap::history::History;
use aictx_repomap::index_view::memory::{MemoryFile, MemoryView};
use aictx_repomap::index_view::{FileId, View};
use aictx_repomap::parse::{Limits, Parser};
use aictx_repomap::rank::{Feature, Past, Query, Values, Weights, explain};

const N: usize = Feature::COUNT;
const MEASURES: [&str; 3] = ["code", "code, all answers", "all"];
/// Weights of the measures in the fit.
const SHARES: [f32; 3] = [0.3, 0.45, 0.25];
const STEPS: i32 = 200;
/// Set by hand: what the tasks cannot tell, and what is a promise.
const BY_HAND: &[Feature] = &[
    Feature::Signature,
    Feature::Doc,
    Feature::NamedPath,
    Feature::NamedSymbol,
    Feature::Active,
    Feature::TestAsked,
    Feature::DocsAsked,
    Feature::ConfigAsked,
    Feature::GeneratedAsked,
    Feature::Vendored,
];

/// A task with its candidates.
struct Case {
    files: Vec<FileId>,
    values: Vec<Values>,
    code: Vec<bool>,
    gold: Vec<FileId>,
    about_code: bool,
}

impl Case {
    fn counts(&self, measure: usize) -> bool {
        self.about_code == (measure < 2)
    }
}

fn cases(directory: &str, weights: &Weights) -> Vec<Case> {
    let git = || {
        let mut command = Command::new("git");
        command.args(["-C", directory, "-c", "core.fsmonitor=false"]);
        command
    };
    let mut cases = Vec::new();
    for scope in [Scope::Code, Scope::All] {
        let options = Options {
            scope,
            ..Options::default()
        };
        let base = match base(&git, &options) {
            Ok(base) => base,
            Err(error) => {
                eprintln!("{directory}: {error}");
                return Vec::new();
            }
        };
        let mut parser = Parser::new();
        let limits = Limits::default();
        let files = base.files.into_iter();
        let read = files.map(|f| MemoryFile::read(&mut parser, f.path, f.bytes, &limits));
        let view = MemoryView::new(read.collect());
        let history = History::new(&base.history);
        let past = Past::with(&view, &history, weights);
        let case = |task: &Task| {
            let query = Query {
                text: &task.question,
                active: &[],
                limit: 0,
            };
            let found = explain(&view, &history, &past, &query, weights);
            let (files, values): (Vec<_>, Vec<_>) = found.into_iter().unzip();
            Case {
                code: files.iter().map(|f| is_code(view.class(*f))).collect(),
                gold: task.files.iter().filter_map(|f| view.file_at(f)).collect(),
                about_code: scope == Scope::Code,
                files,
                values,
            }
        };
        cases.extend(base.tasks.iter().map(case));
    }
    cases
}

fn score(values: &Values, weights: &[f32; N]) -> f32 {
    values.iter().zip(weights).map(|(v, w)| v * w).sum()
}

fn measure(cases: &[Case], weights: &[f32; N], measure: usize) -> Scores {
    let mut scores = Scores::default();
    for case in cases.iter().filter(|c| c.counts(measure)) {
        let mut order: Vec<(f32, FileId)> = (0..case.files.len())
            .filter(|at| measure != 0 || case.code[*at])
            .map(|at| (score(&case.values[at], weights), case.files[at]))
            .collect();
        order.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let answers: Vec<FileId> = order.into_iter().map(|o| o.1).collect();
        scores.add(&answers, &case.gold);
    }
    scores
}

/// Adds the gradient of one case's log likelihood, times `share`.
fn gradient(case: &Case, weights: &[f32; N], measure: usize, share: f32, sum: &mut [f32; N]) {
    let inside = case.files.iter().filter(|f| case.gold.contains(f)).count();
    if inside == 0 {
        return;
    }
    let scores: Vec<f32> = (0..case.files.len())
        .map(|at| match measure != 0 || case.code[at] {
            true => score(&case.values[at], weights),
            false => f32::NEG_INFINITY,
        })
        .collect();
    let top = scores.iter().copied().fold(f32::MIN, f32::max);
    let all: f32 = scores.iter().map(|s| (s - top).exp()).sum();
    for (at, file) in case.files.iter().enumerate() {
        let wanted = match case.gold.contains(file) {
            true => 1.0 / inside as f32,
            false => 0.0,
        };
        let slope = (wanted - (scores[at] - top).exp() / all) * share;
        for (to, value) in sum.iter_mut().zip(&case.values[at]) {
            *to += slope * value;
        }
    }
}

/// Adam on the mean log likelihood, each repository counting the same, with a small quadratic
/// penalty; evidence may not speak against a file, only its class may.
fn fit(sets: &[&[Case]], start: [f32; N]) -> [f32; N] {
    let mut weights = start;
    let (mut mean, mut square) = ([0.0_f32; N], [0.0_f32; N]);
    for step in 1..=STEPS {
        let mut sum = [0.0_f32; N];
        for set in sets {
            for (at, share) in SHARES.iter().enumerate() {
                let count = set.iter().filter(|c| c.counts(at)).count();
                let share = share / (count.max(1) * sets.len()) as f32;
                for case in set.iter().filter(|c| c.counts(at)) {
                    gradient(case, &weights, at, share, &mut sum);
                }
            }
        }
        for at in 0..N {
            if BY_HAND.iter().any(|f| *f as usize == at) {
                continue;
            }
            let class = at >= Feature::Test as usize;
            let slope = sum[at] - if class { 0.005 } else { 0.0015 } * weights[at];
            mean[at] = 0.9 * mean[at] + 0.1 * slope;
            square[at] = 0.99 * square[at] + 0.01 * slope * slope;
            let moved = mean[at] / (1.0 - 0.9_f32.powi(step));
            let spread = (square[at] / (1.0 - 0.99_f32.powi(step))).sqrt();
            weights[at] += 0.08 * moved / (spread + 1e-6);
            if !class {
                weights[at] = weights[at].max(0.0);
            }
        }
    }
    weights
}

fn show(name: &str, scores: Scores) {
    let Scores {
        acc1,
        recall5,
        recall10,
        mrr,
        tasks,
    } = scores;
    println!("{name:40} {acc1:.3} {recall5:.3} {recall10:.3} {mrr:.3}  {tasks} tasks");
}

fn mean(all: &[Vec<Case>], weights: impl Fn(usize) -> [f32; N], of: usize) -> Scores {
    let each = all.iter().enumerate();
    let scores: Vec<Scores> = each.map(|(at, c)| measure(c, &weights(at), of)).collect();
    Scores::macro_mean(&scores)
}

fn main() {
    let given = Weights::default();
    let (mut dev, mut other, mut rest) = (Vec::new(), Vec::new(), false);
    for argument in std::env::args().skip(1) {
        if argument == "--" {
            rest = true;
            continue;
        }
        let found = cases(&argument, &given);
        if !found.is_empty() {
            if rest { &mut other } else { &mut dev }.push(found);
        }
    }
    let sets = |without: Option<usize>| -> Vec<&[Case]> {
        let kept = dev
            .iter()
            .enumerate()
            .filter(|(at, _)| Some(*at) != without);
        kept.map(|(_, c)| c.as_slice()).collect()
    };
    let fitted = fit(&sets(None), given.linear);
    let left_out: Vec<[f32; N]> = (0..dev.len())
        .map(|at| fit(&sets(Some(at)), fitted))
        .collect();
    for (of, name) in MEASURES.iter().enumerate() {
        show(&format!("{name}: given"), mean(&dev, |_| given.linear, of));
        show(&format!("{name}: fitted"), mean(&dev, |_| fitted, of));
        show(
            &format!("{name}: left out"),
            mean(&dev, |at| left_out[at], of),
        );
        if !other.is_empty() {
            show(
                &format!("{name}: others, given"),
                mean(&other, |_| given.linear, of),
            );
            show(
                &format!("{name}: others, fitted"),
                mean(&other, |_| fitted, of),
            );
        }
    }
    println!("\nfeature by number: weight given, fitted; MRR and recall@10 lost without it");
    for at in 0..N {
        let mut less = given.linear;
        less[at] = 0.0;
        print!("{at:3} {:6.2} {:6.2}", given.linear[at], fitted[at]);
        for of in [0, 2] {
            let (all, less) = (mean(&dev, |_| given.linear, of), mean(&dev, |_| less, of));
            print!(
                "   {:+.3} {:+.3}",
                all.mrr - less.mrr,
                all.recall10 - less.recall10
            );
        }
        println!();
    }
}
