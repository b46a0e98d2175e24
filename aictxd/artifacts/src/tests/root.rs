//! Repositories, heads and paths.
