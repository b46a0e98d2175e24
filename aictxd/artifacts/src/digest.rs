//! The digest by which contents are compared.

use aictx_proto::text::hex;
use sha2::{Digest, Sha256};

/// SHA-256 in hexadecimal digits.
pub(crate) fn digest(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}
