//! Codes of findings, and findings before they know their file.

use aictx_proto::methods::{Severity, TicketFinding};

macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident = $code:literal, $severity:ident;)*) => {
        /// Kind of a finding. Explained to people in docs/tickets.md#findings.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Code { $($(#[$doc])* $name),* }

        impl Code {
            /// Every code.
            pub const ALL: &[Self] = &[$(Self::$name),*];

            /// Name for people and programs.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$name => $code),* }
            }

            /// Severity.
            pub fn severity(self) -> Severity {
                match self { $(Self::$name => Severity::$severity),* }
            }
        }
    };
}

codes! {
    /// The file cannot be read as text.
    Unreadable = "T001", Error;
    /// The name is not one of a ticket.
    FileName = "T002", Error;
    /// There is no frontmatter, or it is no mapping.
    Frontmatter = "T003", Error;
    /// `agent` is missing or no text.
    AgentMissing = "T010", Error;
    /// No such agent is known.
    AgentUnknown = "T011", Error;
    /// `agent` is not spelled as the agent is.
    AgentSpelling = "T013", Warning;
    /// `done` is missing or no boolean.
    Done = "T020", Error;
    /// `done` is a boolean of YAML 1.1 alone.
    DoneSpelling = "T021", Warning;
    /// `ticket_id` is malformed.
    IdMalformed = "T030", Error;
    /// `ticket_id` is missing.
    IdMissing = "T031", Warning;
    /// `profile` is empty.
    ProfileEmpty = "T040", Error;
    /// A text is a list or a mapping.
    NotText = "T041", Error;
    /// `context` is no list.
    ContextList = "T050", Error;
    /// An entry of `context` is no mapping.
    ContextEntry = "T051", Error;
    /// An entry of `context` has no path.
    ContextPath = "T052", Error;
    /// A path is absolute.
    PathAbsolute = "T053", Error;
    /// A path has a backslash.
    PathBackslash = "T054", Error;
    /// A path climbs.
    PathClimbs = "T055", Error;
    /// `max_bytes` is no positive integer.
    MaxBytes = "T056", Error;
    /// `required` is no boolean.
    Required = "T057", Error;
    /// Two files have one number.
    NumberTwice = "T060", Error;
    /// Two files have one id.
    IdTwice = "T061", Error;
    /// A file is no ticket.
    ForeignFile = "T062", Error;
    /// A key is nearly a known one.
    KeyNearly = "T070", Warning;
    /// A key stands there twice.
    KeyTwice = "T071", Error;
    /// `after` names no ticket.
    AfterUnknown = "T080", Error;
    /// Tickets wait for each other.
    AfterCycle = "T081", Error;
    /// `after` names a later ticket.
    AfterLater = "T082", Warning;
    /// `depends_on` is the former name of `after`.
    DependsOn = "T083", Warning;
    /// `after` is no list of tickets.
    AfterList = "T084", Error;
    /// `verify` is no list of commands.
    Verify = "T090", Error;
    /// `scope` is no list of patterns.
    Scope = "T091", Error;
    /// `budget` is no mapping of limits.
    Budget = "T092", Error;
}

/// Place in a file, both from 1; lines end with LF.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Place {
    /// Line.
    pub line: u32,
    /// Column in characters.
    pub column: u32,
}

/// A finding in one text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// Kind.
    pub code: Code,
    /// Place; the default for the whole file.
    pub place: Place,
    /// The cause.
    pub message: String,
    /// Suggested text.
    pub fix: String,
}

impl Finding {
    /// A finding without a fix.
    pub fn new(code: Code, place: Place, message: impl Into<String>) -> Self {
        Self {
            code,
            place,
            message: message.into(),
            fix: String::new(),
        }
    }

    /// Adds what to write instead.
    #[must_use]
    pub fn fix(mut self, fix: impl Into<String>) -> Self {
        self.fix = fix.into();
        self
    }

    /// The finding as it is told, of a file relative to the repository.
    pub fn of(&self, file: &str) -> TicketFinding {
        TicketFinding {
            code: self.code.as_str().to_owned(),
            severity: self.code.severity(),
            file: file.to_owned(),
            line: self.place.line,
            column: self.place.column,
            message: self.message.clone(),
            fix: self.fix.clone(),
        }
    }
}
