//! Time at which a limit ends, as agents put it into words.
//!
//! Known forms: `"resets_at": 1796000000` and `…|1796000000`, ISO 8601, `try again in 2 hours 5 minutes`,
//! `reset after 3h22m10s`, `resets 3pm (Europe/Berlin)`, `resets Dec 3, 3:30pm`, `try again at Nov 30th, 2026 12:53 AM`.
//! A clock without a zone is that of the machine that the agent runs on.

use aictx_proto::time::Timestamp;
use jiff::civil::{Date, Time};
use jiff::tz::TimeZone;

use super::Zones;

/// Words after which a time is looked for.
const ANCHORS: &[&str] = &["reset", "try again", "retry", "available again"];
/// Part of a text that is looked at after such a word, in bytes.
const MAX_WORDS: usize = 96;
/// Farthest end of a limit that is believed, in seconds: the longest limits are those of a month.
const FARTHEST: i64 = 62 * 24 * 3600;

/// Age up to which a time of day is not the one of tomorrow, in seconds.
const JUST_PAST: i64 = 300;

/// Finds the end of a limit in a text, in seconds since the Unix epoch; never in the past.
pub(super) fn find(text: &str, now: i64, zones: Zones) -> Option<i64> {
    let is_near = |at: &i64| (now..=now.saturating_add(FARTHEST)).contains(at);
    let lower = text.to_ascii_lowercase();
    let after = ANCHORS.iter().filter_map(|anchor| lower.split_once(anchor));
    let words: Vec<&str> = after
        .map(|(_, words)| super::cut(words, MAX_WORDS))
        .collect();
    // Names of zones keep their case.
    let zone = named_zone(text, zones).or_else(|| zones(""));
    let ends = [epoch(text), iso(text)].into_iter();
    let durations = words
        .iter()
        .map(|words| Some(now.saturating_add(duration(words)?)));
    let clocks = words.iter().map(|words| clock(words, now, zone.as_ref()?));
    ends.chain(durations).chain(clocks).flatten().find(is_near)
}

/// Ten digits that stand alone, or milliseconds.
fn epoch(text: &str) -> Option<i64> {
    let mut numbers = text.split(|c: char| !c.is_ascii_digit());
    let number =
        numbers.find(|number| matches!(number.len(), 10 | 13) && number.starts_with('1'))?;
    super::cut(number, 10).parse().ok()
}

fn iso(text: &str) -> Option<i64> {
    let ends = |c: char| c.is_whitespace() || "\"'(),".contains(c);
    let mut words = text.split(ends).map(|word| word.trim_end_matches('.'));
    words.find_map(Timestamp::parse).map(Timestamp::unix)
}

/// Sum of `2 hours`, `5 minutes`, `3h22m10s` after `in` or `after`, in seconds.
fn duration(words: &str) -> Option<i64> {
    let (_, mut rest) = [" in ", " after ", "delay"]
        .iter()
        .find_map(|word| words.split_once(word))?;
    let mut seconds: Option<i64> = None;
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_whitespace() || ",:\"".contains(c));
        rest = rest.strip_prefix("and ").unwrap_or(rest);
        let (number, after) = leading_number(rest)?;
        let after = after.trim_start();
        let end = after
            .find(|c: char| !c.is_ascii_alphabetic())
            .unwrap_or(after.len());
        let (unit, after) = after.split_at_checked(end)?;
        let scale = match unit {
            "d" | "day" | "days" => 24 * 3600,
            "h" | "hr" | "hrs" | "hour" | "hours" => 3600,
            "m" | "min" | "mins" | "minute" | "minutes" => 60,
            "s" | "sec" | "secs" | "second" | "seconds" => 1,
            _ => return seconds,
        };
        seconds = Some(
            seconds
                .unwrap_or(0)
                .checked_add(number.checked_mul(scale)?)?,
        );
        rest = after;
        if leading_number(rest.trim_start_matches([' ', ','])).is_none()
            && !rest.starts_with(" and ")
        {
            return seconds;
        }
    }
}

