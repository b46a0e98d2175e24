use super::*;
use notify::event::{CreateKind, Flag, ModifyKind};

fn event(kind: EventKind, path: &Path) -> Event {
    Event::new(kind).add_path(path.to_owned())
}

fn heard() -> (tempfile::TempDir, Arc<Heard>) {
    let dir = tempfile::tempdir().unwrap();
    let heard = Heard {
        patience: Duration::from_secs(10),
        ..Heard::new(dir.path().join("marks"))
    };
    heard.prepare().unwrap();
    heard.ready();
    (dir, Arc::new(heard))
}

const WRITTEN: EventKind = EventKind::Access(AccessKind::Close(AccessMode::Write));

/// Asks, while somebody tells of what was made.
fn asked(listener: &Listener, tell: &[&Event]) -> Option<Vec<String>> {
    let heard = &listener.heard;
    let (mut round, mut made) = {
        let state = heard.state();
        (state.round, state.made)
    };
    std::thread::scope(|scope| {
        let asking = scope.spawn(|| listener.caught_up().then(|| listener.told()));
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
                let mark = heard
                    .place
                    .join(format!("{}-{round}-{}", heard.name, made % 2));
                heard.take(&event(EventKind::Create(CreateKind::File), &mark));
                heard.take(&event(WRITTEN, &mark));
            }
            std::thread::yield_now();
        }
        let paths = asking.join().unwrap()??;
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
    let (dir, heard) = heard();
    let root = dir.path();
    let listener = heard.listen(root);
    let edit = event(WRITTEN, &root.join("src/a.rs"));
    let ours = event(WRITTEN, &root.join(".aictx/x"));
    let gits = event(WRITTEN, &root.join(".git/index"));
    let other = event(WRITTEN, Path::new("/elsewhere/b.rs"));
    let told = asked(&listener, &[&edit, &ours, &gits, &other]);
    assert_eq!(told.unwrap(), ["src/a.rs"]);
    assert_eq!(asked(&listener, &[]).unwrap(), ["src/a.rs"]);
    let later = heard.listen(root);
    assert_eq!(asked(&later, &[]).unwrap(), [""; 0]);
    assert_eq!(listener.take().unwrap().len(), 1);
    assert_eq!(asked(&listener, &[]).unwrap(), [""; 0]);
    assert_eq!(asked(&later, &[&edit]).unwrap(), ["src/a.rs"]);
    assert_eq!(listener.take().unwrap().len(), 1);
    drop((listener, later));
    assert!(heard.state().worktrees.is_empty());
}

#[test]
fn where_something_was_missed_nothing_is_known() {
    let (dir, heard) = heard();
    let root = dir.path();
    let dropped = Event::new(EventKind::Other).set_flag(Flag::Rescan);
    let rules = event(WRITTEN, &root.join("src/.ignore"));
    let itself = event(EventKind::Modify(ModifyKind::Any), root);
    for what in [&dropped, &rules, &itself] {
        let listener = heard.listen(root);
        assert_eq!(asked(&listener, &[what]), None, "{what:?}");
    }
    let listener = heard.listen(root);
    for n in 0..=MAX_PATHS {
        heard.take(&event(WRITTEN, &root.join(n.to_string())));
    }
    assert_eq!(asked(&listener, &[]), None, "too much");
    let listener = heard.listen(root);
    heard.lose(root);
    assert_eq!(asked(&listener, &[]), None);
}

#[test]
fn another_directory_of_the_name_is_not_listened_to() {
    let (dir, heard) = heard();
    let root = dir.path().join("r");
    std::fs::create_dir(&root).unwrap();
    let listener = heard.listen(&root);
    assert_eq!(asked(&listener, &[]).unwrap(), [""; 0]);
    std::fs::rename(&root, dir.path().join("old")).unwrap();
    assert_eq!(asked(&listener, &[]), None);
    std::fs::create_dir(&root).unwrap();
    assert_eq!(asked(&listener, &[]), None);
}

/// As a listener does it, whoever listens.
fn caught_up(heard: &Heard) -> bool {
    heard.mark().is_some_and(|mark| heard.has_heard(mark))
}

#[test]
fn a_mark_that_is_not_heard_of_is_not_waited_for() {
    let (_dir, heard) = heard();
    let place = heard.place.clone();
    let mut impatient = Heard::new(place.clone());
    impatient.patience = Duration::from_millis(1);
    impatient.ready();
    assert!(!caught_up(&impatient));
    let first = format!("{}-0-1", impatient.name);
    impatient.take(&event(WRITTEN, &place.join(first)));
    assert!(!caught_up(&impatient), "the late mark is not this one");
    impatient.take(&event(WRITTEN, &place.join("0-0")));
    assert_eq!(
        impatient.state().seen,
        1,
        "another process's mark is not ours"
    );
    assert!(!caught_up(&impatient));
    assert_eq!(impatient.state().round, 1, "one of them was lost");
    assert!(
        !caught_up(&Heard::new(place)),
        "nobody waits without a watcher"
    );
}
