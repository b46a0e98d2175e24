// aictx for OpenCode. Written by `aictx install`, removed by `aictx uninstall`.
//
// Hands what happens in a session to the aictx daemon over its Unix socket and passes on what it
// has to say. Whatever goes wrong in here is silence: OpenCode works on as if this file were not
// there. Without a daemon the aictx program is started once for the event, which also starts the
// daemon for the next one.
import { spawn } from "node:child_process";
import { statSync } from "node:fs";
import { connect } from "node:net";

const PROGRAM = "@AICTX_PROGRAM@";
/** Longest time one event may cost, in milliseconds. */
const DEADLINE = 150;
/** Longest time a verdict on a tool may cost, with the aictx program standing in for a daemon that hangs. */
const GATE_DEADLINE = 1000;
/** The same for the start of a session, where the daemon does real work. */
const START_DEADLINE = 1000;
/** Longest text of a tool's output or of a message that is handed over, in characters. */
const MAX_TEXT = 200_000;
/** Largest answer that is read, in characters. */
const MAX_ANSWER = 1_000_000;
/** Most texts of one message that are handed over. */
const MAX_PARTS = 50;
/** Deepest object of a tool's arguments that is handed over. */
const MAX_DEPTH = 4;
/** Most sessions remembered at once. */
const MAX_SESSIONS = 500;

const uid = () => (typeof process.getuid === "function" ? process.getuid() : -1);

/** Where the daemon listens; the same places in the same order as in the daemon. */
function socketPath() {
  const { env, platform } = process;
  const absolute = (name) => (env[name] && env[name].startsWith("/") ? env[name] : undefined);
  const own = absolute("AICTX_SOCKET");
  if (own) return own;
  const limit = platform === "linux" ? 107 : 103;
  const runtime = absolute("XDG_RUNTIME_DIR");
  const temporary = platform === "darwin" ? absolute("TMPDIR") : undefined;
  const trim = (path) => (path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path);
  const preferred = runtime
    ? `${trim(runtime)}/aictx/v1/sock`
    : temporary && `${trim(temporary)}/aictx-${uid()}/v1/sock`;
  if (preferred && Buffer.byteLength(preferred) <= limit) return preferred;
  return `/tmp/aictx-${uid()}/v1/sock`;
}

/** Only a socket of this user is spoken to. */
function isOurs(path) {
  try {
    const found = statSync(path);
    return found.isSocket() && found.uid === uid();
  } catch {
    return false;
  }
}

/** One request, one answer: its result, null for none, undefined when nobody took the request, `late` when it is late. */
function ask(event, payload, deadline, late) {
  return new Promise((resolve) => {
    const path = socketPath();
    if (!isOurs(path)) return resolve(undefined);
    let text = "";
    let connected = false;
    let finished = false;
    const socket = connect(path);
    const finish = (result) => {
      if (finished) return;
      finished = true;
      clearTimeout(timer);
      socket.destroy();
      resolve(result);
    };
    const timer = setTimeout(() => finish(connected ? late : undefined), deadline);
    socket.setEncoding("utf8");
    socket.on("error", () => finish(undefined));
    socket.on("close", () => finish(undefined));
    socket.on("connect", () => {
      connected = true;
      const params = { runner: "opencode", pid: process.pid, event, payload };
      const aictx = { proto: 1, client: "" };
      socket.write(`${JSON.stringify({ jsonrpc: "2.0", id: 1, aictx, method: "hook", params })}\n`);
    });
    socket.on("data", (part) => {
      text += part;
      if (text.length > MAX_ANSWER) return finish(null);
      const end = text.indexOf("\n");
      if (end < 0) return;
      try {
        finish(JSON.parse(text.slice(0, end)).result ?? null);
      } catch {
        finish(null);
      }
    });
  });
}

