//! The daemon dies in the middle of games and is started again, in virtual time: hands play on meanwhile, and the game
//! goes on as one.
//!
//! `RESTARTS=…` asks for so many restarts in all, 60 otherwise. A failure names the game and its seed.

use bughoused::{
    event::{Body, Event, Feed, Players, Request, ResponseStatus},
    notation::bpgn,
    record::GameRecord,
    rules::RuleSet,
    simulate::{
        capture,
        devices::faults::Faults,
        hands::{Performance, Profile, Terms, Truth, play, play_two, plies_of, terms_of},
        mortal::{MortalHost, turns},
        offence::Offences,
        random_game::next_game,
        rig::{Rig, Sensing},
        stage::{self, Stage},
    },
    table::{Input, Opening, Output, Table},
    types::{BoardId, Instant, MS, SECOND},
    wire::dgt::Message,
};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use serde_json::json;

use crate::{corpus::games, kept::kept};

/// When the first table is opened, in microseconds since 1970 UTC.
const OPENED_US: i64 = 1_795_000_000_000_000;
/// At most one start of so many is the first of its game to go on from the record alone: the others of the game follow.
const FORKED_OF: usize = 20;
struct Played {
    truth: Truth,
    events: Vec<Event>,
    starts: usize,
    forgot: usize,
    /// When no daemon heard the table: dead, alive, …
    turns: Vec<Instant>,
}

/// How long devices take after a start until they have shown how things stand.
const START_UP_US: i64 = 1200 * MS;

/// Counts over games.
#[derive(Default)]
struct Tally {
    /// Moves that were completed while nobody heard of it, and those of them that are recorded.
    away: usize,
    found: usize,
    /// Other moves, and those of them that are not recorded.
    heard: usize,
    lost: usize,
    /// Recorded moves that nobody played.
    extra: usize,
}

impl Tally {
    fn add(&mut self, played: &Played) {
        let games = GameRecord::fold(&played.events);
        let deaf = |at: Instant| {
            played.turns.chunks(2).any(|turn| at + START_UP_US / 4 >= turn[0] && at <= turn[1] + START_UP_US)
        };
        for board in [BoardId::A, BoardId::B] {
            let truth: Vec<_> = played.truth.moves.iter().filter(|m| m.board == board).collect();
            let uci: Vec<&str> = truth.iter().map(|m| m.uci.as_str()).collect();
            let record = of_board(games[0].moves.iter().map(|(_, m)| (m.board, m.uci.as_str())), board);
            let kept = kept(&uci, &record);
            let away = truth.iter().filter(|m| deaf(m.press)).count();
            let unfound = kept.missing.iter().filter(|index| deaf(truth[**index].press)).count();
            self.away += away;
            self.found += away - unfound;
            self.heard += truth.len() - away;
            self.lost += kept.missing.len() - unfound;
            self.extra += kept.extra;
        }
    }
}

/// Plays a game while the daemon dies and lives by turns.
fn perform(game: &bpgn::Game, profile: &str, rig: &Rig, seed: u64, turns: impl Fn(&Truth) -> Vec<Instant>) -> Played {
    let plies = plies_of(game, &RuleSet::WBN_1_00).unwrap();
    let terms = rig.terms(&terms_of(game));
    let performance = play(&plies, &terms, Profile::named(profile).unwrap(), seed);
    show(&performance, &terms, rig, seed, turns)
}

/// Shows what hands did to a table that dies and lives by turns.
fn show(
    performance: &Performance,
    terms: &Terms,
    rig: &Rig,
    seed: u64,
    turns: impl Fn(&Truth) -> Vec<Instant>,
) -> Played {
    let stage = Stage::on(rig, performance, seed);
    let mut settings = stage::settings_on(rig, terms, Players::default(), &[]);
    stage::tell_makes(&mut settings, rig, &stage);
    let turns = turns(&performance.truth);
    let mut host = MortalHost::new(settings.clone(), OPENED_US, turns.clone()).unwrap();
    let started = "2026-11-20T15:00:00Z";
    let truth =
        capture::record_stage(stage, &performance.truth, &settings, started, &mut host, std::io::sink()).unwrap();
    let (starts, forgot) = (host.starts(), host.forgot());
    Played { truth, events: host.events().to_vec(), starts, forgot, turns }
}

/// The moves of a board by squares.
fn of_board<'a>(moves: impl Iterator<Item = (BoardId, &'a str)>, board: BoardId) -> Vec<&'a str> {
    moves.filter(|(on, _)| *on == board).map(|(_, uci)| uci).collect()
}

