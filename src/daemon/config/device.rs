//! `[[table.device]]`: one board, clock or tray unit.
//!
//! In: its section. Out: [`DeviceSettings`]. Whether the port exists and who answers there is found when it is opened.

use super::{
    calibration,
    read::{Found, Section, Unique},
};
use crate::{
    table::settings::{ClockSide, DeviceSettings, Driver, Rotation},
    types::{BoardId, Seat},
};

/// Drivers of this version.
const DRIVERS: [(&str, Driver); 2] = [("dgt", Driver::Dgt), ("bslp", Driver::Bslp)];
/// Drivers that later versions will have.
const DRIVERS_LATER: [&str; 2] = ["chesslink", "certabo"];
/// A tray unit has at most this many channels.
const CHANNELS_MAX: usize = 16;

/// What may be named only once within a table.
struct Taken {
    names: Unique,
    dgt_boards: Unique,
    clocks: Unique,
    seats: Unique,
}

/// Reads the devices of a table; a port belongs to one device of the whole file.
pub(super) fn devices(table: &Section<'_>, ports: &mut Unique) -> Vec<DeviceSettings> {
    let mut taken = Taken {
        names: Unique::new("device name"),
        dgt_boards: Unique::new("board"),
        clocks: Unique::new("clock of a board"),
        seats: Unique::new("seat"),
    };
    table.sections("device").into_iter().map(|section| device(section, &mut taken, ports)).collect()
}

fn device(section: Section<'_>, taken: &mut Taken, ports: &mut Unique) -> DeviceSettings {
    let name = section.need("name", "a name for the device", "add one, for example name = \"board-a\"");
    let driver = section.need("driver", "\"dgt\" or \"bslp\"", "add driver = \"dgt\" or driver = \"bslp\"");
    let driver = driver.and_then(driver_word);
    let (port, serial) = port(&section, ports);
    let board = section.get("board").and_then(|found| board(&found, driver, taken));
    let sides = [("left", ClockSide::Left), ("right", ClockSide::Right), ("auto", ClockSide::Auto)];
    let settings = DeviceSettings {
        name: name.and_then(|found| device_name(&found, taken)).unwrap_or_default(),
        driver: driver.unwrap_or(Driver::Dgt),
        port,
        serial,
        board,
        clock: clock(&section, board, taken),
        clock_white: section.get("clock_white").and_then(|found| found.choice(&sides)).unwrap_or_default(),
        rotation: section.get("rotation").and_then(rotation).unwrap_or_default(),
        pockets: section.get("pockets").map(|found| pockets(&found, driver, taken)).unwrap_or_default(),
        calibration: section.get("calibration").and_then(|found| calibration::of_device(&found)),
    };
    check_use(&section, driver);
    section.finish();
    settings
}

fn device_name(found: &Found<'_>, taken: &mut Taken) -> Option<String> {
    let name = found.name("for the device")?;
    taken.names.check(found, &name, "give this device another");
    Some(name)
}

fn driver_word(found: Found<'_>) -> Option<Driver> {
    if let Some(word) = found.text_if_any()
        && DRIVERS_LATER.contains(&word)
    {
        found.wrong("\"dgt\" or \"bslp\"", "this version has no driver for it, a later one will");
        return None;
    }
    found.choice(&DRIVERS)
}

