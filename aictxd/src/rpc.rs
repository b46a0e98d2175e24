//! The line transport: JSON-RPC 2.0, one message a line, on jsonrpsee's method table.
//!
//! Requests of one connection are answered in order; whoever wants several at once opens several
//! connections. Notifications are executed and not answered. Batches are answered as one line. A
//! client may close its writing side: what it asked is still answered.

use std::borrow::Cow;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixListener as StdListener;
use std::sync::Arc;
use std::time::{Duration, Instant};

use aictx_proto::PROTOCOL_VERSION;
use aictx_proto::methods::{FINALIZE, GUARD, HOOK, METHODS, Method, RESUME, STEER};
use aictx_proto::rpc::{
    INTERNAL, INVALID_REQUEST, MAX_BATCH, MAX_CONNECTIONS, MAX_LINE_BYTES, METHOD_NOT_FOUND,
    PARSE_ERROR, PROTOCOL_MISMATCH, RpcError, Speaker, TOO_LARGE,
};
use jsonrpsee::ConnectionId;
use jsonrpsee::Extensions;
use jsonrpsee::MethodCallback;
use jsonrpsee::RpcModule;
use jsonrpsee::core::server::Methods;
use jsonrpsee::types::{ErrorObjectOwned, Id, Params};
use rustix::io::Errno;
use serde::Deserialize;
use serde_json::value::RawValue;
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;
use tokio::sync::{Semaphore, mpsc};

use crate::app::App;
use crate::connections::Entry;
use crate::methods;
use crate::socket;

/// A connection that says nothing for this long is closed.
const IDLE: Duration = Duration::from_secs(600);
/// A connection that leaves a line unfinished for this long is closed.
const HALF_LINE: Duration = Duration::from_secs(30);
/// A connection that does not read its answer for this long is closed.
const UNREAD: Duration = Duration::from_secs(30);
/// First size of a connection's buffer; most requests fit.
const FIRST_BUFFER: usize = 8 * 1024;

/// The methods that an agent waits for. They go to their handlers directly: the table's boxed call, owned
/// parameters and copies of the answer cost a third of a hook's time. Same handlers, same answers.
const DIRECT: [&str; 5] = [HOOK, GUARD, STEER, RESUME, FINALIZE];

/// One request as it stands on a line. Members we do not know are ignored; a member that stands
/// twice makes the line invalid, so that a payload cannot smuggle in another method.
#[derive(Deserialize)]
struct Envelope<'a> {
    #[serde(borrow)]
    jsonrpc: Cow<'a, str>,
    #[serde(borrow, default)]
    id: Option<Id<'a>>,
    #[serde(borrow)]
    method: Cow<'a, str>,
    #[serde(borrow, default)]
    params: Option<&'a RawValue>,
    #[serde(default)]
    aictx: Speaker,
}

/// Our method table in jsonrpsee's form: one callback for each of [`METHODS`].
///
/// # Errors
/// When two methods share a name, which a test excludes.
pub fn module(app: &Arc<App>) -> Result<Methods, jsonrpsee::core::RegisterMethodError> {
    let mut module = RpcModule::from_arc(Arc::clone(app));
    for Method { name, .. } in METHODS {
        module.register_async_method(name, move |params, app, _| async move {
            let params = params.as_str().unwrap_or("{}");
            let answered = methods::call(&app, name, params).await;
            let raw = answered.and_then(|json| {
                RawValue::from_string(json).map_err(|e| RpcError::new(INTERNAL, e.to_string()))
            });
            raw.map_err(into_error_object)
        })?;
    }
    Ok(module.into())
}

fn into_error_object(error: RpcError) -> ErrorObjectOwned {
    ErrorObjectOwned::owned(error.code, error.message, Some(error.data))
}

