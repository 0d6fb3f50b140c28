//! Nothing of an incident reaches the open feeds while the game runs (WBN 9.5), unless its kind is announced.
//!
//! Every kind of incident is played; what goes out to everybody then, in every state between, is read byte for byte.

use std::collections::BTreeSet;

use bughoused::{
    event::{Body, Event},
    publish::{
        feed::TableFeed,
        public::PublicFeed,
        topic::{Message, Topics},
    },
    referee::Kind,
    table::settings::Delay,
    types::Instant,
};
use serde_json::{Value, json};

use super::Bench;

/// 1. e4 d5 2. exd5 on A: a pawn goes to b. 1. e4 on B.
const TAKEN: &str = "e2- e4P . w d7- d5p . b e4- d5- d5P . w B:e2- B:e4P . B:w";
/// Knights out and home, twice.
const TWICE_ROUND: &str =
    "g1- f3N . w g8- f6n . b f3- g1N . w f6- g8n . b g1- f3N . w g8- f6n . b f3- g1N . w f6- g8n . b";
/// White has mated.
const MATE: &str = "e2- e4P . w e7- e5p . b d1- h5Q . w b8- c6n . b f1- c4B . w a7- a6p . b h5- f7- f7Q . w 1s";
/// White may castle.
const CASTLING: &str = "g1- f3N . w g8- f6n . b g2- g3P . w g7- g6p . b f1- g2B . w f8- g7b . b";
/// A pawn goes into the hand for too long, and again.
const HIDES: &str = "b=.... 6s b=p... 1s";
/// A pawn in the pocket and on the board.
const DROPS: &str = "b=p... 1s b=.... B:e5p . B:b 1s";

