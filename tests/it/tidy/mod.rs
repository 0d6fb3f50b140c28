//! Reads the sources and fails on what the project does not want: a step against the order of the rooms, an impure
//! core, long lines and functions, files without a head, leftovers.
//!
//! In: the text of the repository. Out: one complaint a place. It builds nothing and knows nothing of chess.

mod checks;
mod source;

use std::{
    fmt, fs,
    path::{Path, PathBuf},
};

use source::File;

/// Something that is not wanted, and where.
#[derive(Debug, PartialEq, Eq)]
struct Complaint {
    path: String,
    line: usize,
    what: String,
}

impl fmt::Display for Complaint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.path, self.line, self.what)
    }
}

/// Looks at one file.
type Check = fn(&File) -> Vec<Complaint>;

/// Folders with Rust of ours.
const RUST: [&str; 5] = ["src", "tests", "benches", "examples", "fuzz"];
/// What is written by us, in any language. Test data is not.
const WRITTEN: [&str; 15] = [
    "src",
    "tests",
    "benches",
    "examples",
    "fuzz",
    "hardware",
    "calibration",
    "systemd",
    ".ci",
    ".config",
    "README.md",
    "CHANGELOG.md",
    "Cargo.toml",
    "clippy.toml",
    "deny.toml",
];
/// Folders that others fill.
const FOREIGN: [&str; 5] = ["tests/data", "tests/.cache", "node_modules", "__pycache__", "target"];

#[test]
fn rooms_use_only_rooms_above_them() {
    expect_none(&rust_of("src"), checks::room_order);
}

#[test]
fn the_order_of_the_rooms_is_the_one_that_the_library_declares() {
    let library = rust_of("src").into_iter().find(|file| file.path == "src/lib.rs").expect("src/lib.rs is there");
    assert_eq!(library.declared_modules(), checks::ROOMS);
}

#[test]
fn the_core_is_pure() {
    expect_none(&rust_of("src"), checks::purity);
}

#[test]
fn nothing_is_unwrapped_outside_tests() {
    expect_none(&rust_of("src"), checks::unwraps);
}

#[test]
fn rust_is_short_and_has_a_head() {
    let files: Vec<File> = RUST.iter().flat_map(|folder| rust_of(folder)).collect();
    expect_none(&files, checks::head);
    expect_none(&files, checks::long_file);
    expect_none(&files, checks::long_lines);
    expect_none(&files, checks::long_functions);
}

#[test]
fn nothing_is_left_open() {
    let files: Vec<File> = WRITTEN.iter().flat_map(|place| texts_of(place)).collect();
    expect_none(&files, checks::leftovers);
    expect_none(&files, checks::traces);
}

#[test]
fn documents_that_are_named_are_there() {
    let files: Vec<File> = WRITTEN.iter().flat_map(|place| texts_of(place)).collect();
    let name = |file: &File| file.path.rsplit('/').next().map(str::to_owned);
    let known: Vec<String> = files.iter().filter_map(name).collect();
    let complaints: Vec<_> = files.iter().flat_map(|file| checks::missing_documents(file, &known)).collect();
    assert!(complaints.is_empty(), "\n{}\n", lines_of(&complaints));
}

fn lines_of(complaints: &[Complaint]) -> String {
    complaints.iter().map(Complaint::to_string).collect::<Vec<_>>().join("\n")
}

/// Runs a check over files and shows every complaint at once.
fn expect_none(files: &[File], check: Check) {
    assert!(!files.is_empty(), "a check without files proves nothing");
    let complaints: Vec<_> = files.iter().flat_map(check).collect();
    assert!(complaints.is_empty(), "\n{}\n", lines_of(&complaints));
}

/// All Rust files below a folder of the repository.
fn rust_of(place: &str) -> Vec<File> {
    let mut files: Vec<File> = texts_of(place).into_iter().filter(|file| file.path.ends_with(".rs")).collect();
    let test_modules: Vec<String> = files.iter().flat_map(File::test_modules).collect();
    for file in &mut files {
        let below =
            |module: &String| file.path.strip_prefix(module.as_str()).is_some_and(|r| r.starts_with(['.', '/']));
        file.test |= test_modules.iter().any(below);
    }
    files
}

/// All text files at a place of the repository, in order; none if there is no such place.
fn texts_of(place: &str) -> Vec<File> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut paths = Vec::new();
    collect(&root.join(place), &mut paths);
    paths.sort();
    let read = |path: PathBuf| {
        let name = path.strip_prefix(root).expect("collected below the root").to_string_lossy().into_owned();
        fs::read_to_string(&path).ok().map(|text| File::new(name, text))
    };
    paths.into_iter().filter_map(read).collect()
}

fn collect(place: &Path, paths: &mut Vec<PathBuf>) {
    if FOREIGN.iter().any(|foreign| place.ends_with(foreign)) {
        return;
    }
    if let Ok(entries) = fs::read_dir(place) {
        entries.flatten().for_each(|entry| collect(&entry.path(), paths));
    } else if place.is_file() {
        paths.push(place.to_owned());
    }
}
