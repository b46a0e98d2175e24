//! Parsing what a plan lacks.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use aictx_files::untrusted::{Directory, Links, ReadError};

use super::{Indexer, Plan, Report, Waiting};
use crate::discover::Stamp;
use crate::document::{Extractor, has_words};
use crate::facts::{Facts, Outcome};
use crate::index_view::FileId;
use crate::segment::{Builder, ContentId, Segment};
use crate::tree::{Paths, Place, Row, Tree};

/// The content of all files that are too large to read: no real content has this id.
const TOO_LARGE: ContentId = ContentId([0xf1; 20]);
/// The content of files that cannot be read.
const UNREADABLE: ContentId = ContentId([0xf2; 20]);
/// The content of files whose names say that they hold secrets.
const PRIVATE: ContentId = ContentId([0xf3; 20]);

/// What one thread collects before it becomes a segment.
const MAX_BATCH_BYTES: usize = 96 << 20;
/// The first publication comes after this long; each later one takes twice as long.
const FIRST_PUBLICATION: Duration = Duration::from_millis(250);
const LONGEST_PUBLICATION: Duration = Duration::from_secs(8);
/// Fewer files than this are parsed on the calling thread.
const FEW: usize = 8;
/// A file changed this shortly before it was read may change again within the same tick of the
/// clock: its stamp proves nothing.
const RACY: Duration = Duration::from_millis(20);

/// One run of parsing.
pub(super) struct Fill<'a> {
    pub(super) indexer: &'a Indexer,
    pub(super) base: &'a Tree,
    pub(super) stop: &'a AtomicBool,
}

/// What threads share.
struct Shared {
    segments: Vec<Arc<Segment>>,
    rows: Vec<Row>,
    /// Where contents of this run went; nothing while a thread still holds them.
    places: HashMap<ContentId, Option<Place>>,
    next_publication: Instant,
    interval: Duration,
    parsed: u32,
    reused: u32,
    bytes: u64,
    left_out: u32,
}

struct Run<'a> {
    fill: &'a Fill<'a>,
    paths: &'a Arc<Paths>,
    graph: &'a Arc<crate::tree::Graph>,
    waiting: &'a [Waiting],
    next: AtomicUsize,
    root: Directory,
    shared: Mutex<Shared>,
}

impl Fill<'_> {
    /// Parses, publishes now and then and at the end.
    pub(super) fn run(&self, plan: Plan, report: &mut Report) {
        let publish = |rows: Vec<Row>, segments: Vec<Arc<Segment>>| {
            let tree = Tree::new(
                Arc::clone(&plan.paths),
                rows,
                segments,
                Arc::clone(&plan.graph),
            );
            self.indexer.publish(tree);
        };
        let base_segments = self.base.segments().to_vec();
        let root = match Directory::open(&self.indexer.root) {
            Ok(root) if !plan.waiting.is_empty() => root,
            _ => return publish(plan.rows, base_segments),
        };
        if plan.waiting.len() >= FEW {
            // Paths answer at once.
            publish(plan.rows.clone(), base_segments.clone());
        }
        let now = Instant::now();
        let run = Run {
            fill: self,
            paths: &plan.paths,
            graph: &plan.graph,
            waiting: &plan.waiting,
            next: AtomicUsize::new(0),
            root,
            shared: Mutex::new(Shared {
                segments: base_segments,
                rows: plan.rows,
                places: HashMap::new(),
                next_publication: now + FIRST_PUBLICATION,
                interval: FIRST_PUBLICATION,
                parsed: 0,
                reused: 0,
                bytes: 0,
                left_out: 0,
            }),
        };
        let threads = self.indexer.options.threads.clamp(1, 64);
        if plan.waiting.len() < FEW || threads == 1 && !self.indexer.options.background {
            Worker::new(&run).run();
        } else {
            std::thread::scope(|scope| {
                for _ in 0..threads.min(plan.waiting.len()) {
                    scope.spawn(|| {
                        if self.indexer.options.background {
                            let _ = rustix::process::nice(10);
                        }
                        Worker::new(&run).run();
                    });
                }
            });
        }
        let shared = run
            .shared
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        report.parsed = shared.parsed;
        report.reused += shared.reused;
        report.left_out = shared.left_out;
        let mut rows = shared.rows;
        settle(&mut rows, &plan.waiting, &shared.places);
        let tree = Tree::new(
            Arc::clone(&plan.paths),
            rows,
            shared.segments,
            Arc::clone(&plan.graph),
        );
        self.indexer.publish(tree);
    }
}

