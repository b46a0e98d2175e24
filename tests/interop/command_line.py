"""pytest plug-in: runs the Python ancestor's own tests with another program in its command line's place.

Every call of the ancestor's command line (`args.func(args)`, `cli.cmd_*`, `python -m aictx`) runs the
program named by AICTX_INTEROP_PROGRAM with the same arguments, in the same directory and with a
throwaway home; its output and exit status go back to the test. Tests that never get there are not
counted. AICTX_INTEROP_KNOWN names the list of known failures; every difference from it fails the run.
"""

import argparse
import inspect
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

import pytest

PROGRAM = os.environ["AICTX_INTEROP_PROGRAM"]
KNOWN = Path(os.environ["AICTX_INTEROP_KNOWN"])
POPEN = subprocess.Popen

home = Path()
daemon_home = Path(tempfile.mkdtemp(prefix="aictx-interop-"))
calls = []
results = {}


def environment(given=None):
    """The test's variables, with a home of its own; all tests share one daemon."""
    root = home
    cli = sys.modules["aictx.cli"]
    # Tests that need a home of their own put the ancestor's paths there.
    for name, value in ORIGINAL_HOMES.items():
        current = getattr(cli, name, value)
        if current != value:
            root = Path(current).parent
    variables = dict(os.environ if given is None else given)
    variables.update(HOME=str(root), PATH=os.environ["PATH"], XDG_CONFIG_HOME=str(root / ".config"))
    for name in ("XDG_RUNTIME_DIR", "XDG_STATE_HOME", "XDG_CACHE_HOME"):
        variables[name] = str(daemon_home / name)
    return variables


class Popen(POPEN):
    """Starts the program where a test starts the ancestor as a module."""

    def __init__(self, args, *rest, **options):
        if isinstance(args, (list, tuple)) and len(args) > 2 and args[0] == sys.executable and args[1] == "-m":
            if str(args[2]).split(".")[0] == "aictx":
                args = [PROGRAM, *args[3:]]
                calls.append([str(argument) for argument in args[1:]])
                options["env"] = environment(options.get("env"))
        super().__init__(args, *rest, **options)


