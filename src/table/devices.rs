//! The devices of a table, and which boards, clocks and pockets they serve.

use std::collections::BTreeMap;

use super::{
    DeviceIndex, SettingsError,
    settings::{Calibrated, ClockSide, DeviceSettings, Driver, Rotation, TableSettings},
};
use crate::{
    event::LinkState,
    sense::{BoardSense, Book, ClockSense, Device, Identity, Mistagged, Raw, Side, TraySense},
    track::Slots,
    types::{BoardId, Instant, Seat},
};

/// One device with what it serves.
#[derive(Debug)]
pub struct Wired {
    pub settings: DeviceSettings,
    pub device: Device,
    /// What was last reported, to report changes only.
    pub reported: Option<Reported>,
    pub counters_due: Option<Instant>,
    /// What cells measure, by channel and cell.
    pub raw: BTreeMap<(u8, u16), Raw>,
    /// What they measured when its board was set up.
    pub home: Vec<Option<Raw>>,
    /// What this device's levels mean.
    pub levels: Book,
}

/// What a change of is worth a report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reported {
    pub link: LinkState,
    pub identity: Identity,
    pub turned: Option<bool>,
    pub clock_white: Option<Side>,
}

/// One board's sensors.
#[derive(Debug)]
pub struct BoardUnit {
    pub sense: BoardSense,
    pub clock: Option<ClockSense>,
    /// The press or change for which the board was asked what it shows.
    pub verified: Option<Instant>,
}

/// All sensors of a table.
#[derive(Debug)]
pub struct Sensors {
    pub devices: Vec<Wired>,
    pub boards: Vec<BoardUnit>,
    /// By [`Seat::index`].
    pub trays: Vec<Option<TraySense>>,
    /// Trays that feel only that something is there, by [`Seat::index`].
    pub vague: Vec<Option<Slots>>,
    /// Whose tag is whose, on all boards and trays.
    pub tags: Book,
    /// Men that read as others.
    pub mistagged: Mistagged,
}

impl Sensors {
    /// As the settings say.
    pub fn new(settings: &TableSettings) -> Result<Sensors, SettingsError> {
        let count = board_count(settings)?;
        let boards = BoardId::first(count).map(|board| board_unit(settings, board)).collect::<Result<_, _>>()?;
        let tray = |seat: Seat| settings.device.iter().any(|device| device.pockets.contains(&seat));
        let trays: Vec<Option<TraySense>> =
            Seat::all(count).map(|seat| tray(seat).then(|| TraySense::new(seat.color))).collect();
        let books = settings.device.iter().map(book).collect::<Result<Vec<Book>, _>>()?;
        let wired = |(settings, levels): (&DeviceSettings, Book)| Wired {
            settings: settings.clone(),
            device: match settings.driver {
                Driver::Dgt => Device::Dgt(Box::default()),
                Driver::Bslp => Device::Bslp(Box::default()),
            },
            reported: None,
            counters_due: None,
            raw: BTreeMap::new(),
            home: Vec::new(),
            levels,
        };
        Ok(Sensors {
            devices: settings.device.iter().zip(books).map(wired).collect(),
            boards,
            vague: vec![None; trays.len()],
            trays,
            tags: Book::default(),
            mistagged: Mistagged::default(),
        })
    }

    /// The board that a device senses.
    pub fn board_of(&self, device: DeviceIndex) -> Option<BoardId> {
        self.devices.get(device)?.settings.board
    }

    /// What a board shows does not explain a press: it is asked for all of it, once for each.
    pub fn verify(&mut self, board: BoardId, since: Instant) {
        if self.boards[board.index()].verified.replace(since) != Some(since) {
            let wired = self.devices.iter_mut().filter(|wired| wired.settings.board == Some(board));
            wired.for_each(|wired| wired.device.verify());
        }
    }

    /// The seat whose pocket a channel of a device is.
    pub fn seat_of(&self, device: DeviceIndex, channel: u8) -> Option<Seat> {
        self.devices.get(device)?.settings.pockets.get(usize::from(channel)).copied()
    }

