//! CloudEvents 1.0 attributes of a message, as the MQTT binding writes them in binary mode: user properties.
//!
//! In: a message and the tree that it belongs to. Out: names and values, none for what is no JSON of ours. The payload
//! is read and never changed: whoever does not know CloudEvents loses nothing.

use std::{borrow::Cow, fmt::Write as _};

use serde::Deserialize;

use super::{
    contract::channel_of,
    topic::{JSON, Message, Topics},
};

/// What all our messages have in common.
#[derive(Deserialize)]
struct Envelope<'a> {
    #[serde(borrow)]
    session: Cow<'a, str>,
    #[serde(borrow, rename = "type")]
    kind: Option<Cow<'a, str>>,
    seq: Option<u64>,
    t: Option<i64>,
    #[serde(borrow)]
    time: Option<Cow<'a, str>>,
}

/// The attributes, sorted as they are sent.
pub(super) fn attributes(topics: &Topics, message: &Message) -> Vec<(String, String)> {
    attributes_of(topics, message).unwrap_or_default()
}

fn attributes_of(topics: &Topics, message: &Message) -> Option<Vec<(String, String)>> {
    if message.content_type != Some(JSON) {
        return None;
    }
    let place = message.topic.strip_prefix(topics.prefix())?.strip_prefix('/')?;
    let name = channel_of(place)?.name;
    let envelope: Envelope<'_> = serde_json::from_slice(&message.payload).ok()?;
    let owner = place.match_indices('/').nth(1).map_or(place.len(), |(at, _)| at);
    let mut id = format!("{}{}", envelope.session, &place[owner..]);
    for part in [envelope.seq.map(i128::from), envelope.t.map(i128::from)].into_iter().flatten() {
        let _ = write!(id, "/{part}"); // writing to a String does not fail
    }
    if envelope.t.is_none() {
        id.extend(envelope.time.iter().flat_map(|time| ["/", time]));
    }
    let source = format!("/{}/{}", topics.prefix(), &place[..owner]);
    let mut attributes = vec![
        ("specversion", "1.0".to_owned()),
        ("id", id),
        ("source", uri_reference(&source)),
        ("type", format!("bughoused.{}", envelope.kind.as_deref().unwrap_or(name))),
    ];
    attributes.extend(envelope.time.map(|time| ("time", time.into_owned())));
    Some(attributes.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
}

/// The text with every byte that a URI may not have as `%XX`.
fn uri_reference(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' | b'%' => out.push(byte.into()),
            _ => drop(write!(out, "%{byte:02X}")),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(topic: &str, payload: serde_json::Value, expect: &[(&str, &str)]) {
        let message = Message::json(topic.into(), &payload);
        let found = attributes(&Topics::new("a/b", "n"), &message);
        let found: Vec<(&str, &str)> = found.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        assert_eq!(found, expect, "{topic}");
    }

    #[test]
    fn attributes_tell_what_it_is_and_where_it_comes_from() {
        check(
            "a/b/table/stůl 1/live/event",
            json!({"session": "s", "type": "move", "seq": 7, "t": 5, "time": "now"}),
            &[
                ("specversion", "1.0"),
                ("id", "s/live/event/7/5"),
                ("source", "/a/b/table/st%C5%AFl%201"),
                ("type", "bughoused.move"),
                ("time", "now"),
            ],
        );
        check(
            "a/b/node/n/state",
            json!({"session": "s", "state": "online"}),
            &[("specversion", "1.0"), ("id", "s/state"), ("source", "/a/b/node/n"), ("type", "bughoused.node-state")],
        );
        check("elsewhere/answers", json!({"session": "s"}), &[]);
        check("a/b/table/1/live/event", json!("no object"), &[]);
    }

    #[test]
    fn text_has_none() {
        let message = Message::text("a/b/table/1/live/bfen".into(), "x");
        assert!(attributes(&Topics::new("a/b", "n"), &message).is_empty());
    }
}
