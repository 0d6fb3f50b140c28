//! Whole records: the law texts' own samples, repetition, remarks.

use super::*;
use crate::notation::bpgn::read_game;

fn play(text: &str) -> Replay {
    replay(&read_game(text, 1).unwrap().game, &RuleSet::WBN_1_00)
}

fn remarks(text: &str) -> Vec<String> {
    play(text).remarks.into_iter().map(|remark| format!("{}: {}", remark.index, remark.message)).collect()
}

#[test]
fn every_ply_that_repeats_often_enough_is_told() {
    // WBN 2.2b: the knights go out and home again
    let shuffle = |n: u32| format!("{0}A. Nf3 {0}a. Nf6 {1}A. Ng1 {1}a. Ng8 ", n, n + 1);
    let text = [1, 3, 5].map(shuffle).concat();
    let found: Vec<_> = play(&text).repetitions.iter().map(|r| (r.index, r.occurrences)).collect();
    assert_eq!(found, [(8, 3), (9, 3), (10, 3), (11, 3), (12, 4)]);
}

#[test]
fn what_is_spelled_otherwise_is_told() {
    assert_eq!(remarks("1A. Ngf3 1a. e5 2A. Nxe5"), ["1: expected Nf3, found Ngf3"]);
    assert_eq!(
        remarks("1A. e2-e4 1a. e5 3A. Nf3+"),
        ["1: expected e4, found e2-e4", "3: expected number 2A, found 3A", "3: expected no sign of check, found Nf3+"]
    );
    let fools = "1A. f3 1a. e5 2A. g4 2a. Qh4";
    assert_eq!(remarks(&format!("{fools}+")), [""; 0], "a drop may parry");
    assert_eq!(remarks(&format!("{fools}#")), ["4: expected no sign of mate, found Qh4#"]);
    assert_eq!(remarks(fools), [""; 0], "a check need not be marked"); // CZ E12
}

#[test]
fn a_record_may_begin_anywhere() {
    let board = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";
    let text = format!("[SetUp \"1\"]\n[FEN \"{board}/N w KQkq - | {board} w KQkq -\"]\n\n1A. N@e5 1a. d6 *");
    assert_eq!(play(&text).fault, None);
    let fault = play("[FEN \"8/8 w - -\"]\n\n1A. e4 *").fault.unwrap();
    assert_eq!((fault.index, fault.reasons.len()), (0, 0));
    assert!(fault.message.starts_with("tag FEN: board A, field 1"), "{}", fault.message);
}

/// White on A takes two pawns and has the partners b and C; who drops one got it.
#[test]
fn of_several_partners_the_one_who_drops_was_chosen() {
    let taken = "1A. e4 1a. d5 2A. exd5 2a. e6 3A. dxe6 3a. Bxe6 1B. e4 1C. e4 1c. e5";
    for (drops, refused) in [
        ("1b. P@e6 2C. P@e6", None),
        ("2C. P@e6 1b. P@e6", None),
        ("2C. P@e6 2c. a6 3C. P@d6", None),
        ("2C. P@e6 2c. a6 3C. P@d6 1b. P@e6", Some("P@e6")),
        ("2C. N@e6", Some("N@e6")),
        ("1b. e6 2B. P@a6", None),
        ("1b. e6 2B. P@a6 2b. h6 3B. P@h5", Some("P@h5")),
    ] {
        let fault = play(&format!("{taken} {drops}")).fault;
        assert_eq!(fault.as_ref().map(|fault| &*fault.written), refused, "{drops}");
        assert!(fault.is_none_or(|fault| fault.reasons == [Reason::DropNotInPocket]), "{drops}");
    }
}

/// The moves of the BPGN sample that both law editions print (WBN E14, CZ E13).
const SAMPLE: &str = "\
1A. e4 {299} 1B. e4 {299} 1a. e6 {299} 1b. e5 {299} 2A. d4 {298} 2a. d5 {298} 2B. Bc4
{297} 2b. Nf6 {298} 3A. c4 {297} 3a. dxe4 {294} 4A. d5 {296} 4a. exd5 {290} 5A. cxd5
{295} 3B. Nc3 {287} 3b. Bb4 {297} 4B. Bxf7+ {286} 4b. Kxf7 {296} 5B. Nh3 {285} 5b. Bxc3
{295} 5a. Nf6 {284} 6B. dxc3 {284} 6A. Bc4 {294} 6a. Bg4 {283} 6b. d5 {293} 7B. Ng5+
{283} 7b. Ke7 {292} 8B. exd5 {282} 8b. Qxd5 {291} 7A. P@e6 {284} 7a. Bxd1 {282} 9B.
P@d4 {275} 9b. exd4 {290} 8A. exf7+ {282} 10B. Qe2+ {274} 8a. Kxf7 {281} 9A. N@e5+
{281} 9a. Ke8 {280} 10b. P@e3 {283} 11B. Bxe3 {273} 10A. B@f7+ {276} 10a. Ke7 {279}
11b. Qxg5 {278} 11A. N@f5# {272}
";

