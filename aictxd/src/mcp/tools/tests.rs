use serde_json::{Map, json};

use super::*;
use crate::mcp::Profile::{Full, Readonly, Standard};
use crate::mcp::schema;

fn names(profile: Profile) -> Vec<&'static str> {
    let offered = TOOLS.iter().filter(|tool| tool.profile <= profile);
    offered.map(|tool| tool.name).collect()
}

#[test]
fn tools_stand_by_name_and_profiles_grow() {
    let all = names(Full);
    assert!(all.is_sorted());
    assert!(all.iter().all(|name| name.starts_with("aictx_")));
    let (readonly, standard) = (names(Readonly), names(Standard));
    assert_eq!((readonly.len(), standard.len(), all.len()), (5, 10, 39));
    assert!(readonly.iter().all(|name| standard.contains(name)));
}

#[test]
fn tools_of_every_profile() {
    let text: String = [Readonly, Standard, Full]
        .into_iter()
        .flat_map(|profile| {
            let added = TOOLS.iter().filter(move |tool| tool.profile == profile);
            let lines = added.map(|tool| format!("{}\n    {}\n", tool.name, tool.about));
            std::iter::once(format!("\n{profile:?}:\n")).chain(lines)
        })
        .collect();
    insta::assert_snapshot!(text);
}

/// Size of the default profile: four bytes are about one token.
#[test]
fn the_default_profile_costs_at_most_two_thousand_tokens() {
    let offered = TOOLS.iter().filter(|tool| tool.profile <= Standard);
    let described: Vec<_> = offered
        .map(|tool| schema::describe(tool, Standard))
        .collect();
    let bytes = serde_json::to_string(&described).unwrap().len();
    assert!(
        described.len() <= 10 && bytes / 4 <= 2_000,
        "{} tools, {bytes} bytes",
        described.len()
    );
}

#[test]
fn every_method_exists_and_gets_its_repository() {
    let nothing = Map::new();
    for tool in TOOLS {
        let mut call = Call::new(&nothing);
        call.root = "/r".into();
        let (method, params) = (tool.request)(&call);
        assert!(words::method(method).is_some(), "{}", tool.name);
        assert_eq!(params["repo"], json!("/r"), "{}", tool.name);
    }
}

#[test]
fn what_only_looks_has_no_method_that_writes() {
    const WRITE: &[&str] = &[
        words::FINALIZE,
        words::TASK_START,
        words::TASK_UPDATE,
        words::TASK_CLOSE,
        words::RUN_START,
        words::RUN_ADD,
        words::RUN_CLOSE,
        words::MEMORY_FORGET,
        words::COMPACT,
        words::INIT,
    ];
    let nothing = Map::new();
    for tool in TOOLS.iter().filter(|tool| tool.writes == Writes::Nothing) {
        let (method, params) = (tool.request)(&Call::new(&nothing));
        assert!(!WRITE.contains(&method), "{}", tool.name);
        assert!(params.get("apply").is_none(), "{}", tool.name);
        if method == words::RESUME {
            assert_eq!(params["look_only"], json!(true), "{}", tool.name);
        }
    }
}

#[test]
fn calls_are_held_to_the_schema_that_is_published() {
    let guard = find("aictx_continuity_guard").unwrap();
    let refused = |given: serde_json::Value| {
        let checked = schema::check(guard, given.as_object().unwrap());
        checked.err().map(|error| error.to_string())
    };
    assert_eq!(
        refused(json!({"action": "edit", "paths": ["a"], "repo": "."})),
        None
    );
    for wrong in [
        json!({}),
        json!({"action": "Edit"}),
        json!({"action": 7}),
        json!({"action": "edit", "paths": "a"}),
        json!({"action": "edit", "paths": [7]}),
        json!({"action": "edit", "paths": vec!["a"; 201]}),
        json!({"action": "edit", "paths": ["x".repeat(1001)]}),
        json!({"action": "edit", "intent": "x".repeat(12_001)}),
        json!({"action": "edit", "more": 1}),
        json!({"action": "edit", "repo": null}),
    ] {
        assert!(refused(wrong.clone()).is_some(), "{wrong}");
    }
    let query = find("aictx_map_query").unwrap();
    for (given, fine) in [
        (json!({"query": "a", "limit": 50}), true),
        (json!({"query": "a", "limit": 51}), false),
        (json!({"query": "a", "limit": 0}), false),
        (json!({"query": "a", "limit": 1.5}), false),
        (json!({"query": "  "}), false),
    ] {
        let given = given.as_object().unwrap();
        assert_eq!(schema::check(query, given).is_ok(), fine, "{given:?}");
    }
    for tool in TOOLS {
        let described = serde_json::to_value(schema::describe(tool, Full)).unwrap();
        assert_eq!(
            described["inputSchema"]["additionalProperties"],
            json!(false)
        );
    }
}
