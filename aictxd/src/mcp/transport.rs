//! Messages over standard input and output, one a line.
//!
//! Lines that are no message are answered as JSON-RPC says and the next one is read; blank lines are
//! nothing. The rest of the protocol is the SDK's.

use std::io;
use std::sync::Arc;

use aictx_proto::json::member;
use rmcp::RoleServer;
use rmcp::model::{ClientJsonRpcMessage, JsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::Transport;
use serde::Serialize;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::{Mutex, mpsc};

/// Longest message, its newline included.
pub(super) const MAX_MESSAGE: usize = 4 * 1024 * 1024;
/// Messages that wait for the server before no more are read.
const MAX_WAITING: usize = 8;

type Output = Arc<Mutex<Box<dyn AsyncWrite + Send + Unpin>>>;

/// The client at the other end.
pub(super) struct Lines {
    messages: mpsc::Receiver<ClientJsonRpcMessage>,
    output: Output,
}

impl Lines {
    /// Begins to read. Must be called within a runtime.
    pub(super) fn new(
        input: impl AsyncRead + Send + Unpin + 'static,
        output: impl AsyncWrite + Send + Unpin + 'static,
    ) -> Self {
        let output: Output = Arc::new(Mutex::new(Box::new(output)));
        let (sender, messages) = mpsc::channel(MAX_WAITING);
        tokio::spawn(read(input, sender, Arc::clone(&output)));
        Self { messages, output }
    }
}

impl Transport<RoleServer> for Lines {
    type Error = io::Error;

    fn send(
        &mut self,
        message: ServerJsonRpcMessage,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let output = Arc::clone(&self.output);
        async move { write(&output, &message).await }
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        self.messages.recv().await
    }

    async fn close(&mut self) -> io::Result<()> {
        self.messages.close();
        self.output.lock().await.flush().await
    }
}

async fn write(output: &Output, message: &impl Serialize) -> io::Result<()> {
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    let mut output = output.lock().await;
    output.write_all(&line).await?;
    output.flush().await
}

/// Reads until the end, or until nobody listens any more.
async fn read(
    input: impl AsyncRead + Unpin,
    messages: mpsc::Sender<ClientJsonRpcMessage>,
    output: Output,
) {
    let mut input = BufReader::with_capacity(64 * 1024, input);
    let mut begun = false;
    while let Ok(Some(line)) = next_line(&mut input).await {
        let message = match understand(line.as_deref()) {
            Understood::Message(message) => message,
            Understood::Nothing => continue,
            Understood::Complaint(complaint) => match write(&output, &complaint).await {
                Ok(()) => continue,
                Err(_) => return,
            },
        };
        begun |= matches!(*message, JsonRpcMessage::Request(_));
        // What comes before the first request speaks of nothing that there is.
        if begun && messages.send(*message).await.is_err() {
            return;
        }
    }
}

/// The next line; `Some(None)` for one that is too long. A last line without an end counts.
async fn next_line(
    input: &mut (impl AsyncBufReadExt + Unpin),
) -> io::Result<Option<Option<Vec<u8>>>> {
    let mut line = Vec::new();
    let mut too_long = false;
    loop {
        let chunk = input.fill_buf().await?;
        if chunk.is_empty() {
            let nothing = line.is_empty() && !too_long;
            return Ok((!nothing).then_some((!too_long).then_some(line)));
        }
        let end = memchr::memchr(b'\n', chunk);
        let taken = end.map_or(chunk.len(), |at| at + 1);
        if too_long || line.len() + taken > MAX_MESSAGE {
            too_long = true;
            line = Vec::new();
        } else {
            line.extend_from_slice(chunk.get(..taken).unwrap_or_default());
        }
        input.consume(taken);
        if end.is_some() {
            return Ok(Some((!too_long).then_some(line)));
        }
    }
}

enum Understood {
    Message(Box<ClientJsonRpcMessage>),
    Nothing,
    Complaint(Value),
}

/// Returns the error for a line that is no message.
pub(super) fn complaint(line: &[u8]) -> Option<Value> {
    match understand(Some(line)) {
        Understood::Complaint(complaint) => Some(complaint),
        Understood::Message(_) | Understood::Nothing => None,
    }
}

fn understand(line: Option<&[u8]>) -> Understood {
    let complaint = |id: &Value, code: i32, message: &str| {
        let error = json!({ "code": code, "message": message });
        Understood::Complaint(json!({ "jsonrpc": "2.0", "id": id, "error": error }))
    };
    let Some(line) = line else {
        return complaint(&Value::Null, -32600, "the message is longer than 4 MiB");
    };
    let line = line.trim_ascii();
    if line.is_empty() {
        return Understood::Nothing;
    }
    if let Ok(message) = serde_json::from_slice(line) {
        return Understood::Message(Box::new(message));
    }
    match serde_json::from_slice::<Value>(line) {
        Err(_) => complaint(&Value::Null, -32700, "the line is not JSON"),
        // A notification is never answered, whatever is wrong with it.
        Ok(value) if value.get("method").is_some() && value.get("id").is_none() => {
            Understood::Nothing
        }
        Ok(value) => {
            let id = member(&value, "id");
            let usable = id.is_string() || id.is_number();
            let id = if usable { id } else { &Value::Null };
            complaint(id, -32600, "the line is no message of the protocol")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn id_of(line: &str) -> Option<(Value, i64)> {
        match understand(Some(line.as_bytes())) {
            Understood::Complaint(value) => Some((
                member(&value, "id").clone(),
                value
                    .pointer("/error/code")
                    .and_then(Value::as_i64)
                    .unwrap(),
            )),
            _ => None,
        }
    }

    #[test]
    fn what_is_no_message_is_answered_once_and_blank_lines_never() {
        assert_eq!(id_of("{"), Some((Value::Null, -32700)));
        assert_eq!(id_of("[]"), Some((Value::Null, -32600)));
        assert_eq!(id_of("7"), Some((Value::Null, -32600)));
        assert_eq!(id_of(r#"{"id":7}"#), Some((json!(7), -32600)));
        assert_eq!(
            id_of(r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#),
            Some((Value::Null, -32600))
        );
        assert_eq!(id_of(r#"{"method":"notifications/x","params":7}"#), None);
        for blank in ["", " \r", "\t"] {
            assert!(matches!(
                understand(Some(blank.as_bytes())),
                Understood::Nothing
            ));
        }
        let ping = br#" {"jsonrpc":"2.0","id":1,"method":"ping"} "#;
        assert!(matches!(understand(Some(ping)), Understood::Message(_)));
    }

    #[test]
    fn long_lines_are_passed_over_in_bounded_memory() {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .build()
            .unwrap();
        let mut text = vec![b'x'; MAX_MESSAGE];
        text.extend_from_slice(b"\nnext\n");
        text.extend_from_slice(&vec![b'y'; MAX_MESSAGE - 1]);
        text.extend_from_slice(b"\nlast");
        let mut input = BufReader::with_capacity(1000, text.as_slice());
        let lengths = runtime.block_on(async {
            let mut lengths = Vec::new();
            while let Some(line) = next_line(&mut input).await.unwrap() {
                lengths.push(line.map(|line| line.len()));
            }
            lengths
        });
        assert_eq!(lengths, [None, Some(5), Some(MAX_MESSAGE), Some(4)]);
    }

    proptest! {
        #[test]
        fn any_line_is_survived(line in prop::collection::vec(any::<u8>(), 0..200)) {
            understand(Some(&line));
        }

        #[test]
        fn any_json_is_survived(id in ".{0,5}", method in "[a-z/]{0,12}", params in ".{0,20}") {
            let line = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
            understand(Some(line.to_string().as_bytes()));
        }
    }
}
