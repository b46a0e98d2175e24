//! RepoMap: where should an agent look first?
//!
//! `parse` turns one file's bytes into [`facts::Facts`] and is pure. `words` is the one tokenizer.
//! An index holds facts and words of a whole tree and shows them as a [`view::View`]; ranking sees
//! nothing but a view, the history of the repository and the question.

pub mod classify;
pub mod eval;
pub mod facts;
pub mod graph;
pub mod history;
pub mod message;
pub mod parse;
pub mod rank;
pub mod view;
pub mod words;
