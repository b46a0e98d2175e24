//! Which word of a call of a shell or an interpreter is its program, and which names its script.

use aictx_shell::{Word, is_shell};

use super::table::Interpreter;

/// Syntax of an interpreter's short options.
struct Short {
    name: &'static str,
    /// Letters behind which its program stands.
    program: &'static str,
    /// Letters that take the rest of their word, or the next word when it is told apart in `apart`.
    valued: &'static str,
    /// Those of them that take the next word where nothing stands behind them in their own.
    apart: &'static str,
    /// Letters after which no script follows: what is run is a module, or nothing.
    none: &'static str,
    /// Long options that take the next word.
    long: &'static [&'static str],
}

const SHORT: &[Short] = &[
    Short {
        name: "python",
        program: "c",
        valued: "WXQ",
        apart: "WXQ",
        none: "mhV",
        long: &["--check-hash-based-pycs"],
    },
    Short {
        name: "pypy",
        program: "c",
        valued: "WXQ",
        apart: "WXQ",
        none: "mhV",
        long: &[],
    },
    Short {
        name: "node",
        program: "ep",
        valued: "rC",
        apart: "rC",
        none: "chv",
        long: NODE_LONG,
    },
    Short {
        name: "tsx",
        program: "ep",
        valued: "rC",
        apart: "rC",
        none: "hv",
        long: NODE_LONG,
    },
    Short {
        name: "ts-node",
        program: "ep",
        valued: "rPCO",
        apart: "rPCO",
        none: "hv",
        long: NODE_LONG,
    },
    Short {
        name: "perl",
        program: "eE",
        valued: "MmIFixDdCV",
        apart: "I",
        none: "chv",
        long: &[],
    },
    Short {
        name: "ruby",
        program: "e",
        valued: "rIiFKECxTW",
        apart: "rIECK",
        none: "chyv",
        long: &[],
    },
    Short {
        name: "php",
        program: "rBRE",
        valued: "dcfztS",
        apart: "dcztS",
        none: "lhivm",
        long: &["--define", "--php-ini"],
    },
];

/// Long options of Node that take the next word.
const NODE_LONG: &[&str] = &[
    "--require",
    "--import",
    "--loader",
    "--experimental-loader",
    "--conditions",
    "--title",
    "--tsconfig",
    "--project",
];

fn short_of(name: &str) -> Option<&'static Short> {
    SHORT.iter().find(|known| known.name == name)
}

/// Part of a word of options beside letters without a value.
enum Cluster<'t> {
    /// The program, or nothing when the next word is the program.
    Program(&'t str),
    /// A value; `true` when the next word is it.
    Value(bool),
    /// A letter after which no script follows.
    NoScript,
    /// Nothing: only letters that stand for themselves.
    Flags,
}

impl Short {
    fn read<'t>(&self, letters: &'t str) -> Cluster<'t> {
        for (at, letter) in letters.char_indices() {
            let rest = letters.get(at + letter.len_utf8()..).unwrap_or_default();
            if self.program.contains(letter) {
                // `node -pe`: both letters say the same.
                let twice = rest.len() == 1 && self.program.contains(rest);
                return Cluster::Program(if twice { "" } else { rest });
            }
            if self.valued.contains(letter) {
                return Cluster::Value(rest.is_empty() && self.apart.contains(letter));
            }
            if self.none.contains(letter) {
                return Cluster::NoScript;
            }
        }
        Cluster::Flags
    }
}

/// Finds the program behind the options of a word (`perl -lne`, `python3 -uc`): in the word itself,
/// or as the next one when nothing is left of it.
pub(super) fn program_in<'w>(known: &Interpreter, word: &'w Word) -> Option<&'w str> {
    let text = word.text.as_str();
    if known.options.contains(&text) {
        return Some("");
    }
    let letters = text.strip_prefix('-')?;
    if let Some((option, program)) = text.split_once('=')
        && known.options.contains(&option)
    {
        return Some(program);
    }
    let Some(short) = short_of(known.name) else {
        let program = known
            .options
            .iter()
            .find_map(|option| text.strip_prefix(*option))?;
        return word.quoted.then_some(program);
    };
    match short.read(letters) {
        Cluster::Program(rest) if rest.is_empty() || word.quoted => Some(rest),
        _ => None,
    }
}

