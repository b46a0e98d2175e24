# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_aictx_global_optspecs
    string join \n json no-color no-banner h/help V/version
end

function __fish_aictx_needs_command
    # Figure out if the current invocation already has a command.
    set -l cmd (commandline -opc)
    set -e cmd[1]
    argparse -s (__fish_aictx_global_optspecs) -- $cmd 2>/dev/null
    or return
    if set -q argv[1]
        # Also print the command, so this can be used to figure out what it is.
        echo $argv[1]
        return 1
    end
    return 0
end

function __fish_aictx_using_subcommand
    set -l cmd (__fish_aictx_needs_command)
    test -z "$cmd"
    and return 1
    contains -- $cmd[1] $argv
end

complete -c aictx -n "__fish_aictx_needs_command" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_needs_command" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_needs_command" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_needs_command" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c aictx -n "__fish_aictx_needs_command" -s V -l version -d 'Print version'
complete -c aictx -n "__fish_aictx_needs_command" -f -a "clean" -d 'Remove aictx from a repository and restore its files'
complete -c aictx -n "__fish_aictx_needs_command" -f -a "uninstall" -d 'Remove aictx from your agents and all repositories'
complete -c aictx -n "__fish_aictx_needs_command" -f -a "next" -d 'Show what to do next, and why'
complete -c aictx -n "__fish_aictx_needs_command" -f -a "prepare" -d 'Show the files and memory a goal needs'
complete -c aictx -n "__fish_aictx_needs_command" -f -a "docs" -d 'Look after the documents that requests are routed to'
complete -c aictx -n "__fish_aictx_needs_command" -f -a "log" -d 'List recorded executions, newest first'
complete -c aictx -n "__fish_aictx_needs_command" -f -a "why" -d 'Show the context injected into a session, and why'
complete -c aictx -n "__fish_aictx_needs_command" -f -a "view" -d 'Render memory as Markdown or as a Mermaid diagram'
complete -c aictx -n "__fish_aictx_needs_command" -f -a "advanced" -d 'List the commands beyond install, init, resume and finalize'
complete -c aictx -n "__fish_aictx_needs_command" -f -a "pin" -d 'Pin an item: always shown first, never evicted'
complete -c aictx -n "__fish_aictx_needs_command" -f -a "wrong" -d 'Mark an item as incorrect and stop showing it'
complete -c aictx -n "__fish_aictx_needs_command" -f -a "forget" -d 'Move an item to the archive'
complete -c aictx -n "__fish_aictx_needs_command" -f -a "suggest" -d 'Suggest where to begin, from strategies that worked'
complete -c aictx -n "__fish_aictx_needs_command" -f -a "reuse" -d 'Show the strategy that worked for a similar task'
complete -c aictx -n "__fish_aictx_needs_command" -f -a "reflect" -d 'Review the last execution'
complete -c aictx -n "__fish_aictx_needs_command" -f -a "report" -d 'Report usage figures'
complete -c aictx -n "__fish_aictx_needs_command" -f -a "import" -d 'Import transcripts of agents and other memories'
complete -c aictx -n "__fish_aictx_needs_command" -f -a "preview" -d 'Show the context the next session would get, and why'
complete -c aictx -n "__fish_aictx_needs_command" -f -a "portability" -d 'Manage memory that is shared through git'
complete -c aictx -n "__fish_aictx_needs_command" -f -a "messages" -d 'Mute or unmute the banner and the summary'
complete -c aictx -n "__fish_aictx_needs_command" -f -a "steer" -d 'Classify a user message (stop, limit, correction, …)'
complete -c aictx -n "__fish_aictx_needs_command" -f -a "who" -d 'Show live sessions and the files they edit'
complete -c aictx -n "__fish_aictx_needs_command" -f -a "claim" -d 'Reserve paths for this session until it ends'
complete -c aictx -n "__fish_aictx_needs_command" -f -a "trust" -d 'Show a repository\'s policy and trust it'
complete -c aictx -n "__fish_aictx_needs_command" -f -a "hook" -d 'Answer a hook event (run by agents)'
complete -c aictx -n "__fish_aictx_needs_command" -f -a "mcp" -d 'Run the MCP server'
complete -c aictx -n "__fish_aictx_needs_command" -f -a "status" -d 'Show the state of the daemon and its repositories'
complete -c aictx -n "__fish_aictx_needs_command" -f -a "repo" -d 'Manage registered repositories'
complete -c aictx -n "__fish_aictx_needs_command" -f -a "session" -d 'List and show recorded sessions'
complete -c aictx -n "__fish_aictx_needs_command" -f -a "daemon" -d 'Start, stop and inspect the daemon'
complete -c aictx -n "__fish_aictx_needs_command" -f -a "eval" -d 'Benchmark file ranking on a repository\'s history'
complete -c aictx -n "__fish_aictx_needs_command" -f -a "signals" -d 'Extract errors and test totals from tool output'
complete -c aictx -n "__fish_aictx_needs_command" -f -a "internal" -d 'Commands for scripts and wrappers'
complete -c aictx -n "__fish_aictx_needs_command" -f -a "scrub" -d 'Replace secrets in standard input'
complete -c aictx -n "__fish_aictx_needs_command" -f -a "version" -d 'Show the versions of client and daemon'
complete -c aictx -n "__fish_aictx_needs_command" -f -a "init" -d 'Set up aictx in a repository'
complete -c aictx -n "__fish_aictx_needs_command" -f -a "install" -d 'Register hooks with your coding agents'
complete -c aictx -n "__fish_aictx_needs_command" -f -a "resume" -d 'Show where the work stands'
complete -c aictx -n "__fish_aictx_needs_command" -f -a "finalize" -d 'Record the outcome of a session and hand it over'
complete -c aictx -n "__fish_aictx_needs_command" -f -a "recall" -d 'Search memory'
complete -c aictx -n "__fish_aictx_needs_command" -f -a "remember" -d 'Record a decision or a rule'
complete -c aictx -n "__fish_aictx_needs_command" -f -a "task" -d 'Manage tasks that take several sessions'
complete -c aictx -n "__fish_aictx_needs_command" -f -a "ticket" -d 'Manage the queue of tickets'
complete -c aictx -n "__fish_aictx_needs_command" -f -a "flow" -d 'Let agents work off the tickets, unattended'
complete -c aictx -n "__fish_aictx_needs_command" -f -a "run" -d 'Keep the hypotheses, evidence and learnings of one substantial task'
complete -c aictx -n "__fish_aictx_needs_command" -f -a "intake" -d 'Show the documents of the repository that a request belongs to'
complete -c aictx -n "__fish_aictx_needs_command" -f -a "failures" -d 'List, show and resolve known failures'
complete -c aictx -n "__fish_aictx_needs_command" -f -a "memory" -d 'List and show items of memory'
complete -c aictx -n "__fish_aictx_needs_command" -f -a "map" -d 'Find files, symbols and references'
complete -c aictx -n "__fish_aictx_needs_command" -f -a "guard" -d 'Check a command or an edit before it runs'
complete -c aictx -n "__fish_aictx_needs_command" -f -a "doctor" -d 'Diagnose problems and suggest fixes'
complete -c aictx -n "__fish_aictx_using_subcommand clean" -l repo -d 'Repository, or a directory in it' -r -F
complete -c aictx -n "__fish_aictx_using_subcommand clean" -l delete-memory -d 'Delete the memory instead of moving it'
complete -c aictx -n "__fish_aictx_using_subcommand clean" -l keep-history -d 'Accepted; it is the default'
complete -c aictx -n "__fish_aictx_using_subcommand clean" -l ancestor -d 'Take out what the Python program of the same name left, too'
complete -c aictx -n "__fish_aictx_using_subcommand clean" -l verify -d 'Prove that each file is as it was before; exits with 3 when one is not'
complete -c aictx -n "__fish_aictx_using_subcommand clean" -l dry-run -d 'Show what would be done, and do nothing'
complete -c aictx -n "__fish_aictx_using_subcommand clean" -s y -l yes -d 'Do not ask'
complete -c aictx -n "__fish_aictx_using_subcommand clean" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand clean" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand clean" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand clean" -s h -l help -d 'Print help'
complete -c aictx -n "__fish_aictx_using_subcommand uninstall" -l purge -d 'Delete all memory, archives, indexes and logs, too'
complete -c aictx -n "__fish_aictx_using_subcommand uninstall" -l verify -d 'Prove that each file is as it was before; exits with 3 when one is not'
complete -c aictx -n "__fish_aictx_using_subcommand uninstall" -l dry-run -d 'Show what would be done, and do nothing'
complete -c aictx -n "__fish_aictx_using_subcommand uninstall" -s y -l yes -d 'Do not ask'
complete -c aictx -n "__fish_aictx_using_subcommand uninstall" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand uninstall" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand uninstall" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand uninstall" -s h -l help -d 'Print help'
complete -c aictx -n "__fish_aictx_using_subcommand next" -l repo -d 'Repository, or a directory in it' -r -F
complete -c aictx -n "__fish_aictx_using_subcommand next" -l request -d 'The request, too' -r
complete -c aictx -n "__fish_aictx_using_subcommand next" -l task-type -d 'Kind of task, when it is known' -r
complete -c aictx -n "__fish_aictx_using_subcommand next" -l files-opened -d 'Files read or written' -r
complete -c aictx -n "__fish_aictx_using_subcommand next" -l commands-executed -d 'Commands run' -r
complete -c aictx -n "__fish_aictx_using_subcommand next" -l tests-executed -d 'Test runs' -r
complete -c aictx -n "__fish_aictx_using_subcommand next" -l notable-errors -d 'Errors seen' -r
complete -c aictx -n "__fish_aictx_using_subcommand next" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand next" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand next" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand next" -s h -l help -d 'Print help'
complete -c aictx -n "__fish_aictx_using_subcommand prepare" -l task-type -d 'Kind of task, when it is known' -r
complete -c aictx -n "__fish_aictx_using_subcommand prepare" -l repo -d 'Repository, or a directory in it' -r -F
complete -c aictx -n "__fish_aictx_using_subcommand prepare" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand prepare" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand prepare" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand prepare" -s h -l help -d 'Print help'
complete -c aictx -n "__fish_aictx_using_subcommand docs; and not __fish_seen_subcommand_from check" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand docs; and not __fish_seen_subcommand_from check" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand docs; and not __fish_seen_subcommand_from check" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand docs; and not __fish_seen_subcommand_from check" -s h -l help -d 'Print help'
complete -c aictx -n "__fish_aictx_using_subcommand docs; and not __fish_seen_subcommand_from check" -f -a "check" -d 'Check the documents that requests are routed to; exits with 1 if one breaks the form'
complete -c aictx -n "__fish_aictx_using_subcommand docs; and __fish_seen_subcommand_from check" -l repo -d 'Repository, or a directory in it' -r -F
complete -c aictx -n "__fish_aictx_using_subcommand docs; and __fish_seen_subcommand_from check" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand docs; and __fish_seen_subcommand_from check" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand docs; and __fish_seen_subcommand_from check" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand docs; and __fish_seen_subcommand_from check" -s h -l help -d 'Print help'
complete -c aictx -n "__fish_aictx_using_subcommand log" -l session -d 'Of this session: its id or the beginning of it' -r
complete -c aictx -n "__fish_aictx_using_subcommand log" -l file -d 'That touched this file or directory' -r
complete -c aictx -n "__fish_aictx_using_subcommand log" -l failure -d 'That saw this failure: its id or the beginning of it' -r
complete -c aictx -n "__fish_aictx_using_subcommand log" -s n -l limit -d 'At most this many' -r
complete -c aictx -n "__fish_aictx_using_subcommand log" -l repo -d 'Repository, or a directory in it' -r -F
complete -c aictx -n "__fish_aictx_using_subcommand log" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand log" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand log" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand log" -s h -l help -d 'Print help'
complete -c aictx -n "__fish_aictx_using_subcommand why" -l verdict -d 'Explain a verdict of the guard: its id or the beginning of it' -r
complete -c aictx -n "__fish_aictx_using_subcommand why" -l session -d 'Session: its id or the beginning of it [default: the caller\'s, else the newest]' -r
complete -c aictx -n "__fish_aictx_using_subcommand why" -l repo -d 'Repository, or a directory in it' -r -F
complete -c aictx -n "__fish_aictx_using_subcommand why" -l verdicts -d 'Show the guard\'s latest verdicts'
complete -c aictx -n "__fish_aictx_using_subcommand why" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand why" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand why" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand why" -s h -l help -d 'Print help'
complete -c aictx -n "__fish_aictx_using_subcommand view" -l output -d 'Write into this file instead of printing' -r -F
complete -c aictx -n "__fish_aictx_using_subcommand view" -l repo -d 'Repository, or a directory in it' -r -F
complete -c aictx -n "__fish_aictx_using_subcommand view" -l mermaid -d 'Print the diagram instead of the page'
complete -c aictx -n "__fish_aictx_using_subcommand view" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand view" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand view" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand view" -s h -l help -d 'Print help'
complete -c aictx -n "__fish_aictx_using_subcommand advanced" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand advanced" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand advanced" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand advanced" -s h -l help -d 'Print help'
complete -c aictx -n "__fish_aictx_using_subcommand pin" -l repo -d 'Repository, or a directory in it' -r -F
complete -c aictx -n "__fish_aictx_using_subcommand pin" -l undo -d 'Take the pin back'
complete -c aictx -n "__fish_aictx_using_subcommand pin" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand pin" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand pin" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand pin" -s h -l help -d 'Print help'
complete -c aictx -n "__fish_aictx_using_subcommand wrong" -l reason -d 'Why' -r
complete -c aictx -n "__fish_aictx_using_subcommand wrong" -l repo -d 'Repository, or a directory in it' -r -F
complete -c aictx -n "__fish_aictx_using_subcommand wrong" -l undo -d 'It is not wrong after all'
complete -c aictx -n "__fish_aictx_using_subcommand wrong" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand wrong" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand wrong" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand wrong" -s h -l help -d 'Print help'
complete -c aictx -n "__fish_aictx_using_subcommand forget" -l repo -d 'Repository, or a directory in it' -r -F
complete -c aictx -n "__fish_aictx_using_subcommand forget" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand forget" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand forget" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand forget" -s h -l help -d 'Print help'
complete -c aictx -n "__fish_aictx_using_subcommand suggest" -l repo -d 'Repository, or a directory in it' -r -F
complete -c aictx -n "__fish_aictx_using_subcommand suggest" -l request -d 'The request, too' -r
complete -c aictx -n "__fish_aictx_using_subcommand suggest" -l task-type -d 'Kind of task, when it is known' -r
complete -c aictx -n "__fish_aictx_using_subcommand suggest" -l files-opened -d 'Files read or written' -r
complete -c aictx -n "__fish_aictx_using_subcommand suggest" -l commands-executed -d 'Commands run' -r
complete -c aictx -n "__fish_aictx_using_subcommand suggest" -l tests-executed -d 'Test runs' -r
complete -c aictx -n "__fish_aictx_using_subcommand suggest" -l notable-errors -d 'Errors seen' -r
complete -c aictx -n "__fish_aictx_using_subcommand suggest" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand suggest" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand suggest" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand suggest" -s h -l help -d 'Print help'
complete -c aictx -n "__fish_aictx_using_subcommand reuse" -l repo -d 'Repository, or a directory in it' -r -F
complete -c aictx -n "__fish_aictx_using_subcommand reuse" -l request -d 'The request, too' -r
complete -c aictx -n "__fish_aictx_using_subcommand reuse" -l task-type -d 'Kind of task, when it is known' -r
complete -c aictx -n "__fish_aictx_using_subcommand reuse" -l files-opened -d 'Files read or written' -r
complete -c aictx -n "__fish_aictx_using_subcommand reuse" -l commands-executed -d 'Commands run' -r
complete -c aictx -n "__fish_aictx_using_subcommand reuse" -l tests-executed -d 'Test runs' -r
complete -c aictx -n "__fish_aictx_using_subcommand reuse" -l notable-errors -d 'Errors seen' -r
complete -c aictx -n "__fish_aictx_using_subcommand reuse" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand reuse" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand reuse" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand reuse" -s h -l help -d 'Print help'
complete -c aictx -n "__fish_aictx_using_subcommand reflect" -l repo -d 'Repository, or a directory in it' -r -F
complete -c aictx -n "__fish_aictx_using_subcommand reflect" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand reflect" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand reflect" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand reflect" -s h -l help -d 'Print help'
complete -c aictx -n "__fish_aictx_using_subcommand report; and not __fish_seen_subcommand_from real-usage" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand report; and not __fish_seen_subcommand_from real-usage" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand report; and not __fish_seen_subcommand_from real-usage" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand report; and not __fish_seen_subcommand_from real-usage" -s h -l help -d 'Print help'
complete -c aictx -n "__fish_aictx_using_subcommand report; and not __fish_seen_subcommand_from real-usage" -f -a "real-usage" -d 'Show usage figures from the logs'
complete -c aictx -n "__fish_aictx_using_subcommand report; and __fish_seen_subcommand_from real-usage" -l repo -d 'Repository, or a directory in it' -r -F
complete -c aictx -n "__fish_aictx_using_subcommand report; and __fish_seen_subcommand_from real-usage" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand report; and __fish_seen_subcommand_from real-usage" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand report; and __fish_seen_subcommand_from real-usage" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand report; and __fish_seen_subcommand_from real-usage" -s h -l help -d 'Print help'
complete -c aictx -n "__fish_aictx_using_subcommand import" -l from -d 'Only from this source; can be repeated [default: all agents]' -r -f -a "claude\t''
codex\t''
gemini\t''
opencode\t''
copilot\t''
markdown\t''
beads\t''"
complete -c aictx -n "__fish_aictx_using_subcommand import" -l path -d 'A file or folder to import instead of the agents\' own folders' -r -F
complete -c aictx -n "__fish_aictx_using_subcommand import" -l since -d 'Only what is not older than this date' -r
complete -c aictx -n "__fish_aictx_using_subcommand import" -l repo -d 'Repository, or a directory in it' -r -F
complete -c aictx -n "__fish_aictx_using_subcommand import" -l dry-run -d 'Show what would be imported, and write nothing'
complete -c aictx -n "__fish_aictx_using_subcommand import" -l remove -d 'Remove everything that was imported'
complete -c aictx -n "__fish_aictx_using_subcommand import" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand import" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand import" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand import" -s h -l help -d 'Print help'
complete -c aictx -n "__fish_aictx_using_subcommand preview" -l prompt -d 'Prompt of its user' -r
complete -c aictx -n "__fish_aictx_using_subcommand preview" -l agent -d 'Agent whose session it would be' -r
complete -c aictx -n "__fish_aictx_using_subcommand preview" -l repo -d 'Repository, or a directory in it' -r -F
complete -c aictx -n "__fish_aictx_using_subcommand preview" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand preview" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand preview" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand preview" -s h -l help -d 'Print help'
complete -c aictx -n "__fish_aictx_using_subcommand portability; and not __fish_seen_subcommand_from status compact" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand portability; and not __fish_seen_subcommand_from status compact" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand portability; and not __fish_seen_subcommand_from status compact" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand portability; and not __fish_seen_subcommand_from status compact" -s h -l help -d 'Print help'
complete -c aictx -n "__fish_aictx_using_subcommand portability; and not __fish_seen_subcommand_from status compact" -f -a "status" -d 'Show whether memory goes through git, and whether everything is as it should be for that'
complete -c aictx -n "__fish_aictx_using_subcommand portability; and not __fish_seen_subcommand_from status compact" -f -a "compact" -d 'Say what stands twice in the histories that go through git, or is too old for it'
complete -c aictx -n "__fish_aictx_using_subcommand portability; and __fish_seen_subcommand_from status" -l repo -d 'Repository, or a directory in it' -r -F
complete -c aictx -n "__fish_aictx_using_subcommand portability; and __fish_seen_subcommand_from status" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand portability; and __fish_seen_subcommand_from status" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand portability; and __fish_seen_subcommand_from status" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand portability; and __fish_seen_subcommand_from status" -s h -l help -d 'Print help'
complete -c aictx -n "__fish_aictx_using_subcommand portability; and __fish_seen_subcommand_from compact" -l repo -d 'Repository, or a directory in it' -r -F
complete -c aictx -n "__fish_aictx_using_subcommand portability; and __fish_seen_subcommand_from compact" -l apply -d 'Take it out, into the archive; otherwise it is only said'
complete -c aictx -n "__fish_aictx_using_subcommand portability; and __fish_seen_subcommand_from compact" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand portability; and __fish_seen_subcommand_from compact" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand portability; and __fish_seen_subcommand_from compact" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand portability; and __fish_seen_subcommand_from compact" -s h -l help -d 'Print help'
complete -c aictx -n "__fish_aictx_using_subcommand messages" -l repo -d 'Repository, or a directory in it' -r -F
complete -c aictx -n "__fish_aictx_using_subcommand messages" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand messages" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand messages" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand messages" -s h -l help -d 'Print help'
complete -c aictx -n "__fish_aictx_using_subcommand steer" -l repo -d 'Repository, or a directory in it' -r -F
complete -c aictx -n "__fish_aictx_using_subcommand steer" -l message -d 'Message of the person' -r
complete -c aictx -n "__fish_aictx_using_subcommand steer" -l current-action -d 'State of the agent' -r -f -a "edit\t''
command\t''
finalize\t''
final_answer\t''
planning\t''
unknown\t''"
complete -c aictx -n "__fish_aictx_using_subcommand steer" -l paths -d 'Path of the current action; can be repeated' -r
complete -c aictx -n "__fish_aictx_using_subcommand steer" -l edited-paths -d 'File that this session has edited; can be repeated' -r
complete -c aictx -n "__fish_aictx_using_subcommand steer" -l agent-id -d 'Agent' -r
complete -c aictx -n "__fish_aictx_using_subcommand steer" -l adapter-id -d 'Adapter' -r
complete -c aictx -n "__fish_aictx_using_subcommand steer" -l session-id -d 'Session' -r
complete -c aictx -n "__fish_aictx_using_subcommand steer" -l message-stdin -d 'Read the message from standard input'
complete -c aictx -n "__fish_aictx_using_subcommand steer" -l apply -d 'Keep the limits it sets for the session'
complete -c aictx -n "__fish_aictx_using_subcommand steer" -l exit-code -d 'Exit with 10 when the agent should ask or look again, 20 when it should stop'
complete -c aictx -n "__fish_aictx_using_subcommand steer" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand steer" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand steer" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand steer" -s h -l help -d 'Print help'
complete -c aictx -n "__fish_aictx_using_subcommand who" -l repo -d 'Repository, or a directory in it' -r -F
complete -c aictx -n "__fish_aictx_using_subcommand who" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand who" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand who" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand who" -s h -l help -d 'Print help'
complete -c aictx -n "__fish_aictx_using_subcommand claim" -l repo -d 'Repository, or a directory in it' -r -F
complete -c aictx -n "__fish_aictx_using_subcommand claim" -l agent-id -d 'Agent' -r
complete -c aictx -n "__fish_aictx_using_subcommand claim" -l adapter-id -d 'Adapter' -r
complete -c aictx -n "__fish_aictx_using_subcommand claim" -l session-id -d 'Session' -r
complete -c aictx -n "__fish_aictx_using_subcommand claim" -l release -d 'Let go of these paths, or of everything'
complete -c aictx -n "__fish_aictx_using_subcommand claim" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand claim" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand claim" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand claim" -s h -l help -d 'Print help'
complete -c aictx -n "__fish_aictx_using_subcommand trust" -l repo -d 'Repository, or a directory in it' -r -F
complete -c aictx -n "__fish_aictx_using_subcommand trust" -l hash -d 'Trust the policy with this hash, as it was shown' -r
complete -c aictx -n "__fish_aictx_using_subcommand trust" -l yes -d 'Trust it without being asked'
complete -c aictx -n "__fish_aictx_using_subcommand trust" -l revoke -d 'Trust it no longer'
complete -c aictx -n "__fish_aictx_using_subcommand trust" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand trust" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand trust" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand trust" -s h -l help -d 'Print help'
complete -c aictx -n "__fish_aictx_using_subcommand hook" -l wait -d 'With `probe`: wait at most this long for the agent\'s events' -r
complete -c aictx -n "__fish_aictx_using_subcommand hook" -l run -d 'With `probe`: run the agent without a person, where that is possible'
complete -c aictx -n "__fish_aictx_using_subcommand hook" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand hook" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand hook" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand hook" -s h -l help -d 'Print help'
complete -c aictx -n "__fish_aictx_using_subcommand mcp; and not __fish_seen_subcommand_from status install" -l repo -d 'Repository, or a directory in it: no call reaches anything outside of it' -r -F
complete -c aictx -n "__fish_aictx_using_subcommand mcp; and not __fish_seen_subcommand_from status install" -l allow-root -d 'Another directory that calls may name; can be repeated' -r -F
complete -c aictx -n "__fish_aictx_using_subcommand mcp; and not __fish_seen_subcommand_from status install" -l profile -d 'Tools that the client may use' -r -f -a "readonly\t'Only questions'
standard\t'Tools that agents need'
full\t'Everything'"
complete -c aictx -n "__fish_aictx_using_subcommand mcp; and not __fish_seen_subcommand_from status install" -l agent-id -d 'Agent' -r
complete -c aictx -n "__fish_aictx_using_subcommand mcp; and not __fish_seen_subcommand_from status install" -l adapter-id -d 'Adapter' -r
complete -c aictx -n "__fish_aictx_using_subcommand mcp; and not __fish_seen_subcommand_from status install" -l session-id -d 'Session' -r
complete -c aictx -n "__fish_aictx_using_subcommand mcp; and not __fish_seen_subcommand_from status install" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand mcp; and not __fish_seen_subcommand_from status install" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand mcp; and not __fish_seen_subcommand_from status install" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand mcp; and not __fish_seen_subcommand_from status install" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c aictx -n "__fish_aictx_using_subcommand mcp; and not __fish_seen_subcommand_from status install" -f -a "status" -d 'Show which agents have an entry for the server'
complete -c aictx -n "__fish_aictx_using_subcommand mcp; and not __fish_seen_subcommand_from status install" -f -a "install" -d 'Write entries for the server into your agents\' own files, and nothing else'
complete -c aictx -n "__fish_aictx_using_subcommand mcp; and __fish_seen_subcommand_from status" -l repo -d 'Repository, or a directory in it' -r -F
complete -c aictx -n "__fish_aictx_using_subcommand mcp; and __fish_seen_subcommand_from status" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand mcp; and __fish_seen_subcommand_from status" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand mcp; and __fish_seen_subcommand_from status" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand mcp; and __fish_seen_subcommand_from status" -s h -l help -d 'Print help'
complete -c aictx -n "__fish_aictx_using_subcommand mcp; and __fish_seen_subcommand_from install" -l agents -d 'Agents, separated by commas [default: those that are there]' -r
complete -c aictx -n "__fish_aictx_using_subcommand mcp; and __fish_seen_subcommand_from install" -l profile -d 'Tools that the server offers' -r -f -a "readonly\t'Only questions'
standard\t'Tools that agents need'
full\t'Everything'"
complete -c aictx -n "__fish_aictx_using_subcommand mcp; and __fish_seen_subcommand_from install" -l repo -d 'The entries are for all repositories' -r -F
complete -c aictx -n "__fish_aictx_using_subcommand mcp; and __fish_seen_subcommand_from install" -l dry-run -d 'Show what would be written, and write nothing'
complete -c aictx -n "__fish_aictx_using_subcommand mcp; and __fish_seen_subcommand_from install" -l global -d 'Accepted; it is the default'
complete -c aictx -n "__fish_aictx_using_subcommand mcp; and __fish_seen_subcommand_from install" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand mcp; and __fish_seen_subcommand_from install" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand mcp; and __fish_seen_subcommand_from install" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand mcp; and __fish_seen_subcommand_from install" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c aictx -n "__fish_aictx_using_subcommand status" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand status" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand status" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand status" -s h -l help -d 'Print help'
complete -c aictx -n "__fish_aictx_using_subcommand repo; and not __fish_seen_subcommand_from add list remove" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand repo; and not __fish_seen_subcommand_from add list remove" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand repo; and not __fish_seen_subcommand_from add list remove" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand repo; and not __fish_seen_subcommand_from add list remove" -s h -l help -d 'Print help'
complete -c aictx -n "__fish_aictx_using_subcommand repo; and not __fish_seen_subcommand_from add list remove" -f -a "add" -d 'Register a repository that has .aictx'
complete -c aictx -n "__fish_aictx_using_subcommand repo; and not __fish_seen_subcommand_from add list remove" -f -a "list" -d 'List the registered repositories'
complete -c aictx -n "__fish_aictx_using_subcommand repo; and not __fish_seen_subcommand_from add list remove" -f -a "remove" -d 'Forget a repository; its files stay'
complete -c aictx -n "__fish_aictx_using_subcommand repo; and __fish_seen_subcommand_from add" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand repo; and __fish_seen_subcommand_from add" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand repo; and __fish_seen_subcommand_from add" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand repo; and __fish_seen_subcommand_from add" -s h -l help -d 'Print help'
complete -c aictx -n "__fish_aictx_using_subcommand repo; and __fish_seen_subcommand_from list" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand repo; and __fish_seen_subcommand_from list" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand repo; and __fish_seen_subcommand_from list" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand repo; and __fish_seen_subcommand_from list" -s h -l help -d 'Print help'
complete -c aictx -n "__fish_aictx_using_subcommand repo; and __fish_seen_subcommand_from remove" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand repo; and __fish_seen_subcommand_from remove" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand repo; and __fish_seen_subcommand_from remove" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand repo; and __fish_seen_subcommand_from remove" -s h -l help -d 'Print help'
complete -c aictx -n "__fish_aictx_using_subcommand session; and not __fish_seen_subcommand_from list show" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand session; and not __fish_seen_subcommand_from list show" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand session; and not __fish_seen_subcommand_from list show" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand session; and not __fish_seen_subcommand_from list show" -s h -l help -d 'Print help'
complete -c aictx -n "__fish_aictx_using_subcommand session; and not __fish_seen_subcommand_from list show" -f -a "list" -d 'List the recorded sessions, newest first'
complete -c aictx -n "__fish_aictx_using_subcommand session; and not __fish_seen_subcommand_from list show" -f -a "show" -d 'Show one session: what it read, edited, ran and how it ended'
complete -c aictx -n "__fish_aictx_using_subcommand session; and __fish_seen_subcommand_from list" -l repo -d 'Repository, or a directory in it' -r -F
complete -c aictx -n "__fish_aictx_using_subcommand session; and __fish_seen_subcommand_from list" -s n -l limit -d 'At most this many' -r
complete -c aictx -n "__fish_aictx_using_subcommand session; and __fish_seen_subcommand_from list" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand session; and __fish_seen_subcommand_from list" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand session; and __fish_seen_subcommand_from list" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand session; and __fish_seen_subcommand_from list" -s h -l help -d 'Print help'
complete -c aictx -n "__fish_aictx_using_subcommand session; and __fish_seen_subcommand_from show" -l repo -d 'Repository, or a directory in it' -r -F
complete -c aictx -n "__fish_aictx_using_subcommand session; and __fish_seen_subcommand_from show" -l rows -d 'Include the ledger\'s rows, newest 500'
complete -c aictx -n "__fish_aictx_using_subcommand session; and __fish_seen_subcommand_from show" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand session; and __fish_seen_subcommand_from show" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand session; and __fish_seen_subcommand_from show" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand session; and __fish_seen_subcommand_from show" -s h -l help -d 'Print help'
complete -c aictx -n "__fish_aictx_using_subcommand daemon; and not __fish_seen_subcommand_from start stop restart status logs" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand daemon; and not __fish_seen_subcommand_from start stop restart status logs" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand daemon; and not __fish_seen_subcommand_from start stop restart status logs" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand daemon; and not __fish_seen_subcommand_from start stop restart status logs" -s h -l help -d 'Print help'
complete -c aictx -n "__fish_aictx_using_subcommand daemon; and not __fish_seen_subcommand_from start stop restart status logs" -f -a "start" -d 'Start the daemon unless it is running'
complete -c aictx -n "__fish_aictx_using_subcommand daemon; and not __fish_seen_subcommand_from start stop restart status logs" -f -a "stop" -d 'Stop the daemon; requests in flight are finished'
complete -c aictx -n "__fish_aictx_using_subcommand daemon; and not __fish_seen_subcommand_from start stop restart status logs" -f -a "restart" -d 'Stop the daemon, then start it'
complete -c aictx -n "__fish_aictx_using_subcommand daemon; and not __fish_seen_subcommand_from start stop restart status logs" -f -a "status" -d 'Show the daemon; exits with 3 when it is not running'
complete -c aictx -n "__fish_aictx_using_subcommand daemon; and not __fish_seen_subcommand_from start stop restart status logs" -f -a "logs" -d 'Show the end of the newest log file'
complete -c aictx -n "__fish_aictx_using_subcommand daemon; and __fish_seen_subcommand_from start" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand daemon; and __fish_seen_subcommand_from start" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand daemon; and __fish_seen_subcommand_from start" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand daemon; and __fish_seen_subcommand_from start" -s h -l help -d 'Print help'
complete -c aictx -n "__fish_aictx_using_subcommand daemon; and __fish_seen_subcommand_from stop" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand daemon; and __fish_seen_subcommand_from stop" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand daemon; and __fish_seen_subcommand_from stop" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand daemon; and __fish_seen_subcommand_from stop" -s h -l help -d 'Print help'
complete -c aictx -n "__fish_aictx_using_subcommand daemon; and __fish_seen_subcommand_from restart" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand daemon; and __fish_seen_subcommand_from restart" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand daemon; and __fish_seen_subcommand_from restart" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand daemon; and __fish_seen_subcommand_from restart" -s h -l help -d 'Print help'
complete -c aictx -n "__fish_aictx_using_subcommand daemon; and __fish_seen_subcommand_from status" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand daemon; and __fish_seen_subcommand_from status" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand daemon; and __fish_seen_subcommand_from status" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand daemon; and __fish_seen_subcommand_from status" -s h -l help -d 'Print help'
complete -c aictx -n "__fish_aictx_using_subcommand daemon; and __fish_seen_subcommand_from logs" -s n -l lines -d 'Lines' -r
complete -c aictx -n "__fish_aictx_using_subcommand daemon; and __fish_seen_subcommand_from logs" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand daemon; and __fish_seen_subcommand_from logs" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand daemon; and __fish_seen_subcommand_from logs" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand daemon; and __fish_seen_subcommand_from logs" -s h -l help -d 'Print help'
complete -c aictx -n "__fish_aictx_using_subcommand eval; and not __fish_seen_subcommand_from localize" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand eval; and not __fish_seen_subcommand_from localize" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand eval; and not __fish_seen_subcommand_from localize" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand eval; and not __fish_seen_subcommand_from localize" -s h -l help -d 'Print help'
complete -c aictx -n "__fish_aictx_using_subcommand eval; and not __fish_seen_subcommand_from localize" -f -a "localize" -d 'Ask the map of a past tree with the messages of later commits: does it name the files that they changed?'
complete -c aictx -n "__fish_aictx_using_subcommand eval; and __fish_seen_subcommand_from localize" -l repo -d 'Repository, or a directory in it' -r -F
complete -c aictx -n "__fish_aictx_using_subcommand eval; and __fish_seen_subcommand_from localize" -l commits -d 'Age of the tree in first-parent commits' -r
complete -c aictx -n "__fish_aictx_using_subcommand eval; and __fish_seen_subcommand_from localize" -l tasks -d 'At most this many tasks, in even steps over the later commits' -r
complete -c aictx -n "__fish_aictx_using_subcommand eval; and __fish_seen_subcommand_from localize" -l all -d 'Let every file count as an answer, not only sources and tests'
complete -c aictx -n "__fish_aictx_using_subcommand eval; and __fish_seen_subcommand_from localize" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand eval; and __fish_seen_subcommand_from localize" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand eval; and __fish_seen_subcommand_from localize" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand eval; and __fish_seen_subcommand_from localize" -s h -l help -d 'Print help'
complete -c aictx -n "__fish_aictx_using_subcommand signals; and not __fish_seen_subcommand_from parse" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand signals; and not __fish_seen_subcommand_from parse" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand signals; and not __fish_seen_subcommand_from parse" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand signals; and not __fish_seen_subcommand_from parse" -s h -l help -d 'Print help'
complete -c aictx -n "__fish_aictx_using_subcommand signals; and not __fish_seen_subcommand_from parse" -f -a "parse" -d 'Turn raw output on standard input into error events and test totals'
complete -c aictx -n "__fish_aictx_using_subcommand signals; and __fish_seen_subcommand_from parse" -l command -d 'Command that printed it' -r
complete -c aictx -n "__fish_aictx_using_subcommand signals; and __fish_seen_subcommand_from parse" -l exit-code -d 'Its exit status; left out when nobody knows, as behind a pipe' -r
complete -c aictx -n "__fish_aictx_using_subcommand signals; and __fish_seen_subcommand_from parse" -l repo -d 'Repository, or a directory in it' -r -F
complete -c aictx -n "__fish_aictx_using_subcommand signals; and __fish_seen_subcommand_from parse" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand signals; and __fish_seen_subcommand_from parse" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand signals; and __fish_seen_subcommand_from parse" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand signals; and __fish_seen_subcommand_from parse" -s h -l help -d 'Print help'
complete -c aictx -n "__fish_aictx_using_subcommand internal; and not __fish_seen_subcommand_from run-execution execution boot packet compact" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand internal; and not __fish_seen_subcommand_from run-execution execution boot packet compact" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand internal; and not __fish_seen_subcommand_from run-execution execution boot packet compact" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand internal; and not __fish_seen_subcommand_from run-execution execution boot packet compact" -s h -l help -d 'Print help'
complete -c aictx -n "__fish_aictx_using_subcommand internal; and not __fish_seen_subcommand_from run-execution execution boot packet compact" -f -a "run-execution" -d 'Run a command, show what it prints as it prints it, and record what became of it'
complete -c aictx -n "__fish_aictx_using_subcommand internal; and not __fish_seen_subcommand_from run-execution execution boot packet compact" -f -a "execution" -d 'Begin and end an execution that a wrapper observes itself'
complete -c aictx -n "__fish_aictx_using_subcommand internal; and not __fish_seen_subcommand_from run-execution execution boot packet compact" -f -a "boot" -d 'Show the state of a repository\'s memory and its preferences'
complete -c aictx -n "__fish_aictx_using_subcommand internal; and not __fish_seen_subcommand_from run-execution execution boot packet compact" -f -a "packet" -d 'The same as `aictx prepare`, as JSON'
complete -c aictx -n "__fish_aictx_using_subcommand internal; and not __fish_seen_subcommand_from run-execution execution boot packet compact" -f -a "compact" -d 'Say which rows of memory have become history, and move them to the archive'
complete -c aictx -n "__fish_aictx_using_subcommand internal; and __fish_seen_subcommand_from run-execution" -l task -d 'Goal that the command serves' -r
complete -c aictx -n "__fish_aictx_using_subcommand internal; and __fish_seen_subcommand_from run-execution" -l task-type -d 'Kind of task, when it is known' -r
complete -c aictx -n "__fish_aictx_using_subcommand internal; and __fish_seen_subcommand_from run-execution" -l execution-id -d 'Repeat-safe id; `auto` makes one' -r
complete -c aictx -n "__fish_aictx_using_subcommand internal; and __fish_seen_subcommand_from run-execution" -l timeout -d 'Stop it after this many seconds; it then ends with 124' -r
complete -c aictx -n "__fish_aictx_using_subcommand internal; and __fish_seen_subcommand_from run-execution" -l files-opened -d 'Files read' -r
complete -c aictx -n "__fish_aictx_using_subcommand internal; and __fish_seen_subcommand_from run-execution" -l files-edited -d 'Files written' -r
complete -c aictx -n "__fish_aictx_using_subcommand internal; and __fish_seen_subcommand_from run-execution" -l files-reopened -d 'Files read again' -r
complete -c aictx -n "__fish_aictx_using_subcommand internal; and __fish_seen_subcommand_from run-execution" -l commands-executed -d 'Commands run' -r
complete -c aictx -n "__fish_aictx_using_subcommand internal; and __fish_seen_subcommand_from run-execution" -l tests-executed -d 'Test runs' -r
complete -c aictx -n "__fish_aictx_using_subcommand internal; and __fish_seen_subcommand_from run-execution" -l notable-errors -d 'Errors that matter' -r
complete -c aictx -n "__fish_aictx_using_subcommand internal; and __fish_seen_subcommand_from run-execution" -l error-event-json -d 'Structured error, a JSON object; can be repeated' -r
complete -c aictx -n "__fish_aictx_using_subcommand internal; and __fish_seen_subcommand_from run-execution" -l work-state-json -d 'JSON object of members of the active task to change' -r
complete -c aictx -n "__fish_aictx_using_subcommand internal; and __fish_seen_subcommand_from run-execution" -l work-state-file -d 'File with such an object; --work-state-json overrides it' -r -F
complete -c aictx -n "__fish_aictx_using_subcommand internal; and __fish_seen_subcommand_from run-execution" -l execution-mode -d 'Executions by skill are not told apart' -r -f -a "plain\t''"
complete -c aictx -n "__fish_aictx_using_subcommand internal; and __fish_seen_subcommand_from run-execution" -l repo -d 'Repository, or a directory in it' -r -F
complete -c aictx -n "__fish_aictx_using_subcommand internal; and __fish_seen_subcommand_from run-execution" -l agent-id -d 'Agent' -r
complete -c aictx -n "__fish_aictx_using_subcommand internal; and __fish_seen_subcommand_from run-execution" -l adapter-id -d 'Adapter' -r
complete -c aictx -n "__fish_aictx_using_subcommand internal; and __fish_seen_subcommand_from run-execution" -l session-id -d 'Session' -r
complete -c aictx -n "__fish_aictx_using_subcommand internal; and __fish_seen_subcommand_from run-execution" -l validated-learning -d 'Count the work as proven when the command ends with 0'
complete -c aictx -n "__fish_aictx_using_subcommand internal; and __fish_seen_subcommand_from run-execution" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand internal; and __fish_seen_subcommand_from run-execution" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand internal; and __fish_seen_subcommand_from run-execution" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand internal; and __fish_seen_subcommand_from run-execution" -s h -l help -d 'Print help'
complete -c aictx -n "__fish_aictx_using_subcommand internal; and __fish_seen_subcommand_from execution" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand internal; and __fish_seen_subcommand_from execution" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand internal; and __fish_seen_subcommand_from execution" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand internal; and __fish_seen_subcommand_from execution" -s h -l help -d 'Print help'
complete -c aictx -n "__fish_aictx_using_subcommand internal; and __fish_seen_subcommand_from execution" -f -a "prepare" -d 'Begin an execution: print what `resume` knows, and what `finalize` needs to end it'
complete -c aictx -n "__fish_aictx_using_subcommand internal; and __fish_seen_subcommand_from execution" -f -a "finalize" -d 'End an execution that `prepare` began, and record it'
complete -c aictx -n "__fish_aictx_using_subcommand internal; and __fish_seen_subcommand_from boot" -l repo -d 'Repository, or a directory in it' -r -F
complete -c aictx -n "__fish_aictx_using_subcommand internal; and __fish_seen_subcommand_from boot" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand internal; and __fish_seen_subcommand_from boot" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand internal; and __fish_seen_subcommand_from boot" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand internal; and __fish_seen_subcommand_from boot" -s h -l help -d 'Print help'
complete -c aictx -n "__fish_aictx_using_subcommand internal; and __fish_seen_subcommand_from packet" -l task -d 'The goal' -r
complete -c aictx -n "__fish_aictx_using_subcommand internal; and __fish_seen_subcommand_from packet" -l task-type -d 'Kind of task, when it is known' -r
complete -c aictx -n "__fish_aictx_using_subcommand internal; and __fish_seen_subcommand_from packet" -l repo -d 'Repository, or a directory in it' -r -F
complete -c aictx -n "__fish_aictx_using_subcommand internal; and __fish_seen_subcommand_from packet" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand internal; and __fish_seen_subcommand_from packet" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand internal; and __fish_seen_subcommand_from packet" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand internal; and __fish_seen_subcommand_from packet" -s h -l help -d 'Print help'
complete -c aictx -n "__fish_aictx_using_subcommand internal; and __fish_seen_subcommand_from compact" -l repo -d 'Repository, or a directory in it' -r -F
complete -c aictx -n "__fish_aictx_using_subcommand internal; and __fish_seen_subcommand_from compact" -l apply -d 'Do it; otherwise it is only said'
complete -c aictx -n "__fish_aictx_using_subcommand internal; and __fish_seen_subcommand_from compact" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand internal; and __fish_seen_subcommand_from compact" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand internal; and __fish_seen_subcommand_from compact" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand internal; and __fish_seen_subcommand_from compact" -s h -l help -d 'Print help'
complete -c aictx -n "__fish_aictx_using_subcommand scrub" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand scrub" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand scrub" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand scrub" -s h -l help -d 'Print help'
complete -c aictx -n "__fish_aictx_using_subcommand version" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand version" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand version" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand version" -s h -l help -d 'Print help'
complete -c aictx -n "__fish_aictx_using_subcommand init" -l repo -d 'The same as PATH' -r -F
complete -c aictx -n "__fish_aictx_using_subcommand init" -l agents -d 'Agents, separated by commas; `none` for none [default: those that are there]' -r
complete -c aictx -n "__fish_aictx_using_subcommand init" -l mcp-profile -d 'Tools that the MCP server offers; has no effect with --no-mcp' -r -f -a "readonly\t'Only questions'
standard\t'Tools that agents need'
full\t'Everything'"
complete -c aictx -n "__fish_aictx_using_subcommand init" -l track -d 'Show git the tickets, too, so that they can be committed; `none` hides them again' -r -f -a "tickets\t''
none\t''"
complete -c aictx -n "__fish_aictx_using_subcommand init" -l no-mcp -d 'Leave out the MCP server'
complete -c aictx -n "__fish_aictx_using_subcommand init" -l replace-ancestor -d 'Take out what the Python program of the same name left in these files'
complete -c aictx -n "__fish_aictx_using_subcommand init" -l dry-run -d 'Show what would be written, and write nothing'
complete -c aictx -n "__fish_aictx_using_subcommand init" -s y -l yes -d 'Do not ask'
complete -c aictx -n "__fish_aictx_using_subcommand init" -l shared -d 'Write files that are meant for a commit: hooks and instructions for everybody who clones'
complete -c aictx -n "__fish_aictx_using_subcommand init" -l stealth -d 'Write nothing into the repository: what is remembered lies in your state directory, and hooks are those of `aictx install`'
complete -c aictx -n "__fish_aictx_using_subcommand init" -l portable-continuity -d 'Let what is remembered go through git: rules in .gitignore and .gitattributes that share handoffs, decisions, failures, strategies and tasks, and keep the rest here'
complete -c aictx -n "__fish_aictx_using_subcommand init" -l no-portable-continuity -d 'Keep what is remembered out of git, as without any choice'
complete -c aictx -n "__fish_aictx_using_subcommand init" -l no-gitignore -d 'Leave .gitignore alone, as without --portable-continuity'
complete -c aictx -n "__fish_aictx_using_subcommand init" -l no-register -d 'Leave the user\'s registry alone'
complete -c aictx -n "__fish_aictx_using_subcommand init" -l force -d 'Also where there is no git repository, as with --repo'
complete -c aictx -n "__fish_aictx_using_subcommand init" -l manual -d 'Asks nothing: --dry-run shows what would be written'
complete -c aictx -n "__fish_aictx_using_subcommand init" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand init" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand init" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand init" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c aictx -n "__fish_aictx_using_subcommand install" -l agents -d 'Agents, separated by commas; `none` for none [default: those that are there]' -r
complete -c aictx -n "__fish_aictx_using_subcommand install" -l mcp-profile -d 'Tools that the MCP server offers; has no effect with --no-mcp' -r -f -a "readonly\t'Only questions'
standard\t'Tools that agents need'
full\t'Everything'"
complete -c aictx -n "__fish_aictx_using_subcommand install" -l workspace-root -d 'There are no workspaces: each repository registers itself' -r -F
complete -c aictx -n "__fish_aictx_using_subcommand install" -l workspace-id -d 'See `workspace_root`' -r
complete -c aictx -n "__fish_aictx_using_subcommand install" -l cross-project-mode -d 'Memory never crosses repositories' -r
complete -c aictx -n "__fish_aictx_using_subcommand install" -l no-mcp -d 'Leave out the MCP server'
complete -c aictx -n "__fish_aictx_using_subcommand install" -l replace-ancestor -d 'Take out what the Python program of the same name left in these files'
complete -c aictx -n "__fish_aictx_using_subcommand install" -l dry-run -d 'Show what would be written, and write nothing'
complete -c aictx -n "__fish_aictx_using_subcommand install" -s y -l yes -d 'Do not ask'
complete -c aictx -n "__fish_aictx_using_subcommand install" -l install-codex-global -d 'Register Codex even when it is not found. Without it Codex is registered when it is found, like every other agent: its hooks are the user\'s, and a repository cannot bring its own'
complete -c aictx -n "__fish_aictx_using_subcommand install" -l with-repomap -d 'Every repository has a map'
complete -c aictx -n "__fish_aictx_using_subcommand install" -l manual -d 'Asks before it writes, as it does anyway where a person can answer'
complete -c aictx -n "__fish_aictx_using_subcommand install" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand install" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand install" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand install" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c aictx -n "__fish_aictx_using_subcommand resume" -l repo -d 'Repository, or a directory in it' -r -F
complete -c aictx -n "__fish_aictx_using_subcommand resume" -l task -d 'Task of the session' -r
complete -c aictx -n "__fish_aictx_using_subcommand resume" -l task-type -d 'Kind of task, when it is known' -r
complete -c aictx -n "__fish_aictx_using_subcommand resume" -l agent-id -d 'Agent' -r
complete -c aictx -n "__fish_aictx_using_subcommand resume" -l adapter-id -d 'Adapter' -r
complete -c aictx -n "__fish_aictx_using_subcommand resume" -l session-id -d 'Session' -r
complete -c aictx -n "__fish_aictx_using_subcommand resume" -l full -d 'Longer lists'
complete -c aictx -n "__fish_aictx_using_subcommand resume" -l brief -d 'The short form'
complete -c aictx -n "__fish_aictx_using_subcommand resume" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand resume" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand resume" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand resume" -s h -l help -d 'Print help'
complete -c aictx -n "__fish_aictx_using_subcommand finalize" -l repo -d 'Repository, or a directory in it [default: .]' -r -F
complete -c aictx -n "__fish_aictx_using_subcommand finalize" -l status -d 'Outcome' -r -f -a "success\t'It is done'
failure\t'It is not'"
complete -c aictx -n "__fish_aictx_using_subcommand finalize" -l summary -d 'Summary of the work' -r
complete -c aictx -n "__fish_aictx_using_subcommand finalize" -l task -d 'The goal [default: the session\'s request, else the summary]' -r
complete -c aictx -n "__fish_aictx_using_subcommand finalize" -l request -d 'Former name of --task' -r
complete -c aictx -n "__fish_aictx_using_subcommand finalize" -l task-type -d 'Kind of task, when it is known' -r
complete -c aictx -n "__fish_aictx_using_subcommand finalize" -l files-opened -d 'Files read' -r
complete -c aictx -n "__fish_aictx_using_subcommand finalize" -l files-edited -d 'Files written' -r
complete -c aictx -n "__fish_aictx_using_subcommand finalize" -l commands-executed -d 'Commands run' -r
complete -c aictx -n "__fish_aictx_using_subcommand finalize" -l tests-executed -d 'Test runs' -r
complete -c aictx -n "__fish_aictx_using_subcommand finalize" -l notable-errors -d 'Errors that matter' -r
complete -c aictx -n "__fish_aictx_using_subcommand finalize" -l error -d 'One more error that matters' -r
complete -c aictx -n "__fish_aictx_using_subcommand finalize" -l error-event-json -d 'Structured error, a JSON object' -r
complete -c aictx -n "__fish_aictx_using_subcommand finalize" -l output-file -d 'File with what the last command printed; its errors are read from it' -r -F
complete -c aictx -n "__fish_aictx_using_subcommand finalize" -l next-step -d 'Next step; can be repeated' -r
complete -c aictx -n "__fish_aictx_using_subcommand finalize" -l blocked -d 'Blocker; can be repeated' -r
complete -c aictx -n "__fish_aictx_using_subcommand finalize" -l risk -d 'Risk; can be repeated' -r
complete -c aictx -n "__fish_aictx_using_subcommand finalize" -l decision-json -d 'Decision taken, a JSON object with `decision`, `rationale`, …' -r
complete -c aictx -n "__fish_aictx_using_subcommand finalize" -l semantic-json -d 'Part of the repository described, a JSON object with `name`, `description`, `key_paths`, …' -r
complete -c aictx -n "__fish_aictx_using_subcommand finalize" -l work-state-json -d 'JSON object of members of the active task to change' -r
complete -c aictx -n "__fish_aictx_using_subcommand finalize" -l resolved-failure -d 'Failure that is resolved now' -r
complete -c aictx -n "__fish_aictx_using_subcommand finalize" -l execution-id -d 'Repeat-safe id: the same id a second time changes nothing' -r
complete -c aictx -n "__fish_aictx_using_subcommand finalize" -l from-file -d 'JSON document, its members named in the plural where options repeat: `next_steps`, `decisions`, `semantic_updates`, `work_state` … (`-` for standard input); options are added to it' -r -F
complete -c aictx -n "__fish_aictx_using_subcommand finalize" -l agent-id -d 'Agent' -r
complete -c aictx -n "__fish_aictx_using_subcommand finalize" -l adapter-id -d 'Adapter' -r
complete -c aictx -n "__fish_aictx_using_subcommand finalize" -l session-id -d 'Session' -r
complete -c aictx -n "__fish_aictx_using_subcommand finalize" -l validated-learning -d 'The work is proven, beyond the observations'
complete -c aictx -n "__fish_aictx_using_subcommand finalize" -l include-view -d 'Write what is remembered into .aictx/reports, as `aictx view` does'
complete -c aictx -n "__fish_aictx_using_subcommand finalize" -l online-view -d 'Has no effect; nothing is published'
complete -c aictx -n "__fish_aictx_using_subcommand finalize" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand finalize" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand finalize" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand finalize" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c aictx -n "__fish_aictx_using_subcommand recall" -l kind -d 'Only of this kind; can be repeated' -r -f -a "handoff\t''
decision\t''
failure\t''
strategy\t''
task\t''
note\t''
imported\t''
area\t''
commit\t''"
complete -c aictx -n "__fish_aictx_using_subcommand recall" -l since -d 'Only what is not older than this date' -r
complete -c aictx -n "__fish_aictx_using_subcommand recall" -l file -d 'Only what has to do with this file' -r
complete -c aictx -n "__fish_aictx_using_subcommand recall" -l branch -d 'Only of this branch' -r
complete -c aictx -n "__fish_aictx_using_subcommand recall" -l agent -d 'Only of this agent' -r
complete -c aictx -n "__fish_aictx_using_subcommand recall" -s n -l limit -d 'At most this many' -r
complete -c aictx -n "__fish_aictx_using_subcommand recall" -l repo -d 'Repository, or a directory in it' -r -F
complete -c aictx -n "__fish_aictx_using_subcommand recall" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand recall" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand recall" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand recall" -s h -l help -d 'Print help'
complete -c aictx -n "__fish_aictx_using_subcommand remember" -l why -d 'Why' -r
complete -c aictx -n "__fish_aictx_using_subcommand remember" -l file -d 'A file that it governs; can be repeated' -r
complete -c aictx -n "__fish_aictx_using_subcommand remember" -l repo -d 'Repository, or a directory in it' -r -F
complete -c aictx -n "__fish_aictx_using_subcommand remember" -l agent-id -d 'Agent' -r
complete -c aictx -n "__fish_aictx_using_subcommand remember" -l adapter-id -d 'Adapter' -r
complete -c aictx -n "__fish_aictx_using_subcommand remember" -l session-id -d 'Session' -r
complete -c aictx -n "__fish_aictx_using_subcommand remember" -l rule -d 'Remember it as a rule of yours, which every session is told'
complete -c aictx -n "__fish_aictx_using_subcommand remember" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand remember" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand remember" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand remember" -s h -l help -d 'Print help'
complete -c aictx -n "__fish_aictx_using_subcommand task; and not __fish_seen_subcommand_from start status list show update resume close" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand task; and not __fish_seen_subcommand_from start status list show update resume close" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand task; and not __fish_seen_subcommand_from start status list show update resume close" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand task; and not __fish_seen_subcommand_from start status list show update resume close" -s h -l help -d 'Print help'
complete -c aictx -n "__fish_aictx_using_subcommand task; and not __fish_seen_subcommand_from start status list show update resume close" -f -a "start" -d 'Start a task and make it the active one here'
complete -c aictx -n "__fish_aictx_using_subcommand task; and not __fish_seen_subcommand_from start status list show update resume close" -f -a "status" -d 'Show the task that is active in this worktree, on this branch'
complete -c aictx -n "__fish_aictx_using_subcommand task; and not __fish_seen_subcommand_from start status list show update resume close" -f -a "list" -d 'List tasks, changed last first'
complete -c aictx -n "__fish_aictx_using_subcommand task; and not __fish_seen_subcommand_from start status list show update resume close" -f -a "show" -d 'Show one task'
complete -c aictx -n "__fish_aictx_using_subcommand task; and not __fish_seen_subcommand_from start status list show update resume close" -f -a "update" -d 'Change a task'
complete -c aictx -n "__fish_aictx_using_subcommand task; and not __fish_seen_subcommand_from start status list show update resume close" -f -a "resume" -d 'Make a task the active one here'
complete -c aictx -n "__fish_aictx_using_subcommand task; and not __fish_seen_subcommand_from start status list show update resume close" -f -a "close" -d 'Close a task; others stay as they are'
complete -c aictx -n "__fish_aictx_using_subcommand task; and __fish_seen_subcommand_from start" -l task-id -d 'Its id [default: made of the goal]' -r
complete -c aictx -n "__fish_aictx_using_subcommand task; and __fish_seen_subcommand_from start" -l initial-json -d 'JSON object of members to begin with' -r
complete -c aictx -n "__fish_aictx_using_subcommand task; and __fish_seen_subcommand_from start" -l repo -d 'Repository, or a directory in it' -r -F
complete -c aictx -n "__fish_aictx_using_subcommand task; and __fish_seen_subcommand_from start" -l agent-id -d 'Agent' -r
complete -c aictx -n "__fish_aictx_using_subcommand task; and __fish_seen_subcommand_from start" -l adapter-id -d 'Adapter' -r
complete -c aictx -n "__fish_aictx_using_subcommand task; and __fish_seen_subcommand_from start" -l session-id -d 'Session' -r
complete -c aictx -n "__fish_aictx_using_subcommand task; and __fish_seen_subcommand_from start" -l force -d 'Begin anew where there is such a task already'
complete -c aictx -n "__fish_aictx_using_subcommand task; and __fish_seen_subcommand_from start" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand task; and __fish_seen_subcommand_from start" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand task; and __fish_seen_subcommand_from start" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand task; and __fish_seen_subcommand_from start" -s h -l help -d 'Print help'
complete -c aictx -n "__fish_aictx_using_subcommand task; and __fish_seen_subcommand_from status" -l repo -d 'Repository, or a directory in it' -r -F
complete -c aictx -n "__fish_aictx_using_subcommand task; and __fish_seen_subcommand_from status" -l all -d 'Show all tasks'
complete -c aictx -n "__fish_aictx_using_subcommand task; and __fish_seen_subcommand_from status" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand task; and __fish_seen_subcommand_from status" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand task; and __fish_seen_subcommand_from status" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand task; and __fish_seen_subcommand_from status" -s h -l help -d 'Print help'
complete -c aictx -n "__fish_aictx_using_subcommand task; and __fish_seen_subcommand_from list" -l repo -d 'Repository, or a directory in it' -r -F
complete -c aictx -n "__fish_aictx_using_subcommand task; and __fish_seen_subcommand_from list" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand task; and __fish_seen_subcommand_from list" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand task; and __fish_seen_subcommand_from list" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand task; and __fish_seen_subcommand_from list" -s h -l help -d 'Print help'
complete -c aictx -n "__fish_aictx_using_subcommand task; and __fish_seen_subcommand_from show" -l repo -d 'Repository, or a directory in it' -r -F
complete -c aictx -n "__fish_aictx_using_subcommand task; and __fish_seen_subcommand_from show" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand task; and __fish_seen_subcommand_from show" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand task; and __fish_seen_subcommand_from show" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand task; and __fish_seen_subcommand_from show" -s h -l help -d 'Print help'
complete -c aictx -n "__fish_aictx_using_subcommand task; and __fish_seen_subcommand_from update" -l task-id -d 'Id [default: the active one]' -r
complete -c aictx -n "__fish_aictx_using_subcommand task; and __fish_seen_subcommand_from update" -l json-patch -d 'JSON object of members to change; lists take {"add": […], "remove": […], "set": […]}' -r
complete -c aictx -n "__fish_aictx_using_subcommand task; and __fish_seen_subcommand_from update" -l from-file -d 'File with such an object (`-` for standard input); --json-patch overrides it' -r -F
complete -c aictx -n "__fish_aictx_using_subcommand task; and __fish_seen_subcommand_from update" -l repo -d 'Repository, or a directory in it' -r -F
complete -c aictx -n "__fish_aictx_using_subcommand task; and __fish_seen_subcommand_from update" -l agent-id -d 'Agent' -r
complete -c aictx -n "__fish_aictx_using_subcommand task; and __fish_seen_subcommand_from update" -l adapter-id -d 'Adapter' -r
complete -c aictx -n "__fish_aictx_using_subcommand task; and __fish_seen_subcommand_from update" -l session-id -d 'Session' -r
complete -c aictx -n "__fish_aictx_using_subcommand task; and __fish_seen_subcommand_from update" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand task; and __fish_seen_subcommand_from update" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand task; and __fish_seen_subcommand_from update" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand task; and __fish_seen_subcommand_from update" -s h -l help -d 'Print help'
complete -c aictx -n "__fish_aictx_using_subcommand task; and __fish_seen_subcommand_from resume" -l repo -d 'Repository, or a directory in it' -r -F
complete -c aictx -n "__fish_aictx_using_subcommand task; and __fish_seen_subcommand_from resume" -l agent-id -d 'Agent' -r
complete -c aictx -n "__fish_aictx_using_subcommand task; and __fish_seen_subcommand_from resume" -l adapter-id -d 'Adapter' -r
complete -c aictx -n "__fish_aictx_using_subcommand task; and __fish_seen_subcommand_from resume" -l session-id -d 'Session' -r
complete -c aictx -n "__fish_aictx_using_subcommand task; and __fish_seen_subcommand_from resume" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand task; and __fish_seen_subcommand_from resume" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand task; and __fish_seen_subcommand_from resume" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand task; and __fish_seen_subcommand_from resume" -s h -l help -d 'Print help'
complete -c aictx -n "__fish_aictx_using_subcommand task; and __fish_seen_subcommand_from close" -l task-id -d 'Id [default: the active one]' -r
complete -c aictx -n "__fish_aictx_using_subcommand task; and __fish_seen_subcommand_from close" -l status -d 'Final status' -r -f -a "resolved\t'It is done'
abandoned\t'It will not be done'
blocked\t'Something stands in the way'
paused\t'It goes on later'"
complete -c aictx -n "__fish_aictx_using_subcommand task; and __fish_seen_subcommand_from close" -l json-patch -d 'JSON object of members to change; lists take {"add": […], "remove": […], "set": […]}' -r
complete -c aictx -n "__fish_aictx_using_subcommand task; and __fish_seen_subcommand_from close" -l from-file -d 'File with such an object (`-` for standard input); --json-patch overrides it' -r -F
complete -c aictx -n "__fish_aictx_using_subcommand task; and __fish_seen_subcommand_from close" -l repo -d 'Repository, or a directory in it' -r -F
complete -c aictx -n "__fish_aictx_using_subcommand task; and __fish_seen_subcommand_from close" -l agent-id -d 'Agent' -r
complete -c aictx -n "__fish_aictx_using_subcommand task; and __fish_seen_subcommand_from close" -l adapter-id -d 'Adapter' -r
complete -c aictx -n "__fish_aictx_using_subcommand task; and __fish_seen_subcommand_from close" -l session-id -d 'Session' -r
complete -c aictx -n "__fish_aictx_using_subcommand task; and __fish_seen_subcommand_from close" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand task; and __fish_seen_subcommand_from close" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand task; and __fish_seen_subcommand_from close" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand task; and __fish_seen_subcommand_from close" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and not __fish_seen_subcommand_from list show new insert move edit set done reopen rm lint fmt ready next claim release import" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and not __fish_seen_subcommand_from list show new insert move edit set done reopen rm lint fmt ready next claim release import" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and not __fish_seen_subcommand_from list show new insert move edit set done reopen rm lint fmt ready next claim release import" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and not __fish_seen_subcommand_from list show new insert move edit set done reopen rm lint fmt ready next claim release import" -s h -l help -d 'Print help'
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and not __fish_seen_subcommand_from list show new insert move edit set done reopen rm lint fmt ready next claim release import" -f -a "list" -d 'List tickets in order'
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and not __fish_seen_subcommand_from list show new insert move edit set done reopen rm lint fmt ready next claim release import" -f -a "show" -d 'Show one ticket, even a broken one'
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and not __fish_seen_subcommand_from list show new insert move edit set done reopen rm lint fmt ready next claim release import" -f -a "new" -d 'Write a ticket behind the last one'
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and not __fish_seen_subcommand_from list show new insert move edit set done reopen rm lint fmt ready next claim release import" -f -a "insert" -d 'Free numbers in the queue; with --title, write a ticket there'
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and not __fish_seen_subcommand_from list show new insert move edit set done reopen rm lint fmt ready next claim release import" -f -a "move" -d 'Move tickets to another position; all are numbered anew from 1'
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and not __fish_seen_subcommand_from list show new insert move edit set done reopen rm lint fmt ready next claim release import" -f -a "edit" -d 'Edit a ticket\'s text: in $VISUAL or $EDITOR, or from a file'
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and not __fish_seen_subcommand_from list show new insert move edit set done reopen rm lint fmt ready next claim release import" -f -a "set" -d 'Set fields: key=value; a list takes its key several times, `key=` removes it'
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and not __fish_seen_subcommand_from list show new insert move edit set done reopen rm lint fmt ready next claim release import" -f -a "done" -d 'Mark a ticket as done, and close the work on it'
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and not __fish_seen_subcommand_from list show new insert move edit set done reopen rm lint fmt ready next claim release import" -f -a "reopen" -d 'Mark a ticket as not done'
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and not __fish_seen_subcommand_from list show new insert move edit set done reopen rm lint fmt ready next claim release import" -f -a "rm" -d 'Remove a ticket\'s file'
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and not __fish_seen_subcommand_from list show new insert move edit set done reopen rm lint fmt ready next claim release import" -f -a "lint" -d 'Check all tickets; exits with 1 when work cannot start'
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and not __fish_seen_subcommand_from list show new insert move edit set done reopen rm lint fmt ready next claim release import" -f -a "fmt" -d 'Bring tickets into the usual spelling, without touching anything else'
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and not __fish_seen_subcommand_from list show new insert move edit set done reopen rm lint fmt ready next claim release import" -f -a "ready" -d 'Show which tickets could be worked on now, and what the others wait for'
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and not __fish_seen_subcommand_from list show new insert move edit set done reopen rm lint fmt ready next claim release import" -f -a "next" -d 'Show the ticket claimed here, else the next one'
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and not __fish_seen_subcommand_from list show new insert move edit set done reopen rm lint fmt ready next claim release import" -f -a "claim" -d 'Claim a ticket: it becomes the task of this worktree and branch'
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and not __fish_seen_subcommand_from list show new insert move edit set done reopen rm lint fmt ready next claim release import" -f -a "release" -d 'Let go of a claimed ticket'
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and not __fish_seen_subcommand_from list show new insert move edit set done reopen rm lint fmt ready next claim release import" -f -a "import" -d 'Import tickets from a folder, a zip or a codex-autorunner repository'
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and __fish_seen_subcommand_from list" -l repo -d 'Repository, or a directory in it' -r -F
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and __fish_seen_subcommand_from list" -l open -d 'Only those that are not done'
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and __fish_seen_subcommand_from list" -l done -d 'Only those that are done'
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and __fish_seen_subcommand_from list" -l ready -d 'Only those that could be worked on now'
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and __fish_seen_subcommand_from list" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and __fish_seen_subcommand_from list" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and __fish_seen_subcommand_from list" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and __fish_seen_subcommand_from list" -s h -l help -d 'Print help'
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and __fish_seen_subcommand_from show" -l repo -d 'Repository, or a directory in it' -r -F
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and __fish_seen_subcommand_from show" -l raw -d 'Print the file and nothing else'
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and __fish_seen_subcommand_from show" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and __fish_seen_subcommand_from show" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and __fish_seen_subcommand_from show" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and __fish_seen_subcommand_from show" -s h -l help -d 'Print help'
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and __fish_seen_subcommand_from new" -l title -d 'Title' -r
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and __fish_seen_subcommand_from new" -l at -d 'Number, which must be free' -r
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and __fish_seen_subcommand_from new" -l agent -d 'Agent [default: codex]; `user` for yourself' -r
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and __fish_seen_subcommand_from new" -l goal -d 'Goal in a line' -r
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and __fish_seen_subcommand_from new" -l after -d 'Ticket that must be done before; can be repeated' -r
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and __fish_seen_subcommand_from new" -l verify -d 'Command that checks the work; can be repeated' -r
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and __fish_seen_subcommand_from new" -l scope -d 'Pattern of paths that the work may change; can be repeated' -r
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and __fish_seen_subcommand_from new" -l body-file -d 'File with the text below the frontmatter (`-` for standard input)' -r -F
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and __fish_seen_subcommand_from new" -l repo -d 'Repository, or a directory in it' -r -F
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and __fish_seen_subcommand_from new" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and __fish_seen_subcommand_from new" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and __fish_seen_subcommand_from new" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and __fish_seen_subcommand_from new" -s h -l help -d 'Print help'
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and __fish_seen_subcommand_from insert" -l before -d 'Before this number' -r
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and __fish_seen_subcommand_from insert" -l after -d 'Behind this number' -r
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and __fish_seen_subcommand_from insert" -l count -d 'Count of numbers' -r
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and __fish_seen_subcommand_from insert" -l title -d 'Title' -r
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and __fish_seen_subcommand_from insert" -l agent -d 'Agent [default: codex]' -r
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and __fish_seen_subcommand_from insert" -l repo -d 'Repository, or a directory in it' -r -F
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and __fish_seen_subcommand_from insert" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and __fish_seen_subcommand_from insert" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and __fish_seen_subcommand_from insert" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and __fish_seen_subcommand_from insert" -s h -l help -d 'Print help'
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and __fish_seen_subcommand_from move" -l start -d 'Number of the first one' -r
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and __fish_seen_subcommand_from move" -l end -d 'Number of the last one [default: the first]' -r
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and __fish_seen_subcommand_from move" -l to -d 'Position among the others, from 1' -r
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and __fish_seen_subcommand_from move" -l repo -d 'Repository, or a directory in it' -r -F
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and __fish_seen_subcommand_from move" -l keep-gaps -d 'Keep the numbers that there are'
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and __fish_seen_subcommand_from move" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and __fish_seen_subcommand_from move" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and __fish_seen_subcommand_from move" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and __fish_seen_subcommand_from move" -s h -l help -d 'Print help'
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and __fish_seen_subcommand_from edit" -l from-file -d 'File with the whole new text (`-` for standard input)' -r -F
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and __fish_seen_subcommand_from edit" -l body-file -d 'File with the new text below the frontmatter (`-` for standard input)' -r -F
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and __fish_seen_subcommand_from edit" -l repo -d 'Repository, or a directory in it' -r -F
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and __fish_seen_subcommand_from edit" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and __fish_seen_subcommand_from edit" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and __fish_seen_subcommand_from edit" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and __fish_seen_subcommand_from edit" -s h -l help -d 'Print help'
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and __fish_seen_subcommand_from set" -l repo -d 'Repository, or a directory in it' -r -F
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and __fish_seen_subcommand_from set" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and __fish_seen_subcommand_from set" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and __fish_seen_subcommand_from set" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and __fish_seen_subcommand_from set" -s h -l help -d 'Print help'
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and __fish_seen_subcommand_from done" -l evidence -d 'Proof that it is done' -r
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and __fish_seen_subcommand_from done" -l as -d 'Act for this holder [default: the agent that calls]' -r
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and __fish_seen_subcommand_from done" -l claim -d 'The claim, as `claim` printed it' -r
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and __fish_seen_subcommand_from done" -l repo -d 'Repository, or a directory in it' -r -F
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and __fish_seen_subcommand_from done" -l agent-id -d 'Agent' -r
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and __fish_seen_subcommand_from done" -l adapter-id -d 'Adapter' -r
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and __fish_seen_subcommand_from done" -l session-id -d 'Session' -r
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and __fish_seen_subcommand_from done" -l force -d 'Also where somebody else has claimed the ticket'
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and __fish_seen_subcommand_from done" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and __fish_seen_subcommand_from done" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and __fish_seen_subcommand_from done" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and __fish_seen_subcommand_from done" -s h -l help -d 'Print help'
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and __fish_seen_subcommand_from reopen" -l repo -d 'Repository, or a directory in it' -r -F
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and __fish_seen_subcommand_from reopen" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and __fish_seen_subcommand_from reopen" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and __fish_seen_subcommand_from reopen" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and __fish_seen_subcommand_from reopen" -s h -l help -d 'Print help'
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and __fish_seen_subcommand_from rm" -l repo -d 'Repository, or a directory in it' -r -F
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and __fish_seen_subcommand_from rm" -l force -d 'Also when it is claimed, or others wait for it'
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and __fish_seen_subcommand_from rm" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and __fish_seen_subcommand_from rm" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and __fish_seen_subcommand_from rm" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and __fish_seen_subcommand_from rm" -s h -l help -d 'Print help'
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and __fish_seen_subcommand_from lint" -l gate -d 'Check all that must be right to start, or only what stops a run under way' -r -f -a "start\t''
run\t''"
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and __fish_seen_subcommand_from lint" -l repo -d 'Repository, or a directory in it' -r -F
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and __fish_seen_subcommand_from lint" -l fix -d 'Repair what can be repaired without a guess'
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and __fish_seen_subcommand_from lint" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and __fish_seen_subcommand_from lint" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and __fish_seen_subcommand_from lint" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and __fish_seen_subcommand_from lint" -s h -l help -d 'Print help'
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and __fish_seen_subcommand_from fmt" -l repo -d 'Repository, or a directory in it' -r -F
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and __fish_seen_subcommand_from fmt" -l check -d 'Write nothing; exit with 1 when something would change'
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and __fish_seen_subcommand_from fmt" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and __fish_seen_subcommand_from fmt" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and __fish_seen_subcommand_from fmt" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and __fish_seen_subcommand_from fmt" -s h -l help -d 'Print help'
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and __fish_seen_subcommand_from ready" -l repo -d 'Repository, or a directory in it' -r -F
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and __fish_seen_subcommand_from ready" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and __fish_seen_subcommand_from ready" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and __fish_seen_subcommand_from ready" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and __fish_seen_subcommand_from ready" -s h -l help -d 'Print help'
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and __fish_seen_subcommand_from next" -l repo -d 'Repository, or a directory in it' -r -F
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and __fish_seen_subcommand_from next" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and __fish_seen_subcommand_from next" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and __fish_seen_subcommand_from next" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and __fish_seen_subcommand_from next" -s h -l help -d 'Print help'
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and __fish_seen_subcommand_from claim" -l as -d 'Claim for this holder [default: the agent that calls]' -r
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and __fish_seen_subcommand_from claim" -l repo -d 'Repository, or a directory in it' -r -F
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and __fish_seen_subcommand_from claim" -l agent-id -d 'Agent' -r
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and __fish_seen_subcommand_from claim" -l adapter-id -d 'Adapter' -r
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and __fish_seen_subcommand_from claim" -l session-id -d 'Session' -r
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and __fish_seen_subcommand_from claim" -l force -d 'Take it from whoever has claimed it'
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and __fish_seen_subcommand_from claim" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and __fish_seen_subcommand_from claim" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and __fish_seen_subcommand_from claim" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and __fish_seen_subcommand_from claim" -s h -l help -d 'Print help'
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and __fish_seen_subcommand_from release" -l as -d 'Act for this holder [default: the agent that calls]' -r
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and __fish_seen_subcommand_from release" -l claim -d 'The claim, as `claim` printed it' -r
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and __fish_seen_subcommand_from release" -l repo -d 'Repository, or a directory in it' -r -F
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and __fish_seen_subcommand_from release" -l agent-id -d 'Agent' -r
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and __fish_seen_subcommand_from release" -l adapter-id -d 'Adapter' -r
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and __fish_seen_subcommand_from release" -l session-id -d 'Session' -r
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and __fish_seen_subcommand_from release" -l force -d 'Also where somebody else has claimed the ticket'
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and __fish_seen_subcommand_from release" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and __fish_seen_subcommand_from release" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and __fish_seen_subcommand_from release" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and __fish_seen_subcommand_from release" -s h -l help -d 'Print help'
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and __fish_seen_subcommand_from import" -l agent -d 'Give all of them to this agent' -r
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and __fish_seen_subcommand_from import" -l repo -d 'Repository, or a directory in it' -r -F
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and __fish_seen_subcommand_from import" -l dry-run -d 'Show what would be imported, and write nothing'
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and __fish_seen_subcommand_from import" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and __fish_seen_subcommand_from import" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and __fish_seen_subcommand_from import" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand ticket; and __fish_seen_subcommand_from import" -s h -l help -d 'Print help'
complete -c aictx -n "__fish_aictx_using_subcommand flow; and not __fish_seen_subcommand_from preflight start status watch pause resume stop say reply inbox log diff restore recover retire cost" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand flow; and not __fish_seen_subcommand_from preflight start status watch pause resume stop say reply inbox log diff restore recover retire cost" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand flow; and not __fish_seen_subcommand_from preflight start status watch pause resume stop say reply inbox log diff restore recover retire cost" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand flow; and not __fish_seen_subcommand_from preflight start status watch pause resume stop say reply inbox log diff restore recover retire cost" -s h -l help -d 'Print help'
complete -c aictx -n "__fish_aictx_using_subcommand flow; and not __fish_seen_subcommand_from preflight start status watch pause resume stop say reply inbox log diff restore recover retire cost" -f -a "preflight" -d 'Check whether a flow could start'
complete -c aictx -n "__fish_aictx_using_subcommand flow; and not __fish_seen_subcommand_from preflight start status watch pause resume stop say reply inbox log diff restore recover retire cost" -f -a "start" -d 'Let agents work off the tickets'
complete -c aictx -n "__fish_aictx_using_subcommand flow; and not __fish_seen_subcommand_from preflight start status watch pause resume stop say reply inbox log diff restore recover retire cost" -f -a "status" -d 'Show where a flow stands'
complete -c aictx -n "__fish_aictx_using_subcommand flow; and not __fish_seen_subcommand_from preflight start status watch pause resume stop say reply inbox log diff restore recover retire cost" -f -a "watch" -d 'Follow a flow until it ends'
complete -c aictx -n "__fish_aictx_using_subcommand flow; and not __fish_seen_subcommand_from preflight start status watch pause resume stop say reply inbox log diff restore recover retire cost" -f -a "pause" -d 'Pause a flow after the turn under way'
complete -c aictx -n "__fish_aictx_using_subcommand flow; and not __fish_seen_subcommand_from preflight start status watch pause resume stop say reply inbox log diff restore recover retire cost" -f -a "resume" -d 'Let a flow go on'
complete -c aictx -n "__fish_aictx_using_subcommand flow; and not __fish_seen_subcommand_from preflight start status watch pause resume stop say reply inbox log diff restore recover retire cost" -f -a "stop" -d 'Stop a flow after the turn under way'
complete -c aictx -n "__fish_aictx_using_subcommand flow; and not __fish_seen_subcommand_from preflight start status watch pause resume stop say reply inbox log diff restore recover retire cost" -f -a "say" -d 'Tell the agents something with the next prompt'
complete -c aictx -n "__fish_aictx_using_subcommand flow; and not __fish_seen_subcommand_from preflight start status watch pause resume stop say reply inbox log diff restore recover retire cost" -f -a "reply" -d 'Answer the question of a flow and let it go on'
complete -c aictx -n "__fish_aictx_using_subcommand flow; and not __fish_seen_subcommand_from preflight start status watch pause resume stop say reply inbox log diff restore recover retire cost" -f -a "inbox" -d 'List the questions of all flows, or dismiss one'
complete -c aictx -n "__fish_aictx_using_subcommand flow; and not __fish_seen_subcommand_from preflight start status watch pause resume stop say reply inbox log diff restore recover retire cost" -f -a "log" -d 'Show turns, events, prompts and output'
complete -c aictx -n "__fish_aictx_using_subcommand flow; and not __fish_seen_subcommand_from preflight start status watch pause resume stop say reply inbox log diff restore recover retire cost" -f -a "diff" -d 'Show what a turn, or the whole flow, changed'
complete -c aictx -n "__fish_aictx_using_subcommand flow; and not __fish_seen_subcommand_from preflight start status watch pause resume stop say reply inbox log diff restore recover retire cost" -f -a "restore" -d 'Make a branch of the worktree as it was before a turn'
complete -c aictx -n "__fish_aictx_using_subcommand flow; and not __fish_seen_subcommand_from preflight start status watch pause resume stop say reply inbox log diff restore recover retire cost" -f -a "recover" -d 'Take up flows that nobody works on, and rebuild what was lost'
complete -c aictx -n "__fish_aictx_using_subcommand flow; and not __fish_seen_subcommand_from preflight start status watch pause resume stop say reply inbox log diff restore recover retire cost" -f -a "retire" -d 'Remove turns, checkpoints and files of a flow that has ended'
complete -c aictx -n "__fish_aictx_using_subcommand flow; and not __fish_seen_subcommand_from preflight start status watch pause resume stop say reply inbox log diff restore recover retire cost" -f -a "cost" -d 'Sum up turns, tokens, cost and time by ticket'
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from preflight" -l driver -d 'Driver of every ticket: claude, codex, gemini, opencode, copilot or command [default: the ticket\'s agent]' -r
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from preflight" -l exec -d 'Command line for `--driver command`; the prompt is its standard input' -r
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from preflight" -l commit -d 'Author of commits' -r -f -a "agent\t''
daemon\t''
off\t''"
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from preflight" -l verify -d 'Command that checks every ticket; can be repeated' -r
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from preflight" -l until -d 'Highest number of a ticket [default: all]' -r
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from preflight" -l lanes -d 'Work on this many tickets with `isolation: worktree` at once' -r
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from preflight" -l max-turns -d 'Turns at most [default: 50]' -r
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from preflight" -l max-ticket-turns -d 'Turns of one ticket at most [default: 8]' -r
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from preflight" -l max-tokens -d 'Tokens at most' -r
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from preflight" -l max-cost -d 'US dollars at most, as agents report them' -r
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from preflight" -l max-time -d 'Time of all turns at most, as 90s, 30m or 2h' -r
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from preflight" -l turn-time -d 'Time of one turn at most [default: 2h]' -r
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from preflight" -l stall-time -d 'Interrupt a turn that is silent and idle for this time [default: 30m]' -r
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from preflight" -l prompt-bytes -d 'Bytes of a prompt at most [default: 262144]' -r
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from preflight" -l webhook -d 'URL that is told of pauses and ends' -r
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from preflight" -l env -d 'Variable of the environment that agents need; can be repeated' -r
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from preflight" -l repo -d 'Repository, or a directory in it' -r -F
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from preflight" -l new -d 'Replace a flow that has not ended'
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from preflight" -l fresh -d 'Begin a new conversation for every turn'
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from preflight" -l full-access -d 'Let agents do everything without being asked'
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from preflight" -l trust-verify -d 'Trust the commands that check the tickets'
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from preflight" -l unverified -d 'Work on tickets that nothing checks, too'
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from preflight" -l strict -d 'Pause when a ticket changes paths outside its scope or leaves criteria open'
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from preflight" -l strict-commit -d 'Require that changes from before a ticket are committed, too'
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from preflight" -l notify -d 'Show pauses and ends on the desktop'
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from preflight" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from preflight" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from preflight" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from preflight" -s h -l help -d 'Print help'
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from start" -l driver -d 'Driver of every ticket: claude, codex, gemini, opencode, copilot or command [default: the ticket\'s agent]' -r
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from start" -l exec -d 'Command line for `--driver command`; the prompt is its standard input' -r
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from start" -l commit -d 'Author of commits' -r -f -a "agent\t''
daemon\t''
off\t''"
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from start" -l verify -d 'Command that checks every ticket; can be repeated' -r
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from start" -l until -d 'Highest number of a ticket [default: all]' -r
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from start" -l lanes -d 'Work on this many tickets with `isolation: worktree` at once' -r
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from start" -l max-turns -d 'Turns at most [default: 50]' -r
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from start" -l max-ticket-turns -d 'Turns of one ticket at most [default: 8]' -r
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from start" -l max-tokens -d 'Tokens at most' -r
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from start" -l max-cost -d 'US dollars at most, as agents report them' -r
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from start" -l max-time -d 'Time of all turns at most, as 90s, 30m or 2h' -r
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from start" -l turn-time -d 'Time of one turn at most [default: 2h]' -r
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from start" -l stall-time -d 'Interrupt a turn that is silent and idle for this time [default: 30m]' -r
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from start" -l prompt-bytes -d 'Bytes of a prompt at most [default: 262144]' -r
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from start" -l webhook -d 'URL that is told of pauses and ends' -r
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from start" -l env -d 'Variable of the environment that agents need; can be repeated' -r
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from start" -l repo -d 'Repository, or a directory in it' -r -F
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from start" -l new -d 'Replace a flow that has not ended'
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from start" -l fresh -d 'Begin a new conversation for every turn'
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from start" -l full-access -d 'Let agents do everything without being asked'
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from start" -l trust-verify -d 'Trust the commands that check the tickets'
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from start" -l unverified -d 'Work on tickets that nothing checks, too'
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from start" -l strict -d 'Pause when a ticket changes paths outside its scope or leaves criteria open'
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from start" -l strict-commit -d 'Require that changes from before a ticket are committed, too'
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from start" -l notify -d 'Show pauses and ends on the desktop'
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from start" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from start" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from start" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from start" -s h -l help -d 'Print help'
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from status" -l flow -d 'Flow, by ID or a unique beginning of it [default: the one of this worktree]' -r
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from status" -l repo -d 'Repository, or a directory in it' -r -F
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from status" -l all -d 'All flows of all repositories'
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from status" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from status" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from status" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from status" -s h -l help -d 'Print help'
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from watch" -l flow -d 'Flow, by ID or a unique beginning of it [default: the one of this worktree]' -r
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from watch" -l repo -d 'Repository, or a directory in it' -r -F
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from watch" -l until-rest -d 'End also when it pauses or waits'
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from watch" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from watch" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from watch" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from watch" -s h -l help -d 'Print help'
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from pause" -l flow -d 'Flow, by ID or a unique beginning of it [default: the one of this worktree]' -r
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from pause" -l repo -d 'Repository, or a directory in it' -r -F
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from pause" -l now -d 'Interrupt the turn under way'
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from pause" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from pause" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from pause" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from pause" -s h -l help -d 'Print help'
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from resume" -l turns -d 'Allow this many turns more' -r
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from resume" -l tokens -d 'Allow this many tokens more' -r
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from resume" -l cost -d 'Allow this many US dollars more' -r
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from resume" -l time -d 'Allow this much time more' -r
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from resume" -l env -d 'Variable of the environment that agents need; can be repeated' -r
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from resume" -l flow -d 'Flow, by ID or a unique beginning of it [default: the one of this worktree]' -r
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from resume" -l repo -d 'Repository, or a directory in it' -r -F
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from resume" -l force -d 'Also where nothing changed since the pause'
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from resume" -l accept-branch -d 'Go on with the branch there is now'
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from resume" -l trust-verify -d 'Trust the commands that check the tickets'
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from resume" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from resume" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from resume" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from resume" -s h -l help -d 'Print help'
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from stop" -l flow -d 'Flow, by ID or a unique beginning of it [default: the one of this worktree]' -r
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from stop" -l repo -d 'Repository, or a directory in it' -r -F
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from stop" -l now -d 'Interrupt the turn under way; a second time ends it the hard way'
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from stop" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from stop" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from stop" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from stop" -s h -l help -d 'Print help'
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from say" -l flow -d 'Flow, by ID or a unique beginning of it [default: the one of this worktree]' -r
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from say" -l repo -d 'Repository, or a directory in it' -r -F
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from say" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from say" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from say" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from say" -s h -l help -d 'Print help'
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from reply" -l file -d 'File with the text (`-` for standard input)' -r -F
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from reply" -l to -d 'Question, as `inbox` shows it' -r
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from reply" -l key -d 'A second call with the same key gives no second reply' -r
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from reply" -l agent-id -d 'Agent' -r
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from reply" -l adapter-id -d 'Adapter' -r
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from reply" -l session-id -d 'Session' -r
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from reply" -l flow -d 'Flow, by ID or a unique beginning of it [default: the one of this worktree]' -r
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from reply" -l repo -d 'Repository, or a directory in it' -r -F
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from reply" -l no-resume -d 'Leave the flow paused'
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from reply" -l decision -d 'Also record it as a decision'
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from reply" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from reply" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from reply" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from reply" -s h -l help -d 'Print help'
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from inbox" -l dismiss -d 'Dismiss this question' -r
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from inbox" -l reason -d 'Reason to dismiss it' -r
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from inbox" -l all -d 'Settled ones, too'
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from inbox" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from inbox" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from inbox" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from inbox" -s h -l help -d 'Print help'
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from log" -l turn -d 'Turn [default: all; with a part of one: the last]' -r
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from log" -l flow -d 'Flow, by ID or a unique beginning of it [default: the one of this worktree]' -r
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from log" -l repo -d 'Repository, or a directory in it' -r -F
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from log" -l events -d 'Show what happened, line by line'
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from log" -l prompt -d 'Show the prompt of the turn'
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from log" -l stdout -d 'Show the output of the agent'
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from log" -l stderr -d 'Show the errors of the agent'
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from log" -l verify -d 'Show the output of the checks'
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from log" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from log" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from log" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from log" -s h -l help -d 'Print help'
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from diff" -l turn -d 'Turn [default: all]' -r
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from diff" -l flow -d 'Flow, by ID or a unique beginning of it [default: the one of this worktree]' -r
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from diff" -l repo -d 'Repository, or a directory in it' -r -F
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from diff" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from diff" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from diff" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from diff" -s h -l help -d 'Print help'
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from restore" -l turn -d 'Turn [default: the last one]' -r
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from restore" -l branch -d 'Name of the branch [default: FLOW-before-TURN]' -r
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from restore" -l flow -d 'Flow, by ID or a unique beginning of it [default: the one of this worktree]' -r
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from restore" -l repo -d 'Repository, or a directory in it' -r -F
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from restore" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from restore" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from restore" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from restore" -s h -l help -d 'Print help'
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from recover" -l repo -d 'Repository, or a directory in it' -r -F
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from recover" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from recover" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from recover" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from recover" -s h -l help -d 'Print help'
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from retire" -l flow -d 'Flow, by ID or a unique beginning of it [default: the one of this worktree]' -r
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from retire" -l repo -d 'Repository, or a directory in it' -r -F
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from retire" -l dry-run -d 'Show what would be removed'
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from retire" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from retire" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from retire" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from retire" -s h -l help -d 'Print help'
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from cost" -l flow -d 'Flow, by ID or a unique beginning of it [default: the one of this worktree]' -r
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from cost" -l repo -d 'Repository, or a directory in it' -r -F
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from cost" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from cost" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from cost" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand flow; and __fish_seen_subcommand_from cost" -s h -l help -d 'Print help'
complete -c aictx -n "__fish_aictx_using_subcommand run; and not __fish_seen_subcommand_from start status show list hypothesis evidence command-log learning note link verify handoff park resume reopen close abandon gc" -l repo -l root -d 'Repository, or a directory in it' -r -F
complete -c aictx -n "__fish_aictx_using_subcommand run; and not __fish_seen_subcommand_from start status show list hypothesis evidence command-log learning note link verify handoff park resume reopen close abandon gc" -l run-id -d 'Run [default: the active one]' -r
complete -c aictx -n "__fish_aictx_using_subcommand run; and not __fish_seen_subcommand_from start status show list hypothesis evidence command-log learning note link verify handoff park resume reopen close abandon gc" -l agent-id -d 'Agent' -r
complete -c aictx -n "__fish_aictx_using_subcommand run; and not __fish_seen_subcommand_from start status show list hypothesis evidence command-log learning note link verify handoff park resume reopen close abandon gc" -l session-id -d 'Session' -r
complete -c aictx -n "__fish_aictx_using_subcommand run; and not __fish_seen_subcommand_from start status show list hypothesis evidence command-log learning note link verify handoff park resume reopen close abandon gc" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand run; and not __fish_seen_subcommand_from start status show list hypothesis evidence command-log learning note link verify handoff park resume reopen close abandon gc" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand run; and not __fish_seen_subcommand_from start status show list hypothesis evidence command-log learning note link verify handoff park resume reopen close abandon gc" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand run; and not __fish_seen_subcommand_from start status show list hypothesis evidence command-log learning note link verify handoff park resume reopen close abandon gc" -s h -l help -d 'Print help'
complete -c aictx -n "__fish_aictx_using_subcommand run; and not __fish_seen_subcommand_from start status show list hypothesis evidence command-log learning note link verify handoff park resume reopen close abandon gc" -f -a "start" -d 'Start a run and make it the active one'
complete -c aictx -n "__fish_aictx_using_subcommand run; and not __fish_seen_subcommand_from start status show list hypothesis evidence command-log learning note link verify handoff park resume reopen close abandon gc" -f -a "status" -d 'Show the active run'
complete -c aictx -n "__fish_aictx_using_subcommand run; and not __fish_seen_subcommand_from start status show list hypothesis evidence command-log learning note link verify handoff park resume reopen close abandon gc" -f -a "show" -d 'Show a run'
complete -c aictx -n "__fish_aictx_using_subcommand run; and not __fish_seen_subcommand_from start status show list hypothesis evidence command-log learning note link verify handoff park resume reopen close abandon gc" -f -a "list" -d 'List the runs of this worktree, started last first'
complete -c aictx -n "__fish_aictx_using_subcommand run; and not __fish_seen_subcommand_from start status show list hypothesis evidence command-log learning note link verify handoff park resume reopen close abandon gc" -f -a "hypothesis" -d 'Add and resolve hypotheses'
complete -c aictx -n "__fish_aictx_using_subcommand run; and not __fish_seen_subcommand_from start status show list hypothesis evidence command-log learning note link verify handoff park resume reopen close abandon gc" -f -a "evidence" -d 'Add evidence'
complete -c aictx -n "__fish_aictx_using_subcommand run; and not __fish_seen_subcommand_from start status show list hypothesis evidence command-log learning note link verify handoff park resume reopen close abandon gc" -f -a "command-log" -d 'Record commands that were run'
complete -c aictx -n "__fish_aictx_using_subcommand run; and not __fish_seen_subcommand_from start status show list hypothesis evidence command-log learning note link verify handoff park resume reopen close abandon gc" -f -a "learning" -d 'Add and review learnings'
complete -c aictx -n "__fish_aictx_using_subcommand run; and not __fish_seen_subcommand_from start status show list hypothesis evidence command-log learning note link verify handoff park resume reopen close abandon gc" -f -a "note" -d 'Add a note'
complete -c aictx -n "__fish_aictx_using_subcommand run; and not __fish_seen_subcommand_from start status show list hypothesis evidence command-log learning note link verify handoff park resume reopen close abandon gc" -f -a "link" -d 'Link a ticket, task, commit, pull request or issue'
complete -c aictx -n "__fish_aictx_using_subcommand run; and not __fish_seen_subcommand_from start status show list hypothesis evidence command-log learning note link verify handoff park resume reopen close abandon gc" -f -a "verify" -d 'Run a command, show its output and record its result; its exit status is the command\'s'
complete -c aictx -n "__fish_aictx_using_subcommand run; and not __fish_seen_subcommand_from start status show list hypothesis evidence command-log learning note link verify handoff park resume reopen close abandon gc" -f -a "handoff" -d 'Show the handoff of a run, within a byte limit'
complete -c aictx -n "__fish_aictx_using_subcommand run; and not __fish_seen_subcommand_from start status show list hypothesis evidence command-log learning note link verify handoff park resume reopen close abandon gc" -f -a "park" -d 'Set a run aside'
complete -c aictx -n "__fish_aictx_using_subcommand run; and not __fish_seen_subcommand_from start status show list hypothesis evidence command-log learning note link verify handoff park resume reopen close abandon gc" -f -a "resume" -d 'Make a run the active one and show its handoff'
complete -c aictx -n "__fish_aictx_using_subcommand run; and not __fish_seen_subcommand_from start status show list hypothesis evidence command-log learning note link verify handoff park resume reopen close abandon gc" -f -a "reopen" -d 'Reopen a closed or abandoned run'
complete -c aictx -n "__fish_aictx_using_subcommand run; and not __fish_seen_subcommand_from start status show list hypothesis evidence command-log learning note link verify handoff park resume reopen close abandon gc" -f -a "close" -d 'Close a run, or show what is missing'
complete -c aictx -n "__fish_aictx_using_subcommand run; and not __fish_seen_subcommand_from start status show list hypothesis evidence command-log learning note link verify handoff park resume reopen close abandon gc" -f -a "abandon" -d 'Give a run up'
complete -c aictx -n "__fish_aictx_using_subcommand run; and not __fish_seen_subcommand_from start status show list hypothesis evidence command-log learning note link verify handoff park resume reopen close abandon gc" -f -a "gc" -d 'Park runs that stand still for two weeks, compress those closed a month ago'
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from start" -l intent -d 'Intent [default: inferred from the request]' -r
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from start" -l non-goal -d 'Outcome that is not aimed at; can be repeated' -r
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from start" -l repo -l root -d 'Repository, or a directory in it' -r -F
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from start" -l run-id -d 'Run [default: the active one]' -r
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from start" -l agent-id -d 'Agent' -r
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from start" -l session-id -d 'Session' -r
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from start" -l skip-intake -d 'Leave out the documents that the request belongs to'
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from start" -l switch -d 'Leave the active run open'
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from start" -l park -d 'Park the active run; closing this one resumes it'
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from start" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from start" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from start" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from start" -s h -l help -d 'Print help'
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from status" -l repo -l root -d 'Repository, or a directory in it' -r -F
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from status" -l run-id -d 'Run [default: the active one]' -r
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from status" -l agent-id -d 'Agent' -r
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from status" -l session-id -d 'Session' -r
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from status" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from status" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from status" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from status" -s h -l help -d 'Print help'
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from show" -l repo -l root -d 'Repository, or a directory in it' -r -F
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from show" -l run-id -d 'Run [default: the active one]' -r
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from show" -l agent-id -d 'Agent' -r
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from show" -l session-id -d 'Session' -r
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from show" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from show" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from show" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from show" -s h -l help -d 'Print help'
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from list" -l status -d 'Only those in this state' -r -f -a "open\t''
parked\t''
closed\t''
abandoned\t''"
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from list" -s n -l limit -d 'At most this many' -r
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from list" -l repo -l root -d 'Repository, or a directory in it' -r -F
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from list" -l run-id -d 'Run [default: the active one]' -r
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from list" -l agent-id -d 'Agent' -r
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from list" -l session-id -d 'Session' -r
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from list" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from list" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from list" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from list" -s h -l help -d 'Print help'
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from hypothesis" -l repo -l root -d 'Repository, or a directory in it' -r -F
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from hypothesis" -l run-id -d 'Run [default: the active one]' -r
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from hypothesis" -l agent-id -d 'Agent' -r
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from hypothesis" -l session-id -d 'Session' -r
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from hypothesis" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from hypothesis" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from hypothesis" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from hypothesis" -s h -l help -d 'Print help'
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from hypothesis" -f -a "add" -d 'Add a hypothesis; its id is printed'
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from hypothesis" -f -a "resolve" -d 'Resolve a hypothesis'
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from evidence" -l repo -l root -d 'Repository, or a directory in it' -r -F
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from evidence" -l run-id -d 'Run [default: the active one]' -r
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from evidence" -l agent-id -d 'Agent' -r
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from evidence" -l session-id -d 'Session' -r
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from evidence" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from evidence" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from evidence" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from evidence" -s h -l help -d 'Print help'
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from evidence" -f -a "add" -d 'Add an observation; its id is printed'
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from command-log" -l repo -l root -d 'Repository, or a directory in it' -r -F
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from command-log" -l run-id -d 'Run [default: the active one]' -r
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from command-log" -l agent-id -d 'Agent' -r
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from command-log" -l session-id -d 'Session' -r
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from command-log" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from command-log" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from command-log" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from command-log" -s h -l help -d 'Print help'
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from command-log" -f -a "add" -d 'Record a command that was run; its id is printed'
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from learning" -l repo -l root -d 'Repository, or a directory in it' -r -F
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from learning" -l run-id -d 'Run [default: the active one]' -r
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from learning" -l agent-id -d 'Agent' -r
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from learning" -l session-id -d 'Session' -r
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from learning" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from learning" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from learning" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from learning" -s h -l help -d 'Print help'
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from learning" -f -a "add" -d 'Add a learning and the artifact that holds it; its id is printed'
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from learning" -f -a "review" -d 'List the learnings'
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from note" -l repo -l root -d 'Repository, or a directory in it' -r -F
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from note" -l run-id -d 'Run [default: the active one]' -r
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from note" -l agent-id -d 'Agent' -r
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from note" -l session-id -d 'Session' -r
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from note" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from note" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from note" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from note" -s h -l help -d 'Print help'
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from link" -l repo -l root -d 'Repository, or a directory in it' -r -F
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from link" -l run-id -d 'Run [default: the active one]' -r
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from link" -l agent-id -d 'Agent' -r
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from link" -l session-id -d 'Session' -r
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from link" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from link" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from link" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from link" -s h -l help -d 'Print help'
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from verify" -l timeout -d 'Stop it after this many seconds; it then ends with 124' -r
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from verify" -l repo -l root -d 'Repository, or a directory in it' -r -F
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from verify" -l run-id -d 'Run [default: the active one]' -r
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from verify" -l agent-id -d 'Agent' -r
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from verify" -l session-id -d 'Session' -r
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from verify" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from verify" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from verify" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from verify" -s h -l help -d 'Print help'
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from handoff" -l max-bytes -d 'Longest text in bytes' -r
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from handoff" -l repo -l root -d 'Repository, or a directory in it' -r -F
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from handoff" -l run-id -d 'Run [default: the active one]' -r
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from handoff" -l agent-id -d 'Agent' -r
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from handoff" -l session-id -d 'Session' -r
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from handoff" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from handoff" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from handoff" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from handoff" -s h -l help -d 'Print help'
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from park" -l reason -d 'Reason' -r
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from park" -l repo -l root -d 'Repository, or a directory in it' -r -F
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from park" -l run-id -d 'Run [default: the active one]' -r
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from park" -l agent-id -d 'Agent' -r
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from park" -l session-id -d 'Session' -r
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from park" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from park" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from park" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from park" -s h -l help -d 'Print help'
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from resume" -l repo -l root -d 'Repository, or a directory in it' -r -F
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from resume" -l run-id -d 'Run [default: the active one]' -r
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from resume" -l agent-id -d 'Agent' -r
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from resume" -l session-id -d 'Session' -r
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from resume" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from resume" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from resume" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from resume" -s h -l help -d 'Print help'
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from reopen" -l reason -d 'Reason' -r
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from reopen" -l repo -l root -d 'Repository, or a directory in it' -r -F
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from reopen" -l run-id -d 'Run [default: the active one]' -r
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from reopen" -l agent-id -d 'Agent' -r
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from reopen" -l session-id -d 'Session' -r
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from reopen" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from reopen" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from reopen" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from reopen" -s h -l help -d 'Print help'
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from close" -l summary -d 'Work that was done' -r
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from close" -l verification -d 'Check that was made: a command line, or the id of a command of the run; can be repeated' -r
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from close" -l unverified -d 'Reason for not verifying anything' -r
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from close" -l risk -d 'Risk that is left; can be repeated' -r
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from close" -l carry -d 'Open hypothesis that is left to the next run; can be repeated' -r
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from close" -l override -d 'Pass over a gate (hypotheses, learning, verification, risks, summary); the reason is stored' -r
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from close" -l repo -l root -d 'Repository, or a directory in it' -r -F
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from close" -l run-id -d 'Run [default: the active one]' -r
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from close" -l agent-id -d 'Agent' -r
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from close" -l session-id -d 'Session' -r
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from close" -l no-risks -d 'No risk is left that you know of'
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from close" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from close" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from close" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from close" -s h -l help -d 'Print help'
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from abandon" -l reason -d 'Reason' -r
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from abandon" -l repo -l root -d 'Repository, or a directory in it' -r -F
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from abandon" -l run-id -d 'Run [default: the active one]' -r
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from abandon" -l agent-id -d 'Agent' -r
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from abandon" -l session-id -d 'Session' -r
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from abandon" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from abandon" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from abandon" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from abandon" -s h -l help -d 'Print help'
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from gc" -l repo -l root -d 'Repository, or a directory in it' -r -F
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from gc" -l run-id -d 'Run [default: the active one]' -r
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from gc" -l agent-id -d 'Agent' -r
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from gc" -l session-id -d 'Session' -r
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from gc" -l apply -d 'Do it; otherwise only list them'
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from gc" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from gc" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from gc" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand run; and __fish_seen_subcommand_from gc" -s h -l help -d 'Print help'
complete -c aictx -n "__fish_aictx_using_subcommand intake" -l repo -d 'Repository, or a directory in it' -r -F
complete -c aictx -n "__fish_aictx_using_subcommand intake" -l explain -d 'Show the words and scores that it was found by'
complete -c aictx -n "__fish_aictx_using_subcommand intake" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand intake" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand intake" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand intake" -s h -l help -d 'Print help'
complete -c aictx -n "__fish_aictx_using_subcommand failures; and not __fish_seen_subcommand_from list show resolve reopen forget" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand failures; and not __fish_seen_subcommand_from list show resolve reopen forget" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand failures; and not __fish_seen_subcommand_from list show resolve reopen forget" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand failures; and not __fish_seen_subcommand_from list show resolve reopen forget" -s h -l help -d 'Print help'
complete -c aictx -n "__fish_aictx_using_subcommand failures; and not __fish_seen_subcommand_from list show resolve reopen forget" -f -a "list" -d 'List failures: the open ones, or those that have to do with a task, files, a command'
complete -c aictx -n "__fish_aictx_using_subcommand failures; and not __fish_seen_subcommand_from list show resolve reopen forget" -f -a "show" -d 'Show all that is known of a failure'
complete -c aictx -n "__fish_aictx_using_subcommand failures; and not __fish_seen_subcommand_from list show resolve reopen forget" -f -a "resolve" -d 'Say that a failure is resolved'
complete -c aictx -n "__fish_aictx_using_subcommand failures; and not __fish_seen_subcommand_from list show resolve reopen forget" -f -a "reopen" -d 'Say that a failure is not resolved after all'
complete -c aictx -n "__fish_aictx_using_subcommand failures; and not __fish_seen_subcommand_from list show resolve reopen forget" -f -a "forget" -d 'Forget a failure'
complete -c aictx -n "__fish_aictx_using_subcommand failures; and __fish_seen_subcommand_from list" -l status -d 'Which: open, resolved, all [default: open; all for a question]' -r -f -a "open\t''
resolved\t''
all\t''"
complete -c aictx -n "__fish_aictx_using_subcommand failures; and __fish_seen_subcommand_from list" -l for -d 'A task' -r
complete -c aictx -n "__fish_aictx_using_subcommand failures; and __fish_seen_subcommand_from list" -l path -d 'A file; can be repeated' -r
complete -c aictx -n "__fish_aictx_using_subcommand failures; and __fish_seen_subcommand_from list" -l command -d 'A command about to be run' -r
complete -c aictx -n "__fish_aictx_using_subcommand failures; and __fish_seen_subcommand_from list" -s n -l limit -d 'At most this many' -r
complete -c aictx -n "__fish_aictx_using_subcommand failures; and __fish_seen_subcommand_from list" -l repo -d 'Repository, or a directory in it' -r -F
complete -c aictx -n "__fish_aictx_using_subcommand failures; and __fish_seen_subcommand_from list" -l all -d 'All of them, as `--status all` says it'
complete -c aictx -n "__fish_aictx_using_subcommand failures; and __fish_seen_subcommand_from list" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand failures; and __fish_seen_subcommand_from list" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand failures; and __fish_seen_subcommand_from list" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand failures; and __fish_seen_subcommand_from list" -s h -l help -d 'Print help'
complete -c aictx -n "__fish_aictx_using_subcommand failures; and __fish_seen_subcommand_from show" -l repo -d 'Repository, or a directory in it' -r -F
complete -c aictx -n "__fish_aictx_using_subcommand failures; and __fish_seen_subcommand_from show" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand failures; and __fish_seen_subcommand_from show" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand failures; and __fish_seen_subcommand_from show" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand failures; and __fish_seen_subcommand_from show" -s h -l help -d 'Print help'
complete -c aictx -n "__fish_aictx_using_subcommand failures; and __fish_seen_subcommand_from resolve" -l summary -d 'The fix, shown to whoever meets it next' -r
complete -c aictx -n "__fish_aictx_using_subcommand failures; and __fish_seen_subcommand_from resolve" -l repo -d 'Repository, or a directory in it' -r -F
complete -c aictx -n "__fish_aictx_using_subcommand failures; and __fish_seen_subcommand_from resolve" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand failures; and __fish_seen_subcommand_from resolve" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand failures; and __fish_seen_subcommand_from resolve" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand failures; and __fish_seen_subcommand_from resolve" -s h -l help -d 'Print help'
complete -c aictx -n "__fish_aictx_using_subcommand failures; and __fish_seen_subcommand_from reopen" -l repo -d 'Repository, or a directory in it' -r -F
complete -c aictx -n "__fish_aictx_using_subcommand failures; and __fish_seen_subcommand_from reopen" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand failures; and __fish_seen_subcommand_from reopen" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand failures; and __fish_seen_subcommand_from reopen" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand failures; and __fish_seen_subcommand_from reopen" -s h -l help -d 'Print help'
complete -c aictx -n "__fish_aictx_using_subcommand failures; and __fish_seen_subcommand_from forget" -l repo -d 'Repository, or a directory in it' -r -F
complete -c aictx -n "__fish_aictx_using_subcommand failures; and __fish_seen_subcommand_from forget" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand failures; and __fish_seen_subcommand_from forget" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand failures; and __fish_seen_subcommand_from forget" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand failures; and __fish_seen_subcommand_from forget" -s h -l help -d 'Print help'
complete -c aictx -n "__fish_aictx_using_subcommand memory; and not __fish_seen_subcommand_from list" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand memory; and not __fish_seen_subcommand_from list" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand memory; and not __fish_seen_subcommand_from list" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand memory; and not __fish_seen_subcommand_from list" -s h -l help -d 'Print help'
complete -c aictx -n "__fish_aictx_using_subcommand memory; and not __fish_seen_subcommand_from list" -f -a "list" -d 'List what is remembered, with ids'
complete -c aictx -n "__fish_aictx_using_subcommand memory; and __fish_seen_subcommand_from list" -l kind -d 'Only items of this kind' -r -f -a "\t''
decision\t''
failure\t''
strategy\t''
handoff\t''
note\t''
task\t''"
complete -c aictx -n "__fish_aictx_using_subcommand memory; and __fish_seen_subcommand_from list" -s n -l limit -d 'At most this many' -r
complete -c aictx -n "__fish_aictx_using_subcommand memory; and __fish_seen_subcommand_from list" -l repo -d 'Repository, or a directory in it' -r -F
complete -c aictx -n "__fish_aictx_using_subcommand memory; and __fish_seen_subcommand_from list" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand memory; and __fish_seen_subcommand_from list" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand memory; and __fish_seen_subcommand_from list" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand memory; and __fish_seen_subcommand_from list" -s h -l help -d 'Print help'
complete -c aictx -n "__fish_aictx_using_subcommand map; and not __fish_seen_subcommand_from query brief outline symbol refs related impact status refresh export" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand map; and not __fish_seen_subcommand_from query brief outline symbol refs related impact status refresh export" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand map; and not __fish_seen_subcommand_from query brief outline symbol refs related impact status refresh export" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand map; and not __fish_seen_subcommand_from query brief outline symbol refs related impact status refresh export" -s h -l help -d 'Print help'
complete -c aictx -n "__fish_aictx_using_subcommand map; and not __fish_seen_subcommand_from query brief outline symbol refs related impact status refresh export" -f -a "query" -d 'Rank the files that matter for a task'
complete -c aictx -n "__fish_aictx_using_subcommand map; and not __fish_seen_subcommand_from query brief outline symbol refs related impact status refresh export" -f -a "brief" -d 'Outline the repository, or what matters for a task, within a token budget'
complete -c aictx -n "__fish_aictx_using_subcommand map; and not __fish_seen_subcommand_from query brief outline symbol refs related impact status refresh export" -f -a "outline" -d 'List the definitions of a file'
complete -c aictx -n "__fish_aictx_using_subcommand map; and not __fish_seen_subcommand_from query brief outline symbol refs related impact status refresh export" -f -a "symbol" -d 'Find definitions by name: exact, prefix, substring, fuzzy'
complete -c aictx -n "__fish_aictx_using_subcommand map; and not __fish_seen_subcommand_from query brief outline symbol refs related impact status refresh export" -f -a "refs" -d 'Find where a name is defined and used'
complete -c aictx -n "__fish_aictx_using_subcommand map; and not __fish_seen_subcommand_from query brief outline symbol refs related impact status refresh export" -f -a "related" -d 'List files that have to do with a file'
complete -c aictx -n "__fish_aictx_using_subcommand map; and not __fish_seen_subcommand_from query brief outline symbol refs related impact status refresh export" -f -a "impact" -d 'List files and tests that a change of a file may break'
complete -c aictx -n "__fish_aictx_using_subcommand map; and not __fish_seen_subcommand_from query brief outline symbol refs related impact status refresh export" -f -a "status" -d 'Show the state of the index'
complete -c aictx -n "__fish_aictx_using_subcommand map; and not __fish_seen_subcommand_from query brief outline symbol refs related impact status refresh export" -f -a "refresh" -d 'Bring the index up to the tree now'
complete -c aictx -n "__fish_aictx_using_subcommand map; and not __fish_seen_subcommand_from query brief outline symbol refs related impact status refresh export" -f -a "export" -d 'Print the whole index in the format of index.json'
complete -c aictx -n "__fish_aictx_using_subcommand map; and __fish_seen_subcommand_from query" -s n -l limit -d 'At most this many files, 1 to 50' -r
complete -c aictx -n "__fish_aictx_using_subcommand map; and __fish_seen_subcommand_from query" -l active -d 'File that is being worked on; can be repeated' -r
complete -c aictx -n "__fish_aictx_using_subcommand map; and __fish_seen_subcommand_from query" -l repo -d 'Repository, or a directory in it' -r -F
complete -c aictx -n "__fish_aictx_using_subcommand map; and __fish_seen_subcommand_from query" -l wait -d 'Seconds to wait for an index that is being built; 0 answers with what is there' -r
complete -c aictx -n "__fish_aictx_using_subcommand map; and __fish_seen_subcommand_from query" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand map; and __fish_seen_subcommand_from query" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand map; and __fish_seen_subcommand_from query" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand map; and __fish_seen_subcommand_from query" -s h -l help -d 'Print help'
complete -c aictx -n "__fish_aictx_using_subcommand map; and __fish_seen_subcommand_from brief" -l tokens -d 'At most this many tokens, counted as four characters each' -r
complete -c aictx -n "__fish_aictx_using_subcommand map; and __fish_seen_subcommand_from brief" -l for -d 'The task' -r
complete -c aictx -n "__fish_aictx_using_subcommand map; and __fish_seen_subcommand_from brief" -l repo -d 'Repository, or a directory in it' -r -F
complete -c aictx -n "__fish_aictx_using_subcommand map; and __fish_seen_subcommand_from brief" -l wait -d 'Seconds to wait for an index that is being built; 0 answers with what is there' -r
complete -c aictx -n "__fish_aictx_using_subcommand map; and __fish_seen_subcommand_from brief" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand map; and __fish_seen_subcommand_from brief" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand map; and __fish_seen_subcommand_from brief" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand map; and __fish_seen_subcommand_from brief" -s h -l help -d 'Print help'
complete -c aictx -n "__fish_aictx_using_subcommand map; and __fish_seen_subcommand_from outline" -l repo -d 'Repository, or a directory in it' -r -F
complete -c aictx -n "__fish_aictx_using_subcommand map; and __fish_seen_subcommand_from outline" -l wait -d 'Seconds to wait for an index that is being built; 0 answers with what is there' -r
complete -c aictx -n "__fish_aictx_using_subcommand map; and __fish_seen_subcommand_from outline" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand map; and __fish_seen_subcommand_from outline" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand map; and __fish_seen_subcommand_from outline" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand map; and __fish_seen_subcommand_from outline" -s h -l help -d 'Print help'
complete -c aictx -n "__fish_aictx_using_subcommand map; and __fish_seen_subcommand_from symbol" -s n -l limit -d 'At most this many, 1 to 1000' -r
complete -c aictx -n "__fish_aictx_using_subcommand map; and __fish_seen_subcommand_from symbol" -l repo -d 'Repository, or a directory in it' -r -F
complete -c aictx -n "__fish_aictx_using_subcommand map; and __fish_seen_subcommand_from symbol" -l wait -d 'Seconds to wait for an index that is being built; 0 answers with what is there' -r
complete -c aictx -n "__fish_aictx_using_subcommand map; and __fish_seen_subcommand_from symbol" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand map; and __fish_seen_subcommand_from symbol" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand map; and __fish_seen_subcommand_from symbol" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand map; and __fish_seen_subcommand_from symbol" -s h -l help -d 'Print help'
complete -c aictx -n "__fish_aictx_using_subcommand map; and __fish_seen_subcommand_from refs" -s n -l limit -d 'At most this many places, 1 to 1000' -r
complete -c aictx -n "__fish_aictx_using_subcommand map; and __fish_seen_subcommand_from refs" -l repo -d 'Repository, or a directory in it' -r -F
complete -c aictx -n "__fish_aictx_using_subcommand map; and __fish_seen_subcommand_from refs" -l wait -d 'Seconds to wait for an index that is being built; 0 answers with what is there' -r
complete -c aictx -n "__fish_aictx_using_subcommand map; and __fish_seen_subcommand_from refs" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand map; and __fish_seen_subcommand_from refs" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand map; and __fish_seen_subcommand_from refs" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand map; and __fish_seen_subcommand_from refs" -s h -l help -d 'Print help'
complete -c aictx -n "__fish_aictx_using_subcommand map; and __fish_seen_subcommand_from related" -s n -l limit -d 'At most this many, 1 to 1000' -r
complete -c aictx -n "__fish_aictx_using_subcommand map; and __fish_seen_subcommand_from related" -l repo -d 'Repository, or a directory in it' -r -F
complete -c aictx -n "__fish_aictx_using_subcommand map; and __fish_seen_subcommand_from related" -l wait -d 'Seconds to wait for an index that is being built; 0 answers with what is there' -r
complete -c aictx -n "__fish_aictx_using_subcommand map; and __fish_seen_subcommand_from related" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand map; and __fish_seen_subcommand_from related" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand map; and __fish_seen_subcommand_from related" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand map; and __fish_seen_subcommand_from related" -s h -l help -d 'Print help'
complete -c aictx -n "__fish_aictx_using_subcommand map; and __fish_seen_subcommand_from impact" -s n -l limit -d 'At most this many, 1 to 1000' -r
complete -c aictx -n "__fish_aictx_using_subcommand map; and __fish_seen_subcommand_from impact" -l repo -d 'Repository, or a directory in it' -r -F
complete -c aictx -n "__fish_aictx_using_subcommand map; and __fish_seen_subcommand_from impact" -l wait -d 'Seconds to wait for an index that is being built; 0 answers with what is there' -r
complete -c aictx -n "__fish_aictx_using_subcommand map; and __fish_seen_subcommand_from impact" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand map; and __fish_seen_subcommand_from impact" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand map; and __fish_seen_subcommand_from impact" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand map; and __fish_seen_subcommand_from impact" -s h -l help -d 'Print help'
complete -c aictx -n "__fish_aictx_using_subcommand map; and __fish_seen_subcommand_from status" -l repo -d 'Repository, or a directory in it' -r -F
complete -c aictx -n "__fish_aictx_using_subcommand map; and __fish_seen_subcommand_from status" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand map; and __fish_seen_subcommand_from status" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand map; and __fish_seen_subcommand_from status" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand map; and __fish_seen_subcommand_from status" -s h -l help -d 'Print help'
complete -c aictx -n "__fish_aictx_using_subcommand map; and __fish_seen_subcommand_from refresh" -l repo -d 'Repository, or a directory in it' -r -F
complete -c aictx -n "__fish_aictx_using_subcommand map; and __fish_seen_subcommand_from refresh" -l full -d 'Forget what is known and parse everything'
complete -c aictx -n "__fish_aictx_using_subcommand map; and __fish_seen_subcommand_from refresh" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand map; and __fish_seen_subcommand_from refresh" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand map; and __fish_seen_subcommand_from refresh" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand map; and __fish_seen_subcommand_from refresh" -s h -l help -d 'Print help'
complete -c aictx -n "__fish_aictx_using_subcommand map; and __fish_seen_subcommand_from export" -l repo -d 'Repository, or a directory in it' -r -F
complete -c aictx -n "__fish_aictx_using_subcommand map; and __fish_seen_subcommand_from export" -l wait -d 'Seconds to wait for an index that is being built; 0 answers with what is there' -r
complete -c aictx -n "__fish_aictx_using_subcommand map; and __fish_seen_subcommand_from export" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand map; and __fish_seen_subcommand_from export" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand map; and __fish_seen_subcommand_from export" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand map; and __fish_seen_subcommand_from export" -s h -l help -d 'Print help'
complete -c aictx -n "__fish_aictx_using_subcommand guard" -l repo -d 'Repository, or a directory in it' -r -F
complete -c aictx -n "__fish_aictx_using_subcommand guard" -l action -d 'The step' -r -f -a "agent_switch\t''
before_first_edit\t''
continue_after_idle\t''
edit\t''
final_answer\t''
finalize\t''
risky_command\t''
scope_change\t''"
complete -c aictx -n "__fish_aictx_using_subcommand guard" -l paths -d 'Path about to be touched; can be repeated' -r
complete -c aictx -n "__fish_aictx_using_subcommand guard" -l command -d 'Command about to be run' -r
complete -c aictx -n "__fish_aictx_using_subcommand guard" -l intent -d 'Intent of the caller' -r
complete -c aictx -n "__fish_aictx_using_subcommand guard" -l risk -d 'Risk of the step' -r -f -a "low\t'Easily undone'
normal\t'The usual'
high\t'Hard to undo'"
complete -c aictx -n "__fish_aictx_using_subcommand guard" -l agent-id -d 'Agent' -r
complete -c aictx -n "__fish_aictx_using_subcommand guard" -l adapter-id -d 'Adapter' -r
complete -c aictx -n "__fish_aictx_using_subcommand guard" -l session-id -d 'Session' -r
complete -c aictx -n "__fish_aictx_using_subcommand guard" -l command-stdin -d 'Read the command from standard input: no length limit, not in the process list'
complete -c aictx -n "__fish_aictx_using_subcommand guard" -l exit-code -d 'Exit with 10 on re_ground and 20 on block'
complete -c aictx -n "__fish_aictx_using_subcommand guard" -l explain -d 'Show every rule that was met, what met it, and how long it took'
complete -c aictx -n "__fish_aictx_using_subcommand guard" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand guard" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand guard" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand guard" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c aictx -n "__fish_aictx_using_subcommand doctor" -l repo -d 'Repository, or a directory in it' -r -F
complete -c aictx -n "__fish_aictx_using_subcommand doctor" -l exit-code -d 'Exit with 10 on warnings and 20 on errors'
complete -c aictx -n "__fish_aictx_using_subcommand doctor" -l fix -d 'Do what is safe to do, then look again; asks before it changes an agent\'s settings'
complete -c aictx -n "__fish_aictx_using_subcommand doctor" -s y -l yes -d 'With --fix: do not ask'
complete -c aictx -n "__fish_aictx_using_subcommand doctor" -l json -d 'Print one line of JSON, errors included'
complete -c aictx -n "__fish_aictx_using_subcommand doctor" -l no-color -d 'Print without colours (also: NO_COLOR)'
complete -c aictx -n "__fish_aictx_using_subcommand doctor" -l no-banner -d 'No banner is ever printed'
complete -c aictx -n "__fish_aictx_using_subcommand doctor" -s h -l help -d 'Print help'
