use super::*;
use crate::index_view::Field;
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::fs;

static GO_ON: AtomicBool = AtomicBool::new(false);

struct Place0 {
    home: tempfile::TempDir,
}

impl Place0 {
    fn new() -> Self {
        let home = tempfile::tempdir().unwrap();
        fs::create_dir(home.path().join("tree")).unwrap();
        Self { home }
    }

    fn root(&self) -> PathBuf {
        self.home.path().join("tree")
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.root().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        // Old enough that its stamp can be trusted.
        let old = std::time::SystemTime::now() - Duration::from_secs(60);
        let file = fs::File::options().write(true).open(path).unwrap();
        file.set_modified(old + Duration::from_millis(text.len() as u64))
            .unwrap();
    }

    fn open(&self) -> Indexer {
        let cache = Cache::new(self.home.path().join("cache"), "main");
        let options = Options {
            threads: 2,
            background: false,
            ..Options::default()
        };
        Indexer::open(&self.root(), None, Some(cache), options)
    }
}

/// Everything that ranking could see: for each path its words among those the tests use, and its
/// length.
fn dump(tree: &Tree) -> Vec<(String, u32, BTreeSet<String>)> {
    let mut files: Vec<_> = (0..tree.files())
        .map(|file| {
            let file = FileId(file);
            (
                tree.path(file).to_owned(),
                tree.lengths(Field::Body)[file.0 as usize],
                BTreeSet::new(),
            )
        })
        .collect();
    for word in ["alpha", "beta", "gamma", "delta", "omega"] {
        tree.postings(Field::Body, &tree.term(word), &mut |found| {
            for (file, count) in found {
                files[file.0 as usize].2.insert(format!("{word}:{count}"));
            }
        });
    }
    files
}

fn has(tree: &Tree, word: &str) -> Vec<String> {
    let mut paths = Vec::new();
    tree.postings(Field::Body, &tree.term(word), &mut |found| {
        paths.extend(found.iter().map(|(file, _)| tree.path(*file).to_owned()));
    });
    paths.sort();
    paths
}

#[test]
fn a_changed_file_replaces_what_it_said() {
    let place = Place0::new();
    place.write("a.txt", "alpha beta");
    place.write("b.txt", "beta");
    let indexer = place.open();
    let report = indexer.reconcile(&GO_ON);
    assert_eq!((report.files, report.parsed, report.pending), (2, 2, 0));
    assert_eq!(has(&indexer.tree(), "beta"), ["a.txt", "b.txt"]);
    place.write("a.txt", "gamma only");
    place.write("sub/c.txt", "beta beta");
    fs::remove_file(place.root().join("b.txt")).unwrap();
    let batch = [b"a.txt".to_vec(), b"b.txt".to_vec(), b"sub/c.txt".to_vec()];
    let report = indexer.changed(&batch, &GO_ON);
    assert_eq!((report.files, report.parsed, report.removed), (2, 2, 1));
    assert_eq!(has(&indexer.tree(), "beta"), ["sub/c.txt"]);
    assert_eq!(has(&indexer.tree(), "gamma"), ["a.txt"]);
    assert_eq!(has(&indexer.tree(), "alpha"), [] as [&str; 0]);
}

#[test]
fn nothing_changed_is_nothing_done() {
    let place = Place0::new();
    place.write("a.txt", "alpha");
    let indexer = place.open();
    indexer.reconcile(&GO_ON);
    let before = indexer.tree();
    let report = indexer.reconcile(&GO_ON);
    assert_eq!((report.parsed, report.reused), (0, 0));
    assert!(Arc::ptr_eq(&before, &indexer.tree()));
}

#[test]
fn a_known_content_is_never_parsed_again() {
    let place = Place0::new();
    place.write("a.txt", "alpha");
    place.write("copy.txt", "alpha");
    let indexer = place.open();
    assert_eq!(indexer.reconcile(&GO_ON).parsed, 1);
    assert_eq!(has(&indexer.tree(), "alpha"), ["a.txt", "copy.txt"]);
    place.write("a.txt", "beta!");
    assert_eq!(indexer.reconcile(&GO_ON).parsed, 1);
    fs::remove_file(place.root().join("copy.txt")).unwrap();
    indexer.reconcile(&GO_ON);
    assert_eq!(has(&indexer.tree(), "alpha"), [] as [&str; 0]);
    place.write("a.txt", "alpha");
    let report = indexer.reconcile(&GO_ON);
    assert_eq!((report.parsed, report.reused), (0, 1));
    assert_eq!(has(&indexer.tree(), "alpha"), ["a.txt"]);
}

