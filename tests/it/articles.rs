//! Each article of the laws that is automated has a test that cites it; the list is `tests/data/articles.txt`.
//!
//! `cargo test --test it articles -- --nocapture` prints every article with the places that cite it.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

/// Law texts as they are cited.
const LAWS: [&str; 3] = ["WBN", "CZ", "FIDE-ext"];

/// Law text and article without a letter: `WBN 5.7`.
type Article = String;

/// The articles in a line: `WBN 1.8b`, `WBN 5.7 d` and `CZ 5.7e` cite 1.8 and 5.7.
fn cited(line: &str) -> Vec<Article> {
    let mut found = Vec::new();
    for law in LAWS {
        for (at, _) in line.match_indices(law) {
            let number: String = line[at + law.len()..]
                .strip_prefix(' ')
                .unwrap_or_default()
                .chars()
                .take_while(|letter| letter.is_ascii_digit() || *letter == '.' || *letter == 'E')
                .collect();
            let number = number.trim_end_matches('.');
            let short: Vec<&str> = number.split('.').take(if number.starts_with('E') { 1 } else { 2 }).collect();
            if number.chars().any(|letter| letter.is_ascii_digit()) {
                found.push(format!("{law} {}", short.join(".")));
            }
        }
    }
    found
}

fn rust_files(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder of sources") {
        let path = entry.expect("an entry of the folder").path();
        if path.is_dir() {
            rust_files(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}

/// Comments of a file's tests that cite articles, with their lines.
fn citations(path: &Path, places: &mut BTreeMap<Article, Vec<String>>) {
    let text = fs::read_to_string(path).expect("a source");
    let name = path.strip_prefix(env!("CARGO_MANIFEST_DIR")).expect("a path of the project");
    let all_tests = name.starts_with("tests") || name.ends_with("tests.rs") || name.ends_with("properties.rs");
    let begin = if all_tests { Some(0) } else { text.lines().position(|line| line.starts_with("#[cfg(test)]")) };
    for (index, line) in text.lines().enumerate().skip(begin.unwrap_or(usize::MAX)) {
        let Some((_, comment)) = line.split_once("// ") else { continue };
        for article in cited(comment) {
            places.entry(article).or_default().push(format!("{}:{}", name.display(), index + 1));
        }
    }
}

#[test]
fn each_automated_article_has_a_test_that_cites_it() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let list = fs::read_to_string(root.join("tests/data/articles.txt")).expect("the list of articles");
    let (mut files, mut places) = (Vec::new(), BTreeMap::new());
    for folder in ["src", "tests/it"] {
        rust_files(&root.join(folder), &mut files);
    }
    files.retain(|path| !path.ends_with("articles.rs"));
    files.iter().for_each(|path| citations(path, &mut places));
    let mut listed = BTreeSet::new();
    let mut wrong = Vec::new();
    for line in list.lines().filter(|line| !line.starts_with('#') && !line.is_empty()) {
        let (open, line) = line.strip_prefix('-').map_or((false, line), |line| (true, line));
        let article = cited(line).pop().unwrap_or_else(|| panic!("no article in {line:?}"));
        let tests = places.get(&article).map_or(&[][..], Vec::as_slice);
        println!("{line}: {}", if tests.is_empty() { "no test yet".into() } else { tests.join(", ") });
        match (open, tests.is_empty()) {
            (false, true) => wrong.push(format!("{article}: no test cites it")),
            (true, false) => wrong.push(format!("{article}: {} cites it, take the dash away", tests.join(", "))),
            _ => {}
        }
        assert!(listed.insert(article.clone()), "{article} is listed twice");
    }
    let unknown = places.iter().filter(|(article, _)| !listed.contains(*article));
    wrong.extend(unknown.map(|(article, places)| format!("{article}: not listed, cited by {}", places.join(", "))));
    assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n"));
}

#[test]
fn citations_are_read_in_every_form() {
    assert_eq!(
        cited("WBN 1.8b, WBN 5.7 d; CZ 5.7e and FIDE-ext 3.6"),
        ["WBN 1.8", "WBN 5.7", "CZ 5.7", "FIDE-ext 3.6"]
    );
    assert_eq!(cited("WBN E9.2: told apart"), ["WBN E9"]);
    assert_eq!(cited("the WBN laws"), [""; 0]);
}
