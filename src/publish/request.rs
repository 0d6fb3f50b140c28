//! Requests as they arrive: topic and payload to [`Request`], with the way back for the answer.
//!
//! In: a message below `arbiter/request`. Out: a request for a table, or the answer that refuses it: each gets one.
//! What a verb means is not known here.

use bytes::Bytes;
use serde_json::Value;

use super::topic::{Message, Topics, level};
use crate::event::{Request, Response, ResponseError, ResponseStatus};

/// Largest payload of a request in bytes.
pub const REQUEST_BYTES_MAX: usize = 64 << 10;
/// Longest verb in characters.
const VERB_CHARS_MAX: usize = 64;
/// Longest `transaction` in bytes.
const TRANSACTION_BYTES_MAX: usize = 256;

/// Where the answer goes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Route {
    /// The response topic that the asker gave, if any that may be used.
    pub topic: Option<String>,
    /// The asker's correlation data.
    pub correlation: Option<Bytes>,
}

/// A message as the client library hands it over.
#[derive(Clone, Debug, Default)]
pub struct Received<'a> {
    /// Its topic.
    pub topic: &'a str,
    /// Its payload.
    pub payload: &'a [u8],
    /// MQTT 5 response topic.
    pub response_topic: Option<&'a str>,
    /// MQTT 5 correlation data.
    pub correlation: Option<Bytes>,
    /// Who sent it, where the broker vouches for that.
    pub sender: Option<&'a str>,
}

/// A request to a table, or why it is none.
#[derive(Clone, Debug, PartialEq)]
pub struct Incoming {
    /// The table as its topic level spells it.
    pub table: String,
    /// The way back.
    pub route: Route,
    /// The request, or the answer that refuses it.
    pub request: Result<Request, Box<Response>>,
}

impl Incoming {
    /// Reads a message; none when its topic is no request's.
    pub fn read(topics: &Topics, message: &Received<'_>) -> Option<Incoming> {
        let (table, verb) = topics.parse_request(message.topic)?;
        let request = read_request(verb, message).map_err(|error| Box::new(refused(verb, None, error)));
        Some(Incoming { table: table.to_owned(), route: Route::of(topics, message), request })
    }
}

impl Route {
    fn of(topics: &Topics, message: &Received<'_>) -> Route {
        Route::to(topics, message.response_topic, message.correlation.clone())
    }

    /// The way to a response topic, if it is one that may be used.
    pub fn to(topics: &Topics, response_topic: Option<&str>, correlation: Option<Bytes>) -> Route {
        let topic = response_topic.filter(|topic| may_answer_on(topics, topic)).map(str::to_owned);
        Route { topic, correlation }
    }

    /// Addresses a response message: the topic that the asker gave goes before the one of the verb.
    pub fn address(self, message: Message) -> Message {
        let topic = self.topic.unwrap_or(message.topic);
        Message { topic, correlation: self.correlation, ..message }
    }
}

/// An asker must not make the node write into its own tree, but where answers belong.
fn may_answer_on(topics: &Topics, topic: &str) -> bool {
    let ours = topic.strip_prefix(topics.prefix()).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    let answers = ours && topic.split('/').rev().nth(1) == Some("response");
    let plain = !topic.is_empty() && !topic.starts_with('$') && !topic.contains(['+', '#', '\0']);
    plain && (!ours || answers)
}

/// The answer that nothing was done.
pub fn refused(verb: &str, transaction: Option<String>, error: ResponseError) -> Response {
    let verb = if verb.is_empty() { "request".to_owned() } else { level(verb).chars().take(VERB_CHARS_MAX).collect() };
    Response { status: ResponseStatus::Error, verb, transaction, error: Some(error), data: None }
}

/// An error of the asker's making.
pub fn error(code: &str, message: impl Into<String>) -> ResponseError {
    ResponseError { code: code.to_owned(), message: message.into() }
}

