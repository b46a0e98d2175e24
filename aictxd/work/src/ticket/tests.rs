#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)]

use aictx_proto::methods::{TicketRange, TicketState};
use proptest::prelude::*;

use super::finding::Code;
use super::frontmatter::Frontmatter;
use super::operations::Draft;
use super::queue::Next;
use super::*;

const AGENTS: &[&str] = &["claude", "codex", "gemini", "opencode"];

fn entry(name: &str, text: &str) -> Entry {
    Entry::read(
        FileName::parse(name).unwrap(),
        text.as_bytes().to_vec(),
        AGENTS,
    )
}

fn queue(files: &[(&str, &str)]) -> Queue {
    let entries = files.iter().map(|(name, text)| entry(name, text)).collect();
    Queue::new(".aictx/tickets", entries, Vec::new())
}

/// A ticket with further lines of frontmatter.
fn ticket(lines: &str) -> String {
    format!("---\nticket_id: tkt_abcdef\nagent: codex\ndone: false\n{lines}---\n\nText\n")
}

/// Codes of a text with their places, without the missing id.
fn codes(text: &str) -> Vec<(&'static str, u32, u32)> {
    let found = entry("TICKET-001.md", text).findings;
    let found = found
        .into_iter()
        .filter(|finding| finding.code != Code::IdMissing);
    found
        .map(|f| (f.code.as_str(), f.place.line, f.place.column))
        .collect()
}

#[test]
fn names_are_those_of_the_format() {
    for (name, number) in [
        ("TICKET-001.md", 1),
        ("ticket-0001-b.MD", 1),
        ("TICKET-120 parser.md", 120),
        ("Ticket-000.md", 0),
    ] {
        assert_eq!(
            FileName::parse(name).map(|n| n.number()),
            Some(number),
            "{name}"
        );
    }
    for name in [
        "TICKET-01.md",
        "TICKET-٣٣٣.md",
        "TICKET-001.txt",
        "TICKET-001/a.md",
        "xTICKET-001.md",
        "AGENTS.md",
        ".md",
    ] {
        assert_eq!(FileName::parse(name), None, "{name}");
    }
    assert_eq!(FileName::new(7, 1_200, "-x").as_str(), "TICKET-0007-x.md");
}

#[test]
fn frontmatter_of_every_form_has_its_values_or_a_code_with_line_and_column() {
    let read = |text: &str| entry("TICKET-001.md", text);
    let done = |value: &str| format!("---\nagent: codex\ndone: {value}\n---\n");
    // Booleans of YAML 1.1 without quotes, in any case.
    for (word, value) in [
        ("yes", true),
        ("on", true),
        ("Off", false),
        ("NO", false),
        ("True", true),
    ] {
        let ticket = read(&done(word)).ticket.unwrap();
        assert_eq!(ticket.done, value, "{word}");
        let warned = !word.eq_ignore_ascii_case("true");
        assert_eq!(
            codes(&done(word)),
            if warned { vec![("T021", 3, 7)] } else { vec![] },
            "{word}"
        );
    }
    for word in ["1", "\"true\"", "'yes'", "[true]", "", "~"] {
        assert_eq!(codes(&done(word))[0].0, "T020", "{word}");
    }
    // Forms of the markers and line ends.
    for text in [
        "\u{feff}---\nagent: codex\ndone: true\n---\nbody",
        "---\r\nagent: codex\r\ndone: true\r\n---\r\nbody\r\n",
        "---  \nagent: codex\ndone: true\n...\t\nbody",
        "---\nagent: codex\ndone: true\n---",
    ] {
        assert_eq!(codes(text), [], "{text:?}");
        assert!(read(text).is_done(), "{text:?}");
    }
    for (text, place) in [
        ("", (1, 1)),
        ("\u{feff}", (1, 1)),
        (" ---\nagent: codex\n---\n", (1, 1)),
        ("agent: codex\n", (1, 1)),
        ("---\nagent: codex\n", (1, 1)),
        ("---\n---\n", (2, 1)),
        ("---\n# nothing\n---\n", (3, 1)),
        ("---\n- a\n---\n", (2, 1)),
        ("---\ntitle: Foo: Bar\nagent: codex\n---\n", (2, 11)),
        ("---\nagent: codex\nverify:\n\t- x\n---\n", (4, 2)),
        ("---\na: &x 1\nb: *x\n---\n", (3, 4)),
        ("---\na: b\rc: d\n---\n", (2, 5)),
    ] {
        assert_eq!(codes(text), [("T003", place.0, place.1)], "{text:?}");
    }
    let finding = &read("---\ntitle: Foo: Bar\n---\n").findings[0];
    assert_eq!(finding.fix, "title: \"Foo: Bar\"");
    // Not text at all.
    let raw = Entry::read(
        FileName::parse("TICKET-001.md").unwrap(),
        b"---\nagent: c\xff\n---\n".to_vec(),
        AGENTS,
    );
    assert_eq!(raw.findings[0].code, Code::Unreadable);
    assert_eq!(
        (raw.findings[0].place.line, raw.findings[0].place.column),
        (2, 9)
    );
    assert!(raw.findings[0].message.contains("byte 12"));
    // A long text below costs nothing.
    let long = ticket("") + &"word ".repeat(220_000);
    assert_eq!(codes(&long), []);
    let unclosed = format!("---\n{}", "a: b\n".repeat(20_000));
    assert_eq!(codes(&unclosed), [("T003", 1, 1)]);
}

