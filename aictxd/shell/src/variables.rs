//! Values of variables, as far as the text tells them.

use hashbrown::{HashMap, HashSet};

use super::functions::Functions;
use super::{Dialect, Frame, MAX_INPUT, MAX_WORDS, SimpleCommand, Text, Word};

/// Variables that are remembered.
const MAX_VARIABLES: usize = 256;
/// Values of one variable, and words that one expansion may become.
pub(super) const MAX_VALUES: usize = 32;
/// Characters of `IFS` that are heeded.
const MAX_SEPARATORS: usize = 8;
/// Bytes of one remembered value.
const MAX_VALUE: usize = 4096;
/// Bytes read in all, nested texts included: four times the longest input.
const BUDGET: usize = 4 * MAX_INPUT;

/// State while a text is read.
#[derive(Debug)]
pub(super) struct Context<'t> {
    pub(super) dialect: Dialect,
    /// Values are put in.
    pub(super) expand: bool,
    /// The next assignment may not happen (`a && X=1`).
    pub(super) conditional: bool,
    /// A variable that stands for an unknown number of things was used in the current command.
    pub(super) many_used: bool,
    variables: HashMap<String, Vec<Word<'t>>>,
    /// Variables set by `read`, by a loop over a pattern, and the like.
    many: HashSet<String>,
    /// Characters besides blanks at which values fall apart (`IFS`).
    pub(super) separators: String,
    /// The words of `set --`, or those behind the text of `sh -c`.
    positional: Vec<Word<'t>>,
    /// Open `if`, `while`, `case` …
    branches: u16,
    /// Number of them that were open at the call of the followed function.
    outside: u16,
    /// Open loops, and how many there were where that function was called.
    pub(super) loops: u16,
    pub(super) outside_loops: u16,
    /// Functions that are being followed: whether what they set stays is not told.
    calls: u16,
    /// The text that was followed last ends its shell.
    pub(super) exited: bool,
    /// Something happened that may have set anything.
    pub(super) blurred: bool,
    /// Variables that may have another value, or none.
    pub(super) unsure: HashSet<String>,
    /// Variables of the function that is followed, as they were before it.
    pub(super) locals: Vec<Kept<'t>>,
    /// The whole text; whether it is plain, and what was found of its variables.
    pub(super) text: &'t str,
    pub(super) plain: Option<bool>,
    pub(super) counted: HashMap<String, bool>,
    /// Functions that the text defines.
    pub(super) functions: Functions<'t>,
    /// Definitions that are being read.
    pub(super) bodies: u16,
    /// Scopes that are being read: what they set does not stay.
    scopes: u16,
    /// Earlier values of the variables that the innermost of them has set.
    pub(super) before: Vec<Kept<'t>>,
    /// The innermost shell is a program of its own, which knows only what it was given.
    pub(super) child: bool,
    /// A limit was passed: nothing more is read.
    pub(super) stopped: bool,
    words: usize,
    /// Texts that run at the end.
    deferred: Vec<(Text<'t>, Frame)>,
    left: usize,
}

/// State from before a function was followed.
#[derive(Debug)]
pub(super) struct Outside<'t> {
    branches: u16,
    loops: u16,
    locals: Vec<Kept<'t>>,
}

/// A variable as it was.
#[derive(Debug)]
pub(super) struct Kept<'t> {
    pub(super) name: String,
    values: Option<Vec<Word<'t>>>,
    many: bool,
    unsure: bool,
}

impl Default for Context<'_> {
    fn default() -> Self {
        Self {
            dialect: Dialect::Posix,
            expand: false,
            conditional: false,
            many_used: false,
            variables: HashMap::new(),
            many: HashSet::new(),
            separators: String::new(),
            positional: Vec::new(),
            branches: 0,
            outside: 0,
            loops: 0,
            outside_loops: 0,
            calls: 0,
            exited: false,
            blurred: false,
            unsure: HashSet::new(),
            text: "",
            plain: None,
            counted: HashMap::new(),
            locals: Vec::new(),
            functions: Functions::default(),
            bodies: 0,
            scopes: 0,
            before: Vec::new(),
            child: false,
            stopped: false,
            words: 0,
            deferred: Vec::new(),
            left: BUDGET,
        }
    }
}

impl<'t> Context<'t> {
    pub(super) fn expanding(dialect: Dialect) -> Self {
        Self {
            dialect,
            expand: true,
            ..Self::default()
        }
    }