    /// Whether any board has a clock.
    pub fn has_clock(&self) -> bool {
        self.boards.iter().any(|unit| unit.clock.is_some())
    }

    /// What there is to report of a device.
    pub fn report(&self, device: DeviceIndex) -> Reported {
        let wired = &self.devices[device];
        let (turned, clock_white) = self.sides(wired);
        let (link, identity) = (wired.device.speaks().state(), wired.device.identity().clone());
        Reported { link, identity, turned, clock_white }
    }

    /// Whether that is what was reported last.
    pub fn is_reported(&self, device: DeviceIndex) -> bool {
        let wired = &self.devices[device];
        wired.reported.as_ref().is_some_and(|was| {
            was.link == wired.device.speaks().state()
                && was.identity == *wired.device.identity()
                && (was.turned, was.clock_white) == self.sides(wired)
        })
    }

    /// Which way round a device's board and its clock stand.
    fn sides(&self, wired: &Wired) -> (Option<bool>, Option<Side>) {
        let unit = wired.settings.board.map(|board| &self.boards[board.index()]);
        let clock_white = unit.and_then(|unit| unit.clock.as_ref()?.white());
        (unit.and_then(|unit| unit.sense.turned()), clock_white)
    }

    /// The earliest deadline of all devices.
    pub fn deadline(&self) -> Option<Instant> {
        self.devices.iter().flat_map(|wired| [wired.device.deadline(), wired.counters_due]).flatten().min()
    }
}

fn board_count(settings: &TableSettings) -> Result<usize, SettingsError> {
    let boards = settings.device.iter().filter_map(|device| device.board);
    let seats = settings.device.iter().flat_map(|device| device.pockets.iter().map(|seat| seat.board));
    let count = boards.chain(seats).map(|board| board.index() + 1).max().unwrap_or(2).max(2);
    match BoardId::first(count).find(|board| sensed_by(settings, *board).is_none()) {
        Some(board) => Err(SettingsError {
            key: "device".into(),
            message: format!("expected a device with board = \"{board}\", found none; add one"),
        }),
        None => Ok(count),
    }
}

/// What the levels of a device mean from the first: nothing without calibration.
fn book(device: &DeviceSettings) -> Result<Book, SettingsError> {
    let key = |key| format!("device {}: calibration{key}", device.name);
    match &device.calibration {
        None => Ok(Book::default()),
        Some(Calibrated::File(path)) => {
            let message = format!("expected values, found the name of a file that was not read: {path}");
            Err(SettingsError { key: key(String::new()), message })
        }
        Some(Calibrated::Values(values)) => match values.check() {
            Ok(()) => Ok(Book::calibrated(values)),
            Err((name, message)) => Err(SettingsError { key: key(format!(".{name}")), message }),
        },
    }
}

fn sensed_by(settings: &TableSettings, board: BoardId) -> Option<&DeviceSettings> {
    settings.device.iter().find(|device| device.board == Some(board) && !(device.clock && device.pockets.len() > 1))
}

fn board_unit(settings: &TableSettings, board: BoardId) -> Result<BoardUnit, SettingsError> {
    let devices = || settings.device.iter().filter(|device| device.board == Some(board));
    let turned = devices().find_map(|device| match device.rotation {
        Rotation::Straight => Some(false),
        Rotation::Turned => Some(true),
        Rotation::Auto => None,
    });
    let clock = devices().find(|device| device.clock).map(|device| {
        ClockSense::new(match device.clock_white {
            ClockSide::Left => Some(Side::Left),
            ClockSide::Right => Some(Side::Right),
            ClockSide::Auto => None,
        })
    });
    let mut sense = BoardSense::new(turned);
    if devices().any(|device| device.driver == Driver::Dgt) {
        sense.set_garbles();
    }
    Ok(BoardUnit { sense, clock, verified: None })
}
