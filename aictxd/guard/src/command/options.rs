//! Options and operands of a call.

use std::borrow::Cow;

use aictx_shell::Word;

/// Words of a call that are no options.
#[derive(Debug, Default)]
pub(super) struct Operands<'w> {
    pub(super) words: Vec<&'w str>,
    /// Number of them before the first option behind the verb.
    pub(super) leading: usize,
}

/// Words that are neither options nor values of global options, which are those of the [`valued`] ones that
/// stand before the verb.
///
/// [`valued`]: super::table::Program
pub(super) fn operands_of<'w>(valued: &[&str], arguments: &'w [Word]) -> Operands<'w> {
    let mut out = Operands::default();
    let mut skip = false;
    let mut leading = true;
    for word in arguments {
        if std::mem::take(&mut skip) {
            continue;
        }
        if word.text.starts_with('-') && word.text.len() > 1 {
            // Only options before the verb are global ones.
            skip = out.words.is_empty() && valued.contains(&word.text.as_str());
            leading &= out.words.is_empty();
            continue;
        }
        out.words.push(word.text.as_str());
        out.leading += usize::from(leading);
    }
    out
}

/// The same when every option takes the next word. Which ones do is known of a few programs only;
/// what could be a verb in either reading is looked at in both.
pub(super) fn operands_behind_values<'w>(arguments: &'w [Word]) -> Operands<'w> {
    let mut out = Operands::default();
    let mut skip = false;
    for word in arguments {
        let text = word.text.as_str();
        if text.starts_with('-') && text.len() > 1 {
            skip = !text.contains('=');
        } else if !std::mem::take(&mut skip) {
            out.words.push(text);
        }
    }
    out.leading = out.words.len();
    out
}

/// Returns true if one of `options` is given. `-f` is found in clusters such as `-xdf`, `--force` also as
/// `--force=x`; words after `--` are no options.
pub(super) fn has_option(arguments: &[Word], options: &[&str]) -> bool {
    let mut words = arguments.iter().take_while(|word| word.text != "--");
    words.any(|word| match word.text.as_bytes() {
        [b'-' | b'+', _, ..] => options.iter().any(|option| is_option(&word.text, option)),
        _ => false,
    })
}

/// Returns true if a word is an option, alone, in a cluster or with its value.
pub(super) fn is_option(text: &str, option: &str) -> bool {
    // Asked of every word with every option that a rule knows: by bytes.
    let (text, option) = (text.as_bytes(), option.as_bytes());
    match option {
        [start @ .., b'*'] => text.starts_with(start),
        [b'-', letter] => match text {
            [b'-', alone] => alone == letter,
            [b'-', cluster @ ..] => {
                cluster.len() <= 8
                    && cluster.contains(letter)
                    && cluster.iter().all(u8::is_ascii_alphabetic)
            }
            _ => false,
        },
        long => match text.strip_prefix(long) {
            Some(rest) => matches!(rest.first(), None | Some(b'=')),
            None => false,
        },
    }
}

/// The call only asks how it is used.
pub(super) fn asks_for_help(arguments: &[Word]) -> bool {
    arguments
        .iter()
        .take_while(|word| word.text != "--")
        .any(|word| word.text == "--help")
}

/// The call only says what it would do, or how it is used.
pub(super) fn is_harmless(arguments: &[Word]) -> bool {
    // `-h` takes a host as often as it asks for help; at the end there is no host.
    if arguments.last().is_some_and(|word| word.text == "-h") {
        return true;
    }
    arguments
        .iter()
        .take_while(|word| word.text != "--")
        .any(|word| {
            let text = word.text.as_str();
            let (option, value) = text.split_once('=').unwrap_or((text, ""));
            matches!(
                option,
                "--help"
                    | "-help"
                    | "--dry-run"
                    | "--dryrun"
                    | "--dry_run"
                    | "--simulate"
                    | "--dry"
                    | "--test-only"
                    | "-WhatIf"
            ) && !matches!(value, "none" | "false" | "no" | "0")
        })
}

/// The value of an option, as a word: the next one (`-o x`, `-so x`, `--output x`), or what stands in its
/// own (`-ox`, `--output=x`). A `short` of NUL is none.
pub(super) fn set<'w>(
    arguments: &'w [Word<'w>],
    short: char,
    long: &str,
) -> Option<Cow<'w, Word<'w>>> {
    let mut words = arguments.iter().take_while(|word| word.text != "--");
    while let Some(word) = words.next() {
        let text = word.text.as_str();
        if text == long {
            return words.next().map(Cow::Borrowed);
        }
        if let Some(value) = text.strip_prefix(long).and_then(|it| it.strip_prefix('=')) {
            return Some(Cow::Owned(part_of(word, value)));
        }
        let cluster = text.strip_prefix('-').filter(|it| !it.starts_with('-'));
        let Some((flags, value)) = cluster.and_then(|it| it.split_once(short)) else {
            continue;
        };
        // `-fsSLo x`; in a longer word it may be a letter of a value.
        if flags.len() > 6 || !flags.bytes().all(|flag| flag.is_ascii_alphanumeric()) {
            continue;
        }
        return match value {
            "" => words.next().map(Cow::Borrowed),
            value => Some(Cow::Owned(part_of(word, value))),
        };
    }
    None
}

/// A part of a word, known as well as the word is.
fn part_of<'w>(word: &Word, text: &'w str) -> Word<'w> {
    Word {
        unknown: word.unknown && text.contains(['$', '`']),
        ..Word::plain(text)
    }
}

/// The word behind one of `options`.
pub(super) fn value_of<'w>(arguments: &'w [Word<'w>], options: &[&str]) -> Option<&'w Word<'w>> {
    let at = arguments
        .iter()
        .position(|word| options.contains(&word.text.as_str()))?;
    arguments.get(at + 1)
}
