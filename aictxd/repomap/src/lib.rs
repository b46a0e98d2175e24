//! RepoMap: where should an agent look first?
//!
//! `parse` turns one file's bytes into [`facts::Facts`] and is pure. `words` is the one tokenizer.
//! `discover` lists a tree, `indexer` keeps [`segment`]s and a published [`tree::Tree`] right, and
//! whoever asks (`rank`, `ask`) sees a [`index_view::View`], the history of the repository and the
//! question, nothing else. `eval` measures how good the answers are.

#![cfg_attr(test, allow(clippy::disallowed_methods))]

pub mod commit_message;
pub mod discover;
mod document;
pub mod eval;
pub mod facts;
pub mod file_class;
pub mod file_state;
pub mod graph;
pub mod history;
pub mod index_view;
pub mod indexer;
mod links;
pub mod manifest;
pub mod parse;
pub mod query;
pub mod rank;
pub mod segment;
pub mod text_index;
pub mod tree;
mod word_vectors;

pub use aictx_proto::words;
