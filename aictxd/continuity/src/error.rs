//! Reasons for which an edit of memory or a report is refused.

/// Reason for which an item of memory cannot be found or edited.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ItemError {
    /// No id was given.
    #[error("the id is empty")]
    EmptyId,
    /// No item has the id or begins with it.
    #[error("nothing remembered has the id `{0}`")]
    Unknown(String),
    /// No failure has the id or begins with it.
    #[error("no remembered failure has the id `{0}`")]
    UnknownFailure(String),
    /// Several items begin with it.
    #[error("{count} items begin with `{id}`")]
    Ambiguous {
        /// The beginning.
        id: String,
        /// Number of items.
        count: usize,
    },
    /// Items of its kind cannot be edited.
    #[error("`{0}` cannot be edited")]
    NotEditable(String),
    /// It was removed in the meantime.
    #[error("`{0}` is not there any more")]
    Gone(String),
}

/// Reason for which a report or a decision is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReportError {
    /// A description of a sub-system, by its number, names none.
    #[error("semantic update {0} has no `name`")]
    UnnamedSubsystem(usize),
    /// The patch of the task is not one.
    #[error("work_state: {0}")]
    WorkState(#[source] TaskError),
    /// A decision, by its number, is not an object.
    #[error("decision {0} is not an object")]
    NotAnObject(usize),
    /// A decision says nothing.
    #[error("it must say what was decided, and why, or what for")]
    EmptyDecision,
}

/// Reason for which a command on a task changes nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TaskError {
    /// No thread has this id.
    #[error("there is no task `{0}`")]
    NoSuch(String),
    /// A thread has this id already.
    #[error("there is a task `{0}` already")]
    Exists(String),
    /// No id was given and none is active here.
    #[error("no task is active here")]
    NoActive,
    /// A member of a patch is not what it should be.
    #[error("`{name}` {why}")]
    Field {
        /// Member.
        name: String,
        /// Problem.
        why: String,
    },
    /// Nothing to do.
    #[error("the patch is empty")]
    Empty,
    /// A goal is needed.
    #[error("a goal is needed")]
    NoGoal,
    /// An id that could not be a file's name.
    #[error("`{0}` is not an id: lower-case letters, digits and dashes, at most 80")]
    BadId(String),
}

impl TaskError {
    pub(crate) fn field(name: &str, why: impl Into<String>) -> Self {
        Self::Field {
            name: name.to_owned(),
            why: why.into(),
        }
    }
}