#[test]
fn the_next_start_knows_what_this_one_knew() {
    let place = Place0::new();
    for number in 0..30 {
        place.write(
            &format!("f{number}.txt"),
            &format!("alpha beta word{number}"),
        );
    }
    let indexer = place.open();
    indexer.reconcile(&GO_ON);
    indexer.save().unwrap();
    let before = dump(&indexer.tree());
    drop(indexer);
    let again = place.open();
    assert_eq!(dump(&again.tree()), before);
    assert_eq!(again.reconcile(&GO_ON).parsed, 0);
    assert_eq!(dump(&again.tree()), before);
}

#[test]
fn another_worktree_finds_what_the_first_one_parsed() {
    let place = Place0::new();
    place.write("a.txt", "alpha");
    let indexer = place.open();
    indexer.reconcile(&GO_ON);
    indexer.save().unwrap();
    let cache = Cache::new(place.home.path().join("cache"), "second");
    let second = Indexer::open(&place.root(), None, Some(cache), Options::default());
    assert_eq!(second.tree().files(), 0);
    let report = second.reconcile(&GO_ON);
    assert_eq!((report.parsed, report.reused), (0, 1));
}

#[test]
fn a_damaged_cache_costs_time_and_nothing_else() {
    let place = Place0::new();
    for number in 0..10 {
        place.write(
            &format!("f{number}.txt"),
            &format!("alpha beta word{number}"),
        );
    }
    let indexer = place.open();
    indexer.reconcile(&GO_ON);
    indexer.save().unwrap();
    let right = dump(&indexer.tree());
    drop(indexer);
    let cache = place.home.path().join("cache");
    let files: Vec<_> = fs::read_dir(&cache)
        .unwrap()
        .map(|e| e.unwrap().path())
        .collect();
    assert!(files.len() >= 2, "{files:?}");
    for file in files {
        let whole = fs::read(&file).unwrap();
        for at in (0..whole.len()).step_by(whole.len() / 40 + 1) {
            let mut bytes = whole.clone();
            bytes[at] ^= 0x55;
            fs::write(&file, &bytes).unwrap();
            let indexer = place.open();
            indexer.reconcile(&GO_ON);
            assert_eq!(dump(&indexer.tree()), right, "{file:?} at {at}");
            fs::write(&file, whole.get(..at).unwrap()).unwrap();
            let indexer = place.open();
            indexer.reconcile(&GO_ON);
            assert_eq!(dump(&indexer.tree()), right, "{file:?} cut at {at}");
        }
        fs::write(&file, &whole).unwrap();
    }
}

#[test]
fn large_and_binary_files_are_found_by_path_only() {
    let place = Place0::new();
    place.write("big.txt", &"alpha ".repeat(300_000));
    place.write("also_big.txt", &"beta ".repeat(300_000));
    place.write("image.png", "alpha\0\0\0");
    let indexer = place.open();
    let report = indexer.reconcile(&GO_ON);
    assert_eq!((report.files, report.pending), (3, 0));
    let tree = indexer.tree();
    assert_eq!(has(&tree, "alpha"), [] as [&str; 0]);
    let outcome = |path: &str| tree.outcome(tree.file_at(path).unwrap()).unwrap();
    assert_eq!(outcome("big.txt"), crate::facts::Outcome::TooLarge);
    assert_eq!(outcome("also_big.txt"), crate::facts::Outcome::TooLarge);
    assert_eq!(outcome("image.png"), crate::facts::Outcome::Binary);
    assert_eq!(indexer.reconcile(&GO_ON).reused, 0);
}

#[test]
fn a_stopped_update_leaves_a_usable_tree() {
    let place = Place0::new();
    place.write("a.txt", "alpha");
    let indexer = place.open();
    indexer.reconcile(&GO_ON);
    place.write("b.txt", "beta");
    let report = indexer.reconcile(&AtomicBool::new(true));
    assert_eq!((report.files, report.parsed), (1, 0));
    assert_eq!(has(&indexer.tree(), "alpha"), ["a.txt"]);
    indexer.reconcile(&GO_ON);
    assert_eq!(has(&indexer.tree(), "beta"), ["b.txt"]);
}

