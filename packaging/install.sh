#!/bin/sh
# Builds aictx from this source tree and installs it for the current user. Run it again to upgrade.
set -eu

usage() {
    cat <<'USAGE'
usage: packaging/install.sh [REPO] [--prefix DIR] [--no-service] [--no-agents]
       packaging/install.sh --uninstall [--purge] [--prefix DIR]

  REPO           repository to register (aictx init REPO)
  --prefix DIR   install below DIR instead of ~/.local
  --no-agents    leave your agents' settings alone; aictx install does it later
  --no-service   install no systemd or launchd unit; the daemon runs as a plain process
  --uninstall    take aictx out of your agents' files, stop the daemon, remove the programs
  --purge        with --uninstall: delete the memory of all repositories, too
USAGE
}

say() { printf '%s\n' "$*"; }
step() { printf '==> %s\n' "$*"; }
warn() { printf 'install.sh: %s\n' "$*" >&2; }
die() {
    warn "$1"
    [ $# -lt 2 ] || printf 'hint: %s\n' "$2" >&2
    exit 1
}
wrong() {
    warn "$1"
    usage >&2
    exit 2
}

repo=
prefix=
service=yes
agents=yes
uninstall=no
purge=no
while [ $# -gt 0 ]; do
    case $1 in
    --prefix)
        [ $# -ge 2 ] || wrong "--prefix needs a directory"
        prefix=$2
        shift
        ;;
    --prefix=*) prefix=${1#--prefix=} ;;
    --no-service) service=no ;;
    --no-agents) agents=no ;;
    --uninstall) uninstall=yes ;;
    --purge) purge=yes ;;
    -h | --help)
        usage
        exit 0
        ;;
    -*) wrong "unknown option $1" ;;
    *)
        [ -z "$repo" ] || wrong "more than one repository given"
        repo=$1
        ;;
    esac
    shift
done

