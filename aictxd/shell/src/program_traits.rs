//! Traits of programs that matter to the reader: most are in none of its tables, and one look at each command
//! says so for all.

use std::sync::LazyLock;

use super::{ByName, SimpleCommand, wrappers};

/// Why a program is heeded.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Heeded(u8);

impl Heeded {
    /// It changes the directory.
    pub(super) const MOVES: Self = Self(1);
    /// It may set variables.
    pub(super) const SETS: Self = Self(2);
    /// It may run others.
    pub(super) const FOLLOWED: Self = Self(4);

    /// The reasons to heed the program of a command.
    pub(super) fn of(command: &SimpleCommand) -> Self {
        let Some(program) = command.words.first() else {
            return Self::default();
        };
        let by_name = |name: &str| BY_NAME.get(name).copied().unwrap_or_default();
        // Most names are letters and no more.
        if program.text.bytes().all(|byte| byte.is_ascii_lowercase()) {
            return by_name(&program.text);
        }
        let known = by_name(program.program());
        // Some names are known in any case, and not all rules take off a directory in the same way.
        let odd = |byte: u8| byte.is_ascii_uppercase() || byte == b'\\';
        match program.text.bytes().any(odd) {
            true => Self(known.0 | Self::FOLLOWED.0),
            false => known,
        }
    }

    /// Returns true if `reason` is one.
    pub(super) fn has(self, reason: Self) -> bool {
        self.0 & reason.0 != 0
    }
}

/// Programs that change the directory.
const MOVING: &[&str] = &["cd", "pushd", "popd"];
/// Programs of which [`Context::observe`](super::variables::Context::observe) knows what they set.
const SETTING: &[&str] = &[
    "for",
    "select",
    "export",
    "local",
    "declare",
    "readonly",
    "typeset",
    "set",
    "shift",
    "read",
    "mapfile",
    "readarray",
    "unset",
];

static BY_NAME: LazyLock<ByName<Heeded>> = LazyLock::new(|| {
    let mut map: ByName<Heeded> = ByName::default();
    let mut add = |name, reason: Heeded| map.entry(name).or_default().0 |= reason.0;
    MOVING.iter().for_each(|name| add(name, Heeded::MOVES));
    SETTING.iter().for_each(|name| add(name, Heeded::SETS));
    wrappers::known().for_each(|name| add(name, Heeded::FOLLOWED));
    map
});
