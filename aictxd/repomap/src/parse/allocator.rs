//! The memory of syntax trees.
//!
//! A parse makes and frees a small block for nearly every token. mimalloc does that a tenth to a
//! quarter faster than the system's allocator. Which allocator the rest of a process uses is up to it.

use std::sync::Once;

static INSTALLED: Once = Once::new();

/// Gives tree-sitter its allocator, once in a process. Every [`super::Parser`] does it first; whoever
/// uses tree-sitter beside this crate in the same process calls it before anything else of
/// tree-sitter, because a block must be freed by the allocator that it came from.
pub fn install_allocator() {
    INSTALLED.call_once(|| {
        let allocator = tree_sitter::Allocator {
            malloc: libmimalloc_sys::mi_malloc,
            calloc: libmimalloc_sys::mi_calloc,
            realloc: libmimalloc_sys::mi_realloc,
            free: libmimalloc_sys::mi_free,
        };
        // SAFETY: this crate has not made anything of tree-sitter's yet, because whatever makes it
        // comes through here first, and its callers are told the same. The four functions belong
        // together and may be called from any thread.
        unsafe { tree_sitter::set_allocator(Some(allocator)) };
    });
}

/// Gives back what the calling thread's freed trees took.
pub fn release() {
    // SAFETY: takes a flag and touches nothing but mimalloc's own free memory.
    unsafe { libmimalloc_sys::mi_collect(true) };
}
