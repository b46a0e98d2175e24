//! `guard`, `steer`, `who`, `trust`, `verdicts`.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use aictx_artifacts::root;
use aictx_continuity::{Presents, unchecked_edits};
use aictx_guard::{ContractSource, Held, Parallel, choose_guard_contract};
use aictx_proto::identity::SessionSource;
use aictx_proto::ledger::{LedgerKind, LedgerRow};
use aictx_proto::methods::{
    ClaimParams, ClaimReply, GuardFinding, GuardParams, GuardReply, InRepo, MAX_CLAIMS,
    SteerParams, SteerReply, TrustParams, TrustReply, VerdictList, VerdictParams, WhoReply,
};
use aictx_proto::path::Located;
use aictx_proto::record::{ContractRecord, files};
use aictx_proto::rpc::{INVALID_PARAMS, NOT_FOUND, NOT_WRITABLE, RpcError};
use aictx_proto::snapshot::Snapshot;
use aictx_steer::Names;
use serde_json::{Value, json};

use super::{base, place};
use crate::app::App;
use crate::audit::{self, Verdict};
use crate::check_for_file::Checks;
use crate::guard_env::{WorktreeFacts, may_put_aside, may_take_along};
use crate::hosts::Host;
use crate::path_lookup::WorktreeNames;
use crate::policy;
use crate::worktree_facts;

/// Items of memory whose files are looked at.
const MAX_LOOKED_AT: usize = 8;
/// Longest entry of a claim, in bytes.
const MAX_ENTRY: usize = 400;
/// Verdicts listed when nobody says how many, and at most.
const DEFAULT_VERDICTS: usize = 20;
const MAX_VERDICTS: usize = 500;

/// Paths that the guard wants to know of: where the last handoff starts, what the newest decisions
/// govern.
fn looked_at(snapshot: &Snapshot) -> BTreeMap<String, bool> {
    let starts = snapshot
        .handoff
        .iter()
        .flat_map(|h| h.recommended_starting_points.iter().take(5));
    let newest = snapshot.decisions.iter().rev().take(MAX_LOOKED_AT);
    let governed = newest.flat_map(|d| d.related_paths.iter().take(2));
    starts.chain(governed).map(|p| (p.clone(), false)).collect()
}

