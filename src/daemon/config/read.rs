//! Walking a TOML tree without stopping at the first problem.
//!
//! In: sections and values with their places in the text. Out: plain values, and in [`Notes`] whatever is wrong. It
//! knows TOML and nothing of what the keys mean.

use std::{
    cell::RefCell,
    collections::BTreeMap,
    fmt::Display,
    path::{Path, PathBuf},
};

use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

use super::Problem;

/// Letters of a found value that a message shows.
const SHOWN_LETTERS_MAX: usize = 60;
/// Letters of a name that goes into topics and messages.
const NAME_LETTERS_MAX: usize = 64;
/// Edits between a word and the one that was probably meant.
const SUGGESTION_EDITS_MAX: usize = 2;

/// What was noticed while the tree was walked.
pub(super) struct Notes {
    text: String,
    path: PathBuf,
    inner: RefCell<Inner>,
}

#[derive(Default)]
struct Inner {
    /// Offset in the text, key, message.
    problems: Vec<(usize, String, String)>,
    /// Offset, key and path of files that must exist.
    files: Vec<(usize, String, PathBuf)>,
}

impl Notes {
    pub(super) fn new(text: &str, path: &Path) -> Notes {
        Notes { text: text.to_owned(), path: path.to_owned(), inner: RefCell::default() }
    }

    pub(super) fn problem(&self, offset: usize, key: &str, message: String) {
        self.inner.borrow_mut().problems.push((offset, key.to_owned(), message));
    }

    /// Line and column from 1 of an offset.
    pub(super) fn place(&self, offset: usize) -> (usize, usize) {
        let before = self.text.get(..offset).unwrap_or(&self.text);
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
    }

    /// A path of the file, relative to it.
    fn resolve(&self, path: &str) -> PathBuf {
        self.path.parent().unwrap_or(Path::new("")).join(path)
    }

    /// Reports the files that were named and do not exist.
    pub(super) fn check_files(&mut self) {
        for (offset, key, path) in std::mem::take(&mut self.inner.get_mut().files) {
            // Without the right to look there, the daemon's user may have it.
            let missing = path.try_exists().is_ok_and(|exists| !exists);
            if missing {
                let message = format!("expected a file, found none at {}; make it or name another", path.display());
                self.problem(offset, &key, message);
            }
        }
    }

    /// The value if there were no problems; they come in the order of the text.
    pub(super) fn into_result<T>(self, value: T) -> Result<T, Vec<Problem>> {
        let mut problems = std::mem::take(&mut self.inner.borrow_mut().problems);
        problems.sort();
        let problem = |(offset, key, message)| Problem {
            path: self.path.to_owned(),
            place: Some(self.place(offset)),
            key,
            message,
        };
        if problems.is_empty() { Ok(value) } else { Err(problems.into_iter().map(problem).collect()) }
    }
}

/// A table of the TOML tree and the keys that were asked for.
pub(super) struct Section<'a> {
    path: String,
    table: Option<&'a DeTable<'a>>,
    /// Where it begins; what is missing is reported there.
    offset: usize,
    known: RefCell<Vec<&'static str>>,
    notes: &'a Notes,
}

