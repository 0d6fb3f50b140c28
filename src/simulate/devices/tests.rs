//! Devices answer, stream, and agree with the world when it rests.

use super::*;
use crate::{
    simulate::world::{Action, Script, Step},
    types::{BoardId, Color, MS, Piece, SECOND, Square},
    wire::{
        bslp, dgt,
        dgt::{Message, code_of},
    },
};

const A: BoardId = BoardId::A;
const PLAIN: DgtMake = DgtMake { board: A, rotated: false, white_left: true, clock: true };

fn site(world: &World, seed: u64, index: usize) -> Site<'_> {
    static SOUND: std::sync::LazyLock<Faults> = std::sync::LazyLock::new(Faults::default);
    Site { world, seed, index, faults: &SOUND, span: Span { from: Instant::ZERO, to: Instant::ZERO } }
}

fn trays_of(seats: Vec<crate::types::Seat>) -> BslpMake {
    BslpMake { serves: Serves::Trays(seats), sensing: bslp::Sensing::Piece, scan_us: None }
}

fn world() -> World {
    World::set_up(180 * SECOND, &[Color::Black, Color::White])
}

/// A world and one device, stepped together as whoever runs them must.
struct Rig<D> {
    device: D,
    world: World,
    at: Instant,
    heard: Vec<Chunk>,
}

impl<D: Device> Rig<D> {
    fn new(device: D, world: World) -> Rig<D> {
        Rig { device, world, at: Instant::ZERO, heard: Vec::new() }
    }

    fn run(&mut self, micros: i64) -> &mut Rig<D> {
        self.at = self.at + micros;
        self.device.run_until(self.at, &self.world, &mut self.heard);
        self
    }

    fn act(&mut self, action: Action) -> &mut Rig<D> {
        self.world.apply(Step { at: self.at, action });
        self.run(0)
    }

    fn send(&mut self, bytes: &[u8]) -> &mut Rig<D> {
        self.device.input(self.at, bytes);
        self
    }

    /// One command after another with time between, as hosts do.
    fn pace(&mut self, commands: &[u8]) -> &mut Rig<D> {
        for command in commands {
            self.send(&[*command]).run(200 * MS);
        }
        self
    }

    fn messages(&mut self) -> Vec<(Instant, Message)> {
        let mut decoder = dgt::Decoder::new();
        let mut messages = Vec::new();
        for chunk in self.heard.drain(..) {
            decoder.push(&chunk.bytes, |message| messages.push((chunk.at, message)));
        }
        assert_eq!(decoder.rejects().total(), 0);
        messages
    }

    fn lines(&mut self) -> Vec<(Instant, bslp::Line)> {
        let mut decoder = bslp::Decoder::new();
        let mut lines = Vec::new();
        for chunk in self.heard.drain(..) {
            decoder.push(&chunk.bytes, |line| lines.push((chunk.at, line)));
        }
        assert_eq!(decoder.rejects().total(), 0);
        lines
    }
}

fn board(make: DgtMake, seed: u64) -> Rig<DgtBoard> {
    let world = world();
    Rig::new(DgtBoard::new(make, site(&world, seed, 0)), world)
}

fn fields(messages: &[(Instant, Message)]) -> Vec<(u8, u8)> {
    let update = |message: &Message| match message {
        Message::FieldUpdate { field, code } => Some((*field, *code)),
        _ => None,
    };
    messages.iter().filter_map(|(_, message)| update(message)).collect()
}

#[test]
fn a_board_in_bus_mode_says_nothing() {
    let mut rig = board(PLAIN, 1);
    rig.act(Action::Lift(A, Square::E2)).act(Action::Start(A)).run(3 * SECOND);
    assert_eq!(rig.messages(), []);
    assert!(!rig.device.streaming());
}

