# Short names for the commands of CONTRIBUTING.md. `just --list` shows them.

# Build all programs
build:
    cargo build --workspace --locked

# Run the tests whose names contain FILTER; the end-to-end tests run the built programs
test filter='': build
    cargo nextest run --workspace --locked -E 'test(/{{ filter }}/)'

# Check format, lints, spelling, dependencies and the reference pages
lint:
    cargo fmt --all --check
    cargo clippy --workspace --all-targets --locked -- -D warnings
    cargo xtask reference --check
    typos
    cargo deny check

# Everything that a change has to pass
ci:
    .ci/run

# Measure hook latency, for example `just bench --runs 2000 --aictx PATH --aictxd PATH`
bench *arguments:
    cargo run --release --package aictx-tests --bin hook_latency -- {{ arguments }}

# Fuzz TARGET, for SECONDS
fuzz target seconds='60':
    cd fuzz && cargo +nightly fuzz run {{ target }} -- -max_total_time={{ seconds }}

# Write docs/reference.md, the man pages and the completions
docs:
    cargo xtask reference

# Build the programs as packaging/install.sh installs them
dist:
    cargo build --locked --profile release-client --package aictx
    cargo build --locked --release --package aictxd