/// Digits at the beginning, less a fraction, and what follows.
fn leading_number(text: &str) -> Option<(i64, &str)> {
    let end = text
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(text.len());
    let (digits, after) = text.split_at_checked(end)?;
    let after = match after.strip_prefix('.') {
        Some(fraction) if fraction.starts_with(|c: char| c.is_ascii_digit()) => {
            fraction.trim_start_matches(|c: char| c.is_ascii_digit())
        }
        _ => after,
    };
    Some((digits.parse().ok()?, after))
}

/// The next time that a clock shows, on the date that stands beside it, if any.
fn clock(words: &str, now: i64, zone: &TimeZone) -> Option<i64> {
    let words = words.split(['(', '[']).next().unwrap_or(words);
    let mut words = words
        .split(|c: char| c.is_whitespace() || c == ',')
        .peekable();
    let today = jiff::Timestamp::from_second(now)
        .ok()?
        .to_zoned(zone.clone())
        .date();
    let (mut month, mut day, mut year) = (None, None, None);
    let mut days_ahead = 0;
    while let Some(word) = words.next() {
        let word = word.trim_end_matches(['.', ';']);
        let next = words
            .peek()
            .map_or("", |next| next.trim_end_matches(['.', ';']));
        if let Some(time) = time(word, next) {
            let on = |date: Date| {
                Some(
                    date.to_datetime(time)
                        .to_zoned(zone.clone())
                        .ok()?
                        .timestamp()
                        .as_second(),
                )
            };
            let (Some(month), Some(day)) = (month, day) else {
                let date = (0..days_ahead).try_fold(today, |date, _| date.tomorrow().ok())?;
                let at = on(date)?;
                return match at {
                    at if at > now => Some(at),
                    // Seconds are left out: the limit ends within the minute, or has ended meanwhile.
                    at if now - at < JUST_PAST => Some(now.max(at + 59) + 1),
                    _ => on(date.tomorrow().ok()?),
                };
            };
            let at = on(Date::new(year.unwrap_or(today.year()), month, day).ok()?)?;
            // A date without its year is the next one of that name.
            let is_past = year.is_none() && at < now.saturating_sub(FARTHEST);
            return if is_past {
                on(Date::new(today.year().checked_add(1)?, month, day).ok()?)
            } else {
                Some(at)
            };
        }
        match leading_number(word) {
            Some((number @ 2000..=9999, "")) => year = i16::try_from(number).ok(),
            Some((number @ 1..=31, "" | "st" | "nd" | "rd" | "th")) => {
                day = i8::try_from(number).ok()
            }
            _ if word == "tomorrow" => days_ahead = 1,
            _ => month = month.or_else(|| month_of(word)),
        }
    }
    None
}

/// `3pm`, `3 pm`, `3:30pm`, `15:30`; the half of the day may be the next word.
fn time(word: &str, next: &str) -> Option<Time> {
    let (hour, after) = leading_number(word)?;
    let (minute, after) = match after.strip_prefix(':') {
        Some(after) => leading_number(after)?,
        None => (0, after),
    };
    let half = if after.is_empty() { next } else { after };
    let hour = match half {
        "am" | "a.m" if (1..=12).contains(&hour) => hour % 12,
        "pm" | "p.m" if (1..=12).contains(&hour) => hour % 12 + 12,
        _ if after.is_empty() && word.contains(':') => hour,
        _ => return None,
    };
    Time::new(i8::try_from(hour).ok()?, i8::try_from(minute).ok()?, 0, 0).ok()
}

fn month_of(word: &str) -> Option<i8> {
    const MONTHS: &str = "janfebmaraprmayjunjulaugsepoctnovdec";
    let at = MONTHS.find(word.get(..3)?).filter(|at| at % 3 == 0)?;
    i8::try_from(at / 3 + 1).ok()
}