[ "$purge" = no ] || [ "$uninstall" = yes ] || wrong "--purge needs --uninstall"
[ -n "${HOME:-}" ] || die "HOME is not set" "set it to a directory of yours"
prefix=${prefix:-$HOME/.local}
case $prefix in /*) ;; *) prefix=$PWD/$prefix ;; esac
bin=$prefix/bin
source=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
units=${XDG_CONFIG_HOME:-$HOME/.config}/systemd/user
agent=$HOME/Library/LaunchAgents/dev.aictx.aictxd.plist
system=$(uname -s)
label=dev.aictx.aictxd

# Where man pages and completions go: source below packaging/reference, target below the prefix.
extras() {
    for page in "$source"/packaging/reference/man/*.1; do
        [ ! -e "$page" ] || echo "man/$(basename "$page") share/man/man1/$(basename "$page")"
    done
    echo "completions/aictx.bash share/bash-completion/completions/aictx"
    echo "completions/_aictx share/zsh/site-functions/_aictx"
    echo "completions/aictx.fish share/fish/vendor_completions.d/aictx.fish"
}

# Copies beside the target and renames, so that nobody ever runs half a program.
draft=
trap '[ -z "$draft" ] || rm -f -- "$draft"' EXIT
trap 'exit 1' HUP INT TERM
place() { # SOURCE TARGET MODE
    mkdir -p -- "$(dirname -- "$2")"
    draft=$2.new.$$
    cp -- "$1" "$draft"
    chmod "$3" "$draft"
    mv -f -- "$draft" "$2"
    draft=
}

# The user's own systemd, when it looks after the socket that clients look for.
have_systemd() {
    [ "$system" = Linux ] && [ -z "${AICTX_SOCKET:-}" ] && [ -n "${XDG_RUNTIME_DIR:-}" ] &&
        command -v systemctl >/dev/null 2>&1 && systemctl --user show-environment >/dev/null 2>&1
}

remove_units() {
    if [ -e "$units/aictxd.service" ] || [ -e "$units/aictxd.socket" ]; then
        if have_systemd; then
            systemctl --user disable --now aictxd.socket aictxd.service >/dev/null 2>&1 || true
        fi
        rm -f -- "$units/aictxd.service" "$units/aictxd.socket"
        if have_systemd; then systemctl --user daemon-reload || true; fi
    fi
    if [ -e "$agent" ]; then
        launchctl bootout "gui/$(id -u)/$label" >/dev/null 2>&1 || true
        rm -f -- "$agent"
    fi
}

if [ "$uninstall" = yes ]; then
    [ -z "$repo" ] || wrong "--uninstall takes no repository; aictx repo remove forgets one"
    remove_units
    if [ -x "$bin/aictx" ]; then
        # Takes every entry out of the agents' files and stops the daemon.
        if [ "$purge" = yes ]; then
            "$bin/aictx" uninstall --purge --yes && gone=0 || gone=$?
        else
            "$bin/aictx" uninstall && gone=0 || gone=$?
        fi
        [ "$gone" -eq 0 ] ||
            die "not everything could be taken out of your agents' files; the programs stay" \
                "repair the files that are named and run this again"
    fi
    rm -f -- "$bin/aictx" "$bin/aictxd"
    extras | while read -r _ target; do rm -f -- "$prefix/$target"; done
    if [ "$system" = Darwin ]; then
        state="$HOME/Library/Application Support/aictx"
        cache=$HOME/Library/Caches/aictx
    else
        state=${XDG_STATE_HOME:-$HOME/.local/state}/aictx
        cache=${XDG_CACHE_HOME:-$HOME/.cache}/aictx
    fi
    say "removed aictx from $prefix"
    say ""
    if [ "$purge" = no ]; then
        say "What stays, because it is yours:"
        say "  $state (registry, archives, logs, memory of init --stealth)"
        say "  $cache (indexes; may be deleted any time)"
        say "  .aictx/ in each repository (its memory), hidden from git as before"
        say "with --purge these go, too"
    fi
    exit 0
fi

if [ -n "$repo" ]; then
    [ -d "$repo" ] || die "$repo is not a directory" "give the path of a git repository"
    repo=$(CDPATH='' cd -- "$repo" && pwd)
fi
command -v cargo >/dev/null 2>&1 ||
    die "cargo is not on PATH" "install Rust 1.95 or newer, for example from https://rustup.rs"
command -v cc >/dev/null 2>&1 || command -v gcc >/dev/null 2>&1 || command -v clang >/dev/null 2>&1 ||
    die "there is no C compiler, which Rust needs to link" "install gcc or clang"

cd -- "$source"
target_dir=$(cargo metadata --format-version 1 --no-deps --locked |
    sed -n 's/.*"target_directory":"\([^"]*\)".*/\1/p')
[ -n "$target_dir" ] || die "cargo does not say where it builds" "set CARGO_TARGET_DIR"

# The client is started for every tool call of an agent. Static and at a fixed address it starts
# about three times as fast, because nothing is left to load or to relocate. The flags belong to
# this build alone, and --target keeps them and their artifacts apart from everything else.
lean="-C relocation-model=static -C target-cpu=generic"
lean="$lean -C link-arg=-Wl,-z,norelro,-z,noseparate-code,--build-id=none"

client_for() { # TRIPLE FLAGS
    (
        unset CARGO_ENCODED_RUSTFLAGS CARGO_BUILD_RUSTFLAGS
        RUSTFLAGS=$2
        export RUSTFLAGS
        cargo build --locked --profile release-client -p aictx --target "$1"
    ) || return 1
    client=$target_dir/$1/release-client/aictx
    # A program that does not start is no program.
    "$client" --version >/dev/null 2>&1
}

have_musl() { # TRIPLE
    if command -v rustup >/dev/null 2>&1; then
        rustup target add "$1" >/dev/null 2>&1 || return 1
    fi
    library=$(rustc --print target-libdir --target "$1" 2>/dev/null) && [ -d "$library" ]
}

