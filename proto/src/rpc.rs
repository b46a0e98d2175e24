//! The envelope: JSON-RPC 2.0, one message a line, over a Unix socket.

use serde::{Deserialize, Serialize};

/// Longest accepted line in either direction, newline included, in bytes.
pub const MAX_LINE_BYTES: usize = 16 * 1024 * 1024;
/// Requests in one batch.
pub const MAX_BATCH: usize = 64;
/// Connections the daemon serves at once; the next one waits in the listen queue.
pub const MAX_CONNECTIONS: usize = 256;

/// Text that the client's fast lane puts before the payload of a hook, up to the process id of the
/// agent. Kept here so that daemon and client cannot drift apart.
pub const HOOK_LINE_HEAD: &str = concat!(
    r#"{"jsonrpc":"2.0","id":1,"aictx":{"proto":1,"client":""#,
    env!("CARGO_PKG_VERSION"),
    r#""},"method":"hook","params":{"runner":""#
);
/// Start of every successful answer to request 1; the rest, up to the last `}`, is the
/// bare result.
pub const RESULT_HEAD: &str = r#"{"jsonrpc":"2.0","id":1,"result":"#;

/// Identity of the client; every request carries it beside `params`, where JSON-RPC tools ignore it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Speaker {
    /// Protocol version of the sender; 0 when it did not say.
    pub proto: u32,
    /// Product version of the sender, empty when it did not say.
    pub client: String,
}

/// Error codes. -32768..-32000 is JSON-RPC's own range; ours are the upper hundred of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ErrorCode {
    /// The number on the wire; never changes its meaning.
    pub code: i32,
    /// Stable machine-readable name, sent as `data.kind`.
    pub kind: &'static str,
    /// Meaning.
    pub meaning: &'static str,
}

macro_rules! error_codes {
    ($($(#[$doc:meta])* $name:ident = ($code:literal, $kind:literal, $meaning:literal);)*) => {
        $($(#[$doc])* pub const $name: ErrorCode = ErrorCode { code: $code, kind: $kind, meaning: $meaning };)*
        /// Every error code there is, for the OpenRPC document and the tests.
        pub const ERROR_CODES: &[ErrorCode] = &[$($name),*];
    };
}

error_codes! {
    /// The line is not JSON.
    PARSE_ERROR = (-32700, "parse_error", "the line is not valid JSON");
    /// JSON, but no request.
    INVALID_REQUEST = (-32600, "invalid_request", "the line is JSON but not a request");
    /// Unknown method.
    METHOD_NOT_FOUND = (-32601, "method_not_found", "the method does not exist");
    /// Parameters of the wrong shape or value.
    INVALID_PARAMS = (-32602, "invalid_params", "the parameters have the wrong shape or value");
    /// A bug of ours; the log has the incident.
    INTERNAL = (-32603, "internal", "the daemon failed; its log has the details");
    /// The sender speaks another protocol version.
    PROTOCOL_MISMATCH = (-32001, "protocol_mismatch", "client and daemon speak different protocol versions");
    /// Line or answer over the limit.
    TOO_LARGE = (-32007, "too_large", "the message is longer than 16 MiB");
    /// The path is no repository, or it is gone.
    NO_REPOSITORY = (-32010, "no_repository", "there is no repository at this path");
    /// The repository's `.aictx` cannot be written.
    NOT_WRITABLE = (-32011, "not_writable", "the repository's .aictx cannot be written");
    /// `.aictx` or a parent leads out of the repository.
    UNSAFE_PATH = (-32012, "unsafe_path", "the path leads out of the repository");
    /// Unknown session, task or record.
    NOT_FOUND = (-32013, "not_found", "no such record");
    /// Deadline passed or the daemon is draining.
    UNAVAILABLE = (-32014, "unavailable", "the daemon is stopping; ask again");
    /// The request is sound, and what is there forbids it.
    REFUSED = (-32015, "refused", "the state of the record forbids it");
    /// Somebody or something else is in its place.
    CONFLICT = (-32016, "conflict", "something else is in its place");
}

/// Looks an error code up by its number.
pub fn error_code(code: i32) -> Option<ErrorCode> {
    ERROR_CODES.iter().copied().find(|e| e.code == code)
}

/// The `data` member of our errors.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct ErrorData {
    /// Machine-readable name of the code.
    pub kind: String,
    /// Next step for the user; empty when there is none.
    pub hint: String,
}

/// An error as the wire carries it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{message}")]
pub struct RpcError {
    /// Number, see [`ERROR_CODES`].
    pub code: i32,
    /// For people: names the thing, the cause and, in `data.hint`, the next step.
    pub message: String,
    /// Kind and hint.
    #[serde(default)]
    pub data: ErrorData,
}

impl RpcError {
    /// An error of a known code.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self {
            code: code.code,
            message: message.into(),
            data: ErrorData {
                kind: code.kind.to_owned(),
                hint: String::new(),
            },
        }
    }

    /// Adds the next step.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.data.hint = hint.into();
        self
    }
}
