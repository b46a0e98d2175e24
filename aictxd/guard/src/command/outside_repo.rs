//! Paths outside of the repository: where agents may write, what is in use there, and what says who may
//! do what.

use std::borrow::Cow;

use aictx_shell::Word;

use super::path_target::is_temporary;
use super::{Call, Judge, Kind, Tier};

/// Ways to spell the home directory, and that of settings in it.
const HOMES: &[(&str, &str)] = &[
    ("$HOME", "~"),
    ("${HOME}", "~"),
    ("$XDG_CONFIG_HOME", "~/.config"),
    ("${XDG_CONFIG_HOME}", "~/.config"),
    ("${XDG_CONFIG_HOME:-$HOME/.config}", "~/.config"),
    ("${XDG_CONFIG_HOME:-~/.config}", "~/.config"),
];

/// Spells the home directory as `~`.
pub(super) fn home(raw: &str) -> Cow<'_, str> {
    if !raw.starts_with('$') {
        return Cow::Borrowed(raw);
    }
    HOMES
        .iter()
        .find_map(|(name, path)| {
            let rest = raw.strip_prefix(name)?;
            (rest.is_empty() || rest.starts_with('/')).then(|| format!("{path}{rest}"))
        })
        .map_or(Cow::Borrowed(raw), Cow::Owned)
}

/// Returns true if a word begins with the home directory spelled as a variable, and holds no other one.
pub(super) fn is_home(raw: &str) -> bool {
    let spelled = home(raw);
    matches!(spelled, Cow::Owned(_)) && !spelled.contains(['$', '`'])
}

/// Directories of agents' own files, below the user's home.
const AGENTS_OWN: &[&str] = &[
    "/.cache/",
    "/.claude/plans/",
    "/.claude/projects/",
    "/.claude/todos/",
    "/.codex/memories/",
    "/.gemini/tmp/",
];

/// Returns true if a file outside of the repository is the agent's to write without asking.
pub(crate) fn is_agents_own(absolute: &str) -> bool {
    is_agents_place(absolute) || (goes_down(absolute) && is_temporary(absolute))
}

/// Returns true if a path lies where agents keep what is theirs.
pub(super) fn is_agents_place(absolute: &str) -> bool {
    goes_down(absolute) && AGENTS_OWN.iter().any(|own| absolute.contains(own))
}

fn goes_down(path: &str) -> bool {
    !path.split('/').any(|part| part == "..")
}

/// Settings of a user that say what agents may do: whoever writes there can switch this guard off.
const AGENTS_RULES: &[&str] = &[
    "/.config/aictx",
    "/.claude/settings",
    "/.codex/config.toml",
    "/.codex/hooks",
    "/.gemini/settings",
    "/.gemini/trustedFolders",
    "/.cursor/hooks",
    "/.copilot/hooks",
    "/.config/opencode/",
];

/// Returns true if a file outside of the repository says what agents may do.
pub(super) fn rules_agents(absolute: &str) -> bool {
    AGENTS_RULES.iter().any(|place| absolute.contains(place))
}

/// A file of the system or of a user whose lines say who may do what.
pub(super) fn is_trusted(path: &str) -> bool {
    let places = [
        "/.ssh/",
        "/etc/ssh/",
        "/etc/fstab",
        "/etc/systemd",
        "systemd/user",
        ".git-credentials",
        ".kube/",
        "sudoers",
        "/etc/passwd",
        "/etc/shadow",
        "/etc/group",
        "/etc/cron",
        "/spool/cron",
        "/etc/pam",
        "/etc/ld.so",
        "/etc/profile",
        ".netrc",
        ".aws/",
        ".gnupg/",
    ];
    places.iter().any(|place| path.contains(place)) || rules_agents(path)
}

/// Files of the system that are there on every machine that needs them: whoever puts one there replaces it.
const IN_USE: &[&str] = &[
    "aliases",
    "apache2.conf",
    "apt.conf",
    "bash.bashrc",
    "chrony.conf",
    "config.toml",
    "containerd.toml",
    "crontab",
    "daemon.json",
    "default",
    "dnsmasq.conf",
    "environment",
    "exports",
    "fail2ban.conf",
    "fstab",
    "group",
    "grub",
    "haproxy.cfg",
    "hostname",
    "hosts",
    "hosts.allow",
    "hosts.deny",
    "httpd.conf",
    "jail.conf",
    "krb5.conf",
    "ld.so.conf",
    "limits.conf",
    "logrotate.conf",
    "login.defs",
    "main.cf",
    "master.cf",
    "my.cnf",
    "mysqld.cnf",
    "named.conf",
    "netplan",
    "nftables.conf",
    "nginx.conf",
    "nsswitch.conf",
    "ntp.conf",
    "openssl.cnf",
    "pam.conf",
    "passwd",
    "pg_hba.conf",
    "php.ini",
    "postgresql.conf",
    "profile",
    "rabbitmq.conf",
    "redis.conf",
    "resolv.conf",
    "rsyslog.conf",
    "rules.v4",
    "shadow",
    "smb.conf",
    "sources.list",
    "squid.conf",
    "ssh_config",
    "sshd_config",
    "sudoers",
    "sysctl.conf",
    "syslog-ng.conf",
    "system.conf",
    "ufw.conf",
    "zshrc",
];

