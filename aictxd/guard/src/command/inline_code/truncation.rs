//! Files that a program leaves empty, and what it writes over.

use aictx_shell::Word;

use super::literals::{first_literal, literal_at, literal_before};
use super::scan::Find as _;
use super::{Code, MAX_CALLS};
use crate::command::path_target::is_disk;
use crate::command::{Call, Judge, Kind, Tier, file_writers};

/// Ways to write a table of data, the path first.
pub(super) const WRITERS: [&str; 11] = [
    ".to_csv(",
    ".to_parquet(",
    ".to_json(",
    ".to_excel(",
    ".to_pickle(",
    ".to_feather(",
    ".write_parquet(",
    ".write_csv(",
    ".write_json(",
    "np.save(",
    "saveRDS(",
];

/// Ways to list files; without blanks.
pub(super) const WALKS: [&str; 9] = [
    "os.walk(",
    "rglob(",
    "glob(",
    "readdirSync(",
    "readdir(",
    "Dir[",
    "walk(",
    "globSync(",
    "listdir(",
];

/// Files in which there is nothing, as a rule.
const EMPTY_BY_NATURE: [&str; 5] = ["__init__.py", ".gitkeep", ".keep", "py.typed", ".nojekyll"];

/// Returns the text behind each call of a name.
fn after<'t>(tight: &'t str, name: &'t str) -> impl Iterator<Item = &'t str> {
    let found = tight.found(name).take(MAX_CALLS);
    found.filter_map(move |(at, _)| tight.get(at + name.len()..))
}

/// Returns true if the arguments of a call, to its end, are one text that is as it is written.
fn is_one_literal(arguments: &str) -> bool {
    let Some(quote) = arguments.chars().next().filter(|c| matches!(c, '"' | '\'')) else {
        return false;
    };
    let body = arguments.get(1..).unwrap_or_default();
    let (inside, behind) = body.split_once(quote).unwrap_or((body, ""));
    let puts_in = inside.contains("#{") || inside.contains("${");
    let behind = behind.split_once(')').map_or(behind, |(rest, _)| rest);
    !puts_in
        && (behind.is_empty()
            || behind.starts_with(",encoding")
            || behind.starts_with(",'utf")
            || behind.starts_with(",\"utf"))
}

