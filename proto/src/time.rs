//! Points in time as the artifact files write them.

use std::fmt;

use serde::{Deserialize, Serialize};

/// UTC, whole seconds, written `YYYY-MM-DDTHH:MM:SSZ` everywhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Timestamp(i64);

impl Timestamp {
    /// From seconds since 1970-01-01T00:00:00Z, clamped to the years 1970 to 9999.
    pub fn from_unix(seconds: i64) -> Self {
        Self(seconds.clamp(0, 253_402_300_799))
    }

    /// Seconds since 1970-01-01T00:00:00Z.
    pub fn unix(self) -> i64 {
        self.0
    }

    /// Reads `Z` or any offset, with or without fractions; anything else is absent.
    pub fn parse(text: &str) -> Option<Self> {
        text.trim()
            .parse::<jiff::Timestamp>()
            .ok()
            .map(|t| Self::from_unix(t.as_second()))
    }

    /// Seconds from `earlier` to `self`; zero when the clock went backwards.
    pub fn since(self, earlier: Timestamp) -> u64 {
        u64::try_from(self.0 - earlier.0).unwrap_or(0)
    }

    /// The compact form used in execution ids: `YYYYMMDDTHHMMSSZ`.
    pub fn compact(self) -> String {
        self.to_string().replace(['-', ':'], "")
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match jiff::Timestamp::from_second(self.0) {
            // Of whole seconds that is the form above.
            Ok(t) => fmt::Display::fmt(&t, f),
            Err(_) => f.write_str("1970-01-01T00:00:00Z"),
        }
    }
}

impl Serialize for Timestamp {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    /// Tolerant: unparsable text becomes the epoch, because a damaged date must not lose a record.
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Ok(Self::parse(&text).unwrap_or_default())
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Timestamp {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Timestamp".into()
    }
    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "string", "format": "date-time" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn reads_what_others_write() {
        let t = Timestamp::from_unix(1_790_000_000);
        assert_eq!(Timestamp::parse(&t.to_string()), Some(t));
        assert_eq!(
            Timestamp::parse("2026-11-20T23:12:19+01:00")
                .unwrap()
                .to_string(),
            "2026-11-20T22:12:19Z"
        );
        assert_eq!(
            Timestamp::parse("2026-11-20T23:12:19.250Z")
                .unwrap()
                .to_string(),
            "2026-11-20T23:12:19Z"
        );
        assert_eq!(Timestamp::parse("yesterday"), None);
        assert_eq!(Timestamp::from_unix(5).since(Timestamp::from_unix(9)), 0);
        assert_eq!(Timestamp::from_unix(0).compact(), "19700101T000000Z");
    }

    proptest! {
        #[test]
        fn round_trips(seconds in 0i64..253_402_300_799) {
            let t = Timestamp::from_unix(seconds);
            prop_assert_eq!(Timestamp::parse(&t.to_string()), Some(t));
        }
    }
}
