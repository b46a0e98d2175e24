//! Which values certainly are what the text says when they are used.

use super::variables::Context;

/// Names of which nothing is told; with more, nothing is told of any.
const MAX_TOUCHED: usize = 256;

/// Commands that may set a variable, redefine a command or end a script in ways that are not followed: with one
/// of these in it, a text decides nothing.
const STRANGE: [&str; 27] = [
    "eval",
    "source ",
    "\n. ",
    "; . ",
    "& . ",
    "| . ",
    "{ . ",
    "nocasematch",
    "expand_aliases",
    "alias ",
    "builtin",
    "command ",
    "coproc",
    "enable",
    "exec ",
    "export $",
    "export \"$",
    "declare \"",
    "declare $",
    "typeset \"",
    "typeset $",
    "local $",
    "unset",
    "${!",
    "command_not_found",
    "set -k",
    "DEBUG",
];
/// Variables that a shell sets itself.
const ITS_OWN: [&str; 24] = [
    "RANDOM",
    "SRANDOM",
    "SECONDS",
    "LINENO",
    "OPTIND",
    "OPTARG",
    "REPLY",
    "UID",
    "EUID",
    "PPID",
    "OLDPWD",
    "PWD",
    "_",
    "FUNCNAME",
    "GROUPS",
    "DIRSTACK",
    "EPOCHSECONDS",
    "EPOCHREALTIME",
    "HISTCMD",
    "COPROC",
    "MAPFILE",
    "PIPESTATUS",
    "SHLVL",
    "IFS",
];
/// Variables whose mentions are counted.
const MAX_COUNTED: usize = 32;

impl<'t> Context<'t> {
    /// The text that is read, to be asked what else it says.
    pub(super) fn reads(&mut self, text: &'t str) {
        self.text = text;
    }

    /// Returns true if nothing in the text is of the [kinds](STRANGE) that are not followed.
    pub(super) fn is_plain(&mut self) -> bool {
        if let Some(plain) = self.plain {
            return plain;
        }
        // `command -v x` only asks.
        let text = self.text.replace("command -v ", "");
        let plain = !text.starts_with(". ") && !STRANGE.iter().any(|way| text.contains(way));
        self.plain = Some(plain);
        plain
    }

    /// Returns true if a text says the name of a variable just once but for its value, and that gives it one.
    fn is_given_once(&mut self, name: &str) -> bool {
        if ITS_OWN.contains(&name) || name.starts_with("BASH") || name.starts_with("COMP_") {
            return false;
        }
        if let Some(once) = self.counted.get(name) {
            return *once;
        }
        if self.counted.len() >= MAX_COUNTED {
            return false;
        }
        let bytes = self.text.as_bytes();
        let part =
            |byte: Option<&u8>| byte.is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_');
        let mut given = 0;
        for at in memchr::memmem::find_iter(bytes, name.as_bytes()) {
            let before = at.checked_sub(1).and_then(|at| bytes.get(at));
            let behind = bytes.get(at + name.len());
            if part(before) || part(behind) {
                continue;
            }
            let opened = at.checked_sub(2).and_then(|at| bytes.get(at));
            let value = before == Some(&b'$') || (before == Some(&b'{') && opened == Some(&b'$'));
            given += match value {
                // `${NAME:=x}`
                true => {
                    let next = bytes.get(at + name.len() + 1);
                    let gives =
                        behind == Some(&b'=') || (behind == Some(&b':') && next == Some(&b'='));
                    usize::from(gives && before == Some(&b'{'))
                }
                false => 1,
            };
            if given > 1 {
                break;
            }
        }
        let once = given == 1;
        self.counted.insert(name.to_owned(), once);
        once
    }

    /// Something is done to a variable.
    pub(super) fn touches(&mut self, name: &str) {
        if self.expand && is_name(name) {
            self.keep(name);
            self.blurred |= self.unsure.len() >= MAX_TOUCHED;
            if !self.blurred {
                self.unsure.insert(name.to_owned());
            }
        }
    }

    /// Returns true if a variable has the one value that is known of it, whatever else happens.
    pub(super) fn is_steady(&mut self, name: &str) -> bool {
        if is_name(name) && !self.is_given_once(name) {
            return false;
        }
        // A loop may take one word after the other.
        let turns = !is_name(name) && self.loops != self.outside_loops;
        // A program of its own knows what it has set itself.
        let own = || self.before.iter().any(|kept| kept.name == name);
        let strange = self.child && is_name(name) && !own();
        !self.blurred && self.bodies == 0 && !turns && !strange && !self.unsure.contains(name)
    }
}

/// A variable's, and not the number of a word that was given.
fn is_name(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
}
