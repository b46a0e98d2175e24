//! Placeholder to be replaced in this change.
