//! The `.aictx/` files on disk.

pub mod scrub;
