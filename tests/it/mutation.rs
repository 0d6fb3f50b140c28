//! Every reader of foreign bytes under spoiled input: seeded changes of good texts, always the same ones.
//!
//! A reader answers with a value or an error. That it neither panics nor hangs is what is tested, and that changes do
//! reach both answers.

use std::fs;

use bughoused::{
    daemon::config::Config,
    notation::{bfen::Bfen, bpgn::Reader, replay::replay, san, uci},
    rules::{BoardPosition, RuleSet, VARIANTS},
    table::capture::Replay,
    wire::{bslp, dgt},
};

use super::corpus::data;

/// Spoiled inputs for each reader.
const ROUNDS: u64 = 300;
/// The most bytes of a text that is spoiled.
const BYTES_MAX: usize = 6000;

/// A fixed sequence of numbers (splitmix64).
struct Chance(u64);

impl Chance {
    fn next(&mut self, below: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % below.max(1) as u64) as usize
    }
}

/// Bytes that mean something to one reader or another.
const TELLING: &[u8] = b"{}[]()|/@$~#+=.,:;*\"\\\n\r\0\x7f\x80\xff 019aAzZ-";

/// A piece of a good text with a few bytes changed, left out, doubled or cut off.
fn spoiled(good: &[u8], round: u64) -> Vec<u8> {
    let mut chance = Chance(round);
    let start = chance.next(good.len().saturating_sub(BYTES_MAX) + 1);
    let mut bytes = good[start..(start + BYTES_MAX).min(good.len())].to_vec();
    if round.is_multiple_of(2) {
        bytes = good[..BYTES_MAX.min(good.len())].to_vec();
    }
    for _ in 0..=chance.next(6) {
        let at = chance.next(bytes.len());
        let until = (at + 1 + chance.next(20)).min(bytes.len());
        match chance.next(5) {
            _ if bytes.is_empty() => bytes.push(b'x'),
            0 => bytes[at] = TELLING[chance.next(TELLING.len())],
            1 => drop(bytes.drain(at..until)),
            2 => bytes.extend_from_within(at..until),
            3 => bytes.insert(at, TELLING[chance.next(TELLING.len())]),
            _ => bytes.truncate(at.max(bytes.len() / 2)),
        }
    }
    bytes
}

/// How many of the spoiled inputs were still read.
fn survivors(good: &[u8], read: impl Fn(&[u8]) -> bool) -> u64 {
    (0..ROUNDS).filter(|round| read(&spoiled(good, *round))).count() as u64
}

/// A law text, plain or as one of the variants: the length of a text chooses.
fn rules(bytes: &[u8]) -> RuleSet {
    let mut rules = RuleSet::ALL[bytes.len() % RuleSet::ALL.len()].clone();
    if let Some(variant) = VARIANTS.get(bytes.len() / RuleSet::ALL.len() % (VARIANTS.len() + 1)) {
        rules.vary(variant.name).unwrap();
    }
    rules
}

fn some_are_read_and_some_refused(read: u64) {
    assert!((1..ROUNDS).contains(&read), "{read} of {ROUNDS} were read");
}

#[test]
fn records() {
    for entry in fs::read_dir(data("raw")).unwrap() {
        let good = fs::read(entry.unwrap().path()).unwrap();
        let read = survivors(&good, |bytes| {
            let games: Vec<_> = Reader::new(bytes).collect();
            let rules = rules(bytes);
            games.iter().flatten().filter(|parsed| replay(&parsed.game, &rules).fault.is_none()).count() > 0
        });
        assert!(read < ROUNDS);
    }
}

#[test]
fn what_was_read_is_written_and_read_again() {
    let good = fs::read(data("games.bpgn")).unwrap();
    let read = survivors(&good, |bytes| {
        let games: Vec<_> = Reader::new(bytes).flatten().collect();
        for parsed in &games {
            let written = parsed.game.write();
            let again = Reader::new(written.as_bytes()).next().unwrap();
            let again = again.unwrap_or_else(|e| panic!("{e}\n{written}")).game;
            assert_eq!(again.moves.len(), parsed.game.moves.len(), "{written}");
        }
        games.len() > 1
    });
    some_are_read_and_some_refused(read);
}

#[test]
fn positions_and_moves() {
    let good = b"r2k1r2/pbppNppp/1p2p1nb/1P5N/3N4/4Pn1q/PPP1QP1P/2KR2R1/BBBNqrppp w - - 45 56 | \
                 Q~4rk1/8/8/8/8/8/8/R3K2R w KQ - 45 60";
    let read = |bytes: &[u8]| {
        let Ok(bfen) = Bfen::read(&String::from_utf8_lossy(bytes)) else { return false };
        let game = bfen.to_game(&rules(bytes));
        for board in game.ids() {
            let position = game.board(board);
            for m in position.legal_moves() {
                assert_eq!(san::read(&san::write(position, m, game.len()), position), Ok(m));
            }
        }
        true
    };
    some_are_read_and_some_refused(survivors(good, read));
    let start = BoardPosition::new(RuleSet::WBN_1_00.moves);
    let read = |bytes: &[u8]| san::read(&String::from_utf8_lossy(bytes), &start).is_ok();
    some_are_read_and_some_refused(survivors(b"Ng1f3", read));
    let read = |bytes: &[u8]| uci::read(&String::from_utf8_lossy(bytes), &start).is_ok();
    some_are_read_and_some_refused(survivors(b"g1f3", read));
}

#[test]
fn captures() {
    let good = fs::read(data("captures/clean-31-0000.jsonl")).unwrap();
    let read = survivors(&good[..(4 * BYTES_MAX).min(good.len())], |bytes| {
        let text = String::from_utf8_lossy(bytes);
        let mut lines = text.lines();
        let Ok(mut replay) = Replay::new(lines.next().unwrap_or(""), None) else { return false };
        let whole = lines.all(|line| replay.feed(line, |_| ()).is_ok());
        replay.finish(|_| ());
        whole
    });
    assert!(read < ROUNDS);
}

#[test]
fn frames_of_devices() {
    let dgt: Vec<u8> = (0..4000u32).flat_map(|n| [0x8e, 0, 5, (n % 64) as u8, (n % 13) as u8]).collect();
    let whole = survivors(&dgt, |bytes| {
        let mut decoder = dgt::Decoder::new();
        let mut messages = 0;
        decoder.push(bytes, |_| messages += 1);
        assert!(messages * 3 <= bytes.len(), "a message has three bytes at least");
        decoder.rejects().total() == 0
    });
    assert!(whole < ROUNDS);
    let bslp = b"$BSLP,1,tray\n$S,1,0,p\n$T,12,3*5A\n".repeat(100);
    let whole = survivors(&bslp, |bytes| {
        let mut host = bslp::Decoder::<bslp::Line>::new();
        host.push(bytes, |_| ());
        let mut device = bslp::Decoder::<bslp::Command>::new();
        device.push(bytes, |_| ());
        host.rejects().total() == 0
    });
    assert!(whole < ROUNDS);
}

#[test]
fn configurations() {
    let path = data("../../systemd/bughoused.toml");
    let good = fs::read(&path).unwrap();
    let read = survivors(&good, |bytes| Config::parse(&String::from_utf8_lossy(bytes), &path).is_ok());
    assert!(read < ROUNDS);
}
