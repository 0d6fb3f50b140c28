//! The devices of a table: ports, rights, who answers, how it lies.

use std::{io::ErrorKind, time::Duration};

use super::Finding;
use crate::{
    daemon::probe::{Probe, probe},
    event::{DeviceState, LinkState},
    table::settings::{DeviceSettings, TableSettings},
};

/// How long devices are listened to: the start-up of a board, and a scan of it.
const LISTEN: Duration = Duration::from_millis(2500);

/// Looks at the ports and, unless somebody else talks to them, at the devices.
pub fn look(table: &TableSettings, ports_only: bool) -> Vec<Finding> {
    let ports: Vec<Finding> = table.device.iter().filter_map(|device| port(table, device)).collect();
    if ports_only {
        let told = Finding::ok(format!("table {}", table.id), "devices are not asked: the daemon talks to them");
        return if ports.is_empty() { vec![told] } else { ports };
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let probed = runtime.map(|runtime| runtime.block_on(probe(table, LISTEN)));
    match probed {
        Ok(Ok(probe)) => ports.into_iter().chain(devices(table, &probe)).collect(),
        Ok(Err(error)) => vec![Finding::bad(format!("table {}", table.id), error.to_string(), "")],
        Err(error) => vec![Finding::bad("devices", error.to_string(), "look at the limits of the system")],
    }
}

/// What is wrong with a port.
fn port(table: &TableSettings, device: &DeviceSettings) -> Option<Finding> {
    let path = device.port.as_ref()?;
    let what = format!("table {}, {}, port {path}", table.id, device.name);
    let error = std::fs::File::options().read(true).write(true).open(path).err()?;
    let advice = match error.kind() {
        ErrorKind::NotFound => "plug it in; `ls -l /dev/serial/by-id/` shows what there is",
        ErrorKind::PermissionDenied => "join the group of the port (dialout) and log in again",
        _ => "look at the cable, and for another program that uses it",
    };
    Some(Finding::bad(what, error.to_string(), advice))
}

fn devices(table: &TableSettings, probe: &Probe) -> Vec<Finding> {
    let silent =
        |device: &&DeviceSettings| probe.devices.get(&device.name).is_none_or(|state| state.link != LinkState::Up);
    // What is wrong with a port is said already.
    let open = table.device.iter().filter(|device| port(table, device).is_none());
    let mut findings: Vec<Finding> = open.map(|device| told(table, device, probe)).collect();
    if !table.device.iter().any(|device| silent(&device)) {
        let what = format!("table {}", table.id);
        findings.push(match probe.not_set_up.is_empty() {
            true => Finding::ok(what, "all boards are set up"),
            false => Finding::ok(what, format!("not set up: {}", probe.not_set_up.join("; "))),
        });
    }
    findings
}

fn told(table: &TableSettings, device: &DeviceSettings, probe: &Probe) -> Finding {
    let what = format!("table {}, {}", table.id, device.name);
    let state = probe.devices.get(&device.name);
    match state.map(|state| state.link) {
        Some(LinkState::Up) => Finding::ok(what, state.map_or_else(String::new, description)),
        Some(LinkState::Silent) => {
            let advice = "switch it on; look whether driver and port belong together";
            Finding::bad(what, "the port opens and nothing answers", advice)
        }
        Some(LinkState::Down) | None => Finding::bad(what, "it was not found", "plug it in, or mend its serial number"),
    }
}

fn description(state: &DeviceState) -> String {
    let known = |word: &str, value: &Option<String>| value.as_ref().map(|value| format!("{word} {value}"));
    let parts = [
        Some(format!("{} answers", state.driver)),
        known("number", &state.serial),
        known("version", &state.firmware),
        state.rotation.map(|degrees| format!("turned by {degrees}°")),
        known("White's clock", &state.clock_white),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}
