//! Functions that a text defines and calls: what they do depends on what they are given.
//!
//! A body is read where it stands, as if anything could be given to it, and again at each call with
//! the words of that call. When every mention of a function is such a call, only the calls count
//! ([`Role::Idle`]).

use hashbrown::HashMap;

use super::lex::{Lexer, run};
use super::variables::{Context, Kept};
use super::wrappers::Input;
use super::{Frame, Joined, MAX_COMMANDS, Role, Script, SimpleCommand, Text, Word};

/// Functions of one text that are remembered, and bytes of a body.
const MAX_FUNCTIONS: usize = 64;
const MAX_BODY: usize = 16 * 1024;
/// Calls that are followed, and bytes that they may read in all.
const MAX_CALLS: usize = 128;
const MAX_READ: usize = 64 * 1024;
/// Words that a function may take off before it runs the rest.
const MAX_TAKEN: usize = 3;
/// Forms of one call, by the values of its variables, and words that it is given.
const MAX_FORMS: usize = 31;
const MAX_GIVEN: usize = 32;
/// Words that a body takes one by one (`shift`).
const MAX_SHIFTS: usize = 8;

/// The functions of a text.
#[derive(Debug, Default)]
pub(super) struct Functions<'t> {
    known: Vec<Function<'t>>,
    /// The last definition of each name.
    names: HashMap<Text<'t>, usize>,
    /// Those that are being followed; none of them is followed again.
    active: Vec<usize>,
    calls: usize,
    read: usize,
}

#[derive(Debug)]
struct Function<'t> {
    name: Text<'t>,
    body: Text<'t>,
    /// Each call is a shell of its own.
    apart: bool,
    /// The commands that were read where it stands.
    commands: std::ops::Range<usize>,
    called: bool,
    /// It is defined whatever happens.
    certain: bool,
    /// It is mentioned where it is not known what it is given, or was defined again.
    loose: bool,
}

/// A definition whose body is being read.
pub(super) struct Open<'t> {
    name: Text<'t>,
    /// Start of its body, in bytes and commands.
    start: usize,
    first: usize,
    positional: Vec<Word<'t>>,
    dir: Option<String>,
    /// Operator before it.
    joined: Joined,
    outer: Vec<Kept<'t>>,
}

impl<'t> Open<'t> {
    /// Nothing of what was read there has happened.
    pub(super) fn leave(self, context: &mut Context<'t>) {
        context.restore_positional(self.positional);
        context.bodies = context.bodies.saturating_sub(1);
        context.leave_scope(self.outer);
    }
}

