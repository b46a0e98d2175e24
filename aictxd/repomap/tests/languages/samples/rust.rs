//! Crate docs are not for what follows.

use std::collections::{self, BTreeMap as Map, hash_map::*};
use crate::a::b;
extern crate core;

mod elsewhere;

/// Shape of things. More words.
#[derive(Debug)]
pub struct Shape<T> {
    pub field: T,
}

/// Above the attributes.
#[derive(
    Clone,
    Copy,
)]
#[repr(u8)]
pub(crate) enum Colour {
    /// It is red.
    Red = 1,
    Green(u8), // behind
    Blue { deep: bool },
}

union Bits {
    a: u32,
    b: f32,
}

// A plain comment.
pub trait Draw: Sized {
    const SIDES: u32;
    type Out;
    /// Must be given.
    fn draw(&self) -> Self::Out;
    fn twice(&self) -> u32 {
        2
    }
}

impl<T> Draw for Shape<T>
where
    T: Clone,
{
    const SIDES: u32 = 4;
    type Out = u8;
    fn draw(&self) -> u8 {
        fn hidden() {}
        1
    }
}

impl<T> Shape<T> {
    /// Makes one.
    pub fn new(
        field: T,
        more: u32,
    ) -> Self {
        Self { field }
    }
    fn private(&self) {}
}

impl Later {
    pub fn early(self) {}
}

pub struct Later;

impl std::fmt::Display for other::Foreign {
    fn fmt(&self) {}
}

macro_rules! private_macro { () => {} }

/// Says it.
#[macro_export]
macro_rules! shout {
    ($x:expr) => { $x };
}

pub const LIMIT: usize = 10;
static mut COUNTER: u32 = 0;
pub type Alias<T> = Result<T, ()>;

pub mod inner {
    pub(super) async unsafe fn deep() {}
    pub mod deeper {
        pub struct Deep;
        impl Deep {
            pub fn get(&self) {}
        }
    }
}

extern "C" {
    pub fn from_c(x: i32) -> i32;
}

pub const fn constant() {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn works() {}

    #[tokio::test(flavor = "multi_thread")]
    async fn works_later() {}

    fn helper() {}
}
