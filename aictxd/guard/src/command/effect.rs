//! Effects of commands, in the words of the reply.

use aictx_proto::methods::guard::{CommandEffect, CommandRisk as Reply, GuardFinding};

use super::{CommandFinding, CommandRisk, Tier};

/// Effects told in one reply.
const MAX_EFFECTS: usize = 16;
/// Characters of a target.
const TARGET_CHARS: usize = 200;

/// Level of caution of a reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Level {
    /// Nothing to say.
    #[default]
    Safe,
    /// Worth a thought; can be repaired.
    Caution,
    /// May lose something for good, or cannot be told and would be dangerous if it did.
    Destructive,
}

impl Level {
    /// The word of the reply.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Safe => "safe",
            Self::Caution => "caution",
            Self::Destructive => "destructive",
        }
    }
}

impl From<Tier> for Level {
    fn from(tier: Tier) -> Self {
        match tier {
            Tier::Plain => Self::Safe,
            Tier::Risky => Self::Caution,
            Tier::Destructive | Tier::Catastrophic => Self::Destructive,
        }
    }
}

macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident $name:literal $reversible:literal $reason:literal;)+) => {
        /// Kinds of effects.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Kind {
            $($(#[$doc])* $kind,)+
        }

        impl Kind {
            /// Every kind.
            pub const ALL: &[Self] = &[$(Self::$kind,)+];

            /// The word of the reply and of the table.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$kind => $name,)+ }
            }

            /// The fixed sentence of the reply.
            fn reason(self) -> &'static str {
                match self { $(Self::$kind => $reason,)+ }
            }

            /// Returns true if the mild forms of it can be taken back on this machine.
            pub(super) fn mild_is_reversible(self) -> bool {
                match self { $(Self::$kind => $reversible,)+ }
            }

            /// The kind of a word of the table.
            pub(super) fn parse(name: &str) -> Option<Self> {
                match name { $($name => Some(Self::$kind),)+ _ => None }
            }
        }
    };
}

kinds! {
    /// Files or things of this machine go away.
    Delete "delete" true "Deletes something.";
    /// A file loses its content, or one that must not be written is.
    Overwrite "overwrite" true "Writes over what a file holds.";
    /// Uncommitted work goes away.
    DiscardChanges "discard_changes" true "Throws away changes that are not committed.";
    /// Changes of others go along with one's own.
    TakeAlong "take_along" true "Takes up changes that others made.";
    /// Commits or refs are replaced or removed.
    RewriteHistory "rewrite_history" true "Changes or removes commits or references.";
    /// Something is given to others.
    Publish "publish" false "Publishes something to others.";
    /// Something on another machine or service goes away.
    RemoteDelete "remote_delete" false "Deletes something on another machine or service.";
    /// Something on another machine or service changes.
    RemoteChange "remote_change" false "Changes something on another machine or service.";
    /// A database changes.
    DatabaseWrite "database_write" false "Changes or deletes what a database holds.";
    /// It is run with more rights.
    Privilege "privilege" true "Runs with the rights of another user.";
    /// Processes, services or the machine end.
    ProcessKill "process_kill" false "Ends processes, services or the machine.";
    /// A disk or file system.
    Disk "disk" false "Writes to a disk or file system as a whole.";
    /// Who may do what.
    Permission "permission" true "Changes rights, accounts or protection.";
    /// Code from elsewhere runs.
    NetworkExec "network_exec" false "Runs code that was just fetched.";
    /// Secrets.
    Credentials "credentials" false "Touches credentials or sends them somewhere.";
    /// A path that is not in the repository.
    OutsideRepository "outside_repository" true "Writes outside of the repository.";
    /// It cannot be told.
    Undecidable "undecidable" false "What it would do depends on values that its text does not tell.";
}

/// Some kinds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Kinds(u32);

impl Kinds {
    /// Those of some words; what is none is passed over.
    pub fn named<'n>(names: impl IntoIterator<Item = &'n str>) -> Self {
        let kinds = names.into_iter().filter_map(Kind::parse);
        Self(kinds.fold(0, |all, kind| all | 1 << kind as u32))
    }

    /// Returns true if a kind is among them.
    pub fn has(self, kind: Kind) -> bool {
        self.0 & (1 << kind as u32) != 0
    }

    /// Returns true if there are none.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }
}

impl Kind {
    /// Returns the effect of this kind, behind a command's name in a sentence.
    pub(crate) fn loss(self) -> &'static str {
        match self {
            Self::Delete => "deletes files for good",
            Self::Overwrite => "writes over what a file holds",
            Self::DiscardChanges => "throws away changes that are not committed anywhere",
            Self::TakeAlong => "takes along changes that others made",
            Self::RewriteHistory => "replaces or removes commits or references",
            Self::Publish => "publishes something that cannot be taken back",
            Self::RemoteDelete => "deletes something on another machine or service",
            Self::RemoteChange => "changes something on another machine or service",
            Self::DatabaseWrite => "changes or deletes what a database holds",
            Self::ProcessKill => "ends processes, services or the machine",
            Self::Disk => "writes to a disk or file system as a whole",
            Self::Permission => "changes rights, accounts or protection",
            Self::NetworkExec => "runs code that was just fetched",
            Self::Credentials => "touches credentials or sends them somewhere",
            _ => "may lose something for good",
        }
    }
}

impl CommandFinding {
    /// The finding with all that it rests on.
    pub fn explained(&self) -> GuardFinding {
        let shown = |text: &String| aictx_proto::shown::line(text, TARGET_CHARS);
        GuardFinding {
            code: self.warning.code.clone(),
            severity: self.warning.severity.clone(),
            level: self.level.as_str().to_owned(),
            kind: self.kind.as_str().to_owned(),
            verb: shown(&self.verb),
            targets: self.targets.iter().map(shown).collect(),
            reversible: Some(self.reversible),
            part: self.segment.map(|at| at as u64 + 1),
            evidence: self.warning.evidence.clone(),
        }
    }

    fn effects(&self) -> impl Iterator<Item = CommandEffect> {
        let shown = |text: &str| aictx_proto::shown::line(text, TARGET_CHARS);
        let targets: Vec<String> = if self.targets.is_empty() {
            vec![shown(&self.verb)]
        } else {
            self.targets.iter().map(|target| shown(target)).collect()
        };
        targets.into_iter().map(|target| CommandEffect {
            kind: self.kind.as_str().to_owned(),
            target,
            reversible: self.reversible,
            reason: self.kind.reason().to_owned(),
        })
    }
}

impl CommandRisk {
    /// The worst of all findings, counting what cannot be told as if it happened.
    pub fn level(&self) -> Level {
        self.findings
            .iter()
            .map(|finding| finding.level)
            .max()
            .unwrap_or_default()
    }

    /// The object of the reply: effects worst first, at most 16, none twice.
    pub fn reply(&self) -> Reply {
        let mut sorted: Vec<&CommandFinding> = self.findings.iter().collect();
        sorted.sort_by_key(|finding| std::cmp::Reverse((finding.level, finding.tier)));
        let mut effects: Vec<CommandEffect> = Vec::new();
        for effect in sorted.into_iter().flat_map(CommandFinding::effects) {
            if effects.len() >= MAX_EFFECTS {
                break;
            }
            if !effects
                .iter()
                .any(|known| known.kind == effect.kind && known.target == effect.target)
            {
                effects.push(effect);
            }
        }
        Reply {
            level: self.level().as_str().to_owned(),
            effects,
            parsed: self.parsed,
        }
    }
}
