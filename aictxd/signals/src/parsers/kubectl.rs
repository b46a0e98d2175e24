//! kubectl and helm.

use super::{Context, Finding, Lines, Recogniser};

pub(super) static RECOGNISER: Recogniser = Recogniser {
    programs: &["kubectl", "helm", "oc"],
    needles: &["Error from server", "The connection to the server "],
    read,
};

fn read(context: &Context, lines: &mut Lines) -> Vec<Finding> {
    let tool = if context.runs(&["helm"]) {
        "helm"
    } else {
        "kubectl"
    };
    let runs = context.runs(&["kubectl", "helm", "oc"]);
    lines.each(|_, at, line| {
        let find = |message: &str, code: &str| {
            Some(
                context
                    .find(at, "unknown", "runtime", message)
                    .tool(tool)
                    .code(code),
            )
        };
        if let Some(rest) = line.strip_prefix("Error from server") {
            let (code, message) = match rest
                .strip_prefix(" (")
                .and_then(|rest| rest.split_once("): "))
            {
                Some(parts) => parts,
                None => ("", rest.strip_prefix(": ")?),
            };
            return find(message, code);
        }
        if line.starts_with("The connection to the server ")
            || line.starts_with("Unable to connect to the server: ")
        {
            return find(line, "");
        }
        let text = line
            .strip_prefix("error: ")
            .or_else(|| line.strip_prefix("Error: "))
            .filter(|_| runs)?;
        find(text, "")
    })
}
