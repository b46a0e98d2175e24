//! `run.*`, `intake` and `docs.check`: the ledger of one substantial task, and the documents that a request
//! belongs to (docs/runs.md).

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::closed_set::words;
use crate::identity::Caller;

words! {
    /// State of a hypothesis.
    HypothesisStatus {
        /// Not decided.
        Open = "open",
        /// It holds.
        Accepted = "accepted",
        /// It does not hold.
        Rejected = "rejected",
        /// It cannot be decided now.
        Blocked = "blocked",
        /// Another hypothesis took its place.
        Superseded = "superseded",
    }
    /// Result of a command.
    CommandStatus {
        /// It succeeded.
        Pass = "pass",
        /// It failed.
        Fail = "fail",
        /// It could not be run.
        Blocked = "blocked",
        /// It was left out.
        Skipped = "skipped",
    }
    /// Kind of a learning.
    LearningKind {
        /// A measurement is missing.
        BenchmarkGap = "benchmark-gap",
        /// A document is missing or wrong.
        DocGap = "doc-gap",
        /// A request was led to the wrong documents.
        IntakeMisroute = "intake-misroute",
        /// A check of the sources is missing.
        LintGap = "lint-gap",
        /// Found in review.
        ReviewFinding = "review-finding",
        /// A test is missing.
        TestGap = "test-gap",
        /// The way of working was wrong.
        WorkflowGap = "workflow-gap",
    }
    /// Kind of artifact that a learning went into.
    RepoAction {
        /// A benchmark.
        Benchmark = "benchmark",
        /// A document.
        Docs = "docs",
        /// A request signal of a document.
        IntakeSignal = "intake-signal",
        /// A lint.
        Lint = "lint",
        /// No artifact; a reason says why.
        None = "none",
        /// A skill of agents.
        Skill = "skill",
        /// A test.
        Test = "test",
    }
    /// Degree of certainty.
    Confidence {
        /// A guess.
        Low = "low",
        /// Likely.
        Medium = "medium",
        /// Nearly certain.
        High = "high",
    }
    /// State of a run.
    RunStatus {
        /// Work goes on.
        Open = "open",
        /// Set aside, to be resumed.
        Parked = "parked",
        /// Ended with a closeout.
        Closed = "closed",
        /// Given up.
        Abandoned = "abandoned",
    }
    /// Kind of thing that a run is linked to.
    LinkKind {
        /// A ticket.
        Ticket = "ticket",
        /// A task of this memory.
        Task = "task",
        /// A commit.
        Commit = "commit",
        /// A pull request.
        Pr = "pr",
        /// An issue.
        Issue = "issue",
    }
    /// A condition of closing a run.
    Gate {
        /// No hypothesis is open, or it is carried over.
        Hypotheses = "hypotheses",
        /// Each learning names an artifact that git tracks, or a reason.
        Learning = "learning",
        /// A verification is stated, and none of those it refers to failed.
        Verification = "verification",
        /// Residual risks are stated.
        Risks = "risks",
        /// There is a summary.
        Summary = "summary",
    }
}

/// Parameters of `run.start`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct RunStartParams {
    /// Absolute path in the repository.
    pub repo: String,
    /// The request, as it was made.
    pub request: String,
    /// Its id; empty for one made of the time and the request.
    pub run_id: String,
    /// Intent; empty for one inferred from the request.
    pub intent: String,
    /// Outcomes that are not aimed at.
    pub non_goals: Vec<String>,
    /// Leave out the documents that the request belongs to.
    pub skip_intake: bool,
    /// Leave the run that is active open, and make this one active.
    pub switch: bool,
    /// Park the run that is active; closing this one resumes it.
    pub park: bool,
    /// Identity of the caller.
    pub caller: Caller,
}

/// Parameters of `run.show`, `run.handoff`, `run.park`, `run.resume`, `run.reopen` and `run.abandon`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct RunParams {
    /// Absolute path in the repository.
    pub repo: String,
    /// Run; empty for the active one.
    pub run_id: String,
    /// `park`, `reopen`, `abandon`: why.
    pub reason: String,
    /// `handoff`, `resume`: bound of the text in bytes; 0 for 6 000.
    pub max_bytes: u32,
    /// Identity of the caller.
    pub caller: Caller,
}

