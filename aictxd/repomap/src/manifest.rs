//! What manifests say about the names that imports go by: a package's own name, its entry files, the
//! aliases of a compiler's settings.
//!
//! They are foreign data and often in the middle of an edit: what cannot be understood says nothing,
//! and everything is bounded.

use std::sync::Arc;

use hashbrown::HashMap;

use crate::segment::ContentId;

mod cargo;
mod go;
mod script;

pub(crate) use cargo::Cargo;
pub(crate) use go::Module;
pub(crate) use script::{Config, Package};

/// Largest manifest that is read, in bytes.
pub(crate) const MAX_BYTES: u64 = 512 << 10;
/// Most manifests of one tree.
pub(crate) const MAX_MANIFESTS: usize = 20_000;
/// Most entries kept of any list in a manifest.
const MAX_ENTRIES: usize = 500;

/// What sort of manifest it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Sort {
    /// `Cargo.toml`.
    Cargo,
    /// `go.mod`.
    Go,
    /// `package.json`.
    Package,
    /// `tsconfig.json`, `jsconfig.json` and what such files extend.
    Config,
}

/// One manifest, read.
#[derive(Debug)]
pub(crate) enum Manifest {
    Cargo(Cargo),
    Go(Module),
    Package(Package),
    Config(Config),
}

/// The sort of manifest that a path promises.
pub(crate) fn sort_of(path: &str) -> Option<Sort> {
    let name = path.rsplit('/').next().unwrap_or(path);
    match name {
        "Cargo.toml" => Some(Sort::Cargo),
        "go.mod" => Some(Sort::Go),
        "package.json" => Some(Sort::Package),
        _ => {
            let rest = name
                .strip_prefix("tsconfig")
                .or_else(|| name.strip_prefix("jsconfig"))?;
            let config = rest.starts_with(['.', '-', '_']) && rest.ends_with(".json");
            config.then_some(Sort::Config)
        }
    }
}

/// Reads a manifest.
pub(crate) fn read(sort: Sort, bytes: &[u8]) -> Option<Manifest> {
    if bytes.len() as u64 > MAX_BYTES {
        return None;
    }
    let text = String::from_utf8_lossy(bytes);
    let text = text.trim_start_matches('\u{feff}');
    match sort {
        Sort::Cargo => Some(Manifest::Cargo(Cargo::read(text))),
        Sort::Go => Some(Manifest::Go(Module::read(text))),
        Sort::Package => Package::read(text).map(Manifest::Package),
        Sort::Config => Config::read(text).map(Manifest::Config),
    }
}

/// The manifests of a tree, by path.
#[derive(Debug, Default)]
pub struct Manifests {
    found: Vec<(String, Arc<Manifest>)>,
}

impl Manifests {
    /// Reads those among `files`.
    pub fn of<'a>(files: impl Iterator<Item = (&'a str, &'a [u8])>) -> Self {
        let mut manifests = Self::default();
        for (path, bytes) in files {
            if let Some(sort) = sort_of(path) {
                manifests.add(path, read(sort, bytes).map(Arc::new));
            }
        }
        manifests
    }

    pub(crate) fn add(&mut self, path: &str, manifest: Option<Arc<Manifest>>) {
        if let Some(manifest) = manifest
            && self.found.len() < MAX_MANIFESTS
        {
            self.found.push((path.to_owned(), manifest));
        }
    }

    /// Returns true if there is room for another one.
    pub(crate) fn is_full(&self) -> bool {
        self.found.len() >= MAX_MANIFESTS
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &Manifest)> {
        self.found
            .iter()
            .map(|(path, manifest)| (path.as_str(), &**manifest))
    }
}

/// Manifests that were read before, by content: each is read once a change.
#[derive(Debug, Default)]
pub(crate) struct Known {
    read: HashMap<(ContentId, Sort), Option<Arc<Manifest>>>,
}

impl Known {
    pub(crate) fn get(&self, id: ContentId, sort: Sort) -> Option<&Option<Arc<Manifest>>> {
        self.read.get(&(id, sort))
    }

    pub(crate) fn keep(&mut self, id: ContentId, sort: Sort, manifest: Option<Arc<Manifest>>) {
        // Old contents pile up slowly; beyond the bound all are read again once.
        if self.read.len() >= 2 * MAX_MANIFESTS {
            self.read.clear();
        }
        self.read.insert((id, sort), manifest);
    }
}

/// The directory of a path; empty for the root.
pub(crate) fn directory(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(d, _)| d)
}
