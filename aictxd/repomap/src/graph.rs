//! Imports to files, by the table of paths and what manifests say of names.
//!
//! No build system is run: each language's rule of thumb is tried, from the nearest place to the
//! farthest. What cannot be told, or could be many files, resolves to nothing.

use hashbrown::HashMap;

use crate::facts::Facts;
use crate::index_view::FileId;
use crate::manifest::{Manifests, directory};

use self::manifest_imports::{Crate, Named};

mod manifest_imports;

/// Most files that one import may mean (a Go or Java package).
const MAX_PACKAGE: usize = 24;
/// Most files that one file is said to import.
pub const MAX_IMPORTED: usize = 200;

/// Finds files by path, by the end of a path and by directory.
#[derive(Debug)]
pub struct Resolver<'a> {
    paths: HashMap<&'a str, FileId>,
    /// Files by their name without extension.
    stems: HashMap<&'a str, Vec<(FileId, &'a str)>>,
    directories: HashMap<&'a str, Vec<(FileId, &'a str)>>,
    named: Named<'a>,
}

/// For each file (path, language, facts), in the order of their numbers, the files that it imports,
/// ascending.
pub fn resolve(files: &[(&str, &str, &Facts)], manifests: &Manifests) -> Vec<Vec<FileId>> {
    let resolver = Resolver::new(files.iter().map(|f| f.0), manifests);
    (0..)
        .zip(files)
        .map(|(at, (path, language, facts))| {
            let mut found = Vec::new();
            for import in &facts.imports {
                resolver.find(path, language, facts.get(import.module), &mut found);
            }
            found.sort_unstable();
            found.dedup();
            found.retain(|f| *f != FileId(at));
            found.truncate(MAX_IMPORTED);
            found
        })
        .collect()
}

fn join(directory: &str, rest: &str) -> String {
    match (directory, rest) {
        ("", rest) => rest.to_owned(),
        (directory, "") => directory.to_owned(),
        (directory, rest) => format!("{directory}/{rest}"),
    }
}

impl<'a> Resolver<'a> {
    /// Takes all paths, in the order of the files' numbers.
    pub fn new(paths: impl Iterator<Item = &'a str>, manifests: &'a Manifests) -> Self {
        let mut resolver = Self {
            paths: HashMap::new(),
            stems: HashMap::new(),
            directories: HashMap::new(),
            named: Named::default(),
        };
        for (at, path) in (0_u32..).zip(paths) {
            let id = FileId(at);
            resolver.paths.insert(path, id);
            let name = path.rsplit('/').next().unwrap_or(path);
            let stem = name.split_once('.').map_or(name, |(stem, _)| stem);
            resolver.stems.entry(stem).or_default().push((id, path));
            resolver
                .directories
                .entry(directory(path))
                .or_default()
                .push((id, path));
        }
        resolver.named = Named::of(manifests, &|path| resolver.paths.contains_key(path));
        resolver
    }

    /// Adds the files that `module`, as a file at `path` writes it, means.
    pub fn find(&self, path: &str, language: &str, module: &str, found: &mut Vec<FileId>) {
        if !self.near(path, language, module, found) {
            self.anywhere(language, module, found);
        }
    }

    /// Adds what `module` means because of where the file at `path` lies. Whether that is all: if not,
    /// it means what it means [anywhere](Self::anywhere).
    pub(crate) fn near(
        &self,
        path: &str,
        language: &str,
        module: &str,
        found: &mut Vec<FileId>,
    ) -> bool {
        match language {
            "rust" => {
                self.rust(path, module, found);
                true
            }
            "python" => {
                module.starts_with('.') && {
                    self.relative_python(path, module, found);
                    true
                }
            }
            "javascript" | "typescript" | "tsx" | "jsx" | "vue" | "svelte" => {
                self.script(path, module, found);
                true
            }
            "go" | "java" | "kotlin" | "scala" | "groovy" => false,
            "c" | "cpp" | "objc" => {
                let near = relative(directory(path), module);
                self.first(near, found)
            }
            _ => {
                let near = relative(directory(path), &slashed(module));
                self.first(near, found)
            }
        }
    }

    /// Adds what `module` means in whatever file of a language.
    pub(crate) fn anywhere(&self, language: &str, module: &str, found: &mut Vec<FileId>) {
        match language {
            "python" => self.python(module, found),
            "c" | "cpp" | "objc" => self.include(module, found),
            "go" => self.go(module, found),
            "java" | "kotlin" | "scala" | "groovy" => self.jvm(module, found),
            _ => self.other(module, found),
        }
    }

    fn first(&self, tries: impl IntoIterator<Item = String>, found: &mut Vec<FileId>) -> bool {
        for path in tries {
            if let Some(file) = self.paths.get(path.as_str()) {
                found.push(*file);
                return true;
            }
        }
        false
    }

