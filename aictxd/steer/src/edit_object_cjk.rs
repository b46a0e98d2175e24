//! Objects of orders in languages without blanks. Chinese sets words before a name that tell its part,
//! Japanese sets particles behind it.

use super::clause::{Clause, Item};
use super::edit_object::{Part, is_of_tests, text};
use super::word_class::Class;

/// Nouns for things made about another, or pointing at it.
const ABOUT: &[&str] = &[
    "测试",
    "单测",
    "文档",
    "说明",
    "引用",
    "导入",
    "调用",
    "覆盖",
    "依赖",
    "接口",
    "封装",
    "包装",
    "模拟",
    "mock",
    "桩",
    "链接",
    "用例",
    "副本",
    "テスト",
    "ドキュメント",
    "説明",
    "モック",
    "スタブ",
    "カバレッジ",
    "インポート",
    "参照",
    "呼び出し",
    "依存",
    "インターフェース",
    "ラッパー",
    "リンク",
    "コピー",
    "使い方",
    "用",
];

/// Chinese words before a name that only say what something is for.
const FOR: &[&str] = &[
    "为", "对", "关于", "跟", "与", "和", "用", "像", "通过", "调用", "依赖", "引用", "导入",
    "包装", "封装", "测试", "覆盖", "读取", "使用", "让", "根据", "参考", "模拟", "按照", "使",
    "针对", "指向",
];

/// Chinese words before a name that say where.
const AT: &[&str] = &["在", "位于", "到", "往", "进", "入", "向"];

/// Chinese words that say so behind it.
const WITHIN: &[&str] = &["里", "中", "内", "上", "里面", "里的", "中的"];

fn is_japanese(clause: &Clause) -> bool {
    let kana = |c: char| ('\u{3040}'..='\u{30ff}').contains(&c);
    clause.items.iter().any(|i| i.text.chars().any(kana))
}

fn starts(text: &str, words: &[&str]) -> bool {
    words.iter().any(|word| text.starts_with(word))
}

fn ends(text: &str, words: &[&str]) -> bool {
    words.iter().any(|word| text.ends_with(word))
}

/// Returns true if a verb changes its object; to write down, show or support something does not.
fn changes(item: &Item) -> bool {
    const SHOWS: &[&str] = &[
        "记录",
        "打印",
        "展示",
        "显示",
        "支持",
        "返回",
        "输出",
        "包含",
        "分析",
        "查找",
        "排查",
        "翻译",
        "記載",
        "表示",
        "出力",
        "返す",
        "返して",
        "調べて",
        "分析",
        "翻訳",
        "対応",
        "含めて",
        "调试",
        "调查",
        "調査",
    ];
    item.set.meets(super::anaphora::CHANGES) && !starts(&item.text, SHOWS)
}

/// Returns true if what is named at `at` is only what something else is about: "X 的测试".
pub(super) fn is_about(clause: &Clause, at: usize) -> bool {
    let behind: String = rest(clause, at).collect();
    let before = at.checked_sub(1).and_then(|at| clause.items.get(at));
    let genitive = behind
        .strip_prefix('的')
        .or_else(|| behind.strip_prefix('の'));
    genitive.is_some_and(|noun| starts(noun, ABOUT))
        || starts(&behind, &["用の", "用テスト", "向け"])
        || !is_japanese(clause) && before.is_some_and(|i| ends(&i.text, &["为", "对", "针对"]))
}

/// The texts behind `at`, up to the next path.
fn rest(clause: &Clause, at: usize) -> impl Iterator<Item = &str> {
    let items = clause.items.iter().skip(at + 1);
    items
        .take_while(|i| !i.has(Class::Path))
        .map(|i| i.text.as_str())
}

/// Returns true if the verb puts one thing into another.
pub(super) fn puts(clause: &Clause) -> bool {
    let puts = |i: &Item| i.has(Class::Add) && !i.has(Class::Edit);
    clause.items.iter().any(puts)
}

