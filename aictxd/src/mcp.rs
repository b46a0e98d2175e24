//! The MCP server: a thin process between an agent's standard streams and the daemon.
//!
//! It knows which tools there are, what they take and where they may look; every answer is the
//! daemon's. [`tools`] is the one list: a name that is not in it cannot be called, the schemas are
//! made from it, and each call is checked against the same entry before anything is asked.

use std::error::Error;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::pin::pin;
use std::process::ExitCode;
use std::sync::Arc;
use std::task::Poll;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, CustomRequest,
    CustomResult, ErrorCode, ErrorData, GetPromptRequestParams, GetPromptResponse, Implementation,
    InitializeRequestParams, InitializeResult, ListPromptsResult, ListResourcesResult,
    ListToolsResult, PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse,
    ReadResourceResult, Resource, ResourceContents, ServerCapabilities, ServerConfig,
};
use rmcp::service::{RequestContext, serve_server};
use rmcp::{RoleServer, ServerHandler};
use serde_json::{Map, Value, json};

use aictx_proto::identity::Caller;
use aictx_proto::rpc::{INTERNAL, INVALID_PARAMS, RpcError};
use aictx_proto::shown;
use aictx_runners::registry;

mod answer;
mod backend;
mod boundary;
mod prompts;
mod resources;
mod schema;
mod tools;
mod transport;

use self::answer::Answer;
use self::backend::Backend;
use self::boundary::Boundary;
use self::schema::Call;
use self::tools::Tool;
use crate::setup::agent_detection::{Around, surroundings_here};

/// Instructions of the server for clients.
const INSTRUCTIONS: &str = "Memory of earlier sessions in this repository. At the start call \
    aictx_resume once with the goal; ask aictx_map_query which files matter before reading the tree; \
    call aictx_finalize once before the last message. Answers are data from the past: the request and \
    the code as it is now come first.";

/// The same for a client whose hooks tell and record by themselves.
const INSTRUCTIONS_BESIDE_HOOKS: &str = "Memory of earlier sessions in this repository. Hooks already tell \
    what matters here and record what is done: nothing need be called for that. Ask aictx_recall about \
    earlier work, and aictx_map_query which files matter before reading the tree. Answers are data from the \
    past: the request and the code as it is now come first.";

/// Tools that a client may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, clap::ValueEnum)]
pub enum Profile {
    /// Only questions; nothing is written
    Readonly,
    /// Tools that a model needs, at most ten
    Standard,
    /// Everything
    Full,
}

impl Profile {
    fn as_str(self) -> &'static str {
        match self {
            Self::Readonly => "readonly",
            Self::Standard => "standard",
            Self::Full => "full",
        }
    }
}

/// Serve the tools of aictx to an agent over standard input and output (MCP).
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Repository, or a directory in it: no call reaches anything outside of it
    #[arg(long, value_name = "PATH", default_value = ".")]
    repo: std::path::PathBuf,
    /// Another directory that calls may name
    #[arg(long, value_name = "PATH")]
    allow_root: Vec<std::path::PathBuf>,
    /// Tools that the client may use
    #[arg(long, value_name = "PROFILE", default_value = "standard")]
    profile: Profile,
    /// Agent that is served, when it does not say so itself
    #[arg(long, value_name = "ID", default_value = "")]
    agent_id: String,
    /// Adapter
    #[arg(long, value_name = "ID", default_value = "")]
    adapter_id: String,
    /// Session that is served, when the environment does not say so
    #[arg(long, value_name = "ID", default_value = "")]
    session_id: String,
}

/// Returns the error for a line that is no message; nothing when it is one, blank,
/// or a notification that is none.
pub fn complaint(line: &[u8]) -> Option<Value> {
    transport::complaint(line)
}

/// Serves until standard input ends.
pub fn run(arguments: Arguments) -> ExitCode {
    let boundary = match Boundary::new(&arguments.repo, &arguments.allow_root) {
        Ok(boundary) => boundary,
        Err(why) => {
            eprintln!("aictxd: mcp: {}", shown::lines(&why.to_string()));
            return ExitCode::from(2);
        }
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(4)
        .build();
    let outcome = runtime.map_err(Box::from).and_then(|runtime| {
        let served = runtime.block_on(serve(boundary, arguments));
        // A read of standard input that is under way cannot be called off.
        runtime.shutdown_background();
        served
    });
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("aictxd: mcp: {}", shown::lines(&why.to_string()));
            ExitCode::FAILURE
        }
    }
}

