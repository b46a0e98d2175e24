//! An outline of a repository within a budget of tokens.

use crate::facts::Kind;
use crate::index_view::{Class, FileId, Symbol, View};

/// Characters that count as one token: the usual estimate for source code.
const CHARACTERS_PER_TOKEN: usize = 4;
/// The largest share of the whole budget that one file may take, in percent.
const MAX_SHARE: usize = 30;
/// Deepest nesting that is shown.
const MAX_DEPTH: usize = 8;
/// Files beyond this are not looked at.
const MAX_FILES: usize = 400;

/// Outlines `files`, best first; each may name definitions to show before its others. Gives the
/// text, its estimated tokens and the files in it.
pub fn brief(
    view: &dyn View,
    files: &[(FileId, Vec<u32>)],
    tokens: usize,
) -> (String, usize, Vec<FileId>) {
    let budget = tokens.saturating_mul(CHARACTERS_PER_TOKEN);
    let mut text = String::new();
    let mut shown = Vec::new();
    for (file, first) in files.iter().take(MAX_FILES) {
        let left = budget.saturating_sub(text.chars().count());
        let share = left.min(budget.saturating_mul(MAX_SHARE) / 100);
        let path = view.path(*file);
        // A path alone, at the end of a budget, still says something.
        if path.len() + 2 > left {
            break;
        }
        let piece = outline(view, *file, first, share.max(path.len() + 2));
        text.push_str(&piece);
        shown.push(*file);
    }
    let used = text.chars().count().div_ceil(CHARACTERS_PER_TOKEN);
    (text, used, shown)
}

/// Files of a whole repository in the order in which they explain it: what others import, what
/// defines much, sources before the rest.
pub fn by_weight(view: &dyn View) -> Vec<(FileId, Vec<u32>)> {
    let mut files: Vec<_> = (0..view.files())
        .map(FileId)
        .filter(|file| matches!(view.class(*file), Class::Source | Class::Docs))
        .map(|file| {
            let exported = (0..view.symbol_count(file))
                .filter_map(|number| view.symbol(file, number))
                .filter(|symbol| symbol.exported && symbol.container.is_none())
                .count();
            let importers = view.importers(file).len();
            let docs = usize::from(view.class(file) == Class::Docs);
            let deep = view.path(file).matches('/').count();
            let weight = (importers * 4 + exported.min(40)) * 10 / (10 + deep + docs * 30);
            (std::cmp::Reverse(weight), file)
        })
        .collect();
    files.sort_unstable();
    files
        .into_iter()
        .map(|(_, file)| (file, Vec::new()))
        .collect()
}

fn outline(view: &dyn View, file: FileId, first: &[u32], most: usize) -> String {
    let mut chosen: Vec<(u32, Symbol<'_>)> = Vec::new();
    let mut used = view.path(file).chars().count() + 2;
    let count = view.symbol_count(file);
    let important = (0..count).filter(|n| !first.contains(n));
    for number in first.iter().copied().chain(important) {
        let Some(symbol) = view.symbol(file, number) else {
            continue;
        };
        let wanted = first.contains(&number) || is_landmark(&symbol);
        if !wanted {
            continue;
        }
        let cost = line(&symbol, depth_of(view, file, &symbol)).chars().count();
        if used + cost > most {
            continue;
        }
        used += cost;
        chosen.push((number, symbol));
    }
    chosen.sort_by_key(|(number, _)| *number);
    let mut text = format!("{}\n", one_line(view.path(file)));
    for (_, symbol) in &chosen {
        text.push_str(&line(symbol, depth_of(view, file, symbol)));
    }
    text
}

/// How many definitions are around one.
fn depth_of(view: &dyn View, file: FileId, symbol: &Symbol<'_>) -> usize {
    let outer = |symbol: &Symbol<'_>| view.symbol(file, symbol.container?);
    std::iter::successors(outer(symbol), outer)
        .take(MAX_DEPTH)
        .count()
}

/// Names of files and definitions come from the repository: none of them makes a line of its own.
fn one_line(text: &str) -> String {
    aictx_proto::shown::lines(text).replace('\n', " ")
}

/// Definitions that tell what a file is for.
fn is_landmark(symbol: &Symbol<'_>) -> bool {
    let outer = symbol.container.is_none();
    match symbol.kind {
        Kind::Class
        | Kind::Struct
        | Kind::Enum
        | Kind::Interface
        | Kind::Trait
        | Kind::Heading
        | Kind::Entrypoint
        | Kind::Section
        | Kind::Macro => true,
        Kind::Function | Kind::Type | Kind::Module => outer,
        Kind::Method => symbol.exported,
        Kind::Constant | Kind::Variable => outer && symbol.exported,
        Kind::File | Kind::Test | Kind::ConfigKey => false,
    }
}

fn line(symbol: &Symbol<'_>, depth: usize) -> String {
    let text = if symbol.signature.is_empty() {
        symbol.name
    } else {
        symbol.signature
    };
    let text = one_line(text);
    format!(
        "{:indent$}{}: {text}\n",
        "",
        symbol.line,
        indent = 2 + depth * 2
    )
}
