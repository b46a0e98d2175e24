//! `run`, `intake` and `docs`.

use std::time::{Duration, Instant};

use aictx_proto::json::{member, texts};
use aictx_proto::methods::{
    CommandStatus, Confidence, DOCS_CHECK, DocsParams, DocsReply, Gate, HypothesisStatus, INTAKE,
    IntakeParams, IntakeReply, LearningKind, LinkKind, RUN_ABANDON, RUN_ADD, RUN_CLOSE, RUN_GC,
    RUN_HANDOFF, RUN_LIST, RUN_PARK, RUN_REOPEN, RUN_RESUME, RUN_SHOW, RUN_START, RepoAction,
    RunAddParams, RunAdded, RunCloseParams, RunClosed, RunEntry, RunGc, RunGcParams, RunHandoff,
    RunList, RunListParams, RunOverride, RunParams, RunStartParams, RunState,
};
use aictx_proto::text::{hex, shell_line};
use serde::Serialize;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::run_execution::{End, execute};
use super::{absolute, caller, working_directory};
use crate::cli::Answer;
use crate::cli::arguments::{
    CallerOptions, Docs, Intake, Run, RunClose, RunCommand, RunCommandLog, RunEvidence,
    RunHypothesis, RunLearning, RunStart,
};
use crate::cli::backend::{Backend, parse};
use crate::cli::error::CliError;
use crate::cli::render::run as render;
use crate::cli::render::warnings;
use crate::cli::terminal_text::{Paint, clean};

/// Repository, run and identity of a command.
struct Session<'b> {
    backend: &'b Backend,
    repo: String,
    run_id: String,
    caller: CallerOptions,
}

/// `aictx run`.
pub(super) fn run(
    backend: &Backend,
    options: Run,
    json: bool,
    paint: Paint,
) -> Result<Answer, CliError> {
    let session = Session {
        backend,
        repo: absolute(&options.repo)?,
        run_id: options.run_id,
        caller: CallerOptions {
            agent_id: options.agent_id,
            session_id: options.session_id,
            ..CallerOptions::default()
        },
    };
    session
        .command(options.command, json, paint)
        .map_err(CliError::of_work)
}

