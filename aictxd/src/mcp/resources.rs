//! Resources: the details behind the tools' short answers, the same in every profile.

use aictx_proto::json::member;
use aictx_proto::methods as words;
use rmcp::model::Resource as Described;
use serde_json::{Value, json};

use super::Request;
use super::answer::Budget;
use super::schema::Call;
use super::tools::{doctor_request, looking, params, whole_doctor};

/// Type of all of them.
pub(super) const MIME: &str = "application/json";
const PREFIX: &str = "aictx://repo/current/";
/// Most records of one kind.
const RECORDS: u64 = 25;

/// One resource.
#[derive(Debug)]
pub(super) struct Resource {
    name: &'static str,
    about: &'static str,
    /// Requests, in order.
    pub(super) requests: fn(&Call<'_>) -> Vec<Request>,
    /// Builds the content from the answers.
    pub(super) shape: fn(Vec<Value>) -> Value,
}

/// Returns the URI of a resource.
pub(super) fn uri(name: &str) -> String {
    format!("{PREFIX}{name}")
}

/// Looks a resource up.
pub(super) fn find(uri: &str) -> Option<&'static Resource> {
    let name = uri.strip_prefix(PREFIX)?;
    RESOURCES.iter().find(|resource| resource.name == name)
}

/// All of them, for clients.
pub(super) fn all() -> Vec<Described> {
    let described = RESOURCES.iter().map(|resource| {
        Described::new(uri(resource.name), resource.name)
            .with_description(resource.about)
            .with_mime_type(MIME)
    });
    described.collect()
}

static RESOURCES: &[Resource] = &[
    Resource {
        name: "continuity-map",
        about: "What is remembered, as a Mermaid flow chart",
        requests: view,
        shape: |answers| part(answers, "mermaid"),
    },
    Resource {
        name: "continuity-quality",
        about: "How far memory can be relied on, and why",
        requests: |call| vec![looking(call)],
        shape: |answers| part(answers, "continuity_quality"),
    },
    Resource {
        name: "continuity-view",
        about: "What is remembered, on one page in Markdown",
        requests: view,
        shape: |answers| part(answers, "markdown"),
    },
    Resource {
        name: "decisions",
        about: "Decisions that hold, newest first",
        requests: |call| vec![kept(call, "decision")],
        shape: records,
    },
    Resource {
        name: "doctor",
        about: "What keeps aictx from working here",
        requests: |call| vec![doctor_request(call)],
        shape: |answers| whole_doctor(first(answers), Budget::Full),
    },
    Resource {
        name: "failure-memory",
        about: "What failed here, seen last first",
        requests: |call| {
            let mut params = params(call, &[]);
            aictx_proto::json::set(&mut params, "status", "all");
            aictx_proto::json::set(&mut params, "limit", RECORDS);
            vec![(words::FAILURES_LIST, params)]
        },
        shape: |answers| {
            let answer = first(answers);
            json!({
                "records": member(&answer, "failures"), "truncated": member(&answer, "truncated"),
            })
        },
    },
    Resource {
        name: "handoffs",
        about: "What sessions left, newest first",
        requests: |call| vec![kept(call, "handoff")],
        shape: records,
    },
    Resource {
        name: "lifecycle-status",
        about: "Sessions that never ended",
        requests: |call| vec![looking(call)],
        shape: |answers| part(answers, "lifecycle_status"),
    },
    Resource {
        name: "repomap-status",
        about: "What the map knows",
        requests: |call| vec![(words::MAP_STATUS, params(call, &[]))],
        shape: first,
    },
    Resource {
        name: "resume-capsule",
        about: "Everything that a resume would say now; reading it writes nothing",
        requests: |call| {
            let (method, mut params) = looking(call);
            aictx_proto::json::set(&mut params, "full", true);
            vec![(method, params)]
        },
        shape: |answers| {
            let mut answer = first(answers);
            if let Value::Object(members) = &mut answer {
                members.remove("repo");
            }
            answer
        },
    },
    Resource {
        name: "work-state",
        about: "The active task, and all others",
        requests: |call| {
            vec![
                (words::TASK_STATUS, params(call, &[])),
                (words::TASK_LIST, params(call, &[])),
            ]
        },
        shape: |answers| {
            let mut answers = answers.into_iter();
            let active = answers.next().unwrap_or_default();
            let list = answers.next().unwrap_or_default();
            json!({ "active": active, "tasks": member(&list, "tasks") })
        },
    },
];

fn view(call: &Call<'_>) -> Vec<Request> {
    vec![(words::MEMORY_VIEW, params(call, &[]))]
}

fn kept(call: &Call<'_>, kind: &str) -> Request {
    let mut params = params(call, &[]);
    aictx_proto::json::set(&mut params, "kind", kind);
    aictx_proto::json::set(&mut params, "limit", RECORDS);
    (words::MEMORY_LIST, params)
}

fn first(answers: Vec<Value>) -> Value {
    answers.into_iter().next().unwrap_or_default()
}

fn part(answers: Vec<Value>, name: &str) -> Value {
    member(&first(answers), name).clone()
}

fn records(answers: Vec<Value>) -> Value {
    let answer = first(answers);
    json!({ "records": member(&answer, "items"), "truncated": member(&answer, "truncated") })
}
