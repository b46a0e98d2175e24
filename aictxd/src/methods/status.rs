//! `status`, `hello`, `daemon.stop`.

use aictx_files::mounts;
use aictx_proto::PROTOCOL_VERSION;
use aictx_proto::methods::{DaemonStatus, Hello, METHODS, RepoStatus, StopParams, Stopping};

use crate::app::{App, Mode, StopReason};
use crate::hosts::Host;
use crate::process::{cpu_ms, file_limit, open_files, resident_bytes};
use crate::spool;

pub(super) fn status(app: &App) -> DaemonStatus {
    let running = app.mode == Mode::Daemon;
    let mut warnings = app.warnings.clone();
    let trouble = app.hosts.key_trouble();
    if !trouble.is_empty() {
        warnings.push(trouble.to_owned());
    }
    if !app.locations.socket_note.is_empty() {
        warnings.push(format!(
            "{}; the socket is {}",
            app.locations.socket_note,
            app.locations.socket.display()
        ));
    }
    let damaged = app.maps.damaged();
    if damaged > 0 {
        let many = if damaged == 1 { "" } else { "s" };
        warnings.push(format!(
            "{damaged} index segment{many} damaged on disk, made again from the sources"
        ));
    }
    DaemonStatus {
        version: aictx_proto::VERSION.to_owned(),
        build: app.build.as_str().to_owned(),
        proto: PROTOCOL_VERSION,
        pid: if running { std::process::id() } else { 0 },
        socket: app.locations.socket.to_string_lossy().into_owned(),
        uptime_seconds: app.started.elapsed().as_secs(),
        previous_stop: app.previous_stop.clone(),
        rss_bytes: resident_bytes(),
        cpu_ms: cpu_ms(),
        connections: app.connections.count(),
        open_files: open_files(),
        open_files_limit: file_limit().unwrap_or(0),
        repositories: app.hosts.all().iter().map(|host| repo(app, host)).collect(),
        sessions: app.sessions.status(),
        methods: app.stats.methods(),
        spool_waiting: spool::waiting(app),
        hooks_lost: spool::lost(app),
        log: app
            .log
            .as_ref()
            .map(|p| p.to_string_lossy().into_owned())
            .unwrap_or_default(),
        warnings,
    }
}

fn repo(app: &App, host: &Host) -> RepoStatus {
    if let Err(why) = mounts::check(&host.root) {
        return RepoStatus {
            repo: host.root.to_string_lossy().into_owned(),
            state: "unknown".to_owned(),
            warnings: vec![why.to_string()],
            watch: host.watch.stats(),
            ..RepoStatus::default()
        };
    }
    let mut status = host.status();
    let problem = app.policy_problems(&host.root).text();
    if !problem.is_empty() {
        status.warnings.push(format!("policy: {problem}"));
    }
    status
}

pub(super) fn hello(app: &App) -> Hello {
    Hello {
        name: "aictxd".to_owned(),
        version: aictx_proto::VERSION.to_owned(),
        build: app.build.as_str().to_owned(),
        proto: PROTOCOL_VERSION,
        pid: std::process::id(),
        generation: app.generation,
        methods: METHODS.iter().map(|m| m.name.to_owned()).collect(),
    }
}

pub(super) fn stop(app: &App, params: &StopParams) -> Stopping {
    let meant = params.build.is_empty() || params.build == app.build.as_str();
    if meant {
        app.request_stop(StopReason::Request);
    }
    Stopping {
        stopping: meant,
        pid: std::process::id(),
    }
}
