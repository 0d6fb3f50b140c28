//! The checks, each a function from a file to complaints, and for each a sample that it must catch.

use super::{
    Complaint,
    source::{File, PathUse},
};

/// The rooms in the order of the data; a room may use the ones before it.
pub const ROOMS: [&str; 16] = [
    "types", "rules", "notation", "wire", "sense", "track", "referee", "event", "table", "record", "journal",
    "publish", "display", "simulate", "daemon", "cli",
];
/// The last room of the core.
const LAST_PURE: &str = "record";
/// What the core may not use, as beginnings of paths.
const IMPURE: [&str; 14] = [
    "std::fs",
    "std::time",
    "std::net",
    "std::thread",
    "std::process",
    "std::env",
    "tokio",
    "rand",
    "rand_chacha",
    "rusqlite",
    "rumqttc",
    "mqtt5",
    "axum",
    "tokio_serial",
];
/// Types whose order of iteration differs from run to run.
const UNORDERED: [&str; 2] = ["HashMap", "HashSet"];
const COLUMNS_MAX: usize = 120;
const FUNCTION_LINES_MAX: usize = 70;
const FILE_LINES_MAX: usize = 700;
/// Words that say that something is not finished.
const MARKERS: [&str; 4] = [concat!("TO", "DO"), concat!("FIX", "ME"), concat!("X", "XX"), concat!("HA", "CK")];
/// Code that says that something is not finished.
const UNFINISHED: [&str; 3] = [concat!("to", "do!("), concat!("unimplement", "ed!("), concat!("#[ign", "ore")];
/// Beginnings of paths that exist on one machine only.
const PRIVATE: [&str; 5] = [
    concat!("/ho", "me/"),
    concat!("/ro", "ot/"),
    concat!("/Us", "ers/"),
    concat!("/wo", "rk/"),
    concat!("/tm", "p/wt"),
];

fn complaint(file: &File, line: usize, what: impl Into<String>) -> Complaint {
    Complaint { path: file.path.clone(), line, what: what.into() }
}

fn rank(room: &str) -> Option<usize> {
    ROOMS.iter().position(|&known| known == room)
}

/// A room uses a room that comes after it.
pub fn room_order(file: &File) -> Vec<Complaint> {
    let Some((room, own)) = file.room().and_then(|room| Some((room, rank(room)?))) else { return Vec::new() };
    let against = |path: &PathUse| {
        let used = used_room(file, path)?;
        (rank(used)? > own)
            .then(|| complaint(file, path.line, format!("room {room} uses {used}, which comes after it")))
    };
    let mut complaints: Vec<_> = file.paths(true).iter().filter_map(against).collect();
    complaints.dedup();
    complaints
}

/// The first name behind the crate's root, whether the path begins with `crate` or climbs there.
fn used_room<'a>(file: &File, path: &'a PathUse) -> Option<&'a str> {
    let climbed = path.segments.iter().take_while(|segment| *segment == "super").count();
    let at = match path.segments[0].as_str() {
        "crate" => 1,
        "super" if climbed >= file.depth() + path.depth => climbed,
        _ => return None,
    };
    path.segments.get(at).map(String::as_str)
}

/// A room of the core reads a clock, a file, a net, starts a thread, draws a random number or iterates in hash order.
pub fn purity(file: &File) -> Vec<Complaint> {
    let last = rank(LAST_PURE).expect("the last pure room is a room");
    if file.room().and_then(rank).is_none_or(|room| room > last) {
        return Vec::new();
    }
    let impure = |path: &PathUse| {
        let text = path.segments.join("::");
        let starts = |banned: &&&str| text == **banned || text.starts_with(&format!("{banned}::"));
        let unordered = UNORDERED.iter().find(|name| path.segments.iter().any(|segment| segment == **name));
        let banned = IMPURE.iter().find(starts).or(unordered)?;
        Some(complaint(file, path.line, format!("the core may not use {banned}")))
    };
    file.paths(false).iter().filter_map(impure).collect()
}

/// An `unwrap` without a word why it cannot fail.
pub fn unwraps(file: &File) -> Vec<Complaint> {
    let say = |line| complaint(file, line, "unwrap(): answer the error, or say in expect() why there is none");
    file.calls("unwrap", false).into_iter().map(say).collect()
}

/// A file that does not say what it is for.
pub fn head(file: &File) -> Vec<Complaint> {
    let first = file.text.lines().next().unwrap_or_default();
    if first.starts_with("//! ") { Vec::new() } else { vec![complaint(file, 1, "expected //! docs in the first line")] }
}

