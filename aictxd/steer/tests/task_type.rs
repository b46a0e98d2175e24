//! The task classifier against requests that were written before it was run on them.

use std::collections::BTreeMap;

use aictx_steer::TaskScores;

#[test]
fn blind_set() {
    let mut counts: BTreeMap<&str, (u32, u32)> = BTreeMap::new();
    for line in include_str!("task_type/first.txt")
        .lines()
        .filter(|l| !l.starts_with('#'))
    {
        let (language, rest) = line.split_once('|').unwrap();
        let (want, text) = rest.split_once('|').unwrap();
        let mut scores = TaskScores::default();
        scores.read(text, 1);
        let found = scores.best().map_or("unknown", |(name, _, _)| name);
        let count = counts.entry(language).or_default();
        count.1 += 1;
        if found == want {
            count.0 += 1;
        } else {
            println!(
                "{language}: {text:?} is {want}, read as {} {:?}",
                found,
                scores.signals()
            );
        }
    }
    for (language, (right, all)) in counts {
        let rate = f64::from(right) / f64::from(all);
        println!("{language}: {right}/{all} = {rate:.3}");
        assert!(rate >= 0.85, "{language}: {rate}");
    }
}
