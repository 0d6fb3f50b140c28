//! A table with its devices while a script is played on it.
//!
//! In: emulated time and the bytes of hosts. Out: what arrives from the devices. It steps the world and the devices
//! together, so that whoever carries the bytes, in virtual or in real time, only asks for the next instant.

use rand::Rng;
use rand_chacha::ChaCha8Rng;

use crate::{
    event::Players,
    table::settings::{Calibrated, DeviceSettings, Driver, Rotation, TableSettings},
    types::{BoardId, Instant, SECOND, Seat},
    wire::bslp,
};

use super::{
    Stream,
    devices::{
        BslpMake, BslpUnit, Chunk, Device, DgtBoard, DgtMake, Serves, Site,
        faults::{Faults, Span, Trouble, troubles},
    },
    hands::{Performance, Terms},
    rig::{Rig, Sensing, Trays},
    rng,
    world::{Script, Step, World},
};

/// A device of any protocol that may live in a task.
type AnyDevice = Box<dyn Device + Send>;

/// Sensors work until the clocks are set going.
const SOUND: i64 = 4 * SECOND;

/// A table, its devices and what will be done at it.
pub struct Stage {
    world: World,
    script: Script,
    /// The next step of the script.
    step: usize,
    /// When the script's time is zero; none until somebody lets it begin.
    began: Option<Instant>,
    devices: Vec<AnyDevice>,
    /// Devices whose cable is out.
    out: Vec<bool>,
    /// What happens to cables, in script time.
    troubles: Vec<(Instant, usize, Trouble)>,
    /// The next one.
    trouble: usize,
    /// Plugs that were pulled out or put in and not asked for.
    plugs: Vec<(Instant, usize, bool)>,
}

impl Stage {
    /// One DGT board with its clock for every board and one tray unit for all seats, nothing broken. How they lie
    /// comes from the seed.
    pub fn new(performance: &Performance, seed: u64) -> Stage {
        Stage::on(&Rig::default(), performance, seed)
    }

    /// The devices of a rig.
    pub fn on(rig: &Rig, performance: &Performance, seed: u64) -> Stage {
        let world = performance.world.clone();
        let span = Span { from: Instant(SOUND), to: performance.truth.end.max(Instant(SOUND)) };
        let mut builder =
            Builder { rig, world: &world, seed, span, draws: rng(seed, Stream::Table), devices: Vec::new() };
        BoardId::first(world.boards()).for_each(|board| builder.board(board));
        builder.trays(Seat::all(world.boards()).collect());
        let devices = builder.devices;
        let troubles = troubles(&rig.faults, devices.len(), span, &mut rng(seed, Stream::Cables));
        Stage {
            script: performance.script.clone(),
            step: 0,
            began: None,
            out: vec![false; devices.len()],
            troubles,
            trouble: 0,
            plugs: Vec::new(),
            devices,
            world,
        }
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

    /// What is particular to each device, for the truth.
    pub fn makes(&self) -> Vec<serde_json::Value> {
        let mut makes: Vec<serde_json::Value> = self.devices.iter().map(|device| device.make()).collect();
        for (out, device, trouble) in &self.troubles {
            let back = self.troubles.iter().find(|(at, other, _)| other == device && at > out);
            let back = back.map_or(*out, |(at, _, _)| *at);
            if *trouble != Trouble::In
                && let Some(outages) = makes[*device]["outages"].as_array_mut()
            {
                outages.push(serde_json::json!([out, back]));
            }
        }
        makes
    }

    /// The next instant at which something happens if no host speaks.
    pub fn next(&self) -> Option<Instant> {
        let devices = self.devices.iter().filter_map(|device| device.next());
        let trouble = self.next_trouble().map(|(at, _, _)| at);
        devices.chain(self.next_step().map(|step| step.at)).chain(trouble).min()
    }

    /// Bytes of a host.
    pub fn input(&mut self, at: Instant, device: usize, bytes: &[u8]) {
        if !self.out[device] {
            self.devices[device].input(at, bytes);
        }
    }

    /// A device is switched off and on.
    pub fn restart(&mut self, at: Instant, device: usize) {
        self.devices[device].restart(at, &self.world);
    }

    /// Plugs that were pulled out (false) or put in (true) since this was asked last.
    pub fn plugs(&mut self) -> Vec<(Instant, usize, bool)> {
        std::mem::take(&mut self.plugs)
    }

    /// Does all that happens by `at` and appends what arrives, by device, in the order of arrival.
    pub fn run_until(&mut self, at: Instant, out: &mut Vec<(usize, Chunk)>) {
        let before = out.len();
        while let Some((due, device, trouble)) = self.next_trouble().filter(|(due, _, _)| *due <= at) {
            self.run_steps(due, out);
            self.trouble += 1;
            self.out[device] = trouble == Trouble::Out;
            match trouble {
                Trouble::Restart => self.restart(due, device),
                Trouble::Out => self.plugs.push((due, device, false)),
                Trouble::In => {
                    self.restart(due, device);
                    self.plugs.push((due, device, true));
                }
            }
        }
        self.run_steps(at, out);
        out[before..].sort_by_key(|(device, chunk)| (chunk.at, *device));
    }

    fn run_steps(&mut self, at: Instant, out: &mut Vec<(usize, Chunk)>) {
        while let Some(step) = self.next_step().filter(|step| step.at <= at) {
            // What was due before is felt in the world as it was, and the change itself is noticed at once.
            self.run_devices(step.at, out);
            self.world.apply(step);
            self.step += 1;
            self.run_devices(step.at, out);
        }
        self.run_devices(at, out);
    }

    fn next_step(&self) -> Option<Step> {
        let step = self.script.steps().get(self.step)?;
        Some(Step { at: self.began? + step.at.micros(), ..*step })
    }

    fn next_trouble(&self) -> Option<(Instant, usize, Trouble)> {
        let (at, device, trouble) = self.troubles.get(self.trouble)?;
        Some((self.began? + at.micros(), *device, *trouble))
    }

    fn run_devices(&mut self, at: Instant, out: &mut Vec<(usize, Chunk)>) {
        let mut chunks = Vec::new();
        for (index, device) in self.devices.iter_mut().enumerate() {
            device.run_until(at, &self.world, &mut chunks);
            let arrives = !self.out[index];
            out.extend(chunks.drain(..).filter(|_| arrives).map(|chunk| (index, chunk)));
        }
    }
}

/// Puts the devices of a rig on a table.
struct Builder<'a> {
    rig: &'a Rig,
    world: &'a World,
    seed: u64,
    span: Span,
    draws: ChaCha8Rng,
    devices: Vec<AnyDevice>,
}

