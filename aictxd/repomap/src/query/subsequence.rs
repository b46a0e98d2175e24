//! Whether a name has the letters of a pattern in their order, eight bytes at a time.

/// One in every byte.
const ONES: u64 = 0x0101_0101_0101_0101;
const HIGH: u64 = ONES * 0x80;
const LOW: u64 = ONES * 0x7f;

/// A pattern of ASCII letters, digits and signs.
#[derive(Debug)]
pub(super) struct Letters {
    /// Each letter in every byte of a number.
    letters: Vec<u64>,
    /// True if `a` is also `A`.
    fold: bool,
}

impl Letters {
    /// With `fold`, case does not matter; otherwise it does.
    pub(super) fn new(pattern: &str, fold: bool) -> Self {
        let letter = |byte: u8| match fold {
            true => byte.to_ascii_lowercase(),
            false => byte,
        };
        let letters = pattern.bytes().map(|byte| ONES * u64::from(letter(byte)));
        Self {
            letters: letters.collect(),
            fold,
        }
    }

    /// Returns true if a name has all letters, in this order.
    pub(super) fn are_in(&self, name: &[u8]) -> bool {
        let mut letters = self.letters.iter();
        let Some(mut wanted) = letters.next() else {
            return true;
        };
        let mut at = 0;
        while at < name.len() {
            let bytes = word(name, at);
            let bytes = if self.fold { lower(bytes) } else { bytes };
            // The bytes behind the letter found last.
            let mut rest = HIGH;
            loop {
                let found = zeros(bytes ^ wanted) & rest;
                if found == 0 {
                    break;
                }
                let Some(next) = letters.next() else {
                    return true;
                };
                wanted = next;
                rest &= !(found ^ (found - 1));
            }
            at += 8;
        }
        false
    }

    /// Returns true if the first two letters stand somewhere one behind the other; also where there are no
    /// two.
    pub(super) fn begin_in(&self, name: &[u8]) -> bool {
        let [first, second, ..] = self.letters.as_slice() else {
            return true;
        };
        // One byte twice, so that no pair is cut in two.
        (0..name.len()).step_by(7).any(|at| {
            let bytes = word(name, at);
            let bytes = if self.fold { lower(bytes) } else { bytes };
            zeros(bytes ^ first) & (zeros(bytes ^ second) >> 8) != 0
        })
    }
}

/// Eight bytes of a name, the first lowest; zeros behind its end.
#[inline]
fn word(name: &[u8], at: usize) -> u64 {
    let whole = |at: usize| name.get(at..)?.first_chunk::<8>();
    if let Some(bytes) = whole(at) {
        return u64::from_le_bytes(*bytes);
    }
    let count = name.len().saturating_sub(at).min(8);
    match name.len().checked_sub(8).and_then(whole) {
        // Its last eight bytes without those before.
        Some(bytes) => {
            let before = 8 * (8 - count) as u32;
            u64::from_le_bytes(*bytes).checked_shr(before).unwrap_or(0)
        }
        None => {
            let bytes = name.iter().skip(at).rev();
            bytes.fold(0, |word, byte| (word << 8) | u64::from(*byte))
        }
    }
}

/// Capitals of ASCII as small letters.
#[inline]
fn lower(bytes: u64) -> u64 {
    let seven = bytes & LOW;
    let from_a = seven + ONES * (0x80 - b'A' as u64);
    let behind_z = seven + ONES * (0x7f - b'Z' as u64);
    let capitals = !bytes & HIGH & (from_a ^ behind_z);
    bytes | (capitals >> 2)
}

/// The high bit of every byte that is zero.
#[inline]
fn zeros(bytes: u64) -> u64 {
    !(((bytes & LOW) + LOW) | bytes | LOW)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn naive(name: &[u8], pattern: &str, fold: bool) -> bool {
        let mut letters = name.iter();
        pattern.bytes().all(|wanted| {
            letters.any(|letter| match fold {
                true => letter.eq_ignore_ascii_case(&wanted),
                false => *letter == wanted,
            })
        })
    }

    proptest! {
        #[test]
        fn letters_are_found_as_one_by_one(
            name in "[a-dA-D@\\[`{_]{0,40}|\\PC{0,12}",
            pattern in "[a-dA-D@\\[`{_]{0,6}",
            fold: bool,
        ) {
            let found = Letters::new(&pattern, fold).are_in(name.as_bytes());
            prop_assert_eq!(found, naive(name.as_bytes(), &pattern, fold));
        }

        #[test]
        fn beginnings_are_found_anywhere(name in "[a-dA-D_]{0,40}", pattern in "[a-dA-D_]{2,4}") {
            let start = pattern[..2].to_lowercase();
            let found = Letters::new(&pattern, true).begin_in(name.as_bytes());
            prop_assert_eq!(found, name.to_lowercase().contains(&start));
        }
    }
}
