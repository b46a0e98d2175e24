#!/bin/sh
# Runs real agents against a scripted model on this machine, with aictx installed for them, and says
# what held: does the model see what a session is told, is a destructive command stopped, is a
# failing test learned, does the next session know it, is an unchecked edit asked about, does the
# session end in time.
#
#   AICTX_TEST_RUNNERS=1 tests/runners/run.sh [claude] [codex] [gemini] [opencode] [copilot] [cline]
#   AICTX_TEST_RUNNERS=1 tests/runners/run.sh flows [claude] [codex] [opencode] [gemini] [copilot]
#
# The second form lets a flow drive them through two tickets; see flows.sh.
#
# Agents come from npm into a folder of their own (AICTX_RUNNERS_DIR keeps it for the next time),
# everything else into a throwaway home. Nothing of this user's is read; no account is needed.
# AICTX_BIN names the directory of the two programs.
set -eu
[ "${AICTX_TEST_RUNNERS:-}" = 1 ] || {
    echo "set AICTX_TEST_RUNNERS=1: this downloads agents of several hundred megabytes" >&2
    exit 0
}
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
source=$(CDPATH='' cd -- "$here/../.." && pwd)
built=${AICTX_BIN:-$source/target/debug}
for needed in "$built/aictx" "$built/aictxd"; do
    [ -x "$needed" ] || {
        echo "$needed is not built; set AICTX_BIN" >&2
        exit 1
    }
done
for needed in node npm git python3; do
    command -v "$needed" >/dev/null || {
        echo "$needed is needed" >&2
        exit 1
    }
done
cases=hooks
[ "${1:-}" != flows ] || {
    cases=flows
    shift
    [ $# -gt 0 ] || set -- claude codex opencode
}
[ $# -gt 0 ] || set -- claude codex gemini opencode copilot cline
work=$(mktemp -d "${TMPDIR:-/tmp}/aictx-runners.XXXXXX")
folder=${AICTX_RUNNERS_DIR:-$work/agents}
model=
finish() {
    [ -z "$model" ] || kill "$model" 2>/dev/null || true
    [ -z "${AICTX_KEEP:-}" ] && rm -rf -- "$work" || echo "kept: $work" >&2
}
trap finish EXIT
trap 'exit 1' HUP INT TERM

python=$(python3 -c 'import sys; print(sys.executable)')
failed=0
package() {
    case $1 in
    claude) echo @anthropic-ai/claude-code ;;
    codex) echo @openai/codex ;;
    gemini) echo @google/gemini-cli ;;
    opencode) echo opencode-ai ;;
    copilot) echo @github/copilot ;;
    cline) echo cline ;;
    *) return 1 ;;
    esac
}

# Options of `env` for what differs from agent to agent.
variables=
# A process with nothing of this user's environment.
# shellcheck disable=SC2086
clean() {
    env -i HOME="$home" PATH="$bin:$folder/node_modules/.bin:$home/bin:$(dirname "$(command -v node)"):/usr/bin:/bin" \
        XDG_RUNTIME_DIR="$home/run" TERM=dumb NO_COLOR=1 CI=1 \
        GIT_AUTHOR_NAME=T GIT_AUTHOR_EMAIL=t@example.invalid \
        GIT_COMMITTER_NAME=T GIT_COMMITTER_EMAIL=t@example.invalid \
        DISABLE_TELEMETRY=1 DISABLE_AUTOUPDATER=1 DISABLE_ERROR_REPORTING=1 \
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1 \
        ANTHROPIC_BASE_URL="http://127.0.0.1:$port" ANTHROPIC_API_KEY=none-needed \
        GOOGLE_GEMINI_BASE_URL="http://127.0.0.1:$port" GEMINI_API_KEY=none-needed \
        GEMINI_TELEMETRY_ENABLED=false \
        OPENCODE_DISABLE_AUTOUPDATE=1 OPENCODE_DISABLE_MODELS_FETCH=1 \
        COPILOT_AUTO_UPDATE=false COPILOT_OFFLINE=true COPILOT_MODEL=gpt-4.1 \
        COPILOT_PROVIDER_TYPE=openai COPILOT_PROVIDER_API_KEY=none-needed \
        COPILOT_PROVIDER_BASE_URL="http://127.0.0.1:$port/v1" \
        CLINE_TELEMETRY_DISABLED=1 LOCAL_KEY=none-needed env $variables "$@"
}

# Runs one request through the agent; its exit status is not the point.
ask() { # AGENT REQUEST
    case $1 in
    claude) set -- claude -p "$2" --allowedTools Bash ;;
    codex) set -- codex exec --dangerously-bypass-approvals-and-sandbox "$2" ;;
    gemini) set -- gemini --approval-mode yolo -m gemini-2.5-flash -p "$2" ;;
    opencode) set -- opencode run -m local/scripted "$2" ;;
    copilot) set -- copilot -p "$2" --allow-all-tools ;;
    cline) set -- cline -P openai -m scripted "$2" ;;
    esac
    (cd "$repo" && clean timeout 120 "$@" </dev/null >>"$home/output" 2>&1) || true
}

