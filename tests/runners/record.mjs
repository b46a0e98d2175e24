// Drives real agents with the launch arguments of the drivers against the scripted model, and writes
// what they print to aictxd/runners/tests/driver: AGENT/CASE.jsonl, shortened and without paths and ids
// of this machine, and a line of index.jsonl for each. What the drivers read in them is added by
// `UPDATE_GOLDEN=1 cargo nextest run -p aictx-runners --test drivers`.
//
//   cargo build -p aictx-runners --example drive
//   AICTX_TEST_RUNNERS=1 AICTX_RUNNERS_DIR=DIR node tests/runners/record.mjs [AGENT…]
//
// DIR holds the agents' npm packages; see run.sh. Everything else is in a throwaway home.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const source = join(here, "../..");
const folder = process.env.AICTX_RUNNERS_DIR;
if (process.env.AICTX_TEST_RUNNERS !== "1" || !folder) {
  console.error("set AICTX_TEST_RUNNERS=1 and AICTX_RUNNERS_DIR");
  process.exit(0);
}
const drive = process.env.AICTX_DRIVE ?? join(source, "target/debug/examples/drive");
const out = join(source, "aictxd/runners/tests/driver");
const RESET = 1796000000;
const NOW = RESET - 28400;
const MISSING = "22222222-2222-4222-8222-222222222222";
const TOOL = "STEPS: echo 5-hour limit reached ;; say All done.";

const FAILURES = [400, 401, 404, 429, 529].map((status) => [`status-${status}`, `STEPS: fail ${status}`, []]);
const BASE = [
  ["tool", TOOL, ["full"], { IS_SANDBOX: "1" }],
  ["resume", "STEPS: say Again.", ["resume=LAST"]],
  ["workspace", "STEPS: touch inside ;; touch ../outside ;; say All done.", []],
  ["session-missing", "STEPS: say x", [`resume=${MISSING}`]],
  ...FAILURES,
];
const CASES = {
  claude: [
    ...BASE,
    ["new-session", "STEPS: say Hi.", ["new=UUID", "model=sonnet", "reasoning=high"]],
    ["five-hour-limit", "STEPS: fail 429", [], { ANTHROPIC_API_KEY: undefined, CLAUDE_CODE_OAUTH_TOKEN: "none-needed", TZ: "Europe/Berlin" }],
    ["full-as-root", "STEPS: say x", ["full"]],
    ["not-signed-in", "STEPS: say x", [], { ANTHROPIC_API_KEY: undefined }],
  ],
  codex: [...BASE, ["effort", "STEPS: say Hi.", ["model=scripted", "reasoning=high"]]],
  gemini: [
    ...BASE,
    ["new-session", "STEPS: say Hi.", ["new=UUID", "model=gemini-2.5-flash"]],
    ["not-signed-in", "STEPS: say x", [], { GEMINI_API_KEY: undefined }],
    ["not-trusted", "STEPS: say x", [], { GEMINI_CLI_TRUST_WORKSPACE: undefined }],
  ],
  opencode: [
    ...BASE,
    ["session-unknown", "STEPS: say x", ["resume=ses_0000000000000000"]],
    ["model-missing", "STEPS: say x", ["model=local/no-such-model", "reasoning=high"]],
  ],
  copilot: [
    ...BASE,
    ["new-session", "STEPS: say Hi.", ["new=UUID", "model=gpt-4.1"]],
    ["effort-unknown", "STEPS: say x", ["reasoning=enormous"]],
  ],
};

// Not in /tmp, which every sandbox lets agents write to.
const work = mkdtempSync("/var/tmp/aictx-record.");
const home = join(work, "home");
const repo = join(home, "repo");
mkdirSync(repo, { recursive: true });
const write = (path, text) => {
  mkdirSync(dirname(join(home, path)), { recursive: true });
  writeFileSync(join(home, path), text);
};
const model = spawn(process.execPath, [join(here, "model.mjs"), join(work, "model.jsonl"), join(work, "port")], {
  env: { ...process.env, MODEL_RESET: String(RESET) },
});
while (!existsSync(join(work, "port"))) await new Promise((done) => setTimeout(done, 50));
const port = readFileSync(join(work, "port"), "utf8");
const url = `http://127.0.0.1:${port}`;
write(".codex/config.toml", `model = "scripted"\nmodel_provider = "local"\n[model_providers.local]\nname = "local"\nbase_url = "${url}/v1"\nenv_key = "LOCAL_KEY"\nwire_api = "responses"\nrequest_max_retries = 1\nstream_max_retries = 1\n`);
write(".gemini/settings.json", JSON.stringify({ security: { auth: { selectedType: "gemini-api-key" } }, privacy: { usageStatisticsEnabled: false }, general: { disableAutoUpdate: true, maxAttempts: 1 }, model: { name: "gemini-2.5-flash" } }));
write(".config/opencode/opencode.json", JSON.stringify({ model: "local/scripted", provider: { local: { npm: "@ai-sdk/openai-compatible", name: "local", options: { baseURL: `${url}/v1`, apiKey: "none-needed" }, models: { scripted: { name: "scripted" } } } }, autoupdate: false, share: "disabled" }));
const clean = {
  HOME: home, PATH: `${folder}/node_modules/.bin:${dirname(process.execPath)}:/usr/bin:/bin`, TERM: "dumb", NO_COLOR: "1", CI: "1", TZ: "UTC",
  GIT_AUTHOR_NAME: "T", GIT_AUTHOR_EMAIL: "t@example.invalid", GIT_COMMITTER_NAME: "T", GIT_COMMITTER_EMAIL: "t@example.invalid",
  DISABLE_TELEMETRY: "1", DISABLE_AUTOUPDATER: "1", CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1", CLAUDE_CODE_MAX_RETRIES: "1",
  ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: "none-needed", LOCAL_KEY: "none-needed",
  GOOGLE_GEMINI_BASE_URL: url, GEMINI_API_KEY: "none-needed", GEMINI_TELEMETRY_ENABLED: "false", GEMINI_CLI_TRUST_WORKSPACE: "true",
  OPENCODE_DISABLE_AUTOUPDATE: "1", OPENCODE_DISABLE_MODELS_FETCH: "1",
  COPILOT_AUTO_UPDATE: "false", COPILOT_OFFLINE: "true", COPILOT_MODEL: "gpt-4.1", COPILOT_PROVIDER_TYPE: "openai",
  COPILOT_PROVIDER_API_KEY: "none-needed", COPILOT_PROVIDER_BASE_URL: `${url}/v1`, NOW: String(NOW),
};
spawnSync("git", ["init", "-q", "-b", "main", repo], { env: clean });