    /// The one file whose path without extension ends with `tail`; of several that with the
    /// shortest path, unless more than a few could be meant.
    fn tail(&self, tail: &str, extensions: &[&str], found: &mut Vec<FileId>) -> bool {
        let stem = tail.rsplit('/').next().unwrap_or(tail);
        let mut best: Option<(usize, FileId)> = None;
        let mut count = 0;
        for (file, path) in self.stems.get(stem).into_iter().flatten() {
            let Some((base, extension)) = path.rsplit_once('.') else {
                continue;
            };
            let fits = base
                .strip_suffix(tail)
                .is_some_and(|rest| rest.is_empty() || rest.ends_with('/'));
            if !fits || !(extensions.is_empty() || extensions.contains(&extension)) {
                continue;
            }
            count += 1;
            if count > 4 {
                return false;
            }
            if best.is_none_or(|(length, _)| path.len() < length) {
                best = Some((path.len(), *file));
            }
        }
        match best {
            Some((_, file)) if count <= 4 => {
                found.push(file);
                true
            }
            _ => false,
        }
    }

    /// Source files of one directory that a package is.
    fn package(&self, directory: &str, extensions: &[&str], found: &mut Vec<FileId>) -> bool {
        let Some(files) = self.directories.get(directory) else {
            return false;
        };
        let before = found.len();
        for (file, path) in files {
            let fits = path
                .rsplit_once('.')
                .is_some_and(|(stem, e)| extensions.contains(&e) && !stem.ends_with("_test"));
            if fits && found.len() - before < MAX_PACKAGE {
                found.push(*file);
            }
        }
        found.len() > before
    }

    fn rust(&self, path: &str, module: &str, found: &mut Vec<FileId>) {
        let name = path.rsplit('/').next().unwrap_or(path);
        // Where the modules below this one lie.
        let below = match name {
            "mod.rs" | "lib.rs" | "main.rs" | "build.rs" => directory(path).to_owned(),
            _ if self.named.is_root(path) => directory(path).to_owned(),
            _ => path.strip_suffix(".rs").unwrap_or(path).to_owned(),
        };
        let mut parts: Vec<&str> = module.split("::").filter(|p| *p != "*").collect();
        let mut root = None;
        let mut base = match parts.first() {
            Some(&"crate") => self.crate_root(path),
            Some(&"self") => Some(below.clone()),
            Some(&"super") => Some(directory(&below).to_owned()),
            Some(name) => self.crate_named(path, name).map(|named| {
                root = named.root;
                named.base
            }),
            None => None,
        };
        if base.is_none() {
            return;
        }
        parts.remove(0);
        while parts.first() == Some(&"super") {
            base = base.map(|b| directory(&b).to_owned());
            parts.remove(0);
        }
        let base = base.unwrap_or_default();
        // The last parts are names in a module, not modules.
        while !parts.is_empty() {
            let at = join(&base, &parts.join("/"));
            // A module declared in `tests/a.rs` or `src/bin/a.rs` lies beside it.
            let beside = join(directory(path), &parts.join("/"));
            let declared = module.starts_with("self::");
            let mut tries = vec![format!("{at}.rs"), format!("{at}/mod.rs")];
            if declared {
                tries.extend([format!("{beside}.rs"), format!("{beside}/mod.rs")]);
            }
            if self.first(tries, found) {
                return;
            }
            parts.pop();
        }
        let own = root.or_else(|| self.named.root_in(&base).map(str::to_owned));
        let usual = ["lib.rs", "main.rs", "mod.rs"].map(|n| join(&base, n));
        let file = [format!("{base}.rs")];
        self.first(own.into_iter().chain(file).chain(usual), found);
    }

    /// The directory of the crate root above a file.
    fn crate_root(&self, path: &str) -> Option<String> {
        let mut at = directory(path);
        loop {
            if ["lib.rs", "main.rs"]
                .iter()
                .any(|n| self.paths.contains_key(join(at, n).as_str()))
                || self.named.root_in(at).is_some()
            {
                return Some(at.to_owned());
            }
            if at.is_empty() {
                return None;
            }
            at = directory(at);
        }
    }

    /// `some_crate` is what a manifest calls so; where there are none, it lies in `…/some-crate/src` or
    /// `…/crate/src`.
    fn crate_named(&self, path: &str, name: &str) -> Option<Crate> {
        if let Some(named) = self.named.crate_named(path, name) {
            return Some(named.clone());
        }
        if matches!(name, "std" | "core" | "alloc") || self.named.knows_crates() {
            return None;
        }
        let dashed = name.replace('_', "-");
        let mut roots: Vec<&str> = self
            .stems
            .get("lib")
            .into_iter()
            .flatten()
            .filter_map(|(_, path)| path.strip_suffix("/src/lib.rs"))
            .filter(|d| {
                let last = d.rsplit('/').next().unwrap_or(d);
                last == name
                    || last == dashed
                    // Members often leave out the name of the project.
                    || dashed.strip_suffix(last).is_some_and(|p| p.ends_with('-'))
            })
            .collect();
        roots.sort_by_key(|d| {
            (
                std::cmp::Reverse(d.rsplit('/').next().map(str::len)),
                d.len(),
                *d,
            )
        });
        roots.first().map(|d| Crate {
            base: format!("{d}/src"),
            root: None,
        })
    }