#[test]
fn each_field_has_its_rule_and_its_code() {
    for (lines, expected) in [
        ("title: 2026-01-01\nmodel: 5\n", vec![]),
        ("title: [a]\n", vec![("T041", 5, 8)]),
        ("Done: true\n", vec![("T070", 5, 1)]),
        ("agnet: x\n", vec![("T070", 5, 1)]),
        ("agent: codex\n", vec![("T071", 5, 1)]),
        ("extra: {a: 1}\ntemplate_url: x\n", vec![]),
        ("profile: ''\n", vec![("T040", 5, 10)]),
        ("context: x\n", vec![("T050", 5, 10)]),
        ("context: [x]\n", vec![("T051", 5, 11)]),
        ("context: [{max_bytes: 3}]\n", vec![("T052", 5, 11)]),
        ("context:\n  - path: /etc/passwd\n", vec![("T053", 6, 11)]),
        ("context:\n  - path: a\\b\n", vec![("T054", 6, 11)]),
        ("scope: [../x]\n", vec![("T055", 5, 9)]),
        (
            "context:\n  - path: a\n    max_bytes: -1\n    required: maybe\n",
            vec![("T056", 7, 16), ("T057", 8, 15)],
        ),
        ("after: {a: b}\n", vec![("T084", 5, 8)]),
        ("depends_on: [1]\n", vec![("T083", 5, 1)]),
        ("verify: [{timeout: 3m}]\n", vec![("T090", 5, 10)]),
        (
            "verify:\n  - cmd: make\n    timeout: soon\n",
            vec![("T090", 7, 14)],
        ),
        (
            "budget: {turns: 0, speed: 3}\n",
            vec![("T092", 5, 17), ("T092", 5, 20)],
        ),
        (
            "budget: {turns: 6, cost: 3.00, time: 2h}\nverify: make test\n",
            vec![],
        ),
    ] {
        assert_eq!(codes(&ticket(lines)), expected, "{lines}");
    }
    for (agent, expected) in [
        ("user", vec![]),
        ("Codex", vec!["T013"]),
        ("codx", vec!["T011"]),
        ("\" \"", vec!["T010"]),
        ("[a]", vec!["T010"]),
    ] {
        let text = format!("---\nticket_id: tkt_abcdef\nagent: {agent}\ndone: no # no\n---\n");
        let found: Vec<&str> = codes(&text)
            .into_iter()
            .map(|f| f.0)
            .filter(|c| *c != "T021")
            .collect();
        assert_eq!(found, expected, "{agent}");
    }
    let text = ticket("").replace("codex", "cladue");
    assert_eq!(
        entry("TICKET-001.md", &text).findings[0].fix,
        "agent: claude"
    );
    let text = ticket("ticket_id: x\n").replacen("ticket_id: tkt_abcdef\n", "", 1);
    assert_eq!(codes(&text), [("T030", 4, 12)]);
    let verify = entry(
        "TICKET-001.md",
        &ticket("verify:\n  - make\n  - cmd: cargo test\n    timeout: 10m\n"),
    );
    let checks = verify.ticket.unwrap().verify;
    assert_eq!(
        (checks[0].command.as_str(), checks[1].timeout.as_str()),
        ("make", "10m")
    );
}

