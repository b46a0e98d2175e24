#!/usr/bin/env bash
# Tests against the Python ancestor, with both of its releases that are documented. What is downloaded is
# kept between runs in the directory given, else in target/ancestors.
#
# 1. The ancestor's own tests of its command line, run against this program (tests/interop/command_line.py);
#    tests/interop/VERSION.txt lists those that fail, and why. Any difference from a list is a failure.
# 2. The end-to-end tests in which both programs work on the same repository, in virtual environments.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

target=${CARGO_TARGET_DIR:-target}
directory=${1:-$target/ancestors}
mkdir -p "$directory"
directory=$(cd "$directory" && pwd)
here=$PWD

make() { # VERSION PACKAGE...
    local version=$1
    shift
    if [ ! -x "$directory/$version/bin/aictx" ]; then
        python3 -m venv "$directory/$version"
        "$directory/$version/bin/pip" install --quiet "$@"
    fi
    if [ ! -x "$directory/$version/bin/pytest" ]; then
        "$directory/$version/bin/pip" install --quiet pytest
    fi
    [ -d "$directory/aictx-$version" ] && return
    "$directory/$version/bin/pip" download --quiet --no-deps --no-binary :all: \
        --dest "$directory" "aictx==$version"
    tar --extract --gzip --directory "$directory" --file "$directory/aictx-$version.tar.gz"
    # Its tests expect to be in its repository.
    git -C "$directory/aictx-$version" init --quiet
}

command_line() { # VERSION
    echo "==> the command-line tests of $1"
    (
        cd "$directory/aictx-$1"
        PYTHONPATH=src:$here/tests/interop \
            AICTX_INTEROP_PROGRAM=$(cd "$here" && cd "$target/debug" && pwd)/aictx \
            AICTX_INTEROP_KNOWN=$here/tests/interop/$1.txt \
            "$directory/$1/bin/pytest" --quiet --tb=no --no-summary -p command_line -p no:cacheprovider tests
    )
}

make 4.5.2 aictx==4.5.2
make 7.0.1 aictx==7.0.1 tree-sitter-language-pack==0.13.0

cargo build --workspace --bins
failed=0
for version in 4.5.2 7.0.1; do
    command_line "$version" || failed=1
done
AICTX_TEST_ANCESTORS=$directory cargo test --package aictx-tests --test e2e -- interop::
exit "$failed"