/// Accepts connections until the app stops, then waits for the open ones. Listeners that come by
/// `rebound` take the place of the one before.
///
/// Almost every connection is a hook: one line in, one line out, gone. Such a line is usually
/// there before we are awake, so it is read and answered on the bare socket; only a connection
/// that has more to say is registered with the reactor.
pub async fn serve(
    app: Arc<App>,
    table: Methods,
    listener: StdListener,
    mut rebound: mpsc::Receiver<StdListener>,
) {
    let Some(mut listener) = register(listener) else {
        return;
    };
    let places = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    let mut next_connection = 0_usize;
    loop {
        if places.available_permits() == 0 {
            app.connections.close_longest_waiting();
        }
        // A permit first: the kernel's listen queue is the waiting room.
        let Ok(permit) = Arc::clone(&places).acquire_owned().await else {
            break;
        };
        let accepted = tokio::select! {
            accepted = accept(&listener) => accepted,
            Some(new) = rebound.recv() => {
                if let Some(new) = register(new) {
                    listener = new;
                }
                continue;
            }
            _ = app.stopped() => break,
        };
        let stream = match accepted {
            Ok(stream) => stream,
            Err(error) => {
                // Out of descriptors or the like: make room, and breathe instead of spinning.
                tracing::warn!(%error, "accept failed");
                app.connections.close_longest_waiting();
                app.shed();
                tokio::time::sleep(Duration::from_millis(50)).await;
                continue;
            }
        };
        let Some(stream) = socket::of_our_user(stream) else {
            tracing::warn!("refused a connection of another user");
            continue;
        };
        next_connection += 1;
        let entry = app.connections.enter(next_connection);
        let (app, table, id) = (
            Arc::clone(&app),
            table.clone(),
            ConnectionId(next_connection),
        );
        tokio::spawn(async move {
            let _ = converse(&app, &table, stream, id, &entry).await;
            drop((entry, permit));
        });
        // The new connection is answered before anybody is accepted again.
        tokio::task::yield_now().await;
    }
    drop(listener);
    // Idle connections end by themselves when the app stops; busy ones finish their request.
    let _ = places.acquire_many(MAX_CONNECTIONS as u32).await;
}

fn register(listener: StdListener) -> Option<AsyncFd<StdListener>> {
    // SAFETY: the listener is owned, stays open inside the `AsyncFd`, and always names the same
    // socket.
    let registered = unsafe { AsyncFd::register_with_interest(listener, Interest::READABLE) };
    if registered.is_err() {
        tracing::error!("the socket cannot be waited on");
    }
    registered.ok()
}

async fn accept(listener: &AsyncFd<StdListener>) -> std::io::Result<OwnedFd> {
    loop {
        let mut ready = listener.readable().await?;
        if let Ok(accepted) = ready.try_io(|listener| socket::accept(listener.get_ref())) {
            return accepted;
        }
    }
}

/// A connection: the bare socket as long as everything is there at once, the reactor's after that.
enum Stream {
    Bare(OwnedFd),
    Registered(UnixStream),
}

impl Stream {
    /// Registers with the reactor, once.
    fn registered(self) -> std::io::Result<UnixStream> {
        match self {
            Self::Registered(stream) => Ok(stream),
            Self::Bare(fd) => UnixStream::from_std(std::os::unix::net::UnixStream::from(fd)),
        }
    }

