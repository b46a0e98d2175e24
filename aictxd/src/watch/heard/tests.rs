use super::*;
use notify::event::{CreateKind, Flag, ModifyKind};

fn event(kind: EventKind, path: &Path) -> Event {
    Event::new(kind).add_path(path.to_owned())
}

fn heard() -> (tempfile::TempDir, Heard) {
    let dir = tempfile::tempdir().unwrap();
    let heard = Heard::patient(dir.path().join("marks"));
    heard.prepare().unwrap();
    heard.ready();
    (dir, heard)
}

const WRITTEN: EventKind = EventKind::Access(AccessKind::Close(AccessMode::Write));

/// Asks, while somebody tells of what was made.
fn asked(heard: &Heard, root: &Path, number: u64, tell: &[&Event]) -> Option<Vec<String>> {
    std::thread::scope(|scope| {
        let asking = scope.spawn(|| heard.since(root, number));
        let (mut round, mut made) = (0, 0);
        while !asking.is_finished() {
            let (now, marks) = {
                let state = heard.state();
                (state.round, state.made)
            };
            if now != round {
                (round, made) = (now, 0);
            }
            while made < marks {
                made += 1;
                for event in tell {
                    heard.take(event);
                }
                let mark = heard.place.join(format!("{round}-{}", made % 2));
                heard.take(&event(EventKind::Create(CreateKind::File), &mark));
                heard.take(&event(WRITTEN, &mark));
            }
            std::thread::yield_now();
        }
        let paths = asking.join().unwrap()?;
        Some(
            paths
                .iter()
                .map(|p| String::from_utf8_lossy(p).into_owned())
                .collect(),
        )
    })
}

#[test]
fn what_came_before_the_mark_is_known() {
    let (_dir, heard) = heard();
    let root = Path::new("/r");
    let number = heard.listen(root);
    let edit = event(WRITTEN, Path::new("/r/src/a.rs"));
    let ours = event(WRITTEN, Path::new("/r/.aictx/x"));
    let gits = event(WRITTEN, Path::new("/r/.git/index"));
    let other = event(WRITTEN, Path::new("/elsewhere/b.rs"));
    let told = asked(&heard, root, number, &[&edit, &ours, &gits, &other]);
    assert_eq!(told.unwrap(), ["src/a.rs"]);
    assert_eq!(asked(&heard, root, number + 1, &[]), None, "not its number");
    let number = heard.listen(root);
    assert_eq!(asked(&heard, root, number, &[]).unwrap(), [""; 0]);
}

#[test]
fn where_something_was_missed_nothing_is_known() {
    let (_dir, heard) = heard();
    let root = Path::new("/r");
    let dropped = Event::new(EventKind::Other).set_flag(Flag::Rescan);
    let rules = event(WRITTEN, Path::new("/r/src/.ignore"));
    let itself = event(EventKind::Modify(ModifyKind::Any), root);
    for what in [&dropped, &rules, &itself] {
        let number = heard.listen(root);
        assert_eq!(asked(&heard, root, number, &[what]), None, "{what:?}");
    }
    let number = heard.listen(root);
    for n in 0..=MAX_PATHS {
        heard.take(&event(WRITTEN, &root.join(n.to_string())));
    }
    assert_eq!(asked(&heard, root, number, &[]), None, "too much");
    let number = heard.listen(root);
    heard.lose(root);
    assert_eq!(asked(&heard, root, number, &[]), None);
}

#[test]
fn a_mark_that_is_not_heard_of_is_not_waited_for() {
    let (_dir, mut heard) = heard();
    heard.patience = Duration::from_millis(1);
    let number = heard.listen(Path::new("/r"));
    assert_eq!(heard.since(Path::new("/r"), number), None);
    let late = heard.place.join("0-1");
    heard.take(&event(WRITTEN, &late));
    assert!(!heard.caught_up(), "the late mark is not this one");
    // Without a watcher nobody waits at all.
    let silent = Heard::new(heard.place.clone());
    assert!(!silent.caught_up());
}
