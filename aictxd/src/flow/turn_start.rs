//! The beginning of a turn: prompt, request, checkpoint, host.

use std::path::Path;
use std::sync::Arc;

use aictx_proto::flow::{CommitBy, FlowReason, TurnKind, TurnPhase};
use aictx_proto::methods as words;
use aictx_proto::text::hex;
use aictx_runners::driver::{self, Approval, Driver, TurnSettings};
use aictx_work::flow::engine::Activity;
use aictx_work::flow::prompt::{self, Content, Doc, Notice, Parts, Paths, Requested};
use aictx_work::flow::state::{Flow, Turn};
use serde_json::json;

use super::flow_files::{DIRECTORY, FlowFiles};
use super::hold::{self, Point};
use super::supervisor::{FlowsError, Live, MAX_OUTPUT, Task, blocking, lock, update};
use super::surroundings::{CONTEXT, Surroundings, TicketPlace, digest_of, holder, read_inside};
use super::turn_folder::{HostState, Request, TurnFolder};
use super::{turn_host, worktree};
use crate::app::App;

/// Seconds between an interrupt and harder means.
const GRACE: u64 = 15;
/// Bytes of a file that a ticket asks for.
const MAX_CONTEXT: u64 = 64 * 1024;

/// Calls a method of the daemon, as a client would.
pub(super) async fn call(
    app: &Arc<App>,
    method: &'static str,
    params: &serde_json::Value,
) -> Result<serde_json::Value, FlowsError> {
    let answer = crate::methods::call_boxed(app, method, params).await;
    let answer = answer.map_err(FlowsError::Method)?;
    Ok(serde_json::from_str(&answer).unwrap_or_default())
}

/// Opens the Work State of the ticket at hand.
async fn open_work(app: &Arc<App>, flow: &Flow, turn: &Turn) {
    let params = json!({
        "repo": flow.worktree, "ticket": turn.file, "holder": holder(flow),
        // Only a flow that has ended can still hold it: the look left out what others hold.
        "force": true,
        "caller": { "agent_id": turn.agent },
    });
    if let Err(error) = call(app, words::TICKET_CLAIM, &params).await {
        tracing::warn!(flow = flow.flow_id, ticket = turn.file, %error, "was not claimed");
    }
}

/// Closes the Work State of a ticket that is done.
pub(super) async fn close_work(
    app: &Arc<App>,
    flow: &Flow,
    ticket_id: &str,
    verified: Option<bool>,
) {
    let evidence = match verified {
        Some(true) => format!("the checks of the ticket passed in flow {}", flow.flow_id),
        _ => format!("unverified: no check ran in flow {}", flow.flow_id),
    };
    let params = json!({
        "repo": flow.worktree, "ticket": ticket_id, "holder": holder(flow), "evidence": evidence,
    });
    if let Err(error) = call(app, words::TICKET_DONE, &params).await {
        tracing::warn!(flow = flow.flow_id, ticket = ticket_id, %error, "its Work State stays open");
    }
}

