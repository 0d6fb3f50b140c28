//! Calibration files: the levels of a device's cells.
//!
//! In: a file that a device names, or a table in its place. Out: [`Calibration`], or every problem with its place. How
//! levels are measured is not known here.

use std::{collections::BTreeMap, path::Path};

use toml::de::DeTable;

use super::{
    Problem,
    read::{Found, Notes, Section},
    read_file,
};
use crate::{
    sense::{
        Calibration,
        calibration::{CellCalibration, GAIN_MAX, GAIN_MIN, GAIN_ONE, LEVEL_MAX},
    },
    table::settings::{Calibrated, TableSettings},
    types::Piece,
};

/// Cells that a file may name: sixteen channels of a board each.
const CELLS_MAX: usize = 16 * 64;

/// Reads the calibration of a device: its values, or the file that has them.
pub(super) fn of_device(found: &Found<'_>) -> Option<Calibrated> {
    if found.is_table() {
        let section = found.section()?;
        return values(section).map(Calibrated::Values);
    }
    found.file().map(|path| Calibrated::File(path.display().to_string()))
}

/// Puts the values in the places of the files that devices name; paths start from `base`. Files that are not there
/// are left: who reads the configuration reports them with their line.
pub fn load(tables: &mut [TableSettings], base: &Path) -> Vec<Problem> {
    let mut problems = Vec::new();
    for device in tables.iter_mut().flat_map(|table| &mut table.device) {
        let Some(Calibrated::File(path)) = &device.calibration else { continue };
        let path = base.join(path);
        if !path.exists() {
            continue;
        }
        match read(&path) {
            Ok(values) => device.calibration = Some(Calibrated::Values(values)),
            Err(found) => problems.extend(found),
        }
    }
    problems
}

/// Reads a file.
fn read(path: &Path) -> Result<Calibration, Vec<Problem>> {
    let whole = |message: String| vec![Problem { path: path.to_owned(), place: None, key: String::new(), message }];
    let text = read_file(path).map_err(whole)?;
    let notes = Notes::new(&text, path);
    let (tree, errors) = DeTable::parse_recoverable(&text);
    for error in &errors {
        let offset = error.span().map_or(0, |span| span.start);
        notes.problem(offset, "", format!("expected TOML, found: {}; mend this first", error.message()));
    }
    let found = if errors.is_empty() { values(Section::root(tree.get_ref(), &notes)) } else { None };
    notes.into_result(found.unwrap_or_default())
}

fn values(section: Section<'_>) -> Option<Calibration> {
    let remedy = "add men = { P = 80, p = -80, … }, a level for each man";
    let men = section.need("men", "levels of men by their letters", remedy).map(|found| men(&found));
    let level = |found: Found<'_>| number(&found, -LEVEL_MAX, LEVEL_MAX);
    let empty = section.get("empty").map_or(Some(0), level);
    let cells = section.sections("cell");
    if cells.len() > CELLS_MAX
        && let Some(found) = section.get("cell")
    {
        found.wrong(format!("at most {CELLS_MAX} cells"), "name each cell once");
    }
    let cell = cells.into_iter().filter_map(cell).collect();
    section.finish();
    Some(Calibration { empty: empty?, men: men?, cell })
}

fn men(found: &Found<'_>) -> BTreeMap<char, i32> {
    let mut men = BTreeMap::new();
    for (key, level) in found.entries("levels by letter", "write men = { P = 80, p = -80, … }") {
        let mut letters = key.chars();
        match (letters.next(), letters.next()) {
            (Some(letter), None) if Piece::from_char(letter).is_some() => {
                men.extend(number(&level, -LEVEL_MAX, LEVEL_MAX).map(|level| (letter, level)));
            }
            _ => level.wrong("a level of one of PNBRQKpnbrqk", "White has capital letters"),
        }
    }
    men
}

