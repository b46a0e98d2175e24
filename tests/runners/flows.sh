# A flow of two tickets with a real agent; sourced by run.sh. The model is overloaded at first, the second ticket needs
# an answer, and a limit of use ends while the flow waits for it.

# What differs from agent to agent.
flow_setting() { # AGENT
    flow_options= flow_tokens='4 4, 6 6' variables=
    case $1 in
    claude)
        # Limits of use are those of a subscription.
        variables='-u ANTHROPIC_API_KEY CLAUDE_CODE_OAUTH_TOKEN=none-needed CLAUDE_CODE_MAX_RETRIES=1'
        flow_tokens='40 40, 60 60'
        ;;
    gemini) variables=GEMINI_CLI_TRUST_WORKSPACE=true flow_options=--full-access ;;
    # It reports no tokens.
    copilot) flow_options=--full-access flow_tokens='0 0, 0 0' ;;
    esac
}

# A value of what `flow … --json` printed.
of_flow() { # EXPRESSION COMMAND…
    expression=$1
    shift
    (cd "$repo" && clean "$bin/aictx" flow "$@" --json) >"$home/reply" 2>>"$home/output" || true
    node -p "const r = JSON.parse(require('fs').readFileSync('$home/reply', 'utf8')), f = r.flows?.[0] ?? {}; $expression" 2>/dev/null
}

# Waits until the flow stands at a status and reason, for four minutes at most.
flow_until() { # 'STATUS REASON'
    for _ in $(seq 480); do
        now=$(of_flow '`${f.status} ${f.reason_code ?? ""}`.trim()' status)
        [ "$now" != "$1" ] || return 0
        case $now in paused* | failed* | completed) break ;; esac
        sleep 0.5
    done
    echo "not $1, but $now: $(of_flow f.reason status)" >&2
    return 1
}

reaches() { # WHAT 'STATUS REASON'
    if note=$(flow_until "$2" 2>&1); then verdict "$1" yes; else verdict "$1" no "$note"; fi
}

flow_cases() { # AGENT
    mkdir "$home/tickets"
    finish="sed -i 's/^done: false/done: true/' {Ticket}"
    steps="STEPS: echo one >one.txt ;; $finish ;; git add one.txt && git commit -qm 'Add one' ;; say The copper kettle was polished."
    printf '%s\n' "$steps" >"$home/tickets/1"
    printf '%s\n' 'STEPS: printf -- "---\nmode: pause\ntitle: Which word?\n---\nEins or zwei?\n" >{Dispatch file} ;; say A word is missing.' >"$home/tickets/2"
    for number in 1 2; do
        word=$(echo "one two" | cut -d ' ' -f $number)
        clean "$bin/aictx" ticket new --repo "$repo" --agent "$1" --title "Write $word" \
            --verify "grep -q $word $word.txt" --body-file "$home/tickets/$number" >>"$home/output" 2>&1 || true
    done
    from=$(($(wc -l <"$log") + 1))
    echo 529 >"$log.outage"
    # shellcheck disable=SC2086
    of_flow r.message start --trust-verify --env LOCAL_KEY --env CLAUDE_CODE_MAX_RETRIES $flow_options >&2
    reaches "an overloaded model makes the flow wait" "waiting network_wait"
    rm -f "$log.outage"
    reaches "a question pauses it" "paused user_pause"
    holds "the first ticket is committed" test "$(cd "$repo" && git log -1 --format=%s)" = "Add one"
    holds "the question is in the inbox" test "$(of_flow 'r.inbox[0].text.trim()' inbox)" = "Eins or zwei?"
    holds "the next session is told of the first ticket" model_saw "$from" "copper kettle"
    echo "429 30" >"$log.outage"
    from=$(($(wc -l <"$log") + 1))
    of_flow r.message reply "Zwei, please.
STEPS: echo two >two.txt ;; $finish ;; git add two.txt && git commit -qm 'Add two' ;; say The violet harbour was swept." >&2
    reaches "a limit of use makes it wait" "waiting quota_wait"
    left=$(of_flow 'f.due_at - Math.floor(Date.now() / 1000)' status)
    verdict "until the limit ends" "-" "$left s"
    rm -f "$log.outage"
    # An agent that does not say when: a person lets the flow go on.
    [ "${left:-0}" -lt 120 ] || of_flow r.message resume --force >&2
    reaches "the flow completes" completed
    holds "the answer reaches the agent" model_saw "$from" "Zwei, please."
    holds "the second ticket is committed" test "$(cd "$repo" && git log -1 --format=%s)" = "Add two"
    holds "both tickets are done" test "$(grep -l '^done: true' "$repo"/.aictx/tickets/*.md | wc -l)" -eq 2
    holds "both are verified by their checks" test "$(of_flow 'r.events.filter((e) => /is done \(verified\)/.test(e.text)).length' log --events)" = 2
    memory=$repo/.aictx/continuity
    executions=$(of_flow '
        const rows = require("fs").readFileSync("'"$repo"'/.aictx/metrics/agent_execution_log.jsonl", "utf8").trim().split("\n").map(JSON.parse).slice(1);
        const same = (turn, at) => turn.outcome !== "ok" || rows[at].result_summary === turn.summary;
        `${r.turns.length === rows.length && r.turns.every(same)} ${rows.map((row) => row.result_summary.slice(0, 40)).join(" / ")}`' log)
    verdict "each turn is one execution" "$(case $executions in true*) echo yes ;; *) echo no ;; esac)" "${executions#* }"
    # shellcheck disable=SC2016
    holds "the rules of flows are no decisions of the user" sh -c '! grep -r -E "aictx_|Never push" "$1"' sh "$memory"
    # Four and six requests, which cost as many tokens each as model.mjs says.
    tokens=$(of_flow 'r.turns.map((t) => `${t.usage.input} ${t.usage.output}`).join(", ")' cost)
    verdict "tokens are counted exactly" "$([ "$tokens" = "$flow_tokens" ] && echo yes || echo no)" "$tokens"
    [ -z "${AICTX_KEEP:-}" ] || cp -R "$repo/.aictx" "$home/.local/state/aictx" "$home/" || true
    from=$(($(wc -l <"$log") + 1))
    ask "$1" "STEPS: say Good."
    holds "a session after the flow is told of the second ticket" model_saw "$from" "violet harbour"
}
