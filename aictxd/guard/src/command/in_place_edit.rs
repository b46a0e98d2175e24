//! Programs that edit files in place, and whether their script leaves anything of the files.

use std::borrow::Cow;

use aictx_shell::Word;

use super::path_target::Touch;
use super::{
    Call, Judge, Kind, Tier, delete, file_writers, find_predicates, has_option, stdin_source,
};

/// Remains of the files that a script edits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Left {
    /// Nothing, or next to nothing.
    Nothing,
    /// Only what it names.
    Chosen,
    /// Most of it, as far as can be told.
    Most,
}

/// Judges `sed -i`, `perl -i`, `ruby -i` and `awk -i inplace`. Returns whether the call is one.
pub(super) fn judge(judge: &mut Judge, call: Call) -> bool {
    let name = call.name;
    let arguments = call.arguments();
    if matches!(name, "sed" | "gsed") {
        executed(judge, call);
    }
    let (files, left) = match name {
        "sed" | "gsed" if sed_in_place(arguments) => sed(arguments),
        "perl" | "ruby" if cluster_with(arguments, 'i') => scripted(name, arguments),
        "awk" | "gawk" | "mawk" | "nawk" if inplace_extension(arguments) => awk(arguments),
        _ => return false,
    };
    let verb = match name {
        "sed" => Cow::Borrowed("sed -i"),
        name => Cow::Owned(format!("{name} -i")),
    };
    let shown = || files.iter().map(|word| word.text.as_str());
    let listed = files.is_empty() && call.command.fed;
    let logs = !listed
        && files
            .iter()
            .all(|word| file_writers::is_log(judge, call, word));
    if left != Left::Most && !logs {
        let tier = if left == Left::Nothing {
            Tier::Destructive
        } else {
            Tier::Risky
        };
        judge.hit(Some(call), Kind::Overwrite, tier, &verb, shown());
    }
    if reaches_outside(judge, call, &files) {
        let kind = Kind::Overwrite;
        judge.hit(Some(call), kind, Tier::Destructive, &verb, shown());
    }
    judge.write_all(call, files.iter().copied(), &verb, Touch::Alter);
    true
}

/// Returns true if the files are those that a `find` or a `grep` finds elsewhere than in the repository: how
/// many there are nobody has seen, and nothing has a copy of them.
fn reaches_outside(judge: &Judge, call: Call, files: &[&Word]) -> bool {
    let listed = call.command.fed || files.iter().any(|word| word.text == "{}");
    if !listed || call.command.remote {
        return false;
    }
    if let Some(find) = find_predicates::finder(call) {
        return find_predicates::starts(find).any(|word| judge.is_outside(call, word));
    }
    let feeder = call.feeder();
    let grep = feeder.filter(|feeder| matches!(feeder.name(), "grep" | "rg" | "ag" | "egrep"));
    // The first one is what is looked for.
    grep.is_some_and(|grep| {
        let places = delete::operands(grep.arguments());
        places
            .iter()
            .skip(1)
            .any(|word| judge.is_outside(call, word))
    })
}

/// `sed '1e rm -rf src'`, `echo 'rm -rf src' | sed 's/.*/&/e'`: orders that run commands.
fn executed(judge: &mut Judge, call: Call) {
    for word in call.arguments().iter().take(16) {
        for line in word.text.lines().take(64) {
            for (at, _) in std::iter::once((0, ""))
                .chain(line.match_indices(';'))
                .take(16)
            {
                let order = line.get(at..).unwrap_or_default();
                let order = behind_address(order.trim_start_matches([';', ' ']));
                if let Some(command) = order.strip_prefix("e ") {
                    judge.inner_script(command, call.command.remote);
                } else if runs_what_it_makes(order) {
                    for text in stdin_source::piped_texts(call) {
                        judge.inner_script(&text, call.command.remote);
                    }
                    for part in order
                        .split(['/', '|', '#'])
                        .filter(|part| part.contains(' '))
                    {
                        judge.fed_script(part, call.command.remote);
                    }
                }
            }
        }
    }
}

/// An order without the lines it is for.
fn behind_address(order: &str) -> &str {
    let order = order.trim_start_matches(|c: char| {
        c.is_ascii_digit() || matches!(c, '$' | ',' | '!' | '~' | '+' | ' ')
    });
    let pattern = order
        .strip_prefix('/')
        .and_then(|rest| rest.split_once('/'));
    pattern.map_or(order, |(_, rest)| rest.trim_start_matches([' ', '!']))
}

/// `s/…/…/e`
fn runs_what_it_makes(order: &str) -> bool {
    let Some(rest) = order.strip_prefix('s') else {
        return false;
    };
    let Some(mark) = rest.chars().next().filter(char::is_ascii_punctuation) else {
        return false;
    };
    let flags = rest.split(mark).nth(3).unwrap_or_default();
    let flags = flags.split([';', ' ', '}']).next().unwrap_or_default();
    flags.contains('e')
        && flags
            .bytes()
            .all(|flag| b"gpiImMe0123456789".contains(&flag))
}