/// A file with too many lines.
pub fn long_file(file: &File) -> Vec<Complaint> {
    let lines = file.text.lines().count();
    let say = || complaint(file, lines, format!("{lines} lines, at most {FILE_LINES_MAX}"));
    (lines > FILE_LINES_MAX).then(say).into_iter().collect()
}

/// A line with too many columns. Tests may quote a message in one line, as people see it.
pub fn long_lines(file: &File) -> Vec<Complaint> {
    lines_where(file, |line| {
        let columns = line.chars().count();
        let quoted = file.test && line.trim_start().starts_with('"');
        (columns > COLUMNS_MAX && !quoted).then(|| format!("{columns} columns, at most {COLUMNS_MAX}"))
    })
}

/// A function with too many lines.
pub fn long_functions(file: &File) -> Vec<Complaint> {
    let long = file.functions().into_iter().filter(|function| function.lines > FUNCTION_LINES_MAX);
    let say = |f: super::source::Function| {
        complaint(file, f.line, format!("fn {} has {} lines, at most {FUNCTION_LINES_MAX}", f.name, f.lines))
    };
    long.map(say).collect()
}

/// Something that its author meant to finish later.
pub fn leftovers(file: &File) -> Vec<Complaint> {
    lines_where(file, |line| {
        let marker = MARKERS.iter().find(|marker| has_word(line, marker));
        let found = marker.or_else(|| UNFINISHED.iter().find(|text| line.contains(**text)))?;
        Some(format!("left open: {found}"))
    })
}

/// A path that exists on one machine only, or a number of a tracker that readers do not have.
pub fn traces(file: &File) -> Vec<Complaint> {
    lines_where(file, |line| {
        let private =
            PRIVATE.iter().find(|path| line.contains(**path)).map(|path| format!("path of one machine: {path}"));
        private.or_else(|| names_an_issue(line).then(|| "number of an issue: say what it is about".to_owned()))
    })
}

/// Names of documents, written without a folder, that this line refers to.
pub fn documents(line: &str) -> impl Iterator<Item = &str> {
    let words = line.split(|c: char| !c.is_alphanumeric() && !"._-/".contains(c));
    words
        .map(|word| word.trim_end_matches('.'))
        .filter(|word| word.len() > 3 && word.ends_with(".md") && !word.contains('/'))
}

/// A document that readers of the repository do not have. `known` are the names of those that are there.
pub fn missing_documents(file: &File, known: &[String]) -> Vec<Complaint> {
    lines_where(file, |line| {
        let missing = documents(line).find(|name| !known.iter().any(|known| known == name))?;
        Some(format!("there is no {missing} in the repository"))
    })
}

fn lines_where(file: &File, look: impl Fn(&str) -> Option<String>) -> Vec<Complaint> {
    let numbered = file.text.lines().enumerate();
    numbered.filter_map(|(index, line)| Some(complaint(file, index + 1, look(line)?))).collect()
}

/// Whether the word stands in the line with nothing alphanumeric around it.
fn has_word(line: &str, word: &str) -> bool {
    let apart = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric() && c != '_');
    line.match_indices(word)
        .any(|(at, _)| apart(line[..at].chars().next_back()) && apart(line[at + word.len()..].chars().next()))
}

