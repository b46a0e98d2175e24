//! `intake` and `docs.check`: the documents of a repository that requests are routed to.

use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use aictx_artifacts::root::find_repository;
use aictx_files::untrusted::{Directory, Links};
use aictx_proto::methods::{DocsFinding, DocsParams, DocsReply, IntakeParams, IntakeReply};
use aictx_proto::rpc::RpcError;
use aictx_repomap::discover;
use aictx_work::intake::{Document, check as check_form, parse, route as route_to};
use aictx_work::run::DIRECTORY;
use serde_json::Value;

use super::place;
use crate::app::App;

/// Register of documents, where a repository has one.
const HEADERS: &str = "docs/doc_headers.json";
/// Longest document that is read, and longest register.
const MAX_DOCUMENT: u64 = 256 * 1024;
/// Most documents that are looked at.
const MAX_DOCUMENTS: usize = 4_000;
const LIMITS: discover::Limits = discover::Limits {
    files: 100_000,
    time: Duration::from_secs(5),
    threads: 1,
};

/// A repository's documents in the form, its files, and registered documents that are not in the form.
struct Found {
    documents: Vec<Document>,
    files: Vec<String>,
    astray: Vec<String>,
}

fn find(worktree: &Path) -> Found {
    let git_dir = find_repository(worktree)
        .ok()
        .and_then(|found| found.git_dir);
    let stop = AtomicBool::new(false);
    let listing = discover::list(worktree, git_dir.as_deref(), &LIMITS, &stop);
    let names = listing.files.into_iter();
    let mut files: Vec<String> = names
        .filter_map(|file| String::from_utf8(file.path).ok())
        .filter(|path| !path.starts_with(DIRECTORY))
        .collect();
    files.sort_unstable();
    let mut found = Found {
        documents: Vec::new(),
        files,
        astray: Vec::new(),
    };
    let Ok(tree) = Directory::open(worktree) else {
        return found;
    };
    let read = |path: &str| {
        let bytes = tree.read(path, Links::Refused, MAX_DOCUMENT).ok()?;
        String::from_utf8(bytes).ok()
    };
    let is_document = |path: &&String| path.ends_with(".md") || path.ends_with(".markdown");
    for path in found.files.iter().filter(is_document).take(MAX_DOCUMENTS) {
        if let Some(document) = read(path).and_then(|text| parse(path, &text)) {
            found.documents.push(document);
        }
    }
    let headers: Value = read(HEADERS)
        .and_then(|text| serde_json::from_str(&text).ok())
        .unwrap_or_default();
    let registered = headers.get("files").and_then(Value::as_object);
    for (path, header) in registered.into_iter().flatten() {
        let Some(document) = found.documents.iter_mut().find(|d| d.path == *path) else {
            found.astray.push(path.clone());
            continue;
        };
        let said = ["scope", "readIf", "sourceOfTruth"].into_iter();
        let said = said.filter_map(|name| header.get(name)?.as_str());
        document.intent.extend(said.map(str::to_owned));
    }
    found
}

/// Routes a request to the documents of a worktree.
pub(super) fn route(worktree: &Path, request: &str) -> IntakeReply {
    let found = find(worktree);
    route_to(request, &found.documents, &found.files)
}

/// `intake`.
pub(super) fn intake(app: &App, params: &IntakeParams) -> Result<IntakeReply, RpcError> {
    Ok(route(&place(app, &params.repo)?.worktree, &params.request))
}

/// `docs.check`.
pub(super) fn check(app: &App, params: &DocsParams) -> Result<DocsReply, RpcError> {
    let found = find(&place(app, &params.repo)?.worktree);
    let is_there = |path: &str| {
        let below = format!("{}/", path.trim_end_matches('/'));
        let name = path.to_owned();
        found.files.binary_search(&name).is_ok()
            || found.files.iter().any(|file| file.starts_with(&below))
    };
    let broken = found.documents.iter().flat_map(|d| check_form(d, is_there));
    let astray = found.astray.iter().map(|path| DocsFinding {
        path: path.clone(),
        line: 0,
        message: format!("{HEADERS} lists it, and it has no section `Request Signals`"),
    });
    let mut findings: Vec<DocsFinding> = broken.chain(astray).collect();
    findings.sort_unstable();
    Ok(DocsReply {
        checked: u32::try_from(found.documents.len()).unwrap_or(u32::MAX),
        findings,
    })
}
