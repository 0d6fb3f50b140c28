//! One source file as tokens: paths, functions, calls, and which of them are test code.
//!
//! In: Rust text. Out: what a check asks for, with line numbers. Tokens have no comments, and text within macros is
//! seen like any other.

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

/// A file of the repository.
pub struct File {
    /// Path from the root, with slashes.
    pub path: String,
    /// Its text.
    pub text: String,
    /// Whether all of it is compiled for tests only.
    pub test: bool,
}

/// `a::b::c` as written, `use` lists taken apart.
#[derive(Debug, PartialEq, Eq)]
pub struct PathUse {
    /// `["a", "b", "c"]`.
    pub segments: Vec<String>,
    /// Where its first segment stands.
    pub line: usize,
    /// How many inline `mod` blocks are around it.
    pub depth: usize,
}

/// A function with a body.
#[derive(Debug, PartialEq, Eq)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// Line of `fn`.
    pub line: usize,
    /// Lines from `fn` to the closing brace.
    pub lines: usize,
}

impl File {
    /// A file with this path and text.
    pub fn new(path: impl Into<String>, text: impl Into<String>) -> File {
        let path = path.into();
        let test = path.ends_with("/tests.rs") || path.contains("/tests/");
        File { path, text: text.into(), test }
    }

    /// The room that it belongs to: `table` for `src/table.rs` and for everything below `src/table/`.
    pub fn room(&self) -> Option<&str> {
        let first = self.path.strip_prefix("src/")?.split('/').next()?;
        Some(first.strip_suffix(".rs").unwrap_or(first))
    }

    /// How deep its module lies: 1 for `src/table.rs` and `src/wire/mod.rs`, 2 for `src/wire/dgt.rs`.
    pub fn depth(&self) -> usize {
        let inner = self.path.trim_start_matches("src/").trim_end_matches("/mod.rs");
        inner.split('/').count()
    }

    /// Path without `.rs` of every module that it declares behind `#[cfg(test)]`.
    pub fn test_modules(&self) -> Vec<String> {
        let folder = match self.path.strip_suffix(".rs").unwrap_or(&self.path) {
            stem if stem.ends_with("/mod") || stem == "src/lib" || stem == "src/main" => {
                stem.rsplit_once('/').map_or(stem, |(folder, _)| folder)
            }
            stem => stem,
        };
        let tokens = self.tokens(true);
        let mut attributes = tokens.windows(2).enumerate();
        let mut modules = Vec::new();
        while let Some((index, _)) =
            attributes.find(|(_, pair)| is_punct(pair.first(), '#') && is_test_attribute(&pair[1]))
        {
            let item = tokens[index + 2..].iter().skip_while(|token| is_visibility(token));
            if let [Some(TokenTree::Ident(word)), Some(TokenTree::Ident(name)), end] = first_three(item)
                && word == "mod"
                && is_punct(end, ';')
            {
                modules.push(format!("{folder}/{name}"));
            }
        }
        modules
    }

    /// Its tokens; with `tests` false, without what is compiled for tests only.
    pub fn tokens(&self, tests: bool) -> Vec<TokenTree> {
        if !tests && self.test {
            return Vec::new();
        }
        let stream: TokenStream = self.text.parse().unwrap_or_else(|e| panic!("{}: no Rust: {e}", self.path));
        let tokens: Vec<TokenTree> = stream.into_iter().collect();
        if tests { tokens } else { without_tests(tokens) }
    }

    /// Every path with at least two segments.
    pub fn paths(&self, tests: bool) -> Vec<PathUse> {
        let mut found = Vec::new();
        walk_paths(&self.tokens(tests), &[], 0, &mut found);
        found.retain(|path| path.segments.len() > 1);
        found
    }

    /// Lines of calls `.name()`.
    pub fn calls(&self, name: &str, tests: bool) -> Vec<usize> {
        let mut lines = Vec::new();
        walk(&self.tokens(tests), &mut |tokens| {
            if let [TokenTree::Punct(dot), TokenTree::Ident(ident), TokenTree::Group(arguments), ..] = tokens
                && dot.as_char() == '.'
                && ident == name
                && arguments.delimiter() == Delimiter::Parenthesis
            {
                lines.push(ident.span().start().line);
            }
        });
        lines
    }

