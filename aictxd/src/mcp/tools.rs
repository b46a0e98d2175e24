//! The tools: what each takes, which method answers, and what of the answer a model needs.

use aictx_proto::methods as words;
use serde_json::{Map, Value, json};

use super::answer::{Answer, Budget};
use super::schema::{Argument, Call};
use super::{Profile, Request};
use crate::setup::agent_detection::surroundings_here;

mod shape;
mod table;
#[cfg(test)]
mod tests;

/// Effect of a tool on memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Writes {
    /// Nothing.
    Nothing,
    /// It adds.
    Adds,
    /// It changes what was there.
    Changes,
}

/// One tool.
#[derive(Debug)]
pub(super) struct Tool {
    /// Name, with our prefix.
    pub(super) name: &'static str,
    /// The smallest profile that has it.
    pub(super) profile: Profile,
    /// For the model.
    pub(super) about: &'static str,
    /// Effect on memory.
    pub(super) writes: Writes,
    /// A second call with the same arguments does nothing more.
    pub(super) repeats: bool,
    /// Arguments, in groups.
    pub(super) arguments: &'static [&'static [Argument]],
    /// The method that answers, and its parameters.
    pub(super) request: fn(&Call<'_>) -> Request,
    /// Builds the model's answer from the method's result.
    pub(super) answer: fn(&Call<'_>, Value) -> Answer,
    /// Resource that holds what the budget left out.
    pub(super) details: Option<&'static str>,
}

pub(super) use self::table::TOOLS;

/// Looks a tool up.
pub(super) fn find(name: &str) -> Option<&'static Tool> {
    TOOLS.iter().find(|tool| tool.name == name)
}

/// Parameters: the repository, who asks, and these arguments under these names.
pub(super) fn params(call: &Call<'_>, given: &[(&str, &str)]) -> Value {
    let mut params = call.members(given);
    params.insert("repo".to_owned(), json!(&*call.root));
    params.insert("cwd".to_owned(), json!(&*call.root));
    params.insert("caller".to_owned(), call.caller.clone());
    Value::Object(params)
}

fn with_patch(mut params: Value, patch: Map<String, Value>) -> Value {
    aictx_proto::json::set(&mut params, "patch", patch);
    params
}

/// Builds the doctor's request, with the agents that this process's environment names.
pub(super) fn doctor_request(call: &Call<'_>) -> Request {
    let mut params = params(call, &[]);
    let around = serde_json::to_value(surroundings_here()).unwrap_or_default();
    aictx_proto::json::set(&mut params, "surroundings", around);
    (words::DOCTOR, params)
}

/// The whole of what is wrong.
pub(super) fn whole_doctor(value: Value, budget: Budget) -> Value {
    Value::Object(shape::doctor(value, budget).data)
}

/// A resume that leaves no trace, for those who want a part of it.
pub(super) fn looking(call: &Call<'_>) -> Request {
    let mut params = params(call, &[("task", "task"), ("task_type", "task_type")]);
    aictx_proto::json::set(&mut params, "look_only", true);
    (words::RESUME, params)
}
