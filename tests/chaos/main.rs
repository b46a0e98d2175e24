//! The chaos scenarios in their short form. The program `chaos` runs them for long.

use std::time::Duration;

use aictx_tests::chaos::flows::{Damage, Point, Victim};
use aictx_tests::chaos::limits::{Bad, How};
use aictx_tests::chaos::{Size, floods, flows, kills, limits, skew, soak};

/// A test for each point of a turn, with these victims.
macro_rules! flows_survive {
    ($($name:ident: $point:ident, $($victim:ident)*;)*) => {$(
        #[test]
        fn $name() {
            for (seed, victim) in (1..).zip([$(Victim::$victim),*]) {
                if let Some(outcome) = flows::kill(Point::$point, victim, seed) {
                    outcome.holds();
                }
            }
        }
    )*};
}

flows_survive! {
    d19_7_a_death_before_the_prompt: Chosen, Daemon;
    d19_7_a_death_behind_the_prompt: Prompt, Daemon;
    d19_7_a_death_while_nobody_knows_of_the_host: Spawned, Daemon Host Agent All;
    d19_7_a_death_while_the_agent_works: Launched, Daemon Host Agent All;
    d19_7_a_death_when_all_is_done_but_said: Delivered, Daemon Host Agent All;
    d19_7_a_death_while_nobody_knows_of_the_end: Ended, Daemon;
    d19_7_a_death_behind_the_end: Collected, Daemon;
    d19_7_a_death_while_attachments_move: HalfArchived, Daemon;
    d19_7_a_death_while_nobody_knows_of_the_archive: Archived, Daemon;
    d19_7_a_death_while_checks_run: Checking, Daemon Host Agent All;
    d19_7_a_death_before_a_turn_is_settled: Settling, Daemon;
    d19_7_a_death_behind_a_failed_check: Failing, Daemon;
    d19_7_a_death_before_flow_json_is_written: Settled, Daemon;
    d19_7_a_death_before_a_tickets_work_is_closed: Finished, Daemon;
    d19_7_a_death_while_a_reply_moves: HalfReplied, Daemon;
}

#[test]
fn d19_7_flows_survive_a_damaged_database() {
    for (seed, damage) in (1..).zip([Damage::LogCut, Damage::LogLost, Damage::Page, Damage::Empty])
    {
        flows::damage(damage, seed).holds();
    }
}

#[test]
fn d19_7_flows_survive_damaged_files() {
    let files = [
        Damage::State,
        Damage::Copy,
        Damage::Exit,
        Damage::ExitEmpty,
        Damage::Host,
    ];
    for (seed, damage) in (1..).zip(files) {
        flows::damage(damage, seed).holds();
    }
}

#[test]
fn d19_7_a_stale_daemon_changes_no_flow() {
    flows::two_daemons(Point::Settling, 1).holds();
}

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