/// Zone in brackets, such as `(Europe/Berlin)` or `(UTC)`.
fn named_zone(text: &str, zones: Zones) -> Option<TimeZone> {
    text.split('(').skip(1).find_map(|after| {
        let (name, _) = after.split_once(')')?;
        match name {
            "UTC" | "GMT" => Some(TimeZone::UTC),
            name if name.is_empty() || name.len() > 64 => None,
            name => zones(name),
        }
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// 2026-11-29T17:00:00Z.
    const NOW: i64 = 1_795_971_600;

    fn utc(name: &str) -> Option<TimeZone> {
        match name {
            "" => Some(TimeZone::UTC),
            "Asia/Tokyo" => Some(TimeZone::fixed(jiff::tz::offset(9))),
            _ => None,
        }
    }

    #[test]
    fn ends_of_limits_are_read_in_every_form() {
        let table = [
            (
                "Claude AI usage limit reached|1796000000",
                "2026-11-30T00:53:20Z",
            ),
            (
                r#"{"type":"usage_limit_reached","resets_at":1796000000}"#,
                "2026-11-30T00:53:20Z",
            ),
            (
                "Quota ends; resets at 2026-11-30T00:53:20Z.",
                "2026-11-30T00:53:20Z",
            ),
            ("try again in 2 hours 5 minutes.", "2026-11-29T19:05:00Z"),
            (
                "Try again in 1 day, 2 hours and 5 minutes.",
                "2026-11-30T19:05:00Z",
            ),
            (
                "Your quota will reset after 3h22m10s.",
                "2026-11-29T20:22:10Z",
            ),
            ("Please retry in 12.5s", "2026-11-29T17:00:12Z"),
            ("5-hour limit reached ∙ resets 3pm", "2026-11-30T15:00:00Z"),
            (
                "You've hit your 5-hour limit · resets 6:30pm (UTC)",
                "2026-11-29T18:30:00Z",
            ),
            ("limit · resets Dec 3, 3pm (UTC)", "2026-12-03T15:00:00Z"),
            (
                "limit · resets Jan 3 at 3:15pm (UTC)",
                "2027-01-03T15:15:00Z",
            ),
            (
                "or try again at Nov 30th, 2026 12:53 AM.",
                "2026-11-30T00:53:00Z",
            ),
            ("try again at 11:53 PM.", "2026-11-29T23:53:00Z"),
            ("try again at 5:00 PM.", "2026-11-29T17:01:00Z"),
            ("try again at 4:58 PM.", "2026-11-29T17:00:01Z"),
            ("resets tomorrow 9am", "2026-11-30T09:00:00Z"),
            ("resets 15:30", "2026-11-30T15:30:00Z"),
        ];
        for (text, at) in table {
            let found = find(text, NOW, utc).map(|at| Timestamp::from_unix(at).to_string());
            assert_eq!(found.as_deref(), Some(at), "{text}");
        }
    }

    #[test]
    fn a_clock_counts_in_the_zone_beside_it_or_the_machines() {
        let text = "limit · resets 3:53am (Asia/Tokyo)";
        assert_eq!(find(text, NOW, utc), Some(NOW + 3600 + 53 * 60));
        assert_eq!(
            find("limit · resets 3am (Nowhere/Else)", NOW, utc),
            Some(NOW + 10 * 3600)
        );
        assert_eq!(find("limit · resets 3am", NOW, |_| None), None);
    }

    #[test]
    fn a_text_without_an_end_has_none() {
        for text in [
            "Try again later.",
            "resets",
            "in 3 hours",
            "resets in May",
            "id 1234567890123456",
            "",
        ] {
            assert_eq!(find(text, NOW, utc), None, "{text}");
        }
        for text in [
            "resets_at: 1999999999",
            "resets_at: 1700000000",
            "reset at 2026-11-01T00:00:00Z",
        ] {
            assert_eq!(find(text, NOW, utc), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "(resets|try again in|retry at|reset after)?[ 0-9a-zA-Z:.,()|/-]{0,60}", now: i64) {
            find(&text, now, utc);
        }
    }
}