/// What is played from the set-up on, under which law, and the kind of incident that it brings.
fn rows() -> Vec<(&'static str, &'static str, String)> {
    let taken = |script: &str| format!("go 300ms {TAKEN} {script}");
    let plain = |script: &str| format!("go 300ms {script}");
    vec![
        ("wbn-1.00", "illegal-move", plain("e2- e5P . w 3s e7- e6p . b 1s")), // WBN 1.14
        ("wbn-1.00", "illegal-move", plain("e2- e4P 1s d2- d4P 1s w 2s")),
        ("wbn-1.00", "incomplete-castling", plain(&format!("{CASTLING} e1- g1K . w 4s"))), // WBN 6.1
        ("wbn-1.00", "checkmate", plain(MATE)),                                            // WBN 1.5
        ("wbn-1.00", "repetition", plain(&format!("{TWICE_ROUND} 1s"))),                   // WBN 2.2
        ("wbn-1.00", "flag-fall", plain("2s e2- e4P . w 1s b:1 6s")),                      // WBN 7.8
        ("wbn-1.00", "not-passed", taken("g8- f6n . b b1- c3N . w 4s")),                   // WBN 1.6
        ("fide-ext", "early-pass", plain("e2- e4P . w d7- d5p . b e4- d5- d5P b=p... 1s w 3s")), // FIDE-ext 3.2
        ("wbn-1.00", "wrong-pocket", taken("a=p... 5s")),                                  // WBN 1.6
        ("wbn-1.00", "concealed", taken("b=p... 1s b=.... 6s")),                           // WBN 1.7
        ("wbn-1.00", "hidden-drop", taken("B:e7- B:e6p . B:b 6s B:d2- B:d4P . B:w B:e5p . B:b 1s")), // WBN 1.8
        (
            "wbn-1.00",
            "restricted-piece-used", // WBN 1.8
            taken(&format!(r#"?invisible{{"seat":"b","piece":"P"}} {DROPS}"#)),
        ),
        ("wbn-1.00", "repeatedly-hiding", taken(&format!("b=p... 1s {HIDES} {HIDES} {HIDES}"))), // WBN 1.8
        ("wbn-1.00", "foreign-piece", plain("b=q... 5s")),                                       // WBN 5.10
        ("wbn-1.00", "premove", plain("e7- e5p 2s e2- e4P . w 1s b 1s")),                        // WBN 6.5
        ("wbn-1.00", "displaced", plain("e2- e4P 1s a2- a3P . w 5s")),                           // WBN 6.4
        ("wbn-1.00", "clock-without-move", plain("w 4s")),                                       // WBN 7.7
        ("wbn-1.00", "wrong-setup", "e8q d8k 3s go 3s".into()),                                  // WBN 1.15
        ("wbn-1.00", "uneven-start", "A:go 3s go 1s".into()),                                    // WBN 1.2
        ("wbn-1.00", "paused", plain("e2- e4P . w 2s stop 1s go 1s")),                           // WBN 7.12
        (
            "wbn-1.00",
            "moved-while-frozen", // WBN 9.4
            plain(r#"?penalty{"kind":"freeze","seat":"A","seconds":5} 2s e2- e4P . w 1s"#),
        ),
        (
            "wbn-1.00",
            "clock-defect", // WBN 7.11
            plain(r#"3s stop ?set-clock{"board":"A","white_ms":100000,"black_ms":100000} go 1s"#),
        ),
        ("wbn-1.00", "wrong-claim", plain(r#"e2- e4P . w 1s ?claim{"kind":"illegal-move","by":"a"} 1s"#)), // WBN 7.12
        ("wbn-1.00", "arbiter-called", plain("b!arbiter 1s")),                                             // WBN 7.12
    ]
}

/// Words that only incidents have.
const TELLING: [&str; 18] = [
    "incident",
    "illegal",
    "stands",
    "passed",
    "hidden",
    "concealed",
    "hiding",
    "foreign",
    "premove",
    "without-move",
    "claim",
    "arbiter",
    "ruling",
    "penalty",
    "frozen",
    "restricted",
    "defect",
    "evidence",
];

/// Plays a row; two words are this file's own: `A:go` sets one clock going, `b:1` leaves Black of A one second.
fn played(rules: &str, script: &str) -> Bench {
    let mut bench = Bench::set_up(&json!({ "ruleset": rules }));
    for word in script.split(' ') {
        match word {
            "A:go" => bench.start_clock(0),
            "b:1" => bench.time_left_shown(0, 290, 1),
            word => _ = bench.play(word),
        }
    }
    bench
}

/// What the table published, event for event with the state of then: the live feed and the public one.
fn published(bench: &Bench, announce: &[String]) -> Vec<Message> {
    let topics = || Topics::new("P", "N");
    let mut live = TableFeed::new(topics(), "1", "s", announce.to_vec());
    let mut public = PublicFeed::new(topics(), "1", "s", announce.to_vec(), Delay::Time(0), 0);
    let (mut messages, mut from) = (Vec::new(), 0);
    for (until, state) in &bench.states {
        let events = &bench.events[from..*until];
        messages.extend(live.events(events, Some(state)));
        public.push(*until as i64, Instant::ZERO, events, Some(state));
        messages.extend(public.due(Instant::ZERO, usize::MAX));
        from = *until;
    }
    messages
}

fn open(messages: &[Message]) -> Vec<(String, String)> {
    let open = messages.iter().filter(|message| !message.topic.contains("/arbiter/"));
    open.map(|message| (message.topic.clone(), String::from_utf8_lossy(&message.payload).into_owned())).collect()
}

fn kinds(bench: &Bench) -> BTreeSet<String> {
    let told = bench.events.iter().filter_map(|event| match &event.body {
        Body::Incident(incident) => Some(incident.kind.clone()),
        _ => None,
    });
    told.collect()
}

/// What the payload of a message can say: the ways to its values, and the words of its texts.
fn vocabulary(payload: &str) -> BTreeSet<String> {
    fn walk(value: &Value, path: &str, said: &mut BTreeSet<String>) {
        match value {
            Value::Object(fields) => {
                for (key, value) in fields {
                    walk(value, &format!("{path}.{key}"), said);
                }
            }
            Value::Array(values) => values.iter().for_each(|value| walk(value, path, said)),
            Value::String(text) => {
                said.insert(path.to_owned());
                let words = text.split(|letter: char| !letter.is_ascii_lowercase());
                let placement = |word: &str| word.chars().all(|letter| "pnbrqk".contains(letter));
                said.extend(words.filter(|word| word.len() >= 5 && !placement(word)).map(ToOwned::to_owned));
            }
            _ => _ = said.insert(path.to_owned()),
        }
    }
    let mut said = BTreeSet::new();
    let value = serde_json::from_str(payload).unwrap_or_else(|_| json!(payload));
    walk(&value, "", &mut said);
    said
}

#[test]
fn every_kind_of_incident_is_played() {
    let mut all = BTreeSet::new();
    for (rules, kind, script) in rows() {
        let found = kinds(&played(rules, &script));
        assert!(found.contains(kind), "{rules} {kind}: {found:?} of {script}");
        all.extend(found);
    }
    let known: BTreeSet<String> = Kind::ALL.iter().map(|kind| kind.as_str().to_owned()).collect();
    assert_eq!(all, known);
}

#[test]
fn the_open_feeds_say_nothing_of_incidents() {
    // WBN 9.5
    for (rules, kind, script) in rows() {
        let bench = played(rules, &script);
        let messages = published(&bench, &[]);
        for (topic, payload) in open(&messages) {
            for word in TELLING {
                assert!(!payload.contains(word) && !topic.contains(word), "{kind}: {word} in {topic}: {payload}");
            }
        }
        assert!(messages.iter().any(|message| message.topic.ends_with("arbiter/incident")), "{kind}");
        for feed in ["/live/", "/public/"] {
            assert!(messages.iter().any(|message| message.topic.contains(feed)), "{kind}: nothing below {feed}");
        }
    }
}

/// Whatever is open can be said of a game without incidents, too: it has no key and no word of its own.
#[test]
fn the_open_feeds_have_no_words_for_incidents() {
    // WBN 9.5
    let clean = [
        format!("go 300ms {TAKEN} {DROPS}"),
        format!("go 300ms {CASTLING} e1- g1K h1- f1R . w 1s"),
        "go 300ms e2- e4P . w c7n 5s B:e2- B:e4P . B:w 1s".into(), // a square that reads wrong needs a look
        format!("go 300ms {TAKEN} b=p... 1s g8- f6n . b 1s b1- . c3N . c3- b1N 1s"),
        "go 300ms e2- e4P . w e7- e5p . b d1- h5Q . w g8- f6n . b h5- f7- f7Q . w 1s e8- f7- f7k . b 1s stop 1s go 1s"
            .into(),
    ];
    let mut known = BTreeSet::new();
    for script in clean {
        let bench = played("wbn-1.00", &script);
        let quiet = kinds(&bench).into_iter().all(|kind| kind == "paused");
        assert!(quiet, "{:?} of {script}", bench.told());
        known.extend(open(&published(&bench, &[])).iter().flat_map(|(_, payload)| vocabulary(payload)));
    }
    for (rules, kind, script) in rows() {
        for (topic, payload) in open(&published(&played(rules, &script), &[])) {
            let more: Vec<String> = vocabulary(&payload).difference(&known).cloned().collect();
            assert_eq!(more, [""; 0], "{kind} in {topic}: {payload}");
        }
    }
}

#[test]
fn no_gap_in_the_numbers_tells_of_an_incident() {
    for (rules, kind, script) in rows() {
        let bench = played(rules, &script);
        let seqs: Vec<u64> = bench.events.iter().filter(|event| is_live(event)).map(|event| event.seq).collect();
        assert!(seqs.windows(2).all(|pair| pair[1] == pair[0] + 1), "{kind}: {seqs:?}");
    }
}

fn is_live(event: &Event) -> bool {
    event.body.feed() == bughoused::event::Feed::Live
}

#[test]
fn announced_kinds_are_for_everybody_and_no_others() {
    for (rules, kind, script) in rows() {
        let bench = played(rules, &script);
        for announced in [kind, "illegal-move"] {
            let open = open(&published(&bench, &[announced.into()]));
            let told: Vec<&str> =
                open.iter().filter(|(topic, _)| topic.ends_with("/incident")).map(|(_, p)| p.as_str()).collect();
            let of_kind = format!("\"kind\":\"{announced}\"");
            assert!(told.iter().all(|payload| payload.contains(&of_kind)), "{announced}: {told:?}");
            assert_eq!(told.is_empty(), !kinds(&bench).contains(announced), "{announced} in {script}");
            let stands = open.iter().any(|(topic, p)| topic.ends_with("/event") && p.contains("\"stands\":true"));
            assert_eq!(stands, announced == "illegal-move" && kinds(&bench).contains(announced), "{announced}: {kind}");
            let all = published(&bench, &["illegal-move".into(), "incomplete-castling".into()]);
            let marked = all.iter().any(|m| String::from_utf8_lossy(&m.payload).contains("\"stands\":true"));
            assert_eq!(marked, ["illegal-move", "incomplete-castling"].iter().any(|k| kinds(&bench).contains(*k)));
        }
    }
}

#[test]
fn a_leak_would_be_found() {
    let (rules, _, script) = &rows()[0];
    let bench = played(rules, script);
    let leaked = bench.events.iter().find(|event| matches!(event.body, Body::Incident(_))).unwrap();
    let text = serde_json::to_string(leaked).unwrap();
    assert!(TELLING.iter().any(|word| text.contains(word)));
    assert!(vocabulary(&text).contains(".evidence.from"));
}
