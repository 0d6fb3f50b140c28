//! A broker in the same process, for who has none.
//!
//! In: an address and passwords. Out: something that listens, for MQTT 3.1.1 and 5 clients alike. The library behind
//! it is seen in this file alone; the rest of the program talks MQTT to it as to any other broker.

use std::{
    collections::BTreeMap,
    future::Future,
    io,
    net::{IpAddr, Ipv4Addr, SocketAddr},
    pin::Pin,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use mqtt5::{
    broker::{
        BrokerConfig, MqttBroker,
        auth::{AuthProvider, AuthResult},
        config::{StorageBackend, StorageConfig},
    },
    packet::connect::ConnectPacket,
    protocol::v5::reason_codes::ReasonCode,
};

use tokio::{net::TcpListener, sync::Semaphore, time::Instant};

use super::{
    acl::{Acl, Role},
    attempts::Attempts,
    door::{self, Origins},
    password::{Password, same},
    session::CLIENT_ID_PREFIX,
    topic::Topics,
};

/// Where the library listens, behind the door.
const INSIDE: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 0);
/// Largest packet in bytes that a client may send, and that the node sends.
pub const PACKET_BYTES_MAX: usize = 1 << 20;
/// Most clients at once.
const CLIENTS_MAX: usize = 1_000;
/// Messages that wait in memory for one connected client.
const CLIENT_QUEUE_MAX: usize = 2_000;
/// Messages and bytes kept for one client that is away.
const AWAY_QUEUE_MAX: usize = 2_000;
const AWAY_QUEUE_BYTES_MAX: usize = 1 << 20;
/// Sessions of anonymous clients that are kept while they are away; a stranger could make any number.
const ANONYMOUS_SESSIONS_MAX: usize = 64;
/// How long the session of a client that is away is kept.
const SESSION_EXPIRY: Duration = Duration::from_secs(3600);
/// Most subscriptions of one client.
const SUBSCRIPTIONS_MAX: usize = 200;
/// Most retained topics.
const RETAINED_MAX: usize = 10_000;
/// Logins that may wait on a thread for a hash, which are worked out one after the other.
const HASHES_MAX: usize = 2;
/// Letters of a refused user's name that are logged.
const USER_LETTERS_MAX: usize = 40;
/// Longest wait for the broker's tasks to end.
const STOP_MAX: Duration = Duration::from_millis(500);

/// A user name that the node itself uses.
pub const NODE_USER: &str = "node";
/// The user name of arbiters.
pub const ARBITER_USER: &str = "arbiter";
/// The user name of displays.
pub const DISPLAY_USER: &str = "display";

/// What the daemon needs of a broker in its own process.
pub trait EmbeddedBroker: Send {
    /// Where it listens, with the real port.
    fn address(&self) -> SocketAddr;

    /// Where this process itself reaches it.
    fn inner(&self) -> SocketAddr;

    /// Ends all connections and the listener.
    fn stop(self: Box<Self>) -> Pin<Box<dyn Future<Output = ()> + Send>>;
}

/// Passwords by role. A role without one cannot log in.
#[derive(Clone)]
pub struct Passwords {
    /// The node's own, new with every start.
    pub node: String,
    /// User `arbiter`.
    pub arbiter: Option<Password>,
    /// User `display`.
    pub display: Option<Password>,
}

/// What a broker is started with.
pub struct BrokerSettings {
    /// Where to listen; port 0 takes any that is free.
    pub listen: SocketAddr,
    /// The tree that the access list speaks of.
    pub topics: Topics,
    /// Whether anonymous clients may read the live feed.
    pub live_open: bool,
    /// Who may log in.
    pub passwords: Passwords,
}

