//! Answers of `map` as text.

use aictx_proto::methods::{
    MapBrief, MapFreshness, MapOutline, MapQueryReply, MapReferences, MapRefreshReply,
    MapRelatives, MapStatus, MapSymbol, MapSymbols,
};

use crate::cli::terminal_text::{Paint, clean, mebibytes, one_line, table};

/// Longest signature shown on a line.
const SIGNATURE: usize = 100;

/// Renders the freshness of an answer, when it matters.
pub fn freshness(freshness: &MapFreshness) -> String {
    let mut out = super::warnings(&freshness.warnings);
    match freshness.state.as_str() {
        "building" => out.push_str(&format!(
            "note: {} of {} files are not parsed yet\n",
            freshness.pending, freshness.files
        )),
        "stale" if freshness.pending > 0 => out.push_str(&format!(
            "note: files changed since the index was made: {}\n",
            freshness.pending
        )),
        "stale" if freshness.age_ms >= 1_000 => out.push_str(&format!(
            "note: the index is {} s old\n",
            freshness.age_ms / 1_000
        )),
        "empty" => out.push_str("note: nothing is indexed yet; ask again in a moment\n"),
        _ => {}
    }
    out
}

/// Active files that the index does not have.
pub fn unknown(paths: &[String]) -> String {
    let note = |path: &String| {
        let path = one_line(path, usize::MAX);
        format!("note: {path} is not in the index and had no say\n")
    };
    paths.iter().map(note).collect()
}

/// `aictx map query`.
pub fn query(reply: &MapQueryReply, paint: Paint) -> String {
    if reply.results.is_empty() {
        return "nothing matches\n".to_owned();
    }
    let mut out = String::new();
    for hit in &reply.results {
        let reasons: Vec<_> = hit
            .reasons
            .iter()
            .map(|name| {
                let short = name.strip_prefix("repo_map:").unwrap_or(name);
                match hit.evidence.get(name) {
                    Some(value) => format!("{} {value}", clean(short)),
                    None => clean(short),
                }
            })
            .collect();
        let class = match hit.metadata.class.as_str() {
            "source" | "" => String::new(),
            other => format!(" [{}]", clean(other)),
        };
        out.push_str(&format!(
            "{:>4}  {}{class}  ({})\n",
            hit.score,
            paint.bold(&one_line(&hit.path, usize::MAX)),
            reasons.join(", ")
        ));
        for symbol in &hit.symbols {
            out.push_str(&format!("      {}\n", line(symbol)));
        }
    }
    out
}

fn line(symbol: &MapSymbol) -> String {
    let text = if symbol.signature.is_empty() {
        &symbol.name
    } else {
        &symbol.signature
    };
    // `class X` says itself what it is.
    let told = text.split(' ').next() == Some(symbol.kind.as_str());
    let kind = if told {
        String::new()
    } else {
        format!("{} ", clean(&symbol.kind))
    };
    format!("{}: {kind}{}", symbol.line, one_line(text, SIGNATURE))
}

/// `aictx map brief`.
pub fn brief(reply: &MapBrief) -> String {
    clean(&reply.text)
}

/// `aictx map outline`.
pub fn outline(reply: &MapOutline, paint: Paint) -> String {
    let mut out = paint.bold(&one_line(&reply.path, usize::MAX));
    if !reply.language.is_empty() {
        out.push_str(&format!("  {}", clean(&reply.language)));
    }
    if !reply.reason.is_empty() {
        out.push_str(&format!("  ({})", clean(&reply.reason)));
    }
    out.push('\n');
    for symbol in &reply.symbols {
        let depth = if symbol.container.is_empty() {
            0
        } else {
            1 + symbol.container.matches('.').count()
        };
        let indent = "  ".repeat(depth.min(8) + 1);
        out.push_str(&format!("{indent}{}\n", line(symbol)));
    }
    if reply.cut > 0 {
        out.push_str(&format!("  … and {} more\n", reply.cut));
    }
    out
}

/// `aictx map symbol`.
pub fn symbols(reply: &MapSymbols, paint: Paint) -> String {
    if reply.results.is_empty() {
        return "nothing has such a name\n".to_owned();
    }
    let mut out = String::new();
    for hit in &reply.results {
        let within = if hit.symbol.container.is_empty() {
            String::new()
        } else {
            format!("  in {}", clean(&hit.symbol.container))
        };
        out.push_str(&format!(
            "{}:{}  {} {}{within}\n",
            one_line(&hit.path, usize::MAX),
            hit.symbol.line,
            clean(&hit.symbol.kind),
            paint.bold(&clean(&hit.symbol.name)),
        ));
    }
    if reply.truncated {
        out.push_str("… there are more; --limit shows them\n");
    }
    out
}

