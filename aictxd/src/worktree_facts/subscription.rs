//! Subscribes to watcher events for the files that memory refers to.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use crate::app::App;
use crate::watch::change_log::Listener;

/// Before it is asked who hears of files: whoever waits for an answer goes on first.
const QUIET: Duration = Duration::from_millis(200);
/// Sees to it that the watcher's word is taken for the files that memory speaks of, where it is good.
pub async fn listen(app: &App, worktree: &Path) {
    let Some(strange) = app.facts.looks.strange(worktree) else {
        return;
    };
    let heard_by = hear_of(app, worktree, &strange.directories).await;
    app.facts.looks.learnt(worktree, strange, heard_by);
}

/// As [`listen`], once whoever waits for an answer has it.
pub fn get_ready(app: &Arc<App>, worktree: &Path) {
    let (app_, worktree) = (Arc::clone(app), worktree.to_owned());
    app.after_reply(async move {
        tokio::select! {
            _ = app_.stopped() => {}
            () = async {
                tokio::time::sleep(QUIET).await;
                listen(&app_, &worktree).await;
            } => {}
        }
    });
}

/// Somebody who hears of a worktree, and of which directories (relative) he does not.
async fn hear_of(
    app: &App,
    worktree: &Path,
    directories: &[String],
) -> Option<(Arc<Listener>, BTreeSet<String>)> {
    let watcher = app.watcher.get()?;
    let listener = match app.facts.looks.listener(worktree) {
        Some(listener) => listener,
        None => watcher.listen(worktree).await?,
    };
    let absolute = |directory: &String| match directory.as_str() {
        "" => worktree.to_owned(),
        directory => worktree.join(directory),
    };
    let all = directories.iter().map(absolute).collect();
    let unwatched: BTreeSet<PathBuf> = watcher
        .unwatched(worktree, all)
        .await?
        .into_iter()
        .collect();
    let unwatched = |directory: &&String| unwatched.contains(&absolute(directory));
    let unheard = directories.iter().filter(unwatched).cloned().collect();
    Some((listener, unheard))
}
