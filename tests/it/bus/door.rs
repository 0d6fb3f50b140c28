//! How many connections one address may have to the embedded broker.

use std::net::{IpAddr, SocketAddr, UdpSocket};

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};

use super::broker;

/// More than one address may have.
const MANY: usize = 80;
/// What one may have.
const EACH: usize = 64;
/// An introduction: MQTT 5, clean start, no name; and the first byte of the answer.
const CONNECT: [u8; 15] = [0x10, 13, 0, 4, b'M', b'Q', b'T', b'T', 5, 2, 0, 60, 0, 0, 0];
const CONNACK: u8 = 0x20;

/// An address of this machine that is not the loopback one; nothing is sent.
fn elsewhere() -> Option<IpAddr> {
    let socket = UdpSocket::bind("0.0.0.0:0").ok()?;
    socket.connect("192.0.2.1:9").ok()?;
    socket.local_addr().ok().map(|address| address.ip()).filter(|address| !address.is_loopback())
}

/// How many of many connections to `address` are let in at once.
async fn let_in(address: SocketAddr) -> usize {
    let mut streams = Vec::new();
    for _ in 0..MANY {
        streams.push(TcpStream::connect(address).await.unwrap());
    }
    let mut inside = 0;
    for stream in &mut streams {
        let mut answer = [0; 4];
        let asked = stream.write_all(&CONNECT).await.is_ok();
        inside += usize::from(asked && matches!(stream.read(&mut answer).await, Ok(1..)) && answer[0] == CONNACK);
    }
    inside
}

#[tokio::test]
async fn one_address_does_not_take_all_places_and_this_machine_is_not_counted() {
    let broker = broker(([0, 0, 0, 0], 0).into()).await;
    assert!(broker.inner().ip().is_loopback(), "behind the door it listens for this machine alone");
    let port = broker.address().port();
    assert_eq!(let_in(([127, 0, 0, 1], port).into()).await, MANY);
    // A machine without a network has nobody else to count.
    if let Some(ip) = elsewhere() {
        let address = SocketAddr::from((ip, port));
        assert_eq!(let_in(address).await, EACH);
        // When they have left there is room again.
        while TcpStream::connect(address).await.unwrap().read(&mut [0]).await.is_ok_and(|read| read == 0) {
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
            if let_in(address).await == EACH {
                break;
            }
        }
        assert_eq!(let_in(address).await, EACH);
    }
    broker.stop().await;
}