    fn relative_python(&self, path: &str, module: &str, found: &mut Vec<FileId>) {
        let dots = module.bytes().take_while(|b| *b == b'.').count();
        let mut parts = python_parts(module);
        let mut base = directory(path);
        for _ in 1..dots {
            base = directory(base);
        }
        loop {
            let at = join(base, &parts.join("/"));
            if self.first([format!("{at}.py"), format!("{at}/__init__.py")], found)
                || parts.pop().is_none()
            {
                return;
            }
        }
    }

    fn python(&self, module: &str, found: &mut Vec<FileId>) {
        let mut parts = python_parts(module);
        // The last part may be a name in the module.
        for _ in 0..2 {
            if parts.is_empty() {
                return;
            }
            let at = parts.join("/");
            let package = format!("{at}/__init__");
            if self.first([format!("{at}.py"), format!("{at}/__init__.py")], found)
                || self.tail(&at, &["py", "pyi"], found) && parts.len() > 1
                || self.tail(&package, &["py"], found)
            {
                return;
            }
            parts.pop();
        }
    }

    fn script(&self, path: &str, module: &str, found: &mut Vec<FileId>) {
        if module.starts_with('.') {
            if let Some(at) = relative(directory(path), module) {
                self.script_at(&at, found);
            }
            return;
        }
        for at in self.named.script(path, module) {
            if self.script_at(&at, found) {
                return;
            }
        }
    }

    /// The script that is imported as `at`, with or without its extension.
    fn script_at(&self, at: &str, found: &mut Vec<FileId>) -> bool {
        const ENDS: [&str; 9] = [
            "", ".ts", ".tsx", ".js", ".jsx", ".mjs", ".cjs", ".vue", ".d.ts",
        ];
        let plain = ENDS.iter().map(|e| format!("{at}{e}"));
        let index = ENDS.iter().map(|e| format!("{at}/index{e}"));
        // TypeScript is imported by the name that it will have.
        let source = [".js", ".mjs", ".jsx"]
            .iter()
            .filter_map(|e| at.strip_suffix(e));
        let source: Vec<String> = source
            .flat_map(|s| [format!("{s}.ts"), format!("{s}.tsx"), format!("{s}.mts")])
            .collect();
        self.first(plain.chain(source).chain(index), found)
    }

    fn include(&self, module: &str, found: &mut Vec<FileId>) {
        if self.first([module.to_owned()], found) {
            return;
        }
        let (tail, extension) = module.rsplit_once('.').unwrap_or((module, ""));
        let extensions: &[&str] = if extension.is_empty() {
            &[]
        } else {
            &[extension]
        };
        self.tail(tail, extensions, found);
    }

    fn go(&self, module: &str, found: &mut Vec<FileId>) {
        if let Some(places) = self.named.go(module) {
            for at in places {
                if self.package(&at, &["go"], found) {
                    return;
                }
            }
            return;
        }
        if !module.contains('/') {
            return;
        }
        // The module's own path is some prefix of it.
        let mut rest = module;
        while let Some((_, tail)) = rest.split_once('/') {
            if self.package(tail, &["go"], found) {
                return;
            }
            rest = tail;
        }
    }

    fn jvm(&self, module: &str, found: &mut Vec<FileId>) {
        const ENDS: &[&str] = &["java", "kt", "scala", "groovy"];
        let mut at = module.trim_end_matches(".*").replace('.', "/");
        // A nested class or a static member stands behind its class.
        for _ in 0..2 {
            if self.tail(&at, ENDS, found) {
                return;
            }
            match at.rsplit_once('/') {
                Some((shorter, _)) if shorter.contains('/') => at = shorter.to_owned(),
                _ => return,
            }
        }
    }

    fn other(&self, module: &str, found: &mut Vec<FileId>) {
        let slashed = slashed(module);
        if self.first([slashed.clone()], found) {
            return;
        }
        let name = slashed.rsplit('/').next().unwrap_or(&slashed);
        let tail = match name.rsplit_once('.') {
            Some(_) if slashed.contains('/') => slashed
                .rsplit_once('.')
                .map_or(slashed.as_str(), |(t, _)| t),
            _ => &slashed,
        };
        if tail.contains('/') {
            self.tail(
                tail.trim_start_matches("./").trim_start_matches("../"),
                &[],
                found,
            );
        }
    }
}

fn python_parts(module: &str) -> Vec<&str> {
    let parts = module.split('.');
    parts.filter(|p| !p.is_empty() && *p != "*").collect()
}

fn slashed(module: &str) -> String {
    module.replace("::", "/").replace('\\', "/")
}

/// `module` seen from `directory`, without `.` and `..`; nothing where it leaves the tree.
fn relative(directory: &str, module: &str) -> Option<String> {
    let mut parts: Vec<&str> = directory.split('/').filter(|p| !p.is_empty()).collect();
    for part in module.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests;