prepare() { # AGENT
    case $1 in
    claude) mkdir -p "$home/.claude" ;;
    cline) clean cline auth -p openai -k none-needed -m scripted -b "http://127.0.0.1:$port/v1" >&2 ;;
    copilot) mkdir -p "$home/.copilot" ;;
    codex)
        mkdir -p "$home/.codex"
        cat >"$home/.codex/config.toml" <<CONFIG
model = "scripted"
model_provider = "local"

[model_providers.local]
name = "local"
base_url = "http://127.0.0.1:$port/v1"
env_key = "LOCAL_KEY"
wire_api = "responses"

[projects."$repo"]
trust_level = "trusted"
CONFIG
        ;;
    gemini)
        mkdir -p "$home/.gemini"
        echo '{"security": {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": false}}, "privacy": {"usageStatisticsEnabled": false}, "general": {"disableAutoUpdate": true, "maxAttempts": 1}, "model": {"name": "gemini-2.5-flash"}}' \
            >"$home/.gemini/settings.json"
        ;;
    opencode)
        mkdir -p "$home/.config/opencode"
        cat >"$home/.config/opencode/opencode.json" <<CONFIG
{
  "provider": {"local": {"npm": "@ai-sdk/openai-compatible", "name": "local",
    "options": {"baseURL": "http://127.0.0.1:$port/v1", "apiKey": "none-needed"},
    "models": {"scripted": {"name": "scripted"}}}},
  "permission": {"bash": "allow"}, "autoupdate": false, "share": "disabled"
}
CONFIG
        ;;
    esac
}

verdict() { # WHAT WORD DETAIL
    printf '| %s | %s | %s | %s |\n' "$agent $version" "$1" "$2" "${3:-}"
    [ "$2" != no ] || failed=1
}
holds() { # WHAT COMMAND…
    what=$1
    shift
    if "$@" >/dev/null 2>&1; then verdict "$what" yes; else verdict "$what" no; fi
}

# Whether a request to the model since a line of the log holds a text.
model_saw() { # FROM TEXT
    tail -n "+$1" "$log" | grep -F -q -- "$2"
}

# shellcheck source=tests/runners/flows.sh
. "$here/flows.sh"

