//! All games of the corpus played by clean hands on emulated devices, into captures, through the machine.

use std::{fs::File, io::BufReader, path::PathBuf};

use bughoused::{
    event::{Body, Event, Grade, Move},
    notation::bpgn::{self, Reader},
    record::GameRecord,
    rules::RuleSet,
    simulate::{
        capture,
        hands::{Profile, Truth, play, players_of, plies_of, terms_of},
        host::TableHost,
        stage,
    },
    table::{Opening, Output, Table, capture::Replay},
    types::Color,
};

/// Difference that clock messages of whole seconds leave, in milliseconds.
const CLOCK_TOLERANCE_MS: i64 = 1000;
const STARTED: &str = "2026-11-20T15:00:00Z";

pub fn data(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name)
}

pub fn games() -> Vec<bpgn::Game> {
    let file = BufReader::new(File::open(data("games.bpgn")).unwrap());
    Reader::new(file).map(|parsed| parsed.unwrap().game).collect()
}

/// A game as a capture and its truth.
fn perform(game: &bpgn::Game, seed: u64) -> (String, Truth) {
    let plies = plies_of(game, &RuleSet::WBN_1_00).unwrap();
    let performance = play(&plies, &terms_of(game), Profile::named("clean").unwrap(), seed);
    let settings = stage::settings(&terms_of(game), players_of(game), &[]);
    let opening = Opening { session: "live".into(), started_us: 0, seq: 1, incident: 1 };
    let mut host = TableHost::new(Table::new(settings.clone(), opening).unwrap());
    let mut bytes = Vec::new();
    let truth = capture::record(&performance, &settings, STARTED, seed, &mut host, &mut bytes).unwrap();
    (String::from_utf8(bytes).unwrap(), truth)
}

pub fn replay(capture: &str) -> Vec<Event> {
    let mut lines = capture.lines();
    let mut replay = Replay::new(lines.next().unwrap(), None).unwrap();
    let mut events = Vec::new();
    let mut sink = |output| {
        if let Output::Event(event) = output {
            events.push(event);
        }
    };
    for line in lines {
        replay.feed(line, &mut sink).unwrap();
    }
    replay.finish(&mut sink);
    events
}

fn own_clock(played: &Move) -> i64 {
    let clock = played.clock.unwrap();
    if played.seat.color == Color::White { clock.white_ms } else { clock.black_ms }
}

/// Moves, order across the boards and clocks of a record are those of the game.
fn check(game: &bpgn::Game, record: &GameRecord, name: &str) {
    let plies = plies_of(game, &RuleSet::WBN_1_00).unwrap();
    let expect: Vec<_> = plies.iter().map(|ply| (ply.seat, ply.uci.clone(), ply.san.clone())).collect();
    let found: Vec<_> =
        record.moves.iter().map(|(_, played)| (played.seat, played.uci.clone(), played.san.clone())).collect();
    let differs = (0..expect.len().max(found.len())).find(|index| found.get(*index) != expect.get(*index));
    if let Some(index) = differs {
        let at = record.moves.get(index).map(|(_, played)| played.completed_at);
        panic!("{name}: move {index}: found {:?}, expected {:?}, at {at:?}", found.get(index), expect.get(index));
    }
    for (ply, (_, played)) in plies.iter().zip(&record.moves) {
        let Some(expect) = ply.clock_ms else { continue };
        let off = (own_clock(played) - expect).abs();
        assert!(off <= CLOCK_TOLERANCE_MS, "{name}: {} {}: {off} ms off {expect}", played.seat, played.san);
    }
}

#[test]
fn every_game_comes_out_as_it_was_played() {
    for (index, game) in games().iter().enumerate() {
        let name = format!("game {}", index + 1);
        let (capture, _) = perform(game, index as u64);
        let events = replay(&capture);
        let records = GameRecord::fold(&events);
        assert_eq!(records.len(), 1, "{name}");
        check(game, &records[0], &name);
        let played = events.iter().rposition(|event| matches!(event.body, Body::Move(_))).unwrap();
        let paused = |event: &Event| matches!(&event.body, Body::Incident(incident) if incident.kind == "paused");
        let strange =
            events.iter().enumerate().filter(|(at, event)| !is_expected(event) || paused(event) && *at < played);
        let strange: Vec<_> = strange.map(|(_, event)| &event.body).collect();
        assert!(strange.is_empty(), "{name}: {strange:?}");
    }
}

/// Facts of the game that was played: mate, a position that stands again, a time that is used up, clocks that are
/// stopped at its end; and men that go from the partner's hand to the board.
fn is_expected(event: &Event) -> bool {
    let Body::Incident(incident) = &event.body else { return true };
    let of_moves = ["checkmate", "repetition", "flag-fall", "paused"].contains(&incident.kind.as_str());
    of_moves || (incident.kind == "hidden-drop" && incident.grade == Grade::Note)
}

#[test]
fn live_and_replay_are_one_path() {
    let game = &games()[0];
    let (capture, _) = perform(game, 7);
    let (again, _) = perform(game, 7);
    assert_eq!(capture, again, "the same seed gives the same bytes");
    assert_eq!(replay(&capture), replay(&capture));
}

#[test]
fn how_bytes_are_cut_changes_no_move() {
    let (capture, _) = perform(&games()[1], 3);
    let moves = |events: &[Event]| -> Vec<String> {
        let records = GameRecord::fold(events);
        records[0].moves.iter().map(|(_, played)| format!("{}{}", played.seat, played.san)).collect()
    };
    let whole = moves(&replay(&capture));
    let cut: Vec<String> = capture.lines().flat_map(cut_in_two).collect();
    assert_eq!(moves(&replay(&cut.join("\n"))), whole);
}

/// A line of received bytes as two lines at the same instant.
fn cut_in_two(line: &str) -> Vec<String> {
    let marker = "\"rx\":\"";
    let Some(start) = line.find(marker).map(|index| index + marker.len()) else { return vec![line.to_owned()] };
    let hex = &line[start..line.len() - 2];
    if hex.len() < 4 {
        return vec![line.to_owned()];
    }
    let (first, second) = hex.split_at(hex.len() / 4 * 2);
    [first, second].map(|part| format!("{}{part}\"}}", &line[..start])).into()
}
