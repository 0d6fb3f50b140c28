//! The door of the embedded broker: who comes from where, and how many at once.
//!
//! In: connections at the address that the configuration names. Out: the same bytes to the broker behind it, which
//! listens for this machine alone, and back; and whose connection each of them is. The library counts a connection only
//! once it has introduced itself, and takes any number from one address: a stranger could hold all places, or all files
//! that the process may open. It knows no MQTT.

use std::{
    collections::BTreeMap,
    io,
    net::{IpAddr, Ipv4Addr, SocketAddr},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _, copy},
    net::{TcpListener, TcpSocket, TcpStream},
    sync::{OwnedSemaphorePermit, Semaphore},
    task::JoinSet,
    time,
};

use super::guests::{Guest, Guests};

/// Connections at once, with those that have not introduced themselves.
const PLACES_MAX: usize = 1_000;
/// Connections of one address at once; this machine itself has no limit.
pub const PLACES_EACH_MAX: usize = 64;
/// What is read from the broker at once, in bytes.
const READ_BYTES: usize = 8 << 10;
/// A client must take what it is sent within this time.
const SEND_TIMEOUT: Duration = Duration::from_secs(30);
/// Wait after a connection that could not be taken: the system is short of something.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Whose connections they are: real addresses by the ports from which this door speaks to the broker.
#[derive(Clone, Debug, Default)]
pub(super) struct Origins(Arc<Mutex<BTreeMap<SocketAddr, IpAddr>>>);

impl Origins {
    /// The address that a connection to the broker really comes from.
    pub fn of(&self, from: SocketAddr) -> IpAddr {
        self.known().get(&from).copied().unwrap_or(from.ip())
    }

    /// Usable after a panic of another holder: each of its methods leaves it whole.
    fn known(&self) -> MutexGuard<'_, BTreeMap<SocketAddr, IpAddr>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Lets people in for as long as it is polled.
pub(super) async fn serve(listener: TcpListener, broker: SocketAddr, origins: Origins) {
    let (guests, places) = (Guests::new(PLACES_EACH_MAX), Arc::new(Semaphore::new(PLACES_MAX)));
    let mut inside = JoinSet::new();
    loop {
        while inside.try_join_next().is_some() {}
        match listener.accept().await {
            Ok((client, from)) => {
                let address = from.ip().to_canonical();
                // Who finds no place is hung up on.
                let place = guests.enter(address).zip(places.clone().try_acquire_owned().ok());
                let Some(place) = place else { continue };
                inside.spawn(converse(client, address, broker, origins.clone(), place));
            }
            Err(error) => {
                tracing::warn!("broker: a connection could not be taken: {error}");
                time::sleep(ACCEPT_PAUSE).await;
            }
        }
    }
}

async fn converse(
    client: TcpStream,
    address: IpAddr,
    broker: SocketAddr,
    origins: Origins,
    place: (Guest, OwnedSemaphorePermit),
) {
    // A broken connection is its own end.
    let _ = carry(client, address, broker, &origins).await;
    drop(place);
}

async fn carry(client: TcpStream, address: IpAddr, broker: SocketAddr, origins: &Origins) -> io::Result<()> {
    let socket = TcpSocket::new_v4()?;
    socket.bind((Ipv4Addr::LOCALHOST, 0).into())?;
    let own = socket.local_addr()?;
    origins.known().insert(own, address);
    let carried = match socket.connect(broker).await {
        Ok(inner) => both_ways(client, inner).await,
        Err(error) => Err(error),
    };
    origins.known().remove(&own);
    carried
}

/// Carries until the broker ends it: it also does when the client has left, or says nothing for too long.
async fn both_ways(mut client: TcpStream, mut inner: TcpStream) -> io::Result<()> {
    client.set_nodelay(true)?;
    inner.set_nodelay(true)?;
    let (mut said, mut answer) = client.split();
    let (mut answers, mut ask) = inner.split();
    let inward = async {
        let _ = copy(&mut said, &mut ask).await;
        let _ = ask.shutdown().await;
        std::future::pending::<()>().await;
    };
    let outward = async {
        let mut bytes = [0; READ_BYTES];
        loop {
            let count = answers.read(&mut bytes).await?;
            if count == 0 {
                return Ok(());
            }
            // Who takes nothing is hung up on.
            time::timeout(SEND_TIMEOUT, answer.write_all(&bytes[..count])).await??;
        }
    };
    tokio::select! {
        () = inward => Ok(()),
        ended = outward => ended,
    }
}
