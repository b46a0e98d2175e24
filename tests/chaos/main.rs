//! The chaos scenarios in their short form. The program `chaos` runs them for long.

use std::time::Duration;

use aictx_tests::chaos::limits::{Bad, How};
use aictx_tests::chaos::{Size, floods, kills, limits, skew, soak};

#[test]
fn killed_daemons_lose_nothing_and_record_nothing_twice() {
    kills::daemon(Size::SHORT).holds();
}

#[test]
fn stopped_daemons_lose_nothing_and_record_nothing_twice() {
    kills::stops(Size::SHORT).holds();
}

#[test]
fn killed_clients_lose_nothing_that_they_acknowledged() {
    kills::clients(Size::SHORT).holds();
    kills::clients_without_daemon(Size::SHORT).holds();
}

#[test]
fn a_daemon_without_descriptors_loses_nothing() {
    limits::descriptors(Size::SHORT).holds();
}

#[test]
fn full_disks_lose_nothing() {
    let size = Size {
        agents: 2,
        ..Size::SHORT
    };
    for bad in [Bad::Repository, Bad::State, Bad::Both] {
        for with_daemon in [true, false] {
            // Only who may mount can have a full disk.
            if let Some(outcome) = limits::disk(size, bad, How::Full, with_daemon) {
                outcome.holds();
            }
        }
    }
}

#[test]
fn read_only_disks_lose_nothing() {
    let size = Size {
        agents: 2,
        ..Size::SHORT
    };
    for bad in [Bad::Repository, Bad::State, Bad::Both] {
        for with_daemon in [true, false] {
            if let Some(outcome) = limits::disk(size, bad, How::ReadOnly, with_daemon) {
                outcome.holds();
            }
        }
    }
}

#[test]
fn idle_connections_slow_nobody() {
    floods::idle_connections(Size::SHORT).holds();
}

#[test]
fn half_lines_hold_bounded_memory() {
    floods::half_lines(30).holds();
}

#[test]
fn other_versions_get_verdicts_and_lose_nothing() {
    skew::protocol().holds();
    skew::format().holds();
    skew::replaced_program().holds();
}

#[test]
fn many_sessions_leave_nothing_behind() {
    let size = soak::Size {
        agents: 4,
        mixed: Duration::ZERO,
        sessions: 150,
    };
    soak::soak(size).holds();
}
