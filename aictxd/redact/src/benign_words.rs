//! Words that follow secret words in ordinary text and code without being secrets.

/// English words and words of programs, sorted.
#[rustfmt::skip]
static COMMON: &[&str] = &[
    "a", "about", "above", "absent", "abstract", "accepted", "access", "account", "across",
    "active", "actual", "add", "added", "admin", "advanced", "after", "again", "against", "all",
    "allocated", "allow", "allowed", "already", "also", "always", "an", "and", "annotated",
    "annotation", "any", "anyhow", "anything", "api", "app", "appears", "applied", "are",
    "argument", "arguments", "array", "as", "ask", "assert", "assigned", "async", "at", "attempt",
    "attribute", "auth", "authenticated", "authentication", "authenticator", "authorization",
    "authorized", "auto", "automatic", "available", "avoid", "await", "aws", "azure", "bad",
    "base", "based", "basic", "be", "bearer", "became", "because", "becomes", "been", "before",
    "begin", "behavior", "being", "belongs", "below", "between", "bigint", "binary", "blank",
    "blob", "block", "bool", "boolean", "both", "bound", "box", "break", "broken", "bucket",
    "buffer", "but", "by", "bytes", "cache", "call", "callback", "called", "can", "cannot", "case",
    "catch", "cell", "challenge", "change", "changed", "changes", "char", "character",
    "characters", "check", "checked", "class", "clear", "cleared", "click", "client", "close",
    "code", "column", "comes", "command", "comment", "common", "compare", "complete", "complex",
    "config", "configured", "confirm", "confirmation", "connection", "const", "constant",
    "contain", "contained", "containing", "contains", "content", "context", "control", "cookie",
    "copy", "correct", "corrupt", "could", "count", "covers", "create", "created", "creation",
    "credential", "credentials", "current", "custom", "data", "database", "date", "date-time",
    "days", "dead", "debug", "declared", "decode", "decoded", "decrypt", "def", "default",
    "defined", "delete", "deleted", "denied", "dependency", "depends", "derived", "describes",
    "detected", "dict", "did", "different", "differs", "digest", "disable", "disabled",
    "dismissed", "do", "does", "done", "double", "download", "driver", "drop", "during", "dynamic",
    "each", "edit", "either", "else", "email", "empty", "enable", "enabled", "encoded", "encoding",
    "encrypted", "end", "ends", "enter", "entered", "entry", "enum", "env", "environment", "eof",
    "error", "every", "exact", "exactly", "example", "except", "exception", "exchange", "exist",
    "existing", "exists", "expected", "expire", "expired", "expires", "expiry", "export",
    "expression", "external", "extra", "fail", "failed", "fails", "failure", "false", "fetch",
    "fetched", "few", "field", "file", "final", "find", "first", "fixed", "flag", "float", "flow",
    "followed", "following", "for", "forbidden", "forced", "forgot", "forgotten", "form", "format",
    "found", "fresh", "from", "full", "function", "future", "generate", "generated", "generation",
    "generic", "get", "gets", "github", "gitlab", "given", "gives", "global", "goes", "good",
    "google", "granted", "group", "guide", "handle", "handled", "handler", "handling", "happens",
    "has", "hash", "hashed", "have", "header", "health", "heartbeat", "hello", "help", "helper",
    "here", "hidden", "hide", "hint", "holds", "host", "how", "http", "ident", "identifier", "if",
    "ignore", "ignored", "illegal", "import", "in", "include", "included", "includes", "incorrect",
    "increased", "index", "info", "inherit", "inherited", "init", "initial", "inline", "input",
    "insecure", "insert", "inside", "instance", "instead", "int", "integer", "interactive",
    "internal", "interval", "into", "invalid", "is", "issue", "issued", "it", "item", "its",
    "json", "just", "keep", "keeps", "kept", "kerberos", "key", "keychain", "keypair", "keyring",
    "keyword", "kind", "label", "last", "later", "ldap", "leaked", "left", "length", "less", "let",
    "letters", "level", "library", "like", "limit", "line", "link", "list", "literal", "lives",
    "load", "loaded", "local", "localstorage", "location", "locked", "logged", "logic", "login",
    "long", "looks", "lookup", "loose", "lost", "made", "main", "makes", "malformed", "management",
    "manager", "manual", "many", "map", "marker", "mask", "masked", "match", "matched", "matches",
    "matching", "maximum", "may", "me", "means", "mechanism", "memory", "message", "method",
    "middleware", "minimum", "mismatch", "missing", "mock", "mode", "model", "module", "more",
    "most", "must", "mutable", "my", "name", "named", "names", "native", "near", "need", "needed",
    "needs", "never", "new", "next", "nil", "no", "node", "non", "none", "normal", "not", "note",
    "nothing", "notice", "now", "npm", "null", "nullable", "nullptr", "number", "nvarchar", "obj",
    "object", "obtained", "of", "off", "oidc", "ok", "old", "omitted", "on", "once", "one",
    "onfailure", "only", "open", "operation", "operator", "option", "optional", "options", "or",
    "order", "origin", "original", "other", "otherwise", "our", "out", "outdated", "output",
    "over", "overflow", "override", "page", "pair", "panic", "param", "parameter", "parse",
    "parsed", "parser", "parsing", "part", "pass", "passed", "passing", "password", "passwordless",
    "path", "pattern", "peer", "pending", "per", "permission", "persistent", "phrase", "pin",
    "plain", "plaintext", "please", "points", "policy", "pool", "position", "possible", "prefix",
    "present", "previous", "primary", "print", "private", "problem", "process", "processing",
    "produce", "production", "profile", "prompt", "properly", "property", "protected",
    "protection", "proves", "provide", "provided", "provider", "public", "push", "question",
    "queue", "quick", "quoted", "random", "range", "rate", "raw", "re", "reached", "read",
    "read-only", "readonly", "reads", "readwrite", "ready", "reason", "received", "recovery",
    "recreated", "redacted", "redirect", "reference", "refers", "refresh", "refreshed", "refused",
    "region", "register", "registry", "reject", "rejected", "release", "reload", "remember",
    "remote", "removed", "renewal", "renewed", "repeat", "replaced", "represents", "request",
    "requested", "required", "requirement", "requirements", "requires", "reset", "resource",
    "response", "restart", "restored", "result", "retry", "return", "returned", "returns", "reuse",
    "revoked", "right", "role", "root", "rotate", "rotated", "rotation", "route", "rule", "run",
    "running", "safe", "same", "saml", "sample", "sanitized", "save", "saved", "says", "scan",
    "scope", "script", "second", "secret", "secretstr", "section", "secure", "securestring",
    "security", "see", "seen", "select", "self", "send", "sends", "sensitive", "sent", "separate",
    "sequence", "serialized", "server", "serves", "service", "session", "sessionstorage", "set",
    "setting", "settings", "setup", "several", "sha", "shared", "short", "should", "show", "shows",
    "side", "sign", "signature", "signed", "signing", "simple", "single", "size", "skip",
    "skipped", "some", "source", "space", "span", "special", "specified", "standard", "stands",
    "start", "started", "starts", "state", "statement", "static", "status", "stays", "stderr",
    "stdin", "stdout", "step", "still", "stop", "storage", "store", "stored", "str", "stream",
    "strength", "string", "strings", "strong", "struct", "style", "subject", "submit", "success",
    "successful", "such", "suffix", "suite", "support", "supported", "switch", "symbol", "sync",
    "syntax", "system", "table", "take", "takes", "target", "task", "tells", "template",
    "temporary", "test", "tested", "text", "than", "that", "the", "their", "them", "then", "there",
    "these", "they", "this", "those", "through", "throw", "time", "timeout", "times", "title",
    "to", "today", "token", "tokenizer", "tokens", "too", "tool", "top", "transaction", "transfer",
    "transform", "tree", "true", "trust", "try", "tuple", "turns", "two", "type", "typed", "types",
    "unable", "unauthorized", "undef", "undefined", "under", "unencrypted", "unexpected", "union",
    "unique", "unknown", "unless", "unlock", "unmatched", "unrecognized", "unset", "unsigned",
    "unsupported", "unterminated", "until", "unused", "up", "update", "updated", "upload", "url",
    "usage", "use", "used", "user", "username", "users", "uses", "using", "usize", "valid",
    "validate", "validated", "validation", "validator", "value", "values", "varchar", "variable",
    "vault", "verification", "verified", "verify", "version", "via", "view", "visible", "void",
    "wait", "waiting", "wants", "warning", "was", "weak", "web", "webhook", "went", "were",
    "whatever", "when", "where", "whether", "which", "while", "who", "whoami", "will", "window",
    "with", "within", "without", "word", "words", "work", "worker", "workflow", "works", "world",
    "would", "wrapper", "write", "write-only", "wrong", "yes", "yet", "you", "your", "zero",
];

