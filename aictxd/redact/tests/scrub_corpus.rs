//! The scrubber against a corpus of secrets and of texts that only look like them.

#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "helpers of tests may fail loudly"
)]

use std::borrow::Cow;

use aictx_redact::{Report, StreamScrubber, scrub_bytes, scrub_text, scrub_value};

fn cases(data: &str) -> impl Iterator<Item = String> {
    data.lines()
        .filter(|l| !l.is_empty() && !l.starts_with("# "))
        .map(|l| {
            l.replace('¦', "")
                .replace("\\\\n", "\u{1}")
                .replace("\\n", "\n")
                .replace('\u{1}', "\\n")
        })
}

/// The text between markers stays; each `«…»` becomes one marker.
fn check(case: &str) -> Result<(), String> {
    let text: String = case.chars().filter(|c| !matches!(c, '«' | '»')).collect();
    let mut report = Report::default();
    let clean = scrub_text(&text, &mut report);
    let mut expected = String::new();
    let mut rest = case;
    let mut count = 0;
    while let Some((head, tail)) = rest.split_once('«') {
        expected.push_str(head);
        expected.push('\u{1}');
        count += 1;
        rest = tail.split_once('»').expect("closed").1;
    }
    expected.push_str(rest);
    let mut got = clean.to_string();
    for kind in [
        "private_key",
        "api_key",
        "access_key",
        "secret",
        "password",
        "credential",
        "session",
        "token",
    ] {
        got = got.replace(&format!("[redacted:{kind}]"), "\u{1}");
    }
    let found: u64 = report.counts().values().sum();
    if got == expected && found >= count {
        let again = scrub_text(&clean, &mut Report::default()).into_owned();
        return if again == clean {
            Ok(())
        } else {
            Err(format!("not idempotent: {clean} -> {again}"))
        };
    }
    Err(format!("{text}\n      -> {clean}"))
}

fn verdict(what: &str, total: usize, misses: &[String]) {
    for miss in misses {
        eprintln!("MISS {what}: {miss}");
    }
    eprintln!("{what}: {}/{total} right", total - misses.len());
    assert!(
        misses.is_empty(),
        "{} of {total} {what} wrong",
        misses.len()
    );
}

#[test]
fn secrets() {
    let all: Vec<String> = cases(include_str!("scrub/secrets.txt")).collect();
    assert!(all.len() >= 120);
    let misses: Vec<String> = all.iter().filter_map(|c| check(c).err()).collect();
    verdict("secrets", all.len(), &misses);
}

#[test]
fn lookalikes() {
    let all: Vec<String> = cases(include_str!("scrub/lookalikes.txt")).collect();
    assert!(all.len() >= 150);
    let misses: Vec<String> = all
        .iter()
        .filter_map(|c| {
            let mut report = Report::default();
            let clean = scrub_text(c, &mut report);
            let same =
                matches!(clean, Cow::Borrowed(_)) && report.is_empty() && clean == c.as_str();
            (!same).then(|| {
                format!(
                    "{clean}   {:?}",
                    report.findings.iter().map(|f| f.rule).collect::<Vec<_>>()
                )
            })
        })
        .collect();
    verdict("look-alikes", all.len(), &misses);
}

/// Random text of a class from a seed.
fn random(class: &str, n: usize, seed: u64) -> String {
    let set: &[u8] = match class {
        "h" => b"0123456789abcdef",
        "l" => b"abcdefghijklmnopqrstuvwxyz0123456789",
        "u" => b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
        "d" => b"1234567890",
        _ => b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
    };
    let mut x = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    (0..n)
        .map(|_| {
            x ^= x << 13;
            x ^= x >> 7;
            x ^= x << 17;
            char::from(set[usize::try_from(x >> 33).unwrap() % set.len()])
        })
        .collect()
}