/// Starts the broker.
///
/// # Errors
/// The address cannot be listened at.
pub async fn start(settings: BrokerSettings) -> io::Result<Box<dyn EmbeddedBroker>> {
    let listener = TcpListener::bind(settings.listen).await?;
    let address = listener.local_addr()?;
    let origins = Origins::default();
    let access = Access {
        origins: origins.clone(),
        acl: Acl::new(&settings.topics, settings.live_open),
        passwords: settings.passwords,
        attempts: Mutex::default(),
        kept: Mutex::default(),
        hashing: Semaphore::new(HASHES_MAX),
    };
    let broker = MqttBroker::with_config(config(INSIDE)).await.map_err(io::Error::other)?;
    let mut broker = broker.with_auth_provider(Arc::new(access));
    let inner = broker.local_addr().ok_or_else(|| io::Error::other("the broker has no address"))?;
    let stop = broker.shutdown_handle();
    let mut ready = broker.ready_receiver();
    let task = tokio::spawn(async move {
        if let Err(e) = broker.run().await {
            tracing::error!("the embedded broker ended: {e}; restart bughoused");
        }
    });
    ready.wait_for(|ready| *ready).await.map_err(io::Error::other)?;
    let door = tokio::spawn(door::serve(listener, inner, origins));
    Ok(Box::new(Running { address, inner, stop, task, door }))
}

fn config(listen: SocketAddr) -> BrokerConfig {
    let storage = StorageConfig::new()
        .with_backend(StorageBackend::Memory)
        .with_max_queued_messages_per_client(AWAY_QUEUE_MAX)
        .with_max_queued_bytes_per_client(AWAY_QUEUE_BYTES_MAX);
    let mut config = BrokerConfig::new()
        .with_bind_address(listen)
        .with_storage(storage)
        .with_max_clients(CLIENTS_MAX)
        .with_max_packet_size(PACKET_BYTES_MAX)
        .with_client_channel_capacity(CLIENT_QUEUE_MAX)
        .with_session_expiry(SESSION_EXPIRY)
        .with_max_subscriptions_per_client(SUBSCRIPTIONS_MAX)
        .with_max_retained_messages(RETAINED_MAX)
        .with_sys_topics_enabled(false);
    config.shared_subscription_available = false;
    config
}

struct Running {
    address: SocketAddr,
    inner: SocketAddr,
    stop: mqtt5::broker::BrokerShutdownHandle,
    task: tokio::task::JoinHandle<()>,
    door: tokio::task::JoinHandle<()>,
}

impl EmbeddedBroker for Running {
    fn address(&self) -> SocketAddr {
        self.address
    }

    fn inner(&self) -> SocketAddr {
        self.inner
    }

    fn stop(mut self: Box<Self>) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        Box::pin(async move {
            self.door.abort();
            self.stop.shutdown();
            if tokio::time::timeout(STOP_MAX, &mut self.task).await.is_err() {
                self.task.abort();
            }
        })
    }
}

/// Who comes in, and what they may do then.
struct Access {
    origins: Origins,
    acl: Acl,
    passwords: Passwords,
    attempts: Mutex<Attempts>,
    /// Anonymous clients whose sessions are kept, and when they came last.
    kept: Mutex<BTreeMap<String, Instant>>,
    hashing: Semaphore,
}

impl Access {
    async fn login(&self, connect: &ConnectPacket, from: IpAddr) -> Result<Role, ReasonCode> {
        let role = match connect.username.as_deref() {
            None if connect.password.is_none() => Role::Public,
            user => {
                let password = connect.password.as_deref().unwrap_or_default();
                self.user(user.unwrap_or_default(), password, from).await?
            }
        };
        // Subscribers learn the node's client id; it must not let anybody take its connection over.
        if role != Role::Node && connect.client_id.starts_with(CLIENT_ID_PREFIX) {
            return Err(ReasonCode::ClientIdentifierNotValid);
        }
        if role == Role::Public && keeps_session(connect) && !self.may_keep(&connect.client_id) {
            return Err(ReasonCode::QuotaExceeded);
        }
        // The library checks a will's topic nowhere else.
        match &connect.will {
            Some(will) if !self.acl.may_publish(role, &will.topic) => Err(ReasonCode::NotAuthorized),
            _ => Ok(role),
        }
    }

