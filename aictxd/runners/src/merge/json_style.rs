//! Writes values in the style of the file they go into.

use serde_json::Value;

/// The style of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Style {
    /// Line end.
    pub(super) newline: &'static str,
    /// One step of indentation.
    pub(super) unit: String,
    /// Behind a colon, and behind a comma on one line.
    pub(super) gap: &'static str,
}

impl Style {
    /// A value whose line is indented by `indent`; `None` writes all on one line.
    pub(super) fn value(&self, value: &Value, indent: Option<&str>) -> String {
        let mut out = String::new();
        self.put(&mut out, value, indent);
        out
    }

    /// A member of an object.
    pub(super) fn member(&self, name: &str, value: &Value, indent: Option<&str>) -> String {
        let name = Value::String(name.to_owned());
        format!("{name}:{}{}", self.gap, self.value(value, indent))
    }

    fn put(&self, out: &mut String, value: &Value, indent: Option<&str>) {
        let (open, close, parts): (_, _, Vec<(Option<&str>, &Value)>) = match value {
            Value::Object(map) => {
                let parts = map.iter().map(|(name, value)| (Some(name.as_str()), value));
                ('{', '}', parts.collect())
            }
            Value::Array(list) => ('[', ']', list.iter().map(|value| (None, value)).collect()),
            scalar => {
                out.push_str(&scalar.to_string());
                return;
            }
        };
        // Short lists of words stay on one line.
        let flat = parts
            .iter()
            .all(|(name, value)| name.is_none() && !value.is_object() && !value.is_array());
        let inner = indent
            .filter(|_| !flat)
            .map(|indent| format!("{indent}{}", self.unit));
        out.push(open);
        for (at, (name, value)) in parts.into_iter().enumerate() {
            if at > 0 {
                out.push(',');
            }
            match &inner {
                Some(inner) => {
                    out.push_str(self.newline);
                    out.push_str(inner);
                }
                None if at > 0 => out.push_str(self.gap),
                None => {}
            }
            if let Some(name) = name {
                out.push_str(&Value::String(name.to_owned()).to_string());
                out.push(':');
                out.push_str(self.gap);
            }
            self.put(out, value, inner.as_deref());
        }
        if inner.is_some()
            && let Some(indent) = indent
        {
            out.push_str(self.newline);
            out.push_str(indent);
        }
        out.push(close);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn both_ways_of_writing() {
        let value = json!({"a": [1, "x"], "b": [{"c": null}]});
        let style = Style {
            newline: "\r\n",
            unit: "\t".into(),
            gap: " ",
        };
        let long = "{\r\n \t\"a\": [1, \"x\"],\r\n \t\"b\": [\r\n \t\t{\r\n \t\t\t\"c\": null\r\n \t\t}\r\n \t]\r\n }";
        assert_eq!(style.value(&value, Some(" ")), long);
        let tight = Style { gap: "", ..style };
        assert_eq!(
            tight.value(&value, None),
            r#"{"a":[1,"x"],"b":[{"c":null}]}"#
        );
    }
}