    /// Reads what is there; waits when nothing is. 0 at the end.
    async fn read(self, buffer: &mut Vec<u8>) -> std::io::Result<(Self, usize)> {
        if let Self::Bare(fd) = &self {
            match rustix::io::read(fd, rustix::buffer::spare_capacity(buffer)) {
                Ok(n) => return Ok((self, n)),
                Err(Errno::AGAIN | Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
        let mut stream = self.registered()?;
        let n = stream.read_buf(buffer).await?;
        Ok((Self::Registered(stream), n))
    }

    async fn write(self, mut bytes: &[u8]) -> std::io::Result<Self> {
        if let Self::Bare(fd) = &self {
            match rustix::net::send(fd, bytes, socket::QUIETLY) {
                Ok(n) => bytes = bytes.get(n..).unwrap_or_default(),
                Err(Errno::AGAIN | Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
            if bytes.is_empty() {
                return Ok(self);
            }
        }
        let mut stream = self.registered()?;
        stream.write_all(bytes).await?;
        Ok(Self::Registered(stream))
    }
}

/// Serves one connection to its end.
async fn converse(
    app: &Arc<App>,
    table: &Methods,
    fd: OwnedFd,
    id: ConnectionId,
    entry: &Entry,
) -> std::io::Result<()> {
    let mut stream = Stream::Bare(fd);
    let mut buffer = Vec::with_capacity(FIRST_BUFFER);
    let mut searched = 0;
    loop {
        while let Some(at) = newline(&buffer, searched) {
            let rest = buffer.split_off(at + 1);
            let line = std::mem::replace(&mut buffer, rest);
            searched = 0;
            entry.is_busy();
            if let Some(reply) = answer(app, table, &line, id).await {
                stream = write_in_time(stream, &reply).await?;
            }
            notice_replacement(app);
        }
        searched = buffer.len();
        if buffer.len() >= MAX_LINE_BYTES {
            let error = RpcError::new(TOO_LARGE, "the request is longer than 16 MiB")
                .hint("split it, or leave out what the daemon can read itself");
            return write_in_time(stream, &error_line(&Id::Null, &error))
                .await
                .map(drop);
        }
        buffer.reserve(FIRST_BUFFER.max(buffer.len()));
        let idle = buffer.is_empty();
        entry.waits(if idle { 0 } else { buffer.capacity() });
        let patience = if idle { IDLE } else { HALF_LINE };
        let read = tokio::select! {
            read = tokio::time::timeout(patience, stream.read(&mut buffer)) => read,
            () = entry.closed() => return Ok(()),
            _ = app.stopped(), if idle => return Ok(()),
        };
        let n;
        (stream, n) = match read {
            Ok(read) => read?,
            Err(_) => return Ok(()),
        };
        if n == 0 {
            entry.is_busy();
            if let Some(reply) = answer(app, table, &buffer, id).await {
                write_in_time(stream, &reply).await?;
            }
            notice_replacement(app);
            return Ok(());
        }
    }
}

/// Writes an answer to somebody who reads it.
async fn write_in_time(stream: Stream, bytes: &[u8]) -> std::io::Result<Stream> {
    tokio::time::timeout(UNREAD, stream.write(bytes))
        .await
        .unwrap_or_else(|_| Err(std::io::ErrorKind::TimedOut.into()))
}

fn newline(buffer: &[u8], from: usize) -> Option<usize> {
    memchr::memchr(b'\n', buffer.get(from..)?).map(|at| from + at)
}

/// The answer to one line, if it wants one.
async fn answer(app: &Arc<App>, table: &Methods, line: &[u8], id: ConnectionId) -> Option<Vec<u8>> {
    // Tools print bytes that are no UTF-8; the replacement character keeps the rest readable.
    let line = match std::str::from_utf8(line) {
        Ok(line) => Cow::Borrowed(line),
        // Which looks at every byte by itself.
        Err(_) => String::from_utf8_lossy(line),
    };
    let line = line.trim();
    if line.is_empty() {
        None
    } else if line.starts_with('[') {
        batch(app, table, line, id).await
    } else {
        single(app, table, line, id).await
    }
}

async fn batch(app: &Arc<App>, table: &Methods, line: &str, id: ConnectionId) -> Option<Vec<u8>> {
    let requests: Vec<&RawValue> = match serde_json::from_str(line) {
        Ok(requests) => requests,
        Err(e) => return Some(error_line(&Id::Null, &parse_error(&e))),
    };
    if requests.is_empty() || requests.len() > MAX_BATCH {
        let error = RpcError::new(
            INVALID_REQUEST,
            format!("a batch holds 1 to {MAX_BATCH} requests"),
        );
        return Some(error_line(&Id::Null, &error));
    }
    let mut out = vec![b'['];
    for request in requests {
        if let Some(reply) = single(app, table, request.get(), id).await {
            if out.len() > 1 {
                out.push(b',');
            }
            out.extend_from_slice(reply.trim_ascii_end());
        }
    }
    out.extend_from_slice(b"]\n");
    (out.len() > 3).then_some(out)
}

async fn single(
    app: &Arc<App>,
    table: &Methods,
    line: &str,
    connection: ConnectionId,
) -> Option<Vec<u8>> {
    let started = Instant::now();
    let request: Envelope = match serde_json::from_str(line) {
        Ok(request) => request,
        Err(e) if e.is_data() => {
            let error = RpcError::new(INVALID_REQUEST, format!("not a request: {e}"));
            return Some(error_line(&Id::Null, &error));
        }
        Err(e) => return Some(error_line(&Id::Null, &parse_error(&e))),
    };
    let id = request.id.clone().map(Id::into_owned);
    let outcome = invoke(app, table, request, connection).await;
    let failed = outcome.is_err();
    let reply = match (outcome, id) {
        (_, None) => None,
        (Ok(line), Some(_)) => Some(line),
        (Err((_, error)), Some(id)) => Some(error_line(&id, &error)),
    };
    if failed {
        app.stats.record("(rejected)", started.elapsed(), true);
    }
    reply
}

type Rejected = (&'static str, RpcError);

async fn invoke(
    app: &Arc<App>,
    table: &Methods,
    request: Envelope<'_>,
    connection: ConnectionId,
) -> Result<Vec<u8>, Rejected> {
    let reject = |error: RpcError| ("", error);
    if request.jsonrpc != "2.0" {
        return Err(reject(RpcError::new(
            INVALID_REQUEST,
            "`jsonrpc` must be \"2.0\"",
        )));
    }
    if request.aictx.proto != 0 && request.aictx.proto != PROTOCOL_VERSION {
        let error = RpcError::new(
            PROTOCOL_MISMATCH,
            format!(
                "this daemon speaks protocol {PROTOCOL_VERSION}, the client {}",
                request.aictx.proto
            ),
        );
        return Err(reject(error.hint(
            "install client and daemon of one release, then `aictx daemon restart`",
        )));
    }
    let Some(callback) = table.method(&request.method) else {
        let error = RpcError::new(
            METHOD_NOT_FOUND,
            format!("there is no method `{}`", request.method),
        );
        return Err(reject(error.hint("`rpc.discover` lists them")));
    };
    if let Some(method) = DIRECT.iter().find(|direct| **direct == request.method) {
        let params = request.params.map_or("{}", RawValue::get);
        let id = request.id.unwrap_or(Id::Null);
        // What the method says of itself is counted as its own answer.
        return Ok(match methods::call(app, method, params).await {
            Ok(result) => result_line(&id, &result),
            Err(error) => error_line(&id, &error),
        });
    }
    let params = Params::new(request.params.map(RawValue::get)).into_owned();
    let id = request.id.unwrap_or(Id::Null).into_owned();
    let reply = match callback {
        MethodCallback::Async(call) => {
            call(id, params, connection, MAX_LINE_BYTES, Extensions::new()).await
        }
        MethodCallback::Sync(call) => call(id, params, MAX_LINE_BYTES, Extensions::new()),
        MethodCallback::Subscription(_) | MethodCallback::Unsubscription(_) => {
            return Err(reject(RpcError::new(
                METHOD_NOT_FOUND,
                "there are no subscriptions",
            )));
        }
    };
    let mut line = reply.as_ref().as_bytes().to_vec();
    line.push(b'\n');
    Ok(line)
}

/// If the program file we were started from has been replaced, makes room for it, behind the answer
/// to whoever talks to us. Whoever starts next runs the new file, whose own file is then not
/// replaced, so this happens once for each build and never loops.
fn notice_replacement(app: &App) {
    if app.build.was_replaced() {
        app.request_stop(crate::app::StopReason::Upgrade);
    }
}

fn parse_error(cause: &serde_json::Error) -> RpcError {
    RpcError::new(PARSE_ERROR, format!("the line is not JSON: {cause}"))
}

/// A result as a line, its members in the order that [`aictx_proto::rpc::RESULT_HEAD`] promises.
fn result_line(id: &Id, result: &str) -> Vec<u8> {
    let id = serde_json::to_string(id).unwrap_or_else(|_| "null".to_owned());
    let parts = [
        r#"{"jsonrpc":"2.0","id":"#,
        &id,
        r#","result":"#,
        result,
        "}\n",
    ];
    parts.concat().into_bytes()
}

/// An error answer as a line.
fn error_line(id: &Id, error: &RpcError) -> Vec<u8> {
    let value = serde_json::json!({ "jsonrpc": "2.0", "id": id, "error": error });
    let mut line = serde_json::to_vec(&value).unwrap_or_default();
    line.push(b'\n');
    line
}

/// Turns a panic of a handler into an answer.
pub fn incident(method: &str) -> RpcError {
    tracing::error!(method, "a handler panicked");
    RpcError::new(
        INTERNAL,
        format!("`{method}` failed inside the daemon; its log has the details"),
    )
}