    /// Takes `bytes` off what may still be read; `false` when there is too little left.
    pub(super) fn spend(&mut self, bytes: usize) -> bool {
        match self.left.checked_sub(bytes) {
            Some(left) => {
                self.left = left;
                true
            }
            None => false,
        }
    }

    /// Counts a word; `false` when there are too many.
    pub(super) fn count_word(&mut self) -> bool {
        self.words += 1;
        self.words <= MAX_WORDS
    }

    /// Keeps a text for the end, or gives it back when there are too many.
    pub(super) fn defer(&mut self, text: Text<'t>, frame: Frame) -> Option<Text<'t>> {
        if self.deferred.len() >= MAX_VALUES {
            return Some(text);
        }
        self.deferred.push((text, frame));
        None
    }

    pub(super) fn take_deferred(&mut self) -> Vec<(Text<'t>, Frame)> {
        std::mem::take(&mut self.deferred)
    }

    pub(super) fn put_deferred(&mut self, deferred: Vec<(Text<'t>, Frame)>) {
        self.deferred = deferred;
    }

    /// Sets a variable. In a branch the earlier values stay possible.
    pub(super) fn assign(&mut self, name: &str, values: &[Word<'t>], many: bool) {
        if !self.expand {
            return;
        }
        if self.variables.len() >= MAX_VARIABLES {
            self.blurred = true;
            return;
        }
        if name == "IFS" {
            let last = values.last().map_or("", |one| one.text.as_str());
            self.separators = last.chars().take(MAX_SEPARATORS).collect();
        }
        self.keep(name);
        if many {
            self.many.insert(name.to_owned());
        } else if self.branches == 0 && !self.conditional {
            self.many.remove(name);
        }
        if self.branches == 0 && !self.conditional && self.calls == 0 {
            self.unsure.remove(name);
        } else if !self.unsure.contains(name) {
            self.unsure.insert(name.to_owned());
        }
        let known = self.variables.entry_ref(name).or_default();
        if self.branches == 0 && !self.conditional {
            known.clear();
        }
        for value in values {
            let with = |text: Text<'t>| Word {
                text,
                others: Box::default(),
                ..*value
            };
            let others = value.others.iter().map(|text| with(text.clone().into()));
            for value in std::iter::once(with(value.text.clone())).chain(others) {
                if known.len() < MAX_VALUES && value.text.len() <= MAX_VALUE {
                    known.push(value);
                }
            }
        }
    }

    /// Enters a scope whose variables do not last; returns the state for [`Context::leave_scope`].
    pub(super) fn enter_scope(&mut self) -> Vec<Kept<'t>> {
        self.scopes = self.scopes.saturating_add(1);
        std::mem::take(&mut self.before)
    }

    /// Everything is as it was.
    pub(super) fn leave_scope(&mut self, outer: Vec<Kept<'t>>) {
        self.scopes = self.scopes.saturating_sub(1);
        let kept = std::mem::replace(&mut self.before, outer);
        self.restore(kept);
    }

    fn restore(&mut self, all: Vec<Kept<'t>>) {
        for kept in all {
            if kept.unsure {
                self.unsure.insert(kept.name.clone());
            } else {
                self.unsure.remove(&kept.name);
            }
            if kept.many {
                self.many.insert(kept.name.clone());
            } else {
                self.many.remove(&kept.name);
            }
            match kept.values {
                Some(values) => self.variables.insert(kept.name, values),
                None => self.variables.remove(&kept.name),
            };
        }
    }

    /// Returns true if the commands read now run in any case.
    pub(super) fn is_certain(&self) -> bool {
        self.branches == 0
    }

    /// A function is followed; gives what [`Context::leave_call`] wants back.
    pub(super) fn enter_call(&mut self) -> Outside<'t> {
        self.calls = self.calls.saturating_add(1);
        let outside = std::mem::replace(&mut self.outside, self.branches);
        let loops = std::mem::replace(&mut self.outside_loops, self.loops);
        Outside {
            branches: outside,
            loops,
            locals: std::mem::take(&mut self.locals),
        }
    }

    /// It has been.
    pub(super) fn leave_call(&mut self, outside: Outside<'t>) {
        self.calls = self.calls.saturating_sub(1);
        self.branches = std::mem::replace(&mut self.outside, outside.branches);
        self.loops = std::mem::replace(&mut self.outside_loops, outside.loops);
        let locals = std::mem::replace(&mut self.locals, outside.locals);
        self.restore(locals);
    }

