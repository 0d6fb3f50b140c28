//! Ends that the table makes itself where no arbiter sits: each under each law text, with what it cites and is worth.

use serde_json::json;

use super::{
    Bench, LAWS,
    claims::{HALF_CASTLED, ILLEGAL, TWICE_ROUND},
    ends::{MATE, MATE_B},
};

/// What happens, what is cited under each law text, how the game ends, and the half points of both teams.
type Row<'a> = (fn(&mut Bench) -> &mut Bench, [&'a [&'a str]; 3], &'a str, [i32; 2]);

/// A clock shows other times, in seconds; what it shows again and again is believed.
fn set_clock(bench: &mut Bench, board: usize, white: i64, black: i64) {
    bench.time_left(board, white, black);
    (0..4).for_each(|_| bench.show_clock(board));
}

/// White of A has moved, and both boards' clocks show these seconds, White's first; then time passes.
pub fn flagged<'a>(bench: &'a mut Bench, [a, b]: [[i64; 2]; 2], script: &str) -> &'a mut Bench {
    bench.play("1s e2- e4P . w 1s");
    for (board, [white, black]) in [a, b].into_iter().enumerate() {
        set_clock(bench, board, white, black);
    }
    bench.events.clear();
    bench.play(script)
}

/// Black of A may take a knight and is mated then; White of B, the partner, has the move and mates with a knight on f7.
fn taken_and_mated(bench: &mut Bench) -> &mut Bench {
    bench.play("stop");
    bench.stand(0, "5rk1/5ppp/5P1Q/8/6b1/8/8/3N2K1", false);
    bench.stand(1, "6rk/6pp/8/8/8/8/8/6K1", true);
    let bfen = "5rk1/5ppp/5P1Q/8/6b1/8/8/3N2K1 b - - | 6rk/6pp/8/8/8/8/8/6K1 w - -";
    assert!(bench.ask("set-position", json!({ "bfen": bfen })).error.is_none());
    bench.play("go 1s");
    bench.events.clear();
    bench.play("g4- d1- d1b . b 1s B=N... 1s h6- g7- g7Q . w 1s")
}

const MATED: [&[&str]; 3] = [&["checkmate WBN 1.5"], &["checkmate CZ 1.5"], &["checkmate FIDE-ext 3.7"]];
const BOTH_MATED: [&[&str]; 3] = [&["checkmate WBN 1.5"; 2], &["checkmate CZ 1.5"; 2], &["checkmate FIDE-ext 3.7"; 2]];
const FLAG: [&[&str]; 3] = [&["flag-fall WBN 7.8"], &["flag-fall CZ 7.8"], &["flag-fall FIDE 6.9"]];
/// Articles on how men move, which geometry breaks.
const ILLEGAL_MOVE: [&[&str]; 3] = [&["illegal-move WBN 5"], &["illegal-move CZ 5"], &["illegal-move FIDE 3"]];
const CASTLED: [&[&str]; 3] =
    [&["incomplete-castling WBN 6.1"], &["incomplete-castling CZ 6.1"], &["incomplete-castling FIDE 3.8.2"]];

const ROWS: &[Row<'_>] = &[
    // WBN 2.1a, WBN 1.18, FIDE-ext 4.3
    (|bench| bench.play(MATE), MATED, "1-0 a checkmated", [2, 0]),
    (|bench| bench.play(MATE_B).play("B:w"), MATED, "0-1 b checkmated", [0, 2]),
    // WBN 2.1b, FIDE-ext 4.2
    (|bench| bench.play(ILLEGAL), ILLEGAL_MOVE, "0-1 A forfeits by illegal move", [0, 2]),
    (
        |bench| bench.play("B:e2- B:e4P . B:w 1s B:d7- B:d4p . B:b 3s"),
        ILLEGAL_MOVE,
        "0-1 b forfeits by illegal move",
        [0, 2],
    ),
    // WBN 6.1
    (|bench| bench.play(HALF_CASTLED), CASTLED, "0-1 A forfeits by illegal move", [0, 2]),
    // WBN 7.9, CZ 7.9
    (|bench| flagged(bench, [[290, 2], [290, 290]], "4s"), FLAG, "1-0 a forfeits on time", [2, 0]),
    (|bench| flagged(bench, [[290, 290], [2, 290]], "4s"), FLAG, "1-0 B forfeits on time", [2, 0]),
    // WBN 1.3: of two flags the first ends the game
    (|bench| flagged(bench, [[290, 2], [4, 290]], "9s"), FLAG, "1-0 a forfeits on time", [2, 0]),
    // WBN 2.2c, CZ 2.2c, FIDE-ext 4.4
    (
        |bench| taken_and_mated(bench).play("B=.... B:f7N . B:w"),
        BOTH_MATED,
        "1/2-1/2 table Game drawn by the last drop",
        [1, 1],
    ),
    // WBN 1.9: the partner has moved otherwise, or has no time left for the last drop (WBN 2.2c)
    (|bench| taken_and_mated(bench).play("B:g1- B:g2K . B:w"), MATED, "1-0 a checkmated", [2, 0]),
];

