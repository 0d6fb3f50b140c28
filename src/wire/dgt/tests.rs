//! Byte vectors, round trips under any cuts, damage and resynchronisation.

use proptest::prelude::*;

use super::*;

fn decode(bytes: &[u8]) -> Vec<Message> {
    let (messages, rejects) = decode_counting(bytes);
    assert_eq!(rejects.total(), 0, "{rejects:?}");
    messages
}

fn decode_counting(bytes: &[u8]) -> (Vec<Message>, Rejects) {
    let mut decoder = Decoder::new();
    let mut messages = Vec::new();
    decoder.push(bytes, |message| messages.push(message));
    assert_eq!(decoder.messages(), messages.len() as u64);
    (messages, decoder.rejects().clone())
}

fn emitted(message: &Message) -> Vec<u8> {
    let mut out = Vec::new();
    message.emit(&mut out);
    out
}

fn both_ways(bytes: &[u8], message: Message) {
    assert_eq!(emitted(&message), bytes);
    assert_eq!(decode(bytes), [message]);
}

fn face(seconds: u32) -> Face {
    Face { seconds, ..Face::default() }
}

#[test]
fn field_updates() {
    both_ways(&[0x8e, 0, 5, 0x34, 0], Message::FieldUpdate { field: 52, code: 0 });
    both_ways(&[0x8e, 0, 5, 0x24, 1], Message::FieldUpdate { field: 36, code: 1 });
    assert_eq!(decode(&[0x8e, 0, 5, 0x24, 0x71]), [Message::FieldUpdate { field: 36, code: 1 }], "code is masked");
}

#[test]
fn board_dump_of_the_start() {
    let back = [2, 3, 4, 6, 5, 4, 3, 2];
    let mut codes = Box::new([0; 64]);
    for file in 0..8 {
        codes[file] = back[file] + 6;
        codes[8 + file] = 7;
        codes[48 + file] = 1;
        codes[56 + file] = back[file];
    }
    let bytes = emitted(&Message::BoardDump(codes.clone()));
    assert_eq!(bytes[..6], [0x86, 0, 0x43, 8, 9, 0x0a]);
    both_ways(&bytes, Message::BoardDump(codes));
}

#[test]
fn clock_time_is_right_side_first() {
    let reading =
        ClockReading { right: face(5398), left: face(5400), running: true, right_high: true, battery_low: false };
    both_ways(&[0x8d, 0, 10, 1, 0x29, 0x58, 1, 0x30, 0, 3], Message::Clock(reading));
}

#[test]
fn turn_bits_of_the_status_are_not_used() {
    for status in [0x0b, 0x13, 0x1b] {
        let [Message::Clock(reading)] = decode(&[0x8d, 0, 10, 1, 0x29, 0x58, 1, 0x30, 0, status])[..] else { panic!() };
        assert!(reading.running && reading.right_high);
    }
}

#[test]
fn clock_missing_and_clock_answers() {
    both_ways(&[0x8d, 0, 10, 0, 0, 0, 0, 0, 0, 0x20], Message::NoClock);
    both_ways(&[0x8d, 0, 10, 0x0a, 0x10, 9, 0x0a, 0x20, 0, 0], Message::ClockAck { ack: [0x10, 9, 0x20, 0] });
    both_ways(&[0x8d, 0, 10, 0x0a, 0x10, 8, 0x2a, 5, 0x31, 0], Message::ClockAck { ack: [0x10, 0x88, 5, 0x31] });
    let by_byte_six = decode(&[0x8d, 0, 10, 1, 0x10, 9, 0x0a, 0x20, 0, 0]);
    assert_eq!(by_byte_six, [Message::ClockAck { ack: [0x10, 9, 0x20, 0] }]);
}

#[test]
fn impossible_clock_messages_are_rejected_by_reason() {
    assert_eq!(decode_counting(&[0x8d, 0, 10, 0, 0, 0, 0, 0, 0, 0]).1.of("clock all zero"), 1);
    assert_eq!(decode_counting(&[0x8d, 0, 10, 0, 3, 3, 0x48, 0, 3, 0x52]).1.of("clock status"), 1, "a byte came twice");
    for bad in [[0x0b, 0, 0], [0, 0x60, 0], [0, 0, 0x0a], [0x0f, 0, 1]] {
        let [h, m, s] = bad;
        let (messages, rejects) = decode_counting(&[0x8d, 0, 10, h, m, s, 1, 0, 0, 1]);
        assert_eq!((messages.len(), rejects.of("clock time")), (0, 1), "{bad:02x?}");
    }
    assert_eq!(decode_counting(&[0x8e, 0, 5, 64, 1]).1.of("field number"), 1);
}