/// Every format of the list in every carrier.
#[test]
fn formats_in_carriers() {
    // prefix, then class and length, further pieces alike
    const FORMATS: &str = "gh|p_ a36;gh|o_ a36;gh|u_ a36;gh|s_ a36;gh|r_ a36;github|_pat_ a22 _ a59;gl|pat- a20;gl|dt- a20;gl|rt- a20;gl|ptt- h40;gl|cbt- a20;gl|soat- a20;gl|ft- a20;xo|xb- d12 - d12 - a24;xo|xp- d12 - d12 - d12 - h32;xo|xa- d12 - a24;xo|xr- d12 - a24;xap|p-1- u11 - d13 - h64;AK|IA u16;AS|IA u16;AI|za a35;ya|29. a60;GOC|SPX- a28;sk|-proj- a48;sk|-svcacct- a48;sk|-admin- a48;sk|- a48;sk|-ant-api03- a93 AA;sk|_live_ a24;sk|_test_ a24;rk|_live_ a24;wh|sec_ a32;np|m_ a36;py|pi-AgE a120;h|f_ a34;do|p_v1_ h64;do|o_v1_ h64;do|r_v1_ h64;HR|KU- a36;S|G. a22 . a43;S|K h32;ke|y- h32;da|pi h32;NR|AK- u27;sn|trys_ a80;sh|pat_ h32;sh|pss_ h32;sq0|atp- a22;EA|AA a60;AT|ATT3 a180;li|n_api_ a40;nt|n_ a46;sec|ret_ a43;fi|gd_ a40;PM|AK- h24 - h34;dp|.pt. a43;hv|s. a24;gl|sa_ a32 _ h8;sb|p_ h40;psc|ale_tkn_ a43;nf|p_ a36;dck|r_pat_ a27;ruby|gems_ h48;c|io a32;oy|2 l43;AK|Cp a69;AGE-SEC|RET-KEY-1 u58;HR|KU- a60;v1|.0- h24 - h146;ts|key-auth- a16;pul|- h40;PM|AT- a26;sk|-or-v1- h64;gs|k_ a52;r|8_ a37;nv|api- a64;d|t0c01. u24 . u64;AT|BB a32;ey|J a30 .eyJ a40 . a43";
    const CARRIERS: &[&str] = &[
        "SERVICE_TOKEN={}",
        "{\"token\": \"{}\", \"n\": 1}",
        "token: {}",
        "deploy --token {} --yes",
        "X-Api-Key: {}",
        "please use {} for the staging run",
        "2024-01-01 ERROR call failed (key {}) after 3 tries",
        "export OTHER='{}'",
        "fetch(\"{}\")",
    ];
    let mut misses = Vec::new();
    let mut total = 0;
    for (i, format) in FORMATS.split(';').enumerate() {
        let mut pieces = format.split(' ');
        let mut token = pieces.next().unwrap().replace('|', "");
        for (k, piece) in pieces.enumerate() {
            match piece.get(1..).and_then(|n| n.parse().ok()) {
                Some(n) => token.push_str(&random(&piece[..1], n, (i * 31 + k + 7) as u64)),
                None => token.push_str(piece),
            }
        }
        for carrier in CARRIERS {
            total += 1;
            if let Err(miss) = check(&carrier.replace("{}", &format!("«{token}»"))) {
                misses.push(miss);
            }
        }
    }
    verdict("formats", total, &misses);
}

#[test]
fn values_of_members() {
    let mut value = serde_json::json!({
        "session_id": "abc-123", "tokens_used": "512", "files": ["src/token.rs", "config/secret.yml"],
        "password": "hunter2", "env": [{"name": "DB_PASSWORD", "value": "hunter2"}, {"name": "MODE", "value": "hunter2"}],
        "command": "mysql -phunter2 shop", "authorization": "Bearer abcdefgh12345", "nested": {"apiKey": "a8Jd72hsK1ls9Qwe72Bz"},
        "cookie": "theme=dark; sid=abcdef0123456789", "secretary": "Ms Jones", "token": "expired", "commit": "3f786850e387550fdab836ed7e6dc881de23001b",
        "token=abc12345xyz": 1,
    });
    let mut report = Report::default();
    scrub_value(&mut value, &mut report);
    let expected = serde_json::json!({
        "session_id": "abc-123", "tokens_used": "512", "files": ["src/token.rs", "config/secret.yml"],
        "password": "[redacted:password]",
        "env": [{"name": "DB_PASSWORD", "value": "[redacted:password]"}, {"name": "MODE", "value": "hunter2"}],
        "command": "mysql -p[redacted:password] shop", "authorization": "Bearer [redacted:token]",
        "nested": {"apiKey": "[redacted:api_key]"}, "cookie": "theme=dark; sid=[redacted:session]", "secretary": "Ms Jones",
        "token": "expired", "commit": "3f786850e387550fdab836ed7e6dc881de23001b",
        "token=[redacted:token]": 1,
    });
    assert_eq!(value, expected);
    let fields: Vec<&str> = report.findings.iter().map(|f| f.field.as_str()).collect();
    assert!(
        fields.contains(&"/env/0/value") && fields.contains(&"/nested/apiKey"),
        "{fields:?}"
    );
    let mut again = Report::default();
    scrub_value(&mut value, &mut again);
    assert!(again.is_empty() && value == expected);
}