#[test]
fn ignored_and_nested_files_stay_out_of_batches_too() {
    let place = Place0::new();
    place.write(".gitignore", "*.log\nout/\n");
    place.write("a.txt", "alpha");
    let indexer = place.open();
    indexer.reconcile(&GO_ON);
    place.write("x.log", "beta");
    place.write("out/deep/y.txt", "beta");
    place.write("inner/.git/HEAD", "ref");
    place.write("inner/z.txt", "beta");
    place.write("node_modules/m/index.js", "beta");
    let batch = [
        "x.log",
        "out/deep/y.txt",
        "inner/z.txt",
        "node_modules/m/index.js",
    ];
    let batch: Vec<_> = batch.iter().map(|p| p.as_bytes().to_vec()).collect();
    indexer.changed(&batch, &GO_ON);
    assert_eq!(has(&indexer.tree(), "beta"), [] as [&str; 0]);
    place.write(".gitignore", "");
    indexer.changed(&[b".gitignore".to_vec()], &GO_ON);
    assert_eq!(has(&indexer.tree(), "beta"), ["out/deep/y.txt", "x.log"]);
}

#[test]
fn endless_rules_and_configurations_are_not_read() {
    let place = Place0::new();
    place.write("a.txt", "alpha");
    place.write("sub/b.txt", "beta");
    std::os::unix::fs::symlink("/dev/zero", place.root().join("sub/.gitignore")).unwrap();
    let indexer = place.open();
    indexer.reconcile(&GO_ON);
    assert_eq!(has(&indexer.tree(), "alpha"), ["a.txt"]);
    assert_eq!(has(&indexer.tree(), "beta"), [] as [&str; 0]);
    // Where the rules of the root cannot be read nothing is walked, and what is known stays.
    std::os::unix::fs::symlink("/dev/zero", place.root().join(".ignore")).unwrap();
    indexer.reconcile(&GO_ON);
    assert_eq!(has(&indexer.tree(), "alpha"), ["a.txt"]);
}

#[test]
fn a_name_that_promises_secrets_hides_what_was_known() {
    let place = Place0::new();
    place.write("notes.txt", "alpha");
    let indexer = place.open();
    indexer.reconcile(&GO_ON);
    fs::rename(place.root().join("notes.txt"), place.root().join(".env")).unwrap();
    indexer.reconcile(&GO_ON);
    let tree = indexer.tree();
    assert_eq!(has(&tree, "alpha"), [] as [&str; 0]);
    let file = tree.file_at(".env").unwrap();
    assert_eq!(indexer.read(&tree, file), None);
}

#[test]
fn new_files_beside_tracked_ones_in_a_build_directory_are_found() {
    let place = Place0::new();
    place.write("build/known.txt", "alpha");
    let git = |arguments: &[&str]| {
        let mut git = std::process::Command::new("git");
        git.args(arguments).current_dir(place.root());
        git.env("HOME", place.home.path())
            .env("GIT_CONFIG_NOSYSTEM", "1");
        assert!(git.output().unwrap().status.success());
    };
    git(&["init", "-q"]);
    git(&["add", "-f", "."]);
    let git_dir = Some(place.root().join(".git"));
    let indexer = Indexer::open(&place.root(), git_dir, None, Options::default());
    indexer.reconcile(&GO_ON);
    place.write("build/new.txt", "beta");
    indexer.changed(&[b"build/new.txt".to_vec()], &GO_ON);
    assert_eq!(has(&indexer.tree(), "beta"), ["build/new.txt"]);
}

#[test]
fn a_rebuild_serves_the_old_tree_until_it_is_done() {
    let place = Place0::new();
    place.write("a.txt", "alpha");
    let indexer = place.open();
    indexer.reconcile(&GO_ON);
    let report = indexer.rebuild(&GO_ON);
    assert_eq!((report.files, report.parsed), (1, 1));
    assert_eq!(has(&indexer.tree(), "alpha"), ["a.txt"]);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    /// Whatever happens to files, and however it is reported, the tree ends up as if it had been
    /// indexed from nothing.
    #[test]
    fn batches_and_reconciles_agree_with_a_fresh_index(
        steps in proptest::collection::vec(
            (0_usize..12, proptest::option::weighted(0.8, 0_usize..6), any::<bool>()), 1..40),
    ) {
        let texts = ["alpha", "beta beta", "gamma alpha", "delta", "omega omega omega", ""];
        let place = Place0::new();
        let indexer = place.open();
        indexer.reconcile(&GO_ON);
        let mut batch = Vec::new();
        for (file, text, flush) in steps {
            let path = format!("d{}/f{file}.txt", file % 3);
            match text {
                Some(text) => place.write(&path, texts[text]),
                None => { let _ = fs::remove_file(place.root().join(&path)); }
            }
            batch.push(path.into_bytes());
            if flush {
                indexer.changed(&std::mem::take(&mut batch), &GO_ON);
            }
        }
        indexer.changed(&batch, &GO_ON);
        let fresh = Indexer::open(&place.root(), None, None, Options::default());
        fresh.reconcile(&GO_ON);
        prop_assert_eq!(dump(&indexer.tree()), dump(&fresh.tree()));
        indexer.save().unwrap();
        prop_assert_eq!(dump(&place.open().tree()), dump(&fresh.tree()));
    }
}

