//! Members of JSON values that came from outside, where a missing one must never panic.

use serde_json::Value;

/// A member; null when there is none, or no object.
pub fn member<'v>(value: &'v Value, name: &str) -> &'v Value {
    value.get(name).unwrap_or(&Value::Null)
}

/// Sets a member of an object; of anything else there is nothing to set.
pub fn set(value: &mut Value, name: &str, content: impl Into<Value>) {
    if let Value::Object(members) = value {
        members.insert(name.to_owned(), content.into());
    }
}

/// A document with one more member behind the others; `object` and `value` are JSON as serde_json
/// writes it, the object with a member at least.
pub fn with_member(object: &str, name: &str, value: &str) -> String {
    let members = object.strip_suffix('}').unwrap_or(object);
    [members, ",\"", name, "\":", value, "}"].concat()
}

/// The texts in a list; of anything else there are none.
pub fn texts(list: Option<&Value>) -> Vec<String> {
    let entries = list.and_then(Value::as_array).into_iter().flatten();
    let texts = entries.filter_map(Value::as_str);
    texts.map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_member_is_added_behind_the_others() {
        let grown = with_member(r#"{"a":{"b":1}}"#, "c", r#"{"d":"}"}"#);
        assert_eq!(grown, r#"{"a":{"b":1},"c":{"d":"}"}}"#);
    }

    #[test]
    fn what_is_no_object_has_no_members() {
        let mut list = json!([1]);
        set(&mut list, "a", 1);
        assert_eq!((&list, member(&list, "a")), (&json!([1]), &Value::Null));
        let mut object = json!({});
        set(&mut object, "a", json!([2]));
        assert_eq!(member(&object, "a"), &json!([2]));
    }
}