#[test]
fn bytes_that_are_no_text() {
    let mut report = Report::default();
    let out = scrub_bytes(b"\xff\xfe token=abc12345xyz \xc3\x28\n\xff", &mut report);
    assert_eq!(out, b"\xff\xfe token=[redacted:token] \xc3\x28\n\xff");
}

#[test]
fn long_lines_in_a_stream() {
    let token = format!("gh{}{}", "p_", random("a", 36, 5));
    for at in [
        0, 983_000, 1_048_570, 1_049_000, 1_052_660, 1_052_672, 2_000_000, 2_999_900,
    ] {
        let mut text = "ab cd ".repeat(500_000).into_bytes();
        text.splice(at..at, format!(" {token} ").into_bytes());
        let mut out = Vec::new();
        let mut stream = StreamScrubber::new();
        for chunk in text.chunks(65_521) {
            stream.push(chunk, &mut out);
        }
        let report = stream.finish(&mut out);
        assert_eq!(report.counts().get("token"), Some(&1), "at {at}");
        assert!(!String::from_utf8(out).unwrap().contains(&token));
    }
    // A value that is longer than any window
    let text = format!("API_KEY={}", random("a", 5 << 20, 3));
    let mut out = Vec::new();
    let mut stream = StreamScrubber::new();
    stream.push(text.as_bytes(), &mut out);
    stream.finish(&mut out);
    assert_eq!(out, b"API_KEY=[redacted:api_key]");
}

/// A measurement, not a check: run it with `--release -- --ignored --nocapture` and compare the two
/// columns; eight times the text should take about eight times as long.
#[test]
#[ignore = "a measurement"]
fn hostile_lines_take_linear_time() {
    for unit in [
        "password=",
        "token: ",
        "://a:",
        "\"password\": \"",
        "eyJa.",
        "-----BEGIN PRIVATE KEY-----",
        "curl -u ",
        "sk-",
        "[redacted:token]",
        "login password is ",
        "a:5432:",
        "@tcp(",
        "cookie: a=b; ",
        "eyJaaaaaaaaaaa.",
        "| chpasswd ",
        "pass:a ",
        "\"d\":",
        "token=a,",
        "-----BEGIN PRIVATE KEY-----MIIEpAIBAAKCAQEA1 ",
        "AKIAABCDEFGHIJKLMNOP ",
        "token: a: b c ",
        "api key (a b) ",
        "-us1 ",
        "login ",
        "log in a/b ",
        "credentials(",
        "jwt.sign(a,",
        "password: Some(Some(",
        "password is word ",
        "\npassword:\n  ",
        "| password | a |\n",
        "kind: Secret\ndata:\n  a: b\n",
        "passwords:\n- a1b2c3d4\n",
        "curl \\\n -u a:b \\\n",
        "echo a | base64 ",
        "Private-Lines: 9\n",
        "', '-",
        "x', '-",
        "\", \"-p",
        "'mysql', '-p', [",
        "mysql,-p,",
        "otp ",
        "your code is the ",
        "123 is your ",
        "%3d",
        "a%3db'\\''",
        "'\"'\"'",
        "Z2hwXzAxMjM0NTY3ODlhYmNkZWY ",
        "5a32687758324131323334353637385a32687758324131323334353637 ",
        "secrets set a=b ",
        "gh secret set <<< ",
        "contraseña a ",
    ] {
        let took = |bytes: usize| {
            let text = unit.repeat(bytes / unit.len());
            let start = std::time::Instant::now();
            let _ = scrub_text(&text, &mut Report::default());
            start.elapsed()
        };
        let (small, large) = (took(1 << 16), took(1 << 19));
        println!("{unit:<60?} 64 KiB {small:>12.1?}   512 KiB {large:>12.1?}");
    }
}

