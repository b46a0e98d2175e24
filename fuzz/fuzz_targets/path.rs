//! Paths inside are canonical and name themselves; patterns cover what they spell.
#![no_main]

use aictx_proto::path::{Located, RepoPath, locate};
use aictx_proto::pattern::PathPattern;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (&str, &str, &str)| {
    let (cwd, raw, entry) = input;
    let _ = locate(cwd, entry, raw);
    let Located::Inside(path) = locate("/home/u/repo", "/home/u/repo/src", raw) else {
        return;
    };
    assert!(path.segments().all(|s| !matches!(s, "" | "." | "..")));
    let absolute = format!("/home/u/repo/{}", path.as_str());
    if absolute.len() <= aictx_proto::path::MAX_PATH_BYTES {
        assert_eq!(
            locate("/home/u/repo", "", &absolute),
            Located::Inside(path.clone())
        );
    }
    if let Ok(again) = RepoPath::parse(path.as_str()) {
        assert_eq!(again, path);
        assert!(
            PathPattern::new(path.as_str()).matches(&path) || path.as_str().trim() != path.as_str()
        );
    }
    let pattern = PathPattern::new(entry);
    let _ = pattern.matches(&path);
    let _ = pattern.ignoring_case().matches(&path);
});
