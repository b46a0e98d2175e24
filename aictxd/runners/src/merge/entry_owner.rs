//! Owner of an entry, by the program it calls.

use serde_json::{Map, Value};

use super::{Content, Rule};

/// Somebody whose entries we may touch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Owner {
    /// We wrote it.
    Us,
    /// The ancestor wrote it.
    Ancestor,
}

/// Members that hold a command line or a program.
const COMMANDS: &[&str] = &["command", "exec", "bash", "powershell"];
/// Parts of the commands of the ancestor's hooks.
const ANCESTOR_SCRIPTS: &[&str] = &[
    ".claude/hooks/aictx_session_start",
    ".claude/hooks/aictx_user_prompt_submit",
    ".claude/hooks/aictx_pre_tool_use",
    ".claude/hooks/aictx_refresh_memory_graph",
];

/// Returns the owner of a hook: a handler, or a group all of whose handlers have one owner.
pub(super) fn of_hook(value: &Value) -> Option<Owner> {
    let object = value.as_object()?;
    let Some(handlers) = object.get("hooks").and_then(Value::as_array) else {
        return of_handler(object);
    };
    let mut owners = handlers
        .iter()
        .map(|handler| handler.as_object().and_then(of_handler));
    let first = owners.next()??;
    owners.all(|owner| owner == Some(first)).then_some(first)
}

fn of_handler(handler: &Map<String, Value>) -> Option<Owner> {
    let texts = COMMANDS
        .iter()
        .filter_map(|name| handler.get(*name)?.as_str());
    for text in texts {
        if ANCESTOR_SCRIPTS.iter().any(|script| text.contains(script)) {
            return Some(Owner::Ancestor);
        }
        let words = match handler.get("args").and_then(Value::as_array) {
            Some(args) => {
                let args = args.iter().filter_map(Value::as_str).map(str::to_owned);
                std::iter::once(text.to_owned())
                    .chain(args)
                    .take(2)
                    .collect()
            }
            None => first_words(text),
        };
        if let [program, verb, ..] = words.as_slice()
            && is_program(program, "aictx")
            && verb == "hook"
        {
            return Some(Owner::Us);
        }
    }
    None
}

/// Returns the owner of an MCP server's entry.
pub(super) fn of_server(value: &Value) -> Option<Owner> {
    let object = value.as_object()?;
    if object.get("_aictx_managed") == Some(&Value::Bool(true)) {
        return Some(Owner::Ancestor);
    }
    let words = words(value)?;
    let (program, verb) = (words.first()?, words.get(1)?);
    if !(is_program(program, "aictxd") || is_program(program, "aictx")) {
        return None;
    }
    match verb.as_str() {
        "mcp" => Some(Owner::Us),
        "mcp-server" => Some(Owner::Ancestor),
        _ => None,
    }
}

/// Returns true if the entry of an MCP server is switched off, however an agent writes that.
pub(super) fn is_switched_off(entry: &Value) -> bool {
    let says = |name: &str, value: bool| entry.get(name) == Some(&Value::Bool(value));
    says("enabled", false) || says("disabled", true)
}

/// Program and arguments of a server's entry, however an agent writes them.
fn words(entry: &Value) -> Option<Vec<String>> {
    let texts = |list: &Value| -> Vec<String> {
        let texts = list.as_array().into_iter().flatten();
        texts
            .filter_map(|text| Some(text.as_str()?.to_owned()))
            .collect()
    };
    let mut words = match entry.get("command")? {
        Value::String(program) => vec![program.clone()],
        list @ Value::Array(_) => texts(list),
        _ => return None,
    };
    words.extend(entry.get("args").into_iter().flat_map(texts));
    Some(words)
}

/// An entry for an MCP server as it stands in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Server {
    /// Program and arguments.
    pub command: Vec<String>,
    /// Owner; `None` for somebody's own.
    pub owner: Option<Owner>,
    /// The agent does not start it.
    pub switched_off: bool,
}

/// The server that this content is about, as it stands in a file.
pub fn server(text: &str, content: &Content) -> Option<Server> {
    let entry = match content {
        Content::Json(items) => {
            let item = items.iter().find(|item| item.rule == Rule::Server)?;
            let mut entry = &super::json_value(text)?;
            for name in &item.path {
                entry = entry.get(name)?;
            }
            entry.clone()
        }
        Content::Toml(table) => super::toml::value(text, &table.path)?,
        _ => return None,
    };
    let switched_off = is_switched_off(&entry);
    Some(Server {
        // An entry that is switched off may say nothing else.
        command: words(&entry).or_else(|| switched_off.then(Vec::new))?,
        owner: of_server(&entry),
        switched_off,
    })
}

