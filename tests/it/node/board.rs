//! A DGT board on a pseudo-terminal that answers what a recording host asks, and whose men are moved by the test.

#![allow(clippy::disallowed_methods, reason = "the other end of the line is a machine of its own")]

use std::{
    fs::File,
    io::{Read as _, Write as _},
    sync::{Arc, Mutex},
};

use bughoused::wire::dgt::{Command, Message};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

/// Codes of the set-up from a8 to h1.
const SET_UP: [u8; 64] = {
    let mut codes = [0; 64];
    let (black, white) = ([8, 9, 10, 12, 11, 10, 9, 8], [2, 3, 4, 6, 5, 4, 3, 2]);
    let mut file = 0;
    while file < 8 {
        codes[file] = black[file];
        codes[8 + file] = 7;
        codes[48 + file] = 1;
        codes[56 + file] = white[file];
        file += 1;
    }
    codes
};

/// The board. It is unplugged when it is dropped.
pub struct Board {
    /// Path of the port.
    pub path: String,
    line: File,
    codes: Arc<Mutex<[u8; 64]>>,
}

impl Board {
    /// A board with all men set up.
    pub fn set_up() -> Board {
        let line = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).unwrap();
        grantpt(&line).unwrap();
        unlockpt(&line).unwrap();
        let path = ptsname(&line, Vec::new()).unwrap().into_string().unwrap();
        let line = File::from(line);
        let codes = Arc::new(Mutex::new(SET_UP));
        let (asked, shown) = (line.try_clone().unwrap(), codes.clone());
        std::thread::spawn(move || answer(asked, &shown));
        Board { path, line, codes }
    }

    /// Moves a man from one field to another, or takes it off.
    pub fn play(&mut self, from: u8, to: Option<u8>) {
        let code = std::mem::take(&mut self.codes.lock().unwrap()[from as usize]);
        self.say(&Message::FieldUpdate { field: from, code: 0 });
        if let Some(to) = to {
            self.codes.lock().unwrap()[to as usize] = code;
            self.say(&Message::FieldUpdate { field: to, code });
        }
    }

    fn say(&mut self, message: &Message) {
        send(&mut self.line, message);
    }
}

fn send(line: &mut File, message: &Message) {
    let mut bytes = Vec::new();
    message.emit(&mut bytes);
    line.write_all(&bytes).unwrap();
}

/// Until the board is dropped; the port not yet or no longer open reads as an error and is waited for.
fn answer(mut line: File, codes: &Arc<Mutex<[u8; 64]>>) {
    let mut byte = [0];
    while Arc::strong_count(codes) > 1 {
        if line.read_exact(&mut byte).is_err() {
            std::thread::sleep(std::time::Duration::from_millis(10));
            continue;
        }
        let message = match Command::from_byte(byte[0]) {
            Some(Command::RequestBoard) => Message::BoardDump(Box::new(*codes.lock().unwrap())),
            Some(Command::RequestSerial) => Message::SerialNumber("04711".into()),
            Some(Command::RequestVersion) => Message::Version { major: 1, minor: 8 },
            Some(Command::RequestClock) => Message::NoClock,
            _ => continue,
        };
        send(&mut line, &message);
    }
}