impl Session<'_> {
    fn command(self, command: RunCommand, json: bool, paint: Paint) -> Result<Answer, CliError> {
        match command {
            RunCommand::Start(options) => self.start(options),
            RunCommand::Status => self.show(String::new()),
            RunCommand::Show(name) => self.show(name.id),
            RunCommand::List { status, limit } => {
                let params = RunListParams {
                    repo: self.repo,
                    status: status.unwrap_or_default(),
                    limit,
                };
                let value = self.backend.call(RUN_LIST, &params)?;
                let list: RunList = parse(value.clone())?;
                Ok(Answer {
                    value,
                    text: render::list(&list, paint),
                    ..Answer::default()
                })
            }
            RunCommand::Hypothesis(command) => self.hypothesis(command),
            RunCommand::Evidence(RunEvidence::Add {
                text,
                hypothesis,
                supports,
                refutes,
                file,
            }) => {
                let speaks = match (&supports, &refutes) {
                    (Some(_), _) => Some(true),
                    (_, Some(_)) => Some(false),
                    _ => None,
                };
                self.add(RunEntry::Evidence {
                    text,
                    hypothesis: hypothesis.or(supports).or(refutes).unwrap_or_default(),
                    supports: speaks,
                    file,
                })
            }
            RunCommand::CommandLog(RunCommandLog::Add { command, status }) => {
                self.add(RunEntry::Command {
                    command,
                    status: word(CommandStatus::parse, &status)?,
                })
            }
            RunCommand::Learning(command) => self.learning(command),
            RunCommand::Note { text } => self.add(RunEntry::Note { text }),
            RunCommand::Link { kind, target } => self.add(RunEntry::Link {
                to: word(LinkKind::parse, &kind)?,
                target,
            }),
            RunCommand::Verify { timeout, command } => self.verify(&command, timeout, json),
            RunCommand::Handoff { max_bytes } => {
                let params = RunParams {
                    max_bytes,
                    ..self.params(String::new(), String::new())
                };
                let value = self.backend.call(RUN_HANDOFF, &params)?;
                let told: RunHandoff = parse(value.clone())?;
                Ok(Answer {
                    value,
                    text: clean(&told.text),
                    ..Answer::default()
                })
            }
            RunCommand::Park(options) => {
                let params = self.params(options.id, options.reason);
                self.state(RUN_PARK, &params)
            }
            RunCommand::Resume(name) => {
                let params = self.params(name.id, String::new());
                self.state(RUN_RESUME, &params)
            }
            RunCommand::Reopen(options) => {
                let params = self.params(options.id, options.reason);
                self.state(RUN_REOPEN, &params)
            }
            RunCommand::Abandon(options) => {
                let params = self.params(options.id, options.reason);
                self.state(RUN_ABANDON, &params)
            }
            RunCommand::Close(options) => self.close(options),
            RunCommand::Gc { apply } => {
                let params = RunGcParams {
                    repo: self.repo,
                    apply,
                };
                let value = self.backend.call(RUN_GC, &params)?;
                let reply: RunGc = parse(value.clone())?;
                Ok(Answer {
                    value,
                    text: render::gc(&reply),
                    ..Answer::default()
                })
            }
        }
    }

    fn params(&self, id: String, reason: String) -> RunParams {
        RunParams {
            repo: self.repo.clone(),
            run_id: if id.is_empty() {
                self.run_id.clone()
            } else {
                id
            },
            reason,
            max_bytes: 0,
            caller: caller(self.caller.clone()),
        }
    }

    fn start(self, options: RunStart) -> Result<Answer, CliError> {
        let params = RunStartParams {
            repo: self.repo,
            request: options.request,
            run_id: self.run_id,
            intent: options.intent,
            non_goals: options.non_goal,
            skip_intake: options.skip_intake,
            switch: options.switch,
            park: options.park,
            caller: caller(self.caller),
        };
        let value = self.backend.call(RUN_START, &params)?;
        let state: RunState = parse(value.clone())?;
        Ok(Answer {
            value,
            text: format!("{}\n", clean(&state.path)),
            notes: warnings(&state.warnings),
            ..Answer::default()
        })
    }

    fn show(self, id: String) -> Result<Answer, CliError> {
        let value = self
            .backend
            .call(RUN_SHOW, &self.params(id, String::new()))?;
        Ok(Answer {
            text: render::status(&value),
            notes: warnings(&texts(value.get("warnings"))),
            value,
            ..Answer::default()
        })
    }

    fn state(self, method: &str, params: &RunParams) -> Result<Answer, CliError> {
        let value = self.backend.call(method, params)?;
        let state: RunState = parse(value.clone())?;
        let text = match state.handoff.as_str() {
            "" => format!("{}: {}\n", clean(&state.id), state.status),
            handoff => clean(handoff),
        };
        Ok(Answer {
            value,
            text,
            notes: warnings(&state.warnings),
            ..Answer::default()
        })
    }

    fn added(self, entry: RunEntry) -> Result<(Value, RunAdded), CliError> {
        let params = RunAddParams {
            repo: self.repo,
            cwd: working_directory(),
            run_id: self.run_id,
            entry,
            caller: caller(self.caller),
        };
        let value = self.backend.call(RUN_ADD, &params)?;
        let added = parse(value.clone())?;
        Ok((value, added))
    }

    /// Adds an entry and prints its id.
    fn add(self, entry: RunEntry) -> Result<Answer, CliError> {
        let resolved = match &entry {
            RunEntry::Resolve { id, status, .. } => Some(format!("{id}: {status}\n")),
            _ => None,
        };
        let (value, added) = self.added(entry)?;
        let id = added.row.get("id").and_then(Value::as_str);
        let text = resolved.unwrap_or_else(|| format!("{}\n", id.unwrap_or_default()));
        Ok(Answer {
            value,
            text: clean(&text),
            notes: warnings(&added.warnings),
            ..Answer::default()
        })
    }

    fn hypothesis(self, command: RunHypothesis) -> Result<Answer, CliError> {
        self.add(match command {
            RunHypothesis::Add {
                text,
                confidence,
                predicts,
            } => RunEntry::Hypothesis {
                text,
                confidence: confidence.as_deref().and_then(Confidence::parse),
                predicts,
            },
            RunHypothesis::Resolve { id, status, note } => RunEntry::Resolve {
                id,
                status: word(HypothesisStatus::parse, &status)?,
                note,
            },
        })
    }

    fn learning(self, command: RunLearning) -> Result<Answer, CliError> {
        match command {
            RunLearning::Add {
                kind,
                summary,
                repo_action,
                path,
                reason,
            } => self.add(RunEntry::Learning {
                learning: word(LearningKind::parse, &kind)?,
                summary,
                repo_action: word(RepoAction::parse, &repo_action)?,
                path,
                reason,
            }),
            RunLearning::Review { require_resolved } => {
                let params = self.params(String::new(), String::new());
                let run = self.backend.call(RUN_SHOW, &params)?;
                let unresolved = member(&run, "unresolved_learning").clone();
                let is_open = unresolved.as_array().is_some_and(|list| !list.is_empty());
                Ok(Answer {
                    text: render::learning(&run),
                    notes: if require_resolved {
                        render::unresolved(&unresolved)
                    } else {
                        String::new()
                    },
                    value: json!({
                        "run_id": member(&run, "id"), "learning": member(&run, "learning"),
                        "unresolved": unresolved,
                    }),
                    status: i32::from(require_resolved && is_open),
                })
            }
        }
    }

    /// Runs a command that the caller named, and records what was seen of it.
    fn verify(
        self,
        command: &[std::ffi::OsString],
        timeout: Option<u64>,
        quiet: bool,
    ) -> Result<Answer, CliError> {
        // Whoever has no run is told before anything is run.
        self.backend
            .call(RUN_SHOW, &self.params(String::new(), String::new()))?;
        let started = Instant::now();
        let ran = execute(command, timeout.map(Duration::from_secs), quiet);
        let took = started.elapsed();
        let status = match &ran.end {
            End::Status(status) => *status,
            End::TimedOut => super::run_execution::TIMED_OUT,
            End::NotStarted(status, _) => *status,
        };
        let output = [ran.stdout.bytes(), ran.stderr.bytes()].concat();
        let words = command
            .iter()
            .map(|word| word.to_string_lossy().into_owned());
        let words: Vec<String> = words.collect();
        let (value, added) = self.added(RunEntry::Verify {
            command: shell_line(&words),
            exit_code: status,
            duration_ms: u64::try_from(took.as_millis()).unwrap_or(u64::MAX),
            output_sha256: hex(&Sha256::digest(&output)),
        })?;
        let mut notes = match &ran.end {
            End::NotStarted(_, why) => format!("aictx: {}\n", clean(why)),
            _ => String::new(),
        };
        let of = |name: &str| {
            added
                .row
                .get(name)
                .and_then(Value::as_str)
                .unwrap_or_default()
        };
        notes.push_str(&format!("{}: {}\n", clean(of("id")), clean(of("status"))));
        notes.push_str(&warnings(&added.warnings));
        Ok(Answer {
            value,
            // Standard output belongs to the command.
            text: String::new(),
            notes,
            status,
        })
    }

    fn close(self, options: RunClose) -> Result<Answer, CliError> {
        let overrides = options.overrides.iter().map(|text| {
            let (gate, reason) = text.split_once('=').unwrap_or((text, ""));
            let gate = Gate::parse(gate.trim()).ok_or_else(|| {
                let names = Gate::NAMES.join(", ");
                CliError::usage(format!("--override GATE=REASON: the gates are {names}"))
            })?;
            Ok(RunOverride {
                gate,
                reason: reason.trim().to_owned(),
            })
        });
        let params = RunCloseParams {
            overrides: overrides.collect::<Result<_, CliError>>()?,
            repo: self.repo,
            run_id: self.run_id,
            summary: options.summary,
            verification: options.verification,
            unverified: options.unverified,
            risks: options.risk,
            no_risks: options.no_risks,
            carry: options.carry,
            caller: caller(self.caller),
        };
        let value = self.backend.call(RUN_CLOSE, &params)?;
        let closed: RunClosed = parse(value.clone())?;
        let mut notes = warnings(&closed.warnings);
        if !closed.closed {
            notes.push_str(&render::missing(&closed));
        }
        if !closed.resumed.is_empty() {
            notes.push_str(&format!("{} is active again\n", clean(&closed.resumed)));
        }
        let text = match closed.closed {
            true => format!("{}\n", clean(&closed.path)),
            false => String::new(),
        };
        Ok(Answer {
            value,
            text,
            notes,
            status: i32::from(!closed.closed),
        })
    }
}

