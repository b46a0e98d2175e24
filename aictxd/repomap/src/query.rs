//! Questions to an index beside ranking: what is in a file, where is a name, who uses it, what is
//! worth knowing within a budget. All of them read a published tree and never wait.

use aictx_proto::methods::{
    MapExport, MapExportFile, MapExportImport, MapExportSymbol, MapOutline, MapSymbol,
};

use crate::facts::Outcome;
use crate::index_view::{FileId, Symbol, View};
use crate::tree::Tree;

mod brief;
mod qualified_name;
mod references;
mod related;
mod same_package;
mod subsequence;
mod symbols;

pub use brief::{brief, by_weight};
pub use references::references;
pub use related::{impact, related};
pub use symbols::{Match, SymbolAt, find_symbols};

/// Deepest nesting that is followed to name a container.
const MAX_DEPTH: usize = 16;

/// A definition as answers show it.
pub fn show(view: &dyn View, file: FileId, symbol: &Symbol<'_>) -> MapSymbol {
    MapSymbol {
        name: symbol.name.to_owned(),
        kind: symbol.kind.as_str().to_owned(),
        line: symbol.line,
        end_line: symbol.end_line,
        signature: symbol.signature.to_owned(),
        container: container_of(view, file, symbol),
        doc: symbol.doc.to_owned(),
    }
}

/// Names of the definitions around one, outermost first, joined by `.`.
pub fn container_of(view: &dyn View, file: FileId, symbol: &Symbol<'_>) -> String {
    let mut names = Vec::new();
    let mut next = symbol.container;
    while let Some(outer) = next.and_then(|number| view.symbol(file, number)) {
        names.push(outer.name);
        // Containers stand before what they contain, so this ends; the bound is for foreign data.
        next = outer.container.filter(|_| names.len() < MAX_DEPTH);
    }
    names.reverse();
    names.join(".")
}

/// Definitions and imports of a file.
pub fn outline(tree: &Tree, file: FileId) -> MapOutline {
    let symbols = (0..tree.symbol_count(file))
        .filter_map(|number| tree.symbol(file, number))
        .map(|symbol| show(tree, file, &symbol))
        .collect();
    let (imports, cut) = tree.doc(file).map_or((Vec::new(), 0), |(segment, doc)| {
        let imports = segment.imports(doc).map(|(module, _)| module.to_owned());
        (imports.collect(), segment.cut(doc))
    });
    MapOutline {
        path: tree.path(file).to_owned(),
        language: tree.language(file).to_owned(),
        reason: reason(tree.outcome(file)).to_owned(),
        symbols,
        cut: cut.into(),
        imports,
        freshness: Default::default(),
    }
}

/// Why a file has no definitions, or not all.
pub fn reason(outcome: Option<Outcome>) -> &'static str {
    outcome.map_or("pending", Outcome::reason)
}

/// The whole index in the ancestor's format. `generated_at` is
/// the caller's time.
pub fn export(tree: &Tree, git: bool, generated_at: String) -> MapExport {
    let files = (0..tree.files()).map(|file| export_file(tree, FileId(file)));
    MapExport {
        version: 1,
        generated_at,
        provider: "tree_sitter".to_owned(),
        mode: "full".to_owned(),
        discovery_source: if git { "git" } else { "scan" }.to_owned(),
        ignore_source: if git {
            "git+aictx_defaults"
        } else {
            "aictx_defaults"
        }
        .to_owned(),
        files: files.collect(),
    }
}

fn export_file(tree: &Tree, file: FileId) -> MapExportFile {
    let language = tree.language(file).to_owned();
    let symbols: Vec<_> = (0..tree.symbol_count(file))
        .filter_map(|number| tree.symbol(file, number))
        .map(|symbol| MapExportSymbol {
            name: symbol.name.to_owned(),
            kind: symbol.kind.as_str().to_owned(),
            line: symbol.line,
            end_line: symbol.end_line,
            language: language.clone(),
        })
        .collect();
    let imports = tree.doc(file).map_or(Vec::new(), |(segment, doc)| {
        let import = |(module, _): (&str, u32)| MapExportImport {
            module: module.to_owned(),
            ..MapExportImport::default()
        };
        segment.imports(doc).map(import).collect()
    });
    let stamp = tree.rows().get(file.0 as usize).map(|row| row.stamp);
    let stamp = stamp.unwrap_or_default();
    MapExportFile {
        path: tree.path(file).to_owned(),
        metadata_only: symbols.is_empty(),
        language,
        symbols,
        imports,
        provider: "tree_sitter".to_owned(),
        reason: reason(tree.outcome(file)).to_owned(),
        size_bytes: stamp.size,
        mtime_ns: stamp.modified,
    }
}