build_client() {
    if [ "$system" = Linux ]; then
        machine=$(uname -m)
        host=$(rustc -vV | sed -n 's/^host: //p')
        case $machine in
        x86_64 | aarch64)
            musl=$machine-unknown-linux-musl
            if have_musl "$musl" && client_for "$musl" "-C target-feature=+crt-static $lean"; then
                return
            fi
            ;;
        esac
        say "    without musl: static with this system's C library"
        if client_for "$host" "-C target-feature=+crt-static $lean"; then return; fi
        say "    no static C library: an ordinary program, which starts a little slower"
    fi
    cargo build --locked --profile release-client -p aictx
    client=$target_dir/release-client/aictx
}

step "building the client"
client=
build_client
step "building the daemon"
cargo build --locked --release -p aictxd

step "installing into $prefix"
place "$target_dir/release/aictxd" "$bin/aictxd" 755
place "$client" "$bin/aictx" 755
extras | while read -r from target; do
    [ ! -e "$source/packaging/reference/$from" ] ||
        place "$source/packaging/reference/$from" "$prefix/$target" 644
done

start_systemd() {
    have_systemd || return 1
    mkdir -p -- "$units" || return 1
    # systemd reads %, $ and quotes in ExecStart.
    program=$(printf '%s' "$bin/aictxd" | sed -e 's/%/%%/g' -e 's/\$/$$/g' -e 's/[\\"]/\\&/g')
    replacement=$(printf '%s' "$program" | sed 's/[\\&|]/\\&/g')
    sed "s|^ExecStart=.*|ExecStart=\"$replacement\" run --detach|" \
        "$source/packaging/systemd/aictxd.service" >"$units/aictxd.service" || return 1
    cp -- "$source/packaging/systemd/aictxd.socket" "$units/aictxd.socket" || return 1
    "$bin/aictx" daemon stop >/dev/null 2>&1 || true
    systemctl --user daemon-reload &&
        systemctl --user enable aictxd.socket aictxd.service >/dev/null 2>&1 &&
        systemctl --user restart aictxd.socket aictxd.service &&
        "$bin/aictx" daemon status >/dev/null 2>&1
}

start_launchd() {
    [ "$system" = Darwin ] || return 1
    mkdir -p -- "$(dirname -- "$agent")" || return 1
    program=$(printf '%s' "$bin/aictxd" | sed -e 's/&/\&amp;/g' -e 's/</\&lt;/g' -e 's/[\\&|]/\\&/g')
    sed "s|@AICTXD@|$program|" "$source/packaging/launchd/$label.plist" >"$agent" || return 1
    "$bin/aictx" daemon stop >/dev/null 2>&1 || true
    launchctl bootout "gui/$(id -u)/$label" >/dev/null 2>&1 || true
    launchctl bootstrap "gui/$(id -u)" "$agent"
}

step "starting the daemon"
if [ "$service" = yes ] && start_systemd; then
    say "    by systemd (systemctl --user status aictxd)"
elif [ "$service" = yes ] && start_launchd; then
    say "    by launchd ($label)"
else
    # Without a working user manager its units would only be in the way.
    remove_units
    # A daemon that runs already is of an older build, or of another prefix.
    "$bin/aictx" daemon restart ||
        warn "the daemon does not run; commands work without it and try again each time"
fi

if [ "$agents" = yes ]; then
    step "registering the hooks of your coding agents"
    "$bin/aictx" install --yes ||
        warn "some files were left as they are; aictx doctor says what to do"
fi

if [ -n "$repo" ]; then
    step "registering $repo"
    "$bin/aictx" init "$repo"
fi

say ""
say "aictx is installed. Next:"
case :$PATH: in
*:"$bin":*) ;;
*) say "  export PATH=\"$bin:\$PATH\"   # in your shell's profile; hooks do not need it" ;;
esac
if [ -n "$repo" ]; then
    say "  start your agent in $repo as always: its sessions are remembered from now on"
    say "  aictx resume --repo $repo   shows what the next session will be told"
else
    say "  aictx init /path/to/repo   lets a repository be remembered"
fi
say "  aictx status   shows the daemon"
