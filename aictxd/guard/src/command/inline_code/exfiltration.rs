//! Programs that send secrets away.

use super::scan::{Asked, Find as _};

/// Ways to send something; without blanks.
pub(super) const SENDS: &[&str] = &[
    "requests.post(",
    "requests.put(",
    "httpx.post(",
    "httpx.put(",
    "urlopen(",
    "method:'POST'",
    "method:\"POST\"",
    "method:'PUT'",
    "method:\"PUT\"",
    "axios.post(",
    "Net::HTTP.post",
    "HTTParty.post",
    "Faraday.post",
    ".sendall(",
    ".send_message(",
    ".sendmail(",
    "->post(",
];
/// Places of secrets, and names of the whole environment; without blanks.
const SECRETS: &[&str] = &[
    "'.ssh'",
    "\".ssh\"",
    "'.aws'",
    "\".aws\"",
    "'.gnupg'",
    "\".gnupg\"",
    ".aws/credentials",
    ".ssh/id_",
    ".netrc",
    ".kube/config",
    ".docker/config.json",
    ".git-credentials",
    ".pypirc",
    ".npmrc",
    "/etc/shadow",
    ".gnupg/",
    "dict(os.environ",
    "dumps(os.environ",
    "os.environ.items()",
    "os.environ.copy()",
    "stringify(process.env)",
    "Object.entries(process.env)",
    "json_encode($_ENV",
    "json_encode(getenv()",
    "encode_json(\\%ENV",
    "System.getenv())",
    "Deno.env.toObject()",
    "ENV.to_h",
    "ENV.to_json",
];

/// Returns true if a program, without blanks, reads secrets and sends something.
pub(super) fn sends_secrets(tight: &Asked) -> bool {
    SENDS.iter().any(|way| tight.holds(way))
        && (SECRETS.iter().any(|place| tight.holds(place))
            || (names_settings(tight) && !tight.holds("dotenv")))
}

/// `'.env'`, `".env.production"`, `'.env*'`; an example holds no secrets.
fn names_settings(tight: &Asked) -> bool {
    let found = tight.found(".env").take(64);
    found
        .filter(|(at, _)| {
            let before = tight.get(..*at).unwrap_or_default();
            before.ends_with(['\'', '"', '/'])
        })
        .any(|(at, name)| {
            let behind = tight.get(at + name.len()..).unwrap_or_default();
            let end = behind.split(['\'', '"']).next().unwrap_or_default();
            let examples = ["example", "sample", "template", "dist"];
            (end.is_empty() || end.starts_with(['.', '*']))
                && !examples.iter().any(|word| end.contains(word))
        })
}
