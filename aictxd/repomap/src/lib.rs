//! RepoMap: where should an agent look first?
//!
//! `parse` turns one file's bytes into [`facts::Facts`] and is pure. `words` is the one tokenizer.
//! `discover` lists a tree, `indexer` keeps [`segment`]s and a published [`tree::Tree`] right, and
//! whoever asks (`rank`, `ask`) sees a [`view::View`], the history of the repository and the
//! question, nothing else. `eval` measures how good the answers are.

#![cfg_attr(test, allow(clippy::disallowed_methods))]

pub mod ask;
pub mod classify;
pub mod discover;
pub mod eval;
mod extract;
pub mod facts;
pub mod graph;
pub mod history;
pub mod indexer;
mod links;
pub mod look;
pub mod manifest;
pub mod message;
pub mod parse;
pub mod rank;
pub mod segment;
pub mod texts;
pub mod tree;
pub mod view;
mod word_vectors;

pub use aictx_proto::words;
