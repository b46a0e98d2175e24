//! Hits whose files changed or vanished since.

use std::collections::BTreeMap;

use aictx_proto::methods::RecallItem;
use aictx_proto::record::Anchor;
use aictx_proto::snapshot::Snapshot;

use crate::file_anchors::{Presents, dirt, is_plain, missing};
use crate::ids::{decision_id, handoff_id, strategy_id};

/// Most changes told of a hit.
const MAX_STALE: usize = 3;
/// Most files looked at for one answer.
const MAX_PATHS: usize = 400;

/// The anchors of a hit: those of its row; for a handoff those of the strategy that its execution left.
fn anchors_of<'s>(snapshot: &'s Snapshot, item: &RecallItem) -> &'s [Anchor] {
    let id = item.id.as_str();
    let found = match item.kind.as_str() {
        "decision" => {
            let mut rows = snapshot.decisions.iter().rev();
            rows.find(|row| decision_id(row) == id)
                .map(|row| &row.anchors)
        }
        "failure" => {
            let mut rows = snapshot.failures.iter().rev();
            rows.find(|row| row.failure_id == id)
                .map(|row| &row.anchors)
        }
        "strategy" => {
            let mut rows = snapshot.strategies.iter().rev();
            rows.find(|row| strategy_id(row) == id)
                .map(|row| &row.anchors)
        }
        "handoff" => {
            let mut handoffs = snapshot.handoffs.iter().rev();
            let handoff = handoffs.find(|row| handoff_id(row) == id);
            let execution = handoff.map(|row| row.execution_id.as_str());
            let mut rows = snapshot.strategies.iter().rev();
            let own = rows.find(|row| Some(row.task_id.as_str()) == execution);
            own.map(|row| &row.anchors)
        }
        _ => None,
    };
    found.map_or(&[], Vec::as_slice)
}

/// The files (relative) on which it depends whether hits are stale, and which of them need their definitions.
pub fn recalled_paths(snapshot: &Snapshot, items: &[RecallItem]) -> BTreeMap<String, bool> {
    let mut paths = BTreeMap::new();
    for item in items {
        for anchor in anchors_of(snapshot, item) {
            *paths.entry(anchor.path.clone()).or_insert(false) |= !anchor.symbols.is_empty();
        }
        for path in &item.files {
            paths.entry(path.clone()).or_insert(false);
        }
        if paths.len() >= MAX_PATHS {
            break;
        }
    }
    paths.retain(|path, _| is_plain(path));
    paths
}

/// Notes on each hit which of its files changed or vanished since.
pub fn mark_stale(snapshot: &Snapshot, items: &mut [RecallItem], presents: &Presents) {
    for item in items {
        let anchors = anchors_of(snapshot, item);
        let mut stale: Vec<String> = missing(&item.files, presents)
            .into_iter()
            .map(|path| format!("file gone: {path}"))
            .collect();
        // A file of the hit that is gone was told above.
        let is_news = |anchor: &&Anchor| {
            let now = presents.get(&anchor.path);
            !item.files.contains(&anchor.path) || now.is_some_and(|now| !now.blob.is_empty())
        };
        let others: Vec<Anchor> = anchors.iter().filter(is_news).cloned().collect();
        let changed = dirt(&others, presents).into_iter();
        stale.extend(changed.map(|what| format!("file changed since: {what}")));
        stale.truncate(MAX_STALE);
        item.stale = stale;
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use aictx_proto::record::Decision;

    use super::*;
    use crate::file_anchors::Present;

    #[test]
    fn a_hit_whose_files_changed_or_vanished_says_so() {
        let anchor = |path: &str| Anchor {
            path: path.to_owned(),
            blob: "then".to_owned(),
            ..Anchor::default()
        };
        let row = Decision {
            decision: "amounts are decimals".to_owned(),
            anchors: ["same.py", "other.py", "gone.py"].map(anchor).into(),
            ..Decision::default()
        };
        let id = decision_id(&row);
        let snapshot = Snapshot {
            decisions: aictx_proto::snapshot::shared([row]),
            ..Snapshot::default()
        };
        let mut items = [RecallItem {
            id,
            kind: "decision".to_owned(),
            files: vec!["same.py".to_owned(), "gone.py".to_owned()],
            ..RecallItem::default()
        }];
        let wanted = recalled_paths(&snapshot, &items);
        assert_eq!(wanted.len(), 3);
        let now = |blob: &str| {
            Arc::new(Present {
                blob: blob.to_owned(),
                ..Present::default()
            })
        };
        let mut presents = Presents::new();
        for (path, blob) in [("same.py", "then"), ("other.py", "now"), ("gone.py", "")] {
            presents.insert(path.to_owned(), now(blob));
        }
        mark_stale(&snapshot, &mut items, &presents);
        let told = ["file gone: gone.py", "file changed since: other.py changed"];
        assert_eq!(items[0].stale, told);
        mark_stale(&snapshot, &mut items, &Presents::new());
        assert!(
            items[0].stale.is_empty(),
            "what was not looked at says nothing"
        );
    }
}
