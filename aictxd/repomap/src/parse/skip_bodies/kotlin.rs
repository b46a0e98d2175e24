//! Kotlin: nothing is left out, but a `;` is put where the grammar misses a line break.
//!
//! The last thing in a block needs nothing behind it, as in `object A { fun b() = 1 }`. To the grammar
//! it does, and it makes nothing of all of such a file.

use super::tokens::{Dialect, Quotes, Token, Tokens};
use super::{Cut, Outlined};

const KOTLIN: Dialect = Dialect {
    directives: false,
    nested_comments: true,
    quotes: Quotes::Java,
};

/// Ends what a brace closes in the same line.
pub(in crate::parse) fn outline(source: &[u8], out: &mut Outlined) -> bool {
    let mut cut = Cut::new(source, out);
    let mut tokens = Tokens::new(source, KOTLIN);
    let (mut open, mut end) = (true, 0);
    while let Some(token) = tokens.next() {
        if token == Token::Mark(b'}') && !open && !tokens.broke() {
            cut.leave_out(end, end, &[b";"]);
        }
        let arrow = token == Token::Mark(b'>') && tokens.byte_before(tokens.start()) == Some(b'-');
        // Nothing ends behind these.
        open = arrow || matches!(token, Token::Mark(b'{' | b';' | b','));
        end = tokens.end();
    }
    cut.finish()
}