    /// Variables that are set for one command alone.
    pub(super) fn lent(&mut self, assignments: &[Word]) {
        if self.expand && !assignments.is_empty() {
            let names = assignments
                .iter()
                .filter_map(|word| word.text.split_once('='));
            self.unsure.extend(names.map(|(name, _)| name.to_owned()));
            self.blurred |= self.unsure.len() > MAX_VARIABLES;
        }
    }

    /// Remembers what a variable was before the scope that is being read.
    pub(super) fn keep(&mut self, name: &str) {
        if self.scopes == 0 || self.before.iter().any(|kept| kept.name == name) {
            return;
        }
        let kept = self.as_it_is(name);
        self.before.push(kept);
    }

    /// The same before the function that is followed, which has one of its own.
    fn keep_local(&mut self, name: &str) {
        if self.calls > 0 && !self.locals.iter().any(|kept| kept.name == name) {
            let kept = self.as_it_is(name);
            self.locals.push(kept);
        }
    }

    fn as_it_is(&mut self, name: &str) -> Kept<'t> {
        let values = self.variables.get(name).cloned();
        let bytes: usize = values.iter().flatten().map(|one| one.text.len()).sum();
        self.left = self.left.saturating_sub(bytes);
        Kept {
            name: name.to_owned(),
            values,
            many: self.many.contains(name),
            unsure: self.unsure.contains(name),
        }
    }

    fn forget(&mut self, name: &str) {
        self.keep(name);
        self.variables.remove(name);
    }

    /// `NAME=value`
    pub(super) fn assign_word(&mut self, word: &Word<'t>) {
        if !self.expand {
            return;
        }
        // An array was already remembered with its members.
        if let Some((name, value)) = word.text.split_once('=')
            && !name.contains(['+', '['])
            && value != "(…)"
        {
            let value = Word {
                text: word.text.part(name.len() + 1..),
                others: word
                    .others
                    .iter()
                    .filter_map(|text| Some(text.split_once('=')?.1.to_owned()))
                    .collect(),
                ..*word
            };
            self.assign(name, &[value], false);
        } else if let Some((name, _)) = word.text.split_once(['=', '[']) {
            self.touches(name);
        }
    }

    /// Remembers what a command does to variables.
    pub(super) fn observe(&mut self, command: &SimpleCommand<'t>) {
        if !self.expand {
            return;
        }
        match command.name() {
            "for" | "select" => {
                self.branches = self.branches.saturating_add(1);
                self.loops = self.loops.saturating_add(1);
                let mut words = command.arguments().iter();
                let name = words.next().map(|word| word.text.clone());
                let list: Vec<Word<'t>> = words.skip(1).cloned().collect();
                if let Some(name) = name {
                    let many = list.is_empty() || list.iter().any(is_many);
                    // A loop's variable has only the values of its own loop.
                    self.forget(&name);
                    self.assign(&name, &list, many);
                }
            }
            "export" | "local" | "declare" | "readonly" | "typeset" => {
                let local = matches!(command.name(), "local" | "declare" | "typeset");
                for word in command.arguments() {
                    let name = word.text.split('=').next().unwrap_or_default();
                    if local && !name.starts_with('-') {
                        self.keep_local(name);
                    }
                    // Whatever it was elsewhere, in this call it is this.
                    let own = (word.text.split_once('=')).filter(|_| {
                        local
                            && self.branches == self.outside
                            && !self.conditional
                            && !word.text.ends_with("=(…)")
                    });
                    if let Some((name, _)) = own {
                        self.forget(name);
                    }
                    self.assign_word(word);
                    // Another name for one of them, another kind of value.
                    self.blurred |= local && word.text.starts_with('-');
                    if let Some((name, _)) = own {
                        self.unsure.remove(name);
                    }
                }
            }
            "set" => {
                for word in command.arguments() {
                    self.assign_word(word);
                }
                let words = command.arguments();
                if let Some(at) = words.iter().position(|word| word.text == "--") {
                    let words = words.get(at + 1..).unwrap_or_default();
                    let certain = self.branches == 0 && !self.conditional && !command.fed;
                    self.set_positional(if certain { words } else { &[] });
                }
            }
            "shift" => {
                let by = command.arguments().first();
                let by = by.map_or(Ok(1), |word| word.text.parse::<usize>());
                let left = by.ok().and_then(|by| self.positional.get(by..));
                self.positional = left.unwrap_or_default().to_vec();
            }
            "read" if self.read_from_the_line(command) => {}
            "read" | "mapfile" | "readarray" => {
                for word in command.arguments() {
                    if !word.text.starts_with('-') {
                        self.forget(&word.text);
                        self.assign(&word.text, &[], true);
                    }
                }
            }
            "unset" => {
                for word in command.arguments() {
                    self.forget(&word.text);
                }
            }
            _ => {}
        }
    }

    /// Gives back what [`Context::set_positional`] returned.
    pub(super) fn restore_positional(&mut self, words: Vec<Word<'t>>) {
        self.positional = words;
    }

    /// Gives `$1`, `$@` and their kin their values, and returns those from before.
    pub(super) fn set_positional(&mut self, words: &[Word<'t>]) -> Vec<Word<'t>> {
        let words = words.iter().take(MAX_VALUES);
        let fits = |word: &&Word| word.text.len() <= MAX_VALUE;
        let words = words.take_while(fits).cloned().collect();
        std::mem::replace(&mut self.positional, words)
    }

    /// `read a b <<< 'text'`: each name has a part of the text, the last one the rest.
    fn read_from_the_line(&mut self, command: &SimpleCommand<'t>) -> bool {
        let told = |redirect: &&super::Redirect| {
            redirect.kind == super::RedirectKind::Herestring && !redirect.target.unknown
        };
        let Some(text) = command.redirects.iter().rev().find(told) else {
            return false;
        };
        let mut names: Vec<&str> = Vec::new();
        let mut array = false;
        for word in command.arguments() {
            match word.text.strip_prefix('-') {
                Some(options) if options.contains(['d', 'n', 'p', 't', 'N', 'u', 'i']) => {
                    return false;
                }
                Some(options) => array |= options.contains('a'),
                None => names.push(&word.text),
            }
        }
        let separators = self.separators.clone();
        let apart = |c: char| c.is_whitespace() || separators.contains(c);
        let part = |text: &str| Word {
            carried: true,
            ..Word::plain(text.to_owned())
        };
        let text = &*text.target.text;
        if array {
            let parts = text.split(apart).filter(|text| !text.is_empty());
            let parts: Vec<Word<'t>> = parts.take(MAX_VALUES).map(part).collect();
            if let Some(name) = names.first() {
                self.assign(name, &parts, false);
            }
            return true;
        }
        let count = names.len().max(1);
        let parts = text.trim_matches(apart).splitn(count, apart);
        for (name, text) in names.iter().zip(parts) {
            self.assign(name, &[part(text)], false);
        }
        true
    }

    /// A branch begins or ends, if it is one.
    pub(super) fn branch(&mut self, is_one: bool, begins: bool) {
        self.branches = match (is_one, begins) {
            (false, _) => self.branches,
            (true, true) => self.branches.saturating_add(1),
            (true, false) => self.branches.saturating_sub(1),
        };
    }

    /// Follows the words that open and close branches.
    pub(super) fn reserved(&mut self, text: &str) {
        match text {
            "if" => self.branches = self.branches.saturating_add(1),
            "while" | "until" => {
                self.branches = self.branches.saturating_add(1);
                self.loops = self.loops.saturating_add(1);
            }
            "fi" | "esac" => self.branches = self.branches.saturating_sub(1),
            "done" => {
                self.branches = self.branches.saturating_sub(1);
                self.loops = self.loops.saturating_sub(1);
            }
            _ => {}
        }
    }

    /// Returns true if a variable has a text, and never an empty one.
    pub(super) fn has_text(&mut self, name: &str) -> bool {
        let values = self.values(name);
        values.is_some_and(|values| {
            values
                .iter()
                .all(|one| !one.text.is_empty() && !one.unknown)
        })
    }

    /// The values a variable may have; `None` when the text does not tell.
    pub(super) fn values(&mut self, name: &str) -> Option<&[Word<'t>]> {
        if self.many.contains(name) {
            self.many_used = true;
        }
        let positional = match name {
            "@" | "*" => Some(self.positional.as_slice()),
            name if name.len() == 1 && name.starts_with(|c: char| matches!(c, '1'..='9')) => name
                .parse::<usize>()
                .ok()
                .and_then(|nth| self.positional.get(nth - 1..nth)),
            _ => None,
        };
        positional
            .or_else(|| self.variables.get(name).map(Vec::as_slice))
            .filter(|values| !values.is_empty())
    }
}

/// A word that stands for an unknown number of things.
fn is_many(word: &Word) -> bool {
    word.unknown || (!word.quoted && word.text.contains(['*', '?']))
}