    /// Every function with a body, tests too.
    pub fn functions(&self) -> Vec<Function> {
        let mut found = Vec::new();
        walk(&self.tokens(true), &mut |tokens| {
            if let [TokenTree::Ident(word), TokenTree::Ident(name), rest @ ..] = tokens
                && word == "fn"
                && let Some(body) = body_of(rest)
            {
                let line = word.span().start().line;
                let lines = body.span_close().end().line - line + 1;
                found.push(Function { name: name.to_string(), line, lines });
            }
        });
        found
    }

    /// Names of `mod name;` at the top of the file, in order.
    pub fn declared_modules(&self) -> Vec<String> {
        let tokens = self.tokens(true);
        let declared = tokens.windows(3).filter_map(|window| match window {
            [TokenTree::Ident(word), TokenTree::Ident(name), TokenTree::Punct(end)]
                if word == "mod" && end.as_char() == ';' =>
            {
                Some(name.to_string())
            }
            _ => None,
        });
        declared.collect()
    }
}

/// Shows every position of every group, outer ones first.
fn walk(tokens: &[TokenTree], look: &mut impl FnMut(&[TokenTree])) {
    for (index, token) in tokens.iter().enumerate() {
        look(&tokens[index..]);
        if let TokenTree::Group(group) = token {
            walk(&inside(group), look);
        }
    }
}

fn inside(group: &Group) -> Vec<TokenTree> {
    group.stream().into_iter().collect()
}

fn braced(token: &TokenTree) -> Option<&Group> {
    match token {
        TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => Some(group),
        _ => None,
    }
}

fn is_punct(token: Option<&TokenTree>, wanted: char) -> bool {
    matches!(token, Some(TokenTree::Punct(punct)) if punct.as_char() == wanted)
}

/// The braces after a signature; none for a declaration.
fn body_of(signature: &[TokenTree]) -> Option<&Group> {
    signature.iter().take_while(|token| !is_punct(Some(token), ';')).find_map(braced)
}

/// Drops every item behind `#[cfg(test)]` or `#[test]`, at any depth.
fn without_tests(tokens: Vec<TokenTree>) -> Vec<TokenTree> {
    let mut kept = Vec::new();
    let mut rest = tokens.into_iter().peekable();
    while let Some(token) = rest.next() {
        if is_punct(Some(&token), '#') && rest.peek().is_some_and(is_test_attribute) {
            rest.by_ref().find(|token| is_punct(Some(token), ';') || braced(token).is_some());
            continue;
        }
        kept.push(match token {
            TokenTree::Group(group) => {
                let stream = without_tests(inside(&group)).into_iter().collect();
                let mut trimmed = Group::new(group.delimiter(), stream);
                trimmed.set_span(group.span());
                TokenTree::Group(trimmed)
            }
            other => other,
        });
    }
    kept
}

fn is_visibility(token: &TokenTree) -> bool {
    match token {
        TokenTree::Ident(word) => word == "pub",
        TokenTree::Group(group) => group.delimiter() == Delimiter::Parenthesis,
        _ => false,
    }
}

fn first_three<'a>(mut tokens: impl Iterator<Item = &'a TokenTree>) -> [Option<&'a TokenTree>; 3] {
    [tokens.next(), tokens.next(), tokens.next()]
}

fn is_test_attribute(token: &TokenTree) -> bool {
    let TokenTree::Group(attribute) = token else { return false };
    let mut words = Vec::new();
    walk(&inside(attribute), &mut |tokens| {
        if let TokenTree::Ident(word) = &tokens[0] {
            words.push(word.to_string());
        }
    });
    words == ["test"] || words.first().is_some_and(|word| word == "cfg") && words[1..] == ["test"]
}

/// Collects paths; `prefix` is what stands before the braces of a `use` list.
fn walk_paths(tokens: &[TokenTree], prefix: &[String], depth: usize, found: &mut Vec<PathUse>) {
    let mut index = 0;
    while let Some(token) = tokens.get(index) {
        index += 1;
        match token {
            TokenTree::Ident(word) if word == "mod" => {
                if let Some(group) = tokens.get(index + 1).and_then(braced) {
                    walk_paths(&inside(group), &[], depth + 1, found);
                    index += 2;
                }
            }
            TokenTree::Ident(first) => {
                let mut segments = prefix.to_vec();
                segments.push(first.to_string());
                let line = first.span().start().line;
                index = follow(tokens, index, PathUse { segments, line, depth }, found);
            }
            TokenTree::Group(group) => walk_paths(&inside(group), &[], depth, found),
            _ => {}
        }
    }
}

