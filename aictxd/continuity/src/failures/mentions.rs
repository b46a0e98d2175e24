//! Names in a text: of files, codes and tests, hundreds of which are looked for at once.

/// Bytes that a name has at least.
const NAME: usize = 4;

/// Kinds of names, as bits: files, and codes and tests.
pub(super) const FILE: u8 = 1;
pub(super) const ELSE: u8 = 2;

/// Places of the first and the last bytes of a name among those of a text (see [`Named`]).
#[derive(Debug, Clone, Copy)]
pub(super) struct Ends(u16, u16);

impl Ends {
    pub(super) fn of(name: &str) -> Option<Self> {
        let bytes = name.as_bytes();
        let first = bytes.first_chunk::<NAME>()?;
        Some(Self(
            Named::place(first),
            Named::place(bytes.last_chunk::<NAME>()?),
        ))
    }

    /// With the kind of name, as a term of [`crate::inverted_index::Postings`].
    pub(super) fn as_term(self, kind: u8) -> u64 {
        u64::from(kind) << 32 | u64::from(self.0) << 16 | u64::from(self.1)
    }

    pub(super) fn of_term(term: u64) -> Self {
        Self((term >> 16) as u16, term as u16)
    }

    pub(super) fn kind_of_term(term: u64) -> u8 {
        (term >> 32) as u8
    }
}

/// A text in which hundreds of names are looked for: most are not there, and their first and last
/// bytes tell.
pub(super) struct Named<'t> {
    text: &'t str,
    /// Which of the text's runs of four bytes there are, by their hash.
    runs: Vec<u64>,
}

impl<'t> Named<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        let mut runs = vec![0; 64];
        for run in text.as_bytes().windows(NAME) {
            let at = usize::from(Self::place(run));
            if let Some(word) = runs.get_mut(at / 64) {
                *word |= 1_u64 << (at % 64);
            }
        }
        Self { text, runs }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// A place among 4 096.
    fn place(run: &[u8]) -> u16 {
        let number = run.iter().fold(0_u32, |n, byte| n << 8 | u32::from(*byte));
        // Twelve bits are left.
        (number.wrapping_mul(0x9E37_79B1) >> 20) as u16
    }

    fn has(&self, place: u16) -> bool {
        let at = usize::from(place);
        let word = self.runs.get(at / 64);
        word.is_some_and(|word| word >> (at % 64) & 1 == 1)
    }

    /// Returns true if the text may have a name; for most their ends tell that it has not.
    pub(super) fn has_both(&self, ends: &Ends) -> bool {
        self.has(ends.0) && self.has(ends.1)
    }

    /// Returns true if the text names something that is long enough to be a name.
    pub(super) fn mentions(&self, name: &str) -> bool {
        Ends::of(name).is_some_and(|ends| self.has_both(&ends)) && self.text.contains(name)
    }
}
