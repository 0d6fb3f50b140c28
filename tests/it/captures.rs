//! Captures with their truth: every pair `NAME.jsonl`, `NAME.truth.json` in `tests/data/captures` must come out
//! exactly; where the name ends with `-doubted`, but for plies of which the record says that they may be others.

use std::{collections::BTreeMap, fs};

use bughoused::{event::Move, record::GameRecord};
use serde::Deserialize;

use super::corpus::{data, replay};

/// Presses of two boards that lie nearer are beyond what clock messages resolve: they come up to 250 ms late.
const ORDER_RESOLUTION_US: i64 = 250_000;
/// The same where none tells and men's coming has to: who lets go of a man and adjusts it, or is seen by a later scan.
const MADE_RESOLUTION_US: i64 = 1_000_000;
/// Difference that clock messages of whole seconds leave.
const CLOCK_TOLERANCE_MS: i64 = 1000;

#[derive(Deserialize)]
struct Truth {
    moves: Vec<TruthMove>,
    /// The result that follows from what the capture holds up to its end.
    evident: Option<String>,
}

#[derive(Deserialize)]
struct TruthMove {
    board: String,
    ply: u32,
    uci: String,
    #[serde(default)]
    san: String,
    /// When its man stood where it went, if that was noted.
    made: Option<i64>,
    press: i64,
    /// It never was, or the game was over before: `press` is when it was made.
    #[serde(default)]
    unpressed: bool,
    /// What its clock showed when it was pressed, if that was noted.
    clock: Option<bughoused::event::ClockTimes>,
}

fn pairs() -> Vec<(String, String, Truth)> {
    let mut pairs = Vec::new();
    for entry in fs::read_dir(data("captures")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let Some(stem) = name.strip_suffix(".jsonl") else { continue };
        let truth = fs::read_to_string(path.with_file_name(format!("{stem}.truth.json"))).unwrap();
        pairs.push((stem.to_owned(), fs::read_to_string(&path).unwrap(), serde_json::from_str(&truth).unwrap()));
    }
    assert!(!pairs.is_empty());
    pairs
}

/// Whether clocks told of the presses, of all and up to the end.
fn has_clocks(name: &str) -> bool {
    !name.ends_with("-no-clocks") && !name.ends_with("-unheard") && !loses_clock(name)
}

/// Whether a clock was lost in mid-game, or there is but one.
fn loses_clock(name: &str) -> bool {
    name.ends_with("-clock-lost") || name.ends_with("-one-clock")
}

/// Whether the record says that a ply may be what was played.
fn is_doubted(record: &GameRecord, expected: &TruthMove) -> bool {
    let bare = |san: &str| san.trim_end_matches(['+', '#']).to_owned();
    // A candidate may be a line that begins with the ply.
    record.uncertain.iter().filter(|((board, _), _)| board.to_string() == expected.board).any(
        |((_, ply), candidates)| {
            let Some(nth) = expected.ply.checked_sub(*ply) else { return false };
            let mut sans = candidates.iter().filter_map(|line| line.split(' ').nth(nth as usize));
            sans.any(|san| bare(san) == bare(&expected.san))
        },
    )
}

/// Whether a ply moves the man of an earlier one on, and is recorded to go where it goes from elsewhere.
fn goes_on(last: &TruthMove, expected: &TruthMove, recorded: Option<&str>) -> bool {
    let [to, went] = [expected.uci.get(2..), recorded.and_then(|uci| uci.get(2..))];
    last.uci.get(2..4) == expected.uci.get(..2) && to == went
}

fn by_board(record: &GameRecord) -> BTreeMap<String, Vec<&Move>> {
    let mut boards: BTreeMap<String, Vec<&Move>> = BTreeMap::new();
    for (_, played) in &record.moves {
        boards.entry(played.board.to_string()).or_default().push(played);
    }
    boards
}

#[test]
fn every_capture_comes_out_as_it_was_played() {
    for (name, capture, truth) in pairs() {
        let records = GameRecord::fold(&replay(&capture));
        assert_eq!(records.len(), 1, "{name}");
        for (board, moves) in by_board(&records[0]) {
            let expect: Vec<&TruthMove> = truth.moves.iter().filter(|played| played.board == board).collect();
            let uci = |index: usize| moves.get(index).map(|played| played.uci.as_str());
            for (index, expected) in expect.iter().enumerate() {
                let mut own = expect[..index].iter().rev().skip(1).step_by(2);
                let came = own.find(|before| goes_on(before, expected, uci(index)));
                let doubted =
                    is_doubted(&records[0], expected) || came.is_some_and(|before| is_doubted(&records[0], before));
                let doubted = name.ends_with("-doubted") && doubted;
                if !doubted {
                    assert_eq!(uci(index), Some(expected.uci.as_str()), "{name}: {board} ply {}", expected.ply);
                }
                let Some(clock) = moves[index].clock else {
                    assert!(
                        expected.unpressed || !has_clocks(&name),
                        "{name}: {board} ply {} has no clock",
                        expected.ply
                    );
                    continue;
                };
                assert!(!name.ends_with("-no-clocks"), "{name}: {board} ply {} has a clock", expected.ply);
                let Some(noted) = &expected.clock else { continue };
                let off = (clock.white_ms - noted.white_ms).abs().max((clock.black_ms - noted.black_ms).abs());
                assert!(off <= CLOCK_TOLERANCE_MS, "{name}: {board} ply {}: {off} ms", expected.ply);
            }
            assert_eq!(moves.len(), expect.len(), "{name}: {board}");
        }
    }
}

#[test]
fn a_result_that_was_shown_is_recorded() {
    let evident = pairs().into_iter().filter_map(|(name, capture, truth)| Some((name, capture, truth.evident?)));
    let mut seen = 0;
    for (name, capture, result) in evident {
        let records = GameRecord::fold(&replay(&capture));
        assert_eq!(records[0].ended.as_ref().map(|ended| ended.result.as_str()), Some(result.as_str()), "{name}");
        seen += 1;
    }
    assert!(seen > 0);
}

#[test]
fn the_order_across_boards_is_that_of_the_completions() {
    // Where it is in doubt what was played it is in doubt when.
    let told = |name: &str| (has_clocks(name) || name.ends_with("-no-clocks")) && !name.ends_with("-doubted");
    for (name, capture, truth) in pairs().into_iter().filter(|(name, ..)| told(name)) {
        let clocks = has_clocks(&name);
        let pressed = truth.moves.iter().filter(|played| !clocks || !played.unpressed);
        let completed = |played: &TruthMove| if clocks { played.press } else { played.made.unwrap_or(played.press) };
        let completed: BTreeMap<(String, u32), i64> =
            pressed.map(|played| ((played.board.clone(), played.ply), completed(played))).collect();
        let records = GameRecord::fold(&replay(&capture));
        let plies = records[0]
            .moves
            .iter()
            .filter_map(|(_, played)| completed.get(&(played.board.to_string(), played.ply)).copied());
        let resolution = if clocks { ORDER_RESOLUTION_US } else { MADE_RESOLUTION_US };
        let mut latest = 0;
        for at in plies {
            assert!(at > latest - resolution, "{name}: a ply completed at {at} stands behind one at {latest}");
            latest = latest.max(at);
        }
    }
}
