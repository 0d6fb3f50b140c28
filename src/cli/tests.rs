//! `games`, `show` and `export` over a journal with two games in it.

use std::{fs, path::PathBuf};

use clap::Parser;
use tempfile::TempDir;

use super::{Exit, Outcome, export, games, show, source::Source};
use crate::{
    event::{
        Body, ClockTimes, Correction, Event, GameEnded, GameStarted, Grade, Incident, IncidentState, Move, Players,
        Request,
    },
    journal::{Batch, Journal, Session},
    notation::letters::Letters,
    table::capture::{Raw, RawInput},
    types::{Instant, Seat},
};

const SETTINGS: &str =
    r#"{"id":"1","device":[{"name":"board-a","driver":"dgt","port":"/dev/a","board":"A","clock":true}]}"#;

fn event(seq: u64, game: &str, body: Body) -> Event {
    let t = Instant(seq as i64 * 1_000_000);
    let time = format!("2026-11-20T15:00:{seq:02}.250Z");
    Event { v: 1, session: "s1".into(), table: "1".into(), game: Some(game.into()), seq, t, time, body }
}

fn started(players: Players) -> Body {
    let (ruleset, time_control) = ("wbn-1.00".into(), "300+0".into());
    Body::GameStarted(GameStarted { ruleset, time_control, players, bfen: "a0 | b0".into() })
}

fn played(seat: &str, number: u32, san: &str, white_ms: i64, stands: bool) -> Move {
    let seat: Seat = seat.parse().unwrap();
    let (ply, bfen) = (number * 2, format!("{san} | after"));
    let clock = Some(ClockTimes { white_ms, black_ms: white_ms - 1 });
    Move {
        board: seat.board,
        seat,
        ply,
        number,
        san: san.into(),
        uci: "e2e4".into(),
        from: None,
        to: "e4".into(),
        piece: 'P',
        captured: san.contains('x').then_some('n'),
        promotion: None,
        clock,
        stands,
        bfen,
        made_at: Instant(1),
        completed_at: Instant(2),
    }
}

fn incident(state: IncidentState) -> Body {
    Body::Incident(Box::new(Incident {
        id: 7,
        kind: "illegal-move".into(),
        grade: Grade::Decisive,
        law: "WBN".into(),
        article: "5.1".into(),
        board: None,
        seat: None,
        reason: "r".into(),
        evidence: serde_json::Value::Null,
        claimable_by: vec![],
        claim_until: None,
        state,
    }))
}

fn first_game() -> Vec<Event> {
    let names = [("A", "Jana"), ("a", "Petr"), ("B", "Eva\u{1b}[2J"), ("b", "Ivan")];
    let names: Players = names.map(|(seat, name)| (seat.to_owned(), name.to_owned())).into();
    let moves = [
        played("A", 1, "e4", 299_420, false),
        played("B", 1, "d4", 61_050, false),
        played("a", 1, "Nf6", 298_000, true),
        played("A", 2, "Nxf7", 250_000, false),
        played("b", 1, "d5", 61_000, false),
        played("B", 2, "P@h7", -90, false),
    ];
    let mut events = vec![event(1, "20261120-1", started(names))];
    for (index, played) in moves.into_iter().enumerate() {
        events.push(event(2 + index as u64, "20261120-1", Body::Move(Box::new(played))));
    }
    let fresh = vec![played("A", 2, "N,xf7+", 250_000, false)];
    let board = crate::types::BoardId::A;
    events.push(event(8, "20261120-1", Body::Correction(Correction { board, supersedes: 5, moves: fresh })));
    events.push(event(1, "20261120-1", incident(IncidentState::Open)));
    events.push(event(2, "20261120-1", incident(IncidentState::Lapsed)));
    let ended = GameEnded {
        result: "1-0".into(),
        reason: "resigns".into(),
        boards: vec![board],
        by: "a".into(),
        half_points: None,
    };
    events.push(event(9, "20261120-1", Body::GameEnded(ended)));
    events
}

