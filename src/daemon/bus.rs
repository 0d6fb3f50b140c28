//! The broker that a node uses, its own or another one, as its session and its web server find it.

use std::{
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
    sync::Arc,
    time::Duration,
};

use super::{
    clock,
    node::StartError,
    settings::{Broker, NodeSettings},
};
use crate::publish::{
    broker::{self, BrokerSettings, EmbeddedBroker, NODE_USER, Passwords},
    session::SessionSettings,
    topic::Topics,
};

/// A broker to talk to.
pub(super) struct Bus {
    /// The embedded one, to stop it.
    pub broker: Option<Box<dyn EmbeddedBroker>>,
    /// Where others reach the embedded one.
    shown: Option<SocketAddr>,
    host: String,
    port: u16,
    login: Option<(String, String)>,
    tls: Option<Arc<rustls::ClientConfig>>,
    refresh: Option<Duration>,
}

impl Bus {
    /// Starts the embedded broker, or notes where the other one is.
    pub async fn start(settings: &NodeSettings, topics: &Topics) -> Result<Bus, StartError> {
        match &settings.broker {
            Broker::External { host, port, login, tls, refresh } => {
                let (host, login, tls) = (host.clone(), login.clone(), tls.clone());
                Ok(Bus { broker: None, shown: None, host, port: *port, login, tls, refresh: *refresh })
            }
            Broker::Embedded { listen, live_open, arbiter, display } => {
                let node = clock::password();
                let passwords = Passwords { node: node.clone(), arbiter: arbiter.clone(), display: display.clone() };
                let (listen, live_open) = (*listen, *live_open);
                let broker = BrokerSettings { listen, topics: topics.clone(), live_open, passwords };
                let listen = |error| StartError::Listen { address: listen, what: "MQTT", key: "mqtt.listen", error };
                let broker = broker::start(broker).await.map_err(listen)?;
                let (shown, address) = (Some(reachable(broker.address())), broker.inner());
                let login = Some((NODE_USER.to_owned(), node));
                Ok(Bus {
                    broker: Some(broker),
                    shown,
                    host: address.ip().to_string(),
                    port: address.port(),
                    login,
                    tls: None,
                    refresh: None,
                })
            }
        }
    }

    /// `host:port` for others.
    pub fn address(&self) -> String {
        self.shown.map_or_else(|| self.inner(), |shown| shown.to_string())
    }

    /// `host:port` for this process.
    pub fn inner(&self) -> String {
        match self.host.parse() {
            Ok(ip) => SocketAddr::new(ip, self.port).to_string(),
            Err(_) => format!("{}:{}", self.host, self.port),
        }
    }

    /// What a session on this broker is started with.
    pub fn session(&self, topics: &Topics, name: &str) -> SessionSettings {
        SessionSettings {
            host: self.host.clone(),
            port: self.port,
            login: self.login.clone(),
            tls: self.tls.clone(),
            refresh: self.refresh,
            topics: topics.clone(),
            session: name.to_owned(),
            own_broker: self.broker.is_some(),
        }
    }
}

/// Where this machine reaches a listener: one at all addresses is also at the loopback one.
fn reachable(mut address: SocketAddr) -> SocketAddr {
    if address.ip().is_unspecified() {
        address.set_ip(match address {
            SocketAddr::V4(_) => IpAddr::V4(Ipv4Addr::LOCALHOST),
            SocketAddr::V6(_) => IpAddr::V6(Ipv6Addr::LOCALHOST),
        });
    }
    address
}
