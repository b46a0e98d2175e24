use proptest::prelude::*;

use super::*;

fn event(file: &str, message: &str) -> ErrorEvent {
    ErrorEvent {
        toolchain: "python".into(),
        phase: "runtime".into(),
        code: "ValueError".into(),
        file: file.into(),
        message: message.into(),
        line: "3".into(),
        ..ErrorEvent::default()
    }
}

#[test]
fn only_a_letter_is_a_drive() {
    assert_eq!(
        normal(r"in C:\Users\x\Temp\y.txt: no", "/r", true),
        "in <tmp> no"
    );
    assert_eq!(normal("f()):/temp/x", "/r", true), "f()):/temp/x");
}

#[test]
fn volatile_parts_do_not_count() {
    let pairs = [
        ("at <x object at 0x7f8afa400e50>", "at <x object at 0x1>"),
        ("in /tmp/pytest-of-a/pytest-3/x0/f.txt: no", "in /tmp/q: no"),
        ("took 0.45s", "took 12.1s"),
        ("took 12 ms", "took 9 ms"),
        (
            "id 6f1c2a9e-0b1d-4f7a-9c3e-1a2b3c4d5e6f",
            "id 00000000-0b1d-4f7a-9c3e-1a2b3c4d5e6f",
        ),
        ("commit deadbee5f00d", "commit 0123456789ab"),
        ("at 2024-05-01T10:11:12Z", "at 2025-12-31T01:02:03.123Z"),
        ("port 8080 in use", "port  9090 in use"),
        ("pid 12", "pid 99"),
        ("/a/clone/src/x.py is bad", "/a/clone/src/x.py is BAD"),
    ];
    for (one, two) in pairs {
        assert_eq!(
            fingerprint(&event("a.py", one), "/a/clone"),
            fingerprint(&event("a.py", two), "/a/clone"),
            "{one} / {two}"
        );
    }
    assert_eq!(
        fingerprint(&event("/a/clone/src/x.py", "/a/clone/k: no"), "/a/clone"),
        fingerprint(&event("src/x.py", "/b/k: no"), "/b"),
    );
    assert_eq!(
        fingerprint(&event("/home/u/.cache/lib/y.py", "m"), "/r"),
        fingerprint(&event("/home/v/lib/y.py", "m"), "/r"),
    );
}

#[test]
fn names_codes_and_tests_count() {
    let pairs = [
        ("no attribute 'a1'", "no attribute 'a2'"),
        ("E0308 here", "E0425 here"),
        ("'prod'", "'dev'"),
        ("utf8 bad", "utf16 bad"),
    ];
    for (one, two) in pairs {
        assert_ne!(
            fingerprint(&event("a.py", one), "/r"),
            fingerprint(&event("a.py", two), "/r"),
            "{one} / {two}"
        );
    }
    let mut one = event("a.py", "x");
    let mut two = one.clone();
    one.test = "t.py::test_a[1]".into();
    two.test = "t.py::test_a[2]".into();
    assert_ne!(fingerprint(&one, "/r"), fingerprint(&two, "/r"));
    two.test.clone_from(&one.test);
    two.message = "something else entirely".into();
    two.line = "99".into();
    assert_eq!(fingerprint(&one, "/r"), fingerprint(&two, "/r"));
}

proptest! {
    #[test]
    fn shape(file in ".{0,30}", message in ".{0,400}", test in ".{0,30}") {
        let mut e = event(&file, &message);
        e.test = test;
        let print = fingerprint(&e, "/r/repo");
        prop_assert!(print.len() <= 93);
        prop_assert!(print.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_'));
    }

    /// Clone directory, line shifts, numbers and temporary names do not matter.
    #[test]
    fn stable(
        a in "/[a-z]{2,8}/[a-z]{2,8}", b in "/[a-z]{2,8}/[a-z]{2,8}",
        n in 0u32..100_000, m in 0u32..100_000, tmp in "[a-z0-9]{1,12}", other in "[a-z0-9]{1,12}",
        word in "[a-z]{1,10}",
    ) {
        let text = |root: &str, n: u32, tmp: &str| {
            format!("{word}: {root}/src/a.py got {n} of {n}, see /tmp/{tmp}/log at 0x{n:x} in {n}.5s")
        };
        let mut one = event(&format!("{a}/src/a.py"), &text(&a, n, &tmp));
        let two = event("src/a.py", &text(&b, m, &other));
        one.line = "700".into();
        prop_assert_eq!(fingerprint(&one, &a), fingerprint(&two, &b));
    }

    /// Another file, code or wording is another error.
    #[test]
    fn distinct(x in "[a-z_]{1,12}", y in "[a-z_]{1,12}") {
        prop_assume!(x != y);
        let base = event("a.py", "m");
        let named = |e: &ErrorEvent| fingerprint(e, "/r");
        let with = |f: &dyn Fn(&mut ErrorEvent, &str), v: &str| {
            let mut e = base.clone();
            f(&mut e, v);
            named(&e)
        };
        type Set = fn(&mut ErrorEvent, &str);
        let set: [Set; 4] = [
            |e, v| e.file = format!("src/{v}.py"),
            |e, v| e.code = v.to_owned(),
            |e, v| e.message = format!("no name '{v}'"),
            |e, v| e.test = format!("t.py::{v}"),
        ];
        for f in set {
            prop_assert_ne!(with(&f, &x), with(&f, &y));
        }
    }
}
