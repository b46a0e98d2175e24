//! Lines that no person wrote into a message: what programs print, and what is announced as that.

/// Longest title of a log, in characters.
const MAX_TITLE: usize = 40;

/// Returns true if a line is part of a log, or says so of itself.
pub(super) fn is_log(line: &str) -> bool {
    is_written_by_program(line) || is_titled_log(line)
}

/// Returns true if a program wrote this line: times, levels, stack frames, prompts, patches.
fn is_written_by_program(line: &str) -> bool {
    const LEADS: &[&str] = &[
        "ERROR",
        "FATAL",
        "DEBUG",
        "TRACE",
        "Traceback (",
        "File \"",
        "panicked at",
        "thread '",
        "error[",
        "error:",
        "npm ERR!",
        "Caused by:",
        "-->",
        "@@ ",
        "+++ ",
        "--- ",
        "diff --git",
        "FAILED ",
        "[ERROR",
        "[INFO",
        "[WARN",
        "[DEBUG",
        "Exception in",
        "at java.",
        "$ ",
        "❯ ",
        "Error: ",
        "TypeError:",
        "ValueError:",
        "AssertionError",
        "fatal: ",
        "warning: unused",
    ];
    let mut head = line.bytes().take(11);
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let dated = matches!(digits, 2 | 4)
        && matches!(line.as_bytes().get(digits), Some(b'-' | b':' | b'/'))
        && head.by_ref().filter(u8::is_ascii_digit).count() >= 6;
    let frame = line.starts_with("at ") && line.trim_end().ends_with(')') && line.contains(':');
    dated || frame || is_stamped(line) || LEADS.iter().any(|lead| line.starts_with(lead))
}

/// Returns true if a line begins with a time or a step in brackets: `[12:30:01]`, `[2026-01-02T…]`, `[    0.52]`,
/// `[1/4]`. A version or a scope there (`[12.x] Fix …`) is a title's.
fn is_stamped(line: &str) -> bool {
    let inside = line.strip_prefix('[').and_then(|rest| rest.split_once(']'));
    let Some((inside, _)) = inside else {
        return false;
    };
    let digits = inside.bytes().filter(u8::is_ascii_digit).count();
    let only = |others: &str| {
        inside
            .chars()
            .all(|c| c.is_ascii_digit() || others.contains(c))
    };
    let time = digits >= 4 && (inside.contains(':') || digits >= 6) && only("-:./, TZ+");
    let elapsed = inside.starts_with(' ') && digits >= 2 && only(" .");
    let step = inside.contains('/') && digits >= 2 && only("/ ");
    time || elapsed || step
}

/// Returns true if a line says of itself that it is a log: `Error log: …`, `Fehlerlog: …`. "Log:" alone may as
/// well be the heading of what somebody wants.
fn is_titled_log(line: &str) -> bool {
    const SHOWN: &[&str] = &[
        "log",
        "logs",
        "journal",
        "registro",
        "traceback",
        "trace",
        "output",
        "salida",
        "sortie",
        "saida",
        "ausgabe",
        "protokoll",
        "message",
        "mensaje",
        "mensagem",
        "meldung",
    ];
    const WHOSE: &[&str] = &[
        "error", "errors", "erreur", "erreurs", "errores", "erro", "erros", "fehler", "build",
        "ci", "server", "console", "consola", "test", "stack", "crash", "compiler",
    ];
    const COMPOUND: &[&str] = &["fehlerlog", "fehlermeldung", "fehlerprotokoll"];
    const UNSPACED: (&[&str], &[&str]) = (
        &["日志", "信息", "消息", "输出", "ログ", "メッセージ", "出力"],
        &["错误", "报错", "控制台", "エラー", "サーバー", "コンソール"],
    );
    let title = line.split([':', '：']).next().unwrap_or_default();
    if title.len() == line.len() || title.chars().nth(MAX_TITLE).is_some() {
        return false;
    }
    let title = aictx_proto::fold::fold(title);
    let words = || title.split(|c: char| !c.is_alphanumeric());
    let is_shown = |word: &str| SHOWN.contains(&word);
    let known = words().filter(|word| is_shown(word) || WHOSE.contains(word));
    let says = |list: &[&str]| list.iter().any(|text| title.contains(text));
    title.split_whitespace().count() <= 4
        && (known.count() > 1 && words().any(is_shown)
            || words().any(|word| COMPOUND.contains(&word))
            || says(UNSPACED.0) && says(UNSPACED.1))
}
