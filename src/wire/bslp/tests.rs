//! Lines both ways, rejects by reason, round trips under any cuts, damage.

use proptest::prelude::*;

use super::*;
use crate::types::Color;

fn decode<T: Sentence>(bytes: &[u8]) -> (Vec<T>, Rejects) {
    let mut decoder = Decoder::new();
    let mut sentences = Vec::new();
    decoder.push(bytes, |sentence| sentences.push(sentence));
    assert_eq!(decoder.messages(), sentences.len() as u64);
    (sentences, decoder.rejects().clone())
}

fn framed(body: &str) -> Vec<u8> {
    format!("${body}*{:02X}\r\n", sum(body.as_bytes())).into_bytes()
}

fn emitted<T: Sentence>(sentence: &T) -> Vec<u8> {
    let mut out = Vec::new();
    sentence.emit(&mut out);
    out
}

fn both_ways<T: Sentence + PartialEq + fmt::Debug>(text: &str, sentence: T) {
    let (sentences, rejects) = decode::<T>(text.as_bytes());
    assert_eq!((sentences.as_slice(), rejects.total()), ([sentence].as_slice(), 0), "{text}");
    assert_eq!(String::from_utf8(emitted(&sentences[0])).unwrap(), text);
}

fn rejected(bytes: &[u8], reason: &str) {
    let (lines, rejects) = decode::<Line>(bytes);
    assert_eq!((lines.len(), rejects.of(reason), rejects.total()), (0, 1, 1), "{}", String::from_utf8_lossy(bytes));
}

#[test]
fn lines_of_a_tray_unit() {
    both_ways(
        "$BHELO,1,tray,7357,emulated,1.0,piece,4,24*07\r\n",
        Line::Helo {
            version: 1,
            kind: Kind::Tray,
            serial: "7357".into(),
            model: "emulated".into(),
            firmware: "1.0".into(),
            sensing: Sensing::Piece,
            channels: 4,
            cells: 24,
        },
    );
    both_ways(
        "$BSNAP,0,0,........................*62\r\n",
        Line::Snap { seq: 0, ch: 0, cells: vec![Kinds::EMPTY; 24] },
    );
    both_ways("$BBEAT,4,500,0*4D\r\n", Line::Beat { seq: 4, uptime_ms: 500, lost: 0 });
}

#[test]
fn cells_are_men_occupancy_or_unreadable() {
    let (lines, _) = decode::<Line>(&framed("BSNAP,17,0,P..x?n"));
    let man = |piece| Kinds::only(piece);
    let cells =
        [man(Color::White.pawn()), Kinds::EMPTY, Kinds::EMPTY, Kinds::OCCUPIED, Kinds::ANY, man(Color::Black.knight())];
    assert_eq!(lines, [Line::Snap { seq: 17, ch: 0, cells: cells.to_vec() }]);
}

#[test]
fn the_value_of_a_cell_is_read_as_the_device_senses() {
    let value = |body: &str| match decode::<Line>(&framed(body)).0[..] {
        [Line::Cell { value, .. }] => value,
        _ => panic!("{body} is a cell"),
    };
    let letter = value("BCELL,1,0,3,b");
    assert_eq!((letter.kinds(), letter.tag()), (Some(Kinds::only(Color::Black.bishop())), Some(11)));
    assert_eq!(value("BCELL,1,0,3,0a1b2c3d4e").tag(), Some(0x0a_1b2c_3d4e));
    assert_eq!(value("BCELL,1,0,3,-213").level(), Some(-213));
    assert_eq!(value("BCELL,1,0,3,-213").kinds(), None);
}

#[test]
fn commands_of_the_host() {
    both_ways("$HHELO*46\r\n", Command::Helo);
    both_ways("$HSNAP,0*58\r\n", Command::Snap { ch: 0 });
    let mut bits = vec![false; 8];
    (bits[0], bits[6]) = (true, true);
    let text = String::from_utf8(framed("HLEDS,2,82")).unwrap();
    both_ways(&text, Command::Leds { ch: 2, bits });
}

