//! `install`, `init`, `clean`, `uninstall`.

use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use aictx_proto::locations::unusual;
use aictx_proto::methods::{
    CLEAN, CleanParams, INIT, INSTALL, InitParams, InitReply, InstallParams, InstallReply,
    MemoryFate, RemovalReply, Surroundings, UNINSTALL, UninstallParams,
};

use super::{absolute, daemon, map};
use crate::cli::Answer;
use crate::cli::arguments::{
    AgentOptions, Clean, Init, Install, McpProfile, RemovalOptions, RepoOption, Uninstall,
};
use crate::cli::backend::{Backend, parse};
use crate::cli::error::CliError;
use crate::cli::render::{self, setup as show};
use crate::cli::terminal_text::{Meter, Paint};
use crate::paths::user_id;

/// Exit status when something was left undone, or is not as it was before.
pub(super) const PARTIAL_STATUS: i32 = 3;
/// Time for which `init` shows the progress of the map, which goes on without it.
const WATCH_MAP: Duration = Duration::from_secs(120);

/// Returns true if a person can be asked.
pub(super) fn can_ask(json: bool) -> bool {
    !json && io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Asks; an empty answer is the first of yes and no.
pub(super) fn ask(question: &str, yes_is_usual: bool) -> bool {
    let choice = if yes_is_usual { "[Y/n]" } else { "[y/N]" };
    eprint!("{} {choice} ", Paint::off().shown(question));
    let _ = io::stderr().flush();
    let mut line = String::new();
    if io::stdin().read_line(&mut line).is_err() {
        return false;
    }
    match line.trim().to_ascii_lowercase().as_str() {
        "" => yes_is_usual && line.ends_with('\n'),
        answer => answer == "y" || answer == "yes",
    }
}

fn profile(options: &AgentOptions) -> String {
    let name = options.mcp_profile.map(McpProfile::as_str);
    name.unwrap_or_default().to_owned()
}

/// Agents by name, without `none` and `auto`, and whether to look for more.
fn agents(given: &[String]) -> (Vec<String>, bool) {
    let names = given
        .iter()
        .filter(|name| !matches!(name.as_str(), "none" | "auto" | ""));
    let detect = given.is_empty() || given.iter().any(|name| name == "auto");
    (names.cloned().collect(), detect)
}

/// `aictx install`.
pub(super) fn install(
    backend: &Backend,
    options: &Install,
    json: bool,
) -> Result<Answer, CliError> {
    let mut agents = options.what.agents.clone();
    if options.install_codex_global {
        if agents.is_empty() {
            agents.push("auto".to_owned());
        }
        agents.push("codex".to_owned());
    }
    let mut params = InstallParams {
        surroundings: surroundings(backend)?,
        agents,
        no_mcp: options.what.no_mcp,
        mcp_profile: profile(&options.what),
        ancestor: options.what.replace_ancestor,
        only_mcp: false,
        dry_run: true,
    };
    if options.what.dry_run || !options.what.yes && can_ask(json) {
        let value = backend.call(INSTALL, &params)?;
        let reply: InstallReply = parse(value.clone())?;
        let plan = Answer {
            value,
            text: show::install(&reply),
            notes: render::warnings(&reply.warnings),
            status: 0,
        };
        let anything = reply.files.iter().any(|file| show::changes(&file.action));
        if options.what.dry_run || !anything {
            return Ok(plan);
        }
        let brief = show::brief(&reply) + &plan.notes;
        eprint!("{}", Paint::off().shown(&brief));
        if !ask("Write these files?", true) {
            return Ok(Answer {
                text: "nothing was written\n".to_owned(),
                ..Answer::default()
            });
        }
    }
    params.dry_run = false;
    let value = backend.call(INSTALL, &params)?;
    let reply: InstallReply = parse(value.clone())?;
    let failed = reply.files.iter().any(|file| file.action == "skipped");
    Ok(Answer {
        value,
        text: show::install(&reply),
        notes: render::warnings(&reply.warnings),
        status: if failed { PARTIAL_STATUS } else { 0 },
    })
}

/// `aictx init`.
pub(super) fn init(backend: &Backend, options: &Init, json: bool) -> Result<Answer, CliError> {
    if options.portable_continuity && options.no_gitignore {
        let text = "--portable-continuity requires updating .gitignore";
        return Err(CliError::usage(text).hint("leave out --no-gitignore"));
    }
    let given = options.path.as_deref().or(options.repo.as_deref());
    let (runners, detect) = agents(&options.what.agents);
    let surroundings = surroundings(backend)?;
    let repo = absolute(given.unwrap_or(Path::new(".")))?;
    // A folder that is named is meant, with git or without; a whole home never is.
    let named = options.repo.is_some() && repo != surroundings.home;
    if named && !options.what.dry_run {
        std::fs::create_dir_all(&repo).map_err(|e| CliError::io(&repo, &e))?;
    }
    let params = InitParams {
        repo,
        runners,
        detect,
        program: surroundings.program.clone(),
        surroundings,
        shared: options.shared,
        stealth: options.stealth,
        portable: match (options.portable_continuity, options.no_portable_continuity) {
            (true, _) => Some(true),
            (_, true) => Some(false),
            _ => None,
        },
        track: options.track.clone(),
        no_mcp: options.what.no_mcp,
        mcp_profile: profile(&options.what),
        ancestor: options.what.replace_ancestor,
        dry_run: options.what.dry_run,
        no_register: options.no_register,
        force: options.force || named,
    };
    let value = backend.call(INIT, &params)?;
    let reply: InitReply = parse(value.clone())?;
    let mut text = show::init(&reply);
    let mut meter = Meter::on_stderr("mapping");
    if meter.is_seen() && reply.registered && !json {
        // The summary first: nobody has to wait for the map.
        print!("{}", Paint::off().shown(&text));
        text.clear();
        let at = RepoOption {
            repo: PathBuf::from(&params.repo),
        };
        // It goes on whether or not anybody looks on.
        let _ = map::watch(backend, &at, WATCH_MAP, &mut meter);
    }
    Ok(Answer {
        value,
        text,
        notes: render::warnings(&reply.warnings),
        status: 0,
    })
}

/// `aictx clean`.
pub(super) fn clean(backend: &Backend, options: &Clean, json: bool) -> Result<Answer, CliError> {
    let params = CleanParams {
        repo: absolute(&options.repo)?,
        surroundings: surroundings(backend)?,
        memory: if options.delete_memory {
            MemoryFate::Delete
        } else {
            MemoryFate::Archive
        },
        ancestor: options.ancestor,
        force: options.how.yes,
        verify: options.how.verify,
        dry_run: options.how.dry_run,
    };
    if options.delete_memory && !options.how.dry_run {
        confirm(
            &format!("Delete what is remembered of {}?", params.repo),
            &options.how,
            json,
        )?;
    }
    removed(backend.call(CLEAN, &params)?)
}

/// `aictx uninstall`.
pub(super) fn uninstall(
    backend: &Backend,
    options: &Uninstall,
    json: bool,
) -> Result<Answer, CliError> {
    let params = UninstallParams {
        surroundings: surroundings(backend)?,
        purge: options.purge,
        verify: options.how.verify,
        dry_run: options.how.dry_run,
    };
    if !params.dry_run {
        if options.purge {
            let question = "Delete the memory of all repositories, archives and indexes?";
            confirm(question, &options.how, json)?;
        }
        // Its state goes, and nobody may write there meanwhile.
        daemon::stop(backend)?;
    }
    let value = serde_json::to_value(&params)
        .map_err(|e| CliError::usage(format!("the request cannot be written: {e}")))?;
    let answer = removed(backend.once(UNINSTALL, &value)?)?;
    if options.purge && !params.dry_run {
        remove_runtime(backend);
    }
    Ok(answer)
}

/// Locks and directories beside the socket; only what is ours by name, and empty directories.
fn remove_runtime(backend: &Backend) {
    let locations = &backend.places.locations;
    for file in [locations.daemon_lock(), locations.start_lock()] {
        let _ = std::fs::remove_file(file);
    }
    let directory = locations.runtime_dir();
    if directory.ends_with("v1") {
        let _ = std::fs::remove_dir(directory);
        let _ = directory.parent().map(std::fs::remove_dir);
    }
}

fn confirm(question: &str, how: &RemovalOptions, json: bool) -> Result<(), CliError> {
    if how.yes {
        return Ok(());
    }
    if !can_ask(json) {
        return Err(
            CliError::usage("this deletes memory and nobody can be asked")
                .hint("--yes says that it is meant; --dry-run shows what would go"),
        );
    }
    if ask(question, false) {
        return Ok(());
    }
    Err(CliError::usage("nothing was done"))
}

fn removed(value: serde_json::Value) -> Result<Answer, CliError> {
    let reply: RemovalReply = parse(value.clone())?;
    let unlike = reply.verified.iter().any(|file| !file.identical);
    Ok(Answer {
        value,
        text: show::removal(&reply),
        notes: render::warnings(&reply.warnings),
        status: if reply.partial || unlike {
            PARTIAL_STATUS
        } else {
            0
        },
    })
}

/// Returns the places of this user's agents' files and the programs that hooks call.
pub(super) fn surroundings(backend: &Backend) -> Result<Surroundings, CliError> {
    let variable = |name: &str| {
        let value = std::env::var(name).unwrap_or_default();
        if Path::new(&value).is_absolute() {
            value
        } else {
            String::new()
        }
    };
    let home = std::env::home_dir()
        .filter(|home| home.is_absolute())
        .and_then(|home| home.into_os_string().into_string().ok())
        .ok_or_else(|| CliError::usage("HOME is not an absolute path").hint("set it"))?;
    let program = program()?;
    let beside = Path::new(&program).with_file_name("aictxd");
    let daemon = if beside.exists() {
        Some(beside)
    } else {
        backend.places.daemon.clone()
    };
    Ok(Surroundings {
        home,
        config: variable("XDG_CONFIG_HOME"),
        claude: variable("CLAUDE_CONFIG_DIR"),
        codex: variable("CODEX_HOME"),
        copilot: variable("COPILOT_HOME"),
        gemini: variable("GEMINI_CLI_HOME"),
        data: variable("XDG_DATA_HOME"),
        path: std::env::var("PATH").unwrap_or_default(),
        daemon: daemon
            .and_then(|path| path.into_os_string().into_string().ok())
            .filter(|path| Path::new(path).is_absolute())
            .unwrap_or_default(),
        program,
        variables: unusual(|name| std::env::var(name).ok(), user_id()),
    })
}

/// Returns the program that hooks call: this one, by a path that needs no shell and no PATH. Where a
/// package manager keeps a link to it on PATH that is taken, for it outlives the next version.
fn program() -> Result<String, CliError> {
    let failed = |e| CliError::io("the path of this program", &e);
    let real = std::env::current_exe()
        .and_then(std::fs::canonicalize)
        .map_err(failed)?;
    let search = std::env::var_os("PATH").unwrap_or_default();
    let link = std::env::split_paths(&search)
        .filter(|directory| directory.is_absolute())
        .map(|directory| directory.join("aictx"))
        .find(|path| path.exists())
        .filter(|path| std::fs::canonicalize(path).is_ok_and(|found| found == real));
    let path = link.unwrap_or(real);
    path.into_os_string()
        .into_string()
        .map_err(|_| CliError::usage("the path of this program is not valid UTF-8"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn none_is_nobody_and_nothing_is_everybody() {
        let list = |names: &[&str]| names.iter().map(|n| (*n).to_owned()).collect::<Vec<_>>();
        assert_eq!(agents(&[]), (Vec::new(), true));
        assert_eq!(agents(&list(&["none"])), (Vec::new(), false));
        assert_eq!(agents(&list(&["claude"])), (list(&["claude"]), false));
        assert_eq!(agents(&list(&["auto", "cline"])), (list(&["cline"]), true));
    }

    #[test]
    fn hooks_call_an_absolute_path() {
        assert!(Path::new(&program().unwrap()).is_absolute());
    }
}