pub(super) fn guard(app: &Arc<App>, mut params: GuardParams) -> Result<GuardReply, RpcError> {
    let started = Instant::now();
    let place = place(app, &params.repo)?;
    // A repository without memory is still guarded: the safety checks need no state.
    let host = app.hosts.open(&place.root).ok();
    let mut snapshot = host
        .as_ref()
        .map(|host| host.snapshot())
        .unwrap_or_default();
    aictx_continuity::keep_own(&mut snapshot);
    if params.caller.session_id.trim().is_empty() && !params.caller.env.is_empty() {
        let identity = app.identify(&params.caller, &place.worktree);
        if !identity.session_id.contains(":process:") {
            params.caller.session_id = identity.session_id;
        }
    }
    let session = params.caller.session_id.trim().to_owned();
    let choice = choose_guard_contract(&snapshot, &params);
    let mut unreadable = Vec::new();
    let record: Option<Arc<ContractRecord>> = choice.as_ref().and_then(|choice| {
        let file = aictx_continuity::contract_file(&choice.contract.contract_id);
        let store = &host.as_ref()?.store;
        let record = store.contract(&file);
        if record.is_none() && store.has(&file) {
            unreadable.push(file);
        }
        record
    });
    let limits = match &host {
        Some(host) if !session.is_empty() => app.presence.limits(host, &session),
        _ => Arc::default(),
    };
    let presents: Presents = match params.action.as_str() {
        "risky_command" => Presents::new(),
        _ => app
            .facts
            .presents(&place.worktree, &looked_at(&snapshot), Instant::now()),
    };
    let ends = matches!(params.action.as_str(), "finalize" | "final_answer");
    let validated = host
        .as_ref()
        .filter(|h| ends && h.store.has_ledger(&session))
        .map(|host| {
            let rows = host.store.read_ledger(&session).rows;
            let checks = Checks::of(app, &place, &snapshot);
            unchecked_edits(&rows, &checks).files.is_empty()
                && rows.iter().any(|r| r.kind == LedgerKind::Edit)
        });
    let check = match ends {
        true => {
            let project = worktree_facts::gather(app, &place, &snapshot);
            project
                .canonical_check(&snapshot)
                .map(|(command, _)| command)
        }
        false => None,
    };
    let (rules, problems) = app.policy_and_problems(&place.root);
    if !problems.user.is_empty() {
        unreadable.push("policy.toml (yours)".to_owned());
    }
    if !problems.repository.is_empty() {
        unreadable.push("policy.toml".to_owned());
    }
    if let Some(host) = &host
        && !session.is_empty()
        && (limits.lost || host.store.ledger_is_lost(&session))
    {
        let stem = aictx_proto::text::file_stem(&session);
        unreadable.push(format!("{}/{stem}.jsonl", files::SESSIONS_DIR));
    }
    let edits = matches!(params.action.as_str(), "before_first_edit" | "edit");
    let live = |id: &str| app.sessions.get(id).is_some();
    let parallel: Vec<(String, Parallel)> = params
        .paths
        .iter()
        .filter(|_| edits)
        .take(MAX_LOOKED_AT)
        .filter_map(|raw| {
            let Located::Inside(path) = root::locate(&place.worktree, &place.worktree, raw) else {
                return None;
            };
            let full = place.worktree.join(path.as_str());
            Some((
                raw.clone(),
                app.presence.before_edit(&session, &full, live)?,
            ))
        })
        .collect();
    // Only where some ticket is claimed here is it looked up which one is at hand.
    let claimed = aictx_continuity::claimed_tickets(&snapshot)
        .next()
        .is_some();
    let ticket = match claimed {
        true => {
            let checkout = worktree_facts::checkout(app, &place, &snapshot);
            aictx_continuity::ticket_at_hand(&snapshot, &checkout)
        }
        false => None,
    };
    let ticket = ticket.as_ref().and_then(|thread| thread.ticket.as_ref());
    let held = Held {
        ticket_scope: ticket.map_or(&[], |link| &link.scope),
        parallel: &parallel,
        parallel_edits: rules.policy.parallel_edits,
        contract: record
            .as_ref()
            .zip(choice.as_ref())
            .map(|(r, c)| (&**r, c.source)),
        limits: Some(&limits),
        rules: Some(&rules),
        unreadable: &unreadable,
        presents: Some(&presents),
        check: check.as_deref().unwrap_or_default(),
        validated,
        uninitialised: host.is_none(),
    };
    let others = match may_take_along(&params.command) {
        true => app.presence.edited_by_others(
            &session,
            &place.worktree,
            may_put_aside(&params.command),
            live,
        ),
        false => Vec::new(),
    };
    let worktree = place.worktree.to_string_lossy();
    let facts = WorktreeFacts::of(
        app,
        &place.worktree,
        Arc::clone(&limits),
        Arc::clone(&rules),
    )
    .one_of(app, &place.root)
    .watching(matches!(
        &choice,
        Some(choice) if record.is_some() && choice.source != ContractSource::Borrowed
    ))
    .beside(others);
    let mut reply =
        aictx_guard::guard_with(&snapshot, &params, &worktree, app.now(), &held, &facts)
            .map_err(|e| RpcError::new(INVALID_PARAMS, e.to_string()))?;
    if let Some(host) = &host
        && reply.decision != "allow"
        && !params.look_only
    {
        reply.verdict_id = audit(app, host, params, &reply);
    }
    if let Some(explanation) = &mut reply.explanation {
        explanation.took_us = u64::try_from(started.elapsed().as_micros()).unwrap_or(u64::MAX);
    }
    Ok(reply)
}