#[test]
fn what_imports_mean_follows_manifests() {
    let place = Place0::new();
    place.write("one/Cargo.toml", "[package]\nname = \"first\"\n");
    place.write("one/src/lib.rs", "pub fn alpha() {}\n");
    place.write("two/Cargo.toml", "[package]\nname = \"second\"\n");
    place.write("two/src/lib.rs", "use renamed::alpha;\n");
    let indexer = place.open();
    indexer.reconcile(&GO_ON);
    let importers = |indexer: &Indexer| {
        let tree = indexer.tree();
        let file = tree.file_at("one/src/lib.rs").unwrap();
        tree.importers(file).len()
    };
    assert_eq!(importers(&indexer), 0);
    place.write("one/Cargo.toml", "[package]\nname = \"renamed\"\n");
    indexer.reconcile(&GO_ON);
    assert_eq!(importers(&indexer), 1);
    place.write("one/Cargo.toml", "[package]\nname = \"first\"\n");
    indexer.reconcile(&GO_ON);
    assert_eq!(importers(&indexer), 0);
}

/// Every kind of question once; what is told is another matter.
fn ask_everything(indexer: &Indexer, tree: &Tree) {
    let past = crate::rank::Past::new(tree, &crate::history::History::default());
    let none = crate::history::History::default();
    let weights = crate::rank::Weights::default();
    for text in ["alpha beta name7", "name1 omega function"] {
        let query = crate::rank::Query {
            text,
            active: &[],
            limit: 50,
        };
        crate::rank::rank_with(tree, &none, &past, &query, &weights);
    }
    for pattern in ["name1", "nm", "", "NAME99"] {
        crate::query::find_symbols(tree, pattern, 100);
    }
    for file in (0..tree.files()).map(FileId) {
        crate::query::outline(tree, file);
        crate::query::related(tree, (&none, &past), file, 20);
        crate::query::impact(tree, (&none, &past), file, 20);
    }
    crate::query::references(indexer, tree, "name3", 20);
    crate::query::brief(tree, &crate::query::by_weight(tree), 4_000);
    crate::query::export(tree, true, String::new());
    crate::segment::merge(
        &tree.segments().iter().map(Arc::as_ref).collect::<Vec<_>>(),
        false,
        &|_, _| true,
    );
}

#[test]
fn a_segment_that_is_cut_short_while_it_is_mapped_is_made_again() {
    let place = Place0::new();
    for number in 0..400 {
        let words = "alpha beta gamma delta omega ".repeat(number % 7 + 1);
        let text = format!(
            "import name{}\n\nclass Kind{number}:\n    \"\"\"{words}\"\"\"\n    def name{number}(self, one, two): pass\n",
            number / 2
        );
        place.write(&format!("src/name{number}.py"), &text);
    }
    let indexer = place.open();
    indexer.reconcile(&GO_ON);
    indexer.save().unwrap();
    let right = dump(&indexer.tree());
    drop(indexer);
    let segments = || -> Vec<_> {
        let entries = fs::read_dir(place.home.path().join("cache")).unwrap();
        let paths = entries.map(|entry| entry.unwrap().path());
        paths
            .filter(|p| p.extension().is_some_and(|e| e == "seg"))
            .collect()
    };
    let length = fs::metadata(&segments()[0]).unwrap().len();
    assert!(length > 16 * 4_096, "{length}");
    for part in 0..12 {
        let indexer = place.open();
        indexer.reconcile(&GO_ON);
        let tree = indexer.tree();
        assert!(tree.segments().iter().any(|segment| segment.is_mapped()));
        for path in segments() {
            let file = fs::File::options().write(true).open(path).unwrap();
            // Not only whole pages.
            file.set_len(length * part / 12 + part).unwrap();
        }
        // Whatever is read now, nothing ends.
        ask_everything(&indexer, &tree);
        assert!(tree.was_changed(), "{part}");
        assert!(indexer.drop_damaged() > 0);
        assert_eq!(indexer.drop_damaged(), 0);
        let report = indexer.reconcile(&GO_ON);
        assert_eq!((report.pending, report.parsed), (0, 400), "{part}");
        assert_eq!(dump(&indexer.tree()), right, "{part}");
        indexer.save().unwrap();
    }
}