pub(super) async fn launch(app: &Arc<App>, flow: &Flow, task: &Task) -> Result<(), FlowsError> {
    let Some(turn) = flow.turn.clone() else {
        return Ok(());
    };
    let path = app.flows.folder(&flow.flow_id, turn.n, turn.attempt);
    let folder = TurnFolder::at(path.clone());
    // A daemon that died behind the start of the host has not noted it. Where that host is gone, too, its agent may
    // have worked: that is looked at as after any other loss of a host.
    if folder.host() == HostState::Lost && !folder.had_host() {
        turn_host::kill_marked(&path);
        let Some(driver) = driver::driver(&turn.driver) else {
            let text = format!("no driver `{}` is known", turn.driver);
            return refuse(app, flow, FlowReason::AgentMissing, text).await;
        };
        if turn.attempt == 1 && turn.kind == TurnKind::Work {
            open_work(app, flow, &turn).await;
        }
        let capsule = match driver.name() {
            // Other agents are told by their hooks.
            "command" => capsule(app, flow).await,
            _ => String::new(),
        };
        let own = flow.clone();
        let prepared = blocking(app, move |app| prepare(app, &own, driver, &capsule)).await?;
        let variables = match prepared {
            Prepared::Ready(variables) => variables,
            Prepared::Refused(reason, text) => return refuse(app, flow, reason, text).await,
        };
        lock(&task.live).is_queued = true;
        let slot = Arc::clone(&app.flows.slots).acquire_owned().await.ok();
        *lock(&task.live) = Live::default();
        // Somebody may have stopped the flow while it waited for its turn.
        let id = flow.flow_id.clone();
        let now = blocking(app, move |app| Ok(app.flows.database()?.get(&id)?)).await?;
        if now.is_none_or(|now| now.activity() != Activity::Launch || now.asked.is_some()) {
            let id = flow.flow_id.clone();
            update(app, &id, |flow, _| {
                if flow.activity() == Activity::Launch {
                    flow.turn = None;
                }
                ((), None)
            })
            .await?;
            return Ok(());
        }
        // Free again when the turn has ended; see `attend`.
        *lock(&task.slot) = slot;
        let environment = agent_environment(app, flow, &turn, variables);
        app.flows.database()?.check_epoch()?;
        let started = turn_host::spawn(&folder, &environment);
        if let Err(source) = started {
            lock(&task.slot).take();
            return Err(FlowsError::Folder { path, source });
        }
    }
    let now = app.now().unix();
    update(app, &flow.flow_id, move |flow, _| {
        if flow.activity() == Activity::Launch {
            hold::at(Point::Spawned, turn.n);
            flow.launched(now);
        }
        ((), None)
    })
    .await?;
    Ok(())
}

pub(super) async fn refuse(
    app: &Arc<App>,
    flow: &Flow,
    reason: FlowReason,
    text: String,
) -> Result<(), FlowsError> {
    let now = app.now().unix();
    update(app, &flow.flow_id, move |flow, _| {
        if flow.activity() == Activity::Launch {
            let fingerprint = flow
                .ticket
                .as_ref()
                .map(|ticket| ticket.fingerprint.clone());
            flow.refused(reason, &text, &fingerprint.unwrap_or_default(), now);
        }
        ((), None)
    })
    .await
    .map(drop)
}

/// Text of memory that a session would begin with.
async fn capsule(app: &Arc<App>, flow: &Flow) -> String {
    let params = json!({ "repo": flow.worktree, "runner": "generic", "prompt": "" });
    let preview = call(app, words::PREVIEW, &params).await.unwrap_or_default();
    let start = preview.get("start").and_then(serde_json::Value::as_str);
    start.unwrap_or_default().to_owned()
}

fn agent_environment(
    app: &App,
    flow: &Flow,
    turn: &Turn,
    variables: Vec<(String, String)>,
) -> Vec<(String, String)> {
    let mut environment = app.flows.environment(&flow.flow_id);
    environment.extend(variables);
    let ticket = Path::new(&flow.worktree).join(TicketPlace::of(app, flow, &turn.file).path);
    let own = [
        ("AICTX_FLOW_ID", flow.flow_id.clone()),
        ("AICTX_TICKET_ID", turn.ticket_id.clone()),
        ("AICTX_TICKET", ticket.to_string_lossy().into_owned()),
        ("AICTX_TURN", turn.n.to_string()),
        ("AICTX_ROOT", flow.worktree.clone()),
        (
            "AICTX_FLOW_DIR",
            format!("{}/{DIRECTORY}/{}", flow.worktree, flow.flow_id),
        ),
    ];
    environment.extend(own.map(|(name, value)| (name.to_owned(), value)));
    environment
}