#[test]
fn the_start_up_sequence_is_answered_in_order() {
    let mut rig = board(PLAIN, 1);
    let messages = rig.pace(&[0x40, 0x55, 0x45, 0x4d, 0x47, 0x42, 0x4b]).run(SECOND).messages();
    let kinds: Vec<_> = messages.iter().map(|(_, message)| std::mem::discriminant(message)).collect();
    let expected = [
        Message::LongSerialNumber(String::new()),
        Message::SerialNumber(String::new()),
        Message::Version { major: 0, minor: 0 },
        Message::Trademark(String::new()),
        Message::BoardDump(Box::new([0; 64])),
        Message::Clock(Default::default()),
    ];
    assert_eq!(kinds, expected.iter().map(std::mem::discriminant).collect::<Vec<_>>(), "{messages:?}");
    assert!(rig.device.streaming());
}

#[test]
fn bytes_take_their_time() {
    let mut rig = board(PLAIN, 1);
    let messages = rig.send(&[0x42]).run(SECOND).messages();
    let [(at, Message::BoardDump(_))] = &messages[..] else { panic!("{messages:?}") };
    assert!((72_000..=85_000).contains(&at.micros()), "67 bytes at 9600 baud are 69.8 ms: {at}");
}

#[test]
fn more_than_ten_bytes_at_once_are_lost() {
    let mut rig = board(PLAIN, 1);
    rig.send(&[0x4d; 12]).run(SECOND);
    assert_eq!((rig.messages().len(), rig.device.ignored()), (10, 2));
}

#[test]
fn forbidden_and_unknown_bytes_are_counted() {
    let mut rig = board(PLAIN, 1);
    rig.pace(&[0x40, 0x2b, 0x03, 0x4e, 0x53, 0x4d]);
    assert_eq!(rig.messages().len(), 1, "the version");
    assert_eq!(rig.device.ignored(), 4);
    rig.pace(&[0x4b, 0x87]);
    assert!(!rig.device.streaming(), "a bus command makes it a bus board");
}

#[test]
fn changes_are_reported_within_a_scan_in_the_order_of_the_visit() {
    for seed in 0..20 {
        let mut rig = board(PLAIN, seed);
        rig.pace(&[0x4b]).run(seed as i64 * 13 * MS).messages();
        let start = rig.at;
        rig.act(Action::Lift(A, Square::E2)).act(Action::Place(A, Square::E4, Color::White.pawn()));
        let messages = rig.run(300 * MS).messages();
        let mut changed = fields(&messages);
        changed.sort_unstable();
        assert_eq!(changed, [(36, 1), (52, 0)]);
        assert!(messages.iter().all(|(at, _)| *at - start <= 270 * MS));
    }
}

#[test]
fn a_man_can_be_seen_placed_before_it_is_seen_removed() {
    let orders: std::collections::BTreeSet<_> = (0..20)
        .map(|seed| {
            let mut rig = board(PLAIN, seed);
            rig.pace(&[0x4b]).run(seed as i64 * 13 * MS).messages();
            rig.act(Action::Lift(A, Square::E2)).act(Action::Place(A, Square::E4, Color::White.pawn()));
            fields(&rig.run(300 * MS).messages())
        })
        .collect();
    assert_eq!(orders.len(), 2);
}

#[test]
fn a_dump_shows_the_world_and_a_turned_board_shows_it_turned() {
    for rotated in [false, true] {
        let mut rig = board(DgtMake { rotated, ..PLAIN }, 3);
        rig.act(Action::Lift(A, Square::G1)).act(Action::Place(A, Square::F3, Color::White.knight()));
        rig.run(300 * MS).send(&[0x42]).run(200 * MS);
        let messages = rig.messages();
        let [(_, Message::BoardDump(codes))] = &messages[..] else { panic!("{messages:?}") };
        let code = |square: Square| code_of(rig.world.at(A, square));
        for square in Square::ALL {
            let field = (7 - square.rank() as usize) * 8 + square.file() as usize;
            let field = if rotated { 63 - field } else { field };
            assert_eq!(codes[field], code(square), "{square}");
        }
    }
}

