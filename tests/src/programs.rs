//! The programs of this workspace that tests run, never older than their sources.
//!
//! `cargo test` and `cargo nextest run` build the programs of the tested package only, and every test
//! of nextest is a process of its own. So each process compares a program with the sources that cargo
//! lists beside it (one `stat` a source), and builds only when one is newer; cargo's lock makes the
//! others wait for the same build.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Once;
use std::time::SystemTime;
use std::{env, fs};

/// Path of a program of this workspace, in the profile of the test; built if a source is newer.
pub fn program(name: &str) -> PathBuf {
    static BUILD: Once = Once::new();
    let own = env::current_exe().unwrap();
    let profile = own
        .ancestors()
        .find(|dir| dir.join(".fingerprint").is_dir())
        .unwrap();
    BUILD.call_once(|| {
        let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let is_stale = |name: &&str| !is_current(&profile.join(name), workspace);
        if ["aictx", "aictxd"].iter().any(is_stale) {
            build(profile);
        }
    });
    let path = profile.join(name);
    assert!(path.exists(), "{} is not built", path.display());
    path
}

fn build(profile: &Path) {
    let name = match profile.file_name().and_then(|name| name.to_str()) {
        Some("debug") => "dev",
        Some(name) => name,
        None => unreachable!("{}", profile.display()),
    };
    let status = Command::new(env!("CARGO"))
        .args(["build", "--quiet", "--workspace", "--bins", "--profile"])
        .arg(name)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .env("CARGO_TARGET_DIR", profile.parent().unwrap())
        .status();
    assert!(status.unwrap().success(), "the programs do not build");
}

/// Compares a program with the sources in the dependency file that cargo writes beside it. One of
/// another checkout that shares the target directory does not count.
fn is_current(program: &Path, workspace: &Path) -> bool {
    let modified = |path: &Path| fs::metadata(path).and_then(|file| file.modified());
    let Ok(built) = modified(program) else {
        return false;
    };
    let listed = fs::read_to_string(program.with_extension("d")).unwrap_or_default();
    let sources = sources(&listed);
    sources.iter().any(|path| path.starts_with(workspace))
        && sources
            .iter()
            .all(|path| newest(path).is_some_and(|changed| changed <= built))
}

/// Paths behind the colon of a dependency file, where spaces in names are escaped.
fn sources(listed: &str) -> Vec<PathBuf> {
    let (_, paths) = listed.trim_end().split_once(": ").unwrap_or_default();
    let paths = paths.replace("\\ ", "\0");
    let paths = paths.split(' ').map(|path| path.replace('\0', " "));
    paths.map(PathBuf::from).collect()
}

/// Newest change of a file, or in a directory; `None` if it is gone.
fn newest(path: &Path) -> Option<SystemTime> {
    let file = fs::metadata(path).ok()?;
    let entries = fs::read_dir(path).into_iter().flatten().flatten();
    let below = entries.filter_map(|entry| newest(&entry.path()));
    below.chain(file.modified()).max()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_program_is_stale_once_a_source_is_newer_or_gone() {
        let home = tempfile::tempdir().unwrap();
        let at = |name: &str| home.path().join(name);
        let write = |name: &str, second: u64| {
            fs::write(at(name), name).unwrap();
            let time = SystemTime::UNIX_EPOCH + Duration::from_secs(second);
            let file = fs::File::options().write(true).open(at(name)).unwrap();
            file.set_modified(time).unwrap();
        };
        fs::create_dir(at("a directory")).unwrap();
        let (program, source, table) = ("aictxd", "main.rs", "a directory/table.txt");
        let is_current = || is_current(&at(program), home.path());
        assert!(!is_current(), "missing");
        write(program, u64::from(u32::MAX));
        assert!(!is_current(), "no list of sources");
        let listed = [at(program), at(source), at("a directory")]
            .map(|path| path.to_str().unwrap().replace(' ', "\\ "));
        let listed = format!("{}: {} {}\n", listed[0], listed[1], listed[2]);
        fs::write(at("aictxd.d"), listed).unwrap();
        assert!(!is_current(), "a source is gone");
        write(source, 1);
        write(table, 1);
        assert!(is_current());
        for changed in [source, table] {
            write(changed, u64::from(u32::MAX) + 1);
            assert!(!is_current(), "{changed}");
            write(changed, 1);
        }
        assert!(!super::is_current(&at(program), Path::new("/elsewhere")));
    }
}
