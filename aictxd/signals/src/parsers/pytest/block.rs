//! One `____ name ____` block of a failure or error.

use aictx_proto::event::ErrorEvent;

use super::super::{Context, Finding, python, split_class, split_location};

#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Kind {
    Failure,
    Setup,
    Collect,
}

/// One `____ name ____` block.
pub(super) struct Block<'t> {
    pub(super) kind: Kind,
    pub(super) name: &'t str,
    pub(super) at: usize,
    message: Option<&'t str>,
    /// Last `E` line that names a class, for errors that start with a `File` line.
    classed: Option<&'t str>,
    syntax: Option<(&'t str, &'t str)>,
    pub(super) places: Vec<(&'t str, &'t str, &'t str)>,
    captured: bool,
    pub(super) complete: bool,
}

impl<'t> Block<'t> {
    pub(super) fn new(kind: Kind, name: &'t str, at: usize) -> Self {
        Self {
            kind,
            name,
            at,
            message: None,
            classed: None,
            syntax: None,
            places: Vec::new(),
            captured: false,
            complete: false,
        }
    }

    pub(super) fn key(&self) -> String {
        self.name
            .strip_prefix("[doctest] ")
            .unwrap_or(self.name)
            .to_owned()
    }

    pub(super) fn line(&mut self, line: &'t str) {
        if self.captured {
            return;
        }
        if line.starts_with("---") && line.contains(" Captured ") {
            self.captured = true;
            return;
        }
        if line.starts_with("During handling of the above exception")
            || line.starts_with("The above exception was the direct cause")
        {
            // The exception that ended the test is the last of its chain.
            self.message = None;
            self.classed = None;
            self.syntax = None;
            self.places.clear();
            return;
        }
        if let Some(text) = line
            .strip_prefix("E ")
            .map(str::trim)
            .filter(|text| !text.is_empty())
        {
            if let Some((path, number, _)) = python::frame(text) {
                self.syntax = Some((path, number));
            }
            if !split_class(text).0.is_empty() {
                self.classed = Some(text);
            }
            self.message = self.message.or(Some(text));
            return;
        }
        if let Some((path, number)) = line
            .strip_prefix("file ")
            .and_then(|rest| rest.rsplit_once(", line "))
        {
            self.places.push((path, number.trim(), ""));
            return;
        }
        if !line.starts_with([' ', '>', '\t', '@'])
            && let Some(place) = split_location(line)
        {
            if self.places.len() >= 256 {
                self.places.remove(1);
            }
            self.places.push(place);
        }
    }

    pub(super) fn finding(
        &self,
        context: &Context,
        entry: Option<(&str, &str)>,
        body: &[&'t str],
    ) -> Finding {
        let class = self.places.last().map_or("", |(_, _, rest)| {
            let class = rest.rsplit('.').next().unwrap_or_default();
            if rest.contains(' ') { "" } else { class }
        });
        let text = match (self.syntax, self.classed) {
            (Some(_), Some(classed)) => Some(classed),
            _ => self.message,
        };
        let native = if text.is_none() {
            python::last_exception(body)
        } else {
            None
        };
        let text = text
            .or(native.as_ref().map(|native| native.text))
            .or(entry.map(|(_, text)| text).filter(|text| !text.is_empty()))
            .unwrap_or(class);
        let (mut code, mut message) = split_class(text);
        if !class.is_empty() && code != class {
            (code, message) = (class, text);
        } else if code.is_empty() && text.starts_with("assert ") {
            code = "AssertionError";
        }
        if message.is_empty() {
            message = if code.is_empty() { "failed" } else { code };
        }
        let mut event = context.event("pytest", "test", message);
        code.clone_into(&mut event.code);
        let test_file = self.test_file(context, entry.map(|(id, _)| id));
        self.locate(context, &mut event, native.as_ref(), &test_file);
        event.test = match (entry, self.kind) {
            (Some((id, _)), _) => id.to_owned(),
            (None, Kind::Collect) => self.name.to_owned(),
            (None, _) => {
                let name = section_id(self.name);
                if test_file.is_empty() {
                    name
                } else {
                    format!("{test_file}::{name}")
                }
            }
        };
        Finding::new(self.at, event)
    }

    /// The last place of the block that is the repository's own; for collection errors, the place
    /// in the file that was being collected.
    fn locate(
        &self,
        context: &Context,
        event: &mut ErrorEvent,
        native: Option<&python::Exception>,
        test_file: &str,
    ) {
        let mut places: Vec<(&str, &str)> = self
            .places
            .iter()
            .map(|(path, line, _)| (*path, *line))
            .collect();
        places.extend(
            native
                .iter()
                .flat_map(|native| native.frames.iter().copied()),
        );
        places.extend(self.syntax);
        let mut fallback: Option<(String, &str)> = None;
        for (path, line) in places.iter().rev() {
            let place = context.place(path);
            let wanted = self.kind != Kind::Collect || place.file == test_file;
            if place.local && wanted {
                fallback = Some((place.file, line));
                break;
            }
            if fallback.is_none() && self.kind != Kind::Collect {
                fallback = Some((place.file, line));
            }
        }
        match fallback {
            Some((file, line)) => {
                event.file = file;
                line.clone_into(&mut event.line);
            }
            None => test_file.clone_into(&mut event.file),
        }
    }

    fn test_file(&self, context: &Context, id: Option<&str>) -> String {
        if self.kind == Kind::Collect {
            return context.place(self.name).file;
        }
        if let Some((file, _)) = id.and_then(|id| id.split_once("::")) {
            return file.to_owned();
        }
        self.places
            .iter()
            .map(|(path, _, _)| *path)
            .find(|path| {
                let name = path.rsplit(['/', '\\']).next().unwrap_or_default();
                name.starts_with("test") || name.ends_with("_test.py")
            })
            .map(|path| context.place(path).file)
            .unwrap_or_default()
    }
}

/// `TestX.test_y[a.b]` as the tail of a node id.
fn section_id(name: &str) -> String {
    match name.split_once('[') {
        Some((name, parameters)) => format!("{}[{parameters}", name.replace('.', "::")),
        None => name.replace('.', "::"),
    }
}