/// Reads a word that the parser has let through.
fn word<T>(read: impl Fn(&str) -> Option<T>, text: &str) -> Result<T, CliError> {
    read(text).ok_or_else(|| CliError::usage(format!("`{text}` is not one of the words")))
}

fn call<T: serde::de::DeserializeOwned>(
    backend: &Backend,
    method: &str,
    params: &impl Serialize,
) -> Result<(Value, T), CliError> {
    let value = backend.call(method, params).map_err(CliError::of_work)?;
    let reply = parse(value.clone())?;
    Ok((value, reply))
}

/// `aictx intake`.
pub(super) fn intake(backend: &Backend, options: Intake) -> Result<Answer, CliError> {
    let params = IntakeParams {
        repo: absolute(&options.at.repo)?,
        request: options.request,
    };
    let (value, reply): (_, IntakeReply) = call(backend, INTAKE, &params)?;
    Ok(Answer {
        value,
        text: render::intake(&reply, options.explain),
        ..Answer::default()
    })
}

/// `aictx docs`.
pub(super) fn docs(backend: &Backend, command: &Docs) -> Result<Answer, CliError> {
    let Docs::Check { at } = command;
    let params = DocsParams {
        repo: absolute(&at.repo)?,
    };
    let (value, reply): (_, DocsReply) = call(backend, DOCS_CHECK, &params)?;
    Ok(Answer {
        value,
        text: render::docs(&reply),
        status: i32::from(!reply.findings.is_empty()),
        ..Answer::default()
    })
}