/// Writes the verdict into the audit log, after the answer.
fn audit(app: &Arc<App>, host: &Arc<Host>, params: GuardParams, reply: &GuardReply) -> String {
    let (at, reply) = (app.now(), reply.clone());
    audit::record(app, host, move || {
        let told: Vec<&str> = reply.warnings.iter().map(|w| w.message.as_str()).collect();
        let of_command = reply.command_risk.iter().flat_map(|risk| &risk.effects);
        let effects = of_command.map(|effect| GuardFinding {
            kind: effect.kind.clone(),
            targets: vec![effect.target.clone()],
            reversible: Some(effect.reversible),
            ..GuardFinding::default()
        });
        let warnings = reply.warnings.iter().map(|warning| GuardFinding {
            code: warning.code.clone(),
            severity: warning.severity.clone(),
            evidence: warning.evidence.clone(),
            ..GuardFinding::default()
        });
        Verdict {
            at,
            session_id: params.caller.session_id.trim().to_owned(),
            runner: String::new(),
            tool: format!("guard {}", params.action),
            subject: match params.command.trim() {
                "" => params.paths.join(", "),
                command => command.to_owned(),
            },
            reason: told.join(" "),
            findings: warnings.chain(effects).collect(),
            decision: reply.decision,
            cwd: params.cwd,
        }
    })
}

pub(super) fn steer(app: &App, params: &SteerParams) -> Result<SteerReply, RpcError> {
    let place = place(app, &params.repo)?;
    let names = WorktreeNames::of(app, &place.worktree);
    let exists = |word: &str| names.at_root().iter().any(|name| name == word);
    let mut reply = aictx_steer::steer_in(params, &exists)
        .map_err(|e| RpcError::new(INVALID_PARAMS, e.to_string()))?;
    if params.apply {
        let host = app.hosts.open(&place.root)?;
        let identity = app.identify(&params.caller, &place.worktree);
        let explicit = identity.session_source == SessionSource::Explicit;
        let mut id = identity.session_id;
        if !explicit && app.sessions.get(&id).is_none() {
            let here = app.sessions.all().into_iter();
            let mut here = here.filter(|(_, live)| live.host.root == place.root);
            id = match (here.next(), here.next()) {
                (Some((only, _)), None) => only,
                _ => String::new(),
            };
        }
        if id.is_empty() {
            let text = "it is not clear which session's limits are to be changed";
            return Err(RpcError::new(NOT_FOUND, text)
                .hint("`aictx who` shows the live ones; `--session-id` names one"));
        }
        reply.applied_to.clone_from(&id);
        let mut limits = (*app.presence.limits(&host, &id)).clone();
        if limits.apply(&reply, app.now(), Some(&names)) {
            let row = LedgerRow {
                session_id: id.clone(),
                limits: serde_json::to_value(&limits).ok(),
                ..LedgerRow::observed(app.now(), LedgerKind::Steered)
            };
            host.observe(&id, &[row])
                .map_err(|e| RpcError::new(NOT_WRITABLE, e.to_string()))?;
            app.presence.set_limits(&id, limits);
        }
    }
    Ok(reply)
}

pub(super) fn who(app: &App, params: &InRepo) -> Result<WhoReply, RpcError> {
    let place = place(app, &params.repo)?;
    let sessions = app.at_work(&place.root);
    Ok(WhoReply { sessions })
}

pub(super) fn claim(app: &App, params: &ClaimParams) -> Result<ClaimReply, RpcError> {
    let place = place(app, &params.repo)?;
    let identity = app.identify(&params.caller, &place.worktree);
    let id = identity.session_id;
    let invalid = |text: String| RpcError::new(INVALID_PARAMS, text);
    let Some(session) = app
        .sessions
        .get(&id)
        .filter(|live| live.host.root == place.root)
    else {
        return Err(
            invalid("paths are claimed for a live session, and this is none".to_owned())
                .hint("`aictx who` shows the live ones; `--session-id` names one"),
        );
    };
    let mut entries = Vec::new();
    for raw in &params.paths {
        let pattern = raw.contains(['*', '?', '[']);
        let base = base(&place.worktree, &params.cwd);
        let located = root::locate(&place.worktree, base, raw);
        match located {
            _ if raw.len() > MAX_ENTRY => return Err(invalid(format!("`{raw}` is too long"))),
            Located::Inside(path) if !path.is_root() => entries.push(path.as_str().to_owned()),
            _ if pattern && !raw.starts_with(['/', '.', '~']) => entries.push(raw.clone()),
            _ => {
                let text = format!("`{raw}` is no path below this repository");
                return Err(invalid(text));
            }
        }
    }
    let now = app.now();
    let worktree = &session.worktree;
    let presence = &app.presence;
    let before = presence.claims(&id);
    if !params.release && before.len() + entries.len() > MAX_CLAIMS {
        return Err(invalid(format!(
            "a session claims at most {MAX_CLAIMS} paths"
        )));
    }
    let asked = params.release || !entries.is_empty();
    let claims = if asked {
        presence.would_claim(&id, worktree, &entries, params.release, now)
    } else {
        before.clone()
    };
    if claims != before {
        let row = LedgerRow {
            paths: claims.clone(),
            ..LedgerRow::observed(now, LedgerKind::Claimed)
        };
        session
            .host
            .observe(&id, &[row])
            .map_err(|e| RpcError::new(NOT_WRITABLE, e.to_string()))?;
        // Only what is written counts: a claim that is not would be gone with this process.
        presence.claim(
            &id,
            &session.runner,
            worktree,
            &entries,
            params.release,
            now,
        );
    }
    let live = |id: &str| app.sessions.get(id).is_some();
    Ok(ClaimReply {
        held_by: presence.held_by(&id, worktree, &claims, live),
        session_id: id,
        claims,
    })
}