fn read_request(verb: &str, message: &Received<'_>) -> Result<Request, ResponseError> {
    let verb_char = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if verb.is_empty() || verb.len() > VERB_CHARS_MAX || !verb.chars().all(verb_char) {
        let found: String = verb.chars().take(VERB_CHARS_MAX).collect();
        let text = format!("expected one verb after arbiter/request/, for example claim, found {found:?}");
        return Err(error("bad-verb", text));
    }
    if message.payload.len() > REQUEST_BYTES_MAX {
        let found = message.payload.len();
        let text = format!("expected at most {REQUEST_BYTES_MAX} bytes of JSON, found {found}: send less");
        return Err(error("too-large", text));
    }
    let by = message.sender.map(str::to_owned);
    let mut request = Request { verb: verb.to_owned(), by, ..Request::default() };
    if message.payload.is_empty() {
        return Ok(request);
    }
    let value: Value = serde_json::from_slice(message.payload).map_err(|e| {
        error("bad-json", format!("expected a JSON object or nothing, found bytes that are no JSON: {e}"))
    })?;
    let Value::Object(mut fields) = value else {
        let text = format!("expected a JSON object or nothing, found {}", json_kind(&value));
        return Err(error("bad-json", text));
    };
    request.transaction = fields.remove("transaction").map(transaction).transpose()?.flatten();
    request.data = match fields.remove("data") {
        Some(data) => data,
        None if fields.is_empty() => Value::Null,
        None => Value::Object(fields),
    };
    Ok(request)
}

fn transaction(value: Value) -> Result<Option<String>, ResponseError> {
    match value {
        Value::Null => Ok(None),
        Value::String(text) if text.len() <= TRANSACTION_BYTES_MAX => Ok(Some(text)),
        Value::Number(number) => Ok(Some(number.to_string())),
        Value::String(text) => {
            let text = format!("expected a transaction of at most {TRANSACTION_BYTES_MAX} bytes, found {}", text.len());
            Err(error("bad-transaction", text))
        }
        other => {
            Err(error("bad-transaction", format!("expected a string as transaction, found {}", json_kind(&other))))
        }
    }
}

fn json_kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(verb: &str, payload: &[u8]) -> Result<Request, String> {
        let topic = format!("bughouse/table/1/arbiter/request/{verb}");
        let message = Received { topic: &topic, payload, ..Received::default() };
        let incoming = Incoming::read(&Topics::new("bughouse", "n"), &message).unwrap();
        assert_eq!(incoming.table, "1");
        incoming.request.map_err(|response| response.error.unwrap().code)
    }

    #[test]
    fn data_stands_in_its_field_or_is_the_object() {
        let whole = read("claim", br#"{"kind":"flag","by":"a","transaction":"7"}"#).unwrap();
        let field = read("claim", br#"{"data":{"kind":"flag","by":"a"},"transaction":7}"#).unwrap();
        assert_eq!(whole, field);
        assert_eq!(whole.data["by"], "a");
        assert_eq!(whole.transaction.as_deref(), Some("7"));
        assert_eq!(read("pause", b"").unwrap().data, Value::Null);
        assert_eq!(read("pause", b"{}").unwrap().data, Value::Null);
    }

    #[test]
    fn what_is_no_request_is_refused_with_a_code() {
        let code = |verb, payload: &[u8]| read(verb, payload).unwrap_err();
        assert_eq!(code("", b""), "bad-verb");
        assert_eq!(code("a/b", b""), "bad-verb");
        assert_eq!(code("pause", b"[1]"), "bad-json");
        assert_eq!(code("pause", b"\xff\x00"), "bad-json");
        assert_eq!(code("pause", br#"{"transaction":[]}"#), "bad-transaction");
        let deep = [b"{\"a\":".to_vec(), vec![b'['; 60_000]].concat();
        assert_eq!(code("pause", &deep), "bad-json");
        assert_eq!(code("pause", &vec![b' '; REQUEST_BYTES_MAX + 1]), "too-large");
    }

    #[test]
    fn an_answer_goes_nowhere_else_into_our_tree() {
        let topics = Topics::new("bughouse", "n");
        for good in ["me/reply", "bughouse/table/1/arbiter/response/claim", "bughouse2/x"] {
            assert!(may_answer_on(&topics, good), "{good}");
        }
        for bad in ["bughouse/table/1/live/state", "bughouse", "a/+", "a/#", "", "$SYS/x"] {
            assert!(!may_answer_on(&topics, bad), "{bad}");
        }
    }
}