/// Gives files of the same content the place that one of them got.
fn settle(rows: &mut [Row], waiting: &[Waiting], places: &HashMap<ContentId, Option<Place>>) {
    for waiting in waiting {
        if let Some(row) = rows.get_mut(waiting.file.0 as usize)
            && row.place.is_none()
        {
            row.place = places.get(&row.id).copied().flatten();
        }
    }
}

/// One parsing thread.
struct Worker<'a> {
    run: &'a Run<'a>,
    extractor: Extractor,
    builder: Builder,
    /// Contents in the builder, by document.
    held: Vec<ContentId>,
    /// Files whose row is to be changed with the next flush.
    files: Vec<(FileId, Stamp, ContentId)>,
    parsed: u32,
}

impl<'a> Worker<'a> {
    fn new(run: &'a Run<'a>) -> Self {
        Self {
            run,
            extractor: Extractor::default(),
            builder: Builder::default(),
            held: Vec::new(),
            files: Vec::new(),
            parsed: 0,
        }
    }

    fn shared(&self) -> std::sync::MutexGuard<'a, Shared> {
        self.run
            .shared
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn run(mut self) {
        let progress = self.run.fill.indexer.progress();
        let mut due = Instant::now() + FIRST_PUBLICATION;
        while let Some(waiting) = self
            .run
            .waiting
            .get(self.run.next.fetch_add(1, Ordering::Relaxed))
        {
            if self.run.fill.stop.load(Ordering::Relaxed) {
                break;
            }
            self.one(waiting);
            progress.done.fetch_add(1, Ordering::Relaxed);
            if self.builder.weight() > MAX_BATCH_BYTES || Instant::now() > due {
                self.flush();
                due = self
                    .shared()
                    .next_publication
                    .max(Instant::now() + FIRST_PUBLICATION);
            }
        }
        self.flush();
    }

    /// Reads and parses one file, unless its content is known.
    fn one(&mut self, waiting: &Waiting) {
        let raw = self.run.paths.raw(waiting.file);
        let shown = self.run.paths.text(waiting.file);
        let listed = {
            let shared = self.shared();
            let row = shared.rows.get(waiting.file.0 as usize);
            row.map(|row| row.stamp).unwrap_or_default()
        };
        if crate::parse::is_private(shown) {
            return self.keep_bare(waiting.file, listed, PRIVATE, Outcome::Private);
        }
        if let Some(id) = waiting.id
            && self.is_taken(&id)
        {
            return self.files.push((waiting.file, listed, id));
        }
        let options = &self.run.fill.indexer.options;
        if listed.size <= options.max_file_bytes {
            let mut shared = self.shared();
            if shared.bytes + listed.size > options.max_total_bytes {
                shared.left_out += 1;
                return;
            }
            shared.bytes += listed.size;
        }
        let read_at = SystemTime::now();
        let path = Path::new(OsStr::from_bytes(raw));
        let opened = self.run.root.file(path, Links::Refused);
        let read = opened.map(|file| {
            let stamp = Stamp::of_stat(file.stat());
            (file.read(options.max_file_bytes), stamp)
        });
        let (bytes, stamp) = match read {
            Ok((Ok(bytes), stamp)) => (bytes, stamp),
            Ok((Err(ReadError::TooLong { .. }), stamp)) => {
                return self.keep_bare(waiting.file, stamp, TOO_LARGE, Outcome::TooLarge);
            }
            Ok((Err(_), _)) | Err(_) => {
                // Such a stamp equals no later one: the next look tries again.
                let stamp = Stamp {
                    inode: !listed.inode,
                    ..listed
                };
                return self.keep_bare(waiting.file, stamp, UNREADABLE, Outcome::Unreadable);
            }
        };
        let stamp = settled(stamp, read_at);
        let id = match waiting.id {
            Some(id) if stamp == listed => id,
            _ => crate::document::key(shown, ContentId::of(&bytes)),
        };
        if self.is_taken(&id) || self.run.fill.base.find_content(&id).is_some() {
            return self.files.push((waiting.file, stamp, id));
        }
        if !self.take(id) {
            return self.files.push((waiting.file, stamp, id));
        }
        let clean = crate::document::clean(&bytes, options.scrub);
        // A key block becomes one line: the lines of definitions are those of the file.
        let lines = |text: &[u8]| memchr::memchr_iter(b'\n', text).count();
        let parsed = match &clean {
            Cow::Owned(clean) if lines(clean) == lines(&bytes) => clean,
            _ => &bytes,
        };
        let most = options.max_file_bytes;
        let (language, mut facts) = self.extractor.facts(shown, parsed, most);
        crate::document::scrub(&mut facts, options.scrub);
        let body = if has_words(facts.outcome) {
            clean.as_ref()
        } else {
            &[]
        };
        self.builder.add(id, language, &facts, body);
        self.held.push(id);
        self.files.push((waiting.file, stamp, id));
        self.parsed += 1;
    }

