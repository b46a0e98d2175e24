//! Imports by the names that manifests give: a crate, a module of Go, a package of a workspace, an alias
//! of the TypeScript compiler.

use hashbrown::{HashMap, HashSet};

use super::{join, relative};
use crate::manifest::{Cargo, Config, Manifest, Manifests, Module, Package, directory};

/// Settings that others extend are followed so far.
const MAX_EXTENDED: usize = 8;

/// Where a crate's modules lie.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Crate {
    /// The directory of its modules.
    pub(super) base: String,
    /// Its first file, when that has a name of its own.
    pub(super) root: Option<String>,
}

/// What manifests say, by where they lie.
#[derive(Debug, Default)]
pub(super) struct Named<'m> {
    crates: HashMap<&'m str, Crate>,
    cargos: HashMap<&'m str, &'m Cargo>,
    /// First files of crates that have names of their own, and their directories.
    roots: HashSet<String>,
    root_of: HashMap<String, String>,
    /// Prefixes of import paths and the directories that they stand for, the longest first.
    modules: Vec<(&'m str, String)>,
    packages: HashMap<&'m str, (&'m str, &'m Package)>,
    package_at: HashMap<&'m str, &'m Package>,
    configs: HashMap<&'m str, &'m Config>,
}

impl<'m> Named<'m> {
    pub(super) fn of(manifests: &'m Manifests, exists: &dyn Fn(&str) -> bool) -> Self {
        let mut named = Self::default();
        for (path, manifest) in manifests.iter() {
            let at = directory(path);
            match manifest {
                Manifest::Cargo(cargo) => named.cargo(at, cargo, exists),
                Manifest::Go(module) => named.module(at, module),
                Manifest::Package(package) => {
                    named.package_at.insert(at, package);
                    let name = package.name.as_str();
                    // Copies below `fixtures` and the like lie deeper than what they copy.
                    let known = named.packages.get(name).map(|(known, _)| known.len());
                    if !name.is_empty() && known.is_none_or(|known| at.len() < known) {
                        named.packages.insert(name, (at, package));
                    }
                }
                Manifest::Config(config) => {
                    named.configs.insert(path, config);
                }
            }
        }
        let longest = |(a, _): &(&str, String), (b, _): &(&str, String)| {
            b.len().cmp(&a.len()).then_with(|| a.cmp(b))
        };
        named.modules.sort_by(longest);
        named
    }

    fn cargo(&mut self, at: &'m str, cargo: &'m Cargo, exists: &dyn Fn(&str) -> bool) {
        self.cargos.insert(at, cargo);
        let own = |file: &String| relative(at, file).filter(|file| exists(file));
        let library = cargo.library.as_ref().and_then(own);
        let roots = cargo.roots.iter().filter_map(own);
        for root in roots.chain(library.clone()) {
            self.root_of
                .entry(directory(&root).to_owned())
                .or_insert_with(|| root.clone());
            self.roots.insert(root);
        }
        let Some(name) = cargo.name.as_deref() else {
            return;
        };
        let base = match &library {
            Some(root) => directory(root).to_owned(),
            None => join(at, "src"),
        };
        if library.is_some() || exists(&join(&base, "lib.rs")) {
            let known = self.crates.get(name).map(|known| known.base.len());
            if known.is_none_or(|known| base.len() < known) {
                let root = library;
                self.crates.insert(name, Crate { base, root });
            }
        }
    }

    fn module(&mut self, at: &'m str, module: &'m Module) {
        // The standard library's own packages are imported without its name.
        let path = module
            .path
            .as_deref()
            .map(|p| if p == "std" { "" } else { p });
        self.modules.extend(path.map(|path| (path, at.to_owned())));
        for (old, new) in &module.replaced {
            self.modules
                .extend(relative(at, new).map(|new| (old.as_str(), new)));
        }
    }

    /// The crate that a file at `path` means by `name`. Nothing when no manifest knows it; the crates
    /// of directories without manifests are none.
    pub(super) fn crate_named(&self, path: &str, name: &str) -> Option<&Crate> {
        // A workspace may name what its members take from it.
        let alias = above(path, |at| {
            let renamed = &self.cargos.get(at)?.renamed;
            renamed.iter().find(|(alias, _)| alias == name)
        });
        let name = alias.map_or(name, |(_, package)| package);
        self.crates.get(name)
    }

    pub(super) fn knows_crates(&self) -> bool {
        !self.crates.is_empty()
    }

    /// Returns true if a file is the first one of a crate, by a manifest's word.
    pub(super) fn is_root(&self, path: &str) -> bool {
        self.roots.contains(path)
    }

    /// The first file of a crate whose modules lie in a directory, by a manifest's word.
    pub(super) fn root_in(&self, at: &str) -> Option<&str> {
        self.root_of.get(at).map(String::as_str)
    }

    /// The directories that an import path of Go may mean, the likeliest first; nothing when there is no
    /// module at all.
    pub(super) fn go(&self, import: &str) -> Option<Vec<String>> {
        if self.modules.is_empty() {
            return None;
        }
        let mut found: Vec<String> = self
            .modules
            .iter()
            .filter_map(|(prefix, at)| Some(join(at, below(import, prefix)?)))
            .collect();
        let vendored = self.modules.iter().map(|(_, at)| join(at, "vendor"));
        found.extend(vendored.map(|vendor| join(&vendor, import)));
        found.dedup();
        Some(found)
    }