/// Technical terms that mix letters and digits.
#[rustfmt::skip]
static TECHNICAL: &[&str] = &[
    "argon2", "argon2i", "argon2id", "base32", "base58", "base64", "base64url", "bearer",
    "bigint64", "char255", "ed25519", "es256", "float32", "float64", "hs256", "hs384", "hs512",
    "http2", "i18n", "int32", "int64", "k8s", "l10n", "latin1", "md5", "oauth", "oauth1", "oauth2",
    "oauth2.0", "pbkdf2", "pkcs12", "pkcs8", "python2", "python3", "rs256", "sha1", "sha256",
    "sha384", "sha512", "sha-256", "sha-512", "sha3", "scram-sha-256", "ssha512", "step1", "step2",
    "uint32", "uint64", "uint8", "utf16", "utf8", "utf-8", "uuid4", "varchar255", "version1",
    "version2", "win32", "x509", "x86_64", "caching_sha2_password",
];

/// Returns true if the word is an ordinary one, case ignored.
pub(super) fn is_common(word: &[u8]) -> bool {
    if word.len() > 24 {
        return false;
    }
    let lower = word.to_ascii_lowercase();
    COMMON
        .binary_search_by(|w| w.as_bytes().cmp(&lower))
        .is_ok()
}

/// Words that hold sentences and messages together, and those that messages about passwords use.
/// A pass phrase made of plain nouns has none of them.
#[rustfmt::skip]
const FUNCTION_WORDS: &[&str] = &[
    "a", "an", "and", "are", "at", "be", "by", "can", "cannot", "change", "choose", "confirm", "contain", "create",
    "do", "enter", "expired", "for", "forgot", "from", "has", "have", "here", "in", "incorrect", "invalid", "is", "it",
    "least", "match", "missing", "must", "my", "new", "no", "not", "of", "old", "on", "or", "please", "required",
    "reset", "set", "should", "that", "the", "this", "to", "token", "type", "update", "use", "used", "was", "will", "with", "wrong", "you", "your",
    "show", "hide", "password", "secret", "value", "user", "login", "characters", "as", "if", "when", "our", "we", "per",
];

