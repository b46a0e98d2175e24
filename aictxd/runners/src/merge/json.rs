//! Entries of JSON files with comments and trailing commas.
//!
//! One entry at a time: parse, find its place, splice. Settings are small and entries few, so
//! parsing anew for each keeps every step simple and every offset right.

use jsonc_parser::ast::{Array, Object, Value as Ast};
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};
use serde_json::{Map, Value};

use self::place::{Container, Slot};
use super::edit_record::{Doc, Record};
use super::entry_owner::{self, Owner};
use super::{Note, Problem, dotted};

mod place;

/// One entry.
#[derive(Debug, Clone, PartialEq)]
pub struct Item {
    /// Member names from the root: to the list that holds the entry, or to the entry itself.
    pub path: Vec<String>,
    /// The entry.
    pub value: Value,
    /// Rule of insertion.
    pub rule: Rule,
}

/// Rule by which an entry is inserted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rule {
    /// An element of a list of hooks, behind those that are there. An element of ours is replaced.
    Element,
    /// A member that holds an MCP server. One of ours is replaced, the user's own stays.
    Server,
    /// A member that the agent wants to see in the file. What stands there stays.
    Default,
}

/// Most rounds of one operation: entries of ours in one file, generously.
const MAX_ROUNDS: usize = 500;

pub(super) fn ensure(doc: &mut Doc, items: &[Item], replace_ancestor: bool) -> Result<(), Problem> {
    ensure_root(doc)?;
    for item in items {
        match item.rule {
            Rule::Element => ensure_element(doc, item, replace_ancestor)?,
            Rule::Server => ensure_server(doc, item, replace_ancestor)?,
            Rule::Default => {
                with_root(doc.text(), |root| {
                    lookup(root, &item.path).map(|f| f.is_some())
                })?
                .then_some(())
                .map_or_else(|| add_member(doc, item), Ok)?;
            }
        }
    }
    // Never write what cannot be read back.
    with_root(doc.text(), |_| Ok(()))
}

pub(super) fn remove(
    doc: &mut Doc,
    items: &[Item],
    record: Option<&Record>,
) -> Result<(), Problem> {
    let made = record.map(|record| record.made.as_slice());
    if is_blank(doc.text())? {
        return Ok(());
    }
    let mut parents: Vec<&[String]> = Vec::new();
    for item in items {
        match item.rule {
            // Other events than these may have been registered by another version.
            Rule::Element => {
                let parent = item.path.split_last().map_or(&[][..], |(_, parent)| parent);
                if !parents.contains(&parent) {
                    parents.push(parent);
                }
            }
            Rule::Server => {
                let ours = with_root(doc.text(), |root| {
                    let found = lookup(root, &item.path)?.map(|prop| to_value(&prop.value));
                    Ok(found.is_some_and(|value| {
                        entry_owner::of_server(&value) == Some(Owner::Us)
                            && (!entry_owner::is_switched_off(&value) || is_written(record, item))
                    }))
                })?;
                if ours {
                    take(doc, &item.path, made)?;
                }
            }
            Rule::Default => {}
        }
    }
    for parent in parents {
        sweep(doc, parent, Owner::Us, made)?;
    }
    // What was only put in for the agent's sake goes when it was we who put it in.
    for item in items.iter().filter(|item| item.rule == Rule::Default) {
        let ours = made.is_some_and(|made| made.contains(&item.path));
        let same = with_root(doc.text(), |root| {
            Ok(lookup(root, &item.path)?.is_some_and(|prop| to_value(&prop.value) == item.value))
        })?;
        if ours && same {
            take(doc, &item.path, made)?;
        }
    }
    with_root(doc.text(), |_| Ok(()))
}

/// Returns true if an installation wrote the entry, whatever became of it since.
fn is_written(record: Option<&Record>, item: &Item) -> bool {
    let Some(name) = item.path.last().map(|name| format!("\"{name}\"")) else {
        return false;
    };
    record.is_some_and(|record| {
        let mut splices = record.inserted.iter();
        splices.any(|splice| splice.inserted.contains(&name))
    })
}

