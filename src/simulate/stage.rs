//! A table with its devices while a script is played on it.
//!
//! In: emulated time and the bytes of hosts. Out: what arrives from the devices. It steps the world and the devices
//! together, so that whoever carries the bytes, in virtual or in real time, only asks for the next instant.

use rand::Rng;

use crate::{
    event::Players,
    table::settings::{DeviceSettings, Driver, TableSettings},
    types::{BoardId, Instant, Seat},
};

use super::{
    Stream,
    devices::{Chunk, Device, DgtBoard, DgtMake, TrayMake, TrayUnit},
    hands::{Performance, Terms},
    rng,
    world::{Script, Step, World},
};

/// A device of any protocol that may live in a task.
type AnyDevice = Box<dyn Device + Send>;

/// A table, its devices and what will be done at it.
pub struct Stage {
    world: World,
    script: Script,
    /// The next step of the script.
    step: usize,
    /// When the script's time is zero; none until somebody lets it begin.
    began: Option<Instant>,
    devices: Vec<AnyDevice>,
}

impl Stage {
    /// One DGT board with its clock for every board and one tray unit for all seats. How they lie comes from the seed.
    pub fn new(performance: &Performance, seed: u64) -> Stage {
        let world = performance.world.clone();
        let mut draws = rng(seed, Stream::Table);
        let mut devices: Vec<AnyDevice> = Vec::new();
        for board in BoardId::first(world.boards()) {
            let make = DgtMake { board, rotated: draws.random_ratio(1, 4), white_left: draws.random() };
            devices.push(Box::new(DgtBoard::new(make, &world, seed, devices.len())));
        }
        let seats = Seat::all(world.boards()).collect();
        devices.push(Box::new(TrayUnit::new(TrayMake { seats }, &world, seed, devices.len())));
        Stage { world, script: performance.script.clone(), step: 0, began: None, devices }
    }

    /// Lets the script begin.
    pub fn begin(&mut self, at: Instant) {
        self.began = Some(at);
    }

    /// Whether the script has begun.
    pub fn begun(&self) -> bool {
        self.began.is_some()
    }

    /// Whether all of the script is done.
    pub fn ended(&self) -> bool {
        self.step == self.script.steps().len()
    }

    /// When the last step happens, once the script has begun.
    pub fn end(&self) -> Option<Instant> {
        Some(self.began? + self.script.end().micros())
    }

    /// The table as it is.
    pub fn world(&self) -> &World {
        &self.world
    }

    /// The devices in the order of the settings.
    pub fn devices(&self) -> impl ExactSizeIterator<Item = &dyn Device> {
        self.devices.iter().map(|device| &**device as &dyn Device)
    }

    /// The next instant at which something happens if no host speaks.
    pub fn next(&self) -> Option<Instant> {
        let devices = self.devices.iter().filter_map(|device| device.next(&self.world));
        devices.chain(self.next_step().map(|step| step.at)).min()
    }

    /// Bytes of a host.
    pub fn input(&mut self, at: Instant, device: usize, bytes: &[u8]) {
        self.devices[device].input(at, bytes);
    }

    /// A device is switched off and on.
    pub fn restart(&mut self, at: Instant, device: usize) {
        self.devices[device].restart(at, &self.world);
    }

    /// Does all that happens by `at` and appends what arrives, by device, in the order of arrival.
    pub fn run_until(&mut self, at: Instant, out: &mut Vec<(usize, Chunk)>) {
        let before = out.len();
        while let Some(step) = self.next_step().filter(|step| step.at <= at) {
            // What was due before is felt in the world as it was, and the change itself is noticed at once.
            self.run_devices(step.at, out);
            self.world.apply(step);
            self.step += 1;
            self.run_devices(step.at, out);
        }
        self.run_devices(at, out);
        out[before..].sort_by_key(|(device, chunk)| (chunk.at, *device));
    }

    fn next_step(&self) -> Option<Step> {
        let step = self.script.steps().get(self.step)?;
        Some(Step { at: self.began? + step.at.micros(), ..*step })
    }

    fn run_devices(&mut self, at: Instant, out: &mut Vec<(usize, Chunk)>) {
        let mut chunks = Vec::new();
        for (index, device) in self.devices.iter_mut().enumerate() {
            device.run_until(at, &self.world, &mut chunks);
            out.extend(chunks.drain(..).map(|chunk| (index, chunk)));
        }
    }
}

/// The `[[table]]` entry for the devices of a [`Stage`]. Ports are the given paths, in the order of the devices.
pub fn settings(terms: &Terms, players: Players, ports: &[String]) -> TableSettings {
    let boards = BoardId::first(terms.boards).map(|board| DeviceSettings {
        board: Some(board),
        clock: true,
        ..device(format!("board-{}", board.lower()), Driver::Dgt)
    });
    let trays = DeviceSettings { pockets: Seat::all(terms.boards).collect(), ..device("trays".into(), Driver::Bslp) };
    let mut devices: Vec<DeviceSettings> = boards.chain([trays]).collect();
    for (device, port) in devices.iter_mut().zip(ports) {
        device.port = Some(port.clone());
    }
    TableSettings {
        id: "1".into(),
        ruleset: "wbn-1.00".into(),
        time_control: format!("{}+{}", terms.base_ms / 1000, terms.increment_ms / 1000),
        adjudication: Default::default(),
        announce: Vec::new(),
        delay: "0s".into(),
        players,
        settle: "400ms".into(),
        lift_grace: "5s".into(),
        pass_grace: "2s".into(),
        displaced_grace: "3s".into(),
        capture: true,
        device: devices,
    }
}

fn device(name: String, driver: Driver) -> DeviceSettings {
    DeviceSettings {
        name,
        driver,
        port: None,
        serial: None,
        board: None,
        clock: false,
        clock_white: Default::default(),
        rotation: Default::default(),
        pockets: Vec::new(),
        calibration: None,
    }
}
