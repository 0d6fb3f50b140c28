//! What the referee makes of plies that were open and are not.

use super::*;
use crate::{
    sense::Placement,
    table::{Input, Opening, Output},
    types::{MS, Square},
    wire::dgt::{ClockReading, Face, Message, code_of},
};

/// Two boards with clocks, played by messages of the first one, a tenth of a second each.
struct Bench {
    table: Table,
    now: Instant,
}

impl Bench {
    fn new() -> Bench {
        let board = |name: &str, board: &str| json!({ "name": name, "driver": "dgt", "board": board, "clock": true });
        let settings = json!({ "id": "1", "displaced_grace": "30s", "device": [board("a", "A"), board("b", "B")] });
        let opening = Opening { session: "s".into(), started_us: 0, seq: 1, incident: 1 };
        let table = Table::new(serde_json::from_value(settings).unwrap(), opening).unwrap();
        let mut bench = Bench { table, now: Instant::ZERO };
        let men = shakmaty::Board::new();
        let codes = std::array::from_fn(|field| code_of(men.piece_at(square(field))));
        for device in [0, 1] {
            bench.input(Input::Link(device, true));
            bench.tell(device, &Message::BoardDump(Box::new(codes)));
            bench.clock(device, true);
        }
        bench
    }

    fn input(&mut self, input: Input<'_>) {
        self.table.handle(self.now, input);
        while !matches!(self.table.poll(), Output::Deadline(_)) {}
    }

    fn tell(&mut self, device: usize, message: &Message) {
        let mut bytes = Vec::new();
        message.emit(&mut bytes);
        self.input(Input::Bytes(device, &bytes));
    }

    fn clock(&mut self, device: usize, white_runs: bool) {
        let face = Face { seconds: 300, ..Face::default() };
        let (left, right) = (face, face);
        self.tell(
            device,
            &Message::Clock(ClockReading { left, right, running: true, right_high: white_runs, battery_low: false }),
        );
    }

    /// `e2-` the square is empty, `e4P` a white pawn stands there, `w` White presses, `.` half a second passes.
    fn play(&mut self, script: &str) {
        for word in script.split_whitespace() {
            self.now = self.now + 100 * MS;
            match word {
                "w" | "b" => self.clock(0, word == "b"),
                "." => {
                    for _ in 0..4 {
                        self.now = self.now + 100 * MS;
                        self.input(Input::Timeout);
                    }
                }
                _ => {
                    let to: Square = word[..2].parse().unwrap();
                    let field = (0..64).find(|field| square(usize::from(*field)) == to).unwrap();
                    self.tell(0, &Message::FieldUpdate { field, code: code_of(word[2..].parse().ok().and_then(man)) });
                }
            }
        }
    }

    /// Whether a man is told to be displaced that has stood beside its square since `at`.
    fn tells_displaced(&self, at: Instant) -> bool {
        let mut placement: Placement = self.table.sensors.boards[0].sense.placement().clone();
        placement.set(Square::D2, Kinds::EMPTY, at);
        placement.set(Square::E2, Kinds::only(Role::Pawn.of(crate::types::Color::White)), at);
        let sight = sight(&self.table.ruleset, &self.table.sensors, &self.table.play, BoardId::A);
        let sight = BoardSight { placement: &placement, line: &[], ..sight };
        let drafts = self.table.judge.referee.boards[0].clone().look(sight, self.now + 60 * SECOND);
        drafts.iter().any(|draft| draft.kind == Kind::Displaced)
    }
}

fn man(letter: char) -> Option<Piece> {
    Piece::from_char(letter)
}

fn square(field: usize) -> Square {
    Square::new((7 - field as u32 / 8) * 8 + field as u32 % 8)
}

#[test]
fn a_man_stands_wrong_again_as_soon_as_the_ply_before_is_certain() {
    // WBN 6.4
    let mut bench = Bench::new();
    bench.play("e2- e4P");
    let at = bench.now;
    // Nobody sees the knight on a3, or c3.
    bench.play("w e7- e5p b b1- . w a7- a6p . b . .");
    assert!(!bench.tells_displaced(at), "it may be what the knight did");
    bench.play("c4N . w a6- a5p . b .");
    assert!(bench.tells_displaced(at), "the knight was on a3");
}
