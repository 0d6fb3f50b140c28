//! Ports on pseudo-terminals, and the causes of ports that do not open.

use std::{fs::File, io::Write as _, os::fd::OwnedFd};

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

use super::*;

/// A pseudo-terminal: the device's end and the path of the port.
fn pty() -> (OwnedFd, String) {
    let device = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).unwrap();
    grantpt(&device).unwrap();
    unlockpt(&device).unwrap();
    let path = ptsname(&device, Vec::new()).unwrap().into_string().unwrap();
    (device, path)
}

fn port(path: &str) -> (Port, mpsc::Receiver<PortEvent>, mpsc::Sender<Vec<u8>>) {
    let (events, told) = mpsc::channel(8);
    let (write, writes) = mpsc::channel(8);
    let (label, place) = ("table 1, board-a".to_owned(), Place::Path(path.to_owned()));
    (Port { device: 3, label, place, driver: Driver::Dgt, clock: Clock::start(), events, writes }, told, write)
}

fn why(path: &str) -> String {
    diagnosis(path, &open(path, Driver::Dgt).expect_err("the port must not open"))
}

#[tokio::test]
async fn bytes_pass_both_ways_and_the_end_is_told() {
    let (device, path) = pty();
    let (port, mut told, write) = port(&path);
    let task = tokio::spawn(port.run());
    assert!(matches!(told.recv().await, Some(PortEvent::Link(3, _, true))));

    let mut device = File::from(device);
    device.write_all(&[0x8e, 0x00, 0x05, 0x0a, 0x0d]).unwrap();
    let mut heard = Vec::new();
    while heard.len() < 5 {
        match told.recv().await {
            Some(PortEvent::Bytes(3, _, bytes)) => heard.extend(bytes),
            other => panic!("expected bytes, found {other:?}"),
        }
    }
    assert_eq!(heard, [0x8e, 0x00, 0x05, 0x0a, 0x0d], "control characters pass as they are");

    write.send(vec![0x42, 0x00, 0xff]).await.unwrap();
    let read = tokio::task::spawn_blocking(move || {
        let mut bytes = [0; 3];
        std::io::Read::read_exact(&mut device, &mut bytes).unwrap();
        bytes
    });
    assert_eq!(read.await.unwrap(), [0x42, 0x00, 0xff]); // and the device's end is closed
    assert!(matches!(told.recv().await, Some(PortEvent::Link(3, _, false))));
    drop((told, write));
    task.await.unwrap();
}

#[tokio::test]
async fn each_cause_of_a_port_that_does_not_open_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("file");
    File::create(&file).unwrap();
    let (_device, busy) = pty();
    let _first = open(&busy, Driver::Dgt).unwrap();
    for (path, words) in [
        ("/dev/serial/by-id/none", "there is no"),
        (file.to_str().unwrap(), "not a serial device"),
        ("/dev/null", "not a serial device"),
        (&*busy, "another program has"),
    ] {
        let cause = why(path);
        assert!(cause.contains(words) && cause.contains(path), "{path}: {cause}");
    }
}

/// A device's end that answers the first request for its number. It hangs up when the task is dropped.
#[must_use]
fn answer_with(device: OwnedFd, number: &'static [u8; 5]) -> tokio::task::JoinHandle<File> {
    let mut device = File::from(device);
    tokio::task::spawn_blocking(move || {
        let mut byte = [0];
        // Nobody has the port open yet: that reads as an error.
        while std::io::Read::read_exact(&mut device, &mut byte).is_err() {}
        loop {
            if byte[0] == 0x45 {
                device.write_all(&[&[0x91, 0, 8], &number[..]].concat()).unwrap();
                return device;
            }
            std::io::Read::read_exact(&mut device, &mut byte).unwrap();
        }
    })
}

#[tokio::test]
async fn a_board_is_found_by_its_number() {
    let (busy, busy_path) = pty();
    let _other_program = open(&busy_path, Driver::Dgt).unwrap();
    let (wrong, wrong_path) = pty();
    let (right, right_path) = pty();
    let _wrong = answer_with(wrong, b"00001");
    let _right = answer_with(right, b"04711");
    let ports = ["/dev/null", &*busy_path, &*wrong_path, &*right_path].map(std::path::PathBuf::from).to_vec();
    let found = finder::find("4711", Driver::Dgt, Clock::start(), ports).await;
    assert_eq!(found, Some(right_path));
    drop(busy);
}
