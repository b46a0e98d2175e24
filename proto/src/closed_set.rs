//! Closed sets of words: enums with the words that files and answers have.

/// A closed set of words: an enum, the words it is written as, and both ways between them.
macro_rules! words {
    ($($(#[$doc:meta])* $name:ident { $($(#[$about:meta])* $variant:ident = $word:literal,)* })*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        pub enum $name {
            $($(#[$about])* #[serde(rename = $word)] $variant,)*
        }

        impl $name {
            /// Every word of the set.
            pub const NAMES: &'static [&'static str] = &[$($word),*];

            /// The word as files and answers have it.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $word,)* }
            }

            /// Reads the word; nothing for any other text.
            pub fn parse(text: &str) -> Option<Self> {
                match text { $($word => Some(Self::$variant),)* _ => None }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.name())
            }
        }
    )*};
}

pub(crate) use words;