#[test]
fn what_ends_a_game_at_a_table_without_arbiter_and_only_there() {
    for (row, (script, cited, end, points)) in ROWS.iter().enumerate() {
        for (rules, cited) in LAWS.into_iter().zip(cited) {
            let play = |adjudication: &str| {
                let mut bench = Bench::playing(&json!({ "ruleset": rules, "adjudication": adjudication }));
                script(&mut bench);
                bench.play("2s");
                bench
            };
            let auto = play("auto");
            assert_eq!(auto.ended(), Some(((*end).to_owned(), *points)), "{rules}, row {row}: {:?}", auto.told());
            assert_eq!(auto.cited(), *cited, "{rules}, row {row}");
            assert_eq!(auto.told().last(), Some(&format!("ended {end}")), "{rules}, row {row}: nothing after the end");
            let advised = play("advise");
            assert_eq!(advised.ended(), None, "{rules}, row {row}: nobody has claimed");
        }
    }
}

#[test]
fn the_partner_of_a_mated_player_loses_with_the_time_for_the_last_drop() {
    // WBN 2.2c, CZ 2.2c: before the own time is out
    for rules in LAWS {
        let mut bench = Bench::playing(&json!({ "ruleset": rules, "adjudication": "auto" }));
        taken_and_mated(&mut bench);
        assert_eq!(bench.ended(), None, "{rules}: the last drop is awaited");
        set_clock(&mut bench, 1, 2, 290);
        bench.play("4s");
        assert_eq!(bench.ended().map(|(_, points)| points), Some([2, 0]), "{rules}: {:?}", bench.told());
    }
}

#[test]
fn a_mate_is_claimed_when_the_last_drop_is_made_or_missed() {
    // WBN 1.9, CZ 1.9, FIDE-ext 4.4: what the partner does, and how the game ends when the mate is claimed then
    let rows = [
        ("B:g1- B:g2K . B:w 1s", "1-0 a checkmated", [2, 0]),
        ("B=.... B:f7N . B:w 1s", "1/2-1/2 table Game drawn by the last drop", [1, 1]),
    ];
    for (rules, article) in LAWS.into_iter().zip(["(WBN 1.9)", "(CZ 1.9)", "(FIDE-ext 4.4)"]) {
        for (script, end, points) in rows {
            let mut bench = Bench::playing(&json!({ "ruleset": rules }));
            taken_and_mated(&mut bench);
            let error = bench.ask("claim", json!({ "kind": "checkmate", "by": "A" })).error.unwrap();
            assert_eq!((error.code.as_str(), bench.ended()), ("last-drop", None), "{rules}: {script}");
            assert!(error.message.contains(article), "{rules}: {}", error.message);
            bench.play(script);
            assert_eq!(bench.claim("checkmate", "A"), "ok", "{rules}: {script}");
            assert_eq!(bench.ended(), Some((end.to_owned(), points)), "{rules}: {script}");
        }
        // the arbiter may decide otherwise
        let mut bench = Bench::playing(&json!({ "ruleset": rules }));
        taken_and_mated(&mut bench);
        let id = bench.open("checkmate").unwrap().id;
        bench.ask("confirm", json!({ "incident": id }));
        assert_eq!(bench.ended(), Some(("1-0 a checkmated".into(), [2, 0])), "{rules}");
    }
}

#[test]
fn a_repetition_is_claimed_at_every_table() {
    // WBN 3.2, FIDE-ext 4.1: a player claims it, no table
    let cited = [&["repetition WBN 2.2b"], &["repetition CZ 2.2b"], &["repetition FIDE-ext 4.1"]];
    for (rules, cited) in LAWS.into_iter().zip(cited) {
        let mut bench = Bench::playing(&json!({ "ruleset": rules, "adjudication": "auto" }));
        bench.play(TWICE_ROUND);
        if rules == "fide-ext" {
            assert_eq!(bench.cited(), [""; 0], "three times are not enough");
            bench.play(super::claims::ROUND);
        }
        bench.play("2s");
        assert_eq!((bench.cited(), bench.ended()), (cited.map(str::to_owned).to_vec(), None), "{rules}");
        assert_eq!(bench.claim("repetition", "A"), "ok", "{rules}");
        let end = Some(("1/2-1/2 table Game drawn by repetition".to_owned(), [1, 1]));
        assert_eq!(bench.ended(), end, "{rules}");
    }
}