/** Members that no driver reads and that fill pages. */
const BULKY = ["tools", "mcp_servers", "slash_commands", "agents", "skills", "plugins", "modelUsage", "subagent_stats", "transformedContent", "toolTelemetry", "requestFingerprint", "encryptedContent", "responseHeaders", "usage_report", "capabilities", "memory_paths", "terminal_slash_commands", "messaging_socket_path"];
/** Events that say nothing and come by the dozen. */
const IDLE = ["session.background_tasks_changed", "session.skills_loaded", "session.tools_updated", "session.mcp_servers_loaded", "model.call_start", "model.call_finished", "assistant.turn_retry"];

function shorten(text) {
  return text.split("\n").flatMap((line) => {
    let event;
    try {
      event = JSON.parse(line, (key, value) => (BULKY.includes(key) ? undefined : value));
    } catch {
      return line.trim() ? [line] : [];
    }
    return IDLE.includes(event.type) ? [] : [JSON.stringify(event)];
  }).join("\n");
}

/** Replaces what differs from machine to machine. */
function neutral(text) {
  const ids = new Map();
  return text.replaceAll(home, "/home/user").replaceAll(folder, "/opt/agents").replaceAll(`127.0.0.1:${port}`, "127.0.0.1:8080").replaceAll(work, "/tmp")
    .replace(/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, (id) => {
      if (id === MISSING) return id;
      if (!ids.has(id)) ids.set(id, `00000000-0000-4000-8000-${String(ids.size + 1).padStart(12, "0")}`);
      return ids.get(id);
    })
    .replace(/\bses_\w+/g, "ses_1").replace(/\b(msg|prt)_[0-9a-f]{12}\w+/g, "$1_1");
}

let index = existsSync(join(out, "index.jsonl")) ? readFileSync(join(out, "index.jsonl"), "utf8").split("\n").filter(Boolean).map((l) => JSON.parse(l)) : [];
const agents = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(CASES);
for (const agent of agents) {
  index = index.filter((entry) => entry.agent !== agent || entry.written);
  mkdirSync(join(out, agent), { recursive: true });
  let last = MISSING;
  for (const [name, prompt, args, env] of CASES[agent]) {
    const lines = join(work, "lines");
    const filled = args.map((arg) => arg.replace("LAST", last).replace("UUID", crypto.randomUUID()));
    const done = spawnSync(drive, [agent, lines, ...filled], { cwd: repo, input: prompt, env: { ...clean, ...env }, encoding: "utf8" });
    if (done.status !== 0) throw new Error(`${agent} ${name}: ${done.stderr}`);
    const turn = JSON.parse(done.stdout);
    const { outcome, error, session, text } = turn.report;
    if (existsSync(join(home, "outside"))) console.error(agent, name, "wrote outside of its workspace");
    console.log(agent, name, outcome, error?.class ?? "", error?.resets_at ?? "", JSON.stringify((error?.text ?? text).slice(0, 100)));
    if (name === "tool") last = session;
    const [stdout, stderr] = neutral(`${shorten(readFileSync(lines, "utf8"))}\0${turn.stderr.slice(-1500)}`).split("\0");
    writeFileSync(join(out, agent, `${name}.jsonl`), stdout ? `${stdout}\n` : "");
    index.push({ agent, file: `${name}.jsonl`, exit: turn.exit.code ?? undefined, signal: turn.exit.signal ?? undefined, interrupted: turn.interrupted || undefined, now: NOW, stderr });
  }
}
writeFileSync(join(out, "index.jsonl"), index.map((entry) => JSON.stringify(entry) + "\n").join(""));
model.kill();
rmSync(work, { recursive: true, force: true });