mod properties {
    use super::*;
    use proptest::prelude::*;

    /// Texts in which secrets, names, connectors and noise meet in every order.
    fn text() -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            4 => prop::sample::select(vec![
                "password", "token", "API_KEY", "secret", "--password", "cookie", "Authorization", "session", "auth", "name",
                "value", "PRIVATE_KEY", "mysql -p", "curl -u ", "docker login -p ", "machine a login b password ", "echo ", "| sudo -S",
                "kind: Secret\ndata:\n", "| user | password |\n|", "expect \"assword:\"\n", "password:\n  ", "secrets:\n- ", "\\\n", "Private-Lines: 2\n",
                "jwt.sign(p, ", "auth=(a, ", "log in as ", "admin / ", "admin:", "as the API key", " key (", "backup codes: ", "$ cat a.key\n",
                "changed from ", " to ", "Some(", "| base64", "> .pass", "user,password\n", "user  password\n", "accounts: ",
            ]).prop_map(str::to_owned),
            4 => prop::sample::select(vec![
                "=", ": ", " ", ":", "\"", "'", "\n", "\r\n", ", ", "; ", "://", "@", "{", "}", "\\\"", "\\n", " is ", "|", "?", "&", "é", "“",
            ]).prop_map(str::to_owned),
            3 => prop::sample::select(vec![
                "hunter2".to_owned(), "a8Jd72hsK1ls9Qwe72BzLmN0".to_owned(), format!("gh{}abcdefghijklmnopqrstuvwx", "p_"),
                "Bearer abcdefgh12345".to_owned(), "Basic dXNlcjpwYXNz".to_owned(), "https://u:p@h/".to_owned(), "[redacted:token]".to_owned(),
                "[redacted:".to_owned(), format!("-----BEGIN {} KEY-----", "PRIVATE"), format!("-----END {} KEY-----", "PRIVATE"),
                "MIIEpAIBAAKCAQEA1c7+9z5Pad7OejecsQ0buYpTTc5zLPnkHGGMWIBXANnoTLxG".to_owned(), "eyJhbGciOiJI.eyJzdWIi.abcdefg".to_owned(),
            ]),
            1 => "[ -~]{0,12}",
            1 => any::<String>(),
        ];
        prop::collection::vec(piece, 0..24).prop_map(|p| p.concat())
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn twice_is_once(text in text()) {
            let mut report = Report::default();
            let clean = scrub_text(&text, &mut report);
            if report.is_empty() {
                prop_assert!(matches!(clean, Cow::Borrowed(_)));
                prop_assert_eq!(&*clean, text.as_str());
            }
            let mut again = Report::default();
            let second = scrub_text(&clean, &mut again);
            prop_assert_eq!(&*second, &*clean);
            prop_assert!(again.is_empty());
        }

        #[test]
        fn streams_are_texts(text in text(), cuts in prop::collection::vec(1_usize..40, 1..20)) {
            let mut whole = Report::default();
            let expected = scrub_bytes(text.as_bytes(), &mut whole);
            let (mut stream, mut out, mut rest) = (StreamScrubber::new(), Vec::new(), text.as_bytes());
            for cut in cuts.iter().cycle() {
                if rest.is_empty() {
                    break;
                }
                let (head, tail) = rest.split_at((*cut).min(rest.len()));
                stream.push(head, &mut out);
                rest = tail;
            }
            let report = stream.finish(&mut out);
            prop_assert_eq!(String::from_utf8_lossy(&out), String::from_utf8_lossy(&expected));
            prop_assert_eq!(report, whole);
        }

        #[test]
        fn bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            let clean = scrub_bytes(&bytes, &mut Report::default());
            prop_assert_eq!(scrub_bytes(&clean, &mut Report::default()), clean);
        }
    }
}
