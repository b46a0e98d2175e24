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
    fn what_is_no_object_has_no_members() {
        let mut list = json!([1]);
        set(&mut list, "a", 1);
        assert_eq!((&list, member(&list, "a")), (&json!([1]), &Value::Null));
        let mut object = json!({});
        set(&mut object, "a", json!([2]));
        assert_eq!(member(&object, "a"), &json!([2]));
    }
}