#[test]
fn rejects_by_reason() {
    rejected(b"$BBEAT,4,500,0*4E\r\n", "sum");
    rejected(b"$BBEAT,4,500,0*+D\r\n", "sum");
    rejected(b"$BBEAT,4,500,0\r\n", "sum");
    rejected(b"$\r\n", "sum");
    rejected(&framed("BWHAT,1"), "name");
    rejected(&framed("HHELO"), "name");
    rejected(&framed("BBEAT,4,500"), "field count");
    rejected(&framed("BBEAT,4,500,0,0"), "field count");
    rejected(&framed("BTAGS,1,0,0"), "field count");
    rejected(&framed("BTAGS,1,0,0,1,2,3,4,5,6,7,8,9"), "field count");
    rejected(&framed("BERRO,7"), "field count");
    rejected(&framed("BBEAT,65536,500,0"), "value");
    rejected(&framed("BBEAT,4,-1,0"), "value");
    rejected(&framed("BSNAP,4,0,..z"), "value");
    rejected(&framed("BCELL,4,0,0,"), "value");
    rejected(&framed("BCELL,4,0,0,12345678901234567"), "value");
    rejected(&framed("BBUTN,4,0,coffee"), "value");
    rejected(&framed("BCLOK,4,0,1000,1000,X"), "value");
    let body = b"BSNAP,4,0,.\xff.";
    rejected(&[b"$", &body[..], format!("*{:02X}\r\n", sum(body)).as_bytes()].concat(), "value");
    rejected(b"$BSNAP,4,0,..$BB\r\n".as_slice().split_at(14).0, "truncated");
}

#[test]
fn a_line_of_512_bytes_is_read_and_a_longer_one_is_not() {
    let body = |cells: usize| format!("BSNAP,1,0,{}", ".".repeat(cells));
    let longest = framed(&body(LINE_MAX - 6 - 10));
    assert_eq!(longest.len(), LINE_MAX);
    assert_eq!(decode::<Line>(&longest).0.len(), 1);
    let (lines, rejects) = decode::<Line>(&framed(&body(LINE_MAX - 6 - 9)));
    assert_eq!((lines.len(), rejects.of("too long")), (0, 1));
}

#[test]
fn anything_between_lines_is_skipped() {
    let mut bytes = b"boot: ok\r\n\0\xff".to_vec();
    bytes.extend(framed("BBEAT,4,500,0"));
    bytes.extend(b"\n\n$BBEAT,5,15");
    bytes.extend(framed("BBEAT,6,2500,0"));
    let (lines, rejects) = decode::<Line>(&bytes);
    assert_eq!(lines.iter().filter_map(Line::seq).collect::<Vec<_>>(), [4, 6]);
    assert_eq!((rejects.of("truncated"), rejects.of("stray byte")), (1, 10));
}

#[test]
fn what_is_emitted_never_breaks_the_frame() {
    let error = Line::Error { code: "a*b".into(), text: "x,\r\n$y".into() };
    let (lines, rejects) = decode::<Line>(&emitted(&error));
    assert_eq!(lines, [Line::Error { code: "a_b".into(), text: "x,___y".into() }]);
    assert_eq!(rejects.total(), 0);
}

fn any_kinds() -> impl Strategy<Value = Kinds> {
    proptest::sample::select(b"PNBRQKpnbrqk.x?".to_vec()).prop_map(|byte| kinds(byte).expect("a letter of a cell"))
}

fn any_value() -> impl Strategy<Value = Value> {
    prop_oneof![
        any_kinds().prop_map(Value::of_kinds),
        any::<u64>().prop_map(Value::of_tag),
        any::<i32>().prop_map(Value::of_level),
    ]
}

