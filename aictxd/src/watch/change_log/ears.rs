//! A watcher for tests: of some directories, and nothing but what is heard of them.

use super::*;
use notify::Watcher;

/// Subscription, ended by dropping it.
pub(crate) struct Ears {
    pub(crate) heard: Arc<Heard>,
    _watcher: notify::RecommendedWatcher,
    _marks: tempfile::TempDir,
}

impl Ears {
    /// Nothing where one of the places is gone.
    pub(crate) fn at(places: Vec<PathBuf>) -> Option<Self> {
        let marks = tempfile::tempdir().unwrap();
        let patient = Heard {
            patience: Duration::from_secs(10),
            ..Heard::new(marks.path().join("marks"))
        };
        let heard = Arc::new(patient);
        let hears = Arc::clone(&heard);
        let told = move |event: notify::Result<Event>| {
            hears.take(&event.unwrap());
        };
        let config = crate::watch::config();
        let mut watcher = notify::RecommendedWatcher::new(told, config).unwrap();
        let marked = heard.prepare().unwrap().to_owned();
        for place in places.into_iter().chain([marked]) {
            let mode = notify::RecursiveMode::NonRecursive;
            watcher.watch(&place, mode).ok()?;
        }
        heard.ready();
        Some(Self {
            heard,
            _watcher: watcher,
            _marks: marks,
        })
    }
}