/// One entry of a ledger.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum RunEntry {
    /// A hypothesis.
    Hypothesis {
        /// Statement.
        text: String,
        /// Degree of certainty.
        #[serde(default)]
        confidence: Option<Confidence>,
        /// Observation that would follow from it.
        #[serde(default)]
        predicts: String,
    },
    /// The end of a hypothesis.
    Resolve {
        /// Its id.
        id: String,
        /// Its state now.
        status: HypothesisStatus,
        /// Reason.
        #[serde(default)]
        note: String,
    },
    /// An observation.
    Evidence {
        /// Observation.
        text: String,
        /// Hypothesis it is about.
        #[serde(default)]
        hypothesis: String,
        /// True if it supports the hypothesis, false if it refutes it.
        #[serde(default)]
        supports: Option<bool>,
        /// Place in the repository, `path:line`.
        #[serde(default)]
        file: String,
    },
    /// A command that was run.
    Command {
        /// Command line.
        command: String,
        /// Its result.
        status: CommandStatus,
    },
    /// A command that was run to verify the work, with what was observed of it.
    Verify {
        /// Command line.
        command: String,
        /// Exit status.
        exit_code: i32,
        /// Duration.
        duration_ms: u64,
        /// SHA-256 of its output, in hexadecimal.
        output_sha256: String,
    },
    /// A learning.
    Learning {
        /// Its kind.
        learning: LearningKind,
        /// The learning, in a sentence.
        summary: String,
        /// Kind of artifact it went into.
        repo_action: RepoAction,
        /// The artifact's path, from the root of the worktree.
        #[serde(default)]
        path: String,
        /// Reason for having none.
        #[serde(default)]
        reason: String,
    },
    /// A remark.
    Note {
        /// The remark.
        text: String,
    },
    /// Something the run belongs to.
    Link {
        /// Its kind.
        to: LinkKind,
        /// Its name there.
        target: String,
    },
}

/// Parameters of `run.add`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RunAddParams {
    /// Absolute path in the repository.
    pub repo: String,
    /// Absolute working directory that relative paths start from; empty for the root.
    #[serde(default)]
    pub cwd: String,
    /// Run; empty for the active one.
    #[serde(default)]
    pub run_id: String,
    /// Entry to add.
    pub entry: RunEntry,
    /// Identity of the caller.
    #[serde(default)]
    pub caller: Caller,
}

/// Result of `run.add`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct RunAdded {
    /// The run.
    pub run_id: String,
    /// The row as it was written, or as it stands already.
    pub row: Map<String, Value>,
    /// False when the run says so already; nothing was written then.
    pub recorded: bool,
    /// Anything that is not as it should be.
    pub warnings: Vec<String>,
}

/// Parameters of `run.list`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct RunListParams {
    /// Absolute path in the repository.
    pub repo: String,
    /// One state; empty for all.
    pub status: String,
    /// At most this many; 0 for 50.
    pub limit: u32,
}

/// A run in a list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RunItem {
    /// Its id.
    pub id: String,
    /// Its state.
    pub status: RunStatus,
    /// The request.
    pub request: String,
    /// Time of the start.
    pub created_at: String,
    /// Time of the last entry.
    pub updated_at: String,
    /// Number of open hypotheses.
    pub open_hypotheses: u32,
    /// It is the active one of this worktree.
    pub active: bool,
}

/// Result of `run.list`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct RunList {
    /// Runs, started last first.
    pub runs: Vec<RunItem>,
    /// True if there are more.
    pub truncated: bool,
}

/// Result of `run.start`, `run.park`, `run.resume`, `run.reopen` and `run.abandon`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RunState {
    /// The run.
    pub id: String,
    /// Its directory, from the root of the worktree.
    pub path: String,
    /// Its state now.
    pub status: RunStatus,
    /// It is the active one of this worktree now.
    pub active: bool,
    /// False when it was so already; nothing was written then.
    pub changed: bool,
    /// `resume`: where the run stands, as `run.handoff` tells it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub handoff: String,
    /// Anything that is not as it was left.
    pub warnings: Vec<String>,
}

/// Result of `run.handoff`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct RunHandoff {
    /// The run.
    pub id: String,
    /// Summary of its state, within the bound.
    pub text: String,
    /// Lines that did not fit.
    pub left_out: u32,
}