fn any_helo() -> impl Strategy<Value = Line> {
    let kind = proptest::sample::select(vec![Kind::Board, Kind::Tray, Kind::Clock]);
    let sensing = proptest::sample::select(vec![
        Sensing::Piece,
        Sensing::Tag,
        Sensing::Level,
        Sensing::Occupancy,
        Sensing::Nothing,
    ]);
    let text = || "[ a-zA-Z0-9.-]{0,20}";
    (any::<u8>(), kind, text(), text(), text(), sensing, any::<u8>(), any::<u16>()).prop_map(
        |(version, kind, serial, model, firmware, sensing, channels, cells)| Line::Helo {
            version,
            kind,
            serial,
            model,
            firmware,
            sensing,
            channels,
            cells,
        },
    )
}

fn any_line() -> impl Strategy<Value = Line> {
    let run = proptest::sample::select(vec![Run::Left, Run::Right, Run::Stopped]);
    let button =
        proptest::sample::select(vec![Button::Claim, Button::Draw, Button::Resign, Button::Arbiter, Button::Knight]);
    let at = || (any::<u16>(), any::<u8>());
    prop_oneof![
        any_helo(),
        (at(), proptest::collection::vec(any_kinds(), 0..65)).prop_map(|((seq, ch), cells)| Line::Snap {
            seq,
            ch,
            cells
        }),
        (at(), any::<u16>(), any_value()).prop_map(|((seq, ch), cell, value)| Line::Cell { seq, ch, cell, value }),
        (at(), any::<u16>(), proptest::collection::vec(any::<u64>(), 1..9))
            .prop_map(|((seq, ch), first, tags)| Line::Tags { seq, ch, first, tags: tags.into_iter().collect() }),
        (at(), any::<u16>(), proptest::collection::vec(any::<i32>(), 1..9)).prop_map(|((seq, ch), first, levels)| {
            Line::Levels { seq, ch, first, levels: levels.into_iter().collect() }
        }),
        (at(), any::<[i64; 2]>(), run).prop_map(|((seq, ch), [left_ms, right_ms], run)| Line::Clock {
            seq,
            ch,
            left_ms,
            right_ms,
            run
        }),
        (at(), button).prop_map(|((seq, ch), button)| Line::Button { seq, ch, button }),
        (any::<u16>(), any::<u64>(), any::<u32>()).prop_map(|(seq, uptime_ms, lost)| Line::Beat {
            seq,
            uptime_ms,
            lost
        }),
        ("[a-z0-9]{0,8}", "[ -#%-)+-~]{0,60}").prop_map(|(code, text)| Line::Error { code, text }),
    ]
}

proptest! {
    #[test]
    fn every_line_survives_any_cuts(
        lines in proptest::collection::vec(any_line(), 1..6),
        cuts in proptest::collection::vec(1..40usize, 1..20),
    ) {
        let bytes: Vec<u8> = lines.iter().flat_map(emitted).collect();
        let mut decoder = Decoder::<Line>::new();
        let mut got = Vec::new();
        let mut rest = &bytes[..];
        for cut in cuts.iter().cycle() {
            let (head, tail) = rest.split_at(rest.len().min(*cut));
            decoder.push(head, |line| got.push(line));
            rest = tail;
            if rest.is_empty() {
                break;
            }
        }
        prop_assert_eq!(got, lines);
        prop_assert_eq!(decoder.rejects().total(), 0);
    }

    #[test]
    fn garbage_never_hides_the_line_behind_it(
        garbage in proptest::collection::vec(any::<u8>(), 0..1500),
        line in any_line(),
    ) {
        let mut decoder = Decoder::<Line>::new();
        let mut got = Vec::new();
        decoder.push(&garbage, |_| {});
        decoder.push(&emitted(&line), |line| got.push(line));
        prop_assert_eq!(got, [line]);
    }

    #[test]
    fn a_flipped_bit_is_never_read_as_another_line(
        line in any_line(),
        place in any::<prop::sample::Index>(),
        bit in 0..8u8,
    ) {
        let mut bytes = emitted(&line);
        let place = place.index(bytes.len() - 2); // not CR LF
        bytes[place] ^= 1 << bit;
        let (got, _) = decode::<Line>(&bytes);
        prop_assert!(got.is_empty() || got == [line], "{}", String::from_utf8_lossy(&bytes));
    }
}