#[test]
fn an_edit_of_done_changes_one_line() {
    let texts = [
        ticket("# a comment\ntitle: 'It''s: x' # why\n"),
        ticket("verify:\n  - cmd: a\n").replace('\n', "\r\n"),
        format!("\u{feff}{}", ticket("\n\n")),
        ticket("").replace("done: false", "done:   no   # not yet"),
        ticket("").replace("done: false", "\"done\": false"),
        "---\nagent: codex\ndone:\n---\n".to_owned(),
        "---\n{agent: codex, done: false}\n---\n".to_owned(),
    ];
    for text in texts {
        let edited = edit::set(&text, "done", Some(&Value::Bool(true))).unwrap();
        let changed: Vec<(&str, &str)> = text
            .lines()
            .zip(edited.lines())
            .filter(|(a, b)| a != b)
            .collect();
        assert_eq!(changed.len(), 1, "{edited}");
        assert_eq!(text.lines().count(), edited.lines().count());
        assert!(
            Ticket::of(&Frontmatter::of(&edited).unwrap(), AGENTS)
                .0
                .done,
            "{edited}"
        );
        assert_eq!(
            edit::set(&edited, "done", Some(&Value::Bool(true))).unwrap(),
            edited
        );
    }
}

#[test]
fn values_of_any_form_make_way_and_comments_stay() {
    let text = ticket(
        "verify: # how\n  - make # all\n  - cmd: b\n# kept\ntitle: >\n  long\n  text\n\ngoal: 'x' # y\n",
    );
    let set = |key: &str, value: Option<&Value>| edit::set(&text, key, value).unwrap();
    let list = Value::List(vec!["cargo test -p a".into(), "b: c".into()]);
    let edited = set("verify", Some(&list));
    assert!(
        edited.contains("verify: [cargo test -p a, \"b: c\"] # how\n# kept\ntitle: >\n"),
        "{edited}"
    );
    let edited = set("title", Some(&Value::Text("Foo: \"Bar\"".into())));
    assert!(
        edited.contains("# kept\ntitle: \"Foo: \\\"Bar\\\"\"\n\ngoal"),
        "{edited}"
    );
    let edited = set("goal", Some(&Value::Text("it's".into())));
    assert!(edited.contains("goal: 'it''s' # y\n"), "{edited}");
    assert!(!set("verify", None).contains("verify"));
    let edited = set("model", Some(&Value::Text("true".into())));
    assert!(
        edited.contains("goal: 'x' # y\nmodel: \"true\"\n---\n"),
        "{edited}"
    );
    assert!(matches!(
        edit::set(&ticket("done: no\n"), "done", None),
        Err(EditError::Twice { line: 5, .. })
    ));
    let braces = "---\n{agent: codex, done: false}\n---\n";
    assert!(matches!(
        edit::set(braces, "title", Some(&list)),
        Err(EditError::Braces { .. })
    ));
    let error = edit::set("---\na: b: c\n---\n", "a", None).unwrap_err();
    assert!(error.to_string().starts_with("2:5: T003"), "{error}");
}

#[test]
fn a_repair_makes_no_guess() {
    let text = "---\r\nagent: Codex\r\ntitle: Foo: Bar\r\ndone: yes\r\ndepends_on: [2]\r\n---\r\n";
    let repaired = edit::repair(text, AGENTS, "tkt_123456").unwrap();
    let expected = "---\r\nticket_id: tkt_123456\r\nagent: codex\r\ntitle: \"Foo: Bar\"\r\ndone: true\r\nafter: [2]\r\n---\r\n";
    assert_eq!(repaired, expected);
    assert_eq!(
        edit::repair(&repaired, AGENTS, "tkt_other1").unwrap(),
        repaired
    );
    let unsure = ticket("").replace("false", "perhaps");
    assert_eq!(edit::repair(&unsure, AGENTS, "tkt_123456").unwrap(), unsure);
}