/// The port, or the serial number of the device to look for: exactly one of them.
fn port(section: &Section<'_>, ports: &mut Unique) -> (Option<String>, Option<String>) {
    let (port, serial) = (section.get("port"), section.get("serial"));
    match (&port, &serial) {
        (None, None) => {
            let remedy = "add port = \"/dev/serial/by-id/…\", `ls /dev/serial/by-id` lists them";
            section.missing("port", "a port or the serial number of the device", remedy);
        }
        (Some(_), Some(serial)) => {
            serial.wrong("either `port` or `serial`", "take one of them out");
        }
        _ => {}
    }
    let port = port.and_then(|found| {
        let path = found.text("the path of a serial port")?;
        if !path.starts_with('/') || path.contains('\0') {
            found.wrong("the path of a serial port", "write it from the root, for example /dev/serial/by-id/usb-…");
            return None;
        }
        ports.check(&found, path, "each device has a port of its own");
        Some(path.to_owned())
    });
    let serial = serial.and_then(|found| {
        let number = found.text("a serial number in quotation marks")?;
        if number.is_empty() {
            found.wrong("a serial number", "write the number that is printed on the device");
            return None;
        }
        ports.check(&found, &format!("serial number {number}"), "each device has a number of its own");
        Some(number.to_owned())
    });
    (port, serial)
}

fn board(found: &Found<'_>, driver: Option<Driver>, taken: &mut Taken) -> Option<BoardId> {
    let text = found.text("a board letter such as \"A\"")?;
    let Ok(board) = text.parse::<BoardId>() else {
        found.wrong("a board letter from A to H", "write it as a capital letter");
        return None;
    };
    // A second unit of a self-built kind may be the clock of the board.
    if driver == Some(Driver::Dgt) {
        taken.dgt_boards.check(found, text, "each board has one DGT board");
    }
    Some(board)
}

fn clock(section: &Section<'_>, board: Option<BoardId>, taken: &mut Taken) -> bool {
    let Some(found) = section.get("clock") else { return false };
    let clock = found.flag() == Some(true);
    match board {
        Some(board) if clock => taken.clocks.check(&found, &board.to_string(), "each board has one clock"),
        None if clock && section.get("board").is_none() => {
            section.missing("board", "the board whose clock it is", "add board = \"A\", or take clock out");
        }
        _ => {}
    }
    clock
}

fn rotation(found: Found<'_>) -> Option<Rotation> {
    if let Some(degrees) = found.integer() {
        match degrees {
            0 => return Some(Rotation::Straight),
            180 => return Some(Rotation::Turned),
            _ => {}
        }
    }
    let expected = "0, 180 or \"auto\"";
    if found.text_if_any() == Some("auto") {
        return Some(Rotation::Auto);
    }
    found.wrong(expected, "write one of these");
    None
}

fn pockets(found: &Found<'_>, driver: Option<Driver>, taken: &mut Taken) -> Vec<Seat> {
    let expected = "the seats of channels 0, 1, … such as [\"A\", \"a\", \"B\", \"b\"]";
    if driver == Some(Driver::Dgt) || found.is_table() {
        let remedy = "this version reads pockets from bslp trays only; take it out";
        found.wrong("no `pockets` at a board", remedy);
        return Vec::new();
    }
    let items = found.list(expected, "write a list of seats");
    if items.len() > CHANNELS_MAX {
        found.wrong(format!("at most {CHANNELS_MAX} seats"), "a tray unit has no more channels");
    }
    let seat = |item: Found<'_>| {
        let text = item.text("a seat letter such as \"A\"")?;
        match text.parse::<Seat>() {
            Ok(seat) => {
                taken.seats.check(&item, text, "each seat has one pocket");
                Some(seat)
            }
            Err(_) => {
                item.wrong("a seat letter", "A is White on board A, a Black on board A, B and b those of board B");
                None
            }
        }
    };
    items.into_iter().filter_map(seat).collect()
}

/// A device that serves nothing.
fn check_use(section: &Section<'_>, driver: Option<Driver>) {
    let (board, pockets) = (section.get("board"), section.get("pockets"));
    match driver {
        Some(Driver::Dgt) if board.is_none() => {
            section.missing("board", "the board that it senses", "add board = \"A\"");
        }
        Some(Driver::Bslp) if board.is_none() && pockets.is_none() => {
            let remedy = "add board = \"A\", or pockets = [\"A\", \"a\", \"B\", \"b\"]";
            section.missing("board", "a board or pockets that it senses", remedy);
        }
        _ => {}
    }
}
