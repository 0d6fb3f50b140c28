//! Devices that send levels: what they mean goes with the capture, or comes from a file.

use std::fs;

use bughoused::{
    cli::replay::{Format, replay_file},
    daemon::config::calibration,
    record::GameRecord,
    rules::RuleSet,
    sense::Calibration,
    simulate::{
        accuracy::{Source, Trial},
        hands::{Profile, Truth},
        offence::Offences,
        rig::{Rig, Sensing, Trays},
    },
    table::{
        capture::Header,
        settings::{Calibrated, DeviceSettings},
    },
};

use super::corpus::replay;

/// A game of human hands on a table of these boards, as a capture and its truth.
fn perform(boards: &[Sensing]) -> (String, Truth) {
    let rig = Rig { boards: boards.to_vec(), trays: Trays::Levels, ..Rig::default() };
    let source = Source::random(3, 60, &RuleSet::WBN_1_00, &Offences::default());
    let profile = Profile::named("human").unwrap();
    let trial = Trial { source: &source, profile, seed: 3, ruleset: &RuleSet::WBN_1_00, rig: &rig };
    let mut capture = Vec::new();
    let (truth, _) = trial.record(&mut capture).unwrap();
    (String::from_utf8(capture).unwrap(), truth)
}

/// The values of each device; a capture names no file.
fn calibrations(header: &Header) -> Vec<Option<Calibration>> {
    let values = |device: &DeviceSettings| match &device.calibration {
        Some(Calibrated::File(path)) => panic!("{}: {path}", device.name),
        Some(Calibrated::Values(values)) => Some(values.clone()),
        None => None,
    };
    header.table.device.iter().map(values).collect()
}

#[test]
fn a_capture_carries_what_its_levels_mean() {
    for boards in [&[Sensing::Levels][..], &[Sensing::Levels, Sensing::Identity], &[Sensing::Tags, Sensing::Levels]] {
        let (capture, truth) = perform(boards);
        let header = Header::parse(capture.lines().next().unwrap()).unwrap();
        let measured: Vec<bool> = calibrations(&header).iter().map(Option::is_some).collect();
        let expected = [0, 1].map(|board: usize| boards[board % boards.len()] == Sensing::Levels);
        assert_eq!(measured, [expected[0], expected[1], true], "{boards:?}");
        let records = GameRecord::fold(&replay(&capture));
        let moves: Vec<&str> = records[0].moves.iter().map(|(_, played)| &*played.uci).collect();
        assert_eq!(moves, truth.moves.iter().map(|played| &*played.uci).collect::<Vec<_>>(), "{boards:?}");
        assert_eq!(records.len(), 1, "{boards:?}");
    }
}

#[test]
fn a_table_with_calibration_files_replays_the_same() {
    let dir = tempfile::tempdir().unwrap();
    let (capture, _) = perform(&[Sensing::Levels]);
    let path = dir.path().join("game.jsonl");
    fs::write(&path, &capture).unwrap();
    let header = Header::parse(capture.lines().next().unwrap()).unwrap();
    let mut table = header.table.clone();
    for (device, values) in table.device.iter_mut().zip(calibrations(&header)) {
        let name = format!("{}.toml", device.name);
        fs::write(dir.path().join(&name), toml::to_string(&values.unwrap()).unwrap()).unwrap();
        device.calibration = Some(Calibrated::File(name));
    }
    assert_eq!(calibration::load(std::slice::from_mut(&mut table), dir.path()), []);
    assert_eq!(table, header.table, "what was written is what was read");
    let known = replay_file(&path, Format::Events, None);
    let told = replay_file(&path, Format::Events, Some(table.clone()));
    assert!(known.failure.is_none() && known.bytes == told.bytes);
    table.device[0].calibration = Some(Calibrated::File("nothing.toml".into()));
    let refused = replay_file(&path, Format::Events, Some(table)).failure.unwrap().lines.concat();
    assert!(refused.contains("device board-a: calibration: expected values"), "{refused}");
}