/// `aictx map refs`.
pub fn references(reply: &MapReferences, paint: Paint) -> String {
    let mut out = String::new();
    for hit in &reply.definitions {
        out.push_str(&format!(
            "{}:{}  {}\n",
            one_line(&hit.path, usize::MAX),
            hit.symbol.line,
            paint.bold(&one_line(&hit.symbol.signature, SIGNATURE)),
        ));
    }
    for place in &reply.references {
        let within = if place.within.is_empty() {
            String::new()
        } else {
            format!("  [{}]", clean(&place.within))
        };
        out.push_str(&format!(
            "{}:{}:{}  {}{within}\n",
            one_line(&place.path, usize::MAX),
            place.line,
            place.column,
            one_line(&place.text, SIGNATURE),
        ));
    }
    if out.is_empty() {
        out.push_str("nothing mentions it\n");
    }
    if reply.truncated {
        out.push_str("… there are more; --limit shows them\n");
    }
    out
}

/// `aictx map related` and `aictx map impact`.
pub fn relatives(reply: &MapRelatives) -> String {
    if reply.results.is_empty() {
        return "no other file is known to have to do with it\n".to_owned();
    }
    let rows: Vec<_> = reply
        .results
        .iter()
        .map(|relative| {
            vec![
                relative.score.to_string(),
                one_line(&relative.path, usize::MAX),
                clean(&relative.reasons.join(", ")),
            ]
        })
        .collect();
    let mut out = table(&rows, 0);
    if !reply.tests.is_empty() {
        out.push_str("tests:\n");
        for test in &reply.tests {
            out.push_str(&format!("  {}\n", one_line(test, usize::MAX)));
        }
    }
    if reply.truncated {
        out.push_str("… there are more; --limit shows them\n");
    }
    out
}

/// `aictx map status`.
pub fn status(reply: &MapStatus) -> String {
    let fresh = &reply.freshness;
    let mut rows = vec![
        vec!["state".to_owned(), clean(&fresh.state)],
        vec![
            "files".to_owned(),
            format!("{} ({} pending)", reply.files_indexed, reply.files_pending),
        ],
        vec!["symbols".to_owned(), reply.symbols_indexed.to_string()],
        vec!["commits".to_owned(), fresh.commits.to_string()],
        vec![
            "index".to_owned(),
            format!(
                "{} ({} on the heap)",
                mebibytes(reply.index_bytes),
                mebibytes(reply.heap_bytes)
            ),
        ],
        vec![
            "last refresh".to_owned(),
            format!(
                "{}, {} files parsed in {} ms",
                clean(&reply.last_refresh_status),
                reply.files_reparsed,
                reply.last_refresh_ms
            ),
        ],
        vec![
            "continuity".to_owned(),
            if reply.enabled { "uses it" } else { "off" }.to_owned(),
        ],
    ];
    if reply.progress_total > 0 {
        let progress = format!("{} of {}", reply.progress_done, reply.progress_total);
        rows.push(vec!["parsing".to_owned(), progress]);
    }
    let mut out = table(&rows, 0);
    let mut languages: Vec<_> = reply.languages.iter().collect();
    languages.sort_by_key(|(name, count)| (std::cmp::Reverse(**count), (*name).clone()));
    let languages: Vec<_> = languages
        .iter()
        .map(|(name, count)| format!("{} {count}", clean(name)))
        .collect();
    if !languages.is_empty() {
        out.push_str(&format!("languages: {}\n", languages.join(", ")));
    }
    let reasons = reply.without_symbols.iter();
    let reasons: Vec<_> = reasons
        .map(|(why, n)| format!("{} {n}", clean(why)))
        .collect();
    if !reasons.is_empty() {
        out.push_str(&format!("without symbols: {}\n", reasons.join(", ")));
    }
    out.push_str(&super::warnings(&reply.warnings));
    out
}

/// `aictx map refresh`.
pub fn refresh(reply: &MapRefreshReply) -> String {
    format!(
        "{}: {} files, {} symbols; {} parsed, {} known before, {} pending, {} ms\n",
        clean(&reply.status),
        reply.files_indexed,
        reply.symbols_indexed,
        reply.files_reparsed,
        reply.files_reused,
        reply.files_pending,
        reply.duration_ms
    )
}