/// Hooks below `hooks`, and servers in any container that an agent has for them.
pub(super) fn remove_owner(doc: &mut Doc, who: Owner) -> Result<(), Problem> {
    if is_blank(doc.text())? {
        return Ok(());
    }
    sweep(doc, &["hooks".to_owned()], who, None)?;
    for container in ["mcpServers", "servers", "mcp"] {
        let path = [container.to_owned(), "aictx".to_owned()];
        let theirs = with_root(doc.text(), |root| {
            // A container of another type holds no server.
            let found = lookup(root, &path).ok().flatten();
            let found = found.map(|prop| to_value(&prop.value));
            Ok(found.is_some_and(|value| entry_owner::of_server(&value) == Some(who)))
        })?;
        if theirs {
            take(doc, &path, None)?;
        }
    }
    with_root(doc.text(), |_| Ok(()))
}

/// The ancestor's entries, and the mark that it put at the root.
pub(super) fn remove_ancestor(doc: &mut Doc) -> Result<(), Problem> {
    if is_blank(doc.text())? {
        return Ok(());
    }
    remove_owner(doc, Owner::Ancestor)?;
    let mark = ["_aictx".to_owned()];
    let marked = with_root(doc.text(), |root| {
        let found = lookup(root, &mark)
            .ok()
            .flatten()
            .map(|prop| to_value(&prop.value));
        Ok(found.is_some_and(|value| value.get("managed") == Some(&Value::Bool(true))))
    })?;
    if marked {
        take(doc, &mark, None)?;
    }
    with_root(doc.text(), |_| Ok(()))
}

fn options() -> ParseOptions {
    ParseOptions {
        // A missing comma is a mistake and not a style.
        allow_missing_commas: false,
        ..ParseOptions::default()
    }
}

fn parse(text: &str) -> Result<Option<Ast<'_>>, Problem> {
    parse_to_ast(text, &CollectOptions::default(), &options())
        .map(|parsed| parsed.value)
        .map_err(|e| Problem::at(text, e.range().start, e.kind().to_string()))
}

/// The whole file as a value.
pub(super) fn value(text: &str) -> Option<Value> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    parse(text).ok().flatten().as_ref().map(to_value)
}

fn is_blank(text: &str) -> Result<bool, Problem> {
    Ok(parse(text)?.is_none())
}