impl<'a> Builder<'a> {
    fn site<'b>(&self, faults: &'b Faults) -> Site<'b>
    where
        'a: 'b,
    {
        Site { world: self.world, seed: self.seed, index: self.devices.len(), faults, span: self.span }
    }

    fn board(&mut self, board: BoardId) {
        let (rotated, white_left) = (self.draws.random_ratio(1, 4), self.draws.random());
        let clock = self.rig.clocks.on(board);
        let site = self.site(&self.rig.faults);
        let device: AnyDevice = match bslp_sensing(self.rig.sensing(board)) {
            None => Box::new(DgtBoard::new(DgtMake { board, rotated, white_left, clock }, site)),
            Some(sensing) => {
                let serves = Serves::Board { board, rotated, clock: clock.then_some(white_left) };
                Box::new(BslpUnit::new(BslpMake { serves, sensing, scan_us: self.rig.board_scan_us }, site))
            }
        };
        self.devices.push(device);
    }

    fn trays(&mut self, seats: Vec<Seat>) {
        let sensing = match self.rig.trays {
            Trays::Absent => return,
            Trays::Piece => bslp::Sensing::Piece,
            Trays::Occupancy => bslp::Sensing::Occupancy,
            Trays::Levels => bslp::Sensing::Level,
        };
        let make = BslpMake { serves: Serves::Trays(seats), sensing, scan_us: None };
        self.devices.push(Box::new(BslpUnit::new(make, self.site(&self.rig.faults))));
    }
}

/// What the cells of a BSLP board of this kind feel; none for a DGT board.
fn bslp_sensing(sensing: Sensing) -> Option<bslp::Sensing> {
    match sensing {
        Sensing::Identity => None,
        Sensing::Piece => Some(bslp::Sensing::Piece),
        Sensing::Occupancy => Some(bslp::Sensing::Occupancy),
        Sensing::Tags => Some(bslp::Sensing::Tag),
        Sensing::Levels | Sensing::LearntLevels => Some(bslp::Sensing::Level),
    }
}

/// The `[[table]]` entry for the devices of a [`Stage`]. Ports are the given paths, in the order of the devices.
pub fn settings(terms: &Terms, players: Players, ports: &[String]) -> TableSettings {
    settings_on(&Rig::default(), terms, players, ports)
}

/// The same for the devices of a rig.
pub fn settings_on(rig: &Rig, terms: &Terms, players: Players, ports: &[String]) -> TableSettings {
    let driver = |board| if rig.sensing(board) == Sensing::Identity { Driver::Dgt } else { Driver::Bslp };
    let boards = BoardId::first(terms.boards).map(|board| DeviceSettings {
        board: Some(board),
        clock: rig.clocks.on(board),
        ..device(format!("board-{}", board.lower()), driver(board))
    });
    let trays = DeviceSettings { pockets: Seat::all(terms.boards).collect(), ..device("trays".into(), Driver::Bslp) };
    let trays = Some(trays).filter(|_| rig.trays != Trays::Absent);
    let mut devices: Vec<DeviceSettings> = boards.chain(trays).collect();
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

/// What devices cannot tell their settings say: how a board of bare occupancy lies, what levels mean.
pub fn tell_makes(settings: &mut TableSettings, rig: &Rig, stage: &Stage) {
    for (device, unit) in settings.device.iter_mut().zip(stage.devices()) {
        let sensing = device.board.map(|board| rig.sensing(board));
        if sensing != Some(Sensing::LearntLevels) {
            device.calibration = unit.calibration().map(Calibrated::Values);
        }
        let rotated = unit.make()["rotated"].as_bool().filter(|_| sensing == Some(Sensing::Occupancy));
        if let Some(rotated) = rotated {
            device.rotation = if rotated { Rotation::Turned } else { Rotation::Straight };
        }
    }
}
