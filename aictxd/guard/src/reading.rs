//! Command lines that provably only read.
//!
//! The opposite of the rest of this crate: there a line is harmless until something speaks against it,
//! here nothing is known to be harmless but what stands in these tables. The words are taken apart
//! strictly: every expansion, substitution, assignment, grouping and redirection to a file ends it.

/// Longest line that is looked at, in bytes.
const MAX_LINE: usize = 4_096;

/// A program, and which of its options do more than read.
struct Reader {
    name: &'static str,
    /// Long options without hyphens; a prefix of one, which many programs take for the whole, counts.
    long: &'static [&'static str],
    /// Letters of short options, alone or among others.
    short: &'static str,
    /// Most words that are no options.
    most: usize,
}

const fn any(name: &'static str) -> Reader {
    but(name, &[], "")
}

const fn but(name: &'static str, long: &'static [&'static str], short: &'static str) -> Reader {
    Reader {
        name,
        long,
        short,
        most: usize::MAX,
    }
}

/// Programs that only read, whatever they are given besides these options.
const READERS: &[Reader] = &[
    any("basename"),
    any("cat"),
    any("cksum"),
    any("cmp"),
    any("comm"),
    any("cut"),
    any("df"),
    but("diff", &["paginate"], "l"),
    any("dirname"),
    any("du"),
    any("echo"),
    any("egrep"),
    any("expand"),
    any("false"),
    but("fd", &["exec", "exec-batch"], "xX"),
    any("fgrep"),
    but(
        "file",
        &["compile", "uncompress", "uncompress-noreport", "no-sandbox"],
        "CzZS",
    ),
    any("fold"),
    any("grep"),
    any("head"),
    any("id"),
    any("join"),
    any("ls"),
    any("md5sum"),
    any("nl"),
    any("od"),
    any("paste"),
    any("pwd"),
    any("readlink"),
    any("realpath"),
    any("rev"),
    but(
        "rg",
        &["pre", "pre-glob", "search-zip", "hostname-bin"],
        "z",
    ),
    any("seq"),
    any("sha1sum"),
    any("sha256sum"),
    but("sort", &["output", "compress-program"], "o"),
    any("stat"),
    any("tac"),
    any("tail"),
    any("test"),
    any("tr"),
    but("tree", &["output"], "oR"),
    any("true"),
    any("type"),
    any("uname"),
    // What follows the first file is written.
    Reader {
        name: "uniq",
        long: &[],
        short: "",
        most: 1,
    },
    any("wc"),
    any("which"),
    any("whoami"),
];

/// Primaries of `find` that write, delete or run something.
const FIND: &[&str] = &[
    "-delete", "-exec", "-execdir", "-fls", "-fprint", "-fprint0", "-fprintf", "-ok", "-okdir",
];

/// Options of git's commands that run a program or write a file.
const GIT: &[&str] = &[
    "edit-description",
    "exec",
    "ext-diff",
    "filters",
    "open-files-in-pager",
    "output",
    "output-directory",
    "paginate",
    "textconv",
    "upload-pack",
];
/// Commands of git that only read, whatever they are given besides [`GIT`]. Programs that the configuration
/// names for showing differences are the user's own.
const GIT_READERS: &[&str] = &[
    "blame",
    "cat-file",
    "describe",
    "diff",
    "for-each-ref",
    "log",
    "ls-files",
    "ls-tree",
    "merge-base",
    "name-rev",
    "rev-list",
    "rev-parse",
    "shortlog",
    "show",
    "show-ref",
    "status",
];
/// One word of a command.
#[derive(Debug, Default, PartialEq, Eq)]
struct Word {
    text: String,
    quoted: bool,
    /// Holds a pattern that the shell puts names of files in the place of.
    pattern: bool,
}

/// Returns true where each simple command of a line is known to read and to do nothing else.
pub fn only_reads(line: &str) -> bool {
    if line.len() > MAX_LINE {
        return false;
    }
    let Some(commands) = simple_commands(line) else {
        return false;
    };
    let mut has_moved = false;
    !commands.is_empty()
        && commands.iter().all(|words| {
            let reads = reads(words, has_moved);
            has_moved |= words.first().is_some_and(|word| word.text == "cd");
            reads
        })
}

fn reads(words: &[Word], has_moved: bool) -> bool {
    let Some((program, arguments)) = words.split_first() else {
        return false;
    };
    // A quoted or abbreviated name is no name that anybody writes who has nothing to hide.
    if program.quoted || program.pattern {
        return false;
    }
    let outside = |word: &Word| {
        let text = word.text.as_str();
        let value = text.split_once('=').map_or(text, |(_, value)| value);
        [text, value].into_iter().any(|path| {
            path.starts_with(['/', '~']) && path != "/dev/null"
                || path.split('/').any(|part| part == "..")
                || crate::command::is_secret_path(path)
        }) || text.starts_with('-') && text.contains('/')
    };
    // What a pattern stands for may look like an option, or be a secret.
    let unsure = |word: &Word| {
        word.pattern && (word.text.starts_with(['*', '?', '[', '.']) || word.text.contains("/."))
    };
    if arguments.iter().any(|word| outside(word) || unsure(word)) {
        return false;
    }
    let texts: Vec<&str> = arguments.iter().map(|word| word.text.as_str()).collect();
    match program.text.as_str() {
        "cd" => texts.len() == 1 && !texts.iter().any(|text| text.starts_with('-')),
        "command" => matches!(texts.as_slice(), ["-v" | "-V", _]),
        "date" => texts
            .iter()
            .all(|text| text.starts_with('+') || *text == "-u"),
        "find" => !texts.iter().any(|text| FIND.contains(text)),
        // In another directory another configuration counts, whoever it comes from.
        "git" => !has_moved && git(&texts),
        // It can print the environment.
        "jq" => !texts.iter().any(|text| text.to_lowercase().contains("env")),
        "sed" => sed(&texts),
        name => READERS
            .iter()
            .find(|reader| reader.name == name)
            .is_some_and(|reader| {
                let plain = texts.iter().filter(|text| !text.starts_with('-')).count();
                plain <= reader.most
                    && !texts
                        .iter()
                        .any(|text| has_option(text, reader.long, reader.short))
            }),
    }
}

/// Returns true if a word gives one of these options, or may do so.
fn has_option(word: &str, long: &[&str], short: &str) -> bool {
    match word.strip_prefix("--") {
        Some(name) => {
            let name = name.split('=').next().unwrap_or_default();
            !name.is_empty() && long.iter().any(|option| option.starts_with(name))
        }
        None => word
            .strip_prefix('-')
            .is_some_and(|letters| letters.contains(|letter| short.contains(letter))),
    }
}

fn git(words: &[&str]) -> bool {
    let words = match words {
        ["--no-pager", rest @ ..] => rest,
        words => words,
    };
    let Some((verb, arguments)) = words.split_first() else {
        return false;
    };
    if arguments.iter().any(|word| has_option(word, GIT, "")) {
        return false;
    }
    let only = |known: &[&str]| arguments.iter().all(|word| known.contains(word));
    match *verb {
        "grep" => !arguments.iter().any(|word| has_option(word, &[], "O")),
        verb if GIT_READERS.contains(&verb) => true,
        "branch" => only(&[
            "-a",
            "-r",
            "-v",
            "-vv",
            "--all",
            "--list",
            "--remotes",
            "--show-current",
            "--verbose",
        ]),
        "config" => {
            let one = matches!(arguments, ["--get" | "--get-all" | "get", name] if is_name(name));
            one || matches!(arguments, ["--list" | "-l" | "list"])
        }
        "reflog" => matches!(arguments, [] | ["show"]),
        "remote" => matches!(arguments, [] | ["-v"] | ["get-url", _]),
        "stash" | "worktree" => matches!(arguments, ["list"]),
        "tag" => matches!(arguments, [] | ["-l" | "--list"]),
        _ => false,
    }
}

fn is_name(word: &str) -> bool {
    !word.starts_with('-')
}

/// `sed -n` with addresses to print, and nothing else.
fn sed(words: &[&str]) -> bool {
    let ["-n", script, files @ ..] = words else {
        return false;
    };
    let address = |text: &str| text == "$" || text.bytes().all(|byte| byte.is_ascii_digit());
    let prints = |part: &str| {
        let range = part.trim().strip_suffix('p');
        range.is_some_and(|range| range.split(',').count() <= 2 && range.split(',').all(address))
    };
    script.split(';').all(prints) && files.iter().all(|file| is_name(file))
}

/// The simple commands of a line, words apart; nothing where there is anything else in it than words,
/// quotes, lists and pipes.
fn simple_commands(line: &str) -> Option<Vec<Vec<Word>>> {
    let mut commands = Vec::new();
    let mut words: Vec<Word> = Vec::new();
    let mut word: Option<Word> = None;
    let mut rest = line.trim().chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            ' ' | '\t' => words.extend(word.take()),
            '\'' => {
                let open = word.get_or_insert_default();
                open.quoted = true;
                loop {
                    match rest.next()? {
                        '\'' => break,
                        c => open.text.push(c),
                    }
                }
            }
            '"' => {
                let open = word.get_or_insert_default();
                open.quoted = true;
                loop {
                    match rest.next()? {
                        '"' => break,
                        '$' | '`' | '!' | '\n' => return None,
                        '\\' => match rest.peek() {
                            Some('$' | '`' | '"' | '\\' | '\n') | None => return None,
                            Some(_) => open.text.push('\\'),
                        },
                        c => open.text.push(c),
                    }
                }
            }
            '|' | ';' | '&' => {
                let twice = rest.next_if_eq(&c).is_some();
                let joins = match c {
                    '|' => true,
                    '&' => twice,
                    _ => !twice,
                };
                if !joins {
                    return None;
                }
                words.extend(word.take());
                // `cat a |& b`, `ls &&& x` and the like are no lists.
                if words.is_empty() || matches!(rest.peek(), Some('|' | '&' | ';')) {
                    return None;
                }
                commands.push(std::mem::take(&mut words));
            }
            '>' => {
                // Only what is thrown away, and one stream into the other.
                let from = word.take();
                let is_stream =
                    |word: &Word| matches!(word.text.as_str(), "1" | "2") && !word.quoted;
                if from.is_some_and(|from| !is_stream(&from)) {
                    return None;
                }
                let mut target = String::new();
                while let Some(c) = rest.next_if(|c| !" \t|;".contains(*c)) {
                    target.push(c);
                }
                if !matches!(target.as_str(), "&1" | "&2" | "/dev/null") {
                    return None;
                }
            }
            '*' | '?' | '[' => {
                let open = word.get_or_insert_default();
                open.text.push(c);
                open.pattern = true;
            }
            ']' | '%' | '+' | ',' | '-' | '.' | '/' | ':' | '@' | '^' | '_' | '=' | '~' => {
                word.get_or_insert_default().text.push(c);
            }
            c if c.is_alphanumeric() => word.get_or_insert_default().text.push(c),
            _ => return None,
        }
    }
    words.extend(word.take());
    // A list may end with a semicolon, and with nothing else.
    if !words.is_empty() {
        commands.push(words);
    } else if !line.trim().ends_with(';') {
        return None;
    }
    Some(commands)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_only_reads_is_known() {
        for line in [
            "ls",
            "ls -la src tests",
            "cat README.md | head -20",
            "wc -l src/*.rs",
            "grep -rn 'fn main(' src && echo found",
            "grep -rn \"a\\|b\" src 2>/dev/null",
            "rg --hidden -n todo src | sort | uniq -c | sort -rn | head",
            "find . -name '*.rs' -type f",
            "git status --short",
            "git --no-pager log --oneline -20",
            "git diff --stat HEAD~1",
            "git diff",
            "git show HEAD:src/a.rs",
            "git log -p -3 src",
            "date +%F",
            "git branch --show-current; git rev-parse HEAD",
            "git stash list",
            "git config --get user.name",
            "sed -n '10,20p;$p' src/main.rs",
            "cd src && ls",
            "command -v cargo",
            "test -f Cargo.toml || echo none",
            "cat a.txt 2>&1 | tail -3",
            "jq .name package.json",
        ] {
            assert!(only_reads(line), "{line}");
        }
    }

    #[test]
    fn neighbours_that_do_more_are_not_taken_for_it() {
        for line in [
            "",
            "git -c core.pager=x log",
            "git -C other status",
            "git --exec-path=/tmp/x status",
            "git --paginate log",
            "git log --output=f",
            "git log --outp=f",
            "git diff --ext-diff",
            "git diff --no-ext-diff --no-textconv --ext-diff",
            "git grep -Ovi x",
            "git grep --open-files-in-pager=vi x",
            "git cat-file --filters HEAD:a",
            "git st",
            "git co main",
            "git branch new",
            "git branch -D old",
            "git tag v1",
            "git config user.name x",
            "git config --get --edit",
            "git stash",
            "git remote add x y",
            "git remote show origin",
            "git fetch",
            "cd vendor && git status",
            "find . -exec rm {} +",
            "find . -delete",
            "find . -fprint f",
            "find . -ok rm",
            "fd -x rm",
            "fd --exec rm",
            "fd -Hx rm",
            "sed -n 'w f' a",
            "sed -n '1e rm' a",
            "sed -n '1p' -i a",
            "sed 's/a/b/' a",
            "sed -i 1d a",
            "sed -ni 1p a",
            "awk 'system(\"rm x\")'",
            "awk '{print > \"f\"}' a",
            "rg --pre x y",
            "rg --pre=x y",
            "rg -z y",
            "rg --hostname-bin=x y",
            "env X=1 ls",
            "X=1 ls",
            "LD_PRELOAD=./x.so ls",
            "sudo ls",
            "time ls",
            "xargs ls",
            "exec ls",
            "eval ls",
            "cat f > g",
            "cat f >g",
            "cat f >> g",
            "cat f 2> g",
            "cat f &> g",
            "cat f >| g",
            "cat <> g",
            "cat < f",
            "ls 3>g",
            "ls >/dev/null2",
            "cat <(rm x)",
            "tee f",
            "ls $(rm x)",
            "ls `rm x`",
            "ls \"$(rm x)\"",
            "ls $HOME",
            "ls ${x:=y}",
            "ls; (rm x)",
            "{ ls; }",
            "ls & rm x",
            "ls\nrm x",
            "ls \\\n rm",
            "ls # x",
            "sort -o f f",
            "sort -uof f",
            "sort --output=f f",
            "sort --outp f f",
            "sort --compress-program=x f",
            "uniq a b",
            "tree -o f",
            "file -C -m x",
            "jq -n env",
            "jq -n '$ENV'",
            "date -s x",
            "hostname x",
            "printf -v x y",
            "./ls",
            "/bin/ls x",
            "'ls'",
            "l?",
            "python3 -c 'x'",
            "make -n",
            "cat *",
            "cat [.]env",
            "sort *",
            "cat ../x",
            "cat /etc/passwd",
            "cat ~/.ssh/id_rsa",
            "cat .env",
            "grep --file=/etc/shadow x",
            "grep -f/etc/shadow x",
            "ls 'unclosed",
            "ls | | wc",
            "| ls",
            "ls &&",
            "ls ;; ls",
            "ls !!",
            "echo \"!x\"",
        ] {
            assert!(!only_reads(line), "{line}");
        }
    }
}
