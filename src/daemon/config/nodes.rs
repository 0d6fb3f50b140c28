//! `[node]`, `[mqtt]`, `[auth]`, `[web]`: what is one for the whole daemon.
//!
//! In: the text. Out: a [`Config`] with defaults where something is wrong, and what is wrong.

use std::{
    net::{IpAddr, Ipv4Addr, SocketAddr},
    path::Path,
};

use toml::de::DeTable;

use super::{
    Auth, Broker, Config, External, Mqtt, Node, Web,
    read::{Found, Notes, Section},
    table,
};
use crate::types::{SECOND, parse_duration};

/// Port of `mqtt://`.
const MQTT_PORT: u16 = 1883;
/// Port of `mqtts://`.
const MQTTS_PORT: u16 = 8883;
/// Keys of `[mqtt]` that only an external broker has.
const EXTERNAL_KEYS: [&str; 6] = ["user", "password_file", "ca_file", "client_cert", "client_key", "refresh"];
/// Shortest and longest time between two refreshments.
const REFRESH_MIN: i64 = SECOND;
const REFRESH_MAX: i64 = 3600 * SECOND;

/// Reads the whole text.
pub(super) fn read(text: &str, path: &Path) -> (Config, Notes) {
    let notes = Notes::new(text, path);
    let (tree, errors) = DeTable::parse_recoverable(text);
    for error in &errors {
        let offset = error.span().map_or(0, |span| span.start);
        // The rest would be judged by what the parser guessed: first things first.
        notes.problem(offset, "", format!("expected TOML, found: {}; mend this first", error.message()));
    }
    let config = if errors.is_empty() {
        config(Section::root(tree.get_ref(), &notes))
    } else {
        Config {
            node: Node::default(),
            mqtt: Mqtt::default(),
            auth: Auth::default(),
            web: Web::default(),
            tables: Vec::new(),
        }
    };
    (config, notes)
}

fn config(root: Section<'_>) -> Config {
    let node = node(root.section("node"));
    let auth_section = root.section("auth");
    let auth = Auth {
        arbiter_password_file: auth_section.get("arbiter_password_file").and_then(|found| found.file()),
        display_password_file: auth_section.get("display_password_file").and_then(|found| found.file()),
    };
    auth_section.finish();
    let (mqtt, mqtt_listen) = mqtt(root.section("mqtt"));
    let (web, web_listen) = web(root.section("web"));
    check_listening(&mqtt, mqtt_listen.as_ref(), &auth);
    check_listening(&mqtt, web_listen.as_ref(), &auth);
    check_distinct(&mqtt, &web, mqtt_listen.as_ref().or(web_listen.as_ref()));
    let tables = table::tables(&root);
    root.finish();
    Config { node, mqtt, auth, web, tables }
}

fn node(section: Section<'_>) -> Node {
    let default = Node::default();
    let node = Node {
        id: section.get("id").and_then(|found| found.name("for this machine")).unwrap_or(default.id),
        data_dir: section.get("data_dir").and_then(|found| found.path()).unwrap_or(default.data_dir),
        keep_raw_days: section.get("keep_raw_days").and_then(|found| count(&found)).unwrap_or(default.keep_raw_days),
        keep_raw_mb: section.get("keep_raw_mb").and_then(|found| count(&found)).unwrap_or(default.keep_raw_mb),
    };
    section.finish();
    node
}

/// A whole number of days or megabytes, 0 for no bound.
fn count(found: &Found<'_>) -> Option<u32> {
    let number = found.integer().and_then(|number| u32::try_from(number).ok());
    if number.is_none() {
        found.wrong("a whole number from 0 (no bound) to 4294967295", "write digits without a unit");
    }
    number
}

/// A listening address and where it stands.
struct Listen<'a> {
    address: SocketAddr,
    found: Found<'a>,
}

fn web(section: Section<'_>) -> (Web, Option<Listen<'_>>) {
    let listen = section.get("listen").and_then(listen);
    section.finish();
    (listen.as_ref().map_or_else(Web::default, |listen| Web { listen: listen.address }), listen)
}

fn mqtt(section: Section<'_>) -> (Mqtt, Option<Listen<'_>>) {
    let default = Mqtt::default();
    let chosen = section.get("broker").map_or(Chosen::Embedded, broker);
    let prefix = section.get("prefix").and_then(prefix).unwrap_or(default.prefix);
    let live_open = section.get("live_open").and_then(|found| found.flag()).unwrap_or(default.live_open);
    let (broker, listen_at) = match chosen {
        Chosen::External(address) => (Broker::External(external_broker(&section, address)), None),
        Chosen::Embedded => embedded_broker(&section),
        Chosen::Unclear => {
            // What belongs beside it is not known; only the keys are.
            ["listen"].into_iter().chain(EXTERNAL_KEYS).for_each(|key| drop(section.get(key)));
            (default.broker, None)
        }
    };
    section.finish();
    (Mqtt { broker, prefix, live_open }, listen_at)
}

/// Host, port and whether it is encrypted.
type Address = (String, u16, bool);

/// What `broker` says.
enum Chosen {
    Embedded,
    External(Address),
    /// Something wrong that is reported.
    Unclear,
}

