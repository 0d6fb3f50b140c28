//! Topic names and messages as plain data: the one place where a topic is spelt.
//!
//! In: ids from the configuration. Out: [`Message`]s ready for any MQTT client. It knows nothing of connections.

use std::fmt::Write as _;

use bytes::Bytes;
use serde::Serialize;

/// `content_type` of JSON payloads.
pub const JSON: &str = "application/json";
/// `content_type` of plain text payloads.
pub const TEXT: &str = "text/plain; charset=utf-8";

/// How often a message is delivered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Qos {
    /// At most once.
    AtMostOnce,
    /// At least once.
    AtLeastOnce,
}

/// One message to publish.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// Full topic name.
    pub topic: String,
    /// The bytes.
    pub payload: Bytes,
    /// Delivery.
    pub qos: Qos,
    /// Whether the broker keeps it for later subscribers.
    pub retain: bool,
    /// Seconds after which the broker forgets it.
    pub expiry: Option<u32>,
    /// MIME type.
    pub content_type: Option<&'static str>,
    /// Correlation data of the request that it answers.
    pub correlation: Option<Bytes>,
}

impl Message {
    /// A JSON message that is not retained.
    ///
    /// Our types serialise without failing; should one ever not, the payload says so instead of being lost.
    pub fn json(topic: String, value: &impl Serialize) -> Message {
        let payload = serde_json::to_vec(value)
            .unwrap_or_else(|e| serde_json::json!({ "error": e.to_string() }).to_string().into_bytes());
        Message::new(topic, payload.into(), JSON)
    }

    /// A text message that is not retained.
    pub fn text(topic: String, text: impl Into<String>) -> Message {
        Message::new(topic, text.into().into_bytes().into(), TEXT)
    }

    fn new(topic: String, payload: Bytes, content_type: &'static str) -> Message {
        Message {
            topic,
            payload,
            qos: Qos::AtLeastOnce,
            retain: false,
            expiry: None,
            content_type: Some(content_type),
            correlation: None,
        }
    }

    /// The same, retained.
    pub fn retained(self) -> Message {
        Message { retain: true, ..self }
    }

    /// The same, forgotten after this many seconds.
    pub fn expiring(self, seconds: u32) -> Message {
        Message { expiry: Some(seconds), ..self }
    }

    /// Bytes of topic and payload, for bounding queues.
    pub fn size(&self) -> usize {
        self.topic.len() + self.payload.len()
    }
}

/// The topic tree of one node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Topics {
    prefix: String,
    node: String,
}

impl Topics {
    /// The tree under `prefix` (which may have several levels) with the node's own branch.
    pub fn new(prefix: &str, node: &str) -> Topics {
        let levels: Vec<String> = prefix.split('/').filter(|level| !level.is_empty()).map(level).collect();
        Topics { prefix: levels.join("/"), node: level(node) }
    }

    /// The first levels of every topic.
    pub fn prefix(&self) -> &str {
        &self.prefix
    }

    /// `P/node/N/LEAF`.
    pub fn node(&self, leaf: &str) -> String {
        format!("{}/node/{}/{leaf}", self.prefix, self.node)
    }

    /// `P/table/T/LEAF`; the leaf may have several levels.
    pub fn table(&self, table: &str, leaf: &str) -> String {
        format!("{}/table/{}/{leaf}", self.prefix, level(table))
    }

    /// `P/table/T/device/D/state`.
    pub fn device(&self, table: &str, device: &str) -> String {
        self.table(table, &format!("device/{}/state", level(device)))
    }

    /// `P/table/T/arbiter/response/VERB`.
    pub fn response(&self, table: &str, verb: &str) -> String {
        self.table(table, &format!("arbiter/response/{}", level(verb)))
    }

    /// The same for a table that is already spelt as a topic level.
    pub fn response_as_spelt(&self, table: &str, verb: &str) -> String {
        format!("{}/table/{table}/arbiter/response/{}", self.prefix, level(verb))
    }

    /// Makes the node send every retained topic again.
    pub fn republish(&self) -> String {
        format!("{}/ctl/republish", self.prefix)
    }

    /// Filter of the requests to one table, or to any.
    pub fn requests(&self, table: Option<&str>) -> String {
        let table = table.map_or("+".to_owned(), level);
        format!("{}/table/{table}/arbiter/request/#", self.prefix)
    }

    /// Filter of what asks one table, or any, for missed events of the live feed.
    pub fn missed(&self, table: Option<&str>) -> String {
        let table = table.map_or("+".to_owned(), level);
        format!("{}/table/{table}/live/request/events", self.prefix)
    }

    /// The table (as it stands in the topic) that is asked for missed events.
    pub fn parse_missed<'a>(&self, topic: &'a str) -> Option<&'a str> {
        let rest = topic.strip_prefix(&self.prefix)?.strip_prefix("/table/")?;
        let (table, rest) = rest.split_once('/')?;
        (rest == "live/request/events").then_some(table)
    }

    /// Table (as it stands in the topic) and verb of a request topic; the verb is empty where there is none.
    pub fn parse_request<'a>(&self, topic: &'a str) -> Option<(&'a str, &'a str)> {
        let rest = topic.strip_prefix(&self.prefix)?.strip_prefix("/table/")?;
        let (table, rest) = rest.split_once('/')?;
        let verb = rest.strip_prefix("arbiter/request")?;
        match verb.strip_prefix('/') {
            Some(verb) => Some((table, verb)),
            None => verb.is_empty().then_some((table, "")),
        }
    }
}

/// One level of a topic: what MQTT gives a meaning to, or forbids, is written `%XX`.
pub fn level(id: &str) -> String {
    let mut out = String::with_capacity(id.len());
    for c in id.chars() {
        if matches!(c, '+' | '#' | '/' | '%') || c.is_control() {
            let mut bytes = [0; 4];
            for byte in c.encode_utf8(&mut bytes).bytes() {
                let _ = write!(out, "%{byte:02X}"); // writing to a String does not fail
            }
        } else {
            out.push(c);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_cannot_leave_their_level() {
        let topics = Topics::new("/a//b#/", "hall/1+#");
        assert_eq!(topics.prefix(), "a/b%23");
        assert_eq!(topics.node("state"), "a/b%23/node/hall%2F1%2B%23/state");
        assert_eq!(topics.device("1\0", "x%"), "a/b%23/table/1%00/device/x%25/state");
        assert_eq!(level("stôl-1"), "stôl-1");
    }

    #[test]
    fn request_topics_are_read_back() {
        let topics = Topics::new("bughouse", "n");
        let parse = |topic| topics.parse_request(topic);
        assert_eq!(parse("bughouse/table/1/arbiter/request/claim"), Some(("1", "claim")));
        assert_eq!(parse("bughouse/table/1/arbiter/request/"), Some(("1", "")));
        assert_eq!(parse("bughouse/table/1/arbiter/request"), Some(("1", "")));
        assert_eq!(parse("bughouse/table/1/arbiter/request/a/b"), Some(("1", "a/b")));
        assert_eq!(parse("bughouse/table/1/arbiter/requests"), None);
        assert_eq!(parse("bughouse2/table/1/arbiter/request/claim"), None);
        assert_eq!(parse("bughouse/table/1"), None);
    }
}
