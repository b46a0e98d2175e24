//! Which agents are there.

use crate::registry::AGENTS;

/// Signs of an installed agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Signs {
    /// Variable with the directory that it keeps the user's files in, instead of the usual one.
    pub variable: Option<&'static str>,
    /// Files and directories below the home directory that it makes.
    pub home: &'static [&'static str],
    /// Its programs.
    pub programs: &'static [&'static str],
    /// Files and directories below a repository's root that its users keep there.
    pub repository: &'static [&'static str],
}

/// Facts about [`Signs`], from somebody with a disk.
pub trait Facts {
    /// Returns true if a path exists below the home directory.
    fn in_home(&self, path: &str) -> bool;
    /// Returns true if a variable of [`Signs`] is set to a directory that exists.
    fn at_variable(&self, variable: &str) -> bool;
    /// Returns true if a program of that name is on the search path.
    fn on_path(&self, program: &str) -> bool;
    /// Returns true if a path exists below the repository's root; false where there is none.
    fn in_repository(&self, path: &str) -> bool;
}

/// An agent that is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Detected {
    /// Runner.
    pub agent: &'static str,
    /// Its name for people.
    pub title: &'static str,
    /// Evidence, for people.
    pub evidence: String,
    /// Only the repository speaks of it; it may be installed for others and not here.
    pub only_repository: bool,
}

/// The agents that are there, in the order of the registry.
pub fn detect(facts: &impl Facts) -> Vec<Detected> {
    let found = AGENTS.iter().filter_map(|agent| {
        let signs = agent.signs();
        let program = signs.programs.iter().find(|name| facts.on_path(name));
        let variable = signs.variable.filter(|name| facts.at_variable(name));
        let home = signs.home.iter().find(|path| facts.in_home(path));
        let repository = signs
            .repository
            .iter()
            .find(|path| facts.in_repository(path));
        let evidence = match (program, variable, home, repository) {
            (Some(name), ..) => format!("`{name}` is on the search path"),
            (_, Some(name), ..) => format!("the directory in ${name} exists"),
            (_, _, Some(path), _) => format!("~/{path} exists"),
            (_, _, _, Some(path)) => format!("{path} stands in the repository"),
            _ => return None,
        };
        Some(Detected {
            agent: agent.name(),
            title: agent.title(),
            evidence,
            only_repository: program.is_none() && variable.is_none() && home.is_none(),
        })
    });
    found.collect()
}
