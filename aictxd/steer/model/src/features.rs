//! Features of a text for the model: its words, pairs and triples of them, and pieces of words, each
//! as the number of a bucket. The build script and the daemon share this file, so that a model is
//! asked in the words it was trained in.

/// The classes a model tells apart, by their names on the wire.
pub const CLASSES: [&str; 16] = [
    "cancellation",
    "scope_constraint",
    "agent_correction",
    "validation_change",
    "risk_warning",
    "priority_change",
    "scope_change",
    "strategy_change",
    "new_requirement",
    "task",
    "clarification",
    "approval",
    "question",
    "continuation",
    "side_comment",
    "unknown",
];

/// Buckets, half of them for words and half for pieces of words.
pub const BUCKETS: usize = 1 << 16;
/// Most of a text that is looked at, in bytes: two thirds of it from the beginning.
pub const MAX_TEXT: usize = 3 * 1024;

const HALF: u32 = (BUCKETS / 2) as u32;
/// Longest row of words.
const WORDS: usize = 3;
/// Longest piece of a word, in characters.
const PIECE: usize = 5;

/// The buckets of a text with their weights: each half of length one.
///
/// Time is linear in the text.
pub fn features(text: &str) -> Vec<(u32, f32)> {
    let text = folded(without_code(&ends(text)));
    let mut all = weighed(words(&text), 0);
    all.extend(weighed(pieces(&text), HALF));
    all
}

/// Text without what stands in backticks.
fn without_code(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut parts = text.split('`');
    out.push_str(parts.next().unwrap_or_default());
    while let Some(code) = parts.next() {
        match parts.next() {
            Some(after) => {
                out.push_str(" ` ");
                out.push_str(after);
            }
            // The last backtick stands alone.
            None => out.push_str(code),
        }
    }
    out
}

/// The beginning and the end of a long text.
fn ends(text: &str) -> String {
    if text.len() <= MAX_TEXT {
        return text.to_owned();
    }
    let head = floor(text, MAX_TEXT / 3 * 2);
    let tail = floor(text, text.len() - MAX_TEXT / 3);
    format!(
        "{} {}",
        text.get(..head).unwrap_or_default(),
        text.get(tail..).unwrap_or_default()
    )
}

/// The last boundary of a character at or before `at`.
fn floor(text: &str, at: usize) -> usize {
    (0..=at)
        .rev()
        .find(|at| text.is_char_boundary(*at))
        .unwrap_or(0)
}

/// Small letters; one digit for each number.
fn folded(text: String) -> String {
    let mut out = String::with_capacity(text.len());
    let mut number = false;
    for c in text.chars().flat_map(char::to_lowercase) {
        if c.is_numeric() {
            if !number {
                out.push('0');
            }
            number = true;
        } else {
            out.push(c);
            number = false;
        }
    }
    out
}

/// Hashes of the words, of pairs and of triples. A question mark is a word.
fn words(text: &str) -> Vec<u32> {
    // How a message begins says much.
    let mut words: Vec<u32> = vec![Hash::NEW.0];
    let mut word = Hash::NEW;
    let mut script = Script::Spaced;
    // Chinese has one script only: there each character is a word, and rows of them are words and phrases.
    let mixed = text.chars().any(|c| Script::of(c).is_kana());
    for c in text.chars().chain([' ']) {
        if c.is_alphanumeric() || c == '_' {
            // Where no blanks part words, a change of script does.
            let (before, now) = (script, Script::of(c));
            script = now;
            let parts = if mixed {
                before != now
            } else {
                before != now || now == Script::Han
            };
            if parts && word != Hash::NEW {
                words.push(std::mem::replace(&mut word, Hash::NEW).0);
            }
            word.add(c);
            continue;
        }
        if word != Hash::NEW {
            words.push(std::mem::replace(&mut word, Hash::NEW).0);
        }
        if matches!(c, '?' | '!' | '？' | '！') {
            let mut mark = Hash::NEW;
            mark.add(c);
            words.push(mark.0);
        }
    }
    let mut rows = Vec::with_capacity(words.len() * WORDS);
    for at in 0..words.len() {
        let mut row = Hash::NEW;
        for word in words.iter().skip(at).take(WORDS) {
            row.mix(*word);
            rows.push(row.0);
        }
    }
    rows
}

/// Script of a letter, as far as it tells where words end.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Script {
    Spaced,
    Han,
    Hiragana,
    Katakana,
}

impl Script {
    fn is_kana(self) -> bool {
        matches!(self, Self::Hiragana | Self::Katakana)
    }

    fn of(c: char) -> Self {
        match c {
            '\u{3041}'..='\u{309f}' => Self::Hiragana,
            '\u{30a0}'..='\u{30ff}' => Self::Katakana,
            '\u{3400}'..='\u{9fff}' | '々' => Self::Han,
            _ => Self::Spaced,
        }
    }
}

/// Hashes of all pieces of what stands between blanks, blanks at its edges included.
fn pieces(text: &str) -> Vec<u32> {
    let mut pieces = Vec::with_capacity(text.len() * PIECE);
    let mut chars: Vec<char> = Vec::new();
    for word in text.split_whitespace() {
        chars.clear();
        chars.extend([' '].into_iter().chain(word.chars()).chain([' ']));
        for at in 0..chars.len() {
            let mut piece = Hash::NEW;
            for c in chars.iter().skip(at).take(PIECE) {
                piece.add(*c);
                pieces.push(piece.0);
            }
        }
    }
    pieces
}

/// The buckets of hashes, each once, as a vector of length one.
fn weighed(mut hashes: Vec<u32>, from: u32) -> Vec<(u32, f32)> {
    for hash in &mut hashes {
        *hash = from + (*hash ^ (*hash >> 15)) % HALF;
    }
    hashes.sort_unstable();
    hashes.dedup();
    let each = 1.0 / (hashes.len().max(1) as f32).sqrt();
    hashes.into_iter().map(|hash| (hash, each)).collect()
}

/// Probabilities of scores.
pub fn softmax(mut scores: [f32; CLASSES.len()]) -> [f32; CLASSES.len()] {
    let most = scores.iter().copied().fold(f32::MIN, f32::max);
    let mut sum = 0.0;
    for score in &mut scores {
        *score = (*score - most).exp();
        sum += *score;
    }
    for score in &mut scores {
        *score /= sum;
    }
    scores
}

/// FNV-1a of 32 bits over characters.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Hash(u32);

impl Hash {
    const NEW: Self = Self(0x811c_9dc5);

    fn add(&mut self, c: char) {
        self.mix(c as u32);
    }

    fn mix(&mut self, value: u32) {
        for byte in value.to_le_bytes() {
            self.0 = (self.0 ^ u32::from(byte)).wrapping_mul(0x0100_0193);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the number of word sequences that two texts share, but for their beginnings.
    fn shared(one: &str, other: &str) -> usize {
        let other = words(other);
        let rows = words(one);
        rows.iter().skip(1).filter(|r| other.contains(r)).count()
    }

    #[test]
    fn words_end_where_the_script_changes() {
        assert!(shared("全テストを実行して", "あとテストを書いて") >= 2);
        assert!(shared("先把测试跑一遍", "别跑测试") >= 2);
        assert!(shared("改src就行", "别动src") >= 1);
        // Where blanks part words, nothing else does.
        assert_eq!(shared("testrun", "test run"), 0);
        assert_eq!(shared("größer", "groß"), 0);
    }
}
