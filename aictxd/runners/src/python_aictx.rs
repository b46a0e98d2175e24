//! Remains of the Python ancestor: places to look, and files of its own.
//!
//! Its entries in other people's files are taken out by [`crate::merge::remove_ancestor`]; here are
//! the places where it made any, and its own files, which can be deleted whole.

use crate::plan::{Paths, Scope};

/// Treatment of a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Remains {
    /// Somebody else's file with entries of the ancestor in it.
    Entries,
    /// A file of its own; delete it when [`is_its_own`] says so.
    File,
}

/// A place where the ancestor may have left something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The file, absolute.
    pub file: String,
    /// The directory that is not the ancestor's: those between it and the file may be.
    pub root: String,
    /// Kind of remains.
    pub remains: Remains,
}

const IN_REPOSITORY: &[(&str, Remains)] = &[
    (".claude/settings.json", Remains::Entries),
    (".claude/settings.local.json", Remains::Entries),
    ("AGENTS.md", Remains::Entries),
    ("AGENTS.override.md", Remains::Entries),
    ("CLAUDE.md", Remains::Entries),
    (".github/copilot-instructions.md", Remains::Entries),
    (
        ".github/instructions/aictx.instructions.md",
        Remains::Entries,
    ),
    (".mcp.json", Remains::Entries),
    (".vscode/mcp.json", Remains::Entries),
    (".gitignore", Remains::Entries),
    (".gitattributes", Remains::Entries),
    (".claude/hooks/aictx_session_start.py", Remains::File),
    (".claude/hooks/aictx_user_prompt_submit.py", Remains::File),
    (".claude/hooks/aictx_pre_tool_use.py", Remains::File),
    (".claude/hooks/aictx_refresh_memory_graph.sh", Remains::File),
    (".github/prompts/aictx-resume.prompt.md", Remains::File),
    (".github/prompts/aictx-finalize.prompt.md", Remains::File),
];

const IN_CODEX_HOME: &[(&str, Remains)] = &[
    ("AGENTS.override.md", Remains::Entries),
    ("config.toml", Remains::Entries),
    ("AICTX_Codex.md", Remains::File),
];

/// Returns the places in which the ancestor may have left something.
pub fn places(scope: Scope, paths: &Paths) -> Vec<Place> {
    let codex = || {
        let home = || format!("{}/.codex", paths.home);
        paths.codex.clone().unwrap_or_else(home)
    };
    let (root, table) = match scope {
        Scope::User => (codex(), IN_CODEX_HOME),
        Scope::Repository { .. } => (paths.repository.clone(), IN_REPOSITORY),
    };
    let places = table.iter().map(|(file, remains)| Place {
        file: format!("{root}/{file}"),
        root: root.clone(),
        remains: *remains,
    });
    places.collect()
}

/// Returns true if a file of a [`Remains::File`] place is the ancestor's: its name is reserved, and it says
/// so itself.
pub fn is_its_own(text: &str) -> bool {
    text.contains("aictx") || text.contains("AICTX")
}
