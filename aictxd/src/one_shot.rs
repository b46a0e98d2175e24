//! One call in a process of its own: the same state, the same handlers, no server.

use std::io::{Read, Write};
use std::sync::Arc;

use aictx_proto::locations::Locations;
use aictx_proto::methods::{HOOK, SPOOL_DRAIN, Scope, method};
use aictx_proto::rpc::{INTERNAL, INVALID_PARAMS, METHOD_NOT_FOUND, RpcError, UNAVAILABLE};
use serde_json::value::RawValue;

use crate::app::{App, Mode};
use crate::methods;

/// Most bytes taken from standard input.
const MAX_INPUT: u64 = 256 * 1024 * 1024;

/// The parts of a hook that come as arguments, so that its payload can be any size.
#[derive(Debug, Clone, Default)]
pub struct HookArguments {
    /// Runner.
    pub runner: String,
    /// Id of the event.
    pub id: String,
    /// Agent process.
    pub pid: u32,
    /// Event.
    pub event: Option<String>,
    /// Only the verdict is wanted: nothing is recorded, and no lock is waited for.
    pub verdict_only: bool,
}

/// Runs `name` with the parameters on standard input (for `hook`: the payload) and gives the
/// result.
///
/// # Errors
/// Whatever the method reports.
pub fn run(name: &str, hook: &HookArguments) -> Result<methods::Json, RpcError> {
    match method(name).map(|method| method.scope) {
        Some(Scope::Daemon) => {
            let text = format!("`{name}` does not run without a daemon");
            return Err(RpcError::new(UNAVAILABLE, text).hint("`aictx daemon start` starts one"));
        }
        Some(_) => {}
        None => {
            let text = format!("there is no method `{name}`");
            return Err(RpcError::new(METHOD_NOT_FOUND, text));
        }
    }
    let input = read_input()?;
    let params = if name == HOOK && !hook.runner.is_empty() {
        match hook_params(&input, hook) {
            // That it cannot be read is all that is judged then.
            Err(_) if hook.verdict_only => hook_params("null", hook)?,
            params => params?,
        }
    } else {
        input
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|e| RpcError::new(INTERNAL, format!("no runtime: {e}")))?;
    runtime.block_on(async {
        let app = Arc::new(App::new(Mode::Once, locations()));
        if name == HOOK && hook.verdict_only {
            return verdict_only(&app, &params);
        }
        if name == HOOK {
            // What clients left behind happened before this event.
            let _ = methods::call(&app, SPOOL_DRAIN, "{}").await;
        }
        let outcome = methods::call(&app, name, &params).await;
        app.background_finished().await;
        outcome
    })
}

fn verdict_only(app: &Arc<App>, params: &str) -> Result<methods::Json, RpcError> {
    let invalid = |e: serde_json::Error| RpcError::new(INVALID_PARAMS, e.to_string());
    let params = serde_json::from_str(params).map_err(invalid)?;
    let answer = crate::hook::verdict_alone(app, &params)?;
    serde_json::to_string(&answer).map_err(|e| RpcError::new(INTERNAL, e.to_string()))
}

/// The user's places, by this process's environment.
pub fn locations() -> Locations {
    let home = directories::BaseDirs::new().map(|dirs| dirs.home_dir().to_owned());
    Locations::derive(
        |name| std::env::var(name).ok(),
        home.as_deref(),
        crate::process::user_id(),
    )
}

fn read_input() -> Result<String, RpcError> {
    let mut bytes = Vec::new();
    std::io::stdin()
        .lock()
        .take(MAX_INPUT)
        .read_to_end(&mut bytes)
        .map_err(|e| RpcError::new(INVALID_PARAMS, format!("standard input: {e}")))?;
    Ok(match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(e) => String::from_utf8_lossy(e.as_bytes()).into_owned(),
    })
}

fn hook_params(payload: &str, hook: &HookArguments) -> Result<String, RpcError> {
    let payload = RawValue::from_string(payload.trim().to_owned())
        .map_err(|e| RpcError::new(INVALID_PARAMS, format!("the payload is not JSON: {e}")))?;
    let params = aictx_proto::methods::HookParams {
        runner: &hook.runner,
        id: &hook.id,
        pid: hook.pid,
        event: hook.event.as_deref(),
        spooled_at: None,
        payload: &payload,
    };
    serde_json::to_string(&params).map_err(|e| RpcError::new(INTERNAL, e.to_string()))
}

/// Prints an outcome as the client reads it: the result on standard output, or the error object
/// on standard error and exit status 1.
pub fn print(outcome: Result<methods::Json, RpcError>) -> std::process::ExitCode {
    let (text, ok) = match outcome {
        Ok(json) => (json, true),
        Err(error) => (serde_json::to_string(&error).unwrap_or_default(), false),
    };
    let written = if ok {
        writeln!(std::io::stdout(), "{text}")
    } else {
        writeln!(std::io::stderr(), "{text}")
    };
    std::process::ExitCode::from(u8::from(!ok || written.is_err()))
}