#[test]
fn the_queue_orders_by_number_and_names_what_collides() {
    let mut queue = queue(&[
        ("TICKET-010-b.md", &ticket("").replace("abcdef", "bbbbbb")),
        ("ticket-0002.md", &ticket("")),
        ("TICKET-002-x.md", &ticket("").replace("abcdef", "cccccc")),
        (
            "TICKET-001.md",
            &ticket("")
                .replace("false", "true")
                .replace("abcdef", "bbbbbb"),
        ),
    ]);
    let names: Vec<&str> = queue.entries.iter().map(|e| e.file.as_str()).collect();
    assert_eq!(
        names,
        [
            "TICKET-001.md",
            "TICKET-002-x.md",
            "ticket-0002.md",
            "TICKET-010-b.md"
        ]
    );
    queue = Queue::new(
        ".aictx/tickets",
        queue.entries,
        vec!["AGENTS.md".into(), "notes.md".into(), "TICKET-1.md".into()],
    );
    let found = |gate| {
        let found = queue.findings(gate);
        found
            .into_iter()
            .map(|f| format!("{} {}", f.code, f.file.rsplit('/').next().unwrap()))
            .collect::<Vec<_>>()
    };
    let twice = [
        "T061 TICKET-001.md",
        "T060 TICKET-002-x.md",
        "T060 ticket-0002.md",
        "T061 TICKET-010-b.md",
    ];
    assert_eq!(found(Gate::Run), twice);
    assert_eq!(
        found(Gate::Start)[4..],
        ["T062 notes.md", "T002 TICKET-1.md"]
    );
    assert!(queue.pick("2").is_err(), "two have this number");
    assert_eq!(
        queue.pick("ticket-0002").unwrap().file.as_str(),
        "ticket-0002.md"
    );
    assert_eq!(
        queue.pick("TICKET-010").unwrap().file.as_str(),
        "TICKET-010-b.md"
    );
    assert_eq!(
        queue.pick("tkt_cccccc").unwrap().file.as_str(),
        "TICKET-002-x.md"
    );
    assert_eq!(queue.pick_all("1:2,10").unwrap().len(), 4);
    assert!(queue.pick_all("40:50").is_err());
}

/// Tickets with these fields, each with an id of its own.
fn numbered(fields: &[(u64, &str)]) -> Queue {
    let files: Vec<(String, String)> = fields
        .iter()
        .map(|(number, lines)| {
            (
                format!("TICKET-{number:03}.md"),
                ticket(lines).replace("abcdef", &format!("{number:06}")),
            )
        })
        .collect();
    let files: Vec<(&str, &str)> = files
        .iter()
        .map(|(n, t)| (n.as_str(), t.as_str()))
        .collect();
    queue(&files)
}

#[test]
fn what_is_ready_follows_from_what_is_done() {
    let mut tickets = numbered(&[
        (1, "after: [3]\n"),
        (2, "after: [TICKET-001, tkt_000003]\n"),
        (3, ""),
        (4, "after: [9]\n"),
    ]);
    let states = |queue: &Queue, claims: &[Claim]| -> Vec<TicketState> {
        queue
            .entries
            .iter()
            .map(|entry| queue.state(entry, claims))
            .collect()
    };
    use TicketState::{Blocked, Claimed, Done, Ready};
    assert_eq!(states(&tickets, &[]), [Blocked, Blocked, Ready, Blocked]);
    assert_eq!(
        tickets.blocked_by(&tickets.entries[1]),
        ["TICKET-001", "TICKET-003"]
    );
    assert!(matches!(tickets.next(&[]), Next::Ready(entry) if entry.file.number() == 3));
    let claim = Claim {
        ticket: "tkt_000003".into(),
        holder: "codex".into(),
        at: "now".into(),
    };
    assert_eq!(states(&tickets, std::slice::from_ref(&claim))[2], Claimed);
    assert!(matches!(
        tickets.next(std::slice::from_ref(&claim)),
        Next::Waiting
    ));
    let error = tickets
        .check_claimable(&tickets.entries[2], std::slice::from_ref(&claim))
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        ".aictx/tickets/TICKET-003.md is claimed by codex since now"
    );
    let changes = tickets.set_done(&tickets.entries[2], true).unwrap();
    tickets.entries[2] = entry("TICKET-003.md", &changes.writes["TICKET-003.md"]);
    assert_eq!(states(&tickets, &[]), [Ready, Blocked, Done, Blocked]);
    let codes: Vec<String> = tickets
        .findings(Gate::Start)
        .into_iter()
        .map(|f| f.code)
        .collect();
    assert_eq!(codes, ["T082", "T082", "T080"]);
}

