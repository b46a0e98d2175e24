//! Memories in Markdown: a row for each section.

use std::collections::HashMap;

use aictx_proto::record::{ImportedRow, ImportedTurn};

/// Deepest heading that begins a section of its own.
const MAX_LEVEL: usize = 3;
/// Sections of a file.
const MAX_SECTIONS: usize = 256;

/// Sections of a Markdown file, each with its headings as title. `name` is the file's, relative to where it was looked
/// for. Sections without text are left out. Linear in the text.
pub fn sections(name: &str, text: &str) -> Vec<ImportedRow> {
    let mut rows: Vec<ImportedRow> = Vec::new();
    let mut headings: Vec<(usize, String)> = Vec::new();
    let mut body = String::new();
    let mut fence: Option<&str> = None;
    let mut known: HashMap<String, usize> = HashMap::new();
    let mut close = |headings: &[(usize, String)], body: &mut String| {
        let said = std::mem::take(body);
        let said = said.trim();
        if said.is_empty() || rows.len() >= MAX_SECTIONS {
            return;
        }
        let path: Vec<&str> = headings.iter().map(|(_, text)| text.as_str()).collect();
        let path = path.join(" › ");
        let count = known.entry(path.clone()).or_default();
        *count += 1;
        let nth = match *count {
            1 => String::new(),
            nth => format!("~{nth}"),
        };
        let title = if path.is_empty() { name } else { &path };
        rows.push(ImportedRow {
            source: "markdown".to_owned(),
            session_id: format!("{name}#{path}{nth}"),
            title: title.to_owned(),
            turns: vec![ImportedTurn {
                asked: String::new(),
                said: said.to_owned(),
            }],
            ..ImportedRow::default()
        });
    };
    for line in text.lines() {
        let start = line.trim_start();
        let mark = ["```", "~~~"]
            .into_iter()
            .find(|mark| start.starts_with(mark));
        match (fence, mark) {
            (None, Some(mark)) => fence = Some(mark),
            (Some(open), Some(mark)) if open == mark => fence = None,
            _ => {}
        }
        match heading(line).filter(|_| fence.is_none()) {
            Some((level, title)) if level <= MAX_LEVEL => {
                close(&headings, &mut body);
                headings.retain(|(above, _)| *above < level);
                headings.push((level, title.to_owned()));
            }
            _ => {
                body.push_str(line);
                body.push('\n');
            }
        }
    }
    close(&headings, &mut body);
    rows
}

/// Level and text of an ATX heading.
fn heading(line: &str) -> Option<(usize, &str)> {
    let level = line.bytes().take_while(|b| *b == b'#').count();
    let text = line.get(level..)?;
    let is_heading = (1..=6).contains(&level) && text.starts_with([' ', '\t']);
    let text = text.trim().trim_end_matches('#').trim_end();
    (is_heading && !text.is_empty()).then_some((level, text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_section_is_what_stands_below_a_heading() {
        let text = "---\nname: x\n---\n# A\n\n## Empty\n## B\none\n```sh\n# no heading\n```\n#### deep\ntwo\n## B\nthree\n";
        let found = sections("m.md", text);
        let told: Vec<(&str, &str)> = found
            .iter()
            .map(|row| (row.session_id.as_str(), row.turns[0].said.as_str()))
            .collect();
        assert_eq!(
            told,
            [
                ("m.md#", "---\nname: x\n---"),
                (
                    "m.md#A › B",
                    "one\n```sh\n# no heading\n```\n#### deep\ntwo"
                ),
                ("m.md#A › B~2", "three"),
            ]
        );
        assert_eq!(
            (found[0].title.as_str(), found[1].title.as_str()),
            ("m.md", "A › B")
        );
    }
}