#[test]
fn who_the_board_is() {
    both_ways(&[0x93, 0, 5, 1, 8], Message::Version { major: 1, minor: 8 });
    both_ways(&[0x96, 0, 5, 2, 3], Message::HardwareVersion { major: 2, minor: 3 });
    both_ways(&[0x90, 0, 5, 8, 1], Message::BusAddress(1025));
    both_ways(b"\x91\x00\x0895710", Message::SerialNumber("95710".into()));
    both_ways(b"\xa2\x00\x0d0000123456", Message::LongSerialNumber("0000123456".into()));
    both_ways(b"\xa2\x00\x0d3.25000001", Message::LongSerialNumber("3.25000001".into()));
    assert_eq!(decode(b"\x91\x00\x0c95710 1.0"), [Message::SerialNumber("95710".into())]);
    both_ways(b"\x92\x00\x0eemulator\n1\n", Message::Trademark("emulator\n1\n".into()));
    assert_eq!(decode_counting(b"\x91\x00\x08     ").1.of("serial number"), 1);
}

#[test]
fn battery_messages_of_both_lengths() {
    let full = Battery {
        percent: 70,
        left_minutes: None,
        on_minutes: Some(90),
        standby_minutes: Some(1503),
        charging: false,
        discharging: true,
    };
    both_ways(&[0xa0, 0, 12, 70, 0x7f, 0x7f, 1, 30, 1, 1, 3, 2], Message::Battery(full));
    let short = Battery { percent: 70, left_minutes: Some(62), ..Battery::default() };
    assert_eq!(decode(&[0xa0, 0, 7, 70, 1, 2, 0]), [Message::Battery(short)]);
}

#[test]
fn the_log_is_swallowed_and_the_next_message_read() {
    let mut bytes = vec![0x8f, 0x3e, 3];
    bytes.extend([0x45; 0x1f00]);
    bytes.extend([0x8e, 0, 5, 1, 2]);
    let expected = [Message::EeMoves { bytes: 0x1f00 }, Message::FieldUpdate { field: 1, code: 2 }];
    assert_eq!(decode(&bytes), expected);
}

#[test]
fn a_truncated_frame_gives_way_to_the_next() {
    for cut in 1..67 {
        let mut bytes = emitted(&Message::BoardDump(Box::new([1; 64])));
        bytes.truncate(cut);
        bytes.extend([0x8e, 0, 5, 0x34, 0]);
        let (messages, rejects) = decode_counting(&bytes);
        assert_eq!(messages, [Message::FieldUpdate { field: 52, code: 0 }]);
        assert_eq!((rejects.of("truncated"), rejects.total()), (1, 1));
    }
}

#[test]
fn an_implausible_length_is_rejected_at_once() {
    let (messages, rejects) = decode_counting(&[0x86, 0, 0x67, 0x8e, 0, 6, 0x8d, 0x7f, 0x7f, 0x8e, 0, 5, 1, 0]);
    assert_eq!(messages, [Message::FieldUpdate { field: 1, code: 0 }]);
    assert_eq!((rejects.of("length"), rejects.total()), (3, 3));
}

#[test]
fn reset_forgets_the_open_frame_and_keeps_the_counts() {
    let mut decoder = Decoder::new();
    decoder.push(&[1, 0x8e, 0], |_| panic!("not complete"));
    decoder.reset();
    decoder.push(&[5], |_| panic!("belongs to no frame"));
    assert_eq!(decoder.rejects().of("stray byte"), 2);
}

#[test]
fn commands_are_those_that_change_nothing() {
    for byte in 0..=255 {
        let allowed = [0x40, 0x41, 0x42, 0x45, 0x47, 0x4b, 0x4c, 0x4d, 0x55].contains(&byte);
        assert_eq!(Command::from_byte(byte).map(Command::byte), allowed.then_some(byte));
    }
}

#[test]
fn piece_codes_round_trip() {
    for code in 0..13 {
        assert_eq!(code_of(piece_of(code).unwrap()), code);
    }
    assert_eq!(piece_of(5), Some(Some(Color::White.king())));
    assert_eq!(piece_of(0x0c), Some(Some(Color::Black.queen())));
    assert!((13..16).all(|code| piece_of(code).is_none()));
}