impl<'t> Functions<'t> {
    fn named(&mut self, name: &str) -> Option<&mut Function<'t>> {
        let at = self.names.get(name)?;
        self.known.get_mut(*at)
    }

    /// Notes what the words behind a program mention.
    fn mention(&mut self, command: &SimpleCommand) {
        // What a trap holds is read as a text of its own.
        if self.known.is_empty() || command.name() == "trap" {
            return;
        }
        let unset = command.name() == "unset";
        for word in command.arguments() {
            if unset {
                self.names.remove(word.text.as_str());
            } else if let Some(function) = self.named(word.text.as_str()) {
                function.loose = true;
            }
        }
    }

    /// The function that `command` calls and what it is given: several times when the body
    /// takes one word after the other. Nothing when it cannot be followed, as when the text is too
    /// `crowded`.
    fn called(
        &mut self,
        command: &SimpleCommand<'t>,
        crowded: bool,
    ) -> Option<(usize, Vec<Vec<Word<'t>>>)> {
        if self.known.is_empty() {
            return None;
        }
        let word = command.words.first()?;
        let at = *self.names.get(word.text.as_str())?;
        let again = self.active.contains(&at);
        let function = self.known.get_mut(at)?;
        if again {
            // What it is given then is not followed.
            function.loose = true;
            return None;
        }
        // One of its forms after the other; each word has the text of that form alone.
        let mut forms = vec![command.split().unwrap_or_else(|| command.clone())];
        forms.extend((0..command.variants().min(MAX_FORMS)).map(|nth| command.variant(nth)));
        let given = forms.iter().map(|form| {
            let words = form.arguments().iter().take(MAX_GIVEN).map(|word| Word {
                text: word.text.clone(),
                others: Box::default(),
                ..*word
            });
            words.collect()
        });
        let mut rounds: Vec<Vec<Word<'t>>> = given.collect();
        let looping = ["while", "until", "for"];
        if function.body.contains("shift") && looping.iter().any(|how| function.body.contains(how))
        {
            for nth in 1..command.arguments().len().min(MAX_SHIFTS) {
                let later = command.arguments().get(nth..).unwrap_or_default();
                rounds.push(later.to_vec());
            }
        }
        self.calls += rounds.len();
        self.read = self.read.saturating_add(function.body.len() * rounds.len());
        if crowded || self.calls > MAX_CALLS || self.read > MAX_READ {
            function.loose = true;
            return None;
        }
        function.called = true;
        Some((at, rounds))
    }

    /// Returns true if the text defines any, or did.
    pub(super) fn are_any(&self) -> bool {
        !self.known.is_empty()
    }

    /// Returns true if the text defines, or did, a function of this name.
    pub(super) fn knows(&self, name: &str) -> bool {
        self.known.iter().any(|known| known.name == name)
    }

    /// The definition that was read last may not stay.
    pub(super) fn doubt_last(&mut self) {
        if let Some(last) = self.known.last_mut() {
            last.certain = false;
        }
    }

    /// Returns the number of known functions, for [`Functions::leave`].
    pub(super) fn enter(&self) -> usize {
        self.known.len()
    }

    /// A shell of its own ended: what it defined since then is gone.
    pub(super) fn leave(&mut self, known: usize) {
        if self.known.len() > known {
            self.names.retain(|_, at| *at < known);
        }
    }

    /// The names, taken away: another program knows none of them.
    pub(super) fn take_names(&mut self) -> HashMap<Text<'t>, usize> {
        std::mem::take(&mut self.names)
    }

    /// Gives them back.
    pub(super) fn give_names(&mut self, names: HashMap<Text<'t>, usize>) {
        self.names = names;
    }

    /// Tells the commands of definitions that only count where they are called. A function that nothing
    /// calls does nothing, if there is more to the text than what it defines; `blurred` when something
    /// that is not told may call any.
    pub(super) fn settle(&self, script: &mut Script, text: &str, blurred: bool) {
        if self.known.is_empty() || self.known.iter().all(|it| it.loose) {
            return;
        }
        let defined = |at: &usize| self.known.iter().any(|it| it.commands.contains(at));
        let rest = (0..script.commands.len()).filter(|at| !defined(at));
        let rest: Vec<&SimpleCommand> = rest.filter_map(|at| script.commands.get(at)).collect();
        let told = |it: &&SimpleCommand| it.words.first().is_none_or(|word| !word.unknown);
        let more = !blurred && !rest.is_empty() && rest.iter().all(told);
        for function in &self.known {
            let unused = || more && is_said_once(text, &function.name);
            if !function.loose && (function.called || unused()) {
                let commands = script.commands.get_mut(function.commands.clone());
                for command in commands.unwrap_or_default() {
                    command.role = Role::Idle;
                }
            }
        }
    }
}

/// Returns true if a text says a name once and no more.
fn is_said_once(text: &str, name: &str) -> bool {
    let part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let found = memchr::memmem::find_iter(text.as_bytes(), name.as_bytes());
    let mut found = found.filter(|at| {
        let before = at.checked_sub(1).and_then(|at| text.as_bytes().get(at));
        let behind = text.as_bytes().get(at + name.len());
        // `-f` is an option.
        !before.is_some_and(|byte| part(byte) || *byte == b'-') && !behind.is_some_and(part)
    });
    found.next().is_some() && found.next().is_none()
}

