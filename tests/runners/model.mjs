// A scripted model on 127.0.0.1. It speaks as much of three vendors' streaming interfaces as their
// agents need, and does what the request tells it: `STEPS: a ;; b ;; say words`. Each answered tool
// call is one step further; `fail 429` answers with that status instead, and so does everything while
// there is a file LOG.outage that holds `429`, or `429 20` for a limit that ends in 20 seconds. `{Name}`
// stands for what the newest line `Name: value` says. What it was asked is kept, a JSON object a line.
//
//   node model.mjs LOG PORTFILE
import { createServer } from "node:http";
import { appendFileSync, existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";

const [, , log, portFile] = process.argv;
const outage = `${log}.outage`;
const MARK = "STEPS: ";

/** All text in a value, in order. */
function texts(value, into = []) {
  if (typeof value === "string") into.push(value);
  else if (Array.isArray(value)) value.forEach((v) => texts(v, into));
  else if (value && typeof value === "object") Object.values(value).forEach((v) => texts(v, into));
  return into;
}

/**
 * The next step of the newest request: `{ say }`, `{ run }` or `{ fail }`. Side requests such as titles have none.
 * `results` counts the answered tool calls of a message.
 */
function next(messages, results) {
  let asked;
  let done = 0;
  const named = {};
  for (const message of messages ?? []) {
    // A request begins a line; what is told about earlier ones stands within one.
    const lines = texts(message).flatMap((t) => t.split("\n")).map((t) => t.trim().replace(/^"|"$/g, ""));
    for (const [, name, value] of lines.map((t) => t.match(/^([A-Z][a-z ]+): (\S+)$/) ?? [])) named[name] = value;
    const line = lines.findLast((t) => t.startsWith(MARK));
    if (line !== undefined && line !== asked) [asked, done] = [line, 0];
    done += results(message);
  }
  if (asked === undefined) return { say: "ok" };
  if (existsSync(outage)) {
    const [status, seconds] = readFileSync(outage, "utf8").split(" ").map(Number);
    return { fail: status, resets: Math.floor(Date.now() / 1000) + (seconds || 3600) };
  }
  const step = asked.slice(MARK.length).split(";;").map((s) => s.trim()).filter(Boolean)[done]
    ?.replace(/\{([A-Z][a-z ]+)\}/g, (all, name) => named[name] ?? all);
  if (step === undefined) return { say: "ok" };
  if (step.startsWith("fail ")) return { fail: Number(step.slice(5)), resets: RESET };
  return step.startsWith("say ") ? { say: step.slice(4) } : { run: step };
}

function events(response, list) {
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const [name, data] of list) {
    response.write(`${name ? `event: ${name}\n` : ""}data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`);
  }
  response.end();
}

/** When the limits end that are told with status 429. */
const RESET = Number(process.env.MODEL_RESET ?? Math.floor(Date.now() / 1000) + 3600);

/** Google's words for a limit that no retry helps against. */
const DAILY = [
  { "@type": "type.googleapis.com/google.rpc.QuotaFailure", violations: [{ quotaId: "GenerateRequestsPerDayPerProjectPerModel-FreeTier" }] },
  { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "9120s" },
];

/** An error as a vendor words it: what its interface says with this status. */
function fail(response, vendor, { fail: status, resets }) {
  const headers = { "content-type": "application/json" };
  const said = {
    anthropic: {
      400: ["invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum"],
      401: ["authentication_error", "invalid x-api-key"],
      404: ["not_found_error", "model: no-such-model"],
      429: ["rate_limit_error", "This request would exceed your account's rate limit. Please try again later."],
      529: ["overloaded_error", "Overloaded"],
    },
    openai: {
      400: ["invalid_request_error", "Your input exceeds the context window of this model.", "context_length_exceeded"],
      401: ["invalid_request_error", "Incorrect API key provided.", "invalid_api_key"],
      404: ["invalid_request_error", "The model `no-such-model` does not exist or you do not have access to it.", "model_not_found"],
      429: ["usage_limit_reached", "The usage limit has been reached", null],
      529: ["server_error", "The server is overloaded.", "server_is_overloaded"],
    },
    google: {
      400: ["INVALID_ARGUMENT", "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)."],
      401: ["UNAUTHENTICATED", "API key not valid. Please pass a valid API key."],
      404: ["NOT_FOUND", "models/no-such-model is not found for API version v1beta."],
      429: ["RESOURCE_EXHAUSTED", "You exceeded your current quota, please check your plan and billing details."],
      529: ["UNAVAILABLE", "The model is overloaded. Please try again later."],
    },
  }[vendor][status] ?? ["error", "failed"];
  const [type, message, code] = said;
  if (vendor === "anthropic" && status === 429) {
    headers["anthropic-ratelimit-unified-status"] = "rejected";
    headers["anthropic-ratelimit-unified-reset"] = String(resets);
    headers["anthropic-ratelimit-unified-representative-claim"] = "five_hour";
  }
  const body = {
    anthropic: { type: "error", error: { type, message } },
    openai: { error: { type, message, code, param: null, ...(status === 429 ? { plan_type: "plus", resets_at: resets } : {}) } },
    google: { error: { code: status, message, status: type, ...(status === 429 ? { details: DAILY } : {}) } },
  }[vendor];
  response.writeHead(vendor === "google" && status === 529 ? 503 : status, headers);
  response.end(JSON.stringify(body));
}

let calls = 0;

