//! Rust.

use super::tokens::{Dialect, Quotes, Token, Tokens};
use super::{Block, Cut, Outlined};

const RUST: Dialect = Dialect {
    directives: false,
    nested_comments: true,
    quotes: Quotes::Rust,
};

/// State of the scan.
#[derive(Clone, Copy, PartialEq, Eq)]
enum At {
    /// Among items.
    Items,
    /// Behind `fn`, which is a type where no name follows.
    Fn,
    /// In the head of a function, with so many groups open.
    Head(usize),
    /// Behind `macro_rules`: what its rules write is nobody's definition.
    Rules,
}

/// Leaves out bodies of functions.
pub(in crate::parse) fn outline(source: &[u8], out: &mut Outlined) -> bool {
    let mut tokens = Tokens::new(source, RUST);
    let mut cut = Cut::new(source, out);
    let mut at = At::Items;
    let mut before = b' ';
    while let Some(token) = tokens.next() {
        let last = std::mem::replace(&mut before, b' ');
        if let Token::Mark(mark) = token {
            before = mark;
        }
        at = match (at, token) {
            (At::Fn, Token::Word) => At::Head(0),
            (At::Fn, _) => At::Items,
            (At::Head(depth), Token::Mark(b'(' | b'[')) => At::Head(depth + 1),
            (At::Head(depth), Token::Mark(b')' | b']')) => At::Head(depth.saturating_sub(1)),
            (At::Head(0), Token::Mark(b';' | b'}')) => At::Items,
            (At::Head(depth), Token::Mark(b'{')) => {
                // `Array<{ N + 1 }>` is part of a type.
                let part = depth > 0 || matches!(last, b'<' | b'=');
                let block = if part { Block::Part } else { Block::Body };
                cut.pass(&mut tokens, block);
                if part { at } else { At::Items }
            }
            (At::Rules, Token::Mark(b'{')) => {
                cut.pass(&mut tokens, Block::Part);
                At::Items
            }
            (At::Rules, Token::Mark(b'(' | b'[' | b';')) => At::Items,
            (At::Items, Token::Word) => match tokens.text() {
                b"fn" => At::Fn,
                b"macro_rules" => At::Rules,
                _ => At::Items,
            },
            (at, _) => at,
        };
        if cut.hopeless() {
            return false;
        }
    }
    cut.finish()
}
