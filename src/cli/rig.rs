//! What stands at an emulated table, as arguments: boards, trays, clocks, faults.

use std::ops::Range;

use clap::{Parser as _, builder::PossibleValuesParser};

use crate::simulate::{
    devices::faults::{Faults, SETS},
    hands::Profile,
    rig::{Clocks, Rig, Sensing, Trays},
};
use crate::types::{MS, SECOND};

/// Kinds of devices that the report on all of them is about, with the arguments that make each. What a kind does not
/// name is as in the first: DGT boards, clocks and trays without faults.
pub const KINDS: [(&str, &str); 16] = [
    ("identity", ""),
    ("its faults", "--faults profile"),
    ("tags", "--sensing tags"),
    ("levels", "--sensing levels"),
    ("learnt levels", "--sensing learnt-levels"),
    ("mixed", "--sensing levels,identity"),
    ("occupancy", "--sensing occupancy"),
    ("slow occupancy", "--sensing occupancy --board-scan 120"),
    ("no trays", "--no-trays"),
    ("no clocks", "--no-clocks"),
    ("one clock", "--one-clock"),
    ("clock lost", "--faults clock-lost"),
    ("clock away", "--faults clock-away"),
    ("dead square", "--faults dead-square"),
    ("wrong man", "--faults wrong-man"),
    ("long cable-out", "--faults cable-out-long"),
];

/// The faults that fit each profile.
const OF_PROFILE: &str = "profile";

/// How long the daemon is away, in µs.
const AWAY: [(&str, Range<i64>); 2] = [("short", 200 * MS..2 * SECOND), ("long", 3 * SECOND..12 * SECOND)];

/// The emulated devices.
#[derive(Clone, Debug, clap::Args)]
pub struct RigArgs {
    /// What boards feel: identity (DGT), piece, occupancy, tags, levels or learnt-levels (BSLP); of several each board
    /// has another
    #[arg(long, value_name = "KIND,…", value_delimiter = ',', default_value = "identity", value_parser = sensing)]
    sensing: Vec<Sensing>,
    /// Milliseconds in which a BSLP board reads all its squares [default: 20 if it has occupancy, else 120]
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u16).range(1..=1000))]
    board_scan: Option<u16>,
    /// Trays feel only whether something lies in a slot [default: as the boards if they have occupancy or levels]
    #[arg(long, conflicts_with = "no_trays")]
    occupancy_trays: bool,
    /// No trays
    #[arg(long)]
    no_trays: bool,
    /// No clocks that can be read
    #[arg(long)]
    no_clocks: bool,
    /// A clock that can be read on the first board only
    #[arg(long, conflicts_with = "no_clocks")]
    one_clock: bool,
    /// What sensors and cables do wrong: none, human, blitz, chaos, profile (the set that fits), or one fault
    #[arg(long, alias = "fault", value_name = "SET", default_value = "none", value_parser = faults)]
    faults: String,
    /// The daemon dies in mid-game and is started again: after a short time (0.2 to 2 s) or a long one (3 to 12 s)
    #[arg(long, value_name = "AWAY", value_parser = PossibleValuesParser::new(AWAY.map(|(name, _)| name)))]
    restarts: Option<String>,
}

/// Arguments of a rig and nothing else.
#[derive(clap::Parser)]
struct Alone {
    #[command(flatten)]
    rig: RigArgs,
}

impl RigArgs {
    /// The rigs of [`KINDS`] by their names.
    pub fn kinds() -> impl Iterator<Item = (&'static str, RigArgs)> {
        let parse = |line: &str| Alone::try_parse_from(std::iter::once("rig").chain(line.split_whitespace()));
        KINDS.into_iter().map(move |(name, line)| (name, parse(line).expect("arguments of our own").rig))
    }

