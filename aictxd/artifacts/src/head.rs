//! The checkout of a worktree as git's files name it.

/// Checkout of a worktree.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Head {
    /// Branch; `(detached)` without one, empty when unknown.
    pub branch: String,
    /// Full commit id; empty before the first commit and when unknown.
    pub head: String,
}

/// Returns true for a full commit id, SHA-1 or SHA-256.
pub(crate) fn is_commit(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|b| b.is_ascii_hexdigit())
}