/// Gives the root object a look; a root of another kind is an error.
fn with_root<T>(
    text: &str,
    look: impl FnOnce(&Object<'_>) -> Result<T, Problem>,
) -> Result<T, Problem> {
    match parse(text)? {
        Some(Ast::Object(root)) => look(&root),
        _ => Err(Problem::Unexpected {
            path: "the whole file".into(),
            expected: "an object, `{ … }`",
        }),
    }
}

/// Gives a blank file a root.
fn ensure_root(doc: &mut Doc) -> Result<(), Problem> {
    if !is_blank(doc.text())? {
        return with_root(doc.text(), |_| Ok(()));
    }
    let end = doc.text().len();
    let newline = doc.newline();
    let own_line = !doc.text().is_empty() && !doc.text().ends_with(['\n', '\r']);
    let root = if own_line {
        format!("{newline}{{}}")
    } else {
        format!("{{}}{newline}")
    };
    doc.insert(end, &root);
    Ok(())
}

/// The member at a path. Something else than an object on the way is an error, a name that stands
/// there twice as well.
fn lookup<'t, 'a>(
    root: &'t Object<'a>,
    path: &[String],
) -> Result<Option<&'t jsonc_parser::ast::ObjectProp<'a>>, Problem> {
    let mut object = root;
    for (depth, name) in path.iter().enumerate() {
        let mut named = object
            .properties
            .iter()
            .filter(|prop| prop.name.as_str() == name);
        let here = || dotted(path.get(..=depth).unwrap_or(path));
        let found = named.next();
        if named.next().is_some() {
            return Err(Problem::Duplicate { path: here() });
        }
        let Some(prop) = found else { return Ok(None) };
        if depth + 1 == path.len() {
            return Ok(Some(prop));
        }
        match &prop.value {
            Ast::Object(next) => object = next,
            _ => {
                return Err(Problem::Unexpected {
                    path: here(),
                    expected: "an object, `{ … }`",
                });
            }
        }
    }
    Ok(None)
}

fn list_at<'t, 'a>(
    root: &'t Object<'a>,
    path: &[String],
) -> Result<Option<&'t Array<'a>>, Problem> {
    match lookup(root, path)?.map(|prop| &prop.value) {
        None => Ok(None),
        Some(Ast::Array(list)) => Ok(Some(list)),
        Some(_) => Err(Problem::Unexpected {
            path: dotted(path),
            expected: "a list, `[ … ]`",
        }),
    }
}

fn to_value(ast: &Ast<'_>) -> Value {
    match ast {
        Ast::StringLit(text) => Value::String(text.value.clone().into_owned()),
        Ast::NumberLit(number) => serde_json::from_str(number.value)
            .unwrap_or_else(|_| Value::String(number.value.into())),
        Ast::BooleanLit(flag) => Value::Bool(flag.value),
        Ast::NullKeyword(_) => Value::Null,
        Ast::Array(list) => Value::Array(list.elements.iter().map(to_value).collect()),
        Ast::Object(object) => {
            let members = object.properties.iter();
            let members = members.map(|p| (p.name.as_str().to_owned(), to_value(&p.value)));
            Value::Object(members.collect::<Map<_, _>>())
        }
    }
}

/// Position of hooks of one owner in a list: whole elements, or handlers within an element that
/// also holds somebody else's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Found {
    Element(usize),
    Handler(usize, usize),
}

fn hooks_of(list: &Array<'_>, who: Owner) -> Vec<Found> {
    let mut found = Vec::new();
    for (at, element) in list.elements.iter().enumerate() {
        if !matches!(element, Ast::Object(_)) {
            continue;
        }
        let value = to_value(element);
        if entry_owner::of_hook(&value) == Some(who) {
            found.push(Found::Element(at));
            continue;
        }
        let handlers = value.get("hooks").and_then(Value::as_array);
        for (inner, handler) in handlers.into_iter().flatten().enumerate() {
            if entry_owner::of_hook(handler) == Some(who) {
                found.push(Found::Handler(at, inner));
            }
        }
    }
    found
}

/// The list that holds what was found, and the place in it.
fn slot_of<'t, 'a>(list: &'t Array<'a>, found: Found) -> Option<(&'t Array<'a>, usize)> {
    match found {
        Found::Element(at) => Some((list, at)),
        Found::Handler(at, inner) => {
            let Ast::Object(group) = list.elements.get(at)? else {
                return None;
            };
            Some((group.get_array("hooks")?, inner))
        }
    }
}

