//! "Wait for my word before you change A": what is to be left alone until somebody has said so.

use super::anaphora::UNTIL;
use super::clause::{Clause, Item};
use super::rules::LEAD;
use super::runtime_behaviour::is_said_of_a_thing;
use super::word_class::{Class, Set};

/// Verbs with which somebody wants to be asked.
const ASKS: &[&str] = &[
    "ask",
    "frag",
    "frage",
    "pregunta",
    "preguntame",
    "consulta",
    "consultame",
    "avisa",
    "avisame",
    "demande",
    "demandes",
    "previens",
    "pergunte",
    "pergunta",
    "consulte",
    "avise",
    "问",
    "问我",
    "聞いて",
    "聞く",
    "相談",
    "相談して",
    "一声",
];

/// The paths that a message wants to be left alone until somebody says so, and the clauses that say it.
pub(super) fn awaited(clauses: &[Clause]) -> (Vec<String>, Vec<usize>) {
    let mut found = (Vec::new(), Vec::new());
    for (at, clause) in clauses.iter().enumerate().filter(|(_, c)| !c.reported) {
        let mut paths = paths_of(waits_with(clause).unwrap_or_default());
        if let Some(next) = clauses.get(at + 1).filter(|next| !next.opens)
            && paths.is_empty()
        {
            // "Before you change A, ask me", and the other way round.
            if asks(next) {
                paths = paths_of(before_a_change(clause));
            } else if asks(clause) && clause.items.len() > 1 {
                paths = paths_of(before_a_change(next));
            }
            if !paths.is_empty() {
                found.1.push(at + 1);
            }
        }
        if !paths.is_empty() {
            found.0.append(&mut paths);
            found.1.push(at);
        }
    }
    found
}

fn paths_of(items: &[Item]) -> Vec<String> {
    let paths = items.iter().filter(|i| i.has(Class::Path));
    paths.map(|i| i.text.clone()).collect()
}

/// A clause that begins with waiting or asking; what is waited for is not the end of a program.
fn asks(clause: &Clause) -> bool {
    let parts = LEAD.with(Set::of(Class::Func));
    let first = clause.items.iter().find(|i| !i.set.meets(parts));
    let begins = first.is_some_and(|i| is_wait(i) || is_asking(i));
    let ends = is_verb_last(clause) && clause.items.iter().any(|i| is_wait(i) || is_asking(i));
    (begins || ends)
        && !clause.question
        && !is_for_a_program(&clause.items)
        && !clause.items.iter().any(is_user)
}

/// Returns the change in a clause that begins with "before".
fn before_a_change(clause: &Clause) -> &[Item] {
    let items = &clause.items;
    let Some(before) = items.iter().position(|i| i.has(Class::Before)) else {
        return &[];
    };
    let leads = items.iter().take(before).all(|i| i.set.meets(LEAD));
    let with = match is_verb_last(clause) {
        true => items.get(..before),
        false => items.get(before + 1..).filter(|_| leads),
    };
    // "Before you change A fix B" orders something.
    let path = with.and_then(|with| with.iter().position(|i| i.has(Class::Path)));
    let orders = with.unwrap_or_default().iter().skip(path.unwrap_or(0));
    let orders = orders.into_iter().any(|i| i.has(Class::Fix));
    with.filter(|with| !orders && with.iter().any(is_change))
        .unwrap_or_default()
}

/// Returns true if what is waited for is a run of something: "wait for CI" ends by itself.
fn is_for_a_program(items: &[Item]) -> bool {
    items
        .iter()
        .any(|i| i.has(Class::Test) || i.has(Class::Run) || is_within_a_program(i))
}

/// Returns true for things that one part of a program waits for in another. Nothing that people give, too: whoever waits for a
/// response or an event may mean his own.
pub(super) fn is_within_a_program(item: &Item) -> bool {
    const PARTS: &[&str] = &[
        "lock",
        "locks",
        "mutex",
        "semaphore",
        "semaphor",
        "flush",
        "fsync",
        "transaction",
        "transactions",
        "cerrojo",
        "transaccion",
        "verrou",
        "sperre",
        "transaktion",
        "trava",
        "transacao",
        "锁",
        "事务",
        "ロック",
        "トランザクション",
    ];
    PARTS.contains(&item.text.as_str())
}

/// The product's people: "ask the user" is for a program to do.
fn is_user(item: &Item) -> bool {
    const USERS: &[&str] = &[
        "user",
        "users",
        "usuario",
        "usuarios",
        "utilisateur",
        "benutzer",
        "nutzer",
        "客户",
        "用户",
        "ユーザー",
        "利用者",
    ];
    USERS.contains(&item.text.as_str()) || item.text.is_empty() && item.has(Class::I)
}

fn is_asking(item: &Item) -> bool {
    ASKS.contains(&item.text.as_str())
}

/// Returns true if a clause is of a language that sets what is to be waited with before "before".
fn is_verb_last(clause: &Clause) -> bool {
    let mut texts = clause.items.iter().flat_map(|i| i.text.chars());
    texts.any(aictx_proto::fold::is_unspaced)
}

