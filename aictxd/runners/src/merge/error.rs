//! Why a file was left alone.

/// A file that was left alone, and why.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{file} was left as it is: {problem}")]
pub struct MergeError {
    /// The file.
    pub file: String,
    /// Problem.
    pub problem: Problem,
}

impl MergeError {
    pub(super) fn new(file: &str, problem: Problem) -> Self {
        Self {
            file: file.to_owned(),
            problem,
        }
    }
}

/// Problem of a file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// It does not parse.
    #[error("line {line}, column {column}: {cause}; repair it and run this again")]
    Syntax {
        /// Line, from 1.
        line: usize,
        /// Column in characters, from 1.
        column: usize,
        /// Error of the parser.
        cause: String,
    },
    /// A value on our way has another type than the agent expects.
    #[error("`{path}` should be {expected}; correct it and run this again")]
    Unexpected {
        /// Repository.
        path: String,
        /// Expected type.
        expected: &'static str,
    },
    /// A member on our way stands there twice: agents differ in which one they take.
    #[error("`{path}` stands there more than once; keep one of them and run this again")]
    Duplicate {
        /// Repository.
        path: String,
    },
    /// Larger than [`super::MAX_FILE`].
    #[error("it is larger than 16 MiB, which no settings file should be")]
    TooLarge,
    /// A file of that name that is not ours.
    #[error("somebody else's file stands in this place; move it away and run this again")]
    NotOurs,
    /// It cannot take our entry.
    #[error("{cause}; add the entry by hand")]
    Conflict {
        /// Why.
        cause: String,
    },
}

impl Problem {
    /// A syntax error at a byte of a text.
    pub(super) fn at(text: &str, at: usize, cause: String) -> Self {
        let mut end = at.min(text.len());
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        let before = text.get(..end).unwrap_or_default();
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        Self::Syntax {
            line: before.matches('\n').count() + 1,
            column: before.get(line_start..).unwrap_or_default().chars().count() + 1,
            cause,
        }
    }
}