fn ensure_element(doc: &mut Doc, item: &Item, replace_ancestor: bool) -> Result<(), Problem> {
    if replace_ancestor {
        while remove_one(doc, &item.path, Owner::Ancestor)? {}
    }
    // What we want for each kind of place.
    let handler = item.value.pointer("/hooks/0").unwrap_or(&item.value);
    enum Todo {
        Add,
        Replace(std::ops::Range<usize>, Value),
        Drop(Found),
        Nothing,
    }
    for _ in 0..MAX_ROUNDS {
        let (todo, ancestor) = with_root(doc.text(), |root| {
            let Some(list) = list_at(root, &item.path)? else {
                return Ok((Todo::Add, false));
            };
            let ancestor = !hooks_of(list, Owner::Ancestor).is_empty();
            let ours = hooks_of(list, Owner::Us);
            let todo = match ours.as_slice() {
                [] => Todo::Add,
                [first, rest @ ..] => {
                    let wanted = match first {
                        Found::Element(_) => &item.value,
                        Found::Handler(..) => handler,
                    };
                    let there = slot_of(list, *first).and_then(|(list, at)| list.elements.get(at));
                    match (there, rest.last()) {
                        (Some(there), _) if to_value(there) != *wanted => {
                            let range = there.range();
                            Todo::Replace(range.start..range.end, wanted.clone())
                        }
                        (_, Some(second)) => Todo::Drop(*second),
                        _ => Todo::Nothing,
                    }
                }
            };
            Ok((todo, ancestor))
        })?;
        if ancestor {
            doc.note(Note::Ancestor(dotted(&item.path)));
        }
        match todo {
            Todo::Nothing => return Ok(()),
            Todo::Add => {
                make_parents(doc, &item.path, &Value::Array(Vec::new()))?;
                let container = with_root(doc.text(), |root| {
                    Ok(list_at(root, &item.path)?.map(Container::of_list))
                })?;
                let Some(container) = container else {
                    return Ok(());
                };
                place::append(doc, &container, Slot::Element(&item.value));
                return Ok(());
            }
            Todo::Replace(range, value) => place::replace(doc, range, &value),
            Todo::Drop(found) => drop_found(doc, &item.path, found)?,
        }
    }
    Ok(())
}

fn ensure_server(doc: &mut Doc, item: &Item, replace_ancestor: bool) -> Result<(), Problem> {
    let there = with_root(doc.text(), |root| {
        let found = lookup(root, &item.path)?;
        Ok(found.map(|prop| (to_value(&prop.value), prop.value.start()..prop.value.end())))
    })?;
    let Some((value, range)) = there else {
        return add_member(doc, item);
    };
    if entry_owner::is_switched_off(&value) {
        doc.note(Note::SwitchedOff(dotted(&item.path)));
        return Ok(());
    }
    match entry_owner::of_server(&value) {
        Some(Owner::Us) if value == item.value => {}
        Some(Owner::Us) => place::replace(doc, range, &item.value),
        Some(Owner::Ancestor) if replace_ancestor => place::replace(doc, range, &item.value),
        Some(Owner::Ancestor) => doc.note(Note::Ancestor(dotted(&item.path))),
        None => doc.note(Note::UserEntry(dotted(&item.path))),
    }
    Ok(())
}

/// Adds a member that is not there yet.
fn add_member(doc: &mut Doc, item: &Item) -> Result<(), Problem> {
    let Some((name, parent)) = item.path.split_last() else {
        return Ok(());
    };
    if !parent.is_empty() {
        make_parents(doc, parent, &Value::Object(Map::new()))?;
    }
    if item.rule == Rule::Default {
        doc.made.push(item.path.clone());
    }
    put_member(doc, parent, name, &item.value)
}

fn put_member(doc: &mut Doc, parent: &[String], name: &str, value: &Value) -> Result<(), Problem> {
    let container = with_root(doc.text(), |root| {
        if parent.is_empty() {
            return Ok(Some(Container::of_object(root)));
        }
        match lookup(root, parent)?.map(|prop| &prop.value) {
            Some(Ast::Object(object)) => Ok(Some(Container::of_object(object))),
            Some(_) => Err(Problem::Unexpected {
                path: dotted(parent),
                expected: "an object, `{ … }`",
            }),
            None => Ok(None),
        }
    })?;
    if let Some(container) = container {
        place::append(doc, &container, Slot::Member(name, value));
    }
    Ok(())
}

/// Makes the objects on the way to a path, and at its end an empty value.
fn make_parents(doc: &mut Doc, path: &[String], last: &Value) -> Result<(), Problem> {
    for depth in 1..=path.len() {
        let here = path.get(..depth).unwrap_or(path);
        if with_root(doc.text(), |root| {
            lookup(root, here).map(|found| found.is_some())
        })? {
            continue;
        }
        let empty = if depth == path.len() {
            last.clone()
        } else {
            Value::Object(Map::new())
        };
        if let Some((name, parent)) = here.split_last() {
            put_member(doc, parent, name, &empty)?;
        }
        doc.made.push(here.to_vec());
    }
    Ok(())
}

