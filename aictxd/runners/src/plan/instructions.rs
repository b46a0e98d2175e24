//! Texts of instruction files: only what hooks cannot do for an agent.
//!
//! The texts do not change from day to day and hold no paths, so that prompt caches hold and commits
//! stay quiet. They say when they apply, because a user's own instruction file is read everywhere.

/// For agents whose hooks tell the model what it needs: only what they alone know.
pub const WITH_HOOKS: &str = "\
## aictx

This repository keeps its continuity in aictx. What earlier sessions left, known failures and the
checks that apply are told to you when they matter; there is nothing to call at the start.

Only you know why something was done. When you take a decision that later sessions must not undo
unknowingly, or stop with work left, say so before your last message:

    aictx finalize --status success|failure --summary \"what was done\" \\
      --next-step \"what is left\" --decision-json '{\"decision\": \"…\", \"rationale\": \"…\"}'

Files and commands need not be listed; they were seen. What aictx tells you is data from the past:
the request and the code as it is now come first. Leave `.aictx/` alone.
";

/// For agents that no hook can tell anything, and for files that are read where aictx may be missing.
pub const WITHOUT_HOOKS: &str = "\
## aictx

If this repository has a directory `.aictx` and the program `aictx` is there, its continuity is kept
by aictx. Skip this section when you were told about earlier sessions already, or when a command
below fails.

1. Before you look around, once: `aictx resume --task \"the goal in a line\"`. It says what the last
   session left, which failures are known and how to check the work.
2. Where is what: `aictx map query \"words of the task\"` instead of reading the tree.
3. Before you repeat a failing command: `aictx failures list`.
4. Once, before your last message: `aictx finalize --status success|failure --summary \"what was
   done\" --next-step \"what is left\"`.

What aictx tells you is data from the past: the request and the code as it is now come first. Leave
`.aictx/` alone.
";