/// Returns true if the word belongs to a sentence rather than to a pass phrase, case ignored.
pub(super) fn is_function_word(word: &[u8]) -> bool {
    FUNCTION_WORDS
        .iter()
        .any(|w| word.eq_ignore_ascii_case(w.as_bytes()))
}

/// Words that explain a password rather than being one, beyond the common ones.
#[rustfmt::skip]
const EXPLAINING: &[&str] = &[
    "shared", "weak", "strong", "short", "plain", "plaintext", "cleartext", "blank", "unclear", "simple",
    "easy", "hard", "safe", "stale", "somewhere", "elsewhere", "supposed", "case-sensitive", "mine", "yours", "theirs",
    "hers", "fine", "okay", "enough", "gone", "alright", "wrong", "right", "sent", "kept", "held", "built", "taken", "given", "shown",
    "written", "known", "chosen", "broken", "stolen", "hidden", "forgotten", "really", "exactly", "sometimes", "often", "rather",
    "quite", "almost", "perhaps", "maybe", "whatever", "anything", "everything", "something", "nothing", "nobody",
    "identical", "equal", "equals", "similar", "longer", "shorter", "stronger", "weaker", "better", "worse", "older", "newer",
    "passed", "in-memory", "read-only", "write-only", "one-time", "per-user", "per-host", "non-empty", "base", "bytes", "letters",
    "ascii", "unicode", "alphanumeric", "numeric", "characters", "encrypted", "lowercase", "uppercase", "there", "here", "these",
    "printed", "echoed", "typed", "unchanged", "untouched", "ours", "later", "itself", "required", "compulsory", "mandatory",
    "passwort", "kennwort", "falsch", "incorrecta", "obligatoire", "leer", "wichtig", "requis", "pflicht",
    "erforderlich", "notwendig", "optional", "abgelaufen", "korrekt", "richtig", "sicher", "unsicher", "gespeichert",
    "vergessen", "vorhanden", "gleich", "verboten", "obligatoria", "requerida", "necesaria", "opcional", "correcta",
    "segura", "guardada", "olvidada", "vencida", "caducada", "igual", "requise", "incorrect", "oublié", "facultatif",
];

/// Returns true if the word says something about a password: a participle, an adjective, an adverb.
pub(super) fn is_explanation(word: &[u8]) -> bool {
    const ENDS: &[&str] = &[
        "ed", "ing", "able", "ible", "ly", "ful", "less", "ive", "ous", "ory", "ary", "ant", "ent",
        "ic", "al", "ized", "ised", "bound", "side", "only", "free", "tion", "ness", "ity",
    ];
    let lower = word.to_ascii_lowercase();
    ENDS.iter()
        .any(|e| lower.len() >= e.len() + 3 && lower.ends_with(e.as_bytes()))
        || EXPLAINING.iter().any(|w| w.as_bytes() == lower.as_slice())
}

/// Returns true if the word is listed as one that says something about a password.
pub(super) fn is_explaining(word: &[u8]) -> bool {
    EXPLAINING
        .iter()
        .any(|w| word.eq_ignore_ascii_case(w.as_bytes()))
}

/// Returns true if the word is a technical term with digits, case ignored.
pub(super) fn is_technical(word: &[u8]) -> bool {
    word.len() <= 24
        && TECHNICAL
            .iter()
            .any(|t| word.eq_ignore_ascii_case(t.as_bytes()))
}

#[cfg(test)]
mod tests {
    #[test]
    fn sorted_for_the_search() {
        assert!(super::COMMON.is_sorted());
    }
}