    /// The rig that such players get.
    pub fn rig(&self, profile: &Profile) -> Rig {
        let name = if self.faults == OF_PROFILE { profile.name } else { &self.faults };
        let all = |sensing: Sensing| self.sensing.iter().all(|found| *found == sensing);
        let occupancy = self.occupancy_trays || all(Sensing::Occupancy);
        Rig {
            boards: self.sensing.clone(),
            board_scan_us: self.board_scan.map(|ms| i64::from(ms) * MS),
            trays: match (self.no_trays, occupancy) {
                (true, _) => Trays::Absent,
                (false, true) => Trays::Occupancy,
                (false, false) if all(Sensing::Levels) => Trays::Levels,
                (false, false) => Trays::Piece,
            },
            clocks: match (self.no_clocks, self.one_clock) {
                (true, _) => Clocks::Absent,
                (false, true) => Clocks::First,
                (false, false) => Clocks::All,
            },
            // Clean hands and single habits have sound sensors.
            faults: Faults::named(name).unwrap_or_default(),
            restarts: AWAY.into_iter().find(|(name, _)| Some(*name) == self.restarts.as_deref()).map(|(_, away)| away),
        }
    }
}

/// The help on faults.
pub fn help() -> String {
    let faults: String = Faults::all().map(|(name, about)| format!("\n  {name:18}{about}")).collect();
    format!("Faults: {}, or one alone:{faults}", SETS.join(", "))
}

fn sensing(text: &str) -> Result<Sensing, String> {
    let known = || Sensing::ALL.map(|(name, _)| name).join(", ");
    let found = Sensing::ALL.iter().find(|(name, _)| *name == text).map(|(_, sensing)| *sensing);
    found.ok_or_else(|| format!("expected one of {}", known()))
}

fn faults(text: &str) -> Result<String, String> {
    if text == OF_PROFILE || Faults::named(text).is_some() {
        return Ok(text.to_owned());
    }
    let alone: Vec<&str> = SETS.into_iter().chain([OF_PROFILE]).chain(Faults::all().map(|fault| fault.0)).collect();
    Err(format!("expected one of {}", alone.join(", ")))
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::types::BoardId;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        args: RigArgs,
    }

    #[test]
    fn every_kind_is_another_rig() {
        let rigs: Vec<Rig> = RigArgs::kinds().map(|(_, args)| args.rig(&Profile::HUMAN)).collect();
        assert!(rigs.iter().enumerate().all(|(index, rig)| !rigs[..index].contains(rig)), "{rigs:?}");
    }

    #[test]
    fn arguments_make_a_rig() {
        let rig = |line: &str, profile: &str| {
            let args = Line::try_parse_from(["x"].into_iter().chain(line.split_whitespace())).map(|line| line.args);
            args.map(|args| args.rig(Profile::named(profile).unwrap())).map_err(|e| e.to_string())
        };
        assert_eq!(rig("", "blitz"), Ok(Rig { boards: vec![Sensing::Identity], ..Rig::default() }));
        let mixed = rig("--sensing levels,identity", "clean").unwrap();
        let of = |board| mixed.sensing(board);
        assert_eq!((of(BoardId::A), of(BoardId::B), mixed.trays), (Sensing::Levels, Sensing::Identity, Trays::Piece));
        assert_eq!(rig("--sensing levels", "clean").unwrap().trays, Trays::Levels);
        let bare = rig("--sensing occupancy --one-clock", "clean").unwrap();
        assert_eq!((bare.sensing(BoardId::B), bare.trays), (Sensing::Occupancy, Trays::Occupancy));
        assert!(bare.clocks.on(BoardId::A) && !bare.clocks.on(BoardId::B));
        assert_eq!(rig("--sensing tags --board-scan 250", "clean").unwrap().board_scan_us, Some(250_000));
        let none = rig("--no-trays --no-clocks", "clean").unwrap();
        assert_eq!((none.trays, none.clocks), (Trays::Absent, Clocks::Absent));
        for (line, profile, name) in [
            ("--faults profile", "chaos", "chaos"),
            ("--faults profile", "slide", "none"),
            ("--faults blitz", "clean", "blitz"),
            ("--fault dead-square", "clean", "dead-square"),
        ] {
            assert_eq!(rig(line, profile).unwrap().faults.name, name, "{line} {profile}");
        }
        assert!(rig("--fault deaf-square", "clean").unwrap_err().contains("dead-square"));
        assert!(
            rig("--sensing smell", "clean")
                .unwrap_err()
                .contains("identity, piece, occupancy, tags, levels, learnt-levels")
        );
    }
}