def run(arguments):
    calls.append(arguments)
    done = POPEN(
        [PROGRAM, *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
    )
    output, errors = done.communicate(timeout=120)
    sys.stdout.write(output.decode("utf-8", "replace"))
    sys.stderr.write(errors.decode("utf-8", "replace"))
    return done.returncode


def subcommands(parser, path=()):
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, child in action.choices.items():
                yield (*path, name), child
                yield from subcommands(child, (*path, name))


def arguments_of(namespace, function):
    """The arguments that the ancestor's parser would have made this namespace of."""
    cli = sys.modules["aictx.cli"]
    for path, parser in subcommands(cli.build_parser()):
        if parser.get_default("func") is not function:
            continue
        options, positional = [], []
        for action in parser._actions:
            value = getattr(namespace, action.dest, action.default)
            if isinstance(action, (argparse._HelpAction, argparse._SubParsersAction)) or value == action.default:
                continue
            if not action.option_strings:
                positional += value if isinstance(value, list) else [str(value)]
            elif action.nargs == 0:
                options += [action.option_strings[-1]] if value == action.const else []
            elif isinstance(action, argparse._AppendAction):
                for item in value:
                    options += [action.option_strings[-1], str(item)]
            elif isinstance(value, (list, tuple)):
                options += [action.option_strings[-1], *map(str, value)] if value else []
            elif value is not None:
                options += [action.option_strings[-1], str(value)]
        return [*path, *positional, *options]
    raise LookupError(f"no command for {function}")


def command(name):
    def handler(namespace):
        return run(getattr(namespace, "_arguments", None) or arguments_of(namespace, handler))

    handler.__name__ = name
    return handler



def pytest_configure(config):
    import aictx.cli as cli

    global ORIGINAL_HOMES
    ORIGINAL_HOMES = {name: getattr(cli, name) for name in ("ENGINE_HOME", "CODEX_HOME") if hasattr(cli, name)}

    handlers = {parser.get_default("func") for _, parser in subcommands(cli.build_parser())} - {None}
    for function in handlers:
        replacement = command(function.__name__)
        for module in (cli, sys.modules[function.__module__]):
            if getattr(module, function.__name__, None) is function:
                setattr(module, function.__name__, replacement)

    build = cli.build_parser

    def build_parser():
        parser = build()
        parse = parser.parse_args

        def parse_args(arguments=None, namespace=None):
            arguments = list(sys.argv[1:] if arguments is None else arguments)
            parsed = parse(arguments, namespace)
            parsed._arguments = arguments
            return parsed

        parser.parse_args = parse_args
        return parser

    cli.build_parser = build_parser
    subprocess.Popen = Popen


def pytest_collection_modifyitems(config, items):
    """Leaves out the files that cannot reach the command line; most test the ancestor's functions."""
    reaches = {}
    for item in items:
        if item.path not in reaches:
            text = item.path.read_text(encoding="utf-8")
            reaches[item.path] = bool(re.search(r"\bimport aictx\.cli\b|\bimport cli\b|aictx\.cli import|sys\.executable", text))
    config.hook.pytest_deselected(items=[item for item in items if not reaches[item.path]])
    items[:] = [item for item in items if reaches[item.path]]


@pytest.fixture(autouse=True)
def throwaway_home(tmp_path_factory):
    global home
    home = tmp_path_factory.mktemp("home")
    calls.clear()
    yield


def reason(item, report):
    """The kind of a failure, guessed from what the test said."""
    text = report.longreprtext
    said = "\n".join(content for title, content in report.sections if "stderr" in title) + text
    raised = re.findall(r"^E\s+(.*)$", text, re.MULTILINE)
    first = raised[0] if raised else ""
    if re.search(r"unexpected argument|unrecognized subcommand|invalid value .* for '--|required arguments were not", said):
        return "unknown command or option", first
    if re.match(r"(KeyError|TypeError: string indices|TypeError: list indices)", first):
        return "missing member", first
    if re.search(r"FileNotFoundError|\.exists\(\)|is_file\(\)", text):
        return "missing file", first
    source = inspect.getsource(item.function)
    if re.search(r"setattr\((cli|\"aictx|runtime|core_runtime)", source) or "aictx" in first and "AttributeError" in first:
        return "needs Python internals", first
    return "other answer", first


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    report = outcome.get_result()
    if report.when == "call" and calls:
        name = item.nodeid.removeprefix("tests/")
        results[name] = None if report.passed else (*reason(item, report), [*calls])


def known():
    names = {}
    for line in KNOWN.read_text(encoding="utf-8").splitlines() if KNOWN.exists() else []:
        if line.strip() and not line.startswith("#"):
            name, _, why = line.partition(": ")
            names[name.strip()] = why
    return names


def pytest_sessionstart(session):
    (daemon_home / "XDG_RUNTIME_DIR").mkdir(mode=0o700)
    POPEN([PROGRAM, "daemon", "start"], env=environment(), stdout=subprocess.DEVNULL).wait()


def pytest_sessionfinish(session, exitstatus):
    POPEN([PROGRAM, "daemon", "stop"], env=environment(), stdout=subprocess.DEVNULL).wait()
    shutil.rmtree(daemon_home, ignore_errors=True)
    failed = {name: result for name, result in results.items() if result}
    listed = known()
    unexpected = sorted(failed.keys() - listed.keys())
    passing = sorted(name for name in listed if name in results and not results[name])
    gone = sorted(listed.keys() - results.keys())
    write = session.config.pluginmanager.get_plugin("terminalreporter").write_line
    write("")
    write(f"{len(results) - len(failed)} of {len(results)} tests of the command line pass")
    for kind, count in Counter(result[0] for result in failed.values()).most_common():
        write(f"  {count:3} {kind}")
    for name in unexpected:
        kind, first, made = failed[name]
        write(f"unexpected failure: {name}: {kind}: {first[:160]} [{' '.join(made[-1])[:120]}]")
    for name in passing:
        write(f"passes now, remove it from {KNOWN.name}: {name}")
    for name in gone:
        write(f"no such test, remove it from {KNOWN.name}: {name}")
    session.exitstatus = 1 if unexpected or passing or gone or not results else 0
