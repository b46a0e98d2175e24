//! The person's part of a prompt.

use crate::ticket::frontmatter::Frontmatter;

/// Returns the task of the ticket and the person's replies; `None` for a text that is not the prompt of a flow.
///
/// Agents report a prompt to their hooks as words of their user. The rules, files and outputs in it are not: taken as
/// such, they would become limits and decisions of the person.
pub fn request(prompt: &str) -> Option<String> {
    // Some agents put it in quotes.
    let prompt = prompt.trim_start().trim_start_matches('"');
    prompt.strip_prefix("<aictx_instructions>\n")?;
    let (file, ticket) = block(prompt, "ticket", "file")?.split_once('\n')?;
    let front = Frontmatter::of(ticket).ok();
    let field = |key: &str| front.as_ref()?.get(key)?.text();
    let named = [field("title"), field("goal")];
    let mut parts: Vec<&str> = named.into_iter().flatten().collect();
    if parts.is_empty() {
        parts.push(file.trim_start_matches("File: "));
    }
    let replies = block(prompt, "replies", "person").unwrap_or_default();
    parts.extend(replies.lines().filter(|line| !is_heading(line)));
    Some(parts.join("\n"))
}

/// Content of a block. Tags in texts of others are escaped, so that the first one is ours.
fn block<'p>(prompt: &'p str, name: &str, data: &str) -> Option<&'p str> {
    let (_, from) = prompt.split_once(&format!("<aictx_{name} data=\"{data}\">\n"))?;
    let (content, _) = from.split_once(&format!("</aictx_{name}>"))?;
    Some(content)
}

/// Returns true for the line above a reply.
fn is_heading(line: &str) -> bool {
    let number = line.strip_prefix("Reply ").and_then(|rest| rest.get(..4));
    number.is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()))
}