pub(super) fn trust(app: &App, params: &TrustParams) -> Result<TrustReply, RpcError> {
    let place = place(app, &params.repo)?;
    let mut found = policy::of_repository(app, &place.root);
    let path = policy::file(app, &place.root);
    let failed = |error: policy::PolicyError| RpcError::new(NOT_WRITABLE, error.to_string());
    match params.action.as_str() {
        "" | "show" => {}
        "revoke" => policy::set_trust(app, &place.root, None).map_err(failed)?,
        "trust" => {
            if found.text.is_empty() || !found.problem.is_empty() {
                let why = if found.problem.is_empty() {
                    "there is no such file"
                } else {
                    &found.problem
                };
                let text = format!("{} cannot be trusted: {why}", path.display());
                return Err(RpcError::new(NOT_FOUND, text));
            }
            if params.hash != found.hash {
                let text = "the policy is not the one that was shown";
                return Err(
                    RpcError::new(INVALID_PARAMS, text).hint("`aictx trust` shows it again")
                );
            }
            policy::set_trust(app, &place.root, Some(&found)).map_err(failed)?;
        }
        _ => {
            let text = "`action` must be `show`, `trust` or `revoke`";
            return Err(RpcError::new(INVALID_PARAMS, text));
        }
    }
    let (diff, would_change) = policy::compared(app, &place.root, &found);
    found = policy::of_repository(app, &place.root);
    let would_change = if found.trusted {
        Vec::new()
    } else {
        would_change
    };
    Ok(TrustReply {
        diff,
        would_change,
        path: path.to_string_lossy().into_owned(),
        policy: found.text,
        hash: found.hash,
        trusted: found.trusted,
        problem: app.policy_problems(&place.root).text(),
        effective: serde_json::to_value(&app.policy(&place.root).policy)
            .unwrap_or_else(|_| json!({})),
    })
}

pub(super) fn verdicts(app: &App, params: &VerdictParams) -> Result<VerdictList, RpcError> {
    let host = app.hosts.open(&place(app, &params.repo)?.root)?;
    let waiting = host.verdicts.rows();
    let (mut rows, _) = host
        .store
        .newest_rows::<Value>(files::VERDICTS, MAX_VERDICTS * 4);
    // A row may be in both while it is being written.
    let unwritten = waiting.into_iter().filter(|row| {
        !rows
            .iter()
            .rev()
            .take(MAX_VERDICTS)
            .any(|known| known["id"] == row["id"])
    });
    let unwritten: Vec<Value> = unwritten.collect();
    rows.extend(unwritten);
    let limit = match params.limit as usize {
        0 => DEFAULT_VERDICTS,
        n => n.min(MAX_VERDICTS),
    };
    let wanted = params.id.trim();
    let is_it = |row: &&Value| row["id"].as_str().is_some_and(|id| id.starts_with(wanted));
    let verdicts: Vec<Value> = rows
        .iter()
        .rev()
        .filter(is_it)
        .take(limit)
        .cloned()
        .collect();
    if verdicts.is_empty() && !wanted.is_empty() {
        let text = format!("no verdict has the id `{wanted}`");
        return Err(
            RpcError::new(NOT_FOUND, text).hint("`aictx why --verdicts` shows what there is")
        );
    }
    Ok(VerdictList { verdicts })
}
