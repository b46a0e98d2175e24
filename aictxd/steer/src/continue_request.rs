//! Requests that only say to go on: with what, the last handoff knows.

use std::collections::HashSet;
use std::sync::LazyLock;

use aictx_proto::fold::is_unspaced_script;

/// Longest such request, in words, or twice as many characters of a script without spaces.
const MAX_WORDS: usize = 16;

/// Words of requests to continue that name nothing themselves.
static WORDS: &str = "\
    a ahead and as at back before can carry continue continuing could current do doing earlier evening finish first \
    friday from go going good hello hey hi i in it just keep last left let let's lets me monday morning my next night now \
    of off ok okay on our paused pick please previous proceed rest resume resuming right session same so start started \
    step still stopped task that the then there thing things this time to today up us was we week weekend were what \
    whatever where with work working yesterday yesterday's you your \
    al anterior aquello ayer con continuar continuemos continúa continua dale de dejamos dejaste dejé desde donde \
    dónde el esto eso estábamos favor haciendo hola hoy la lo misma mismo nos otra por quedamos quedaste que retoma \
    retomar retomemos seguir seguimos sesión siga sigamos sigue tarea tema trabajo vale venga vez viernes última y \
    à allez arrêté arrêtés arrêtée avec bonjour ce cette continue continuer continuons d'hier dernière dernier du en \
    es est était étions fait fois hier j'étais la là le les l'on même où on poursuis poursuivons reprend reprends \
    reprendre reprenons s'est salut séance session suite t'es tu tâche travail vas-y vendredi stp \
    an am arbeit auf aufgehört aufgabe bist bitte da damit das dem der die dort du einfach fahr fahre fort fortfahren \
    fortsetzen freitag gestern gestrigen geblieben haben hallo hast heute ich knüpf letzte letzten letzter mach mache \
    machen mal mit moin montag sache sind sitzung stand stehen stehengeblieben und vom von waren weiter weitermachen \
    wir wo woche woran zu zuletzt setz setze sonst \
    aí agora anterior bom bora com continua continuar continue continuemos dia do estava estávamos fazendo favor \
    nisso o oi olá onde ontem para parei paramos parou pode por prossiga que retoma retomar retome segue seguir siga \
    sessão sexta tarefa trabalho última última vamos vez";

static KNOWN: LazyLock<HashSet<&str>> = LazyLock::new(|| WORDS.split_whitespace().collect());

/// The same of scripts without spaces; longer ones first.
static PARTS: &[&str] = &[
    "お願いします",
    "していた",
    "しましょう",
    "ください",
    "続けて",
    "続き",
    "続け",
    "昨日",
    "前回",
    "さっき",
    "作業",
    "今日",
    "から",
    "まで",
    "やって",
    "して",
    "いた",
    "ところ",
    "没做完",
    "停下",
    "地方",
    "继续",
    "接着",
    "昨天",
    "今天",
    "上次",
    "之前",
    "刚才",
    "工作",
    "任务",
    "往下",
    "我们",
    "那个",
    "的",
    "做",
    "吧",
    "来",
    "请",
    "从",
    "干",
    "弄",
    "完",
    "の",
    "を",
    "で",
    "ね",
    "よ",
    "に",
];

/// Words that make it a wish to go on rather than small talk.
static ONWARD: &[&str] = &[
    "continu",
    "carry on",
    "go on",
    "keep going",
    "resum",
    "proceed",
    "pick up",
    "next step",
    "go ahead",
    "where were we",
    "where we left",
    "where you left",
    "where i left",
    "sigue",
    "siga",
    "seguir",
    "seguimos",
    "sigamos",
    "retom",
    "reprend",
    "reprenons",
    "poursui",
    "weiter",
    "fortsetzen",
    "fortfahren",
    "fort",
    "segue",
    "prossiga",
    "继续",
    "接着",
    "往下",
    "続",
];

/// Returns true if a request says to go on and nothing else. What it names decides nothing: "continue with the
/// parser" has a goal of its own.
///
/// Time is linear in the first words of the request.
pub fn only_goes_on(request: &str) -> bool {
    let lower = request.trim().to_lowercase().replace('’', "'");
    if lower.chars().count() > MAX_WORDS * 12 {
        return false;
    }
    let is_letter = |c: char| c.is_alphanumeric() || matches!(c, '\'' | '-');
    let mut words = 0;
    for word in lower.split(|c: char| !is_letter(c)) {
        if word.is_empty() {
            continue;
        }
        words += 1;
        let known = if word.chars().any(is_unspaced_script) {
            PARTS
                .iter()
                .fold(word.to_owned(), |rest, part| rest.replace(part, ""))
                .is_empty()
        } else {
            KNOWN.contains(word)
        };
        if !known || words > MAX_WORDS {
            return false;
        }
    }
    ONWARD.iter().any(|part| lower.contains(part))
}

/// Returns true if a request begins with the wish to go on, whatever follows, or is empty.
pub fn is_continuation(request: &str) -> bool {
    const PHRASES: &[&str] = &[
        "continue",
        "resume",
        "pick up",
        "carry on",
        "go on",
        "keep going",
        "proceed",
        "next step",
        "where were we",
        "continúa",
        "continua",
        "sigue",
        "seguir",
        "continuer",
        "reprends",
        "reprendre",
        "weiter",
        "mach weiter",
        "fortsetzen",
        "继续",
        "接着",
        "続け",
        "続き",
    ];
    let lower = request.trim().to_lowercase();
    lower.is_empty() || PHRASES.iter().any(|p| lower.starts_with(p))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_only_says_to_go_on_names_nothing() {
        for text in [
            "continue",
            "Please continue where we left off yesterday.",
            "pick up from last time",
            "ok, let's carry on with the previous task",
            "sigue con lo de ayer",
            "seguimos donde lo dejamos, por favor",
            "reprends là où on s'est arrêté",
            "mach bitte da weiter, wo du gestern aufgehört hast",
            "continua de onde paramos ontem",
            "继续昨天的工作",
            "接着上次没做完的任务吧",
            "昨日の続きをお願いします",
        ] {
            assert!(only_goes_on(text), "{text}");
        }
        for text in [
            "continue with the parser",
            "sigue con el límite de profundidad",
            "weiter mit den Tests",
            "继续修复登录",
            "パーサーの続きをお願いします",
            "hello",
            "yesterday",
            "",
            "resume upload after a dropped connection",
        ] {
            assert!(!only_goes_on(text), "{text}");
        }
        assert!(is_continuation("continue where we left off") && is_continuation("继续"));
        assert!(!is_continuation("add a button"));
    }
}
