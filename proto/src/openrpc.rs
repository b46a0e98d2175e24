//! The OpenRPC document, generated from the types.

use serde_json::{Map, Value, json};

use crate::methods::{METHODS, Scope};
use crate::rpc::{ERROR_CODES, MAX_LINE_BYTES};

/// The whole document. Every type stands once under `components/schemas`.
pub fn document() -> Value {
    let mut generator = schemars::generate::SchemaSettings::draft07()
        .with(|s| s.definitions_path = "/components/schemas".into())
        .into_generator();
    let methods: Vec<Value> = METHODS
        .iter()
        .map(|method| {
            let (params, result) = (method.schemas)(&mut generator);
            json!({
                "name": method.name,
                "summary": method.summary,
                "paramStructure": "by-name",
                "params": [{ "name": "params", "required": true, "schema": params }],
                "result": { "name": "result", "schema": result },
                "tags": [{ "name": match method.scope {
                    Scope::Repository => "repository",
                    Scope::User => "user",
                    Scope::Daemon => "daemon",
                } }],
                "errors": ERROR_CODES
                    .iter()
                    .map(|e| json!({ "code": e.code, "message": e.meaning, "data": { "kind": e.kind } }))
                    .collect::<Vec<_>>(),
            })
        })
        .collect();
    let schemas: Map<String, Value> = generator.take_definitions(true).into_iter().collect();
    json!({
        "openrpc": "1.3.2",
        "info": {
            "title": "aictxd",
            "version": crate::VERSION,
            "description": format!(
                "JSON-RPC 2.0 over a Unix socket, one message a line, at most {MAX_LINE_BYTES} bytes. \
                 The parameters object stands directly under `params`; a request may carry \
                 `\"aictx\":{{\"proto\":{},\"client\":\"x.y.z\"}}` beside it.",
                crate::PROTOCOL_VERSION
            ),
            "license": { "name": "MIT OR Apache-2.0" }
        },
        "methods": methods,
        "components": { "schemas": schemas }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_method_is_in_the_document_and_every_reference_resolves() {
        let doc = document();
        let named: Vec<&str> = doc["methods"]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(|m| m["name"].as_str())
            .collect();
        for method in METHODS {
            assert!(named.contains(&method.name), "{} is missing", method.name);
        }
        let schemas = doc["components"]["schemas"].as_object().unwrap();
        let text = doc.to_string();
        let mut rest = text.as_str();
        let mut references = 0;
        while let Some(at) = rest.find("#/components/schemas/") {
            rest = &rest[at + "#/components/schemas/".len()..];
            let name = rest.split('"').next().unwrap();
            assert!(schemas.contains_key(name), "dangling reference to {name}");
            references += 1;
        }
        assert!(references > 10);
    }
}