#[test]
fn circles_are_told_once_with_their_path() {
    let tickets = numbered(&[
        (1, "after: [2]\n"),
        (2, "after: [3]\n"),
        (3, "after:\n  - 4\n  - 2\n"),
        (4, ""),
        (5, "after: [5]\n"),
        (6, "after: [1]\n"),
    ]);
    let found = tickets.findings(Gate::Start);
    let circles: Vec<(&str, u32, &str)> = found
        .iter()
        .filter(|f| f.code == "T081")
        .map(|f| (f.file.as_str(), f.line, f.message.as_str()))
        .collect();
    assert_eq!(
        circles,
        [
            (
                ".aictx/tickets/TICKET-002.md",
                5,
                "these wait for each other: TICKET-002 → TICKET-003 → TICKET-002"
            ),
            (
                ".aictx/tickets/TICKET-005.md",
                5,
                "these wait for each other: TICKET-005 → TICKET-005"
            ),
        ]
    );
}

#[test]
fn tickets_that_move_take_references_along() {
    let tickets = numbered(&[
        (1, ""),
        (2, "after: [1]\n"),
        (5, "after: ['TICKET-002', 1, tkt_000001]\n"),
    ]);
    let draft = Draft {
        id: "tkt_newone",
        title: "First: things",
        ..Draft::default()
    };
    let (file, changes) = tickets.insert(&draft, (Some(1), None), 1, &[]).unwrap();
    assert_eq!(file.unwrap().as_str(), "TICKET-001-first-things.md");
    let after = tickets.after(&changes, AGENTS);
    let numbers: Vec<u64> = after.entries.iter().map(|e| e.file.number()).collect();
    assert_eq!(numbers, [1, 2, 3, 6]);
    let text = &after.find("tkt_000005").unwrap().text;
    assert!(
        text.contains("after: ['TICKET-003', 2, tkt_000001]"),
        "{text}"
    );
    assert!(
        after.findings(Gate::Start).is_empty(),
        "{:?}",
        after.findings(Gate::Start)
    );
    let range = TicketRange {
        first: 6,
        to: 1,
        ..TicketRange::default()
    };
    let moved = after.after(&after.moved(range, &[]).unwrap(), AGENTS);
    let ids: Vec<&str> = moved.entries.iter().map(|e| e.id.as_str()).collect();
    assert_eq!(
        ids,
        ["tkt_000005", "tkt_newone", "tkt_000001", "tkt_000002"]
    );
    assert_eq!(moved.last_number(), 4, "gaps are gone");
    let claim = Claim {
        ticket: "tkt_000002".into(),
        ..Claim::default()
    };
    assert!(matches!(
        after.insert(&draft, (Some(1), None), 1, &[claim]),
        Err(TicketError::Claimed { .. })
    ));
    for (anchor, count) in [
        ((None, None), 1),
        ((Some(1), Some(2)), 1),
        ((Some(0), None), 1),
        ((Some(1), None), 2),
    ] {
        assert!(matches!(
            tickets.insert(&draft, anchor, count, &[]),
            Err(TicketError::Argument(_))
        ));
    }
    let range = TicketRange {
        first: 1,
        to: 4,
        ..TicketRange::default()
    };
    assert!(tickets.moved(range, &[]).is_err());
}