/// A data directory with two games.
fn recorded() -> (TempDir, Source) {
    let dir = TempDir::new().unwrap();
    let opened = Journal::open(dir.path()).unwrap();
    let settings = serde_json::from_str(SETTINGS).unwrap();
    let session: Session = opened.journal.session(0, "s1", 1_795_186_800_000_000, &settings);
    let mut batch = Batch::new(&session, Instant::ZERO);
    batch.events = first_game();
    batch.inputs.push(RawInput { t: Instant(5), raw: Raw::Rx(0, vec![0x8e, 0, 5]) });
    batch
        .inputs
        .push(RawInput { t: Instant(6), raw: Raw::Request(Request { verb: "start".into(), ..Request::default() }) });
    opened.journal.record(batch).unwrap();
    let mut batch = Batch::new(&session, Instant::ZERO);
    batch.events.push(event(10, "20261120-2", started(Players::new())));
    opened.journal.record(batch).unwrap();
    drop(opened.journal);
    assert_eq!(opened.stopping.wait(), 0);
    let source = Source { config: None, data: Some(dir.path().to_owned()) };
    (dir, source)
}

fn printed(run: impl FnOnce(&mut Vec<u8>) -> Outcome) -> String {
    let mut out = Vec::new();
    run(&mut out).unwrap();
    String::from_utf8(out).unwrap()
}

fn asked(game: &str, format: export::Format, source: Source) -> export::Args {
    let (profile, letters) = (export::Profile::Standard, Letters::ENGLISH);
    export::Args { game: game.into(), format, profile, letters, output: None, source }
}

fn exported(game: &str, format: export::Format) -> String {
    let (_dir, source) = recorded();
    let args = asked(game, format, source);
    printed(|out| export::run(&args, out))
}

#[test]
fn games_are_listed_for_people_and_for_programs() {
    let (_dir, source) = recorded();
    let text = printed(|out| games::run(&games::Args { json: false, source }, out));
    assert_eq!(
        text,
        "GAME        STARTED               TABLE  MOVES  RESULT  PLAYERS\n\
         20261120-1  2026-11-20 15:00:01Z  1          6  1-0     Jana + Ivan - Petr + Eva\u{fffd}[2J\n\
         20261120-2  2026-11-20 15:00:10Z  1          0  *\n"
    );
    let (_dir, source) = recorded();
    let json = printed(|out| games::run(&games::Args { json: true, source }, out));
    let games: Vec<serde_json::Value> = json.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(games.len(), 2);
    assert_eq!((games[0]["id"].as_str(), games[0]["plies"].as_u64()), (Some("20261120-1"), Some(6)));
    assert_eq!(games[1]["result"], "*");
}