fn cell(section: Section<'_>) -> Option<CellCalibration> {
    let channel = section.get("channel").map_or(Some(0), |found| number(&found, 0, u8::MAX.into()));
    let cell = section.need("cell", "the number of a cell", "add cell = 12, counted from 0");
    let cell = cell.and_then(|found| number(&found, 0, u16::MAX.into()));
    let offset = section.get("offset").map_or(Some(0), |found| number(&found, -LEVEL_MAX, LEVEL_MAX));
    let gain = section.get("gain").map_or(Some(GAIN_ONE), |found| number(&found, GAIN_MIN, GAIN_MAX));
    section.finish();
    let (channel, cell) = (u8::try_from(channel?).ok()?, u16::try_from(cell?).ok()?);
    Some(CellCalibration { channel, cell, offset: offset?, gain: gain? })
}

/// A whole number between two, or a report.
fn number(found: &Found<'_>, least: i32, most: i32) -> Option<i32> {
    let number = found.integer().and_then(|number| i32::try_from(number).ok());
    let number = number.filter(|number| (least..=most).contains(number));
    if number.is_none() {
        found.wrong(format!("a whole number from {least} to {most}"), "write it without quotation marks");
    }
    number
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::daemon::config::Config;

    const CONFIG: &str = r#"
[[table]]
id = "1"
[[table.device]]
name = "a"
driver = "bslp"
port = "/dev/a"
board = "A"
calibration = "a.toml"
[[table.device]]
name = "b"
driver = "bslp"
port = "/dev/b"
board = "B"
calibration = { men = { P = 80, p = -80 } }
"#;

    fn load(calibration: &str) -> Result<Config, Vec<String>> {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("c.toml");
        fs::write(&file, CONFIG).unwrap();
        if !calibration.is_empty() {
            fs::write(dir.path().join("a.toml"), calibration).unwrap();
        }
        let base = format!("{}/", dir.path().display());
        let plain = |problem: &Problem| problem.to_string().replace(&base, "");
        Config::load(&file).map_err(|problems| problems.iter().map(plain).collect())
    }

    #[test]
    fn a_file_becomes_its_values() {
        let text = "empty = 5\nmen = { P = 80, k = -480 }\n[[cell]]\ncell = 3\noffset = -4\ngain = 1020\n";
        let config = load(text).unwrap();
        let [Some(Calibrated::Values(a)), Some(Calibrated::Values(b))] =
            [0, 1].map(|device: usize| config.tables[0].device[device].calibration.clone())
        else {
            panic!("{config:?}")
        };
        assert_eq!((a.empty, a.men[&'k'], a.cell[0].gain, a.cell[0].channel), (5, -480, 1020, 0));
        assert_eq!((b.empty, b.men.len(), b.cell.len()), (0, 2, 0));
        let table = crate::table::Opening { session: "x".into(), started_us: 0, seq: 1, incident: 1 };
        assert!(crate::table::Table::new(config.tables[0].clone(), table).is_ok());
    }

    #[test]
    fn every_problem_is_told_with_its_place() {
        let text = "emtpy = 5\nmen = { P = \"x\", X = 1 }\n[[cell]]\noffset = -4\ngain = 2.5\nchanel = 1\n";
        let told: Vec<String> = load(text)
            .unwrap_err()
            .into_iter()
            .map(|line| line.replace("; write it without quotation marks", "…"))
            .collect();
        assert_eq!(
            told,
            [
                "a.toml:1:1: emtpy: expected a known key, found another; did you mean `empty`?",
                "a.toml:2:13: men.P: expected a whole number from -1000000 to 1000000, found \"x\"…",
                "a.toml:2:22: men.X: expected a level of one of PNBRQKpnbrqk, found 1; White has capital letters",
                "a.toml:3:1: cell.cell: expected the number of a cell, found nothing; add cell = 12, counted from 0",
                "a.toml:5:8: cell.gain: expected a whole number from 100 to 10000, found 2.5…",
                "a.toml:6:1: cell.chanel: expected a known key, found another; did you mean `channel`?",
            ]
        );
        assert!(load("men = 1 2").unwrap_err()[0].starts_with("a.toml:1:"));
        assert_eq!(load("").unwrap_err().len(), 1, "no such file");
        let missing = load("empty = 1").unwrap_err();
        assert!(missing[0].contains("expected levels of men by their letters, found nothing"), "{missing:?}");
    }
}
