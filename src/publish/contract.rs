//! What goes over the bus, as a document for programs: channels with their payloads, in AsyncAPI 3, and the JSON
//! Schemas of the payloads, all made from the types that are sent.
//!
//! In: nothing but the types. Out: JSON values. The one list of channels also tells which channel a topic belongs to.
//! It knows no connection.

use schemars::{JsonSchema, Schema, SchemaGenerator, generate::SchemaSettings};
use serde_json::{Map, Value, json};

use super::{
    about::{NodeHealth, NodeInfo, NodeLog, NodeState},
    feed::Enveloped,
    topic::{JSON, TEXT},
};
use crate::event::{ArbiterState, ClockShown, DeviceState, Event, Response, State, VERSION};

/// A kind of topic: its address with parameters in braces, relative to the prefix.
pub struct Channel {
    /// Names it in the document, and in the `type` of CloudEvents.
    pub name: &'static str,
    /// Levels after the prefix; `{x}` is any one level, `{feed}` is `live` or `public`.
    pub address: &'static str,
    about: &'static str,
    payload: Payload,
    delivery: Delivery,
}

/// What a payload is.
enum Payload {
    Json(fn(&mut SchemaGenerator) -> Schema),
    Text(&'static str),
    /// Written by others, read by us.
    Request,
    /// Asks for missed events.
    Missed,
    /// The content does not matter.
    Anything,
}

/// How it is delivered.
enum Delivery {
    /// Told once.
    Once,
    /// Kept by the broker.
    Retained,
    /// Kept by the broker for some time.
    Expiring,
    /// Sent to us.
    Received,
}

fn of<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    generator.subschema_for::<T>()
}

/// Every kind of topic.
pub const CHANNELS: [Channel; 19] = [
    channel("node-state", "node/{node}/state", "What a node is doing", Payload::Json(of::<NodeState>), RETAINED),
    channel("node-info", "node/{node}/info", "Program and configuration", Payload::Json(of::<NodeInfo>), RETAINED),
    channel("node-health", "node/{node}/health", "How a node does", Payload::Json(of::<NodeHealth>), EXPIRING),
    channel("node-log", "node/{node}/log", "A line of warn or above", Payload::Json(of::<NodeLog>), ONCE),
    channel("state", "table/{table}/{feed}/state", "The whole table", Payload::Json(of::<State>), RETAINED),
    channel("bfen", "table/{table}/{feed}/bfen", "The position of all boards", Payload::Text("BFEN"), RETAINED),
    channel("bpgn", "table/{table}/{feed}/bpgn", "The record of the game", Payload::Text("BPGN"), RETAINED),
    channel("board-fen", "table/{table}/{feed}/board/{board}/fen", "One board", Payload::Text("FEN"), RETAINED),
    channel("board-clock", "table/{table}/{feed}/board/{board}/clock", "One board's clock", CLOCK, EXPIRING),
    channel("event", "table/{table}/{feed}/event", "What happens", Payload::Json(of::<Event>), ONCE),
    channel("announced", "table/{table}/{feed}/incident", "Incidents for all", Payload::Json(of::<Event>), ONCE),
    channel("arbiter-state", "table/{table}/arbiter/state", "The arbiter's view", ARBITER, RETAINED),
    channel("incident", "table/{table}/arbiter/incident", "Facts and rulings", Payload::Json(of::<Event>), ONCE),
    channel("request", "table/{table}/arbiter/request/{verb}", "An order", Payload::Request, RECEIVED),
    channel("response", "table/{table}/arbiter/response/{verb}", "The answer to an order", RESPONSE, ONCE),
    channel("missed", "table/{table}/live/request/events", "A question for missed events", Payload::Missed, RECEIVED),
    channel("missed-events", "table/{table}/live/response/events", "The events that were missed", RESPONSE, ONCE),
    channel("device-state", "table/{table}/device/{device}/state", "A device", DEVICE, RETAINED),
    channel("republish", "ctl/republish", "Send every retained topic again", Payload::Anything, RECEIVED),
];