fn broker(found: Found<'_>) -> Chosen {
    let expected = "\"embedded\", mqtt://host:1883 or mqtts://host:8883";
    let Some(text) = found.text(expected) else { return Chosen::Unclear };
    if text == "embedded" {
        return Chosen::Embedded;
    }
    let (tls, rest) = match (text.strip_prefix("mqtt://"), text.strip_prefix("mqtts://")) {
        (Some(rest), _) => (false, rest),
        (_, Some(rest)) => (true, rest),
        _ => {
            found.wrong(expected, "write one of these");
            return Chosen::Unclear;
        }
    };
    if rest.contains('@') {
        // The text may hold a password: it is not shown.
        found.wrong_unseen("an address without a user", "use the keys `user` and `password_file`");
        return Chosen::Unclear;
    }
    let standard = if tls { MQTTS_PORT } else { MQTT_PORT };
    let (host, port) = match rest.rsplit_once(':') {
        // Within an IPv6 address a colon separates no port.
        Some((host, port)) if !port.contains(']') => (host, port.parse().ok().filter(|port| *port != 0)),
        _ => (rest, Some(standard)),
    };
    let host = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
    let good = !host.is_empty() && !host.contains(['/', ' ', '?', '#', '[', ']']);
    match port {
        Some(port) if good => Chosen::External((host.to_owned(), port, tls)),
        _ => {
            found.wrong(expected, "write a host and a port from 1 to 65535, no path");
            Chosen::Unclear
        }
    }
}

fn embedded_broker<'a>(section: &Section<'a>) -> (Broker, Option<Listen<'a>>) {
    for found in EXTERNAL_KEYS.into_iter().filter_map(|key| section.get(key)) {
        let remedy = "take it out, or set broker = \"mqtt://host:1883\"";
        found.wrong("this key only beside an external broker", remedy);
    }
    let listen_at = section.get("listen").and_then(listen);
    let broker = match &listen_at {
        Some(listen) => Broker::Embedded { listen: listen.address },
        None => Mqtt::default().broker,
    };
    (broker, listen_at)
}

fn external_broker(section: &Section<'_>, (host, port, tls): Address) -> External {
    let file = |key| section.get(key).and_then(|found| found.file());
    if let Some(found) = section.get("listen") {
        found.wrong("no `listen` beside an external broker", "take it out, or set broker = \"embedded\"");
    }
    let external = External {
        host,
        port,
        tls,
        user: section.get("user").and_then(|found| found.text("a user name")).map(str::to_owned),
        password_file: file("password_file"),
        ca_file: file("ca_file"),
        client_cert: file("client_cert"),
        client_key: file("client_key"),
        refresh_us: section.get("refresh").and_then(refresh),
    };
    for (here, other) in [("client_cert", "client_key"), ("client_key", "client_cert"), ("password_file", "user")] {
        if section.get(here).is_some() && section.get(other).is_none() {
            section.missing(other, &format!("it beside `{here}`"), "add it, or take the other out");
        }
    }
    for found in ["ca_file", "client_cert", "client_key"].into_iter().filter_map(|key| section.get(key)) {
        if !external.tls {
            found.wrong("certificates only with an encrypted broker", "write mqtts:// at `broker`, or take it out");
        }
    }
    external
}

/// How often retained topics are sent again, in microseconds.
fn refresh(found: Found<'_>) -> Option<u64> {
    let text = table::duration(&found, REFRESH_MIN, REFRESH_MAX)?;
    parse_duration(&text).ok().and_then(|micros| u64::try_from(micros).ok())
}

/// A topic prefix: one level or more.
fn prefix(found: Found<'_>) -> Option<String> {
    let expected = "a topic prefix such as \"bughouse\"";
    let text = found.text(expected)?;
    let good = |level: &str| !level.is_empty() && !level.contains(['+', '#', '\0', ' ']);
    if text.len() > 100 || text.starts_with('$') || !text.split('/').all(good) {
        found.wrong(expected, "use up to 100 bytes without `+`, `#`, spaces, a leading `$` or an empty level");
        return None;
    }
    Some(text.to_owned())
}

/// An address and port to listen on.
fn listen(found: Found<'_>) -> Option<Listen<'_>> {
    let expected = "an address and port such as \"127.0.0.1:8080\"";
    let text = found.text(expected)?;
    let local = text.strip_prefix("localhost:").and_then(|port| port.parse().ok());
    let address = match local {
        Some(port) => Some(SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), port)),
        None => text.parse().ok(),
    };
    if address.is_none() {
        found.wrong(expected, "use 127.0.0.1 for this machine alone, 0.0.0.0 or [::] for everybody");
    }
    Some(Listen { address: address?, found })
}

/// Others may come in only with passwords.
fn check_listening(mqtt: &Mqtt, listen: Option<&Listen<'_>>, auth: &Auth) {
    let Some(listen) = listen.filter(|listen| !listen.address.ip().is_loopback()) else { return };
    let mut missing = Vec::new();
    if auth.arbiter_password_file.is_none() {
        missing.push("arbiter_password_file");
    }
    if auth.display_password_file.is_none() && !mqtt.live_open {
        missing.push("display_password_file");
    }
    if !missing.is_empty() {
        let remedy = format!("add {} to [auth], or listen on 127.0.0.1", missing.join(" and "));
        listen.found.wrong("passwords for an address that other machines reach", remedy);
    }
}

/// The broker and the web server need an address each.
fn check_distinct(mqtt: &Mqtt, web: &Web, found: Option<&Listen<'_>>) {
    let Broker::Embedded { listen } = &mqtt.broker else { return };
    if let Some(found) = found.filter(|_| *listen == web.listen && listen.port() != 0) {
        found.found.wrong("different addresses for mqtt.listen and web.listen", "change one of the ports");
    }
}