    /// The node itself is always let in. Browsers come through the web server on this machine, which counts their
    /// attempts by their own addresses.
    async fn user(&self, user: &str, password: &[u8], from: IpAddr) -> Result<Role, ReasonCode> {
        if user == NODE_USER && same(self.passwords.node.as_bytes(), password) {
            return Ok(Role::Node);
        }
        let counted = !from.is_loopback();
        if counted && !self.attempts().may_try(from, Instant::now()) {
            return Err(ReasonCode::ConnectionRateExceeded);
        }
        let (role, expected) = match user {
            ARBITER_USER => (Role::Arbiter, self.passwords.arbiter.as_ref()),
            DISPLAY_USER => (Role::Display, self.passwords.display.as_ref()),
            _ => (Role::Public, None),
        };
        let right = match expected {
            Some(expected) => self.is(expected.clone(), password.to_owned()).await,
            None => false,
        };
        match (right, counted) {
            (true, true) => self.attempts().succeeded(from),
            (false, true) => self.attempts().failed(from, Instant::now()),
            _ => {}
        }
        right.then_some(role).ok_or(ReasonCode::BadUsernameOrPassword)
    }

    /// Whether one more anonymous session may be kept.
    fn may_keep(&self, client: &str) -> bool {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        kept.retain(|_, came| now - *came < SESSION_EXPIRY);
        let room = kept.len() < ANONYMOUS_SESSIONS_MAX || kept.contains_key(client);
        if room {
            kept.insert(client.to_owned(), now);
        }
        room
    }

    /// Hashing takes its time: not on the threads that carry messages, and never many at once.
    async fn is(&self, expected: Password, typed: Vec<u8>) -> bool {
        let Ok(_place) = self.hashing.acquire().await else { return false };
        tokio::task::spawn_blocking(move || expected.is(&typed)).await.unwrap_or(false)
    }

    /// Usable after a panic of another holder: each of its methods leaves it whole.
    fn attempts(&self) -> std::sync::MutexGuard<'_, Attempts> {
        self.attempts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether the client's session outlives its connection.
fn keeps_session(connect: &ConnectPacket) -> bool {
    !connect.clean_start || connect.properties.get_session_expiry_interval().is_some_and(|seconds| seconds > 0)
}

fn role(user: Option<&str>) -> Role {
    match user {
        Some(NODE_USER) => Role::Node,
        Some(ARBITER_USER) => Role::Arbiter,
        Some(DISPLAY_USER) => Role::Display,
        _ => Role::Public,
    }
}

fn user_id(role: Role) -> Option<&'static str> {
    match role {
        Role::Node => Some(NODE_USER),
        Role::Arbiter => Some(ARBITER_USER),
        Role::Display => Some(DISPLAY_USER),
        Role::Public => None,
    }
}

type Answer<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

impl AuthProvider for Access {
    fn authenticate<'a>(
        &'a self,
        connect: &'a ConnectPacket,
        from: SocketAddr,
    ) -> Answer<'a, mqtt5::error::Result<AuthResult>> {
        Box::pin(async move {
            let from = self.origins.of(from);
            Ok(match self.login(connect, from).await {
                Ok(role) => AuthResult { user_id: user_id(role).map(str::to_owned), ..AuthResult::success() },
                Err(reason) => {
                    let user = connect.username.as_deref().unwrap_or("anonymous");
                    let user: String = user.chars().filter(|c| !c.is_control()).take(USER_LETTERS_MAX).collect();
                    tracing::info!("broker refused a connection of {user} from {from}: {reason:?}");
                    AuthResult::fail(reason)
                }
            })
        })
    }

    fn authorize_publish<'a>(&'a self, _client: &str, user: Option<&'a str>, topic: &'a str) -> Answer<'a, bool> {
        Box::pin(std::future::ready(self.acl.may_publish(role(user), topic)))
    }

    fn authorize_subscribe<'a>(&'a self, _client: &str, user: Option<&'a str>, filter: &'a str) -> Answer<'a, bool> {
        Box::pin(std::future::ready(self.acl.may_subscribe(role(user), filter)))
    }
}