/// Removes one hook of an owner from the list at a path; false when there is none.
fn remove_one(doc: &mut Doc, path: &[String], who: Owner) -> Result<bool, Problem> {
    let found = with_root(doc.text(), |root| {
        let list = list_at(root, path)?;
        Ok(list.and_then(|list| hooks_of(list, who).last().copied()))
    })?;
    match found {
        Some(found) => drop_found(doc, path, found).map(|()| true),
        None => Ok(false),
    }
}

fn drop_found(doc: &mut Doc, path: &[String], found: Found) -> Result<(), Problem> {
    let target = with_root(doc.text(), |root| {
        let list = list_at(root, path)?;
        let slot = list.and_then(|list| slot_of(list, found));
        Ok(slot.map(|(list, at)| (Container::of_list(list), at)))
    })?;
    if let Some((container, at)) = target {
        place::remove(doc, &container, at);
    }
    Ok(())
}

/// Removes all hooks of an owner from the lists that are members of the object at a path, and what
/// is empty afterwards.
fn sweep(
    doc: &mut Doc,
    parent: &[String],
    who: Owner,
    made: Option<&[Vec<String>]>,
) -> Result<(), Problem> {
    let lists = with_root(doc.text(), |root| {
        let object = if parent.is_empty() {
            Some(root)
        } else {
            match lookup(root, parent)?.map(|prop| &prop.value) {
                Some(Ast::Object(object)) => Some(object),
                _ => None,
            }
        };
        let properties = object
            .map(|object| object.properties.as_slice())
            .unwrap_or_default();
        let mut lists: Vec<Vec<String>> = Vec::new();
        for prop in properties {
            if let Ast::Array(list) = &prop.value
                && !hooks_of(list, who).is_empty()
            {
                let mut path = parent.to_vec();
                path.push(prop.name.as_str().to_owned());
                lists.push(path);
            }
        }
        Ok(lists)
    })?;
    for path in lists {
        for _ in 0..MAX_ROUNDS {
            if !remove_one(doc, &path, who)? {
                break;
            }
        }
        prune(doc, &path, made)?;
    }
    Ok(())
}

/// Removes the member at a path, and what is empty afterwards.
fn take(doc: &mut Doc, path: &[String], made: Option<&[Vec<String>]>) -> Result<(), Problem> {
    let Some((name, parent)) = path.split_last() else {
        return Ok(());
    };
    let target = with_root(doc.text(), |root| {
        lookup(root, path)?;
        let object = if parent.is_empty() {
            Some(root)
        } else {
            match lookup(root, parent)?.map(|prop| &prop.value) {
                Some(Ast::Object(object)) => Some(object),
                _ => None,
            }
        };
        Ok(object.and_then(|object| {
            let mut names = object.properties.iter().map(|prop| prop.name.as_str());
            let at = names.position(|there| there == name)?;
            Some((Container::of_object(object), at))
        }))
    })?;
    if let Some((container, at)) = target {
        place::remove(doc, &container, at);
    }
    prune(doc, parent, made)
}

/// Removes the value at a path when it is empty and was made for us, and its parents likewise.
/// Without a record whatever is empty is taken for ours.
fn prune(doc: &mut Doc, path: &[String], made: Option<&[Vec<String>]>) -> Result<(), Problem> {
    if path.is_empty() || made.is_some_and(|made| !made.iter().any(|there| there == path)) {
        return Ok(());
    }
    let empty = with_root(doc.text(), |root| {
        Ok(lookup(root, path)?.is_some_and(|prop| super::is_empty(&to_value(&prop.value))))
    })?;
    if empty {
        take(doc, path, made)?;
    }
    Ok(())
}