/// The word that names the script of a shell.
pub(super) fn script_of_shell<'w>(arguments: &'w [Word<'w>]) -> Option<&'w Word<'w>> {
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        let text = word.text.as_str();
        match text {
            "-" | "--" => return words.next(),
            "--rcfile" | "--init-file" => drop(words.next()),
            _ => {}
        }
        let Some(letters) = text.strip_prefix(['-', '+']) else {
            return Some(word);
        };
        if letters.starts_with('-') {
            continue;
        }
        // The program is given, or comes from standard input, or is only looked through.
        if text.starts_with('-') && letters.contains(['c', 's', 'n']) {
            return None;
        }
        // `-euo pipefail`
        if letters.contains(['o', 'O']) {
            words.next();
        }
    }
    None
}

/// The word that names the script of an interpreter.
pub(super) fn script_of<'w>(
    known: &Interpreter,
    arguments: &'w [Word<'w>],
) -> Option<&'w Word<'w>> {
    let Some(short) = short_of(known.name) else {
        return arguments.first().filter(|word| !word.text.starts_with('-'));
    };
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        let text = word.text.as_str();
        match text {
            "-" => return None,
            "--" => return words.next(),
            "-f" if known.name == "php" => return words.next(),
            _ => {}
        }
        let Some(letters) = text.strip_prefix('-') else {
            return Some(word);
        };
        if letters.starts_with('-') {
            let option = text.split('=').next().unwrap_or_default();
            if known.options.contains(&option) {
                return None;
            }
            if short.long.contains(&text) {
                words.next();
            }
            continue;
        }
        match short.read(letters) {
            Cluster::Program(_) | Cluster::NoScript => return None,
            Cluster::Value(true) => drop(words.next()),
            Cluster::Value(false) | Cluster::Flags => {}
        }
    }
    None
}

/// The word that names the script of a call of a program that runs scripts by its first operand.
pub(super) fn script_behind<'w>(
    name: &str,
    known: Option<&Interpreter>,
    arguments: &'w [Word<'w>],
) -> Option<&'w Word<'w>> {
    match known {
        _ if is_shell(name) => script_of_shell(arguments),
        Some(known) => script_of(known, arguments),
        None => arguments.first().filter(|word| !word.text.starts_with('-')),
    }
}

#[cfg(test)]
mod tests {
    use aictx_shell::{Dialect, analyse};

    use super::super::embedded_programs::interpreter;
    use super::*;

    fn script(line: &str) -> Option<String> {
        let script = analyse(line, Dialect::Posix);
        let command = script.commands.first()?;
        let name = command.name();
        let found = script_behind(name, interpreter(name), command.arguments());
        found.map(|word| word.text.to_string())
    }

    #[test]
    fn scripts_behind_options() {
        for line in [
            "bash x",
            "bash -e x -c",
            "bash -euo pipefail x",
            "sh -o errexit x",
            "bash +x -x x",
            "bash --norc --rcfile y x",
            "zsh -f -- x",
            "python3 -u x -c y",
            "python3 -W ignore -X utf8 x",
            "python -Wignore x",
            "node --require y x",
            "node -r y --import=z x -e",
            "perl -w -I lib x",
            "ruby -rfileutils -I lib x",
            "php -d a=b x",
            "php -f x",
            ". x",
        ] {
            assert_eq!(script(line).as_deref(), Some("x"), "{line}");
        }
        for line in [
            "bash",
            "bash -c x",
            "bash -xec x",
            "bash -s x",
            "bash -n x",
            "python3 -",
            "python3 -c x",
            "python3 -uc x",
            "python3 -m x",
            "python3 -Bm x",
            "node -pe x",
            "node --eval x",
            "node --eval=x",
            "perl -lne x",
            "perl -i.bak -pe x",
            "ruby -ne x",
            "php -r x",
        ] {
            assert_eq!(script(line), None, "{line}");
        }
    }

    #[test]
    fn programs_in_clusters() {
        for (line, want) in [
            ("python3 -uc", Some("")),
            ("python3 -Ic", Some("")),
            ("python3 -c'a b'", Some("a b")),
            ("python3 -Wc", None),
            ("python3 -mc", None),
            ("node -pe", Some("")),
            ("node -p", Some("")),
            ("node --eval='a b'", Some("a b")),
            ("perl -lne", Some("")),
            ("perl -F: -e", None),
            ("perl -i.e", None),
            ("perl -0777ne", Some("")),
            ("ruby -rfile", None),
            ("ruby -lane", Some("")),
            ("php -r", Some("")),
        ] {
            let script = analyse(line, Dialect::Posix);
            let command = script.commands.first().unwrap();
            let known = interpreter(command.name()).unwrap();
            let found = program_in(known, command.arguments().first().unwrap());
            assert_eq!(found, want, "{line}");
        }
    }
}
