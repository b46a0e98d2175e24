//! Paths and commands of an answer that has no room for all of them: a part of one is another one, so
//! they are told whole or not at all.

use aictx_proto::methods::ResumeReply;
use aictx_proto::tokens;
use serde_json::Value;

/// Lists of paths in a contract, those that an agent misses least first. What was agreed stands in the
/// contract's own file, so that what is left out here binds all the same.
const LISTS: &[&str] = &["/expected_first_files", "/edit_scope/secondary_if_needed"];
/// Most tokens of a path or pattern that is left out last: those of any directory's tests.
const SHORT: u32 = 12;
/// Members that repeat others, or that only explain.
const COPIES: &[&str] = &["/test_command/runs", "/edit_scope/primary"];

/// Takes one more path or command out of an answer; `false` where there is none left that it could do
/// without. The file to begin with and the check, as the contract names them, always stay.
pub(super) fn leave_one_out(reply: &mut ResumeReply) -> bool {
    let last = |list: Option<&mut Value>, kept: usize| -> bool {
        let list = list.and_then(Value::as_array_mut);
        list.filter(|list| list.len() > kept)
            .is_some_and(|list| list.pop().is_some())
    };
    if reply.structural_entry_points.pop().is_some()
        || last(reply.capsule.get_mut("fallback_entry_points"), 0)
        || last(reply.capsule.get_mut("entry_points"), 1)
    {
        return true;
    }
    let contract = &mut reply.execution_contract;
    for list in LISTS {
        if longest(contract.pointer_mut(list), SHORT) {
            return true;
        }
    }
    // The capsule repeats what the contract says.
    for name in ["entry_points", "first_action"] {
        if reply.capsule.remove(name).is_some() {
            return true;
        }
    }
    if !reply.contract_checks.is_null() {
        reply.contract_checks = Value::Null;
        return true;
    }
    let copied = COPIES.iter().any(|copy| {
        let part = contract.pointer_mut(copy);
        part.is_some_and(|part| match part {
            Value::Array(list) => list.pop().is_some(),
            Value::String(text) => !std::mem::take(text).is_empty(),
            _ => false,
        })
    });
    copied
        || LISTS
            .iter()
            .any(|list| longest(contract.pointer_mut(list), 0))
}

/// Takes the longest one out of a list, if it has more than `short` tokens: the patterns of a scope are
/// short and say the most.
fn longest(list: Option<&mut Value>, short: u32) -> bool {
    let Some(list) = list.and_then(Value::as_array_mut) else {
        return false;
    };
    let cost = |item: &Value| tokens::estimate(item.as_str().unwrap_or_default());
    let places = list.iter().enumerate();
    let place = places.max_by_key(|(_, item)| cost(item));
    let place = place.filter(|(_, item)| cost(item) > short);
    let at = place.map(|(at, _)| at);
    at.map(|at| list.remove(at)).is_some()
}
