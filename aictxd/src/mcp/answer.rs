//! Answers for a model: a few lines of text, the facts as an object, both within a budget.

use serde_json::{Map, Value, json};

/// Bytes of an answer, text and facts together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Budget {
    /// A short resume.
    Brief = 2 * 1024,
    /// A finalize.
    Finalize = 4 * 1024,
    /// Everything else.
    Standard = 6 * 1024,
    /// Budget of a full answer.
    Full = 64 * 1024,
}

/// Entries that a list keeps when it must make room.
const FEW: usize = 3;
/// Shortest text that is worth cutting, in characters.
const SHORT: usize = 200;

/// An answer.
#[derive(Debug)]
pub(super) struct Answer {
    /// For clients that show only text.
    pub(super) text: String,
    /// Everything, `ok` first.
    pub(super) data: Map<String, Value>,
    /// Something was left out.
    pub(super) cut: bool,
}

impl Answer {
    /// Fits an answer into a budget. Of the facts, those named in `spare` go first, then the largest;
    /// `omitted` says which. The text gets half of the budget at most.
    pub(super) fn new(text: &str, facts: Value, spare: &[&str], budget: Budget) -> Self {
        let budget = budget as usize;
        let text = lines_within(text, budget / 2);
        let mut data = Map::new();
        data.insert("ok".to_owned(), json!(true));
        if let Value::Object(facts) = facts {
            data.extend(facts);
        }
        let room = budget.saturating_sub(text.len());
        let mut omitted: Vec<String> = Vec::new();
        for name in spare {
            if size(&data) <= room {
                break;
            }
            shorten(&mut data, name, &mut omitted);
        }
        while size(&data) > room {
            let widest = |(name, value): (&String, &Value)| {
                let kept = matches!(name.as_str(), "ok" | "omitted");
                (!kept).then(|| (value.to_string().len(), name.clone()))
            };
            let Some((_, name)) = data.iter().filter_map(widest).max() else {
                break;
            };
            shorten(&mut data, &name, &mut omitted);
        }
        Self {
            text,
            data,
            cut: !omitted.is_empty(),
        }
    }
}

/// Makes one fact smaller: a list keeps its first entries, a text its beginning, anything else goes.
fn shorten(data: &mut Map<String, Value>, name: &str, omitted: &mut Vec<String>) {
    let Some(value) = data.get_mut(name) else {
        return;
    };
    match value {
        Value::Array(entries) if entries.len() > FEW => entries.truncate(FEW),
        Value::String(text) if text.chars().count() > SHORT => {
            *text = aictx_proto::text::truncate_chars(text, SHORT / 2);
        }
        _ => {
            data.remove(name);
        }
    }
    if !omitted.iter().any(|known| known == name) {
        omitted.push(name.to_owned());
    }
    data.insert("omitted".to_owned(), json!(omitted));
}

fn size(data: &Map<String, Value>) -> usize {
    // The braces, and of each member two quotes, a colon and a comma.
    let members = data
        .iter()
        .map(|(name, value)| name.len() + value.to_string().len() + 4);
    2 + members.sum::<usize>()
}

/// The first lines of a text.
fn lines_within(text: &str, limit: usize) -> String {
    let mut kept = String::new();
    for line in text.lines() {
        if kept.len() + line.len() + 1 > limit {
            if kept.is_empty() {
                kept = aictx_proto::text::truncate_chars(line, limit / 4);
            }
            break;
        }
        if !kept.is_empty() {
            kept.push('\n');
        }
        kept.push_str(line);
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_can_be_spared_goes_first() {
        let long = "x".repeat(1500);
        let facts = json!({ "keep": long, "list": vec!["y".repeat(100); 10], "last": 1 });
        let answer = Answer::new("two\nlines", facts, &["list"], Budget::Brief);
        assert_eq!(answer.text, "two\nlines");
        assert!(answer.cut);
        assert_eq!(answer.data["list"].as_array().unwrap().len(), FEW);
        assert_eq!(answer.data["keep"], json!(long));
        assert_eq!(answer.data["omitted"], json!(["list"]));
        let small = Answer::new("t", json!({ "a": 1 }), &["a"], Budget::Brief);
        assert!(!small.cut);
        assert_eq!(Value::Object(small.data), json!({ "ok": true, "a": 1 }));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]
        #[test]
        fn nothing_exceeds_its_budget(
            text in "[a-zä\n]{0,3000}",
            lists in prop::collection::vec(prop::collection::vec("[a-zß\"]{0,300}", 0..30), 0..8),
            words in prop::collection::vec("\\PC{0,900}", 0..4),
        ) {
            let mut facts = Map::new();
            for (n, list) in lists.into_iter().enumerate() {
                facts.insert(format!("list{n}"), json!(list));
            }
            for (n, word) in words.into_iter().enumerate() {
                facts.insert(format!("word{n}"), json!(word));
            }
            let facts = Value::Object(facts);
            let answer = Answer::new(&text, facts, &["list1", "word0"], Budget::Brief);
            let data = Value::Object(answer.data).to_string();
            prop_assert!(answer.text.len() + data.len() <= Budget::Brief as usize);
        }
    }
}