impl Code<'_> {
    /// Data that are read and written back as something else, and stores that are opened anew.
    pub(super) fn rewrites(&self, judge: &mut Judge, call: Call) {
        let tight = &self.tight;
        let verb = format!("{} writes over data", self.language);
        let mut lost = |path: &str| {
            if !judge.is_temporary(call, &Word::plain(path)) {
                let kind = Kind::Overwrite;
                judge.hit(Some(call), kind, Tier::Destructive, &verb, [path]);
            }
        };
        for name in WRITERS {
            for rest in after(tight, name) {
                let path = first_literal(rest).filter(|path| file_writers::is_data(path));
                // Once where it is read, once where it is written.
                if let Some(path) = path.filter(|path| tight.count(path) > 1) {
                    lost(path);
                }
            }
        }
        for rest in after(tight, "h5py.File(") {
            let arguments = rest.split(')').next().unwrap_or_default();
            let says = |modes: &[&str]| modes.iter().any(|mode| arguments.contains(mode));
            let anew = says(&[",'w'", ",\"w\""]);
            let less = says(&[",'r+'", ",\"r+\"", ",'a'", ",\"a\""]) && self.text.holds("del ");
            if let Some(path) = first_literal(arguments).filter(|_| anew || less) {
                lost(path);
            }
        }
        // `torch.save(model, "checkpoints/best.pt")`
        for name in ["torch.save(", "joblib.dump("] {
            for rest in after(tight, name) {
                let path = rest.split(['\'', '"']).nth(1).unwrap_or_default();
                let file = path.rsplit('/').next().unwrap_or_default();
                if file.starts_with("best") || file.starts_with("final") {
                    lost(path);
                }
            }
        }
        // `open('terraform.tfstate', 'w')`
        for rest in after(tight, "open(") {
            let arguments = rest.split(')').next().unwrap_or_default();
            let writes = [",'w", ",\"w"].iter().any(|mode| arguments.contains(mode));
            let path = first_literal(arguments)
                .filter(|_| writes)
                .unwrap_or_default();
            if path.contains(".tfstate") {
                lost(path);
            }
        }
    }

    /// Disks that are opened for writing, archives unpacked over what lies elsewhere, and nothing copied
    /// over a file.
    pub(super) fn overwrites(&self, judge: &mut Judge, call: Call) {
        let tight = &self.tight;
        let verb = format!("{} overwrites", self.language);
        for rest in after(tight, "open(") {
            let arguments = rest.split(')').next().unwrap_or_default();
            let writes = ["'w", "\"w", "'r+", "\"r+", "'a", "\"a"];
            if let Some(path) = first_literal(arguments)
                && is_disk(path)
                && writes.iter().any(|mode| arguments.contains(mode))
            {
                judge.hit(Some(call), Kind::Disk, Tier::Catastrophic, &verb, [path]);
            }
        }
        for name in ["extractall(", "unpack_archive("] {
            for rest in after(tight, name) {
                let arguments = rest.split(')').next().unwrap_or_default();
                let place = arguments.trim_start_matches("path=");
                let place = place
                    .split_once(',')
                    .map_or(place, |(first, second)| match name {
                        "extractall(" => first,
                        _ => second.trim_start_matches("extract_dir="),
                    });
                if let Some(path) = first_literal(place)
                    && judge.is_outside(call, &Word::plain(path))
                {
                    judge.hit(
                        Some(call),
                        Kind::Overwrite,
                        Tier::Destructive,
                        &verb,
                        [path],
                    );
                }
            }
        }
        for name in [
            "copyfile('/dev/null',",
            "copyfile(\"/dev/null\",",
            "copyFileSync('/dev/null',",
        ] {
            for rest in after(tight, name) {
                let path = first_literal(rest);
                let temporary =
                    path.is_some_and(|path| judge.is_temporary(call, &Word::plain(path)));
                if !temporary {
                    judge.hit(Some(call), Kind::Overwrite, Tier::Destructive, &verb, path);
                }
            }
        }
    }

    /// The same text written into every file that is found, and tables without rows written over data.
    pub(super) fn levels(&self) -> bool {
        let tight = &self.tight;
        let empty = after(tight, "DataFrame(columns=").any(|rest| {
            rest.split_once(')')
                .is_some_and(|(_, behind)| behind.starts_with(".to_"))
        });
        let lists = WALKS.iter().any(|way| tight.holds(way));
        let name = |text: &str| {
            !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
        };
        // `(name, "text")`
        let written = [
            "writeFileSync(",
            "File.write(",
            "file_put_contents(",
            "Deno.writeTextFileSync(",
        ];
        let by_call = written.iter().any(|way| {
            after(tight, way).any(|rest| {
                rest.split_once(',')
                    .is_some_and(|(file, behind)| name(file) && is_one_literal(behind))
            })
        });
        // `name.write_text("text")`, and `with open(name, "w") as f: f.write("")`
        let by_path = tight
            .found(".write_text(")
            .take(MAX_CALLS)
            .any(|(at, way)| {
                let before = tight.get(..at).unwrap_or_default();
                let file = before
                    .rsplit([':', ';', '(', ')', ']', '}', '='])
                    .next()
                    .unwrap_or_default();
                name(file) && is_one_literal(tight.get(at + way.len()..).unwrap_or_default())
            });
        let nothing = tight.holds(".write(\"\")") || tight.holds(".write('')");
        let opened = [",'w')", ",\"w\")"].iter().any(|mode| tight.holds(mode));
        empty || (lists && (by_call || by_path || (nothing && opened)))
    }

    /// Files that are opened for writing and closed, or to which nothing is written; `None` when the
    /// name is not told.
    pub(super) fn emptied(&self) -> Vec<Option<&str>> {
        let tight = &self.tight;
        let mut out = Vec::new();
        if tight.holds("truncate")
            && (tight.holds(",0)")
                || tight.holds(".truncate(0)")
                || tight.holds(",0;")
                || tight.ends_with(",0"))
            || tight.holds("truncateSync(")
        {
            let at = tight.find("truncate").map_or(0, |at| at + "truncate".len());
            let from = tight.get(at..).unwrap_or_default();
            let from = from.find(['(', '\'', '"']).map_or(at, |skip| at + skip);
            let skip = usize::from(tight.get(from..).is_some_and(|rest| rest.starts_with('(')));
            out.push(literal_at(tight, from + skip));
        }
        // `openSync('x', 'w')`, `f = open('x', 'w'); f.close()`: and nothing is written.
        let silent = ![
            "write(",
            "write ",
            "writeSync",
            "dump",
            "print",
            "puts",
            "stdout",
            "stdio",
            "pipe",
            "save",
            "copy",
            "<<",
        ]
        .iter()
        .any(|way| self.text.holds(way));
        for name in ["openSync(", "createWriteStream("] {
            for (at, _) in tight.found(name).take(MAX_CALLS) {
                let rest = tight.get(at + name.len()..).unwrap_or_default();
                let arguments = rest.split(')').next().unwrap_or_default();
                let writes = name == "createWriteStream("
                    || [",'w", ",\"w"].iter().any(|mode| arguments.contains(mode));
                if writes && silent && !arguments.contains("flags") {
                    out.push(first_literal(arguments));
                }
            }
        }
        // `open(my $f, '>', 'x')`
        if self.language == "perl" && silent {
            for (at, _) in tight.found("open(my").take(MAX_CALLS) {
                let rest = tight.get(at..).unwrap_or_default();
                let behind = ["'>',", "\">\","].iter().find_map(|mode| {
                    let (_, behind) = rest.split_once(mode)?;
                    Some(behind)
                });
                out.extend(behind.map(first_literal));
            }
        }
        // `open('x', 'w')` of which nothing is made.
        for (at, _) in tight.found("open(").take(MAX_CALLS) {
            let rest = tight.get(at + "open(".len()..).unwrap_or_default();
            let kept = tight.get(..at).is_some_and(|before| {
                before.ends_with(['=', '(', ',']) || before.ends_with("return")
            });
            let Some((arguments, behind)) = rest.split_once(')') else {
                continue;
            };
            // What is opened is printed to.
            if self.language == "perl" && !silent {
                continue;
            }
            let writes = [
                "'w'", "\"w\"", "'wb'", "\"wb\"", "'w+'", "\"w+\"", "\">\"", "'>'",
            ]
            .iter()
            .any(|mode| arguments.contains(mode));
            let nothing = behind.is_empty()
                || [
                    ";",
                    ".close(",
                    ":close(",
                    ".write('')",
                    ".write(\"\")",
                    ".write(b'')",
                    "asf:pass",
                    "{}",
                    "doioend",
                    "asf:json.dump({},f)",
                    "asf:json.dump([],f)",
                    "asf:f.write('[]')",
                    "asf:f.write('{}')",
                ]
                .iter()
                .any(|next| behind.starts_with(next))
                || behind.starts_with("asf:f.write('')")
                || behind.starts_with("asf:f.write(\"\")");
            let closed = silent && behind.ends_with(".close()") && behind.matches('(').count() == 1;
            if writes && ((nothing && !kept) || closed) {
                // `Path('x').open('w')`
                let mode = arguments.starts_with(['\'', '"']) && !arguments.contains(',');
                out.push(if mode {
                    literal_before(tight, at + "open(".len())
                } else {
                    first_literal(arguments)
                });
            }
        }
        for call in [
            "write_text('')",
            "write_text(\"\")",
            "write_bytes(b'')",
            "write_bytes(b\"\")",
        ] {
            for (at, _) in tight.found(call).take(MAX_CALLS) {
                let before = tight.get(..at).unwrap_or_default().trim_end_matches('.');
                let file = before.trim_end_matches([')', '\'', '"']);
                if EMPTY_BY_NATURE.iter().any(|name| file.ends_with(name)) {
                    continue;
                }
                out.push(literal_before(
                    tight,
                    at + call.find('(').map_or(0, |open| open + 1),
                ));
            }
        }
        for name in [
            "writeFileSync(",
            "writeFile(",
            "File.write(",
            "file_put_contents(",
            "Deno.writeTextFileSync(",
            "Deno.writeTextFile(",
            "Bun.write(",
            "os.WriteFile(",
        ] {
            for (at, _) in tight.found(name).take(MAX_CALLS) {
                let rest = tight.get(at + name.len()..).unwrap_or_default();
                let arguments = rest.split(')').next().unwrap_or_default();
                let path = first_literal(arguments);
                let nothing = [",''", ",\"\"", ",nil,0644", ",null", ",[]byte{},0644"]
                    .iter()
                    .any(|end| arguments.ends_with(end));
                // A list of nothing is how a new file begins, and how a table of data ends.
                let none = [",'[]'", ",\"[]\"", ",'{}'", ",\"{}\""]
                    .iter()
                    .any(|end| arguments.ends_with(end))
                    && path.is_some_and(file_writers::is_kept_data);
                if nothing || none {
                    out.push(path);
                }
            }
        }
        out
    }
}