/** Anthropic: messages. */
function messages(body, response) {
  const has = body.tools?.some((tool) => tool.name === "Bash");
  const results = (m) => (Array.isArray(m.content) ? m.content.filter((c) => c.type === "tool_result").length : 0);
  const step = has ? next(body.messages, results) : { say: "ok" };
  if (step.fail) return fail(response, "anthropic", step);
  const id = `toolu_${++calls}`;
  const block = step.run
    ? { type: "tool_use", id, name: "Bash", input: {} }
    : { type: "text", text: "" };
  const delta = step.run
    ? { type: "input_json_delta", partial_json: JSON.stringify({ command: step.run, description: "a step" }) }
    : { type: "text_delta", text: step.say };
  const usage = { input_tokens: 10, output_tokens: 10 };
  const message = { id: `msg_${calls}`, type: "message", role: "assistant", model: body.model, content: [], stop_reason: null, stop_sequence: null, usage };
  const stop = step.run ? "tool_use" : "end_turn";
  if (!body.stream) {
    const content = step.run ? [{ ...block, input: { command: step.run } }] : [{ type: "text", text: step.say }];
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ ...message, content, stop_reason: stop }));
    return;
  }
  events(response, [
    ["message_start", { type: "message_start", message }],
    ["content_block_start", { type: "content_block_start", index: 0, content_block: block }],
    ["content_block_delta", { type: "content_block_delta", index: 0, delta }],
    ["content_block_stop", { type: "content_block_stop", index: 0 }],
    ["message_delta", { type: "message_delta", delta: { stop_reason: stop, stop_sequence: null }, usage: { output_tokens: 10 } }],
    ["message_stop", { type: "message_stop" }],
  ]);
}

/** OpenAI: responses, as Codex speaks it. */
function responses(body, response) {
  const input = Array.isArray(body.input) ? body.input : [];
  const step = next(input, (item) => (item.type?.endsWith("_call_output") ? 1 : 0));
  if (step.fail) return fail(response, "openai", step);
  const id = `resp_${++calls}`;
  const names = (body.tools ?? []).map((tool) => tool.name);
  const shell = ["exec_command", "shell_command", "shell"].find((name) => names.includes(name)) ?? "exec_command";
  const argument = { exec_command: { cmd: step.run }, shell_command: { command: step.run }, shell: { command: ["bash", "-lc", step.run] } }[shell];
  const item = step.run
    ? { type: "function_call", id: `fc_${calls}`, call_id: `call_${calls}`, name: shell, arguments: JSON.stringify(argument) }
    : { type: "message", id: `m_${calls}`, role: "assistant", content: [{ type: "output_text", text: step.say }] };
  const usage = { input_tokens: 1, input_tokens_details: null, output_tokens: 1, output_tokens_details: null, total_tokens: 2 };
  events(response, [
    ["response.created", { type: "response.created", response: { id } }],
    ["response.output_item.done", { type: "response.output_item.done", output_index: 0, item }],
    ["response.completed", { type: "response.completed", response: { id, output: [item], usage } }],
  ]);
}

/** OpenAI: chat completions, as OpenCode, Copilot and Cline speak it. */
function completions(body, response) {
  const names = (body.tools ?? []).map((tool) => tool.function?.name);
  const shell = ["bash", "run_commands"].find((name) => names.includes(name));
  const step = shell ? next(body.messages, (m) => (m.role === "tool" ? 1 : 0)) : { say: "ok" };
  if (step.fail) return fail(response, "openai", step);
  const argument = shell === "bash" ? { command: step.run, description: "a step" } : { commands: [step.run] };
  const id = `c_${++calls}`;
  const delta = step.run
    ? { role: "assistant", tool_calls: [{ index: 0, id: `call_${calls}`, type: "function", function: { name: shell, arguments: JSON.stringify(argument) } }] }
    : { role: "assistant", content: step.say };
  const chunk = (delta, finish) => ({ id, object: "chat.completion.chunk", created: 1, model: body.model, choices: [{ index: 0, delta, finish_reason: finish }] });
  events(response, [
    ["", chunk(delta, null)],
    ["", { ...chunk({}, step.run ? "tool_calls" : "stop"), usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 } }],
    ["", "[DONE]"],
  ]);
}

/** Google: streamGenerateContent, as Gemini CLI speaks it. */
function gemini(body, response, streams) {
  const results = (content) => (content.parts ?? []).filter((part) => part.functionResponse).length;
  const tools = (body.tools ?? []).flatMap((t) => t.functionDeclarations ?? []);
  const has = tools.length > 0;
  const step = has ? next(body.contents, results) : { say: "ok" };
  if (step.fail) return fail(response, "google", step);
  calls += 1;
  const part = step.run ? { functionCall: { name: "run_shell_command", args: { command: step.run, description: "a step" } } } : { text: step.say };
  const answer = { candidates: [{ content: { role: "model", parts: [part] }, finishReason: "STOP", index: 0 }], usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 } };
  if (streams) return events(response, [["", answer]]);
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify(answer));
}

const server = createServer((request, response) => {
  let raw = "";
  request.on("data", (chunk) => (raw += chunk));
  request.on("end", () => {
    let body = {};
    try {
      body = JSON.parse(raw);
    } catch {
      // Not for us.
    }
    appendFileSync(log, JSON.stringify({ url: request.url, body }) + "\n");
    const path = request.url.split("?")[0];
    if (path.endsWith("/count_tokens") || path.includes(":countTokens")) {
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ input_tokens: 10, totalTokens: 10 }));
    } else if (path.endsWith("/messages")) messages(body, response);
    else if (path.endsWith("/responses")) responses(body, response);
    else if (path.endsWith("/chat/completions")) completions(body, response);
    else if (path.includes("enerateContent")) gemini(body, response, path.includes("stream"));
    else {
      response.writeHead(404, { "content-type": "application/json" });
      response.end("{}");
    }
  });
});
server.listen(0, "127.0.0.1", () => {
  writeFileSync(`${portFile}.new`, String(server.address().port));
  renameSync(`${portFile}.new`, portFile);
});
