//! Names that a program gives to what it calls: `import os as o`, `from os import remove as rm`,
//! `getattr(shutil, 'rm' + 'tree')`.

use super::scan::Find as _;
use std::borrow::Cow;

/// Modules whose calls are looked for.
const MODULES: [&str; 7] = [
    "os",
    "shutil",
    "subprocess",
    "aioshutil",
    "aiofiles.os",
    "pathlib",
    "requests",
];
/// Calls that are known by the name of their module.
const CALLS: [&str; 8] = [
    "remove",
    "unlink",
    "rmtree",
    "removedirs",
    "rmdir",
    "system",
    "popen",
    "truncate",
];
/// Names of one program that are followed.
const MAX_NAMES: usize = 32;

/// A program with the names that everybody uses.
pub(super) fn resolved(text: &str) -> Cow<'_, str> {
    let mut out = Cow::Borrowed(text);
    if ["'+'", "' + '", "\"+\"", "\" + \""]
        .iter()
        .any(|plus| text.holds(plus))
    {
        out = Cow::Owned(joined(&out));
    }
    if text.holds("getattr(") || text.holds("__import__(") {
        out = Cow::Owned(looked_up(&out));
    }
    if !text.holds("import ") {
        return out;
    }
    for (alias, name) in names(text).into_iter().take(MAX_NAMES) {
        if let Some(renamed) = renamed(&out, &alias, &name) {
            out = Cow::Owned(renamed);
        }
    }
    out
}

/// Returns the aliases in a program's imports: alias and name.
fn names(text: &str) -> Vec<(String, String)> {
    let lines = text.split(['\n', ';']).map(str::trim);
    let mut out = Vec::new();
    for line in lines {
        if let Some(rest) = line.strip_prefix("import ") {
            for part in rest.split(',') {
                if let Some((module, alias)) = part.split_once(" as ")
                    && MODULES.contains(&module.trim())
                {
                    out.push((format!("{}.", alias.trim()), format!("{}.", module.trim())));
                }
            }
        } else if let Some((module, names)) = line
            .strip_prefix("from ")
            .and_then(|rest| rest.split_once(" import "))
            && MODULES.contains(&module.trim())
        {
            for part in names.trim_matches(['(', ')']).split(',') {
                let (name, alias) = part.split_once(" as ").unwrap_or((part, part));
                let (name, alias) = (name.trim(), alias.trim());
                if CALLS.contains(&name) {
                    out.push((format!("{alias}("), format!("{module}.{name}(")));
                }
            }
        }
    }
    out.retain(|(alias, name)| alias != name && alias.len() > 1);
    out
}

/// `alias` as a word of its own, called `name`.
fn renamed(text: &str, alias: &str, name: &str) -> Option<String> {
    let mut out = String::new();
    let mut done = 0;
    for (at, _) in text.found(alias) {
        let before = text.get(done..at)?;
        let last = text.get(..at)?.chars().next_back();
        let own = !last.is_some_and(|last| last.is_alphanumeric() || matches!(last, '_' | '.'));
        out.push_str(before);
        out.push_str(if own { name } else { alias });
        done = at + alias.len();
    }
    (done > 0).then(|| out + text.get(done..).unwrap_or_default())
}

/// `'rm' + 'tree'` as one literal.
fn joined(text: &str) -> String {
    let mut out = text.to_owned();
    for quote in ['\'', '"'] {
        for plus in ["+", " + "] {
            out = out.replace(&format!("{quote}{plus}{quote}"), "");
        }
    }
    out
}

/// `getattr(shutil, 'rmtree')` as `shutil.rmtree`, `__import__('os')` as `os`.
fn looked_up(text: &str) -> String {
    let mut out = text.to_owned();
    for quote in ['\'', '"'] {
        for module in MODULES {
            let import = format!("__import__({quote}{module}{quote})");
            out = out.replace(&import, module);
        }
    }
    for quote in ['\'', '"'] {
        for module in MODULES {
            for call in CALLS {
                for comma in [", ", ","] {
                    let way = format!("getattr({module}{comma}{quote}{call}{quote})");
                    out = out.replace(&way, &format!("{module}.{call}"));
                }
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_that_everybody_uses() {
        for (program, want) in [
            (
                "import os as o\no.remove(p)",
                "import os as o\nos.remove(p)",
            ),
            (
                "import aiofiles.os as aos; aos.remove(p); laos.x()",
                "import aiofiles.os as aos; aiofiles.os.remove(p); laos.x()",
            ),
            (
                "from os import remove as rm, path\nrm(p); warm(p)",
                "from os import remove as rm, path\nos.remove(p); warm(p)",
            ),
            (
                "from shutil import rmtree\nrmtree(p)",
                "from shutil import rmtree\nshutil.rmtree(p)",
            ),
            ("op = getattr(shutil, 'rm' + 'tree')", "op = shutil.rmtree"),
            ("__import__('os').system('x')", "os.system('x')"),
            (
                "import numpy as np\nnp.load(p)",
                "import numpy as np\nnp.load(p)",
            ),
        ] {
            assert_eq!(resolved(program), want);
        }
    }
}