#[test]
fn the_clock_is_told_when_it_changes() {
    let mut rig = board(PLAIN, 4);
    rig.pace(&[0x4b]).run(3 * SECOND);
    assert_eq!(rig.messages().len(), 1, "a stopped clock is told once");
    rig.act(Action::Start(A)).run(4900 * MS);
    let press = rig.at;
    rig.act(Action::Press { seat: A.seat(Color::White), bonus: 0 }).run(250 * MS);
    let messages = rig.messages();
    let seconds: Vec<u32> = messages
        .iter()
        .map(|(_, message)| match message {
            Message::Clock(reading) => reading.left.seconds,
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(seconds, [180, 179, 178, 177, 176, 176]);
    let Some((at, Message::Clock(last))) = messages.last() else { panic!() };
    assert!(last.running && last.right_high && last.right.seconds == 180);
    assert!(*at - press <= 215 * MS, "the lever is noticed soon");
}

#[test]
fn white_may_sit_at_either_side_of_the_clock() {
    for white_left in [true, false] {
        let mut rig = board(DgtMake { white_left, ..PLAIN }, 4);
        rig.pace(&[0x4b]).act(Action::Start(A)).run(2600 * MS);
        let messages = rig.messages();
        let Some((_, Message::Clock(reading))) = messages.last() else { panic!() };
        assert_eq!(reading.right_high, !white_left, "White's side is high");
        let white = if white_left { reading.left } else { reading.right };
        assert!((177..180).contains(&white.seconds), "{reading:?}");
    }
}

fn trays(seed: u64) -> Rig<BslpUnit> {
    let world = world();
    let seats = crate::types::Seat::all(2).collect();
    Rig::new(BslpUnit::new(trays_of(seats), site(&world, seed, 2)), world)
}

fn command(command: bslp::Command) -> Vec<u8> {
    let mut bytes = Vec::new();
    bslp::Sentence::emit(&command, &mut bytes);
    bytes
}

#[test]
fn trays_wake_up_when_a_host_speaks() {
    let mut rig = trays(1);
    rig.run(3 * SECOND);
    assert_eq!(rig.lines(), []);
    rig.send(&command(bslp::Command::Helo)).run(2500 * MS);
    let lines = rig.lines();
    assert!(matches!(lines[0].1, bslp::Line::Helo { channels: 4, cells: 24, .. }));
    assert!(lines[1..].iter().all(|(_, line)| matches!(line, bslp::Line::Beat { .. })) && lines.len() >= 3);
}

#[test]
fn trays_report_changes_and_snapshots() {
    let mut rig = trays(1);
    let (seat, man) = (A.seat(Color::Black), Piece { color: Color::Black, role: crate::types::Role::Knight });
    rig.send(&command(bslp::Command::Helo)).run(100 * MS).lines();
    rig.act(Action::PlaceSlot(seat, 5, man)).run(70 * MS).send(&command(bslp::Command::Snap { ch: 1 })).run(20 * MS);
    let lines: Vec<bslp::Line> = rig.lines().into_iter().map(|(_, line)| line).collect();
    let lines: Vec<_> = lines.iter().filter(|line| !matches!(line, bslp::Line::Beat { .. })).collect();
    let [bslp::Line::Cell { ch: 1, cell: 5, value, .. }, bslp::Line::Snap { ch: 1, cells, .. }] = &lines[..] else {
        panic!("{lines:?}")
    };
    assert_eq!(value.kinds().and_then(|kinds| kinds.single()), Some(Some(man)));
    assert_eq!(cells.iter().filter_map(|cell| cell.single()?).collect::<Vec<_>>(), [man]);
    assert_eq!(cells[5].single(), Some(Some(man)));
}

#[test]
fn a_button_is_told_once_and_at_once() {
    let mut rig = trays(1);
    let press = Action::Button(A.seat(Color::Black), bslp::Button::Knight);
    rig.act(press).send(&command(bslp::Command::Helo)).run(100 * MS).lines();
    let told = |rig: &mut Rig<BslpUnit>| {
        let lines = rig.run(10 * MS).lines();
        lines.iter().filter(|(_, line)| matches!(line, bslp::Line::Button { ch: 1, .. })).count()
    };
    assert_eq!(told(&mut rig), 0, "what was pressed before a host spoke is lost");
    assert_eq!((told(rig.act(press)), told(&mut rig), told(rig.act(press))), (1, 0, 1));
}

#[test]
fn the_counter_of_lines_has_no_gaps() {
    let mut rig = trays(1);
    rig.send(&command(bslp::Command::Helo)).run(5 * SECOND);
    (0..4).for_each(|ch| {
        rig.send(&command(bslp::Command::Snap { ch })).run(300 * MS);
    });
    let seqs: Vec<u16> = rig.lines().iter().filter_map(|(_, line)| line.seq()).collect();
    assert!(seqs.iter().copied().eq(0..seqs.len() as u16), "{seqs:?}");
}

#[test]
fn a_device_that_restarts_has_forgotten_its_host() {
    let mut rig = board(PLAIN, 1);
    rig.pace(&[0x4b]).run(SECOND);
    rig.device.restart(rig.at, &rig.world);
    rig.heard.clear();
    rig.act(Action::Lift(A, Square::E2)).run(SECOND);
    assert_eq!(rig.messages(), []);
    let mut trays = trays(1);
    trays.send(&command(bslp::Command::Helo)).run(SECOND);
    trays.device.restart(trays.at, &trays.world);
    trays.heard.clear();
    let lines = trays.run(3 * SECOND).lines();
    assert!(matches!(&lines[..], [(_, bslp::Line::Helo { .. })]), "it says who it is and waits: {lines:?}");
}

#[test]
fn after_every_touch_has_settled_the_mirror_equals_the_world() {
    let performance = crate::simulate::hands::play(
        &crate::simulate::hands::samples::plies(crate::simulate::hands::samples::SHORT),
        &crate::simulate::hands::samples::TERMS,
        &crate::simulate::hands::Profile::CLEAN,
        9,
    );
    let device = DgtBoard::new(DgtMake { rotated: true, ..PLAIN }, site(&performance.world, 9, 0));
    let mut rig = Rig::new(device, performance.world);
    rig.pace(&[0x42, 0x4b]);
    let mut mirror = [0u8; 64];
    // One touch after another with a full scan of rest between.
    for step in Script::steps(&performance.script) {
        rig.act(step.action).run(300 * MS);
        for (_, message) in rig.messages() {
            match message {
                Message::BoardDump(codes) => mirror = *codes,
                Message::FieldUpdate { field, code } => mirror[usize::from(field)] = code,
                _ => {}
            }
        }
        for square in Square::ALL {
            let field = 63 - (7 - square.rank() as usize) * 8 - square.file() as usize;
            assert_eq!(mirror[field], code_of(rig.world.at(A, square)), "{square} after {step:?}");
        }
    }
}

/// What a BSLP board tells of a1, e2 and e4 before and after 1. e4.
fn felt(sensing: bslp::Sensing) -> [String; 5] {
    let world = world();
    let make =
        BslpMake { serves: Serves::Board { board: A, rotated: false, clock: Some(true) }, sensing, scan_us: None };
    let mut rig = Rig::new(BslpUnit::new(make, site(&world, 5, 0)), world);
    rig.send(&command(bslp::Command::Helo)).run(50 * MS).send(&command(bslp::Command::Snap { ch: 0 })).run(50 * MS);
    rig.act(Action::Lift(A, Square::E2)).run(200 * MS).act(Action::Place(A, Square::E4, Color::White.pawn()));
    rig.run(200 * MS);
    let mut cells = vec![Vec::new(); 64];
    for (_, line) in rig.lines() {
        match line {
            bslp::Line::Snap { cells: men, .. } => {
                men.into_iter().enumerate().for_each(|(cell, man)| cells[cell].push(format!("{man:?}")));
            }
            bslp::Line::Tags { first, tags, .. } => {
                tags.into_iter().enumerate().for_each(|(n, tag)| cells[first as usize + n].push(format!("{tag:x}")));
            }
            bslp::Line::Levels { first, levels, .. } => {
                levels.into_iter().enumerate().for_each(|(n, level)| cells[first as usize + n].push(level.to_string()));
            }
            bslp::Line::Cell { cell, value, .. } => cells[cell as usize].push(match sensing {
                bslp::Sensing::Tag => format!("{:x}", value.tag().unwrap()),
                bslp::Sensing::Level => value.level().unwrap().to_string(),
                _ => format!("{:?}", value.kinds().unwrap()),
            }),
            _ => {}
        }
    }
    let [a1, e2, e4] = [56, 52, 36].map(|cell: usize| cells[cell].clone());
    [a1[0].clone(), e2[0].clone(), e2[1].clone(), e4[0].clone(), e4[1].clone()]
}

#[test]
fn boards_tell_kinds_tags_or_occupancy() {
    use crate::types::{Kinds, Role};
    let [empty, x] = [Kinds::EMPTY, Kinds::OCCUPIED].map(|kinds| format!("{kinds:?}"));
    let [rook, pawn] =
        [Role::Rook, Role::Pawn].map(|role| format!("{:?}", Kinds::only(Piece { color: Color::White, role })));
    assert_eq!(felt(bslp::Sensing::Piece), [&rook, &pawn, &empty, &empty, &pawn].map(String::clone));
    assert_eq!(felt(bslp::Sensing::Occupancy), [&x, &x, &empty, &empty, &x].map(String::clone));
    let [_, before, gone, was, after] = felt(bslp::Sensing::Tag);
    assert_eq!((&*gone, &*was, &before), ("0", "0", &after), "the same man");
}

#[test]
fn only_who_knows_men_apart_tells_that_one_stands_in_the_place_of_another() {
    for (sensing, told) in [(bslp::Sensing::Occupancy, 0), (bslp::Sensing::Piece, 1), (bslp::Sensing::Tag, 1)] {
        let world = world();
        let make = BslpMake { serves: Serves::Board { board: A, rotated: false, clock: None }, sensing, scan_us: None };
        let mut rig = Rig::new(BslpUnit::new(make, site(&world, 5, 0)), world);
        rig.send(&command(bslp::Command::Helo)).run(50 * MS).send(&command(bslp::Command::Snap { ch: 0 })).run(50 * MS);
        rig.lines();
        rig.act(Action::Lift(A, Square::D8)).act(Action::Place(A, Square::D8, Color::White.queen())).run(300 * MS);
        let cells = rig.lines().into_iter().filter(|(_, line)| matches!(line, bslp::Line::Cell { .. }));
        assert_eq!(cells.count(), told, "{sensing:?}");
    }
}

#[test]
fn levels_tell_kind_and_side_within_noise() {
    let levels = felt(bslp::Sensing::Level).map(|level| level.parse::<i32>().unwrap());
    for (level, expect) in levels.into_iter().zip([320, 80, 0, 0, 80]) {
        assert!((level - expect).abs() < 40, "nearest to what stands there: {levels:?}");
    }
}

#[test]
fn a_board_with_a_clock_tells_the_lever_at_once() {
    let world = world();
    let serves = Serves::Board { board: A, rotated: false, clock: Some(true) };
    let make = BslpMake { serves, sensing: bslp::Sensing::Occupancy, scan_us: None };
    let mut rig = Rig::new(BslpUnit::new(make, site(&world, 6, 0)), world);
    rig.send(&command(bslp::Command::Helo)).run(2 * SECOND).act(Action::Start(A)).run(20 * MS);
    let press = Action::Press { seat: A.seat(Color::White), bonus: 0 };
    rig.heard.clear();
    rig.run(500 * MS).act(press).run(20 * MS);
    let mut runs = rig.lines().into_iter().filter_map(|(_, line)| match line {
        bslp::Line::Clock { left_ms, run, .. } => Some((left_ms / 1000, run)),
        _ => None,
    });
    assert_eq!(runs.next_back(), Some((179, bslp::Run::Right)));
}