/// The heading of WBN, and the one of CZ with `BlackA` printed for Black on B.
const HEADINGS: [&str; 2] = [
    "[Event \"Sample bughouse game\"]\n[Site \"Nowhere\"]\n[Date \"2002.01.01\"]\n[WhiteA \"WhiteA\"][WhiteAElo \
     \"----\"]\n[BlackA \"BlackA\"][BlackAElo \"----\"]\n[WhiteB \"WhiteB\"][WhiteBElo \"----\"]\n[BlackB \
     \"BlackB\"][BlackBElo \"----\"]\n[TimeControl \"300+0\"]\n[Result \"1-0\"]\n\n",
    "[Event \"Ukázková partie\"]\n[Site \"Nikde\"]\n[Date \"2002.01.01\"]\n[WhiteA \"Bílý A\"][WhiteAElo \
     \"----\"]\n[BlackA \"Černý a\"][BlackAElo \"----\"]\n[WhiteB \"Bílý B\"][WhiteBElo \"----\"]\n[BlackA \"Černý \
     b\"][BlackBElo \"----\"]\n[TimeControl \"300+0\"]\n[Result \"1-0\"]\n\n",
];

#[test]
fn the_sample_of_both_law_editions_ends_in_mate() {
    let warned: Vec<usize> = HEADINGS
        .iter()
        .map(|heading| {
            let parsed = read_game(&format!("{heading}{SAMPLE}\n{{*}} 1-0\n"), 1).unwrap();
            let replayed = replay(&parsed.game, &RuleSet::WBN_1_00);
            assert_eq!((replayed.fault, replayed.mates, replayed.plies.len()), (None, vec![BoardId::A], 43));
            assert_eq!(replayed.remarks, []);
            assert_eq!((parsed.game.ending.as_deref(), &*parsed.game.result), (Some("*"), "1-0"));
            parsed.warnings.len()
        })
        .collect();
    assert_eq!(warned, [0, 1], "CZ prints BlackA twice");
}

/// The short sample of WBN E13 and CZ E12 on one board, its captures handed over by hand: it lacks 4...exd5 5.cxd5.
#[test]
fn the_short_sample_breaks_its_own_law_at_the_fifth_move() {
    let czech = crate::notation::letters::Letters::by_code("cs").unwrap();
    let english = crate::notation::letters::Letters::ENGLISH;
    for (letters, text) in [
        (english, "e4 e6 d4 d5 p@c4 dxe4 d5 Nf6 Bc4 Bg4 P@e6 Bxd1 exf7+ Kxf7 N@e5+ Ke8 B@f7+ Ke7 N@f5#"),
        (czech, "e4 e6 d4 d5 P@c4 dxe4 d5 Jf6 Sc4 Sg4 P@e6 Sxd1 exf7+ Kxf7 J@e5+ Ke8 S@f7+ Ke7 J@f5#"),
    ] {
        let mut position = BoardPosition::new(RuleSet::WBN_1_00.moves);
        position.add_to_pocket(shakmaty::Color::White, shakmaty::Role::Pawn);
        let illegal = text.split(' ').enumerate().find_map(|(index, written)| {
            match san::read(&letters.to_english(written), &position) {
                Ok(m) => {
                    position.play(m);
                    None
                }
                Err(error) => Some((index, error.reasons().to_vec())),
            }
        });
        assert_eq!(illegal, Some((8, vec![Reason::OwnPieceCaptured])), "5.Bc4 onto the pawn that was dropped there");
    }
}

/// Crazyhouse: White drops the knight that it took itself, while nobody has moved on board B.
#[test]
fn files_that_are_no_bughouse_are_refused_where_they_stop_being_it() {
    let crazyhouse = play(include_str!("../../../tests/data/raw/crazyhouse-mislabelled--bench.bpgn"));
    let fault = crazyhouse.fault.unwrap();
    assert_eq!((fault.board, fault.ply, &*fault.written), (BoardId::A, 11, "N@e5+"));
    assert_eq!(fault.reasons, [Reason::DropNotInPocket]); // WBN 5.10
}

/// A drop without the man's letter is a pawn's (WBN E3, E11), and at 10a. `$146@h3+` Black has no pawn to drop. Knights
/// were played: the drop says check, and 14b. Nxf6 is made by one that only `$146@g4` can have brought. With their
/// letter the record is legal.
#[test]
fn drops_behind_the_glyph_of_a_novelty_are_pawns_as_written() {
    let text = include_str!("../../../tests/data/raw/misc--pychess_bugchess_comment_2022.bpgn");
    let fault = play(text).fault.unwrap();
    assert_eq!((fault.board, fault.ply, fault.index, &*fault.written), (BoardId::A, 20, 33, "P@h3+"));
    assert_eq!(fault.reasons, [Reason::DropNotInPocket]); // WBN 5.10
    let knights = play(&text.replace("$146@", "N@"));
    assert_eq!((knights.fault, knights.mates, knights.plies.len()), (None, vec![BoardId::A], 79));
    assert_eq!(knights.remarks, []);
}
