//! Checks on any system that everything compiles for macOS.
//!
//! Nothing is linked and nothing of C is compiled: build scripts are given a compiler that only leaves empty files.
//! So what C would complain about is not seen, nor what only shows when it runs.

use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::Fallible;

/// The Macs that are sold.
const TARGET: &str = "aarch64-apple-darwin";

/// A C compiler and an archiver that leave what they are asked for, empty.
const STAND_IN: &str = r#"#!/bin/sh
previous=
for word; do
    case "$previous" in -o) : >"$word" ;; esac
    case "$word" in *.a) : >"$word" ;; esac
    previous=$word
done
"#;

/// Checks the workspace with all its tests.
pub(crate) fn check() -> Fallible<()> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let added = Command::new("rustup")
        .args(["target", "add", TARGET])
        .current_dir(&root)
        .status();
    if !added.is_ok_and(|status| status.success()) {
        return Err(format!(
            "the standard library for {TARGET} could not be installed: `rustup target add {TARGET}`"
        )
        .into());
    }
    let stand_in =
        stand_in(&root).map_err(|e| format!("no compiler could be stood in for: {e}"))?;
    let underscored = TARGET.replace('-', "_");
    let mut check = Command::new(cargo);
    check
        .args([
            "check",
            "--workspace",
            "--all-targets",
            "--locked",
            "--target",
            TARGET,
        ])
        .env("SDKROOT", &root)
        .env("RUSTFLAGS", "-D warnings")
        .current_dir(&root);
    for program in ["CC", "CXX", "AR", "RANLIB"] {
        check.env(format!("{program}_{underscored}"), &stand_in);
    }
    match check.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(_) => Err("it does not compile for macOS".into()),
        Err(e) => Err(format!("cargo could not be started: {e}").into()),
    }
}

/// Writes the stand-in and says where it is.
fn stand_in(root: &Path) -> io::Result<PathBuf> {
    let target =
        std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    // Build scripts run elsewhere.
    let directory = std::path::absolute(target.join("macos"))?;
    fs::create_dir_all(&directory)?;
    let file = directory.join("stand-in");
    fs::write(&file, STAND_IN)?;
    fs::set_permissions(&file, fs::Permissions::from_mode(0o755))?;
    Ok(file)
}
