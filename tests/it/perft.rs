//! Counts of legal sequences of moves: every line of `tests/data/perft.txt`, which other libraries counted.

use std::fs;

use bughoused::{
    notation::bfen::Bfen,
    rules::{RuleSet, divide, perft},
    types::BoardId,
};

#[test]
fn positions_with_pockets_have_the_counts_of_other_libraries() {
    let text = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/perft.txt")).expect("the positions");
    let mut positions = 0;
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let (bfen, counts) = line.split_once(" ;").expect("a BFEN, then counts");
        let game = Bfen::read(bfen).expect(bfen).to_game(&RuleSet::WBN_1_00);
        for count in counts.split(" ;") {
            let (depth, nodes) = count.strip_prefix('D').and_then(|count| count.split_once(' ')).expect(count);
            let depth = depth.parse().expect(depth);
            assert_eq!(perft(game.board(BoardId::A), depth).to_string(), nodes, "{bfen} at depth {depth}");
        }
        positions += 1;
    }
    assert!(positions >= 60, "only {positions} positions");
}

#[test]
fn full_pockets_over_empty_boards_and_queens_everywhere_are_no_trouble() {
    let moves = |bfen: &str| {
        let game = Bfen::read(bfen).expect(bfen).to_game(&RuleSet::WBN_1_00);
        divide(game.board(BoardId::A), 1).len()
    };
    // 62 squares for four kinds, 48 for the pawn, and three moves of the king.
    assert_eq!(moves("7k/8/8/8/8/8/8/K7/QRBNP w - -"), 4 * 62 + 48 + 3);
    assert!(moves("kBQQQQQQ/BR5Q/Q6Q/Q6Q/Q6Q/Q6Q/Q6Q/KQQQQQQQ/QRBNP w - -") > 400);
}
