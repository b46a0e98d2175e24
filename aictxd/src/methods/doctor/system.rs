//! The user's machine: whether events arrive, and what may be watched.

use std::fs;

use aictx_proto::methods::{Check, CheckStatus};
use serde_json::json;

use super::{check, command, examples, obstructed};
use crate::app::App;
use crate::permissions::{Files, Obstacle};
use crate::spool;

/// Fewer watches than this are not enough for a large repository.
const FEW_WATCHES: u64 = 65_536;
/// Events that wait in the spool without a daemon coming by.
const MANY_WAITING: u64 = 100;

/// Events that did not arrive.
pub(super) fn delivery(app: &App) -> Check {
    let name = "hooks_delivered";
    let lost = spool::lost(app);
    let waiting = spool::waiting(app);
    let details = json!({ "lost": lost, "waiting": waiting });
    if lost > 0 {
        return Check {
            summary: format!("{lost} hook events were lost since the counter was made"),
            details,
            recommended_action: format!(
                "see why no daemon could be reached (`aictx daemon logs`), then remove {}",
                app.locations.spool().join("lost").display()
            ),
            ..check(name, CheckStatus::Warning)
        };
    }
    if waiting > MANY_WAITING {
        return Check {
            summary: format!("{waiting} hook events wait for a daemon"),
            details,
            recommended_action: "start the daemon".to_owned(),
            command: command(&["aictx", "daemon", "start"]),
            safe: true,
            ..check(name, CheckStatus::Warning)
        };
    }
    Check {
        summary: "no hook event was lost".to_owned(),
        details,
        ..check(name, CheckStatus::Ok)
    }
}

/// Checks that the user's own directories of aictx can be written; root may own them, when it worked with this
/// user's home.
pub(super) fn state_writable(app: &App) -> Vec<Check> {
    let places = [&app.locations.state, &app.locations.cache];
    let obstacles = places
        .into_iter()
        .filter_map(|place| Obstacle::find(place, Files::Every));
    obstacles
        .map(|obstacle| obstructed("state_writable", CheckStatus::Error, &obstacle))
        .collect()
}

/// The system's limits for watching; nothing where there are none.
#[expect(clippy::disallowed_methods, reason = "files of /proc")]
pub(super) fn watches() -> Option<Check> {
    let read = |name: &str| -> Option<u64> {
        let text = fs::read_to_string(format!("/proc/sys/fs/inotify/{name}")).ok()?;
        text.trim().parse().ok()
    };
    let most = read("max_user_watches")?;
    let details =
        json!({ "max_user_watches": most, "max_user_instances": read("max_user_instances") });
    let few = most < FEW_WATCHES;
    Some(Check {
        summary: format!("the system allows {most} watched directories"),
        details,
        recommended_action: if few {
            "allow more, or large repositories are polled once a minute".to_owned()
        } else {
            String::new()
        },
        command: if few {
            command(&["sudo", "sysctl", "fs.inotify.max_user_watches=524288"])
        } else {
            Vec::new()
        },
        ..check(
            "watch_limit",
            if few {
                CheckStatus::Warning
            } else {
                CheckStatus::Ok
            },
        )
    })
}

/// Memories outside of their repositories whose repositories are not where they were.
pub(super) fn orphans(app: &App) -> Option<Check> {
    let found: Vec<String> = app
        .homes
        .orphans()
        .into_iter()
        .map(|(home, root)| format!("{} of {}", home.display(), root.display()))
        .collect();
    if found.is_empty() {
        return None;
    }
    Some(Check {
        summary: format!(
            "{} repositories are gone, and their memory is here",
            found.len()
        ),
        details: examples(&found),
        recommended_action: "delete what is named, or move the repository back to have it again"
            .to_owned(),
        ..check("memory_without_repository", CheckStatus::Warning)
    })
}
