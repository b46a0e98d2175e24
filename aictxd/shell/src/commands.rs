//! Commands: what words, assignments and reserved words make of them, and what they run besides.

use super::functions::{self, Open};
use super::lex::{Awaiting, Lexer};
use super::program_traits::Heeded;
use super::word_builder::{Building, is_assignment};
use super::{Joined, MAX_COMMANDS, Role, SimpleCommand, Text, Word, change_dir, wrappers};

/// The command being read.
#[derive(Default)]
pub(super) struct Current<'t> {
    pub(super) command: SimpleCommand<'t>,
    /// `function` was read: its name follows, which is no program.
    pub(super) naming: bool,
    pub(super) heredocs: Vec<(Text<'t>, bool, bool, usize)>,
}

/// An open `{`.
pub(super) struct Brace<'t> {
    /// The function whose body it begins.
    pub(super) open: Option<Open<'t>>,
    /// True if its commands may not run.
    pub(super) branch: bool,
    /// It runs in a shell of its own.
    pub(super) apart: bool,
    /// It does not run, from this command on.
    pub(super) idle_from: Option<usize>,
    /// Status of the list that leaves it out.
    status: Option<bool>,
}

impl<'t> Lexer<'t, '_> {
    /// Adds what was read as one word, which may have become several.
    pub(super) fn take_words(
        &mut self,
        current: &mut Current<'t>,
        building: Building<'t>,
        joined: Joined,
    ) {
        self.context.conditional = is_conditional(joined);
        self.joined = joined;
        if !building.started {
            if building.vanished {
                return;
            }
            // Nothing could be read: step over the byte so that the loop ends.
            self.pos += self.rest().chars().next().map_or(1, char::len_utf8);
            return;
        }
        if !self.context.count_word() {
            self.give_up();
            return;
        }
        if let Some(members) = &building.members {
            let name = building.word.text.split('=').next().unwrap_or_default();
            self.context
                .assign(name.trim_end_matches('+'), members, false);
        }
        current.command.fed |= std::mem::take(&mut self.context.many_used);
        let assigns = building.assigns;
        // Almost every word stays one.
        if building.finished.is_empty() {
            let word = building.into_word();
            self.take_word(current, word, assigns);
            return;
        }
        for word in building.into_words() {
            self.take_word(current, word, assigns);
        }
    }

    /// Adds a word that stands for itself and goes as far as `end`.
    pub(super) fn take_plain(&mut self, current: &mut Current<'t>, end: usize, joined: Joined) {
        let start = std::mem::replace(&mut self.pos, end);
        self.context.conditional = is_conditional(joined);
        self.joined = joined;
        if !self.context.count_word() {
            self.give_up();
            return;
        }
        current.command.fed |= std::mem::take(&mut self.context.many_used);
        let word = Word::plain(self.part(start, end));
        // Only the first ones may be something else.
        match current.command.words.is_empty() {
            true => self.take_word(current, word, false),
            false => current.command.words.push(word),
        }
    }

    fn take_word(&mut self, current: &mut Current<'t>, mut word: Word<'t>, assigns: bool) {
        let command = &mut current.command;
        if command.words.is_empty() {
            // zsh: `=rm` is the program of that name, wherever it lies.
            if word.text.starts_with('=') && !word.quoted && !word.carried {
                word.text = word.text.part(1..);
            }
            if std::mem::take(&mut current.naming) {
                self.defining = Some(word.text);
                return;
            }
            let defining = self.defining.take();
            if !word.quoted && !word.carried && is_reserved(&word.text) {
                command.denied ^= word.text == "!";
                self.reserved(current, &word.text, defining);
                return;
            }
            // `f() case …`, and what is no function at all.
            if defining.is_some() {
                self.context.plain = Some(false);
            }
            if assigns || (!word.carried && is_assignment(&word.text)) {
                self.context.assign_word(&word);
                command.assignments.reserve_exact(1);
                command.assignments.push(word);
                return;
            }
            // Set for this program alone: the words of the line do not see it.
            self.context.lent(&command.assignments);
        }
        command.words.push(word);
    }

    /// Follows a word that opens, joins or closes.
    fn reserved(&mut self, current: &mut Current<'t>, text: &str, defining: Option<Text<'t>>) {
        let goes_on = self.goes_on(self.joined);
        let status = self.status;
        // `f() if …`: a body of another kind.
        if defining.is_some() && text != "{" && text != "function" {
            self.context.plain = Some(false);
        }
        self.context.reserved(text);
        self.branches_at(text);
        match text {
            "function" => current.naming = true,
            "esac" => {
                self.cases = self.cases.saturating_sub(1);
                if self.context.expand {
                    self.closes();
                }
            }
            "{" if self.context.expand => {
                let open = defining.map(|name| self.open_function(name));
                // `a && { X=1; }`
                let branch = open.is_none() && goes_on != Some(true);
                self.context.branch(branch, true);
                let idle = open.is_none() && (goes_on == Some(false) || self.ended);
                let idle_from = idle.then_some(self.script.commands.len());
                self.braces.push(Brace {
                    open,
                    branch,
                    apart: self.joined == Joined::Pipe,
                    idle_from,
                    status: status.filter(|_| idle),
                });
            }
            "}" => {
                let Some(brace) = self.braces.pop() else {
                    return;
                };
                self.context.branch(brace.branch, false);
                self.status = brace.status;
                let idle = brace
                    .idle_from
                    .and_then(|from| self.script.commands.get_mut(from..));
                for command in idle.unwrap_or_default() {
                    command.role = Role::Idle;
                }
                if let Some(open) = brace.open {
                    self.close_function(open, self.pos.saturating_sub(1), false);
                }
            }
            _ => {}
        }
    }

    /// Ends the command that was being read and follows its wrappers.
    pub(super) fn finish(
        &mut self,
        current: &mut Current<'t>,
        joined: Joined,
        piped_from: Option<usize>,
    ) {
        let Current {
            mut command,
            heredocs,
            ..
        } = std::mem::take(current);
        if command.words.is_empty()
            && command.redirects.is_empty()
            && command.assignments.is_empty()
        {
            return;
        }
        if self.script.commands.len() >= MAX_COMMANDS {
            self.give_up();
            return;
        }
        command.joined = joined;
        command.piped_from = piped_from;
        command.remote = self.remote;
        command.fed |= self.fed;
        command.elevated = self.elevated;
        command.depth = self.depth;
        command.dir.clone_from(&self.dir);
        let heeded = Heeded::of(&command);
        if heeded.has(Heeded::MOVES) {
            self.moves(&command, joined);
        }
        let told = self.goes_on(joined) == Some(true) && joined != Joined::Pipe;
        let exits = command
            .words
            .first()
            .is_some_and(|word| word.text == "exit" && !word.carried);
        let runs = self.runs(&command);
        // `{ exit; } > x`: where that fails, nothing of it runs.
        if command.words.is_empty() && !command.redirects.is_empty() {
            self.ended = false;
        }
        if !runs {
            command.role = Role::Idle;
        }
        self.context.conditional = is_conditional(joined);
        if heeded.has(Heeded::SETS) {
            self.context.observe(&command);
        }
        // What a shell of its own sets is gone.
        if self.apart || joined == Joined::Pipe {
            self.context.lent(&command.assignments);
        }
        let owner = self.script.commands.len();
        let complete = heredocs.is_empty();
        if !complete {
            let awaiting = heredocs.into_iter().map(|it| Awaiting {
                delimiter: it.0,
                strip_tabs: it.1,
                literal: it.2,
                owner,
                place: it.3,
            });
            self.awaiting.extend(awaiting);
        }
        self.script.commands.push(command);
        // A shell that reads a here-document is followed once its text is there.
        self.context.exited = false;
        let follows = heeded.has(Heeded::FOLLOWED) || self.context.functions.are_any();
        if complete && runs && follows {
            self.follow(owner, joined == Joined::Pipe);
        }
        if runs && told {
            self.ended |= self.ends(owner, exits);
        }
    }

    /// Follows a command into the directory it changes to.
    fn moves(&mut self, command: &SimpleCommand, joined: Joined) {
        match command.name() {
            "cd" | "pushd" if joined != Joined::Pipe => {
                let target = command
                    .arguments()
                    .iter()
                    .find(|word| word.text == "-" || !word.text.starts_with('-'));
                self.dir = change_dir(self.dir.as_deref(), target);
            }
            "popd" => self.dir = None,
            _ => {}
        }
    }

    /// Follows what the command at `owner` runs besides: a function of the text, or what it wraps.
    pub(super) fn follow(&mut self, owner: usize, piped: bool) {
        let depth = self.depth + 1;
        match functions::follow(self.script, self.context, owner, depth) {
            None => wrappers::follow(self.script, self.context, owner, depth),
            Some(_) if piped => {}
            Some(dir) => self.dir = dir,
        }
    }
}

