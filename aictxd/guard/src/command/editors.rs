//! Editors that are told what to do on the line.

use super::{Call, Judge, Kind, Tier, inline_code, stdin_source};

/// `vim -c '%d' -c wq file`: an editor that runs a script.
pub(super) fn editor(judge: &mut Judge, call: Call) {
    let words = call.arguments();
    let all = [
        "%d", "1,$d", ",d", "0,$d", "g/^/d", "g/./d", "g/.*/d", "%delete", "%s/.*//",
    ];
    let says = |text: &str| {
        text.split(['|', '\n']).any(|order| {
            let order = order.trim().trim_start_matches(['+', ':']);
            let order = ["argdo ", "bufdo ", "silent! ", "silent ", "sil! ", "sil "]
                .iter()
                .find_map(|before| order.strip_prefix(before))
                .unwrap_or(order)
                .trim_start_matches(':');
            all.contains(&order.replace("%%", "%").as_str())
        })
    };
    let told = stdin_source::piped_texts(call);
    if words.iter().any(|word| says(&word.text)) || told.iter().any(|text| says(text)) {
        let shown = words.last().map(|word| word.text.as_str());
        let name = call.name;
        judge.hit(Some(call), Kind::Overwrite, Tier::Destructive, name, shown);
    }
    let orders = words.iter().map(|word| word.text.as_str());
    let read = told.iter().flat_map(|text| text.lines());
    for order in orders.chain(read).take(256) {
        let order = order.trim_start_matches(['+', ':', ' ']);
        let order = ["silent! ", "silent ", "sil! ", "sil ", "exe ", "execute "]
            .iter()
            .find_map(|before| order.strip_prefix(before))
            .unwrap_or(order);
        if let Some(text) = order
            .trim_start_matches([':', ' ', '%', '\'', '"'])
            .strip_prefix('!')
        {
            judge.inner_script(text, call.command.remote);
        } else if order.contains('(') {
            inline_code::judge(judge, call, "vim", order);
        }
    }
}