fn sed_in_place(arguments: &[Word]) -> bool {
    arguments.iter().any(|word| {
        let text = word.text.as_str();
        text.starts_with("--in-place")
            || text.starts_with("-i")
            || (is_cluster(text) && text.contains('i') && text.len() <= 5)
    })
}

fn inplace_extension(arguments: &[Word]) -> bool {
    arguments.windows(2).any(|pair| {
        matches!(pair, [option, value]
            if matches!(option.text.as_str(), "-i" | "--include") && value.text == "inplace")
    }) || arguments
        .iter()
        .any(|word| matches!(word.text.as_str(), "-iinplace" | "--include=inplace"))
}

fn is_cluster(text: &str) -> bool {
    text.starts_with('-') && !text.starts_with("--")
}

/// Returns true if a cluster of short options (`-pi`, `-0777`, `-i.bak`) holds a letter.
fn cluster_with(arguments: &[Word], letter: char) -> bool {
    arguments
        .iter()
        .take_while(|word| word.text != "--")
        .any(|word| {
            is_cluster(&word.text)
                && word.text.len() <= 8
                && word
                    .text
                    .split('.')
                    .next()
                    .is_some_and(|cluster| cluster.contains(letter))
                // `-Mstrict`, `-rfileutils`: the letters are a name.
                && !word.text.starts_with("-M")
                && !word.text.starts_with("-r")
                && !word.text.starts_with("-I")
        })
}

/// Which word of a call of `sed` is its script, where no option brings one.
pub(super) fn script_at(arguments: &[Word]) -> Option<usize> {
    let given = has_option(arguments, &["-e", "--expression", "--file"])
        || arguments.iter().any(|word| word.text == "-f");
    let script = |word: &Word| !word.text.starts_with('-') || word.text.len() < 2;
    (!given)
        .then(|| arguments.iter().position(script))
        .flatten()
}

fn sed<'w>(arguments: &'w [Word<'w>]) -> (Vec<&'w Word<'w>>, Left) {
    let valued = ["-e", "--expression", "-f", "--file"];
    let mut scripts: Vec<&str> = Vec::new();
    let mut files: Vec<&Word> = Vec::new();
    let mut words = arguments.iter();
    let given = has_option(arguments, &["-e", "--expression", "--file"])
        || arguments.iter().any(|word| word.text == "-f");
    while let Some(word) = words.next() {
        let text = word.text.as_str();
        if valued.contains(&text) || (is_cluster(text) && text.ends_with('e') && text.len() <= 5) {
            if let Some(value) = words.next().filter(|_| !matches!(text, "-f" | "--file")) {
                scripts.push(&value.text);
            }
        } else if let Some(script) = text.strip_prefix("--expression=") {
            scripts.push(script);
        } else if text.starts_with('-') && text.len() > 1 {
        } else if !given && scripts.is_empty() {
            scripts.push(text);
        } else {
            files.push(word);
        }
    }
    let quiet = arguments.iter().any(|word| {
        matches!(word.text.as_str(), "--quiet" | "--silent")
            || (is_cluster(&word.text) && word.text.len() <= 5 && word.text.contains('n'))
    });
    let left = if quiet {
        // Only what is printed stays.
        if scripts
            .iter()
            .any(|script| script.contains(['p', 'P', 'w', 'c', 'i', 'a', '=']))
        {
            Left::Chosen
        } else if given && scripts.is_empty() {
            Left::Most
        } else {
            Left::Nothing
        }
    } else {
        scripts
            .iter()
            .flat_map(|script| script.split([';', '\n']))
            .map(sed_order)
            .min_by_key(|left| *left as u8)
            .unwrap_or(Left::Most)
    };
    (files, left)
}

/// Returns the remains after one order of a `sed` script.
fn sed_order(order: &str) -> Left {
    let order = order.trim();
    let Some(address) = order.strip_suffix('d').map(str::trim_end) else {
        return match order {
            "s/.*//" | "s/.*//g" | "s/^.*$//" | "s/^.*//" | "Q" | "q" | "1q" | "1Q" | "c"
            | "1,$c" => Left::Nothing,
            _ => Left::Most,
        };
    };
    if matches!(
        address,
        "" | "1,$" | "0,$" | "2,$" | "1!" | "$!" | "/.*/" | "/^/" | "/$/" | "/./" | "0~1" | "1~1"
    ) {
        return Left::Nothing;
    }
    // `1,9999d`: no file of one's own has that many lines to lose.
    let far = |text: &str| text.parse::<u32>().is_ok_and(|line| line >= 500);
    match address.split_once(',') {
        Some(("0" | "1" | "2", end)) if far(end.trim_start_matches('+')) => Left::Nothing,
        _ if address.ends_with('!') => Left::Chosen,
        _ => Left::Most,
    }
}

