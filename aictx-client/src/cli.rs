//! tmp
use std::ffi::c_int;
/// tmp
pub fn run(_: &crate::Arguments) -> c_int {
    0
}
