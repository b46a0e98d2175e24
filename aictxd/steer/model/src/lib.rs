//! The model that helps `steer` where its rules are silent: what it sees of a message ([`features`]),
//! the labelled messages it learns from ([`messages`]) and how ([`train`]).
//!
//! A crate of its own because both the guard and its build script use it, and because the script's
//! part of it has to be optimised in every profile: training takes a second then and half a minute
//! otherwise.

#![cfg_attr(test, allow(clippy::disallowed_methods))]

pub mod features;
pub mod messages;
pub mod train;
