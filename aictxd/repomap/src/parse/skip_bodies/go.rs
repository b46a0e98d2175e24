//! Go.

use super::tokens::{Dialect, Quotes, Token, Tokens};
use super::{Block, Cut, Outlined};

const GO: Dialect = Dialect {
    directives: false,
    nested_comments: false,
    quotes: Quotes::Go,
};

/// Leaves out bodies of functions and long values.
pub(in crate::parse) fn outline(source: &[u8], out: &mut Outlined) -> bool {
    let mut tokens = Tokens::new(source, GO);
    let mut cut = Cut::new(source, out);
    // In the head of a function, how many groups are open.
    let mut function: Option<usize> = None;
    let mut assigned = false;
    let mut of_type = false;
    while let Some(token) = tokens.next() {
        assigned &= !tokens.broke();
        let was_of_type = std::mem::take(&mut of_type);
        match token {
            Token::Word => {
                let word = tokens.text();
                // gofmt puts declarations at the margin; `func` elsewhere is a type or a value.
                if tokens.at_margin() {
                    function = (word == b"func").then_some(0);
                }
                of_type = matches!(word, b"interface" | b"struct");
            }
            Token::Mark(b'(' | b'[') => function = function.map(|it| it + 1),
            Token::Mark(b')' | b']') => function = function.map(|it| it.saturating_sub(1)),
            Token::Mark(b'=') => assigned = function.is_none(),
            Token::Mark(b'{') => {
                let block = match function {
                    Some(0) if !was_of_type => Block::Body,
                    Some(_) => Block::Part,
                    None if assigned => Block::Value,
                    None => continue,
                };
                if block == Block::Body {
                    function = None;
                }
                cut.pass(&mut tokens, block);
                if cut.hopeless() {
                    return false;
                }
            }
            _ => {}
        }
    }
    cut.finish()
}
