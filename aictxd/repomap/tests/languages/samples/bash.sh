#!/usr/bin/env bash
# Licence.

set -eu
source ./lib/common.sh
. "$DIR/env.sh"
readonly LIMIT=10
export NAME="x"
plain=1

# Builds it. More.
build() {
  local a=1
  nested() { :; }
}

function deploy {
  echo
}
function with_parens() { :; }
if true; then
  conditional() { :; }
fi
alias ll='ls'