#[test]
fn a_game_is_shown_with_its_boards_side_by_side() {
    let (_dir, source) = recorded();
    let text = printed(|out| show::run(&show::Args { game: "20261120-1".into(), source }, out));
    let expected = "\
game     20261120-1
table    1
started  2026-11-20 15:00:01Z
rules    wbn-1.00, 300+0
A        Jana
a        Petr
B        Eva\u{fffd}[2J
b        Ivan
result   1-0 (Petr resigns)

board A                                    board B
  1. e4         4:59.4 Nf6!       4:57.9     1. d4         1:01.0 d5         1:00.9
  2. N,xf7+     4:10.0                       2. P@h7      -0:00.0

! an illegal move that nobody claimed
";
    assert_eq!(text, expected);
}

#[test]
fn bpgn_in_the_form_of_another_site() {
    let (_dir, source) = recorded();
    let profile = export::Profile::BughousePro;
    let args = |format, source| export::Args { profile, ..asked("20261120-1", format, source) };
    let failure = export::run(&args(export::Format::Csv, source), &mut Vec::new()).unwrap_err();
    assert_eq!(failure.exit, Exit::Usage);
    let (_dir, source) = recorded();
    let bpgn = printed(|out| export::run(&args(export::Format::Bpgn, source), out));
    assert!(bpgn.contains("\n[UTCDate \"2026.11.20\"]\n[UTCTime \""), "{bpgn}");
    assert!(bpgn.contains("1A. e4 {[ts=0.000]} 1B. d4 {[ts="), "{bpgn}");
    assert!(bpgn.trim_end().ends_with("]}"), "{bpgn}");
}

#[test]
fn bpgn_in_the_letters_of_another_language() {
    let letters = Letters::by_code("cs").unwrap(); // CZ E2
    let args = |format, source| export::Args { letters, ..asked("20261120-1", format, source) };
    let (_dir, source) = recorded();
    let bpgn = printed(|out| export::run(&args(export::Format::Bpgn, source), out));
    assert!(bpgn.contains("1B. d4 {61.050} 1a. Jf6 {297.999}"), "{bpgn}");
    let (_dir, source) = recorded();
    let failure = export::run(&args(export::Format::Csv, source), &mut Vec::new()).unwrap_err();
    assert_eq!(failure.exit, Exit::Usage);
}

#[test]
fn exports_of_every_format() {
    let bpgn = exported("last", export::Format::Bpgn);
    assert!(bpgn.ends_with("[Result \"*\"]\n\n*\n"), "{bpgn}");
    let bpgn = exported("20261120-1", export::Format::Bpgn);
    assert!(bpgn.contains("1A. e4 {299.420} 1B. d4 {61.050} 1a. Nf6 {297.999}"), "{bpgn}");
    assert!(bpgn.ends_with("{Petr resigns} 1-0\n"), "{bpgn}");

    let bfen = exported("20261120-1", export::Format::Bfen);
    assert_eq!(
        bfen.lines().map(|line| line.split(' ').next().unwrap()).collect::<Vec<_>>(),
        ["a0", "e4", "d4", "Nf6", "N,xf7+", "d5", "P@h7"]
    );

    let json: serde_json::Value = serde_json::from_str(&exported("20261120-1", export::Format::Json)).unwrap();
    assert_eq!((json["moves"].as_array().unwrap().len(), &json["moves"][3]["san"]), (6, &"N,xf7+".into()));
    assert_eq!(json["incidents"], serde_json::json!([json["incidents"][0]]));
    assert_eq!(json["incidents"][0]["state"], "lapsed");
    assert_eq!(json["ended"]["result"], "1-0");

    let csv = exported("20261120-1", export::Format::Csv);
    let lines: Vec<&str> = csv.split_terminator("\r\n").collect();
    assert_eq!(lines.len(), 7);
    assert_eq!(lines[0].split(',').count(), 15);
    assert_eq!(lines[4], "4,A,A,4,2,\"N,xf7+\",e2e4,n,,250000,249999,false,1,2,\"N,xf7+ | after\"");

    let capture = exported("20261120-1", export::Format::Capture);
    let lines: Vec<&str> = capture.lines().collect();
    assert!(lines[0].starts_with(r#"{"capture":1,"started":"2026-11-20T15:00:00Z","session":"s1","end":"#));
    assert_eq!(lines[1..], [r#"{"t":5,"dev":"board-a","rx":"8e0005"}"#, r#"{"t":6,"request":{"verb":"start"}}"#]);
}

#[test]
fn an_export_goes_to_a_file_and_leaves_it_alone_when_the_game_is_unknown() {
    let (dir, _) = recorded();
    let file = dir.path().join("game.bpgn");
    let args = |game: &str, output: PathBuf| {
        let source = Source { config: None, data: Some(dir.path().to_owned()) };
        export::Args { output: Some(output), ..asked(game, export::Format::Bpgn, source) }
    };
    assert_eq!(printed(|out| export::run(&args("20261120-1", file.clone()), out)), "");
    let good = fs::read_to_string(&file).unwrap();
    assert!(good.starts_with("[Event"));
    let failure = export::run(&args("x", file.clone()), &mut Vec::new()).unwrap_err();
    assert_eq!(failure.exit, Exit::Failed);
    assert!(failure.lines[0].starts_with("expected the id of a recorded game"), "{failure}");
    assert_eq!(fs::read_to_string(&file).unwrap(), good);
    let failure = export::run(&args("last", dir.path().join("none/x")), &mut Vec::new()).unwrap_err();
    assert!(failure.lines[0].contains("could not be made"), "{failure}");
}

/// Takes nothing: the reader of a pipe is gone, or the disk is full.
struct Refusing(std::io::ErrorKind);

impl std::io::Write for Refusing {
    fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
        Err(self.0.into())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_broken_pipe_is_success_and_a_full_disk_is_not() {
    use std::io::ErrorKind::{BrokenPipe, StorageFull};
    let (dir, _) = recorded();
    let source = || Source { config: None, data: Some(dir.path().to_owned()) };
    let formats = [
        export::Format::Bpgn,
        export::Format::Bfen,
        export::Format::Json,
        export::Format::Csv,
        export::Format::Capture,
    ];
    for (kind, good) in [(BrokenPipe, true), (StorageFull, false)] {
        for json in [true, false] {
            assert_eq!(games::run(&games::Args { json, source: source() }, &mut Refusing(kind)).is_ok(), good);
        }
        let args = show::Args { game: "20261120-1".into(), source: source() };
        assert_eq!(show::run(&args, &mut Refusing(kind)).is_ok(), good);
        for format in formats {
            let args = asked("20261120-1", format, source());
            assert_eq!(export::run(&args, &mut Refusing(kind)).is_ok(), good, "{format:?}");
        }
    }
}

#[test]
fn a_journal_that_is_not_there_is_named_with_its_exit_code() {
    let dir = TempDir::new().unwrap();
    let source = Source { config: None, data: Some(dir.path().to_owned()) };
    let failure = games::run(&games::Args { json: false, source }, &mut Vec::new()).unwrap_err();
    assert_eq!(failure.exit, Exit::Unavailable);
    assert!(failure.lines[0].contains("nothing was recorded here yet"), "{failure}");

    fs::write(dir.path().join("journal.sqlite3"), "x".repeat(2000)).unwrap();
    let source = Source { config: None, data: Some(dir.path().to_owned()) };
    let failure = games::run(&games::Args { json: false, source }, &mut Vec::new()).unwrap_err();
    assert_eq!(failure.exit, Exit::BadInput);

    let config = dir.path().join("c.toml");
    fs::write(&config, "[node]\nidd = 1\n").unwrap();
    let source = Source { config: Some(config), data: None };
    let failure = games::run(&games::Args { json: false, source }, &mut Vec::new()).unwrap_err();
    assert_eq!((failure.exit, failure.lines.len()), (Exit::BadConfig, 2));
}

#[derive(clap::Parser)]
enum Commands {
    Games(games::Args),
    Show(show::Args),
    Export(export::Args),
    Check(super::check::Args),
}

#[test]
fn the_arguments_are_those_of_the_interface() {
    use clap::CommandFactory as _;
    Commands::command().debug_assert();
    let parse = |line: &str| Commands::try_parse_from(line.split(' '));
    assert!(matches!(parse("x games --json --data /d"), Ok(Commands::Games(args)) if args.json));
    assert!(matches!(parse("x show last --config c"), Ok(Commands::Show(args)) if args.source.config.is_some()));
    let export = parse("x export g --format capture -o f").ok();
    assert!(matches!(export, Some(Commands::Export(args)) if args.format == export::Format::Capture));
    assert!(matches!(parse("x check"), Ok(Commands::Check(args)) if args.file.starts_with("/etc")));
    assert!(parse("x games --data d --config c").is_err());
    assert!(parse("x export g --format pgn").is_err());
}