fn is_change(item: &Item) -> bool {
    [
        Class::Edit,
        Class::EditNo,
        Class::EditN,
        Class::Add,
        Class::Make,
        Class::Do,
    ]
    .iter()
    .any(|class| item.has(*class))
}

pub(super) fn is_wait(item: &Item) -> bool {
    let puts_off = item.has(Class::Later) && item.text.is_empty();
    item.has(Class::Wait) || item.has(Class::StopX) || item.has(Class::Stop) || puts_off
}

/// "Wait for my approval before changing anything", "hold off on editing until I have seen the plan". What is to
/// be waited with has no name of its own.
pub(super) fn waits(clause: &Clause) -> bool {
    let names = |i: &Item| i.has(Class::Path) || i.has(Class::Dir) || i.has(Class::AreaN);
    let all = |i: &Item| is_wait(i) || i.has(Class::Nothing);
    clause.items.iter().any(all) && waits_with(clause).is_some_and(|with| !with.iter().any(names))
}

/// Returns the work to be held back.
pub(super) fn waits_with(clause: &Clause) -> Option<&[Item]> {
    let items = &clause.items;
    if clause.question || items.iter().any(|i| i.has(Class::Neg) || is_user(i)) {
        return None;
    }
    let before = items.iter().position(|i| i.has(Class::Before));
    let changes = |items: &&[Item]| items.iter().any(is_change);
    // "Show me the plan before changing anything".
    let shows = items.iter().position(|i| i.has(Class::QAsk));
    let everything = items.iter().any(|i| i.has(Class::Nothing));
    let waits = items
        .iter()
        .position(is_wait)
        .or(shows.filter(|_| everything))
        .filter(|at| !is_said_of_a_thing(items, *at));
    if let Some(before) = before {
        // "Check with me": to check is also what is done to files.
        let confirms = |at: &usize| {
            let between = items.get(before + 1..*at).unwrap_or_default();
            let parts = LEAD
                .with(Set::of(Class::Func))
                .with(Set::of(Class::Tail))
                .with(Set::of(Class::First))
                .with(Set::of(Class::I));
            let checks = items.get(*at).is_some_and(|i| i.has(Class::CheckV));
            // "A dialog that confirms" is something to build.
            let behind = items.get(at + 1..).unwrap_or_default();
            is_verb_last(clause)
                && checks
                && between
                    .iter()
                    .chain(behind)
                    .all(|i| i.set.meets(parts.with(Set::of(Class::AskEnd))))
        };
        // "Make it ask the user": a program asks, or somebody else is asked.
        let built = |at: &usize| {
            let before = items.get(..*at).unwrap_or_default();
            let makes = |i: &Item| i.has(Class::Make) || i.has(Class::Add) || i.has(Class::Should);
            before.iter().any(makes)
        };
        let asks = || items.iter().position(is_asking).filter(|at| !built(at));
        let checks = || (before + 1..items.len()).find(confirms);
        let waits = waits.or_else(asks).or_else(checks)?;
        let (with, what) = match waits < before {
            true => (items.get(before + 1..)?, items.get(waits + 1..before)?),
            // "Before you change A wait"; what stands before "before", where verbs are last.
            // "在 A 完成之前别动 B" waits with B, which has words of its own.
            false if is_verb_last(clause) => {
                let behind = items.get(waits + 1..)?;
                if behind.iter().any(|i| i.has(Class::Path)) {
                    return None;
                }
                (items.get(..before)?, items.get(before + 1..waits)?)
            }
            false => (items.get(before + 1..waits)?, items.get(waits + 1..)?),
        };
        return Some(with).filter(|with| changes(with) && !is_for_a_program(what));
    }
    let waits = waits?;
    let until = |i: &Item| UNTIL.contains(&i.text.as_str());
    let until = items.iter().position(until)?;
    items.get(waits + 1..until).filter(changes)
}

/// "Before you change anything, wait for me", and the other way round.
pub(super) fn waits_first(pair: &[Clause]) -> bool {
    let [first, second] = pair else { return false };
    let asks = |i: &Item| is_wait(i) || is_asking(i);
    let waits = |clause: &Clause| !clause.question && clause.items.iter().any(asks);
    before_any_change(first) && waits(second) || waits(first) && before_any_change(second)
}

/// A clause that says no more than "before you change anything".
fn before_any_change(clause: &Clause) -> bool {
    let opens = clause.items.iter().find(|i| !i.set.meets(LEAD));
    let has = |test: &dyn Fn(&Item) -> bool| clause.items.iter().any(test);
    let anything = |i: &Item| i.has(Class::Nothing) || matches!(i.text.as_str(), "etwas" | "algo");
    opens.is_some_and(|i| i.has(Class::Before))
        && has(&is_change)
        && has(&anything)
        && !has(&|i| i.has(Class::Path) || i.has(Class::Dir))
}
