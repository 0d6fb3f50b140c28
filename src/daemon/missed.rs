//! Questions of subscribers that saw a gap in `seq`: `live/request/events` with `{"from_seq": N}`.
//!
//! In: the payload of a question, and the events that the journal has. Out: one answer with as many of them as one
//! message takes, and where to ask on.

use serde_json::{Value, json};

use crate::{
    event::{Event, Response, ResponseError, ResponseStatus},
    publish::request,
};

/// Most events of one answer.
pub(super) const EVENTS_MAX: usize = 500;
/// Most bytes of the events of one answer, but at least one event.
const EVENTS_BYTES_MAX: usize = 128 << 10;
/// Longest question in bytes.
const QUESTION_BYTES_MAX: usize = 1024;
/// The verb of the answer.
const VERB: &str = "events";

/// A question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Asked {
    /// The first event that is missed.
    pub from_seq: u64,
    transaction: Option<String>,
}

/// Reads a question.
pub(super) fn asked(payload: &[u8]) -> Result<Asked, ResponseError> {
    let expected = "a JSON object with the first missed number, such as {\"from_seq\": 17}";
    let wrong = |found: String| request::error("bad-data", format!("expected {expected}, found {found}"));
    if payload.len() > QUESTION_BYTES_MAX {
        return Err(wrong(format!("{} bytes", payload.len())));
    }
    let value: Value = serde_json::from_slice(payload).map_err(|e| wrong(format!("no JSON ({e})")))?;
    let from_seq = value["from_seq"].as_u64().ok_or_else(|| wrong("another".into()))?;
    let transaction = value["transaction"].as_str().map(str::to_owned);
    Ok(Asked { from_seq, transaction })
}

/// The answer: `data` has `events` from `from_seq` on, and `next_seq`, from where to ask on.
pub(super) fn answer(found: Result<(Asked, Vec<Event>), ResponseError>, open: impl Fn(Event) -> Event) -> Response {
    let verb = VERB.to_owned();
    let (asked, events) = match found {
        Ok(found) => found,
        Err(error) => {
            let (status, error) = (ResponseStatus::Error, Some(error));
            return Response { status, verb, transaction: None, error, data: None };
        }
    };
    let mut next_seq = asked.from_seq;
    let mut bytes = 0;
    let mut told = Vec::new();
    for event in events {
        let seq = event.seq;
        let event = serde_json::to_value(open(event)).unwrap_or_default();
        bytes += event.to_string().len();
        if bytes > EVENTS_BYTES_MAX && !told.is_empty() {
            break;
        }
        told.push(event);
        next_seq = seq + 1;
    }
    let data = json!({ "from_seq": asked.from_seq, "next_seq": next_seq, "events": told });
    Response { status: ResponseStatus::Ok, verb, transaction: asked.transaction, error: None, data: Some(data) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(seq: u64, text: &str) -> Event {
        let body = json!({"type": "resolved", "board": "A", "candidates": [text]});
        let mut whole = json!({"v": 1, "session": "s", "table": "1", "game": "g", "seq": seq, "t": 5, "time": "now"});
        whole.as_object_mut().unwrap().extend(body.as_object().unwrap().clone());
        serde_json::from_value(whole).unwrap()
    }

    #[test]
    fn questions_are_read_and_others_refused() {
        assert_eq!(asked(br#"{"from_seq":7}"#).unwrap().from_seq, 7);
        for wrong in [&b""[..], b"7", b"{}", br#"{"from_seq":-1}"#, br#"{"from_seq":"7"}"#, &[b' '; 2000]] {
            assert_eq!(asked(wrong).unwrap_err().code, "bad-data", "{wrong:?}");
        }
    }

    #[test]
    fn an_answer_is_bounded_and_says_where_to_ask_on() {
        let long = "x".repeat(EVENTS_BYTES_MAX / 2);
        let events = vec![event(7, &long), event(8, "b"), event(9, &long), event(10, "d")];
        let asked = asked(br#"{"from_seq":7,"transaction":"t"}"#).unwrap();
        let response = answer(Ok((asked, events)), |event| event);
        let data = response.data.unwrap();
        assert_eq!((data["events"].as_array().unwrap().len(), &data["next_seq"]), (2, &9.into()));
        assert_eq!(response.transaction.as_deref(), Some("t"));
    }
}
