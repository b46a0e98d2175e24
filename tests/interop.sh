#!/usr/bin/env bash
# Tests against the Python ancestor: makes a virtual environment for each release (kept between runs
# in the directory given, else in target/ancestors) and runs the end-to-end tests with them.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

directory=${1:-${CARGO_TARGET_DIR:-target}/ancestors}
mkdir -p "$directory"
directory=$(cd "$directory" && pwd)

make() { # VERSION PACKAGE...
    local version=$1
    shift
    [ -x "$directory/$version/bin/aictx" ] && return
    python3 -m venv "$directory/$version"
    "$directory/$version/bin/pip" install --quiet "$@"
}

make 4.5.2 aictx==4.5.2
make 7.0.1 aictx==7.0.1 tree-sitter-language-pack==0.13.0

cargo build --workspace --bins
AICTX_TEST_ANCESTORS=$directory cargo test --package aictx-tests --test e2e -- interop::
