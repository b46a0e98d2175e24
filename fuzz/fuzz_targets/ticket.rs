//! Any text as a ticket: it has fields or a finding, an edit changes its field alone, and a repair is stable. Any bytes
//! as an archive of tickets.
#![no_main]

use aictx_work::ticket::edit::{self, Value};
use aictx_work::ticket::frontmatter::Frontmatter;
use aictx_work::ticket::{Entry, FileName, zip};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let _ = zip::files(bytes, 1024, |_| true);
    let name = FileName::parse("TICKET-001.md").expect("a name");
    let entry = Entry::read(name, bytes.to_vec(), &["codex"]);
    assert!(entry.ticket.is_some() || !entry.findings.is_empty());
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    if let Ok(edited) = edit::set(text, "done", Some(&Value::Bool(true))) {
        let (before, after) = (Frontmatter::of(text), Frontmatter::of(&edited));
        let (before, after) = (before.expect("it was edited"), after.expect("it stays readable"));
        assert_eq!(text.get(before.body..), edited.get(after.body..));
        assert_eq!(edit::set(&edited, "done", Some(&Value::Bool(true))), Ok(edited));
    }
    if let Ok(repaired) = edit::repair(text, &["codex"], "tkt_abcdef") {
        assert_eq!(edit::repair(&repaired, &["codex"], "tkt_ghijkl"), Ok(repaired));
    }
});