impl<'a> Section<'a> {
    /// The whole file.
    pub(super) fn root(table: &'a DeTable<'a>, notes: &'a Notes) -> Section<'a> {
        Section::new(String::new(), Some(table), 0, notes)
    }

    fn new(path: String, table: Option<&'a DeTable<'a>>, offset: usize, notes: &'a Notes) -> Section<'a> {
        Section { path, table, offset, known: RefCell::default(), notes }
    }

    fn key(&self, key: &str) -> String {
        if self.path.is_empty() { key.to_owned() } else { format!("{}.{key}", self.path) }
    }

    /// The value of a key, if it is there.
    pub(super) fn get(&self, key: &'static str) -> Option<Found<'a>> {
        let mut known = self.known.borrow_mut();
        if !known.contains(&key) {
            known.push(key);
        }
        let value = self.table?.get(key)?;
        Some(Found::new(self.key(key), value, self.notes))
    }

    /// The value of a key that must be there.
    pub(super) fn need(&self, key: &'static str, expected: &str, remedy: &str) -> Option<Found<'a>> {
        let found = self.get(key);
        if found.is_none() {
            self.missing(key, expected, remedy);
        }
        found
    }

    /// Reports that something is missing here.
    pub(super) fn missing(&self, key: &str, expected: &str, remedy: &str) {
        let message = format!("expected {expected}, found nothing; {remedy}");
        self.notes.problem(self.offset, &self.key(key), message);
    }

    /// The section `[key]`, empty if it is not there.
    pub(super) fn section(&self, key: &'static str) -> Section<'a> {
        let (table, offset) = match self.get(key) {
            Some(found) => (found.table(&format!("a section [{key}]")), found.offset),
            None => (None, self.offset),
        };
        Section::new(self.key(key), table, offset, self.notes)
    }

    /// The sections `[[key]]`.
    pub(super) fn sections(&self, key: &'static str) -> Vec<Section<'a>> {
        let Some(found) = self.get(key) else { return Vec::new() };
        let path = self.key(key);
        let expected = format!("sections [[{path}]]");
        let items = match found.value {
            DeValue::Array(items) => items,
            _ => {
                found.wrong(&expected, "write it with double brackets");
                return Vec::new();
            }
        };
        let item = |value: &'a Spanned<DeValue<'a>>| {
            let found = Found::new(path.clone(), value, self.notes);
            Some(Section::new(path.clone(), Some(found.table(&expected)?), found.offset, self.notes))
        };
        items.iter().filter_map(item).collect()
    }

    /// Reports the keys that nobody asked for.
    pub(super) fn finish(self) {
        let known = self.known.into_inner();
        let Some(table) = self.table else { return };
        for key in table.keys() {
            let name: &str = key.get_ref();
            if known.contains(&name) {
                continue;
            }
            let remedy = match suggestion(name, known.iter().copied()) {
                Some(meant) => format!("did you mean `{meant}`?"),
                None => format!("here are known: {}", known.join(", ")),
            };
            let path = if self.path.is_empty() { shown(name) } else { format!("{}.{}", self.path, shown(name)) };
            self.notes.problem(key.span().start, &path, format!("expected a known key, found another; {remedy}"));
        }
    }
}

/// A value and where it stands.
pub(super) struct Found<'a> {
    pub(super) key: String,
    pub(super) offset: usize,
    value: &'a DeValue<'a>,
    notes: &'a Notes,
}

impl<'a> Found<'a> {
    fn new(key: String, value: &'a Spanned<DeValue<'a>>, notes: &'a Notes) -> Found<'a> {
        Found { key, offset: value.span().start, value: value.get_ref(), notes }
    }

    /// Reports that something else was expected.
    pub(super) fn wrong(&self, expected: impl Display, remedy: impl Display) {
        let found = match self.value {
            DeValue::String(text) => format!("\"{}\"", shown(text)),
            DeValue::Integer(number) => shown(&number.to_string()),
            DeValue::Float(number) => shown(&number.to_string()),
            DeValue::Boolean(flag) => flag.to_string(),
            DeValue::Datetime(time) => time.to_string(),
            DeValue::Array(_) => "a list".to_owned(),
            DeValue::Table(_) => "a table".to_owned(),
        };
        self.notes.problem(self.offset, &self.key, format!("expected {expected}, found {found}; {remedy}"));
    }

    /// Reports that something else was expected, without showing what may be a secret.
    pub(super) fn wrong_unseen(&self, expected: impl Display, remedy: impl Display) {
        self.notes.problem(self.offset, &self.key, format!("expected {expected}, found one with it; {remedy}"));
    }

    fn table(&self, expected: &str) -> Option<&'a DeTable<'a>> {
        let table = self.value.as_table();
        if table.is_none() {
            self.wrong(expected, "write its keys below its heading");
        }
        table
    }

    /// Whether it is a table; some keys may have one instead of a word.
    pub(super) fn is_table(&self) -> bool {
        self.value.is_table()
    }

    /// The section that it is if it is a table; reported if not.
    pub(super) fn section(&self) -> Option<Section<'a>> {
        let table = self.table("a table")?;
        Some(Section::new(self.key.clone(), Some(table), self.offset, self.notes))
    }

    /// Its keys and values if it is a table; reported if not.
    pub(super) fn entries(&self, expected: &str, remedy: &str) -> Vec<(String, Found<'a>)> {
        let Some(table) = self.value.as_table() else {
            self.wrong(expected, remedy);
            return Vec::new();
        };
        let entry = |(key, value): (&Spanned<std::borrow::Cow<'_, str>>, &'a Spanned<DeValue<'a>>)| {
            let key = key.get_ref().to_string();
            let path = format!("{}.{}", self.key, shown(&key));
            (key, Found::new(path, value, self.notes))
        };
        table.iter().map(entry).collect()
    }

    /// Its items if it is a list; reported if not.
    pub(super) fn list(&self, expected: &str, remedy: &str) -> Vec<Found<'a>> {
        let Some(items) = self.value.as_array() else {
            self.wrong(expected, remedy);
            return Vec::new();
        };
        items.iter().map(|item| Found::new(self.key.clone(), item, self.notes)).collect()
    }

    /// A text; reported if it is none.
    pub(super) fn text(&self, expected: impl Display) -> Option<&'a str> {
        let text = self.value.as_str();
        if text.is_none() {
            self.wrong(expected, "write it in quotation marks");
        }
        text
    }

    /// A text, if it is one.
    pub(super) fn text_if_any(&self) -> Option<&'a str> {
        self.value.as_str()
    }

    /// A whole number.
    pub(super) fn integer(&self) -> Option<i64> {
        let number = self.value.as_integer()?;
        i64::from_str_radix(number.as_str(), number.radix()).ok()
    }

    /// `true` or `false`; reported if it is neither.
    pub(super) fn flag(&self) -> Option<bool> {
        let flag = self.value.as_bool();
        if flag.is_none() {
            self.wrong("true or false", "write it without quotation marks");
        }
        flag
    }

    /// One of several words; reported if it is none of them.
    pub(super) fn choice<T: Copy>(&self, choices: &[(&'static str, T)]) -> Option<T> {
        let words: Vec<String> = choices.iter().map(|(word, _)| format!("\"{word}\"")).collect();
        let expected = words.join(" or ");
        let word = self.text(&expected)?;
        let chosen = choices.iter().find(|(choice, _)| *choice == word);
        if chosen.is_none() {
            let meant = suggestion(word, choices.iter().map(|(choice, _)| *choice));
            let remedy = meant.map_or("write one of these".to_owned(), |meant| format!("did you mean \"{meant}\"?"));
            self.wrong(expected, remedy);
        }
        chosen.map(|(_, value)| *value)
    }

    /// A name that goes into topics and file names; reported if it is none.
    pub(super) fn name(&self, whose: &str) -> Option<String> {
        let expected = format!("a name {whose} of letters, digits, `-`, `_` and `.`");
        let name = self.text(&expected)?;
        let good = |letter: char| letter.is_alphanumeric() || matches!(letter, '-' | '_' | '.');
        if name.is_empty() || name.chars().count() > NAME_LETTERS_MAX || !name.chars().all(good) {
            self.wrong(expected, format!("use 1 to {NAME_LETTERS_MAX} of these"));
            return None;
        }
        Some(name.to_owned())
    }

    /// A path relative to the configuration.
    pub(super) fn path(&self) -> Option<PathBuf> {
        let text = self.text("a path")?;
        if text.is_empty() || text.contains('\0') {
            self.wrong("a path", "name a file or take the key out");
            return None;
        }
        Some(self.notes.resolve(text))
    }

    /// A path of a file that must exist when the daemon starts.
    pub(super) fn file(&self) -> Option<PathBuf> {
        let path = self.path()?;
        self.notes.inner.borrow_mut().files.push((self.offset, self.key.clone(), path.clone()));
        Some(path)
    }
}

/// Values of which each may stand only once.
pub(super) struct Unique {
    what: &'static str,
    seen: BTreeMap<String, usize>,
}

impl Unique {
    pub(super) fn new(what: &'static str) -> Unique {
        Unique { what, seen: BTreeMap::new() }
    }

    /// Reports a value that was seen before.
    pub(super) fn check(&mut self, found: &Found<'_>, value: &str, remedy: &str) {
        if let Some(first) = self.seen.get(value) {
            let line = found.notes.place(*first).0;
            let message =
                format!("expected each {} once, found {} also in line {line}; {remedy}", self.what, shown(value));
            found.notes.problem(found.offset, &found.key, message);
        } else {
            self.seen.insert(value.to_owned(), found.offset);
        }
    }
}

/// The known word that was probably meant.
pub(super) fn suggestion<'w>(word: &str, known: impl Iterator<Item = &'w str>) -> Option<&'w str> {
    let word: String = word.chars().take(NAME_LETTERS_MAX).collect();
    let edits = |known: &&str| strsim::damerau_levenshtein(&word.to_lowercase(), known);
    // A short word is another one after few edits.
    known.min_by_key(edits).filter(|known| edits(known) <= SUGGESTION_EDITS_MAX.min(known.len() / 2))
}

/// What a message shows of a found text: short and without control characters.
fn shown(text: &str) -> String {
    let mut shown: String = text.chars().take(SHOWN_LETTERS_MAX).collect::<String>().escape_debug().collect();
    if text.chars().nth(SHOWN_LETTERS_MAX).is_some() {
        shown.push('…');
    }
    shown
}