/** The same by the aictx program; it starts the daemon when it may. */
function askProgram(event, payload, deadline) {
  return new Promise((resolve) => {
    let text = "";
    let child;
    const timer = setTimeout(() => resolve(null), deadline);
    const finish = (result) => {
      clearTimeout(timer);
      resolve(result);
    };
    try {
      child = spawn(PROGRAM, ["hook", "opencode", event], {
        stdio: ["pipe", "pipe", "ignore"],
        windowsHide: true,
      });
    } catch {
      return finish(null);
    }
    child.unref();
    child.on("error", () => finish(null));
    child.stdin.on("error", () => {});
    child.stdout.setEncoding("utf8");
    child.stdout.on("error", () => {});
    child.stdout.on("data", (part) => {
      if (text.length < MAX_ANSWER) text += part;
    });
    child.on("close", () => {
      try {
        finish(text.trim() ? JSON.parse(text) : null);
      } catch {
        finish(null);
      }
    });
    child.stdin.end(JSON.stringify(payload));
  });
}

/** `total` is for the program, too, which is asked when the daemon is late only where that is longer. */
async function tellNow(event, payload, deadline, total) {
  try {
    const begun = Date.now();
    const answer = await ask(event, payload, deadline, total > deadline ? undefined : null);
    if (answer !== undefined) return answer ?? {};
    const left = Math.max(1, total - (Date.now() - begun));
    return (await askProgram(event, payload, left)) ?? {};
  } catch {
    return {};
  }
}

/** What is on its way: OpenCode does not wait for bus events, but it waits for `dispose`. */
const pending = new Set();

/** What there is to say about an event: an object, never an exception. */
function tell(event, payload, deadline = DEADLINE, total = deadline) {
  const answer = tellNow(event, payload, deadline, total);
  pending.add(answer);
  answer.finally(() => pending.delete(answer));
  return answer;
}

const cut = (text) => (typeof text === "string" ? text.slice(0, MAX_TEXT) : undefined);

/** Only what is looked at: whole files and attachments stay here; that a text was there is told. */
function slimArguments(args, depth = 0) {
  const slim = {};
  for (const [name, value] of Object.entries(args ?? {})) {
    if (/^(todos|prompt)$/.test(name)) continue;
    if (/^(content|newString|oldString)$/.test(name)) slim[name] = "";
    else slim[name] = slimValue(value, depth);
  }
  return slim;
}

function slimValue(value, depth) {
  if (typeof value === "string") return cut(value);
  if (typeof value === "boolean" || typeof value === "number") return value;
  if (depth >= MAX_DEPTH || value === null || typeof value !== "object") return undefined;
  if (!Array.isArray(value)) return slimArguments(value, depth + 1);
  return value.slice(0, MAX_PARTS).map((part) => slimValue(part, depth + 1) ?? null);
}