echo "| agent | what | held | note |"
echo "|---|---|---|---|"
for agent in "$@"; do
    name=$(package "$agent") || {
        echo "no such agent: $agent" >&2
        exit 2
    }
    home=$work/$agent
    repo=$home/repo
    log=$home/model.jsonl
    version='?'
    # A copy, which can go missing.
    bin=$home/programs
    mkdir -p "$bin"
    cp "$built/aictx" "$built/aictxd" "$bin/"
    mkdir -p "$home/run" "$home/bin" "$repo" "$folder"
    chmod 700 "$home/run"
    ln -sf "$python" "$home/bin/python3"
    if [ ! -e "$folder/node_modules/$name" ]; then
        npm install --prefix "$folder" --no-audit --no-fund --loglevel=error "$name" >&2 || {
            verdict "npm install" no
            continue
        }
    fi
    : >"$log"
    [ "$cases" = hooks ] || flow_setting "$agent"
    node "$here/model.mjs" "$log" "$home/port" &
    model=$!
    while [ ! -s "$home/port" ]; do sleep 0.1; done
    port=$(cat "$home/port")
    prepare "$agent"
    version=$(clean timeout 60 "$agent" --version 2>/dev/null | grep -oE '[0-9]+(\.[0-9]+)+' | head -n 1) || version='?'

    printf 'def add(a, b):\n    return a - b\n' >"$repo/calc.py"
    printf 'import unittest\nfrom calc import add\n\n\nclass T(unittest.TestCase):\n    def test_add(self):\n        self.assertEqual(add(2, 2), 4)\n' >"$repo/test_calc.py"
    printf 'test:\n\tpython3 -m unittest -q\n' >"$repo/Makefile"
    (cd "$repo" && clean git init -q -b main . && clean git add -A && clean git commit -qm start)
    # Without hooks most of what follows must not hold: that is what AICTX_CONTROL=1 is for.
    [ -n "${AICTX_CONTROL:-}" ] ||
        clean "$bin/aictx" install --agents "$agent" --yes >>"$home/output" 2>&1 || true
    clean "$bin/aictx" init "$repo" --agents none >>"$home/output" 2>&1 || true
    clean "$bin/aictx" finalize --repo "$repo" --status success \
        --summary "The tangerine lighthouse was painted." --next-step "check calc" >>"$home/output" 2>&1 || true
    if [ "$agent" = codex ]; then
        # A person approves Codex's hooks once; this stands in for it.
        sh "$here/approve-codex.sh" "$home" "$folder" "$repo" >>"$home/output" 2>&1 || true
    fi

    if [ "$cases" = flows ]; then
        flow_cases "$agent"
        clean "$bin/aictx" uninstall --purge --yes >>"$home/output" 2>&1 || true
        kill "$model" 2>/dev/null || true
        model=
        continue
    fi
    printf '# uncommitted\n' >>"$repo/calc.py"
    ask "$agent" "STEPS: git checkout -- . ;; python3 -m unittest -q test_calc ;; say That is all."
    verdict "the model was asked" "$([ -s "$log" ] && echo yes || echo no)" "$(wc -l <"$log") requests"
    holds "what is remembered is told at the start" model_saw 1 "tangerine lighthouse"
    holds "the tools of aictx are offered to the model" model_saw 1 aictx_resume
    holds "a destructive command is not run" grep -q uncommitted "$repo/calc.py"
    clean "$bin/aictx" failures list --repo "$repo" --json >"$home/failures" 2>&1 || true
    holds "a failing test is learned" grep -q test_add "$home/failures"
    clean "$bin/aictx" session list --repo "$repo" --json >"$home/sessions" 2>&1 || true
    holds "the end of the session is seen" grep -q '"state":"ended"' "$home/sessions"
    holds "and it is handed over" grep -q "That is all" "$repo/.aictx/continuity/handoff.json"
    from=$(($(wc -l <"$log") + 1))
    ask "$agent" "Fix the failing test. STEPS: ls ;; say Good."
    holds "the next session knows the failure" model_saw "$from" "AssertionError test_calc.py"
    if [ "$agent" != opencode ]; then
        from=$(($(wc -l <"$log") + 1))
        ask "$agent" "STEPS: sed -i 's/a - b/a + b/' calc.py ;; say Done."
        holds "an edit that was not checked is asked about" model_saw "$from" "calc.py was edited and"
    fi
    # The user's limits and the guard hold while the daemon hangs.
    clean "$bin/aictx" status --json >"$home/status" 2>&1 || true
    daemon=$(grep -oE '"pid":[0-9]+' "$home/status" | head -n 1 | cut -d : -f 2) || daemon=
    printf '# uncommitted again\n' >>"$repo/calc.py"
    [ -z "$daemon" ] || kill -STOP "$daemon"
    ask "$agent" "STEPS: git checkout -- . ;; say Tried."
    [ -z "$daemon" ] || kill -CONT "$daemon"
    holds "a destructive command is not run while the daemon hangs" grep -q 'uncommitted again' "$repo/calc.py"
    mv "$bin/aictx" "$home/moved"
    ask "$agent" "STEPS: touch while-missing ;; say Done."
    mv "$home/moved" "$bin/aictx"
    holds "the agent works on while the program is missing" test -e "$repo/while-missing"
    slowest=$(node -e '
        const s = JSON.parse(require("fs").readFileSync(process.argv[1], "utf8"));
        const h = s.methods.filter((m) => m.method.startsWith("hook."));
        h.sort((a, b) => b.p99_us - a.p99_us);
        console.log(h.length ? `${h.reduce((n, m) => n + m.calls, 0)} hooks, slowest ${h[0].method} ${(h[0].p99_us / 1000).toFixed(1)} ms` : "no hooks");' \
        "$home/status" 2>/dev/null) || slowest=
    verdict "hooks in the daemon" "-" "$slowest"
    # Some agents rewrite their own files meanwhile: then nothing of ours may be left in them, and
    # in and out once more, with no agent running, must leave every byte of them as it is.
    if clean "$bin/aictx" uninstall --purge --yes --verify >"$home/uninstall" 2>&1; then
        verdict "uninstall restores every file" yes
    elif grep differs "$home/uninstall" | tr -s ' ' | cut -d ' ' -f 3 |
        xargs -r grep -l -E 'aictxd|aictx hook|AICTX' >"$home/left" 2>/dev/null; then
        verdict "uninstall restores every file" no "$(head -n 1 "$home/left")"
    else
        written=$(grep differs "$home/uninstall" | tr -s ' ' | cut -d ' ' -f 3 | sed "s|$home/||" | tr '\n' ' ')
        clean "$bin/aictx" install --agents "$agent" --yes >"$home/again" 2>&1 || true
        if clean "$bin/aictx" uninstall --purge --yes --verify >>"$home/again" 2>&1; then
            verdict "uninstall restores every file" yes "exact again with what the agent wrote meanwhile: $written"
        else
            verdict "uninstall restores every file" no "the second time: $(grep differs "$home/again" | head -n 1)"
        fi
    fi
    [ "$agent" != cline ] || clean cline hub stop >&2 || true
    kill "$model" 2>/dev/null || true
    model=
done
exit $failed