/// What is wrong with what was recorded; `unsure`: moves may be wrong of which it was told that they may be.
fn faults(played: &Played, unsure: bool) -> Vec<String> {
    let mut faults = Vec::new();
    let games = GameRecord::fold(&played.events);
    if games.len() != 1 {
        return vec![format!("{} games", games.len())];
    }
    let live: Vec<u64> = played.events.iter().filter(|e| e.body.feed() == Feed::Live).map(|e| e.seq).collect();
    if live.iter().zip(1..).any(|(seq, expect)| *seq != expect) {
        faults.push("seq has gaps".into());
    }
    for board in [BoardId::A, BoardId::B] {
        let truth = of_board(played.truth.moves.iter().map(|m| (m.board, m.uci.as_str())), board);
        let record = of_board(games[0].moves.iter().map(|(_, m)| (m.board, m.uci.as_str())), board);
        let doubted = |event: &Event| matches!(&event.body, Body::Uncertain(doubt) if doubt.board == board);
        if truth != record && !(unsure && played.events.iter().any(doubted)) {
            let at = (0..).find(|index| truth.get(*index) != record.get(*index)).unwrap_or(0);
            let (expect, found) = (truth.get(at), record.get(at));
            let (left, right) = (truth.len(), record.len());
            let when = played.truth.moves.iter().filter(|m| m.board == board).nth(at).map(|m| m.press.to_string());
            faults.push(format!(
                "board {board}: ply {} of {left} is {expect:?} at {when:?}, found {found:?} of {right}",
                at + 1
            ));
        }
    }
    faults
}