    /// Keeps a file without content: all of one outcome share a document.
    fn keep_bare(&mut self, file: FileId, stamp: Stamp, id: ContentId, outcome: Outcome) {
        if self.run.fill.base.find_content(&id).is_none() && self.take(id) {
            let facts = Facts {
                outcome,
                ..Facts::default()
            };
            self.builder.add(id, 0, &facts, &[]);
            self.held.push(id);
        }
        self.files.push((file, stamp, id));
    }

    /// Returns true if some thread has this content already.
    fn is_taken(&self, id: &ContentId) -> bool {
        self.shared().places.contains_key(id)
    }

    /// Claims a content; false when another thread was faster.
    fn take(&self, id: ContentId) -> bool {
        let mut shared = self.shared();
        let entry = shared.places.entry(id);
        let free = matches!(entry, std::collections::hash_map::Entry::Vacant(_));
        entry.or_insert(None);
        free
    }

    /// Turns what was collected into a segment and publishes when it is time.
    fn flush(&mut self) {
        let segment = if self.held.is_empty() {
            None
        } else {
            let builder = std::mem::take(&mut self.builder);
            match Segment::from_bytes(builder.finish()) {
                Ok(segment) => Some(Arc::new(segment)),
                // Cannot be: it was made a moment ago. The files stay pending.
                Err(_) => return,
            }
        };
        let run = self.run;
        let mut shared = self.shared();
        if let Some(segment) = segment {
            let number = shared.segments.len() as u32;
            shared.segments.push(segment);
            for (doc, id) in self.held.drain(..).enumerate() {
                let place = Place {
                    segment: number,
                    doc: doc as u32,
                };
                shared.places.insert(id, Some(place));
            }
        }
        shared.parsed += std::mem::take(&mut self.parsed);
        for (file, stamp, id) in self.files.drain(..) {
            let known = shared.places.get(&id).copied();
            let place = match known {
                Some(place) => place,
                None => run.fill.base.find_content(&id),
            };
            shared.reused += u32::from(known.is_none());
            if let Some(row) = shared.rows.get_mut(file.0 as usize) {
                (row.stamp, row.id, row.place) = (stamp, id, place);
            }
        }
        if Instant::now() >= shared.next_publication {
            let tree = Tree::new(
                Arc::clone(run.paths),
                shared.rows.clone(),
                shared.segments.clone(),
                Arc::clone(run.graph),
            );
            run.fill.indexer.publish(tree);
            shared.interval = (shared.interval * 2).min(LONGEST_PUBLICATION);
            shared.next_publication = Instant::now() + shared.interval;
        }
    }
}

/// A stamp that will not equal a later one when the file was changed too shortly before reading.
fn settled(mut stamp: Stamp, read_at: SystemTime) -> Stamp {
    let read_at = read_at
        .duration_since(SystemTime::UNIX_EPOCH)
        .map_or(0, |d| i64::try_from(d.as_nanos()).unwrap_or(i64::MAX));
    if stamp.modified > read_at.saturating_sub(RACY.as_nanos() as i64) {
        stamp.inode = !stamp.inode;
    }
    stamp
}
