//! Why plies were taken: what is noted is what decided, and noting changes nothing.

use std::fs;

use bughoused::{
    cli::explain::{PlyName, explain},
    event::{Body, Event},
    table::{Output, capture::Replay},
    track::explain::{Deed, Note, Weighed, meaning},
};

use super::corpus::{data, replay};

/// Captures that are explained whole.
const CAPTURES: [&str; 3] = ["human-32-0001", "human-32-0002", "blitz-occupancy-sent-over"];

fn capture(name: &str) -> String {
    fs::read_to_string(data("captures").join(name).with_extension("jsonl")).unwrap()
}

/// The events and notes of a capture.
fn noted(capture: &str) -> (Vec<Event>, Vec<Note>) {
    let mut lines = capture.lines();
    let mut replay = Replay::new(lines.next().unwrap(), None).unwrap();
    replay.explain();
    let (mut events, mut notes) = (Vec::new(), Vec::new());
    let mut sink = |output| {
        if let Output::Event(event) = output {
            events.push(event);
        }
    };
    for line in lines {
        replay.feed(line, &mut sink).unwrap();
        notes.extend(replay.take_notes());
    }
    replay.finish(&mut sink);
    notes.extend(replay.take_notes());
    (events, notes)
}

fn weighed(note: &Note) -> Vec<&Weighed> {
    match &note.deed {
        Deed::Completed { weighing, illegal, .. } => {
            let lines = weighing.iter().flat_map(|weighing| std::iter::once(&weighing.taken).chain(&weighing.others));
            lines.chain(illegal).collect()
        }
        Deed::Stands(look) => std::iter::once(&look.record).chain(&look.other).collect(),
        Deed::Revised { look, .. } => {
            look.iter().flat_map(|look| std::iter::once(&look.record).chain(&look.other)).collect()
        }
    }
}

#[test]
fn the_named_costs_are_the_ones_that_decided() {
    for name in CAPTURES {
        let (_, notes) = noted(&capture(name));
        for note in &notes {
            for Weighed { line, cost, items } in weighed(note) {
                let sum: i64 = items.iter().map(|item| item.cost).sum();
                assert_eq!(sum, i64::from(*cost), "{name} {}{} {line:?}: {items:?}", note.board, note.ply);
                items.iter().for_each(|item| assert!(meaning(item.name).is_some(), "{}", item.name));
            }
            if let Deed::Completed { weighing: Some(weighing), illegal: None, completed, .. } = &note.deed {
                assert_eq!(weighing.taken.line.first(), Some(&completed.played), "{name} {}{}", note.board, note.ply);
                assert!(weighing.others.is_sorted_by_key(|other| other.cost), "{name}");
            }
        }
    }
}

#[test]
fn noting_changes_nothing_and_misses_no_ply() {
    for name in CAPTURES {
        let capture = capture(name);
        let (events, notes) = noted(&capture);
        assert_eq!(events, replay(&capture), "{name}");
        for event in &events {
            let Body::Move(played) = &event.body else { continue };
            let about = |note: &&Note| (note.board, note.ply) == (played.board, played.ply as usize);
            let completed = notes.iter().filter(about).any(|note| matches!(note.deed, Deed::Completed { .. }));
            assert!(completed, "{name}: {}{}", played.board, played.ply);
        }
    }
}

#[test]
fn a_ply_is_explained_to_people() {
    let names: Vec<PlyName> = ["B2", "3"].iter().map(|name| name.parse().unwrap()).collect();
    let (explained, read) = explain(capture(CAPTURES[0]).as_bytes(), &names, None);
    read.unwrap();
    let mut out = Vec::new();
    bughoused::cli::explain::write(&explained, None, false, &mut out).unwrap();
    let text = String::from_utf8(out).unwrap();
    for expected in ["game 1, A3,", "game 1, B2,", "game 1, B3,", "completed:", "= PLY 2", "margin", "  PLY  "] {
        assert!(text.contains(expected), "{expected}: {text}");
    }
    let mut json = Vec::new();
    bughoused::cli::explain::write(&explained, None, true, &mut json).unwrap();
    let first: serde_json::Value = serde_json::from_slice(json.split(|byte| *byte == b'\n').next().unwrap()).unwrap();
    assert_eq!((&first["board"], &first["ply"]), (&"A".into(), &3.into()));
    assert!(first["decisions"][0]["taken"]["cost"].as_i64().unwrap() > 0, "{first}");
    for wrong in ["", "A", "Z1", "A0", "12x", "-1"] {
        assert!(wrong.parse::<PlyName>().unwrap_err().contains("such as A12"), "{wrong}");
    }
}