/// The part of what stands at `at`.
pub(super) fn part(clause: &Clause, at: usize) -> Part {
    if is_about(clause, at) {
        return Part::Beside;
    }
    let passes = |i: &Item| {
        starts(
            &i.text,
            &[
                "通过",
                "跑通",
                "通る",
                "通り",
                "通して",
                "通す",
                "パス",
                "成功",
            ],
        )
    };
    if clause.items.get(at).is_some_and(is_of_tests) && clause.items.iter().any(passes) {
        return Part::Beside;
    }
    match is_japanese(clause) {
        true => by_particle(clause, at),
        false => by_word(clause, at),
    }
}

/// Japanese.
fn by_particle(clause: &Clause, at: usize) -> Part {
    let items = &clause.items;
    let behind: String = rest(clause, at).collect();
    let is_verb_next = |skip: usize| {
        let fills = |i: &&Item| {
            !(i.set.meets(super::anaphora::CHANGES))
                && (i.has(Class::Tail)
                    || i.has(Class::Polite)
                    || i.has(Class::Again)
                    || i.has(Class::Func)
                    || i.has(Class::Also)
                    || i.has(Class::Fill))
        };
        let mut next = items.iter().skip(at + skip).skip_while(fills);
        next.next().is_some_and(changes)
    };
    if let Some(rest) = behind.strip_prefix('の') {
        let next = items.iter().skip(at + 1).find(|i| i.text != "の");
        let path = next.is_some_and(|i| i.has(Class::Path));
        return match rest.is_empty() && !path || starts(rest, &["ため", "よう", "場合"]) {
            true => Part::Beside,
            false => Part::Place,
        };
    }
    if behind.starts_with('を') || behind.starts_with('は') || behind.starts_with('も') {
        return match is_verb_next(1) {
            true => Part::Object,
            false => Part::Beside,
        };
    }
    let removes = |rest: &str| {
        ["削除", "消し", "取り除", "除去", "外し"]
            .iter()
            .any(|verb| rest.contains(verb))
    };
    let later: String = items.iter().skip(at + 1).map(|i| i.text.as_str()).collect();
    if behind.starts_with("から") && removes(&later) {
        return Part::Place;
    }
    let away = [
        "の",
        "ついて",
        "関する",
        "関して",
        "対する",
        "依存",
        "合わせ",
        "基づ",
        "応じ",
        "ある",
        "使",
    ];
    let said = behind
        .strip_prefix('に')
        .or_else(|| behind.strip_prefix('へ'))
        .or_else(|| behind.strip_prefix('で'));
    match said {
        Some(rest) if !starts(rest, &away) => Part::Place,
        _ => Part::Beside,
    }
}

/// Chinese.
fn by_word(clause: &Clause, at: usize) -> Part {
    let items = &clause.items;
    let behind: String = rest(clause, at).collect();
    let within = starts(&behind, WITHIN);
    let all = |i: &&Item| text(i, &["所有", "全部", "这个", "那个", "一下", "文件", "现在"]);
    let before = items.iter().take(at).rev().find(|i| !all(i));
    let Some(before) = before else {
        // "X 改一下", "X 里加一个检查".
        let next = items.iter().skip(at + 1).find(|i| !i.has(Class::Func));
        // "X 的 bug 修一下".
        let of_it = behind.starts_with('的') && items.iter().skip(at + 1).any(changes);
        return match within || of_it || next.is_some_and(changes) {
            true if within || of_it => Part::Place,
            true => Part::Object,
            false => Part::Beside,
        };
    };
    let word = before.text.as_str();
    if changes(before) {
        return match within {
            true => Part::Place,
            false => Part::Object,
        };
    }
    if ends(word, AT) {
        return Part::Place;
    }
    if ends(word, &["给"]) {
        // "给 X 写测试" makes something for it.
        return match ABOUT.iter().any(|noun| behind.contains(noun)) {
            true => Part::Beside,
            false => Part::Place,
        };
    }
    if ends(word, &["把", "将"]) {
        return Part::Object;
    }
    let leads = before.set.meets(super::rules::LEAD) || before.has(Class::Tail);
    match !ends(word, FOR) && leads {
        true if within => Part::Place,
        true => Part::Object,
        false => Part::Beside,
    }
}