async fn serve(boundary: Boundary, arguments: Arguments) -> Result<(), Box<dyn Error>> {
    let server = Server {
        boundary,
        profile: arguments.profile,
        agent_id: arguments.agent_id,
        adapter_id: arguments.adapter_id,
        session_id: arguments.session_id,
        backend: Backend::from_env(),
    };
    let (input, output) = rmcp::transport::stdio_pipes();
    let running = match serve_server(server, transport::Lines::new(input, output)).await {
        Ok(running) => running,
        // Nobody ever spoke.
        Err(rmcp::service::ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
        Err(error) => return Err(error.into()),
    };
    running.waiting().await?;
    Ok(())
}

/// One client's server.
#[derive(Debug)]
struct Server {
    boundary: Boundary,
    profile: Profile,
    agent_id: String,
    adapter_id: String,
    session_id: String,
    backend: Backend,
}

impl Server {
    /// Says who asks: as told at the start or in the call, else by the environment that the agent
    /// gave us, else by the name with which the client introduced itself.
    fn introduce(&self, call: &mut Call<'_>, context: &RequestContext<RoleServer>) {
        let told = |argument: &str, default: &str| match call.text(argument) {
            "" => default.to_owned(),
            text => text.to_owned(),
        };
        let mut caller = Caller {
            agent_id: told("agent_id", &self.agent_id),
            adapter_id: told("adapter_id", &self.adapter_id),
            session_id: told("session_id", &self.session_id),
            env: Caller::environment(|name| std::env::var(name).ok()),
            parent_pid: std::os::unix::process::parent_id(),
            via: "mcp".to_owned(),
        };
        if caller.agent_id() == "generic" {
            let name = context.client_info().map(|info| info.name.clone());
            let found = agent_named(&name.unwrap_or_default());
            found.unwrap_or("mcp").clone_into(&mut caller.agent_id);
        }
        call.caller = serde_json::to_value(caller).unwrap_or_default();
    }

    /// Returns true if hooks of ours are registered for the client that introduces itself so.
    fn has_hooks(&self, client: &str) -> bool {
        let caller = Caller {
            agent_id: self.agent_id.clone(),
            env: Caller::environment(|name| std::env::var(name).ok()),
            ..Caller::default()
        };
        let agent = match caller.agent_id() {
            known if known != "generic" => Some(known.to_owned()),
            _ => agent_named(client).map(str::to_owned),
        };
        let Some(agent) = agent else { return false };
        let worktree = self.boundary.root("").ok();
        let worktree = worktree.as_deref().map(Path::new);
        let around = Around::at(&surroundings_here(), worktree);
        around.is_ok_and(|around| {
            around.user_has_hooks(&agent) || around.repository_has_hooks(&agent)
        })
    }

    /// Calls a method of the daemon. Whatever a model gets to see of the answer is safe to show.
    async fn ask(&self, method: &str, params: Value) -> Result<Value, RpcError> {
        let mut answer = self.backend.call(method, params).await;
        match &mut answer {
            Ok(value) => shown::value(value),
            Err(error) => {
                for text in [&mut error.message, &mut error.data.hint] {
                    *text = shown::lines(text).into_owned();
                }
            }
        }
        answer
    }

    async fn call(
        &self,
        request: &CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResult, ErrorData> {
        let name = request.name.as_ref();
        let refuse =
            |code: &str, message: String, details: Value| Ok(failed(code, &message, details));
        let Some(tool) = tools::find(name) else {
            let message = format!("there is no tool `{name}`");
            return refuse("unknown_tool", message, json!({}));
        };
        if tool.profile > self.profile {
            let profile = self.profile.as_str();
            let message = format!("`{name}` is not part of the profile `{profile}`");
            let details = json!({ "tool": name, "profile": profile });
            return refuse("permission_denied", message, details);
        }
        let none = Map::new();
        let arguments = request.arguments.as_ref().unwrap_or(&none);
        if let Err(message) = schema::check(tool, arguments) {
            return refuse(
                "invalid_request",
                message.to_string(),
                json!({ "tool": name }),
            );
        }
        let mut call = Call::new(arguments);
        match self.boundary.root(call.text("repo")) {
            Ok(root) => call.root = root,
            Err(message) => {
                return refuse(
                    "permission_denied",
                    message.to_string(),
                    json!({ "tool": name }),
                );
            }
        }
        self.introduce(&mut call, context);
        call.look_only = self.profile == Profile::Readonly;
        let (method, params) = (tool.request)(&call);
        match self.ask(method, params).await {
            Ok(value) => Ok(told(tool, (tool.answer)(&call, value))),
            Err(error) if error.code == INTERNAL.code => Err(internal(&error)),
            Err(error) => {
                let code = if error.code == INVALID_PARAMS.code {
                    "invalid_request"
                } else {
                    "tool_error"
                };
                let details = json!({
                    "tool": name, "kind": error.data.kind, "hint": error.data.hint,
                });
                refuse(code, error.message, details)
            }
        }
    }

    async fn read(
        &self,
        uri: &str,
        context: &RequestContext<RoleServer>,
    ) -> Result<ReadResourceResult, ErrorData> {
        let Some(resource) = resources::find(uri) else {
            let message = format!("there is no resource {uri}");
            return Err(ErrorData::invalid_params(message, None));
        };
        let nothing = Map::new();
        let mut call = Call::new(&nothing);
        let root = self.boundary.root("");
        call.root = root.map_err(|why| ErrorData::invalid_params(why.to_string(), None))?;
        self.introduce(&mut call, context);
        let mut parts = Vec::new();
        for (method, params) in (resource.requests)(&call) {
            parts.push(self.ask(method, params).await.map_err(|e| internal(&e))?);
        }
        let text = (resource.shape)(parts).to_string();
        let contents = ResourceContents::text(text, uri).with_mime_type(resources::MIME);
        Ok(ReadResourceResult::new(vec![contents]))
    }
}

/// The agent that introduces itself by a name.
fn agent_named(client: &str) -> Option<&'static str> {
    let client = client.to_lowercase();
    let mut known = registry::names().filter(|known| *known != "generic");
    known.find(|known| client.contains(known))
}

/// Result of a call that succeeded.
fn told(tool: &Tool, answer: Answer) -> CallToolResult {
    let mut content = vec![ContentBlock::text(answer.text)];
    if answer.cut
        && let Some(resource) = tool.details
    {
        let link = Resource::new(resources::uri(resource), resource);
        content.push(ContentBlock::resource_link(
            link.with_mime_type(resources::MIME),
        ));
    }
    let mut result = CallToolResult::success(content);
    result.structured_content = Some(Value::Object(answer.data));
    result
}

/// Result of a call that failed: clients show results to the model and protocol errors to nobody.
fn failed(code: &str, message: &str, mut details: Value) -> CallToolResult {
    // They quote what was asked for.
    let message = shown::lines(message);
    shown::value(&mut details);
    let mut result = CallToolResult::error(vec![ContentBlock::text(format!("{code}: {message}"))]);
    result.structured_content = Some(json!({
        "ok": false, "error": { "code": code, "message": message, "details": details },
    }));
    result
}

fn internal(error: &RpcError) -> ErrorData {
    let data = json!({ "kind": error.data.kind, "hint": error.data.hint });
    ErrorData::internal_error(error.message.clone(), Some(data))
}

/// A panic in a handler is an error of that request, and of no other.
async fn unharmed<T>(work: impl Future<Output = Result<T, ErrorData>>) -> Result<T, ErrorData> {
    let mut work = pin!(work);
    std::future::poll_fn(|context| {
        catch_unwind(AssertUnwindSafe(|| work.as_mut().poll(context))).unwrap_or_else(|_| {
            let text = "the server failed at this request";
            Poll::Ready(Err(ErrorData::internal_error(text, None)))
        })
    })
    .await
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_resources()
            .enable_prompts()
            .build();
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new("aictx", aictx_proto::VERSION))
            .with_instructions(INSTRUCTIONS)
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        let mut info = self.negotiate_initialize(&request)?;
        if self.has_hooks(&request.client_info.name) {
            info.instructions = Some(INSTRUCTIONS_BESIDE_HOOKS.to_owned());
        }
        context.peer.set_peer_info(request);
        Ok(info)
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let offered = tools::TOOLS
            .iter()
            .filter(|tool| tool.profile <= self.profile);
        let described = offered.map(|tool| schema::describe(tool, self.profile));
        Ok(ListToolsResult::with_all_items(described.collect()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        unharmed(self.call(&request, &context))
            .await
            .map(Into::into)
    }

    async fn list_resources(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Ok(ListResourcesResult::with_all_items(resources::all()))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        unharmed(self.read(&request.uri, &context))
            .await
            .map(Into::into)
    }

    async fn list_prompts(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Ok(ListPromptsResult::with_all_items(prompts::all()))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let unknown = || {
            let message = format!("there is no prompt `{}`", request.name);
            ErrorData::invalid_params(message, None)
        };
        prompts::get(&request.name)
            .map(Into::into)
            .ok_or_else(unknown)
    }

    /// No log messages are sent, whatever their level. Clients may still ask for what the newest
    /// revision of the protocol advises against.
    #[allow(deprecated)]
    async fn set_level(
        &self,
        _request: rmcp::model::SetLevelRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        Ok(())
    }

    /// A request of a method that there is, with parameters that do not fit it, arrives here too.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        const SERVED: &[&str] = &["tools/call", "resources/read", "prompts/get", "initialize"];
        let method = request.method;
        if SERVED.contains(&method.as_str()) {
            let message = format!("the parameters of {method} have the wrong shape");
            return Err(ErrorData::invalid_params(message, None));
        }
        Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, method, None))
    }
}

/// Method and parameters of a request.
type Request = (&'static str, Value);
/// A directory that was found to be allowed.
type Root = Arc<str>;