fn settings<'a>(flow: &'a Flow, turn: &'a Turn, new_session: &'a str) -> TurnSettings<'a> {
    TurnSettings {
        model: &turn.model,
        reasoning: &turn.reasoning,
        resume: &turn.resume,
        new_session,
        approval: match flow.options.full_access {
            true => Approval::Full,
            false => Approval::Workspace,
        },
        exec: &flow.options.exec,
    }
}

/// File with the digest of the ticket's text that a turn began with.
pub(super) const TICKET_DIGEST: &str = "ticket.json";

/// Result of the preparation of a turn.
enum Prepared {
    /// It can begin, with these variables of its driver.
    Ready(Vec<(String, String)>),
    /// It cannot.
    Refused(FlowReason, String),
}

/// Writes the prompt and the request of a turn, and keeps the worktree as it is before it.
fn prepare(
    app: &App,
    flow: &Flow,
    driver: &dyn Driver,
    capsule: &str,
) -> Result<Prepared, FlowsError> {
    let (Some(turn), Some(at_hand)) = (&flow.turn, &flow.ticket) else {
        let text = "there is no turn to prepare".to_owned();
        return Ok(Prepared::Refused(FlowReason::InfraError, text));
    };
    hold::at(Point::Prepare, turn.n);
    let worktree_path = Path::new(&flow.worktree);
    let around = Surroundings::of(app, flow)?;
    let files = FlowFiles::create(&app.hosts, worktree_path, &flow.flow_id)?;
    files.prepare()?;
    let Some(entry) = around.entry(turn) else {
        // The next look chooses another one.
        let text = format!("{} is gone", turn.file);
        return Ok(Prepared::Refused(FlowReason::NoTickets, text));
    };
    let wanted = entry
        .ticket
        .as_ref()
        .map_or(&[][..], |ticket| &ticket.context);
    let contents: Vec<_> = wanted
        .iter()
        .map(|file| {
            let path = Path::new(&file.path);
            read_inside(worktree_path, path, MAX_CONTEXT).map_err(|error| match error {
                error if error.is_missing() => Content::Missing,
                _ if worktree_path.join(path).is_dir() => Content::NotAFile,
                _ => Content::Unreadable,
            })
        })
        .collect();
    let context: Vec<Requested<'_>> = wanted
        .iter()
        .zip(&contents)
        .map(|(file, content)| Requested {
            file,
            content: content
                .as_ref()
                .map_or_else(|missing| *missing, |text| Content::Text(text)),
        })
        .collect();
    let docs: Vec<(Doc, &str)> = around
        .docs
        .iter()
        .map(|(doc, text)| (*doc, text.as_str()))
        .collect();
    let replies = files.replies(flow.reply_seq, turn.replies);
    let ticket_place = TicketPlace::of(app, flow, entry.file.as_str());
    if ticket_place.is_copy {
        files.write_ticket(entry.file.as_str(), &entry.text)?;
    }
    let flow_dir = format!("{DIRECTORY}/{}", flow.flow_id);
    let paths = Paths {
        ticket: &ticket_place.path,
        flow_dir: &flow_dir,
        context_dir: CONTEXT,
    };
    let mut notices = Vec::new();
    let gates = &at_hand.gates;
    let left = |cap: u32, used: u32| cap.saturating_sub(used);
    match turn.kind {
        TurnKind::RepairFrontmatter => notices.push(Notice::Findings {
            findings: &gates.lint,
            attempts: left(flow.caps.lint, gates.lint_turns),
        }),
        TurnKind::Commit => notices.push(Notice::Commit {
            paths: &gates.commit,
            hook: &gates.commit_output,
            attempts: left(flow.caps.commit, gates.commit_turns),
        }),
        TurnKind::VerifyFix => {
            if let Some(check) = &gates.verify {
                notices.push(Notice::Verify {
                    check,
                    attempts: left(flow.caps.verify_fix, gates.verify_turns),
                });
            }
        }
        TurnKind::Work | TurnKind::Verify => {}
    }
    if at_hand.idle_turns > 0 {
        notices.push(Notice::Idle {
            turns: at_hand.idle_turns,
        });
    }
    let usage = format!("{} tokens so far", flow.usage.tokens());
    let built = prompt::build(
        &Parts {
            kind: turn.kind,
            continued: !turn.resume.is_empty(),
            commit: flow.options.commit,
            turn: flow.turns + 1,
            max_turns: flow.caps.turns,
            usage: &usage,
            paths,
            ticket: &entry.text,
            docs: &docs,
            context: &context,
            capsule,
            // A conversation that goes on has it already.
            last_answer: if turn.resume.is_empty() {
                &at_hand.last_answer
            } else {
                ""
            },
            notices: &notices,
            replies: &replies,
        },
        flow.options.prompt_bytes,
    );
    let built = match built {
        Ok(built) => built,
        Err(error @ prompt::PromptError::RequiredFile(_)) => {
            let reason = FlowReason::MissingRequiredContext;
            return Ok(Prepared::Refused(reason, error.to_string()));
        }
        Err(error) => {
            return Ok(Prepared::Refused(
                FlowReason::NeedsUserFix,
                error.to_string(),
            ));
        }
    };
    let path = app.flows.folder(&flow.flow_id, turn.n, turn.attempt);
    let fail = |source| FlowsError::Folder {
        path: path.clone(),
        source,
    };
    let folder = TurnFolder::create(path.clone()).map_err(fail)?;
    let session = new_session();
    let mut launch = driver.launch(&settings(flow, turn, &session));
    if flow.options.commit == CommitBy::Agent && !flow.options.full_access {
        let dirs = worktree::git_dirs(worktree_path);
        let dirs: Vec<&str> = dirs.iter().map(String::as_str).collect();
        driver.allow_commits(&mut launch, &dirs);
    }
    let mut args = launch.args;
    if !launch.stdin {
        args.push(built.text.clone());
    }
    folder
        .write_json(TICKET_DIGEST, &digest_of(&entry.text))
        .map_err(fail)?;
    folder
        .write("prompt.md", built.text.as_bytes())
        .map_err(fail)?;
    folder
        .write_json("blocks.json", &built.sizes)
        .map_err(fail)?;
    let request = Request {
        program: launch.program,
        args,
        cwd: worktree_path.to_owned(),
        has_prompt: launch.stdin,
        timeout: flow.caps.turn_seconds,
        grace: GRACE,
        max_output: MAX_OUTPUT,
    };
    folder.write_json("request.json", &request).map_err(fail)?;
    if !around.tree.is_empty() {
        let name = worktree::checkpoint(turn.n, false);
        if worktree::keep(worktree_path, &flow.flow_id, &name, &around.tree).is_none() {
            tracing::warn!(flow = flow.flow_id, turn = turn.n, "there is no checkpoint");
        }
        worktree::forget_checkpoints(worktree_path, &flow.flow_id, Some(turn.n));
    }
    let tree = around.tree;
    app.flows.update(app, &flow.flow_id, |flow, _| {
        if let Some(turn) = flow
            .turn
            .as_mut()
            .filter(|turn| turn.phase == TurnPhase::Prepared)
        {
            turn.tree_before.clone_from(&tree);
        }
        ((), None)
    })?;
    hold::at(Point::Prompt, turn.n);
    Ok(Prepared::Ready(launch.env))
}

/// A random UUID of version 4.
fn new_session() -> String {
    let mut bytes = [0_u8; 16];
    // Without random bytes the agent refuses the id, which is better than two sessions of one.
    let _ = getrandom::fill(&mut bytes);
    let hex = hex(&bytes);
    let part = |from: usize, to: usize| hex.get(from..to).unwrap_or_default();
    format!(
        "{}-{}-4{}-8{}-{}",
        part(0, 8),
        part(8, 12),
        part(13, 16),
        part(17, 20),
        part(20, 32)
    )
}
