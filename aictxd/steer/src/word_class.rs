//! Classes of words in messages to an agent.

/// A set of [`Class`]es.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Set(u128);

impl Set {
    /// The empty set.
    pub(super) const NONE: Self = Self(0);

    /// The set of one class.
    pub(super) const fn of(class: Class) -> Self {
        Self(1 << class as u32)
    }

    /// Both together.
    pub(super) const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Returns the intersection.
    pub(super) const fn both(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// Returns true if they share a class.
    pub(super) const fn meets(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// Returns true if `class` is in it.
    pub(super) const fn has(self, class: Class) -> bool {
        self.meets(Self::of(class))
    }
}

macro_rules! classes {
    ($($(#[$doc:meta])* $variant:ident = $name:literal;)*) => {
        /// One meaning. Language packs and rules call it by its name in capitals.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[repr(u8)]
        pub(super) enum Class {
            $($(#[$doc])* $variant),*
        }

        /// Every class with its name.
        pub(super) const CLASSES: &[(&str, Class)] = &[$(($name, Class::$variant)),*];
    };
}

classes! {
    /// A function word: says only which language this is.
    Func = "FUNC";
    /// Courtesy, address, "you should": may stand before an order.
    Polite = "POLITE";
    /// "so", "ok", "well": may stand before an order.
    Fill = "FILL";
    /// "can you": makes an order of what follows, also in a question.
    Ask = "ASK";
    /// The agent.
    You = "YOU";
    /// Somebody else.
    I = "I";
    /// Joins clauses.
    And = "AND";
    /// Joins clauses in order.
    Then = "THEN";
    /// Contrasts clauses.
    But = "BUT";
    /// Joins what one verb governs.
    Or = "OR";
    /// May follow an order without an object: "now", "a second".
    Tail = "TAIL";
    /// Objects that mean the whole work.
    AllObj = "ALLOBJ";
    /// To end or interrupt.
    Stop = "STOP";
    /// A phrase that asks to end or interrupt by itself.
    StopX = "STOPX";
    /// "never mind": takes something back, unclear what.
    Nvm = "NVM";
    /// To wait.
    Wait = "WAIT";
    /// To go on.
    Cont = "CONT";
    /// Counterparts of stopping or waiting where both are only named: "start, stop and restart".
    Pair = "PAIR";
    /// Forbids the verb that follows.
    Neg = "NEG";
    /// Plain negation.
    Not = "NOT";
    /// The answer no.
    No = "NO";
    /// "no need to".
    NoNeed = "NONEED";
    /// Consent.
    Yes = "YES";
    /// Praise, thanks.
    Good = "GOOD";
    /// To change a file.
    Edit = "EDIT";
    /// The form of such a verb that only follows a negation.
    EditNo = "EDITNO";
    /// A change, as a noun.
    EditN = "EDITN";
    /// Forbids what stands beside it, without a verb.
    HandsOff = "HANDSOFF";
    /// "leave", which forbids with `ALONE`.
    Leave = "LEAVE";
    /// "alone", "as it is".
    Alone = "ALONE";
    /// To keep within.
    Keep = "KEEP";
    /// Behaviour: no file.
    Behav = "BEHAV";
    /// To run.
    Run = "RUN";
    /// To leave out.
    Skip = "SKIP";
    /// Tests, linters, builds.
    Test = "TEST";
    /// To check.
    CheckV = "CHECKV";
    /// To add to the product.
    Add = "ADD";
    /// "we need".
    Need = "NEED";
    /// "should", of the product.
    Should = "SHOULD";
    /// "make it …".
    Make = "MAKE";
    /// To use, to rely on, to add to the code.
    Use = "USE";
    /// Means one does without.
    StratNeg = "STRATNEG";
    /// To push, commit, deploy.
    Publish = "PUBLISH";
    /// To break.
    Break = "BREAK";
    /// Care.
    Careful = "CAREFUL";
    /// Danger.
    Danger = "DANGER";
    /// Wrong.
    Wrong = "WRONG";
    /// A phrase that corrects by itself.
    Misund = "MISUND";
    /// To take back.
    Undo = "UNDO";
    /// "also", "too".
    Also = "ALSO";
    /// "instead".
    Instead = "INSTEAD";
    /// "simpler", "another".
    Simpler = "SIMPLER";
    /// "approach".
    Way = "WAY";
    /// A phrase that changes the way by itself.
    SimpleX = "SIMPLEX";
    /// To change over to.
    Switch = "SWITCH";
    /// A phrase that clarifies by itself.
    ClarX = "CLARX";
    /// "only".
    Only = "ONLY";
    /// Permission.
    May = "MAY";
    /// A phrase that lifts a prohibition by itself.
    LiftX = "LIFTX";
    /// "again".
    Again = "AGAIN";
    /// To extend.
    Extend = "EXTEND";
    /// A phrase about the scope.
    ScopeX = "SCOPEX";
    /// "part".
    Part = "PART";
    /// A part of a product.
    AreaN = "AREAN";
    /// "first".
    First = "FIRST";
    /// "before".
    Before = "BEFORE";
    /// Urgency and order.
    Urgent = "URGENT";
    /// "later".
    Later = "LATER";
    /// "drop everything".
    DropAll = "DROPALL";
    /// Begins a question.
    Q = "Q";
    /// Asks for words, not work.
    QAsk = "QASK";
    /// Asks for words when it follows `ASK`.
    CheckQ = "CHECKQ";
    /// A remark.
    Side = "SIDE";
    /// Verbs of whole tasks.
    Fix = "FIX";
    /// Words of fault reports.
    Bug = "BUG";
    /// A phrase that changes the task by itself.
    TaskX = "TASKX";
    /// "folder", "file".
    Dir = "DIR";
    /// "under".
    Under = "UNDER";
    /// "except".
    Except = "EXCEPT";
    /// "except" where it follows what is excepted.
    Excepted = "EXCEPTED";
    /// To keep away from a thing.
    Avoid = "AVOID";
    /// "perhaps": makes a proposal of an order.
    Hedge = "HEDGE";
    /// "not sure whether": makes a question of what follows.
    Unsure = "UNSURE";
    /// Steps that cannot be taken back.
    Risky = "RISKY";
    /// "if".
    If = "IF";
    /// "says".
    Say = "SAY";
    /// "without".
    Without = "WITHOUT";
    /// "rather".
    Rather = "RATHER";
    /// "do".
    Do = "DO";
    /// "less".
    Less = "LESS";
    /// A point in the work: "you commit".
    OutP = "OUTP";
    /// A phrase of consent to a step.
    Consent = "CONSENT";
    /// The negation at the end of a Japanese, Korean or Turkish verb.
    NegEnd = "NEGEND";
    /// The request at the end of a Japanese or Korean verb.
    AskEnd = "ASKEND";
    /// The question at the end of a sentence.
    QEnd = "QEND";
    /// An English word in -ing. Given by the reader of words, not by packs.
    Ing = "ING";
    /// "nothing", "no file".
    Nothing = "NOTHING";
    /// Lifts every limit.
    LiftAll = "LIFTALL";
    /// "look but don't touch".
    LookOnly = "LOOKONLY";
    /// "and nothing else".
    NoElse = "NOELSE";
    /// "by the way".
    Btw = "BTW";
    /// Past deeds of the agent, after its pronoun.
    Past = "PAST";
    /// "loads": with a negation, what a report of a fault says.
    Works = "WORKS";
    /// Says what something has to do, or must not.
    Modal = "MODAL";
    /// To leave a place.
    GoOut = "GOOUT";
    /// A phrase that leaves a decision to the agent.
    Yours = "YOURS";
    /// "restriction": what was said not to be done.
    LimitN = "LIMITN";
    /// To take such a thing back.
    LiftV = "LIFTV";
    /// "Drop it": stops the work, or one thing that stands before it.
    DropIt = "DROPIT";
    /// A path. Given by the reader of words.
    Path = "PATH";
    /// Code, a link, a quotation. Given by the reader of words.
    Opaque = "OPAQUE";
    /// A number. Given by the reader of words.
    Number = "NUMBER";
}

/// The class called `name`.
pub(super) fn class(name: &str) -> Option<Class> {
    CLASSES.iter().find(|(n, _)| *n == name).map(|(_, c)| *c)
}