impl Current<'_> {
    /// `for x do` was read.
    pub(super) fn opens_body(&self) -> bool {
        let words = &self.command.words;
        words.len() == 3
            && words
                .first()
                .is_some_and(|word| !word.quoted && word.text == "for")
            && words
                .last()
                .is_some_and(|word| !word.quoted && word.text == "do")
    }

    /// `case … in` was read.
    pub(super) fn opens_case(&self) -> bool {
        let words = &self.command.words;
        words.len() == 3
            && words
                .first()
                .is_some_and(|word| word.text == "case" && !word.quoted)
            && words
                .last()
                .is_some_and(|word| word.text == "in" && !word.quoted)
    }
}

fn is_conditional(joined: Joined) -> bool {
    matches!(joined, Joined::And | Joined::Or)
}

pub(super) fn is_test(current: &Current) -> bool {
    current
        .command
        .words
        .first()
        .is_some_and(|word| word.text == "[[")
}

/// Words that open or join compound commands; what follows them is a command of its own.
fn is_reserved(text: &str) -> bool {
    matches!(
        text,
        "if" | "then"
            | "else"
            | "elif"
            | "fi"
            | "while"
            | "until"
            | "do"
            | "done"
            | "esac"
            | "{"
            | "}"
            | "!"
            | "function"
    )
}