#[test]
fn a_new_ticket_says_what_it_was_given() {
    let tickets = numbered(&[(4, "")]);
    let after = vec!["4".to_owned()];
    let verify = vec!["cargo test -p a".to_owned(), "echo 'a: b'".to_owned()];
    let draft = Draft {
        id: "tkt_newone",
        title: "Say \"hi\"\nnow",
        agent: "Claude",
        goal: "because: yes",
        after: &after,
        verify: &verify,
        scope: &["src/**".to_owned()],
        body: None,
    };
    let (file, changes) = tickets.create(&draft, None).unwrap();
    assert_eq!(file.as_str(), "TICKET-005-say-hi-now.md");
    let new = entry(file.as_str(), &changes.writes[file.as_str()]);
    assert_eq!(new.findings, []);
    let ticket = new.ticket.as_ref().unwrap();
    assert_eq!(
        (
            ticket.title.as_str(),
            ticket.goal.as_str(),
            ticket.agent.as_str()
        ),
        (draft.title, draft.goal, "claude")
    );
    assert_eq!(
        ticket.verify.iter().map(|c| &c.command).collect::<Vec<_>>(),
        verify.iter().collect::<Vec<_>>()
    );
    let all = tickets.after(&changes, AGENTS);
    assert_eq!(
        all.create(&draft, Some(5)).unwrap().1,
        Changes::default(),
        "said twice"
    );
    let other = Draft {
        title: "Other",
        ..draft
    };
    assert!(matches!(
        all.create(&other, Some(5)),
        Err(TicketError::Exists { .. })
    ));
    let lost = vec!["77".to_owned()];
    assert!(matches!(
        all.create(
            &Draft {
                after: &lost,
                ..other
            },
            None
        ),
        Err(TicketError::NoSuch(_))
    ));
    let needed = all.removed(all.find("4").unwrap(), &[], false).unwrap_err();
    assert_eq!(
        needed.to_string(),
        ".aictx/tickets/TICKET-005-say-hi-now.md:8: `after` names .aictx/tickets/TICKET-004.md"
    );
    let set = |values: &[&str]| {
        all.set(
            all.find("4").unwrap(),
            &values.iter().map(|v| (*v).to_owned()).collect::<Vec<_>>(),
        )
    };
    let changes = set(&[
        "agent=Gemini",
        "model=",
        "verify=a",
        "verify=b, c",
        "after=5",
    ])
    .unwrap();
    let text = &changes.writes["TICKET-004.md"];
    assert!(
        text.contains("agent: gemini\ndone: false\nverify: [a, \"b, c\"]\nafter: [5]\n---"),
        "{text}"
    );
    for wrong in ["done=true", "x", "=1", "after=99", "ticket_id=a"] {
        assert!(set(&[wrong]).is_err(), "{wrong}");
    }
}

#[test]
fn an_import_again_takes_nothing() {
    let here = numbered(&[(1, ""), (2, "")]);
    let there = numbered(&[(7, ""), (8, "after: [7]\n")]);
    let first = here.imported(&there, "Claude").unwrap();
    assert_eq!(
        first.files.iter().map(FileName::as_str).collect::<Vec<_>>(),
        ["TICKET-007.md", "TICKET-008.md"]
    );
    let all = here.after(&first.changes, AGENTS);
    let again = all.imported(&there, "").unwrap();
    assert_eq!((again.files.len(), again.known.len()), (0, 2));
    let taken = numbered(&[(2, ""), (3, "after: [2]\n")]);
    let renamed: Vec<Entry> = taken
        .entries
        .into_iter()
        .map(|e| entry(e.file.as_str(), &e.text.replace("tkt_00", "tkt_99")))
        .collect();
    let moved = here
        .imported(&Queue::new("x", renamed, Vec::new()), "")
        .unwrap();
    assert_eq!(
        moved.files.iter().map(FileName::as_str).collect::<Vec<_>>(),
        ["TICKET-004.md", "TICKET-005.md"]
    );
    assert!(moved.changes.writes["TICKET-005.md"].contains("after: [4]"));
}