/// Returns true if a path ends in the name of a program.
fn is_program(path: &str, name: &str) -> bool {
    let file = path.rsplit(['/', '\\']).next().unwrap_or(path);
    file == name || file.strip_suffix(".exe") == Some(name)
}

/// The first two words of a command line, quotes taken off; enough to see what it calls. A test whether the program is
/// there does not count.
fn first_words(line: &str) -> Vec<String> {
    let guarded = line.trim_start().strip_prefix("[ -x ");
    let call = guarded.and_then(|rest| Some(rest.split_once(" ] && exec ")?.1));
    let line = call.unwrap_or(line);
    let mut words = vec![String::new()];
    let mut quote = None;
    for c in line.trim().chars() {
        let Some(word) = words.last_mut() else { break };
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (Some(_), c) => word.push(c),
            (None, '\'' | '"') => quote = Some(c),
            // PowerShell calls a quoted program with `&`.
            (None, '&') if word.is_empty() => {}
            (None, c) if c.is_whitespace() => {
                if !word.is_empty() {
                    if words.len() == 2 {
                        break;
                    }
                    words.push(String::new());
                }
            }
            (None, c) => word.push(c),
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn hooks_are_known_by_what_they_call() {
        for ours in [
            json!({"command": "/opt/aictx", "args": ["hook", "claude", "Stop"]}),
            json!({"command": "'/my tools/aictx' hook codex Stop"}),
            json!({"bash": "aictx hook copilot stop 2>/dev/null || true"}),
            json!({"bash": "[ -x '/my tools/aictx' ] && exec '/my tools/aictx' hook copilot stop; exit 0"}),
            json!({"powershell": "& \"C:\\x y\\aictx.exe\" hook copilot stop"}),
            json!({"hooks": [{"command": "/a/aictx hook gemini X"}]}),
        ] {
            assert_eq!(of_hook(&ours), Some(Owner::Us), "{ours}");
        }
        for theirs in [
            json!({"command": "/opt/aictx-lint hook x"}),
            json!({"command": "/opt/aictx", "args": ["status"]}),
            json!({"command": "echo /opt/aictx hook claude"}),
            json!({"command": "[ -x /opt/aictx ] && exec /opt/mine hook claude"}),
            json!({"hooks": []}),
            json!({"hooks": [{"command": "/a/aictx hook gemini X"}, {"command": "mine"}]}),
            json!("aictx hook"),
        ] {
            assert_eq!(of_hook(&theirs), None, "{theirs}");
        }
        let old = json!({"hooks": [{"type": "command",
            "command": "\"$CLAUDE_PROJECT_DIR\"/.claude/hooks/aictx_pre_tool_use.py"}]});
        assert_eq!(of_hook(&old), Some(Owner::Ancestor));
    }

    #[test]
    fn entries_that_are_switched_off_are_known_in_each_dialect() {
        for off in [
            json!({"command": ["x"], "enabled": false}),
            json!({"command": "x", "disabled": true}),
            json!({"enabled": false}),
        ] {
            assert!(is_switched_off(&off), "{off}");
        }
        for on in [
            json!({"enabled": true, "disabled": false}),
            json!({"enabled": "false", "disabled": null}),
            json!("off"),
        ] {
            assert!(!is_switched_off(&on), "{on}");
        }
    }

    #[test]
    fn servers_are_known_by_what_they_call() {
        let us = json!({"command": "/opt/aictxd", "args": ["mcp", "--profile", "full"]});
        assert_eq!(of_server(&us), Some(Owner::Us));
        assert_eq!(
            of_server(&json!({"command": ["/opt/aictxd", "mcp"]})),
            Some(Owner::Us)
        );
        let old = json!({"command": "aictx", "args": ["mcp-server"], "_aictx_managed": true});
        assert_eq!(of_server(&old), Some(Owner::Ancestor));
        assert_eq!(
            of_server(&json!({"command": "npx", "args": ["aictx"]})),
            None
        );
        assert_eq!(of_server(&json!({"url": "http://localhost"})), None);
    }
}