fn any_face() -> impl Strategy<Value = Face> {
    (0..36_000u32, any::<[bool; 3]>()).prop_map(|(seconds, [flag_blocked, per_move, flag_shown])| Face {
        seconds,
        flag_blocked,
        per_move,
        flag_shown,
    })
}

fn any_clock() -> impl Strategy<Value = Message> {
    (any_face(), any_face(), any::<[bool; 3]>())
        .prop_map(|(left, right, [running, right_high, battery_low])| ClockReading {
            left,
            right,
            running,
            right_high,
            battery_low,
        })
        .prop_filter("a message of zeros is no time", |reading| *reading != ClockReading::default())
        .prop_map(Message::Clock)
}

fn any_battery() -> impl Strategy<Value = Message> {
    let minutes = || proptest::option::of(0..127 * 60u16);
    (0..101u8, minutes(), minutes(), proptest::option::of(0..127 * 24 * 60u32), any::<[bool; 2]>()).prop_map(
        |(percent, left_minutes, on_minutes, standby_minutes, [charging, discharging])| {
            Message::Battery(Battery { percent, left_minutes, on_minutes, standby_minutes, charging, discharging })
        },
    )
}

fn any_message() -> impl Strategy<Value = Message> {
    prop_oneof![
        proptest::collection::vec(0..16u8, 64)
            .prop_map(|codes| Message::BoardDump(Box::new(codes.try_into().expect("64 codes")))),
        (0..64u8, 0..16u8).prop_map(|(field, code)| Message::FieldUpdate { field, code }),
        any_clock(),
        Just(Message::NoClock),
        any::<[u8; 4]>().prop_map(|ack| Message::ClockAck { ack }),
        "[0-9]{5}".prop_map(Message::SerialNumber),
        "[0-9.]{10}".prop_map(Message::LongSerialNumber),
        (0..0x4000u16).prop_map(Message::BusAddress),
        "[ -~\n]{0,256}".prop_map(Message::Trademark),
        (0..128u8, 0..128u8).prop_map(|(major, minor)| Message::Version { major, minor }),
        (0..128u8, 0..128u8).prop_map(|(major, minor)| Message::HardwareVersion { major, minor }),
        any_battery(),
        (0..0x1f01usize).prop_map(|bytes| Message::EeMoves { bytes }),
        (0xa3..=0xffu8, 3..68usize).prop_map(|(id, len)| Message::Other { id, len }),
    ]
}

proptest! {
    #[test]
    fn faces_with_a_bit_wrong_are_sent_with_one(right in any_face()) {
        let sent = |right| emitted(&Message::Clock(ClockReading { right, running: true, ..ClockReading::default() }));
        let bits = |face| sent(right).iter().zip(sent(face)).map(|(a, b)| (a ^ b).count_ones()).sum::<u32>();
        let mut found = 0;
        for face in right.with_a_bit_wrong() {
            prop_assert_eq!(bits(face), 1, "{:?}", face);
            found += 1;
        }
        prop_assert!(found >= 10);
    }

    #[test]
    fn every_message_survives_any_cuts(
        messages in proptest::collection::vec(any_message(), 1..6),
        cuts in proptest::collection::vec(1..40usize, 1..20),
    ) {
        let mut bytes = Vec::new();
        messages.iter().for_each(|message| message.emit(&mut bytes));
        let mut decoder = Decoder::new();
        let mut got = Vec::new();
        let mut rest = &bytes[..];
        for cut in cuts.iter().cycle() {
            let (head, tail) = rest.split_at(rest.len().min(*cut));
            decoder.push(head, |message| got.push(message));
            rest = tail;
            if rest.is_empty() {
                break;
            }
        }
        prop_assert_eq!(got, messages);
        prop_assert_eq!(decoder.rejects().total(), 0);
    }

    #[test]
    fn garbage_never_hides_the_frame_behind_it(
        garbage in proptest::collection::vec(any::<u8>(), 0..300),
        message in any_message(),
    ) {
        let mut decoder = Decoder::new();
        let mut got = Vec::new();
        decoder.push(&garbage, |_| {});
        decoder.push(&emitted(&message), |message| got.push(message));
        prop_assert_eq!(got.last(), Some(&message));
        prop_assert_eq!(got.len(), 1);
    }
}