/// A text of frontmatter as people write it, with odd spacing, comments and quotes.
fn any_ticket() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        Just("# comment"),
        Just(""),
        Just("title: \"a: b\"   # c"),
        Just("goal: 'it''s'"),
        Just("verify:\n- a\n- cmd: b # c\n  timeout: 1m"),
        Just("scope: [ \"a/**\" , b ]"),
        Just("model: >-\n  folded\n  text\n"),
        Just("custom: {a: [1, 2], b: é}"),
        Just("reasoning:"),
        Just("long: plain text\n  on two lines"),
    ];
    (
        proptest::collection::vec(line, 0..6),
        prop_oneof![
            Just("done: false"),
            Just("done: no # x"),
            Just("'done':   true"),
            Just("x: y")
        ],
        any::<bool>(),
        any::<bool>(),
        ".{0,40}",
    )
        .prop_map(|(lines, done, crlf, bom, body)| {
            let mut seen = std::collections::BTreeSet::new();
            let key = |line: &&str| line.split(':').next().unwrap_or_default().to_owned();
            let lines: Vec<&str> = lines
                .into_iter()
                .filter(|l| !l.contains(':') || seen.insert(key(l)))
                .collect();
            let text = format!("---\nagent: codex\n{}\n{done}\n---\n", lines.join("\n"));
            let text = if crlf {
                text.replace('\n', "\r\n")
            } else {
                text
            };
            format!("{}{text}{body}", if bom { "\u{feff}" } else { "" })
        })
}

proptest! {
    #[test]
    fn bytes_outside_of_the_edited_field_stay(text in any_ticket(), value in "[ -~é\t]{0,20}") {
        let line_of = |text: &str, at: usize| text[..at].matches('\n').count();
        let front = Frontmatter::of(&text).unwrap();
        for (key, value) in [("done", Value::Bool(true)), ("title", Value::Text(value.clone())), ("goal", Value::Text(value))] {
            let edited = edit::set(&text, key, Some(&value)).unwrap();
            if edited == text {
                continue;
            }
            let common = text.bytes().zip(edited.bytes()).take_while(|(a, b)| a == b).count();
            let tail = text.bytes().rev().zip(edited.bytes().rev()).take_while(|(a, b)| a == b).count();
            let tail = tail.min(text.len() - common).min(edited.len() - common);
            if let Some(field) = front.field(key) {
                // All that differs lies in the lines of the field.
                let start = (0..=common).rev().find(|at| text.is_char_boundary(*at)).unwrap();
                prop_assert!(line_of(&text, start) >= line_of(&text, field.key_span.start), "{edited}");
                let end = (text.len() - tail..=text.len()).find(|at| text.is_char_boundary(*at)).unwrap();
                prop_assert!(end <= field.node.span.end.max(field.key_span.end + 1) , "{edited}");
            } else {
                // One line came.
                prop_assert_eq!(common + tail, text.len());
                prop_assert_eq!(text.matches('\n').count() + 1, edited.matches('\n').count());
            }
            let back = Frontmatter::of(&edited).unwrap();
            prop_assert_eq!(&edited[back.body..], &text[front.body..]);
            prop_assert_eq!(edit::set(&edited, key, Some(&value)).unwrap(), edited);
        }
    }

    #[test]
    fn any_text_is_read_without_harm(text in "(---\n)?[-a-d:\\[\\]{}'\"#|>&*!? \n\r\té]{0,80}(\n---\n)?.{0,9}") {
        let read = Entry::read(FileName::parse("TICKET-001.md").unwrap(), text.clone().into_bytes(), AGENTS);
        prop_assert!(read.ticket.is_some() || !read.findings.is_empty());
        if let Ok(edited) = edit::set(&text, "done", Some(&Value::Bool(true))) {
            let done = Ticket::of(&Frontmatter::of(&edited).unwrap(), AGENTS).0.done;
            prop_assert!(done, "{edited:?}");
        }
    }
}

#[test]
fn every_code_is_explained_to_people() {
    let docs = include_str!("../../../../docs/tickets.md");
    let (_, table) = docs.split_once("## Findings").unwrap();
    let named = |code: &str| {
        let (head, number) = code.split_at(1);
        let number: u32 = number.parse().unwrap();
        let mut rows = table.lines().filter(|line| line.starts_with("| T"));
        rows.any(|row| {
            let cell = row.split('|').nth(1).unwrap();
            let bounds = cell.split_once(" – ").map(|(a, b)| {
                let number = |text: &str| text.trim()[1..4].parse::<u32>().unwrap();
                number(a)..=number(b)
            });
            cell.contains(&format!("{head}{number:03}"))
                || bounds.is_some_and(|b| b.contains(&number))
        })
    };
    for code in Code::ALL {
        assert!(named(code.as_str()), "{}", code.as_str());
    }
}