fn names_an_issue(line: &str) -> bool {
    let lower = line.to_lowercase();
    lower.match_indices("issue ").any(|(at, word)| {
        let rest = lower[at + word.len()..].trim_start_matches('#');
        rest.starts_with(|c: char| c.is_ascii_digit())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lines of the complaints about a file with this path and text.
    fn lines(check: super::super::Check, path: &str, text: &str) -> Vec<usize> {
        check(&File::new(path, text)).iter().map(|complaint| complaint.line).collect()
    }

    #[test]
    fn a_step_against_the_order_is_caught() {
        let bad = "use std::fmt;\nuse crate::{\n    types::Seat,\n    event::{Body, Event},\n};";
        assert_eq!(lines(room_order, "src/rules/mod.rs", bad), [4]);
        assert_eq!(lines(room_order, "src/wire/dgt.rs", "fn f() { crate::table::Table::new() }"), [1]);
        assert_eq!(lines(room_order, "src/rules/san.rs", "use super::super::journal::Journal;"), [1]);
        assert_eq!(lines(room_order, "src/event.rs", "mod inner { use super::super::cli::Exit; }"), [1]);
    }

    #[test]
    fn steps_along_the_order_are_none() {
        let good = "use crate::{types::Seat, rules::Board};\nuse super::lex::Word;\nuse self::a::B;";
        assert_eq!(lines(room_order, "src/notation/bpgn.rs", good), [0; 0]);
        assert_eq!(lines(room_order, "src/wire/dgt.rs", "use super::table::Row;\nuse crate::wire::Frame;"), [0; 0]);
        assert_eq!(lines(room_order, "src/main.rs", "use crate::cli::Outcome;"), [0; 0]);
    }

    #[test]
    fn an_impure_core_is_caught() {
        for bad in [
            "use std::{fmt, fs::File};",
            "fn f() { std::time::Instant::now(); }",
            "use std::net::TcpStream;",
            "use std::{collections::{BTreeMap, HashMap}};",
            "use tokio::sync::mpsc;",
            "fn f() { let n: u8 = rand::random(); }",
            "fn f() { std::thread::yield_now() }",
        ] {
            assert_eq!(lines(purity, "src/track/mod.rs", bad), [1], "{bad}");
            assert_eq!(lines(purity, "src/daemon/mod.rs", bad), [0; 0], "{bad}");
        }
        let tested = "use crate::types::Instant;\n#[cfg(test)]\nmod tests { fn f() { std::fs::read(\"x\"); } }";
        assert_eq!(lines(purity, "src/table.rs", tested), [0; 0]);
    }

    #[test]
    fn an_unwrap_outside_tests_is_caught() {
        let text = "fn f() {\n a\n  .unwrap();\n b.unwrap_or(1);\n}\n#[cfg(test)]\nmod t { fn g() { c.unwrap() } }";
        assert_eq!(lines(unwraps, "src/x.rs", text), [3]);
    }

    #[test]
    fn a_file_without_a_head_is_caught() {
        assert_eq!(lines(head, "src/x.rs", "use a::b;\n//! late\n"), [1]);
        assert_eq!(lines(head, "src/x.rs", ""), [1]);
        assert_eq!(lines(head, "src/x.rs", "//! What it is for.\n"), [0; 0]);
    }

    #[test]
    fn length_is_caught() {
        let wide = format!("{}\n{}\n", "ä".repeat(COLUMNS_MAX), "ä".repeat(COLUMNS_MAX + 1));
        assert_eq!(lines(long_lines, "src/x.rs", &wide), [2]);
        let quote = format!("        \"{}\",\n", "x".repeat(COLUMNS_MAX));
        assert_eq!(lines(long_lines, "src/x.rs", &quote), [1]);
        assert_eq!(lines(long_lines, "src/x/tests.rs", &quote), Vec::<usize>::new());
        let body = |lines: usize| format!("\nfn f() {{\n{}}}\n", "    a();\n".repeat(lines - 2));
        assert_eq!(lines(long_functions, "src/x.rs", &body(FUNCTION_LINES_MAX)), [0; 0]);
        assert_eq!(lines(long_functions, "src/x.rs", &body(FUNCTION_LINES_MAX + 1)), [2]);
        assert_eq!(lines(long_file, "src/x.rs", &"\n".repeat(FILE_LINES_MAX)), [0; 0]);
        assert_eq!(lines(long_file, "src/x.rs", &"\n".repeat(FILE_LINES_MAX + 1)), [FILE_LINES_MAX + 1]);
    }

    #[test]
    fn leftovers_are_caught() {
        for marker in MARKERS {
            assert_eq!(lines(leftovers, "tests/run", &format!("fine\n# {marker}: later")), [2]);
            assert_eq!(lines(leftovers, "src/x.rs", &format!("let A{marker}B = 1;")), [0; 0]);
        }
        for text in UNFINISHED {
            assert_eq!(lines(leftovers, "src/x.rs", text), [1]);
        }
    }

    #[test]
    fn documents_that_are_not_there_are_caught() {
        let known = ["README.md".to_owned()];
        let text = format!("see README.md.\nsee ({}, part 2)\nsee https://example.org/x.md", concat!("absent", ".md"));
        let found = missing_documents(&File::new("src/x.rs", text), &known);
        assert_eq!(found.iter().map(|complaint| complaint.line).collect::<Vec<_>>(), [2]);
    }

    #[test]
    fn traces_of_one_machine_are_caught() {
        for path in PRIVATE {
            assert_eq!(lines(traces, "README.md", &format!("see {path}x")), [1]);
        }
        assert_eq!(lines(traces, "src/x.rs", &format!("// {} {}", concat!("Is", "sue"), "#12 says so")), [1]);
        assert_eq!(lines(traces, "src/x.rs", "// no issue here, no homework"), [0; 0]);
    }
}