impl<'t> Lexer<'t, '_> {
    /// The body of function `name` begins here.
    pub(super) fn open_function(&mut self, name: Text<'t>) -> Open<'t> {
        self.context.bodies = self.context.bodies.saturating_add(1);
        Open {
            name,
            start: self.pos,
            first: self.script.commands.len(),
            // What its words are is told where it is called.
            positional: self.context.set_positional(&[]),
            dir: self.dir.clone(),
            joined: if self.denied { Joined::Or } else { self.joined },
            outer: self.context.enter_scope(),
        }
    }

    /// It ended before byte `end`; `apart` when each call is a shell of its own.
    pub(super) fn close_function(&mut self, mut open: Open<'t>, end: usize, apart: bool) {
        self.dir = open.dir.take();
        let body = self.part(open.start, end);
        let name = std::mem::take(&mut open.name);
        let open_joined = open.joined;
        let commands = open.first..self.script.commands.len();
        open.leave(self.context);
        let compound = !self.braces.is_empty() || !self.branchings.is_empty();
        let alone = matches!(open_joined, Joined::First | Joined::Sequence);
        let certain = self.context.is_certain() && !compound && alone;
        let functions = &mut self.context.functions;
        let again = functions.named(&name);
        let loose = again.is_some();
        if let Some(before) = again {
            before.loose = true;
        }
        // A definition inside a body is read with each call of it.
        if !functions.active.is_empty()
            || functions.known.len() >= MAX_FUNCTIONS
            || body.len() > MAX_BODY
        {
            return;
        }
        functions.names.insert(name.clone(), functions.known.len());
        functions.known.push(Function {
            name,
            body,
            apart,
            commands,
            called: false,
            certain,
            loose,
        });
    }
}

/// Follows the command at `index` when it calls a function of the text; gives the directory that the
/// function leaves it in.
pub(super) fn follow<'t>(
    script: &mut Script<'t>,
    context: &mut Context<'t>,
    index: usize,
    depth: u8,
) -> Option<Option<String>> {
    let crowded = script.commands.len() > MAX_COMMANDS / 2;
    let command = script.commands.get_mut(index)?;
    context.functions.mention(command);
    let (at, rounds) = context.functions.called(command, crowded)?;
    let function = context.functions.known.get(at)?;
    let body = function.body.clone();
    let apart = function.apart;
    let certain = function.certain;
    let frame = Frame {
        dir: command.dir.clone(),
        remote: command.remote,
        fed: command.fed,
        elevated: command.elevated,
        depth,
    };
    let mut dir = None;
    let input = Input::of(command);
    let first = script.commands.len();
    context.functions.active.push(at);
    let outside = context.enter_call();
    let outer = apart.then(|| context.enter_scope());
    let once = rounds.len() == 1;
    let given = rounds.first().cloned().unwrap_or_default();
    for words in rounds {
        let before = context.set_positional(&words);
        dir = run(script, context, body.clone(), &frame, false);
        context.restore_positional(before);
    }
    if let Some(outer) = outer {
        context.leave_scope(outer);
    }
    context.leave_call(outside);
    // What one of several calls does is not what all do.
    context.exited &= once && !apart;
    context.functions.active.pop();
    input.hand_on(script, first);
    // A body that runs what it is given in a way that is not told leaves the call to be judged.
    let told = |it: &SimpleCommand| it.words.first().is_none_or(|word| !word.unknown);
    let followed = script
        .commands
        .get(first..)
        .is_some_and(|all| all.iter().all(told));
    if !followed {
        // `run() { "${@:2}"; }`: some of what it is given is a command.
        for nth in 0..MAX_TAKEN {
            let words = given.get(nth..).unwrap_or_default();
            if words
                .first()
                .is_some_and(|word| !word.text.starts_with('-'))
            {
                script.commands.push(SimpleCommand {
                    words: words.to_vec(),
                    dir: frame.dir.clone(),
                    remote: frame.remote,
                    fed: frame.fed,
                    elevated: frame.elevated,
                    depth,
                    ..SimpleCommand::default()
                });
            }
        }
    }
    if certain && followed && context.is_plain() {
        if let Some(command) = script.commands.get_mut(index) {
            command.role = Role::Call;
        }
    } else {
        context.exited = false;
    }
    // Where a shell of its own goes, nobody else is.
    Some(if apart { frame.dir } else { dir })
}

