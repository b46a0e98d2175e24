//! The reference pages: generated, committed, and checked for being up to date.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use aictx_client::cli::environment::VARIABLES;
use aictx_client::cli::help;
use clap::Command;
use clap_complete::{Generator, Shell, generate};
use clap_mangen::Man;

use crate::{Fallible, markdown};

/// Directory that holds nothing but generated files.
const GENERATED: &str = "packaging/reference";
const MARKDOWN: &str = "docs/reference.md";

/// Every generated file, by its path in the repository.
type Files = BTreeMap<PathBuf, Vec<u8>>;

/// Writes all files and removes those that are no longer generated.
pub(crate) fn write() -> Fallible<()> {
    let root = root()?;
    let files = render()?;
    for stale in found(&root)?.difference(&files.keys().cloned().collect()) {
        let path = root.join(stale);
        fs::remove_file(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    }
    for (name, content) in files {
        let path = root.join(name);
        let parent = path.parent().unwrap_or(&root);
        fs::create_dir_all(parent)
            .and_then(|()| fs::write(&path, content))
            .map_err(|e| format!("{}: {e}", path.display()))?;
    }
    Ok(())
}

/// Fails when a file differs from what would be written.
pub(crate) fn check() -> Fallible<()> {
    let root = root()?;
    let files = render()?;
    let mut differing: BTreeSet<PathBuf> = files
        .iter()
        .filter(|(name, content)| fs::read(root.join(name)).ok().as_ref() != Some(*content))
        .map(|(name, _)| name.clone())
        .collect();
    differing.extend(
        found(&root)?
            .into_iter()
            .filter(|name| !files.contains_key(name)),
    );
    if differing.is_empty() {
        return Ok(());
    }
    let list: Vec<String> = differing
        .iter()
        .map(|name| format!("  {}", name.display()))
        .collect();
    Err(format!(
        "the reference pages are out of date:\n{}\nhint: run `cargo xtask reference` and commit",
        list.join("\n")
    )
    .into())
}

pub(crate) fn root() -> Fallible<PathBuf> {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .nth(2)
        .map(Path::to_owned)
        .ok_or_else(|| "the repository's root is not where it should be".into())
}

/// Lists the files in the generated directory.
fn found(root: &Path) -> Fallible<BTreeSet<PathBuf>> {
    let mut names = BTreeSet::new();
    for part in ["man", "completions"] {
        let directory = Path::new(GENERATED).join(part);
        match fs::read_dir(root.join(&directory)) {
            Ok(entries) => {
                names.extend(
                    entries
                        .filter_map(Result::ok)
                        .map(|e| directory.join(e.file_name())),
                );
            }
            Err(e) if e.kind() == io::ErrorKind::NotFound => {}
            Err(e) => return Err(format!("{}: {e}", directory.display()).into()),
        }
    }
    Ok(names)
}

/// The command line without `help`, which repeats every command.
fn command() -> Command {
    help::command().disable_help_subcommand(true)
}

fn render() -> Fallible<Files> {
    let mut files = Files::new();
    let mut full = command();
    full.build();
    man_pages(&full, &mut files).map_err(|e| format!("man pages: {e}"))?;
    let main_page = Path::new(GENERATED).join("man/aictx.1");
    if let Some(page) = files.get_mut(&main_page) {
        page.extend_from_slice(environment_section().as_bytes());
    }
    for shell in [Shell::Bash, Shell::Fish, Shell::Zsh] {
        let mut command = command();
        let mut content = Vec::new();
        let name = shell.file_name(command.get_name());
        generate(shell, &mut command, "aictx", &mut content);
        files.insert(Path::new(GENERATED).join("completions").join(name), content);
    }
    files.insert(MARKDOWN.into(), markdown::page(&full).into_bytes());
    Ok(files)
}

/// One page for each command that is shown.
fn man_pages(command: &Command, files: &mut Files) -> io::Result<()> {
    let name = command
        .get_display_name()
        .unwrap_or(command.get_name())
        .to_owned();
    let mut page = Vec::new();
    Man::new(command.clone()).render(&mut page)?;
    files.insert(
        Path::new(GENERATED).join("man").join(format!("{name}.1")),
        page,
    );
    for child in command.get_subcommands().filter(|c| !c.is_hide_set()) {
        man_pages(child, files)?;
    }
    Ok(())
}

/// The variables as a section of a man page.
fn environment_section() -> String {
    let roff = |text: &str| {
        text.replace('\\', "\\\\")
            .replace('-', "\\-")
            .replace('`', "")
    };
    let items = VARIABLES
        .iter()
        .map(|v| format!(".TP\n\\fB{}\\fR\n{}\n", v.name, roff(v.meaning)));
    format!(".SH ENVIRONMENT\n{}", items.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_has_a_page_and_every_shell_its_completion() {
        let files = render().unwrap();
        let names: BTreeSet<String> = files
            .keys()
            .map(|path| path.file_name().unwrap().to_string_lossy().into_owned())
            .collect();
        for name in [
            "aictx.1",
            "aictx-finalize.1",
            "aictx-daemon-logs.1",
            "aictx.bash",
            "_aictx",
            "aictx.fish",
            "reference.md",
        ] {
            assert!(names.contains(name), "{name} is missing in {names:?}");
        }
    }
}