// The only export: OpenCode takes every exported function for a plug-in.
export const Aictx = async ({ directory, worktree } = {}) => {
  const cwd = directory || worktree || process.cwd();
  /**
   * session id → { root: of a sub-agent, the session it belongs to; context: what its start was told;
   * message: id of the assistant's newest message; said: its texts by part }
   */
  const sessions = new Map();

  const remember = (id, value) => {
    if (sessions.size >= MAX_SESSIONS) sessions.delete(sessions.keys().next().value);
    sessions.set(id, value);
    return value;
  };
  const payloadOf = (event, id, more) => {
    const root = sessions.get(id)?.root;
    const who = root ? { session_id: root, agent_id: id } : { session_id: id };
    return { hook_event_name: event, ...who, cwd, ...more };
  };
  /** A session that this process has not seen begin: it goes on, or its beginning was missed. */
  const begin = async (id, source) => {
    if (!id || sessions.has(id)) return;
    const session = remember(id, { context: "" });
    session.started = tell("session.start", payloadOf("session.start", id, { source }), START_DEADLINE);
    session.context = (await session.started).context ?? "";
  };

  const safely =
    (handler) =>
    async (...all) => {
      try {
        return await handler(...all);
      } catch {
        return undefined;
      }
    };

  return {
    event: safely(async ({ event }) => {
      const properties = event?.properties ?? {};
      const { info, part } = properties;
      if (event.type === "message.updated") {
        const session = sessions.get(info?.sessionID);
        if (session && info.role === "assistant" && session.message !== info.id) {
          session.message = info.id;
          session.said = new Map();
        }
        return;
      }
      if (event.type === "message.part.updated") {
        const session = sessions.get(part?.sessionID);
        if (session && part.type === "text" && !part.synthetic && session.message === part.messageID) {
          if (session.said.has(part.id) || session.said.size < MAX_PARTS) session.said.set(part.id, cut(part.text));
        }
        return;
      }
      const id = properties.sessionID ?? info?.id;
      if (event.type === "session.created" && id) {
        const parent = properties.info?.parentID;
        if (parent) {
          remember(id, { root: sessions.get(parent)?.root ?? parent, context: "" });
          await tell(event.type, payloadOf(event.type, id, {}));
        } else {
          await begin(id, "startup");
        }
      } else if (event.type === "session.idle" && id) {
        const texts = [...(sessions.get(id)?.said?.values() ?? [])].filter(Boolean);
        const last_assistant_message = cut(texts.join("\n"));
        await tell(event.type, payloadOf(event.type, id, { last_assistant_message }));
      } else if (event.type === "session.deleted" && id) {
        const isRoot = !(sessions.get(id)?.root ?? properties.info?.parentID);
        if (isRoot) await tell(event.type, payloadOf(event.type, id, { reason: "deleted" }));
        sessions.delete(id);
      }
    }),

    "chat.message": safely(async (input, output) => {
      const id = input?.sessionID;
      await begin(id, "resume");
      const parts = (output?.parts ?? [])
        .filter((part) => part?.type === "text" && !part.synthetic)
        .map((part) => ({ type: "text", text: cut(part.text) }));
      const more = { input: { sessionID: id }, output: { parts } };
      const answer = await tell("chat.message", payloadOf("chat.message", id, more));
      const session = sessions.get(id);
      // Put before the model with the system prompt: not stored, so never replayed when stale.
      if (session) session.aside = answer.context ?? "";
    }),

    "experimental.chat.system.transform": safely(async (input, output) => {
      const session = sessions.get(input?.sessionID);
      if (!session || !Array.isArray(output?.system)) return;
      if (session.started) {
        session.context = (await session.started).context ?? "";
        session.started = undefined;
      }
      for (const text of [session.context, session.aside]) if (text) output.system.push(text);
    }),

    // Not wrapped: the exception is the refusal.
    "tool.execute.before": async (input, output) => {
      let answer = {};
      try {
        const id = input?.sessionID;
        const call = { tool: input?.tool, sessionID: id, callID: input?.callID };
        const more = { input: call, output: { args: slimArguments(output?.args) } };
        const payload = payloadOf("tool.execute.before", id, more);
        answer = await tell("tool.execute.before", payload, DEADLINE, GATE_DEADLINE);
      } catch {
        return;
      }
      if (answer.decision === "deny") throw new Error(String(answer.reason ?? "stopped by aictx"));
    },

    "tool.execute.after": safely(async (input, output) => {
      const id = input?.sessionID;
      const exit = output?.metadata?.exit;
      const more = {
        input: {
          tool: input?.tool,
          sessionID: id,
          callID: input?.callID,
          args: slimArguments(input?.args),
        },
        output: {
          output: input?.tool === "bash" ? cut(output?.output) : undefined,
          metadata: typeof exit === "number" ? { exit } : undefined,
        },
      };
      const answer = await tell("tool.execute.after", payloadOf("tool.execute.after", id, more));
      if (answer.context && typeof output?.output === "string") {
        output.output += `\n\n${answer.context}`;
      }
    }),

    "experimental.session.compacting": safely(async (input, output) => {
      const id = input?.sessionID;
      const name = "experimental.session.compacting";
      const answer = await tell(name, payloadOf(name, id, { trigger: "auto" }));
      if (answer.context && Array.isArray(output?.context)) output.context.push(answer.context);
    }),

    dispose: safely(async () => {
      await Promise.all(pending);
      const roots = [...sessions].filter(([, session]) => !session.root).map(([id]) => id);
      const ends = roots.map((id) =>
        tell("dispose", payloadOf("dispose", id, { reason: "exit" }), START_DEADLINE),
      );
      sessions.clear();
      await Promise.all(ends);
    }),
  };
};
