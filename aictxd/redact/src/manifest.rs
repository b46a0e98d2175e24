//! The members of Kubernetes secrets.

use super::bytes::{at, blanks, decode_base64, is_name, run, sub};
use super::line::Line;
use super::text_kind::trim_any;
use super::value_kind::Tie;
use super::{cli_password, marker};

/// Position in a Kubernetes manifest.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum Manifest {
    #[default]
    None,
    /// `apiVersion: v1` was the last line: sorted output may go on with the data of a secret.
    Version,
    /// `kind: Secret` was read.
    Secret,
    /// Inside `data:` or `stringData:` that is indented so far.
    Data {
        indent: usize,
        encoded: bool,
        sure: bool,
    },
}

impl Manifest {
    /// The state behind a line of this text, which is indented so far.
    pub(super) fn after(self, text: &[u8], indent: usize) -> Self {
        let (key, value) = match text.iter().position(|&c| c == b':') {
            Some(p) if p < 24 => (
                trim_any(sub(text, 0, p), b"\"' -"),
                trim_any(sub(text, p + 1, text.len()), b"\"', "),
            ),
            _ => (&b""[..], &b""[..]),
        };
        if key == b"kind" {
            return match (value, self) {
                (b"Secret", Self::Data { .. }) => self,
                (b"Secret", _) => Self::Secret,
                _ => Self::None,
            };
        }
        if text.starts_with(b"---") {
            return Self::None;
        }
        match self {
            Self::None if key == b"apiVersion" && value == b"v1" => Self::Version,
            Self::None => Self::None,
            Self::Version | Self::Secret if matches!(value, b"" | b"{") => match key {
                b"data" | b"stringData" => Self::Data {
                    indent,
                    encoded: key == b"data",
                    sure: self == Self::Secret,
                },
                _ if self == Self::Secret => Self::Secret,
                _ => Self::None,
            },
            Self::Version => Self::None,
            Self::Secret => self,
            Self::Data {
                indent: own, sure, ..
            } if indent <= own && !text.is_empty() => {
                if sure {
                    Self::Secret.after(text, indent)
                } else {
                    Self::None
                }
            }
            Self::Data { .. } => self,
        }
    }
}

/// A member of the data of a Kubernetes secret.
pub(super) fn member(line: &mut Line, indent: usize, encoded: bool, sure: bool) {
    let b = line.bytes;
    let i = run(b, 0, b.len(), |c| c.is_ascii_whitespace());
    if i <= indent || at(b, i) == b'#' {
        return;
    }
    let key = run(b, i, 256, |c| is_name(c) || matches!(c, b'"' | b'\''));
    if at(b, key) != b':' || key == i {
        return;
    }
    let Some((s, e, _)) =
        super::value_bounds::value_at(b, blanks(b, key + 1, 80), Tie::Flag, false)
    else {
        return;
    };
    let v = sub(b, s, e);
    let plain = decode_base64(v);
    let fits = if encoded {
        plain.is_some_and(|d| sure || (v.len() >= 8 && d.iter().all(|c| (9..127).contains(c))))
    } else {
        v.len() >= 3
            && !matches!(v, b"true" | b"false" | b"null")
            && at(v, 0) != b'|'
            && at(v, 0) != b'>'
    };
    if fits && !cli_password::is_stand_in(v) {
        line.add(s, e, marker::SECRET, "kubernetes-secret");
    }
}
