//! Dialects, each with its warnings, and what cannot be read.

use super::*;

const GAME: &str = "[Event \"a \\\"b\\\" [c]\"][Site \"d\"]\n\n\
                    {C: preamble}\n1A. e4 {299.420} 1B. e4 {299} $3 2B. Nc3 (2B. d4 {x)} d5) 1a. e5 {-0.500} (=)\n\
                    {C: this\ngame} {A: 1a. c5} {D: [x]}\n{Player004 checkmated} 1-0\n";

fn warnings(text: &str) -> Vec<String> {
    read_game(text, 1).unwrap().warnings.iter().map(ToString::to_string).collect()
}

#[test]
fn the_strict_form_is_read_without_warnings() {
    let parsed = read_game(GAME, 1).unwrap();
    assert_eq!(parsed.warnings, []);
    let game = parsed.game;
    assert_eq!(game.tag("Event"), Some("a \"b\" [c]"));
    assert_eq!(game.moves.iter().map(|m| m.seat.letter()).collect::<String>(), "ABBa");
    let clocks: Vec<_> = game.moves.iter().map(|m| m.clock_ms).collect();
    assert_eq!(clocks, [Some(299_420), Some(299_000), None, Some(-500)]);
    assert_eq!(game.ending.as_deref(), Some("Player004 checkmated"));
}

#[test]
fn comments_and_variations_survive() {
    let game = read_game(GAME, 1).unwrap().game;
    assert_eq!(game.preamble, [Comment::Text("C: preamble".into())]);
    assert_eq!(game.moves[1].comments, [Comment::Nag(3)]);
    assert_eq!(game.moves[2].comments, [Comment::Variation("2B. d4 {x)} d5".into())]);
    let kinds: Vec<_> = game.moves[3].comments.iter().map(Comment::kind).collect();
    assert_eq!(kinds, [None, Some('C'), Some('A'), Some('D')]);
    assert_eq!(read_game(&game.write(), 1).unwrap().game, game);
}

#[test]
fn each_repair_is_told_with_its_line() {
    assert_eq!(warnings("[A \"x\"]\n1A. e4 *"), ["line 2: expected an empty line between tags and moves, found none"]);
    assert_eq!(warnings("1A. e4 {179}1B. d4 *"), ["line 1: expected a space before 1B., found none"]);
    assert_eq!(warnings("1A.e4 *"), ["line 1: expected a space after 1A., found none"]);
    assert_eq!(warnings("[Date \"2014-07-18\"]\n\n*"), ["line 1: expected 2014.07.18 in tag Date, found 2014-07-18"]);
    let early = "line 2: expected a move after 1A., found the glyph $146 before it; was N@ meant?";
    assert_eq!(warnings("\n1A. $146@g4 *"), [early, "line 2: expected P@g4, found @g4"]);
    assert_eq!(warnings("1A. $1 e4 *"), ["line 1: expected a move after 1A., found the glyph $1 before it"]);
    assert_eq!(warnings("1A. @e3 *"), ["line 1: expected P@e3, found @e3"]);
    assert_eq!(warnings("1A. e4 None"), ["line 1: expected a result, found None; taken as *"]);
    assert_eq!(warnings("1A. e4 {x} 1-0 *"), ["line 1: expected nothing after the result 1-0, found *"]);
    assert_eq!(warnings("1A. e4"), ["line 1: expected a result at the end, found none; taken as *"]);
    let tag = ["line 3: expected the result of the tag, 1-0, at the end, found *"];
    assert_eq!(warnings("[Result \"1-0\"]\n\n1A. e4 *"), tag);
    assert_eq!(warnings("[A x]\n\n*"), ["line 1: expected a value in quotes in tag A, found \"x\""]);
    let clock = ["line 2: expected {1.300}, found {[%clk 0:00:01.3]}"];
    assert_eq!(warnings("1A. e4 {[%clk\n0:00:01.3]} *"), clock);
}

#[test]
fn warnings_are_bounded() {
    let told = warnings(&"1A.e4 ".repeat(WARNINGS_MAX + 10));
    assert_eq!(told.len(), WARNINGS_MAX + 1);
    assert_eq!(told.last().unwrap(), "line 1: 11 more places were mended");
}

#[test]
fn tags_are_bounded() {
    let tags = |count: usize| (0..count).map(|number| format!("[T{number} \"x\"]\n")).collect::<String>();
    assert_eq!(read_game(&tags(TAGS_MAX), 1).unwrap().game.tags.len(), TAGS_MAX);
    let told = read_game(&tags(TAGS_MAX + 1), 1).unwrap_err().to_string();
    assert_eq!(told, "line 257: expected at most 256 tags, found T256 too: is this BPGN?");
}

#[test]
fn errors_are_located() {
    let error = |text: &str| read_game(text, 1).unwrap_err().to_string();
    assert_eq!(
        error("[Event \"x\"]\n\n1A. e4 e5"),
        "line 3: expected a move number such as 1A. or a result, found \"e5\""
    );
    assert_eq!(error("[Event \"x\"\n"), "line 1: expected ] after a tag, found none");
    assert_eq!(error("1A. e4 {C: open"), "line 1: expected } after a comment, found the end");
    assert_eq!(error("1A. e4\n(1a. e5"), "line 2: expected ) after a variation, found the end of the game");
    assert_eq!(error("1A. e4 $300"), "line 1: expected a glyph $0 to $255, found \"$\"");
    assert_eq!(error("1A."), "line 1: expected a move after 1A., found the end");
    assert_eq!(error("\n"), "line 2: expected a game, found neither tags nor moves");
    assert_eq!(error("[%clk 3]"), "line 1: expected a tag such as [WhiteA \"name\"], found [\"%clk 3\"]");
}
