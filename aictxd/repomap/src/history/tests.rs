use super::*;
use std::process::Command;

fn change(status: char, path: &str, from: Option<&str>) -> Change {
    Change {
        path: path.into(),
        from: from.map(str::to_owned),
        status,
    }
}

fn commit(message: &str, changes: Vec<Change>) -> Commit {
    Commit {
        hash: message.into(),
        time: 7,
        message: message.into(),
        changes,
    }
}

#[test]
fn renames_are_followed_to_the_newest_name() {
    let history = History::new(&[
        commit("newest touch", vec![change('M', "c", None)]),
        commit("second move", vec![change('R', "c", Some("b"))]),
        commit("another b", vec![change('M', "b", None)]),
        commit("first move", vec![change('R', "b", Some("a"))]),
        commit("oldest words", vec![change('M', "a", None)]),
    ]);
    assert_eq!(history.paths(), ["c"]);
    assert_eq!(history.commits_of(0), [0, 1, 2, 3, 4]);
    let (at, times) = history.with_term(&crate::words::stem("oldest"))[0];
    assert_eq!((at, times), (4, 1));
    assert_eq!(history.files(at), [0]);
}

#[test]
fn a_name_used_again_is_another_file() {
    let history = History::new(&[
        commit("touch", vec![change('M', "a", None)]),
        commit("new one", vec![change('A', "a", None)]),
        commit("moved away", vec![change('R', "b", Some("a"))]),
        commit("before", vec![change('M', "a", None)]),
    ]);
    let path = |name: &str| history.paths().iter().position(|p| p == name).unwrap() as u32;
    assert_eq!(history.commits_of(path("a")), [0, 1]);
    assert_eq!(history.commits_of(path("b")), [2, 3]);
}

#[test]
fn large_and_empty_commits_do_not_count() {
    let many = (0..=MAX_FILES).map(|n| change('M', &format!("f{n}"), None));
    let history = History::new(&[commit("huge", many.collect()), commit("empty", vec![])]);
    assert!(history.is_empty());
    assert!(history.files(0).is_empty());
    assert!(history.with_term("huge").is_empty());
    assert_eq!(history.head, "huge");
}

#[test]
fn no_repository_no_history() {
    let nowhere = || {
        let mut command = Command::new("git");
        command.args(["-C", "/nonexistent"]);
        command
    };
    assert!(matches!(
        mine(&nowhere, "HEAD", None, Limits::default()),
        Err(MineError::Refused)
    ));
    let nothing = || Command::new("/nonexistent/git");
    assert!(matches!(
        mine(&nothing, "HEAD", None, Limits::default()),
        Err(MineError::Start(_))
    ));
}

#[test]
fn a_past_that_grows_is_the_same_past() {
    let all = [
        commit(
            "newest words",
            vec![change('M', "c", None), change('M', "d", None)],
        ),
        commit("moved there", vec![change('R', "c", Some("b"))]),
        commit(
            "older words",
            vec![change('M', "b", None), change('M', "e", None)],
        ),
        commit("oldest touch", vec![change('M', "b", None)]),
    ];
    let whole = History::new(&all);
    for at in 0..=all.len() {
        let (newer, older) = all.split_at(at);
        let grown = History::extend(&History::new(older), newer, 5_000);
        assert_eq!(grown.head, whole.head);
        assert_eq!(grown.commits(), whole.commits());
        let names = |history: &History, commit: u32| {
            let files = history.files(commit).iter();
            let mut names: Vec<String> = files
                .map(|f| history.paths()[*f as usize].clone())
                .collect();
            names.sort();
            names
        };
        for number in 0..whole.commits() {
            assert_eq!(names(&grown, number), names(&whole, number), "{at}");
        }
        for word in ["newest", "words", "moved", "older", "touch", "none"] {
            let term = crate::words::stem(word);
            assert_eq!(
                grown.with_term(&term),
                whole.with_term(&term),
                "{at} {word}"
            );
        }
    }
    let short = History::extend(&History::new(&all[1..]), &all[..1], 2);
    assert_eq!(short.commits(), 2);
    assert_eq!(short.with_term(&crate::words::stem("words")), [(0, 1)]);
}