    /// The places, without extension, where a file at `path` may find what it imports from JavaScript by
    /// a name; the likeliest first.
    pub(super) fn script(&self, path: &str, module: &str) -> Vec<String> {
        let mut found = Vec::new();
        self.aliased(path, module, &mut found);
        if module.starts_with('#') {
            let own = above(path, |at| {
                self.package_at.get(at).map(|package| (at, *package))
            });
            if let Some((at, package)) = own {
                let targets = matching(&package.imports, module);
                found.extend(targets.iter().filter_map(|to| relative(at, to)));
            }
            return found;
        }
        // `@scope/name/below` or `name/below`.
        let parts = if module.starts_with('@') { 2 } else { 1 };
        let end = module
            .match_indices('/')
            .nth(parts - 1)
            .map_or(module.len(), |(at, _)| at);
        let (name, rest) = module.split_at(end);
        if let Some((at, package)) = self.packages.get(name) {
            entries(at, package, rest.trim_start_matches('/'), &mut found);
        }
        found
    }

    /// What the aliases of the nearest settings make of a name.
    fn aliased(&self, path: &str, module: &str, found: &mut Vec<String>) {
        if self.configs.is_empty() {
            return;
        }
        above(path, |at| {
            let files = ["tsconfig.json", "jsconfig.json"].map(|name| join(at, name));
            let file = files
                .iter()
                .find(|f| self.configs.contains_key(f.as_str()))?;
            let mut chain = vec![file.clone()];
            // What only names its parts leaves the aliases to them.
            for part in &self.configs.get(file.as_str())?.references {
                chain.extend(
                    relative(at, part).map(|part| match part.ends_with(".json") {
                        true => part,
                        false => join(&part, "tsconfig.json"),
                    }),
                );
            }
            for file in &chain {
                self.aliases(file, module, found);
            }
            Some(())
        });
    }

    fn aliases(&self, file: &str, module: &str, found: &mut Vec<String>) {
        let mut at_base: Option<String> = None;
        let mut next = vec![file.to_owned()];
        let mut matched = false;
        for _ in 0..MAX_EXTENDED {
            let Some((path, config)) = next
                .pop()
                .and_then(|path| self.configs.get_key_value(path.as_str()))
            else {
                break;
            };
            let at = directory(path);
            let base = config.base.as_ref().and_then(|base| relative(at, base));
            if let Some(paths) = config.paths.as_ref().filter(|_| !matched) {
                // The nearest table counts alone.
                matched = true;
                let from = base.as_deref().or(at_base.as_deref()).unwrap_or(at);
                let targets = matching(paths, module);
                found.extend(targets.iter().filter_map(|to| relative(from, to)));
            }
            at_base = at_base.or(base);
            next.extend(config.extends.iter().filter_map(|file| {
                let file = file.starts_with('.').then(|| relative(at, file))??;
                Some(match file.ends_with(".json") {
                    true => file,
                    false => format!("{file}.json"),
                })
            }));
        }
        found.extend(at_base.map(|base| join(&base, module)));
    }
}

/// Where a package's files may lie, for what is imported `below` its name.
fn entries(at: &str, package: &Package, below: &str, found: &mut Vec<String>) {
    let mut add = |file: &str| {
        let Some(path) = relative(at, file) else {
            return;
        };
        // What is built is not there; what it is built from has its name.
        let inside = path.strip_prefix(at).unwrap_or(&path);
        let inside = inside.trim_start_matches('/');
        let built = inside.split_once('/').map(|(_, rest)| {
            let source = join(at, &join("src", rest));
            let stem = source.rsplit_once('.').map_or(source.as_str(), |(s, _)| s);
            stem.trim_end_matches(".d").to_owned()
        });
        found.push(path);
        found.extend(built);
    };
    if below.is_empty() {
        for entry in &package.entries {
            add(entry);
        }
        add("src/index");
        add("index");
        add("lib/index");
    } else {
        for target in matching(&package.exports, &format!("./{below}")) {
            add(&target);
        }
        add(below);
        add(&join("src", below));
    }
}

/// What a table of names, each with at most one `*`, makes of a name: the exact one, else the one with the
/// longest beginning.
fn matching(table: &[(String, Vec<String>)], name: &str) -> Vec<String> {
    if let Some((_, targets)) = table.iter().find(|(key, _)| key == name) {
        return targets.clone();
    }
    let fitting = table.iter().filter_map(|(key, targets)| {
        let (start, end) = key.split_once('*')?;
        let rest = name.strip_prefix(start)?.strip_suffix(end)?;
        Some((start.len(), rest, targets))
    });
    let best = fitting.max_by_key(|(length, _, _)| *length);
    best.into_iter()
        .flat_map(|(_, rest, targets)| targets.iter().map(|target| target.replacen('*', rest, 1)))
        .collect()
}

/// `import` without a prefix of whole parts.
fn below<'i>(import: &'i str, prefix: &str) -> Option<&'i str> {
    if prefix.is_empty() {
        return Some(import);
    }
    let rest = import.strip_prefix(prefix)?;
    match rest.strip_prefix('/') {
        Some(rest) => Some(rest),
        None => rest.is_empty().then_some(""),
    }
}

/// What `find` gives for the nearest directory above a path.
fn above<'p, T>(path: &'p str, mut find: impl FnMut(&'p str) -> Option<T>) -> Option<T> {
    let mut at = path;
    while !at.is_empty() {
        at = directory(at);
        if let Some(found) = find(at) {
            return Some(found);
        }
    }
    None
}
