//! Rewrites paths in answers where a memory lies outside of its repository. What is
//! stored keeps the names within a memory: they are right wherever it lies.

use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::Value;

use super::{Json, place};
use crate::app::App;
use crate::storage_location::MEMORY;

/// Prefix of names of files in a memory.
const WITHIN: &str = ".aictx/";
/// A link of a summary that leads there.
const LINK: &str = "](.aictx/";

#[derive(Deserialize)]
struct InRepo {
    #[serde(default)]
    repo: String,
}

/// The answer to a call with these parameters, with the right names in it.
pub(super) fn named(app: &App, params: &str, answer: Json) -> Json {
    if memchr::memmem::find(answer.as_bytes(), WITHIN.as_bytes()).is_none() {
        return answer;
    }
    let Some(memory) = memory(app, params) else {
        return answer;
    };
    let Ok(mut value) = serde_json::from_str(&answer) else {
        return answer;
    };
    rename(&mut value, &memory);
    serde_json::to_string(&value).unwrap_or(answer)
}

/// The directory of the memory that is asked about, when it lies outside.
fn memory(app: &App, params: &str) -> Option<String> {
    if !app.homes.any_outside() {
        return None;
    }
    let asked: InRepo = serde_json::from_str(params).ok()?;
    let root: PathBuf = place(app, &asked.repo).ok()?.root;
    let home = app.homes.of(&root);
    let outside = home != root;
    let memory: PathBuf = Path::new(&home).join(MEMORY);
    memory
        .into_os_string()
        .into_string()
        .ok()
        .filter(|_| outside)
}

fn rename(value: &mut Value, memory: &str) {
    match value {
        Value::String(text) => {
            if let Some(rest) = text.strip_prefix(WITHIN) {
                // Prose that happens to begin so is none of ours.
                if !rest.contains(char::is_whitespace) {
                    *text = format!("{memory}/{rest}");
                }
            } else if text.contains(LINK) {
                *text = text.replace(LINK, &format!("]({memory}/"));
            }
        }
        Value::Array(entries) => entries.iter_mut().for_each(|entry| rename(entry, memory)),
        Value::Object(members) => members.values_mut().for_each(|held| rename(held, memory)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn names_and_links_are_renamed_and_prose_is_not() {
        let mut value = json!({
            "path": ".aictx/a.json", "list": [".aictx/**", "src/.aictx/x"],
            "text": "see [a](.aictx/a.md)", "said": ".aictx/ is where it is",
        });
        rename(&mut value, "/s/.aictx");
        let wanted = json!({
            "path": "/s/.aictx/a.json", "list": ["/s/.aictx/**", "src/.aictx/x"],
            "text": "see [a](/s/.aictx/a.md)", "said": ".aictx/ is where it is",
        });
        assert_eq!(value, wanted);
    }
}