fn check(profile: &str, rig: &Rig, down_us: std::ops::Range<i64>, unsure: bool) {
    let wanted: usize = std::env::var("RESTARTS").ok().and_then(|text| text.parse().ok()).unwrap_or(60);
    let (mut restarts, mut played, mut exact, mut wrong) = (0, 0, 0, Vec::new());
    let (mut forgot, mut forked) = (0, 0);
    let mut tally = Tally::default();
    for (seed, game) in games().iter().cycle().enumerate() {
        if restarts >= wanted {
            break;
        }
        let seed = seed as u64;
        let turns = |truth: &Truth| turns(truth, &down_us, &mut ChaCha8Rng::seed_from_u64(seed));
        let tried = perform(game, profile, rig, seed, turns);
        restarts += tried.starts - 1;
        played += 1;
        forgot += tried.forgot;
        forked += usize::from(tried.forgot > 0);
        tally.add(&tried);
        exact += usize::from(faults(&tried, false).is_empty());
        let faults = faults(&tried, unsure);
        if !faults.is_empty() {
            wrong.push(format!("seed {seed}, {} restarts: {}", tried.starts - 1, faults.join("; ")));
        }
    }
    println!(
        "{profile}, {:?}, {}, away {down_us:?} µs: {restarts} restarts in {played} games, {exact} exact, {} wrong",
        rig.boards,
        rig.faults.name,
        wrong.len()
    );
    let Tally { away, found, heard, lost, extra } = tally;
    println!(
        "{found} of {away} moves of absences are recorded, {lost} of {heard} others not, {extra} that nobody made"
    );
    println!("{forgot} starts in {forked} games went on from the record alone");
    // Where sensors lie all the time a start may come to another account of the last plies; then the record counts.
    assert!(forked * FORKED_OF <= restarts, "what was received gives the game again");
    assert!(wrong.is_empty(), "{} of {played} games are wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn a_game_goes_on_over_short_absences() {
    let long = std::env::var_os("RESTARTS").is_some();
    check("clean", &Rig::default(), 200 * MS..2 * SECOND, long);
}

#[test]
fn moves_of_a_long_absence_are_right_or_told_to_be_uncertain() {
    check("clean", &Rig::default(), 3 * SECOND..12 * SECOND, true);
}

#[test]
fn an_unfinished_game_is_ended_where_the_next_one_began_while_nobody_heard_of_it() {
    let rig = Rig::default();
    for (seed, game) in (0..).zip(games().iter().take(8)) {
        let terms = rig.terms(&terms_of(game));
        let (plies, next) = (plies_of(game, &RuleSet::WBN_1_00).unwrap(), next_game(seed, &terms, &RuleSet::WBN_1_00));
        let two = [(&plies[..], &terms), (&next.0[..], &next.1)];
        let performance = play_two(two, Profile::named("clean").unwrap(), &Offences::default(), seed);
        let turns = |truth: &Truth| {
            let last = truth.moves.iter().map(|played| played.press).max().unwrap();
            let first = truth.next.as_ref().unwrap().moves.iter().map(|played| played.press).min().unwrap();
            vec![last + -SECOND, first + 700 * MS]
        };
        let played = show(&performance, &terms, &rig, seed, turns);
        let records = GameRecord::fold(&played.events);
        assert_eq!(records.len(), 2, "seed {seed}");
        assert_eq!(records[0].ended.as_ref().map(|ended| ended.result.as_str()), Some("*"), "seed {seed}");
        let expect = &played.truth.next.as_ref().unwrap().moves;
        for board in [BoardId::A, BoardId::B] {
            let truth = of_board(expect.iter().map(|m| (m.board, m.uci.as_str())), board);
            let record = of_board(records[1].moves.iter().map(|(_, m)| (m.board, m.uci.as_str())), board);
            assert_eq!(record, truth, "seed {seed}, board {board}");
        }
    }
}

#[test]
fn a_game_that_began_while_nobody_heard_of_it_is_taken_up() {
    let mut wrong = Vec::new();
    for (seed, game) in (0..).zip(games().iter().take(16)) {
        for profile in ["clean", "human"] {
            let begins = |truth: &Truth| {
                let set_going = truth.start.values().min().copied().unwrap_or_default();
                let first = truth.moves.iter().map(|played| played.press).min().unwrap_or_default();
                vec![set_going + -SECOND, first + 700 * MS]
            };
            let played = perform(game, profile, &Rig::default(), seed, begins);
            // Each table counts from its opening.
            let told = played.events.iter().filter(|event| event.t < Instant(15 * SECOND));
            let accused = told.filter_map(|event| match &event.body {
                // Men that come late to trays are seen by who has heard of their capture.
                Body::Incident(incident) if incident.kind != "not-passed" => Some(incident.kind.clone()),
                _ => None,
            });
            let accused: Vec<String> = accused.collect();
            let faults = faults(&played, true);
            if !faults.is_empty() || !accused.is_empty() {
                wrong.push(format!("{profile}, seed {seed}, {accused:?}: {}", faults.join("; ")));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_was_learnt_of_tags_and_levels_is_known_after_a_restart() {
    for sensing in [Sensing::Tags, Sensing::Levels] {
        check("clean", &Rig { boards: vec![sensing], ..Rig::default() }, 200 * MS..2 * SECOND, true);
    }
}

#[test]
fn a_wrongly_tagged_man_and_a_dead_square_are_known_after_a_restart() {
    for name in ["wrong-man", "dead-square"] {
        let faults = Faults::named(name).unwrap();
        check("clean", &Rig { faults, ..Rig::default() }, 200 * MS..2 * SECOND, true);
    }
}

/// What a board says that is set up but for these fields.
fn dump(fields: &[(u8, u8)]) -> Vec<u8> {
    let mut codes = [0; 64];
    let ranks: [(usize, [u8; 8]); 4] =
        [(0, [8, 9, 10, 12, 11, 10, 9, 8]), (1, [7; 8]), (6, [1; 8]), (7, [2, 3, 4, 6, 5, 4, 3, 2])];
    ranks.iter().for_each(|(rank, men)| codes[rank * 8..rank * 8 + 8].copy_from_slice(men));
    fields.iter().for_each(|(field, code)| codes[usize::from(*field)] = *code);
    let mut bytes = Vec::new();
    Message::BoardDump(Box::new(codes)).emit(&mut bytes);
    bytes
}

/// Two boards without clocks, resumed after 1. e4 on board A, when they have shown their men.
fn resumed(ruleset: &str, fields: [&[(u8, u8)]; 2], wait: i64) -> (Table, Vec<Event>) {
    let device = |name: &str, board: &str| json!({ "name": name, "driver": "dgt", "board": board, "port": name });
    let devices = [device("a", "A"), device("b", "B")];
    let settings = serde_json::from_value(json!({ "id": "1", "ruleset": ruleset, "device": devices })).unwrap();
    let opening = Opening { session: "s2".into(), started_us: OPENED_US, seq: 8, incident: 3 };
    let mut table = Table::new(settings, opening).unwrap();
    let bfen = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR/ w KQkq -";
    let played = json!({
        "board": "A", "seat": "A", "ply": 1, "number": 1, "san": "e4", "move": "e2e4", "from": "e2", "to": "e4",
        "piece": "P", "captured": null, "promotion": null, "clock": null, "bfen": "", "made_at": -2000,
        "completed_at": -1000
    });
    let ruling = json!({
        "v": 1, "session": "s1", "table": "1", "game": "g", "seq": 2, "t": 5, "time": "", "type": "ruling",
        "verb": "invisible", "data": { "seat": "b", "piece": "N" }, "by": "arbiter", "transaction": "t1"
    });
    let resume = json!({
        "devices": { "a": { "turned": false }, "b": { "turned": false } },
        "game": {
            "id": "g", "moves": [[7, played]], "rulings": [ruling],
            "started": {
                "ruleset": "wbn-1.00", "time_control": "300+0", "players": {}, "bfen": format!("{bfen} | {bfen}")
            }
        }
    });
    table.resume(serde_json::from_value(resume).unwrap());
    for (device, fields) in [0, 1].into_iter().zip(fields) {
        let bytes = dump(fields);
        table.handle(Instant(SECOND), Input::Link(device, true));
        table.handle(Instant(SECOND), Input::Bytes(device, &bytes));
    }
    table.handle(Instant(SECOND + wait), Input::Timeout);
    let mut events = Vec::new();
    loop {
        match table.poll() {
            Output::Event(event) => events.push(event),
            Output::Deadline(_) => return (table, events),
            _ => {}
        }
    }
}

/// The pawn of e2 on e4.
const E4: &[(u8, u8)] = &[(52, 0), (36, 1)];

#[test]
fn a_game_that_stands_on_the_boards_goes_on() {
    let (mut table, events) = resumed("wbn-1.00", [E4, &[]], 10 * SECOND);
    let kinds: Vec<&str> = events.iter().map(|event| event.body.kind()).collect();
    assert_eq!(kinds, ["game-resumed"]);
    let Body::GameResumed(told) = &events[0].body else { panic!("it is told first") };
    assert_eq!((events[0].seq, events[0].game.as_deref(), told.moves), (8, Some("g"), 1));
    let arbiter = table.arbiter_state();
    assert_eq!((arbiter.restricted.len(), arbiter.rulings.len()), (1, 1), "what was commanded still holds");
    let again = Request {
        verb: "invisible".into(),
        data: json!({"seat": "b", "piece": "N"}),
        transaction: Some("t1".into()),
        by: Some("arbiter".into()),
    };
    table.handle(Instant(20 * SECOND), Input::Request(again));
    let answers = std::iter::from_fn(|| Some(table.poll())).take_while(|out| !matches!(out, Output::Deadline(_)));
    let answered = answers.filter_map(|out| match out {
        Output::Response(response) => Some(response.status),
        _ => None,
    });
    assert_eq!(answered.collect::<Vec<_>>(), [ResponseStatus::Ok], "a request repeated over the restart acts once");
}

#[test]
fn boards_that_show_something_else_are_told_and_nothing_is_guessed() {
    // Board B: the men of the back ranks stand in the middle.
    let strange: Vec<(u8, u8)> = (0..8).map(|file| (file, 0)).chain((24..32).map(|field| (field, 11))).collect();
    let (table, events) = resumed("wbn-1.00", [E4, &strange], 10 * SECOND);
    let doubts: Vec<&Body> = events.iter().map(|event| &event.body).filter(|body| body.kind() == "uncertain").collect();
    assert!(matches!(doubts[..], [Body::Uncertain(doubt)] if doubt.board == BoardId::B && doubt.candidates.is_empty()));
    assert!(!events.iter().any(|event| matches!(event.body, Body::Move(_) | Body::GameEnded(_))));
    assert!(!table.state().boards[1].unexplained.is_empty());
}

#[test]
fn a_gap_that_nobody_puts_right_is_recorded_and_play_goes_on() {
    // Board B: queens and rooks have changed places behind their pawns.
    let strange = [(0, 12), (3, 8), (56, 6), (59, 2)];
    let (mut table, mut events) = resumed("wbn-1.00", [E4, &strange], 10 * SECOND);
    for seconds in 11..60 {
        for (device, fields) in [(0, E4), (1, &strange)] {
            table.handle(Instant(seconds * SECOND), Input::Bytes(device, &dump(fields)));
        }
        let more = std::iter::from_fn(|| Some(table.poll())).take_while(|out| !matches!(out, Output::Deadline(_)));
        events.extend(more.filter_map(|out| if let Output::Event(event) = out { Some(event) } else { None }));
    }
    let kinds: Vec<&str> = events.iter().map(|event| event.body.kind()).filter(|kind| *kind != "pocket").collect();
    assert_eq!(kinds, ["game-resumed", "uncertain", "game-ended", "game-started"]);
    let ended =
        events.iter().find_map(|event| if let Body::GameEnded(ended) = &event.body { Some(ended) } else { None });
    assert!(ended.unwrap().reason.starts_with("a gap: what was played on board B"));
    let bfen = &table.state().bfen;
    assert!(bfen.contains("qnbrkbnr/pppppppp/8/8/8/8/PPPPPPPP/QNBRKBNR"), "{bfen}");
    assert!(bfen.contains("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR"), "{bfen}");
}

#[test]
fn a_game_by_other_rules_is_not_gone_on_with() {
    let (table, events) = resumed("fide-ext", [E4, &[]], 10 * SECOND);
    assert!(matches!(&events[..], [event] if event.game.as_deref() == Some("g") && event.body.kind() == "game-ended"));
    assert_eq!(table.state().result, "*");
}