#[cfg(test)]
mod tests {
    use super::super::{Dialect, Role, analyse};

    /// Returns the commands that run, as `word word`.
    fn runs(text: &str) -> Vec<String> {
        let script = analyse(text, Dialect::Posix);
        let commands = script.commands.iter();
        let kept = commands.filter(|one| one.role == Role::Ordinary && !one.words.is_empty());
        kept.map(|one| {
            let words: Vec<&str> = one.words.iter().map(|word| word.text.as_str()).collect();
            words.join(" ")
        })
        .collect()
    }

    #[test]
    fn calls_with_what_they_are_given() {
        assert_eq!(runs("f() { rm \"$1\"; }; f a; f b"), ["rm a", "rm b"]);
        assert_eq!(runs("function f { rm $2 $1; }\nf a b"), ["rm b a"]);
        assert_eq!(runs("f() ( rm \"$@\" ); f a b"), ["rm a b"]);
        assert_eq!(runs("f() { g \"$1\"; }; g() { rm \"$1\"; }; f a"), ["rm a"]);
        assert_eq!(
            runs("f() { local d=$1; rm $d; }; f a; f b"),
            ["local d=a", "rm a", "local d=b", "rm b"]
        );
        assert_eq!(
            runs("for x in a b; do f $x; done; f() { :; }")
                .last()
                .map(String::as_str),
            Some(":")
        );
        assert_eq!(
            runs("f() { rm $1; }; for x in a b; do f $x; done")[1..],
            ["rm a", "rm b"]
        );
        assert_eq!(
            runs("f() { while x; do rm $1; shift; done; }; f a b"),
            ["x", "rm a", "shift", "x", "rm b", "shift"]
        );
    }

    /// Without all its calls a function may be given anything.
    #[test]
    fn definitions_that_count() {
        for text in [
            "f() { rm $1; }",
            "f() { rm $1; }; f a; ls | xargs f",
            "f() { rm $1; }; f a; export -f f",
            "f() { rm $1; }; f a; f() { mv $1; }",
        ] {
            assert!(runs(text).contains(&"rm $1".to_owned()), "{text}");
        }
        assert_eq!(runs("trap f EXIT; f() { rm a; }"), ["trap f EXIT", "rm a"]);
    }

    #[test]
    fn what_nothing_calls() {
        assert_eq!(runs("f() { rm a; }; g"), ["g"]);
        for text in [
            "f() { rm a; }",
            "f() { rm a; }; $x",
            "f() { rm a; }; . ./x",
            "f() { rm a; }; PROMPT_COMMAND=f",
            "f() { rm a; }; declare -fx f; g",
            "f() { rm a; }; echo 'f' | bash",
            "f() { rm a; }; declare -f f | sh",
        ] {
            assert!(runs(text).contains(&"rm a".to_owned()), "{text}");
        }
    }

    /// A function hides a program only where it is one.
    #[test]
    fn programs_of_the_same_name() {
        assert_eq!(runs("rm() { echo; }; rm a"), ["echo"]);
        for text in [
            "rm() { echo; }; bash -c 'rm a'",
            "(rm() { echo; }); rm a",
            "rm() { echo; }; sudo rm a",
            "rm() { echo; }; unset -f rm; rm a",
            "if x; then rm() { echo; }; fi; rm a",
            "rm() { command rm a; }; rm a",
        ] {
            assert!(runs(text).iter().any(|it| it.contains("rm a")), "{text}");
        }
    }

    #[test]
    fn what_calls_itself_ends() {
        assert_eq!(runs("f() { f; f; }; f"), ["f", "f", "f", "f"]);
        let mut text = String::from("a0() { x; }\n");
        for n in 1..20 {
            let below = n - 1;
            text.push_str(&format!("a{n}() {{ a{below}; a{below}; a{below}; }}\n"));
        }
        text.push_str("a19");
        let script = analyse(&text, Dialect::Posix);
        assert!(!script.undecided && script.commands.len() < 4096);
    }
}
