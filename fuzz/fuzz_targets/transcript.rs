//! Bytes of any content are a transcript of every agent, a memory in Markdown and issues, within their bounds.
#![no_main]

use aictx_runners::transcript::{AGENTS, MAX_TEXT, Transcript, beads, markdown};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (u8, &[u8])| {
    let (agent, bytes) = input;
    let agent = AGENTS[usize::from(agent) % AGENTS.len()];
    let Some(mut reader) = Transcript::new(agent) else {
        return;
    };
    let lines = bytes.split(|byte| *byte == b'\n');
    let count = lines.clone().count();
    lines.for_each(|line| reader.line(line));
    let session = reader.finish();
    for turn in &session.row.turns {
        assert!(turn.asked.len() <= MAX_TEXT && turn.said.len() <= MAX_TEXT);
    }
    assert!(session.not_understood <= count as u64);
    let text = String::from_utf8_lossy(bytes);
    Transcript::recognise(&text);
    let _ = beads::issue(&text);
    markdown::sections("a.md", &text);
});
