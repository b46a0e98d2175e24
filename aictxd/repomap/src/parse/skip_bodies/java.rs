//! Java.

use super::tokens::{Dialect, Quotes, Token, Tokens};
use super::{Block, Cut, Outlined};

const JAVA: Dialect = Dialect {
    directives: false,
    nested_comments: false,
    quotes: Quotes::Java,
};

/// Tokens since the last `;` or brace.
#[derive(Default)]
struct Head {
    /// Parentheses that are open.
    depth: usize,
    /// It has had some.
    called: bool,
    assigned: bool,
    /// It is the head of a class or the like.
    of_type: bool,
}

/// Leaves out bodies of methods and long values.
pub(in crate::parse) fn outline(source: &[u8], out: &mut Outlined) -> bool {
    let mut tokens = Tokens::new(source, JAVA);
    let mut cut = Cut::new(source, out);
    let mut head = Head::default();
    while let Some(token) = tokens.next() {
        match token {
            Token::Word if head.depth == 0 => {
                head.of_type |= matches!(
                    tokens.text(),
                    b"class" | b"interface" | b"enum" | b"record" | b"module"
                );
            }
            Token::Mark(b'(') => {
                head.called |= head.depth == 0;
                head.depth += 1;
            }
            Token::Mark(b')') => head.depth = head.depth.saturating_sub(1),
            Token::Mark(b'=') if head.depth == 0 => head.assigned = true,
            Token::Mark(b'{') => {
                let block = match () {
                    () if head.depth > 0 => Some(Block::Part),
                    () if head.assigned => Some(Block::Value),
                    () if head.of_type => None,
                    () if head.called => Some(Block::Body),
                    () => None,
                };
                if let Some(block) = block {
                    cut.pass(&mut tokens, block);
                }
                // Behind a value more of them may follow, and then `;`.
                if !matches!(block, Some(Block::Part | Block::Value)) {
                    head = Head::default();
                }
                if cut.hopeless() {
                    return false;
                }
            }
            Token::Mark(b';' | b'}') => head = Head::default(),
            _ => {}
        }
    }
    cut.finish()
}
