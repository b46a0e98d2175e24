//! Light stemming: forms of a word become one term, in code and in prose.
//!
//! A stem is no word and is never shown. The rules cut plural, -ing, -ed, -er/-or, -ion, then a
//! closing e, a doubled consonant, and turn a closing y into i, so that `cache`, `caches`, `cached`,
//! `caching` meet, and so do `parse`, `parser`, `parsing`. They only ever shorten, or change a last
//! byte, so that a word can be cut in place.

/// The stem of one lower-case word.
pub fn stem(word: &str) -> String {
    let mut bytes = word.as_bytes().to_vec();
    let stem = cut(&mut bytes).to_vec();
    String::from_utf8(stem).unwrap_or_else(|_| word.to_owned())
}

/// Cuts a lower-case ASCII word in place; anything else stays as it is.
#[inline]
pub(super) fn cut(word: &mut [u8]) -> &[u8] {
    let mut len = word.len();
    if len <= 3 || !word.iter().all(u8::is_ascii_lowercase) {
        // Short words have no forms, and those with digits are names.
        if let [.., before, last] = word
            && before == last
            && last.is_ascii_lowercase()
            && len == 3
            && !vowel(*last)
        {
            // `err`, `add`, so that they meet the cut forms of `error`, `adding`.
            return word.get(..2).unwrap_or_default();
        }
        return word;
    }
    len = plural(word, len);
    len = tense(word, len);
    len = agent(word, len);
    close(word, len)
}

fn plural(word: &[u8], len: usize) -> usize {
    match word.get(..len).unwrap_or_default() {
        // `classes`, `processes`
        [.., b's', b's', b'e', b's'] => len - 2,
        // `dependencies`: the i is what a closing y becomes
        [_, _, .., b'i', b'e', b's'] if len > 4 => len - 2,
        [.., b'c' | b's', b'h', b'e', b's'] | [.., b'x', b'e', b's'] if len > 4 => len - 2,
        // `class`, `status`, `analysis` are no plurals
        [.., b's' | b'u' | b'i', b's'] => len,
        [.., b's'] => len - 1,
        _ => len,
    }
}

fn tense(word: &[u8], len: usize) -> usize {
    match word.get(..len).unwrap_or_default() {
        [stem @ .., b'i', b'n', b'g'] if stem.len() >= 3 && has_vowel(stem) => stem.len(),
        [.., b'i', b'e', b'd'] if len > 4 => len - 2,
        [.., b'e', b'e', b'd'] => len,
        [stem @ .., b'e', b'd'] if stem.len() >= 3 && has_vowel(stem) => stem.len(),
        _ => len,
    }
}

fn agent(word: &[u8], len: usize) -> usize {
    match word.get(..len).unwrap_or_default() {
        [stem @ .., b'e' | b'o', b'r'] if stem.len() >= 4 || stem == b"err" => stem.len(),
        [stem @ .., b'i', b'o', b'n']
            if stem.len() >= 4 && matches!(stem.last(), Some(b's' | b't')) =>
        {
            stem.len()
        }
        _ => len,
    }
}

/// Tidies a word's end after its ending was removed.
fn close(word: &mut [u8], mut len: usize) -> &[u8] {
    if let [rest @ .., b'e'] = word.get(..len).unwrap_or_default()
        && rest.len() >= 3
    {
        len -= 1;
    }
    // `validate`, `validation`, `validator` and `valid`; `allocate` and `alloc`.
    if let [rest @ .., b'a', b't'] = word.get(..len).unwrap_or_default()
        && rest.len() >= 5
    {
        len -= 2;
    }
    if let [rest @ .., before, last] = word.get(..len).unwrap_or_default()
        && before == last
        && !vowel(*last)
        && !rest.is_empty()
    {
        len -= 1;
    }
    if let Some(last @ b'y') = len.checked_sub(1).and_then(|at| word.get_mut(at))
        && len > 3
    {
        *last = b'i';
    }
    word.get(..len).unwrap_or_default()
}

fn vowel(byte: u8) -> bool {
    matches!(byte, b'a' | b'e' | b'i' | b'o' | b'u')
}

fn has_vowel(stem: &[u8]) -> bool {
    stem.iter().any(|b| vowel(*b) || *b == b'y')
}
