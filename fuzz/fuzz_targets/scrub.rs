//! Scrubbing twice is scrubbing once, and a stream in pieces is the whole.
#![no_main]

use aictx_redact::{Report, StreamScrubber, scrub_bytes, scrub_text, scrub_value};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (u8, &[u8])| {
    let (step, bytes) = input;
    let once = scrub_bytes(bytes, &mut Report::default());
    let mut report = Report::default();
    assert_eq!(scrub_bytes(&once, &mut report), once, "idempotent");
    assert!(report.is_empty());

    let mut stream = StreamScrubber::new();
    let mut out = Vec::new();
    for piece in bytes.chunks(usize::from(step).max(1)) {
        stream.push(piece, &mut out);
    }
    stream.finish(&mut out);
    assert_eq!(out, once, "in pieces");

    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    let mut report = Report::default();
    let clean = scrub_text(text, &mut report);
    assert_eq!(clean.as_bytes(), once);
    assert_eq!(report.is_empty(), clean == text);
    if let Ok(mut value) = serde_json::from_str::<serde_json::Value>(text) {
        scrub_value(&mut value, &mut Report::default());
        let once = value.clone();
        scrub_value(&mut value, &mut Report::default());
        assert_eq!(value, once, "idempotent value");
    }
});
