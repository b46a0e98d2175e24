#!/bin/sh
# Approves the hooks that Codex finds, as a person would in `/hooks`: asks its app server for their
# hashes and writes those into its configuration.
set -eu
home=$1 folder=$2 repo=$3
cat >"$home/approve.mjs" <<'PROGRAM'
import { spawn } from "node:child_process";
import { appendFileSync } from "node:fs";
const [, , codex, repo, config] = process.argv;
const server = spawn(codex, ["app-server"], { stdio: ["pipe", "pipe", "inherit"] });
const send = (message) => server.stdin.write(JSON.stringify(message) + "\n");
let rest = "";
server.stdout.on("data", (chunk) => {
  rest += chunk;
  const lines = rest.split("\n");
  rest = lines.pop();
  for (const line of lines) {
    const message = JSON.parse(line);
    if (message.id === 1) {
      send({ method: "initialized" });
      send({ id: 2, method: "hooks/list", params: { cwds: [repo] } });
    } else if (message.id === 2) {
      const hooks = message.result?.data?.[0]?.hooks ?? [];
      for (const hook of hooks) {
        const key = JSON.stringify(hook.key);
        appendFileSync(config, `\n[hooks.state.${key}]\ntrusted_hash = ${JSON.stringify(hook.currentHash)}\n`);
      }
      console.log(`${hooks.length} hooks approved`, JSON.stringify(message.error ?? ""));
      server.kill();
      process.exit(0);
    }
  }
});
setTimeout(() => process.exit(1), 20000);
send({ id: 1, method: "initialize", params: { clientInfo: { name: "test", title: "test", version: "1" } } });
PROGRAM
exec env -i HOME="$home" PATH="$folder/node_modules/.bin:$(dirname "$(command -v node)"):/usr/bin:/bin" \
    LOCAL_KEY=none-needed node "$home/approve.mjs" "$folder/node_modules/.bin/codex" "$repo" "$home/.codex/config.toml"
