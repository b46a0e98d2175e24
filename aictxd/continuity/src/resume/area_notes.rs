//! Notes and risks of the areas that a request is about.

use aictx_proto::record::Subsystem;
use aictx_proto::shown;

use crate::origin::{self, with_origin};
use crate::relevance::{Context, Relevance};
use crate::text_similarity::{shared, terms};

/// Lines of each kind that are told.
const FEW: usize = 3;

/// A line for each sub-system that the request is about, with its name.
pub(super) fn parts(context: &Context) -> Vec<(String, String)> {
    let about = context.subsystems.iter().filter(|s| concerns(s, context));
    let lines = about.filter_map(|s| {
        let mut line = shown::line(&s.description, 240);
        if let Some(fragile) = s.fragile_areas.first() {
            let fragile = shown::line(fragile, 160);
            let before = match line.chars().last() {
                None => "",
                Some('.' | '!' | '?' | '。') => " ",
                Some(_) => ". ",
            };
            line.push_str(&format!("{before}Fragile: {fragile}"));
        }
        let name = shown::line(&s.name, 80);
        let told = || with_origin(format!("{name}: {line}"), s.origin);
        (!line.is_empty()).then(|| (s.name.clone(), told()))
    });
    lines.take(FEW).collect()
}

/// Returns true if the request speaks of a sub-system, or of the files that it is.
fn concerns(subsystem: &Subsystem, context: &Context) -> bool {
    let asked = terms(&context.request);
    let text = format!(
        "{} {} {}",
        subsystem.name,
        subsystem.description,
        subsystem.key_paths.join(" ")
    );
    let thread = context
        .active
        .thread
        .as_deref()
        .filter(|_| context.task_fits);
    let at_work = thread.map_or(&[][..], |t| t.active_files.as_slice());
    let named = |p: &String| context.request.contains(p.as_str()) || at_work.contains(p);
    shared(&asked, &terms(&text)) > 0 || subsystem.key_paths.iter().any(named)
}

/// Risks that somebody put down with what the request is about.
pub(super) fn risks(context: &Context) -> Vec<String> {
    let handoff = context
        .handoff
        .filter(|_| context.continues || context.relevance >= Relevance::Medium);
    let handoff = handoff.into_iter();
    let of_handoff = handoff.flat_map(|h| h.risks.iter().map(|risk| (risk, h.origin)));
    let decisions = context.decisions.iter().take(FEW).map(|d| d.decision);
    let of_decisions = decisions.flat_map(|d| d.risks.iter().map(|risk| (risk, d.origin)));
    let mut out: Vec<String> = Vec::new();
    for (risk, origin) in of_handoff.chain(of_decisions) {
        let risk = origin::line(risk, 200, origin);
        if !risk.is_empty() && !out.contains(&risk) && out.len() < FEW {
            out.push(risk);
        }
    }
    out
}