/// Goes along `::name` from `index` on, into a list in braces if there is one; answers where the path ends.
fn follow(tokens: &[TokenTree], mut index: usize, mut path: PathUse, found: &mut Vec<PathUse>) -> usize {
    while is_punct(tokens.get(index), ':') && is_punct(tokens.get(index + 1), ':') {
        match tokens.get(index + 2) {
            Some(TokenTree::Ident(next)) => path.segments.push(next.to_string()),
            Some(token) => {
                if let Some(list) = braced(token) {
                    walk_paths(&inside(list), &path.segments, path.depth, found);
                    return index + 3;
                }
                break;
            }
            None => break,
        }
        index += 3;
    }
    found.push(path);
    index
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(text: &str, tests: bool) -> Vec<String> {
        File::new("src/x.rs", text).paths(tests).iter().map(|path| path.segments.join("::")).collect()
    }

    #[test]
    fn nested_lists_are_taken_apart() {
        let text = "use crate::{event::{Event, Body}, types::Seat, wire::{self, dgt::*}};\nfn f() -> a::B { c::d() }";
        let all = ["crate::event::Event", "crate::event::Body", "crate::types::Seat", "crate::wire::self"];
        assert_eq!(paths(text, true), [&all[..], &["crate::wire::dgt", "a::B", "c::d"]].concat());
    }

    #[test]
    fn macros_are_looked_into_and_comments_are_not() {
        assert_eq!(paths("//! see a::b\n/* c::d */ println!(\"{}\", e::f(g::h));", true), ["e::f", "g::h"]);
    }

    #[test]
    fn test_code_can_be_left_out() {
        let text =
            "#[cfg(test)]\nuse a::b;\nuse c::d;\n#[cfg(test)]\nmod tests { use e::f; #[test] fn g() { h::i() } }";
        assert_eq!(paths(text, false), ["c::d"]);
        assert_eq!(paths("#[cfg(not(test))] use a::b; #[cfg(feature = \"x\")] use c::d;", false), ["a::b", "c::d"]);
        assert_eq!(File::new("src/rules/tests.rs", "use a::b;").paths(false), []);
    }

    #[test]
    fn files_of_test_modules_are_named() {
        let text = "#[cfg(test)]\npub(crate) mod samples;\nmod plain;\n#[cfg(test)]\nmod inline {}";
        assert_eq!(File::new("src/x/mod.rs", text).test_modules(), ["src/x/samples"]);
        assert_eq!(File::new("src/x/y.rs", text).test_modules(), ["src/x/y/samples"]);
        assert_eq!(File::new("src/lib.rs", text).test_modules(), ["src/samples"]);
    }

    #[test]
    fn inline_modules_are_deeper() {
        let found = File::new("src/x.rs", "use a::b; mod inner { use c::d; }").paths(true);
        assert_eq!(found.iter().map(|path| path.depth).collect::<Vec<_>>(), [0, 1]);
    }

    #[test]
    fn functions_have_lengths() {
        let text = "trait T {\n fn declared();\n}\nfn long(\n) {\n\n}\nstatic F: fn(u8) = g;\nfn g(_: u8) {}";
        let found = File::new("src/x.rs", text).functions();
        let found: Vec<_> = found.iter().map(|f| (f.name.as_str(), f.line, f.lines)).collect();
        assert_eq!(found, [("long", 4, 4), ("g", 9, 1)]);
    }

    #[test]
    fn files_know_their_place() {
        let place = |path: &str| {
            let file = File::new(path, "");
            (file.room().map(str::to_owned), file.depth())
        };
        assert_eq!(place("src/table.rs"), (Some("table".into()), 1));
        assert_eq!(place("src/table/settings.rs"), (Some("table".into()), 2));
        assert_eq!(place("src/wire/mod.rs"), (Some("wire".into()), 1));
        assert_eq!(place("tests/it/main.rs").0, None);
    }
}