/// Parameters of `run.close`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct RunCloseParams {
    /// Absolute path in the repository.
    pub repo: String,
    /// Run; empty for the active one.
    pub run_id: String,
    /// Work that was done.
    pub summary: String,
    /// Checks that were made: command lines, or ids of commands of the run.
    pub verification: Vec<String>,
    /// Reason for not verifying anything.
    pub unverified: String,
    /// Risks that are left.
    pub risks: Vec<String>,
    /// No risk is left that anybody knows of.
    pub no_risks: bool,
    /// Open hypotheses that the next run takes over.
    pub carry: Vec<String>,
    /// Gates that are passed over, each with the reason.
    pub overrides: Vec<RunOverride>,
    /// Identity of the caller.
    pub caller: Caller,
}

/// A gate that is passed over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RunOverride {
    /// Gate.
    pub gate: Gate,
    /// Reason, of ten characters at least.
    pub reason: String,
}

/// A reason for which a run cannot be closed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RunMissing {
    /// The gate.
    pub gate: Gate,
    /// Description of what is missing.
    pub message: String,
    /// A command or an option that changes it.
    pub next: String,
}

/// Result of `run.close`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct RunClosed {
    /// The run.
    pub id: String,
    /// The run is closed now; false if something is missing.
    pub closed: bool,
    /// False when it was closed with the same words already; nothing was written then.
    pub changed: bool,
    /// Reasons for not closing it; nothing was written then.
    pub missing: Vec<RunMissing>,
    /// The closeout in Markdown, from the root of the worktree.
    pub path: String,
    /// The closeout.
    pub closeout: Value,
    /// The parked run that is active again.
    pub resumed: String,
    /// Anything that is not as it should be.
    pub warnings: Vec<String>,
}

/// Parameters of `run.gc`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct RunGcParams {
    /// Absolute path in the repository.
    pub repo: String,
    /// Do it; otherwise only say what would be done.
    pub apply: bool,
}

/// Result of `run.gc`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct RunGc {
    /// Open runs without an entry for two weeks, to be parked.
    pub parked: Vec<String>,
    /// Closed runs older than 30 days, whose ledgers are to be compressed.
    pub compressed: Vec<String>,
    /// It was done.
    pub applied: bool,
}

/// Parameters of `intake`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct IntakeParams {
    /// Absolute path in the repository.
    pub repo: String,
    /// The request.
    pub request: String,
}

/// Result of `intake`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct IntakeReply {
    /// The request.
    pub request: String,
    /// Confidence in the first document; absent where no document fits.
    pub confidence: Option<Confidence>,
    /// Documents that the request belongs to, best first.
    pub docs: Vec<IntakeDoc>,
    /// Files to open, best first.
    pub files: Vec<IntakeFile>,
    /// Commands that check the work, those of most documents first.
    pub verify: Vec<String>,
    /// Risks, those of most documents first.
    pub risks: Vec<String>,
}

/// A document that a request belongs to.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct IntakeDoc {
    /// Path in the repository.
    pub path: String,
    /// Title.
    pub title: String,
    /// Score.
    pub score: u32,
    /// Words and phrases of the request that it was found by.
    pub matches: Vec<String>,
    /// Score by field.
    pub score_details: Map<String, Value>,
    /// Files it says to open first.
    pub open_first: Vec<String>,
    /// Commands it says to verify with.
    pub verify: Vec<String>,
    /// Risks it warns of.
    pub risks: Vec<String>,
}

/// A file to open for a request.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct IntakeFile {
    /// Path in the repository.
    pub path: String,
    /// Score.
    pub score: u32,
    /// Part of it that comes of the file's own path.
    pub direct_score: u32,
    /// Documents that name it.
    pub referenced_by: Vec<String>,
}

/// Parameters of `docs.check`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct DocsParams {
    /// Absolute path in the repository.
    pub repo: String,
}

/// A document that breaks the form.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct DocsFinding {
    /// Path in the repository.
    pub path: String,
    /// Line, from 1; 0 for the whole document.
    pub line: u32,
    /// Description of the error.
    pub message: String,
}

/// Result of `docs.check`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct DocsReply {
    /// Number of documents in the form.
    pub checked: u32,
    /// Findings, by path.
    pub findings: Vec<DocsFinding>,
}