const ONCE: Delivery = Delivery::Once;
const RETAINED: Delivery = Delivery::Retained;
const EXPIRING: Delivery = Delivery::Expiring;
const RECEIVED: Delivery = Delivery::Received;
const CLOCK: Payload = Payload::Json(of::<Enveloped<'static, ClockShown>>);
const RESPONSE: Payload = Payload::Json(of::<Enveloped<'static, Response>>);
const ARBITER: Payload = Payload::Json(of::<ArbiterState>);
const DEVICE: Payload = Payload::Json(of::<DeviceState>);

const fn channel(
    name: &'static str,
    address: &'static str,
    about: &'static str,
    payload: Payload,
    delivery: Delivery,
) -> Channel {
    Channel { name, address, about, payload, delivery }
}

/// The channel of a topic, given without its prefix.
pub fn channel_of(topic: &str) -> Option<&'static Channel> {
    CHANNELS.iter().find(|channel| {
        let mut levels = topic.split('/');
        let matches = channel.address.split('/').all(|expected| match (expected, levels.next()) {
            (_, None) => false,
            ("{feed}", Some(level)) => level == "live" || level == "public",
            (parameter, Some(_)) if parameter.starts_with('{') => true,
            (literal, Some(level)) => literal == level,
        });
        matches && levels.next().is_none()
    })
}

/// The JSON Schema (2020-12) of `live/event` and `arbiter/incident`.
pub fn event_schema() -> Value {
    let mut schema = settings().into_generator().into_root_schema_for::<Event>();
    schema.insert("$id".into(), format!("urn:bughoused:event:{VERSION}").into());
    schema.to_value()
}

/// As the values are written: what is always there is required, also where it may be null.
fn settings() -> SchemaSettings {
    SchemaSettings::draft2020_12().for_serialize()
}

/// The AsyncAPI 3 document.
pub fn asyncapi() -> Value {
    let mut settings = settings();
    settings.definitions_path = "/components/schemas".into();
    let mut generator = settings.into_generator();
    let (mut channels, mut operations, mut messages) = (Map::new(), Map::new(), Map::new());
    for channel in &CHANNELS {
        messages.insert(channel.name.into(), channel.message(&mut generator));
        channels.insert(channel.name.into(), channel.described());
        operations.insert(channel.name.into(), channel.operation());
    }
    let schemas = generator.take_definitions(true);
    json!({
        "asyncapi": "3.0.0",
        "info": {
            "title": "bughoused",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "What a bughoused node publishes and takes over MQTT 5; the same payloads over MQTT 3.1.1.",
            "license": { "name": env!("CARGO_PKG_LICENSE") },
        },
        "defaultContentType": JSON,
        "servers": {
            "broker": { "host": "localhost:1883", "protocol": "mqtt", "protocolVersion": "5.0",
                "description": "The embedded broker, or mqtt.broker of the configuration" },
        },
        "channels": channels,
        "operations": operations,
        "components": { "messages": messages, "schemas": schemas, "messageTraits": { "cloudEvent": cloud_event() } },
    })
}

/// CloudEvents 1.0, MQTT binding, binary mode: attributes are user properties (MQTT 5).
fn cloud_event() -> Value {
    let text = |about: &str| json!({ "type": "string", "minLength": 1, "description": about });
    json!({
        "headers": {
            "type": "object",
            "required": ["specversion", "id", "source", "type"],
            "properties": {
                "specversion": { "const": "1.0" },
                "id": text("Unique within the source; a message that is sent again has the same"),
                "source": text("/PREFIX/table/TABLE or /PREFIX/node/NODE"),
                "type": text("bughoused.CHANNEL, of events bughoused.TYPE"),
                "time": text("RFC 3339 time of the content"),
            },
        },
    })
}

impl Channel {
    fn described(&self) -> Value {
        let parameters: Map<String, Value> = self
            .address
            .split('/')
            .filter_map(|level| level.strip_prefix('{')?.strip_suffix('}'))
            .chain(["prefix"])
            .map(|name| (name.to_owned(), parameter(name)))
            .collect();
        let message = json!({ "$ref": format!("#/components/messages/{}", self.name) });
        json!({
            "address": format!("{{prefix}}/{}", self.address),
            "title": self.about,
            "parameters": parameters,
            "messages": { self.name: message },
        })
    }

    fn message(&self, generator: &mut SchemaGenerator) -> Value {
        let (content_type, payload) = match self.payload {
            Payload::Json(schema) => (JSON, schema(generator).to_value()),
            Payload::Text(format) => (TEXT, json!({ "type": "string", "description": format })),
            Payload::Request => (JSON, request()),
            Payload::Missed => (JSON, missed()),
            Payload::Anything => (TEXT, json!({})),
        };
        let mut message = json!({
            "name": self.name,
            "title": self.about,
            "contentType": content_type,
            "payload": payload,
            "bindings": { "mqtt": { "payloadFormatIndicator": 1 } },
        });
        if matches!(self.payload, Payload::Json(_)) {
            message["traits"] = json!([{ "$ref": "#/components/messageTraits/cloudEvent" }]);
        }
        message
    }

    fn operation(&self) -> Value {
        let received = matches!(self.delivery, Delivery::Received);
        let retain = matches!(self.delivery, Delivery::Retained | Delivery::Expiring);
        let mut operation = json!({
            "action": if received { "receive" } else { "send" },
            "channel": { "$ref": format!("#/channels/{}", self.name) },
            "summary": self.about,
            "bindings": { "mqtt": { "qos": 1, "retain": retain } },
        });
        if matches!(self.delivery, Delivery::Expiring) {
            operation["description"] = "Sent with a message expiry: what is not renewed is no longer true".into();
        }
        let answer = match self.payload {
            Payload::Request => Some("response"),
            Payload::Missed => Some("missed-events"),
            _ => None,
        };
        if let Some(answer) = answer {
            operation["reply"] = json!({ "channel": { "$ref": format!("#/channels/{answer}") } });
            let about = "Answered on the MQTT 5 response topic with the correlation data where there is one";
            operation["description"] = about.into();
        }
        operation
    }
}

fn parameter(name: &str) -> Value {
    match name {
        "prefix" => json!({ "description": "mqtt.prefix of the configuration", "default": "bughouse" }),
        "feed" => json!({ "description": "public is later by the table's delay", "enum": ["live", "public"] }),
        "board" => json!({ "description": "Letter of the board", "enum": ["a", "b", "c", "d", "e", "f", "g", "h"] }),
        "verb" => json!({ "description": "What is asked" }),
        _ => json!({ "description": format!("Its id in the configuration; + # / % are written %XX: {name}") }),
    }
}

/// An object with the arguments in `data` or beside `transaction`; no bytes at all are no arguments.
fn request() -> Value {
    json!({
        "type": "object",
        "properties": {
            "transaction": {
                "type": ["string", "number", "null"],
                "description": "Names the request: a repeated one is answered again and not carried out twice",
            },
            "data": { "description": "Arguments of the verb; else they stand beside transaction" },
        },
    })
}

/// The first `seq` of the live feed that is missed.
fn missed() -> Value {
    json!({
        "type": "object",
        "required": ["from_seq"],
        "properties": {
            "from_seq": { "type": "integer", "minimum": 0, "description": "The first missed number" },
            "transaction": { "type": "string", "description": "Stands in the answer, too" },
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_topic_has_one_channel() {
        let name = |topic| channel_of(topic).map(|channel| channel.name);
        assert_eq!(name("table/1/live/event"), Some("event"));
        assert_eq!(name("table/1/public/event"), Some("event"));
        assert_eq!(name("table/1/live/board/a/clock"), Some("board-clock"));
        assert_eq!(name("table/1/arbiter/state"), Some("arbiter-state"));
        assert_eq!(name("node/x/state"), Some("node-state"));
        assert_eq!(name("table/1/live/response/events"), Some("missed-events"));
        for unknown in ["table/1/secret/event", "table/1/live", "table/1/live/event/x", ""] {
            assert_eq!(name(unknown), None, "{unknown}");
        }
    }

    #[test]
    fn every_reference_of_the_document_leads_somewhere() {
        let document = asyncapi();
        let text = document.to_string();
        let references: Vec<&str> =
            text.split("\"$ref\":\"#").skip(1).filter_map(|rest| rest.split('"').next()).collect();
        assert!(references.len() > 60, "{}", references.len());
        for reference in references {
            assert!(document.pointer(reference).is_some(), "{reference}");
        }
    }

    #[test]
    fn what_is_always_written_is_required() {
        let schema = event_schema();
        let required = |name: &str| schema["$defs"][name]["required"].as_array().cloned().unwrap_or_default();
        assert!(required("Move").contains(&"captured".into()) && !required("Move").contains(&"stands".into()));
        assert!(required("Incident").contains(&"claim_until".into()));
    }
}