/// A file of the system's own settings.
pub(super) fn is_in_use(path: &str) -> bool {
    let etc = [
        "/etc/",
        "/usr/local/etc/",
        "/private/etc/",
        "/opt/homebrew/etc/",
    ];
    let name = path.rsplit('/').next().unwrap_or_default();
    etc.iter().any(|root| path.starts_with(root)) && IN_USE.contains(&name)
}

/// Directories whose programs and libraries the system runs on.
const SYSTEM_DIRS: &[&str] = &[
    "/bin",
    "/sbin",
    "/usr/bin",
    "/usr/sbin",
    "/lib",
    "/lib64",
    "/usr/lib",
    "/usr/lib64",
    "/boot",
    "/System",
    "/Library",
    "C:/Windows",
    "C:/Windows/System32",
];
/// Files below `/etc` without which nobody gets in or out.
const SYSTEM_FILES: &[&str] = &[
    "passwd",
    "shadow",
    "group",
    "gshadow",
    "sudoers",
    "hosts",
    "fstab",
    "resolv.conf",
    "profile",
    "nsswitch.conf",
    "ssh/sshd_config",
    "crontab",
    "environment",
    "ld.so.conf",
    "ld.so.preload",
    "hostname",
    "pam.conf",
    "login.defs",
    "shells",
    "inittab",
];

/// Returns true if a path is something the system needs.
fn is_of_the_system(path: &str) -> bool {
    // Where people work there is nothing of it.
    if !begins_like_the_system(path) {
        return false;
    }
    let path = path.trim_end_matches('/');
    if let Some(file) = path.strip_prefix("/etc/") {
        return SYSTEM_FILES.contains(&file)
            || file.starts_with("pam.d/")
            || file.starts_with("sudoers.d/");
    }
    path == "/etc"
        || SYSTEM_DIRS.iter().any(|dir| {
            path.strip_prefix(dir).is_some_and(|rest| {
                rest.is_empty() || (rest.starts_with('/') && !rest.starts_with("/systemd/"))
            })
        })
}

/// Returns true if the first directory of a path begins as one of the system's does: asked of every file that takes
/// a place.
pub(super) fn begins_like_the_system(path: &str) -> bool {
    let second = path.as_bytes().get(1);
    matches!(
        second,
        Some(b'b' | b'e' | b's' | b'u' | b'l' | b'S' | b'L' | b':')
    )
}

impl Judge<'_> {
    /// Returns true if a word names something beside or below the working directory, where that is none of the
    /// system's.
    fn is_near(&self, call: Call, word: &Word) -> bool {
        let written = |text: &str| {
            let bytes = text.as_bytes();
            let first = bytes.first();
            !matches!(first, Some(b'/' | b'~' | b'$')) && !bytes.windows(2).any(|two| two == b"..")
        };
        let dir = call.command.dir.as_deref().unwrap_or_default();
        written(dir) && written(&word.text) && !begins_like_the_system(self.place.cwd)
    }

    /// Something of the system is replaced by another thing, or taken away.
    pub(super) fn replaced(
        &mut self,
        call: Call,
        verb: &str,
        sources: &[&Word],
        destination: &Word,
    ) {
        let mut words = sources.iter().copied().chain([destination]);
        if words.all(|word| self.is_near(call, word)) {
            return;
        }
        let absolute = |word: &Word| {
            self.place
                .absolute(call.command.dir.as_deref(), &word.text)
                .unwrap_or_default()
        };
        let to = absolute(destination);
        let base = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
        // A program installed under its own name is new; under another's name it replaces that one.
        let renamed = || {
            sources
                .iter()
                .any(|source| !source.text.ends_with('/') && base(&source.text) != base(&to))
        };
        let known = || {
            SYSTEM_FILES
                .iter()
                .any(|file| to.strip_prefix("/etc/") == Some(*file))
        };
        let replaces = is_of_the_system(&to)
            && (known()
                || (renamed()
                    && sources.len() == 1
                    && !SYSTEM_DIRS.contains(&to.trim_end_matches('/'))));
        let away = verb == "mv"
            && sources
                .iter()
                .any(|source| is_of_the_system(&absolute(source)));
        if replaces || away {
            let shown = sources.iter().copied().chain([destination]);
            let shown: Vec<&str> = shown.map(|word| word.text.as_str()).collect();
            self.hit(Some(call), Kind::Overwrite, Tier::Destructive, verb, shown);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_passed_over_is_none_of_the_system() {
        for dir in SYSTEM_DIRS {
            assert!(
                begins_like_the_system(dir) && is_of_the_system(dir),
                "{dir}"
            );
            assert!(is_of_the_system(&format!("{dir}/x")), "{dir}/x");
        }
        assert!(is_of_the_system("/etc") && is_of_the_system("/etc/passwd"));
        for path in [
            "/home/a/bin",
            "/tmp/etc/passwd",
            "/etcetera",
            "/usr/share/x",
            "",
        ] {
            assert!(!is_of_the_system(path), "{path}");
        }
    }
}