/// Programs that run once a line: `-n` prints what they print, `-p` prints `$_`.
fn scripted<'w>(name: &str, arguments: &'w [Word<'w>]) -> (Vec<&'w Word<'w>>, Left) {
    let mut program = String::new();
    let mut files: Vec<&Word> = Vec::new();
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        let text = word.text.as_str();
        if is_cluster(text) && text.len() > 1 {
            let told = text.ends_with(['e', 'E']) && text.len() <= 8 && !text.starts_with("-M");
            if told && let Some(code) = words.next() {
                program.push_str(&code.text);
                program.push(';');
            }
        } else if !text.starts_with("--") {
            files.push(word);
        }
    }
    let left = if cluster_with(arguments, 'n') {
        let says = ["print", "say", "puts", "printf", "write", "$stdout", "p "];
        let never = [
            "if 0",
            "&& 0",
            "unless 1",
            "if false",
            "if nil",
            "unless true",
            "and 0",
        ];
        let ends = |end: &&str| program.trim_end_matches([';', ' ', '}']).ends_with(*end);
        if program.is_empty() {
            Left::Most
        } else if !says.iter().any(|word| program.contains(word)) || never.iter().any(ends) {
            Left::Nothing
        } else {
            Left::Most
        }
    } else if cluster_with(arguments, 'p') {
        let tight: String = program.split_whitespace().collect();
        let clears = [
            "$_=\"\"",
            "$_=''",
            "undef$_",
            "$_=undef",
            "$_=nil",
            "$_.clear",
            "$_=q{}",
            "$_.replace(\"\")",
            "$_.replace('')",
            "s/.*//s",
            "s/^.*$//s",
            "s/.*//",
            "s/.*\\n//",
            "s/.+//s",
            "s/[\\s\\S]*//",
            "s/\\A.*\\z//s",
            "$_=String.new",
            "sub(/.*/m,\"\")",
            "gsub(/.*/m,\"\")",
            "gsub(/.*/,\"\")",
        ];
        if tight.split(';').any(|order| clears.contains(&order)) {
            Left::Nothing
        } else {
            Left::Most
        }
    } else if program.is_empty() || name == "ruby" {
        Left::Most
    } else {
        // Neither: `perl -i -e` opens each file only if the program reads it.
        Left::Most
    };
    (files, left)
}

fn awk<'w>(arguments: &'w [Word<'w>]) -> (Vec<&'w Word<'w>>, Left) {
    let mut program: Option<&str> = None;
    let mut files: Vec<&Word> = Vec::new();
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        let text = word.text.as_str();
        if matches!(
            text,
            "-i" | "--include" | "-v" | "--assign" | "-F" | "-f" | "--file"
        ) {
            let value = words.next();
            if matches!(text, "-f" | "--file") {
                program = program.or(value.map(|_| "1"));
            }
        } else if text.starts_with('-') && text.len() > 1 {
        } else if program.is_none() {
            program = Some(text);
        } else if !text.contains('=') {
            files.push(word);
        }
    }
    let left = match program {
        Some(program) if awk_prints(program) => Left::Most,
        Some(_) => Left::Nothing,
        None => Left::Most,
    };
    (files, left)
}

/// A program of `awk` prints when it says so, or by a pattern without an action.
fn awk_prints(program: &str) -> bool {
    if program.contains("print") {
        return true;
    }
    let mut depth = 0usize;
    let mut pattern = String::new();
    for next in program.chars() {
        match next {
            '{' => {
                depth += 1;
                if depth == 1 {
                    // What stood before it decides about this action only.
                    pattern.clear();
                }
            }
            '}' => depth = depth.saturating_sub(1),
            ';' | '\n' if depth == 0 => {
                if tells(&pattern) {
                    return true;
                }
                pattern.clear();
            }
            next if depth == 0 => pattern.push(next),
            _ => {}
        }
    }
    tells(&pattern)
}

fn tells(pattern: &str) -> bool {
    !matches!(
        pattern.trim(),
        "" | "0" | "NR==0" | "NR<0" | "NR<1" | "NF<0" | "1==0" | "/(?!)/" | "\"\""
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn awk_keeps_lines_by_patterns_alone() {
        for program in [
            "1",
            "{sub(/a/,\"b\")}1",
            "/x/",
            "NR>1",
            "{print}",
            "{a=1};1",
        ] {
            assert!(awk_prints(program), "{program}");
        }
        for program in ["", "0", "{}", "{sub(/a/,\"b\")}", "/x/{next}"] {
            assert!(!awk_prints(program), "{program}");
        }
    }

    #[test]
    fn sed_orders_that_leave_nothing() {
        for order in ["d", "1,$d", "/./ d", "2,$d", "1!d", "1,9999d", "s/.*//"] {
            assert_eq!(sed_order(order), Left::Nothing, "{order}");
        }
        for order in [
            "3d", "5,7d", "/debug/d", "$d", "10,$d", "s/a/b/", "/end/,$d",
        ] {
            assert_eq!(sed_order(order), Left::Most, "{order}");
        }
        assert_eq!(sed_order("/keep/!d"), Left::Chosen);
    }
}
