//! Nothing of an incident reaches the open feeds while the game runs (WBN 9.5), unless its kind is announced.

use bughoused::{
    event::{Body, Event},
    publish::{
        feed::TableFeed,
        topic::{Message, Topics},
    },
};
use serde_json::json;

use super::Bench;

/// A game full of incidents: illegal moves that stand, hidden men, presses without a move, a premove, a flag.
const OFFENCES: &str = "e2- e5P . w 3s d7- d6p . b e5- d6- d6P . w 1s c7- d6- d6p . b 1s a=P... 5s b1- c3N h2- h3P . w \
                        4s b=q... 5s B:w 4s B:b B:e7- B:e5p 2s B:e2- B:e4P . B:w 1s B:b 1s b!claim a!arbiter";
/// Words that only incidents have.
const TELLING: [&str; 12] = [
    "incident",
    "illegal",
    "stands",
    "not-passed",
    "hidden",
    "concealed",
    "foreign",
    "premove",
    "without-move",
    "claimable",
    "arbiter",
    "ruling",
];

fn publish(bench: &Bench, announce: &[String]) -> Vec<Message> {
    let mut feed = TableFeed::new(Topics::new("P", "N"), "1", "s", announce.to_vec());
    let mut messages = Vec::new();
    for event in &bench.events {
        messages.extend(feed.events(std::slice::from_ref(event), Some(&bench.table().state())));
    }
    messages
}

fn open(messages: &[Message]) -> Vec<(String, String)> {
    let open = messages.iter().filter(|message| !message.topic.contains("/arbiter/"));
    open.map(|message| (message.topic.clone(), String::from_utf8_lossy(&message.payload).into_owned())).collect()
}

fn offences() -> Bench {
    let mut bench = Bench::playing(&json!({}));
    bench.play(OFFENCES);
    bench
}

#[test]
fn the_open_feeds_say_nothing_of_incidents() {
    // WBN 9.5
    let bench = offences();
    let kinds: std::collections::BTreeSet<&str> = bench
        .events
        .iter()
        .filter_map(|event| match &event.body {
            Body::Incident(incident) => Some(incident.kind.as_str()),
            _ => None,
        })
        .collect();
    assert!(kinds.len() >= 6, "a game full of incidents: {kinds:?}");
    let messages = publish(&bench, &[]);
    for (topic, payload) in open(&messages) {
        for word in TELLING {
            assert!(!payload.contains(word) && !topic.contains(word), "{word} in {topic}: {payload}");
        }
    }
    assert!(messages.iter().any(|message| message.topic.ends_with("arbiter/incident")));
}

/// Everything open is the same, byte for byte, as if the incidents had never been.
#[test]
fn the_open_feeds_are_as_if_there_were_no_incidents() {
    // WBN 9.5
    let bench = offences();
    let with = open(&publish(&bench, &[]));
    let mut without = offences();
    without.events.retain(|event| !matches!(event.body, Body::Incident(_) | Body::Ruling(_)));
    assert_eq!(with, open(&publish(&without, &[])));
    let seqs: Vec<u64> = bench.events.iter().filter(|event| is_live(event)).map(|event| event.seq).collect();
    assert!(seqs.windows(2).all(|pair| pair[1] == pair[0] + 1), "no gap tells of an incident");
}

fn is_live(event: &Event) -> bool {
    event.body.feed() == bughoused::event::Feed::Live
}

#[test]
fn announced_kinds_are_for_everybody() {
    let bench = offences();
    let messages = publish(&bench, &["illegal-move".into()]);
    let open = open(&messages);
    let told: Vec<&str> =
        open.iter().filter(|(topic, _)| topic.ends_with("live/incident")).map(|(_, p)| p.as_str()).collect();
    assert!(!told.is_empty() && told.iter().all(|payload| payload.contains("\"illegal-move\"")), "{told:?}");
    assert!(open.iter().any(|(topic, payload)| topic.ends_with("live/event") && payload.contains("\"stands\":true")));
}

#[test]
fn a_leak_would_be_found() {
    let bench = offences();
    let leaked = bench.events.iter().find(|event| matches!(event.body, Body::Incident(_))).unwrap();
    let text = serde_json::to_string(leaked).unwrap();
    assert!(TELLING.iter().any(|word| text.contains(word)));
}
