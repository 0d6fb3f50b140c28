//! Lines of every kind and wrong ones, and how a replay takes them.

use super::*;
use crate::table::Output;

const HEADER: &str = concat!(
    r#"{"capture":1,"started":"2026-11-20T15:00:00Z","table":{"id":"1","device":["#,
    r#"{"name":"board-a","driver":"dgt","board":"A"},{"name":"Brett ♞","driver":"dgt","board":"B"}]}}"#
);
const LINES: [&str; 5] = [
    r#"{"t":1250000,"dev":"board-a","rx":"8e00051c00"}"#,
    r#"{"t":1260000,"dev":"board-a","tx":"42"}"#,
    r#"{"t":9000000,"dev":"Brett ♞","link":"down"}"#,
    r#"{"t":9000001,"dev":"board-a","link":"up"}"#,
    r#"{"t":9500000,"request":{"verb":"claim","data":{"by":"a","kind":"illegal-move"}}}"#,
];

fn written(value: impl FnOnce(&mut dyn io::Write) -> io::Result<()>) -> String {
    let mut out = Vec::new();
    value(&mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn lines_of_every_kind_round_trip() {
    let devices = Header::parse(HEADER).unwrap().table.device;
    for line in LINES {
        let input = RawInput::parse(line, &devices).unwrap();
        assert_eq!(written(|out| input.write(&devices, out)), format!("{line}\n"));
    }
}

#[test]
fn headers_round_trip_and_pass_over_what_they_do_not_know() {
    let plain = Header::parse(HEADER).unwrap();
    assert_eq!((&plain.session, plain.seq, plain.incident, plain.end), (&None, 1, 1, None));
    let full = Header { session: Some("s".into()), seq: 7, incident: 3, end: Some(Instant(5)), ..plain.clone() };
    for header in [&plain, &full] {
        let line = written(|out| header.write(out));
        assert_eq!(&Header::parse(&line).unwrap(), header);
    }
    let more = HEADER.replace("\"capture\":1", "\"capture\":1,\"simulator\":{\"seed\":3}");
    assert_eq!(Header::parse(&more).unwrap(), plain);
}

#[test]
fn bad_lines_say_what_is_wrong() {
    let devices = Header::parse(HEADER).unwrap().table.device;
    let wrong = |line: &str| RawInput::parse(line, &devices).unwrap_err();
    let device = LineError::Device { found: "tray".into(), known: "board-a, Brett ♞".into() };
    assert_eq!(wrong(r#"{"t":1,"dev":"board-a","rx":"8e0"}"#), LineError::Hex("8e0".into()));
    assert_eq!(wrong(r#"{"t":1,"dev":"board-a","rx":"zz"}"#), LineError::Hex("zz".into()));
    assert_eq!(wrong(r#"{"t":1,"dev":"board-a","rx":"é"}"#), LineError::Hex("é".into()));
    assert_eq!(wrong(r#"{"t":1,"dev":"tray","rx":"42"}"#), device);
    assert_eq!(wrong(r#"{"t":1,"rx":"42"}"#), LineError::Kind);
    assert_eq!(wrong(r#"{"t":1,"dev":"board-a"}"#), LineError::Kind);
    assert_eq!(wrong(r#"{"t":1,"dev":"board-a","rx":"42","tx":"42"}"#), LineError::Kind);
    assert_eq!(wrong(r#"{"t":1,"dev":"board-a","request":{"verb":"start"}}"#), LineError::Kind);
    assert!(matches!(wrong(r#"{"t":1,"dev":"board-a","rxx":"42"}"#), LineError::Json(_)));
    assert!(matches!(wrong(r#"{"t":1,"dev":"board"#), LineError::Json(_)));
    assert_eq!(Header::parse(&HEADER.replace(":1,", ":2,")), Err(LineError::Version(2)));
    assert!(matches!(Header::parse("{}"), Err(LineError::Header(_))));
}

#[test]
fn texts_with_escapes_are_read_and_others_are_not_copied() {
    let line = r#"{"t":1,"dev":"Brett \u265e","rx":"42"}"#;
    let devices = Header::parse(HEADER).unwrap().table.device;
    let input = RawInput { t: Instant(1), raw: Raw::Rx(1, vec![0x42]) };
    assert_eq!(RawInput::parse(line, &devices), Ok(input));
    let (_, Said::Rx(name, hex)) = Line::parse(LINES[0]).unwrap() else { panic!("bytes were received") };
    assert!(matches!((name.0, hex.0), (Cow::Borrowed(_), Cow::Borrowed(_))));
}

/// The place and message of a replay's first error.
fn refused(lines: &[&str]) -> String {
    let mut replay = Replay::new(HEADER, None).unwrap();
    let error = lines.iter().find_map(|line| replay.feed(line, |_| {}).err());
    error.expect("an error").to_string()
}

#[test]
fn a_replay_says_where_it_stops() {
    let known = "expected the name of a device of the header (board-a, Brett ♞), found \"tray\"";
    assert_eq!(refused(&["", r#"{"t":1,"dev":"tray","link":"up"}"#]), format!("line 3: {known}"));
    let back = [r#"{"t":9,"dev":"board-a","link":"up"}"#, r#"{"t":8,"dev":"board-a","rx":""}"#];
    assert_eq!(refused(&back), "line 3: expected t of at least 9, found 8");
    let year = [r#"{"t":9,"dev":"board-a","link":"up"}"#, r#"{"t":31536000000009,"dev":"board-a","link":"up"}"#];
    assert_eq!(refused(&year), "line 3: expected t within 604800000000 (a week) of 9, found 31536000000009");
    assert_eq!(refused(&[r#"{"t":9,"dev":"board-a","rx":"4"}"#]), "line 2: expected pairs of hex digits, found \"4\"");
    let header = |text: &str| Replay::new(text, None).err().expect("an error").to_string();
    assert!(header("").starts_with("line 1: expected the header of a capture"));
    assert!(header(&HEADER.replace("2026", "year")).starts_with("line 1: expected `started` as RFC 3339 time"));
}

#[test]
fn a_replay_serves_deadlines_up_to_its_end() {
    let sent = |header: &str| {
        let mut replay = Replay::new(header, None).unwrap();
        let mut sent = 0;
        let mut count = |output| sent += usize::from(matches!(output, Output::Transmit(..)));
        replay.feed(r#"{"t":0,"dev":"board-a","link":"up"}"#, &mut count).unwrap();
        replay.finish(&mut count);
        sent
    };
    let until = |end: i64| HEADER.replace("\"capture\":1", &format!("\"capture\":1,\"end\":{end}"));
    let none = sent(&until(0));
    assert!(none < sent(&until(250_000)) && sent(&until(250_000)) < sent(&until(500_000)));
    assert!(sent(HEADER) > sent(&until(500_000)), "without an end, a second later");
}
