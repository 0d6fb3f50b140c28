//! Every message of the configuration as a person sees it.

use std::path::Path;

use super::*;
use crate::table::settings::{Adjudication, ClockSide, Driver, Rotation};

const GOOD: &str = r#"
[node]
id = "hall-1"
data_dir = "/var/lib/bughoused"

[mqtt]
broker = "embedded"
listen = "127.0.0.1:1883"
prefix = "bughouse"
live_open = false

[auth]

[web]
listen = "127.0.0.1:8080"

[[table]]
id = "1"
ruleset = "wbn-1.00"
time_control = "300+0"
adjudication = "auto"
announce = ["illegal-move"]
delay = "30s"
players = { A = "Jana", b = "Petr" }
settle = "500ms"
lift_grace = "4s"
capture = false

[[table.device]]
name = "board-a"
driver = "dgt"
port = "/dev/serial/by-id/usb-a"
board = "A"
clock = true
clock_white = "left"
rotation = 180

[[table.device]]
name = "board-b"
driver = "dgt"
serial = "12345"
board = "B"
clock = true
rotation = "auto"

[[table.device]]
name = "trays"
driver = "bslp"
port = "/dev/serial/by-id/usb-t"
pockets = ["A", "a", "B", "b"]
"#;

fn problems(text: &str) -> Vec<String> {
    match Config::parse(text, Path::new("f.toml")) {
        Ok(_) => Vec::new(),
        Err(problems) => problems.iter().map(Problem::to_string).collect(),
    }
}

#[track_caller]
fn check(from: &str, to: &str, expected: &[&str]) {
    assert_eq!(GOOD.matches(from).count(), 1, "{from:?} stands once in the good file");
    assert_eq!(problems(&GOOD.replace(from, to)), expected, "{from:?} as {to:?}");
}

#[test]
fn a_good_file_is_read_as_it_stands() {
    let config = Config::parse(GOOD, Path::new("f.toml")).unwrap();
    assert_eq!((config.tables.len(), config.devices()), (1, 3));
    let table = &config.tables[0];
    assert_eq!((table.adjudication, table.capture, table.settle.as_str()), (Adjudication::Auto, false, "500ms"));
    assert_eq!(table.players["A"], "Jana");
    assert_eq!(table.announce, ["illegal-move"]);
    let device = &table.device[0];
    assert_eq!((device.driver, device.clock_white, device.rotation), (Driver::Dgt, ClockSide::Left, Rotation::Turned));
    assert_eq!(table.device[1].serial.as_deref(), Some("12345"));
    assert_eq!(table.device[2].pockets.len(), 4);
    // The same words mean the same in the header of a capture.
    let json = serde_json::to_string(table).unwrap();
    assert_eq!(&serde_json::from_str::<crate::table::settings::TableSettings>(&json).unwrap(), table);
}

#[test]
fn what_is_left_out_has_a_default() {
    let text = GOOD.split_once("[[table]]").unwrap().1.replace("ruleset = \"wbn-1.00\"\n", "");
    let config = Config::parse(&format!("[[table]]{text}"), Path::new("f.toml")).unwrap();
    assert_eq!((config.node, config.mqtt, config.web), (Node::default(), Mqtt::default(), Web::default()));
    assert_eq!(config.tables[0].ruleset, "wbn-1.00");
}

#[test]
fn the_shipped_example_is_good() {
    let text = include_str!("../../../systemd/bughoused.toml");
    let config = Config::parse(text, Path::new("bughoused.toml")).unwrap();
    assert_eq!((config.tables.len(), config.devices()), (1, 3));
    assert_eq!(
        (config.node, config.mqtt, config.web),
        (Node { id: "hall-1".into(), ..Node::default() }, Mqtt::default(), Web::default())
    );
    // What stands in comments is good, too.
    let all: String = text.lines().map(|line| line.strip_prefix("#: ").unwrap_or(line).to_owned() + "\n").collect();
    assert_eq!(problems(&all), [""; 0]);
}

#[test]
fn unknown_keys_come_with_a_suggestion() {
    check(
        "broker =",
        "brocker =",
        &["f.toml:7:1: mqtt.brocker: expected a known key, found another; did you mean `broker`?"],
    );
    check(
        "clock_white",
        "clockwhite",
        &["f.toml:35:1: table.device.clockwhite: expected a known key, found another; did you mean `clock_white`?"],
    );
    check("[auth]", "[outh]", &["f.toml:12:2: outh: expected a known key, found another; did you mean `auth`?"]);
    check(
        "[auth]",
        "[auth]\ncolour = 1",
        &["f.toml:13:1: auth.colour: expected a known key, found another; here are known: arbiter_password_file, \
         display_password_file"],
    );
}

#[test]
fn syntax_is_reported_with_its_place() {
    check(
        "id = \"hall-1\"",
        "id = hall-1",
        &["f.toml:3:6: expected TOML, found: string values must be quoted, expected literal string; mend this first"],
    );
    check(
        "prefix = \"bughouse\"",
        "broker = \"embedded\"",
        &["f.toml:9:1: expected TOML, found: duplicate key; mend this first"],
    );
}

#[test]
fn every_problem_is_reported_at_once_in_the_order_of_the_text() {
    let text = GOOD.replace("\"hall-1\"", "7").replace("\"300+0\"", "\"5:00\"").replace("\"bslp\"", "\"slp\"");
    assert_eq!(
        problems(&text),
        [
            "f.toml:3:6: node.id: expected a name for this machine of letters, digits, `-`, `_` and `.`, found 7; write \
         it in quotation marks",
            "f.toml:20:16: table.time_control: expected seconds with an increment (\"300+0\"), a delay (\"180d2\") or \
         a Bronstein delay (\"180b2\"), found \"5:00\"; write whole seconds without spaces, at most 36000 and 600",
            "f.toml:48:10: table.device.driver: expected \"dgt\" or \"bslp\", found \"slp\"; did you mean \"bslp\"?",
        ]
    );
}

#[test]
fn nodes() {
    check(
        "\"hall-1\"",
        "\"hall/1\"",
        &[
            "f.toml:3:6: node.id: expected a name for this machine of letters, digits, `-`, `_` and `.`, found \"hall/1\"; \
         use 1 to 64 of these",
        ],
    );
    check(
        "[node]\nid = \"hall-1\"\ndata_dir = \"/var/lib/bughoused\"",
        "node = 5",
        &["f.toml:2:8: node: expected a section [node], found 5; write its keys below its heading"],
    );
    check(
        "\"/var/lib/bughoused\"",
        "\"\"",
        &["f.toml:4:12: node.data_dir: expected a path, found \"\"; name a file or take the key out"],
    );
}

#[test]
fn brokers() {
    let broker = "\"embedded\", mqtt://host:1883 or mqtts://host:8883";
    check(
        "\"embedded\"",
        "\"tcp://x\"",
        &[&format!("f.toml:7:10: mqtt.broker: expected {broker}, found \"tcp://x\"; write one of these")],
    );
    check(
        "broker = \"embedded\"\nlisten = \"127.0.0.1:1883\"",
        "broker = \"mqtt://h:99999\"",
        &[&format!(
            "f.toml:7:10: mqtt.broker: expected {broker}, found \"mqtt://h:99999\"; write a host and a port from 1 to \
         65535, no path"
        )],
    );
    check(
        "\"embedded\"",
        "\"mqtt://me:secret@h\"",
        &["f.toml:7:10: mqtt.broker: expected an address without a user, found one with it; use the keys `user` and \
         `password_file`"],
    );
    check(
        "\"embedded\"",
        "\"mqtt://h\"\nca_file = \"ca.pem\"\nclient_key = \"/k\"",
        &[
            "f.toml:6:1: mqtt.client_cert: expected it beside `client_key`, found nothing; add it, or take the other out",
            "f.toml:8:11: mqtt.ca_file: expected certificates only with an encrypted broker, found \"ca.pem\"; write \
         mqtts:// at `broker`, or take it out",
            "f.toml:9:14: mqtt.client_key: expected certificates only with an encrypted broker, found \"/k\"; write \
         mqtts:// at `broker`, or take it out",
            "f.toml:10:10: mqtt.listen: expected no `listen` beside an external broker, found \"127.0.0.1:1883\"; take it \
         out, or set broker = \"embedded\"",
        ],
    );
    check(
        "live_open = false",
        "user = \"me\"",
        &[
            "f.toml:10:8: mqtt.user: expected this key only beside an external broker, found \"me\"; take it out, or set \
         broker = \"mqtt://host:1883\"",
        ],
    );
    check(
        "live_open = false",
        "live_open = \"no\"",
        &["f.toml:10:13: mqtt.live_open: expected true or false, found \"no\"; write it without quotation marks"],
    );
    check(
        "\"bughouse\"",
        "\"a/#\"",
        &[
            "f.toml:9:10: mqtt.prefix: expected a topic prefix such as \"bughouse\", found \"a/#\"; use up to 100 bytes \
         without `+`, `#`, spaces, a leading `$` or an empty level",
        ],
    );
}

#[test]
fn addresses_of_external_brokers() {
    let cases = [
        ("mqtt://broker.example", ("broker.example", 1883, false)),
        ("mqtts://broker.example", ("broker.example", 8883, true)),
        ("mqtt://10.0.0.1:1", ("10.0.0.1", 1, false)),
        ("mqtt://[fe80::1]:77", ("fe80::1", 77, false)),
        ("mqtt://[::1]", ("::1", 1883, false)),
    ];
    for (url, expected) in cases {
        let text = GOOD.replace("\"embedded\"\nlisten = \"127.0.0.1:1883\"", &format!("\"{url}\"\nuser = \"me\""));
        match Config::parse(&text, Path::new("f.toml")).unwrap().mqtt.broker {
            Broker::External(found) => {
                assert_eq!((found.host.as_str(), found.port, found.tls), expected);
                assert_eq!(found.user.as_deref(), Some("me"));
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn listening_for_others_needs_passwords() {
    let web = "listen = \"127.0.0.1:8080\"";
    check(
        web,
        "listen = \"0.0.0.0:8080\"",
        &["f.toml:15:10: web.listen: expected passwords for an address that other machines reach, found \
         \"0.0.0.0:8080\"; add arbiter_password_file and display_password_file to [auth], or listen on 127.0.0.1"],
    );
    let passwords = "[auth]\narbiter_password_file = \"a\"\ndisplay_password_file = \"b\"\n[other]";
    let text = GOOD.replace("127.0.0.1", "0.0.0.0").replace("[auth]", passwords.trim_end_matches("[other]"));
    let config = Config::parse(&text, Path::new("/etc/bughoused/f.toml")).unwrap();
    assert_eq!(config.auth.display_password_file.unwrap(), Path::new("/etc/bughoused/b"));
    check(
        web,
        "listen = \":8080\"",
        &["f.toml:15:10: web.listen: expected an address and port such as \"127.0.0.1:8080\", found \":8080\"; use \
         127.0.0.1 for this machine alone, 0.0.0.0 or [::] for everybody"],
    );
    check(
        web,
        "listen = \"localhost:1883\"",
        &["f.toml:8:10: mqtt.listen: expected different addresses for mqtt.listen and web.listen, found \
         \"127.0.0.1:1883\"; change one of the ports"],
    );
}

#[test]
fn rule_sets_and_adjudication() {
    check(
        "id = \"1\"\n",
        "",
        &["f.toml:17:1: table.id: expected a name for the table, found nothing; add one, for example id = \"1\""],
    );
    check(
        "\"wbn-1.00\"",
        "\"wbn\"",
        &["f.toml:19:11: table.ruleset: expected \"wbn-1.00\" or \"cz-2024.06\" or \"fide-ext\", or a table \
         { base = \"wbn-1.00\", field = value }, found \"wbn\"; did you mean \"wbn-1.00\"?"],
    );
    check("\"wbn-1.00\"", "{ base = \"wbn-1.00\", repetition = 4, variants = [\"tandem\"] }", &[]);
    check(
        "\"wbn-1.00\"",
        "{ base = \"wbn-1.00\", repetition = 1 }",
        &["f.toml:19:45: table.ruleset.repetition: expected a number from 2 to 99, found 1; write it like this"],
    );
    check(
        "\"wbn-1.00\"",
        "{ base = \"wbn-1.00\", repetitions = 4 }",
        &[
            "f.toml:19:46: table.ruleset.repetitions: expected a field or a variant of a rule set, found 4; did you mean \
         \"repetition\"?",
        ],
    );
    check(
        "adjudication = \"auto\"",
        "adjudication = \"Advice\"",
        &[
            "f.toml:21:16: table.adjudication: expected \"advise\" or \"auto\", found \"Advice\"; did you mean \"advise\"?",
        ],
    );
    check(
        "[\"illegal-move\"]",
        "\"illegal-move\"",
        &[
            "f.toml:22:12: table.announce: expected kinds of incidents such as [\"illegal-move\"], found \"illegal-move\"; \
         write a list of kinds, [] for none",
        ],
    );
}

#[test]
fn durations_players_and_ids_of_tables() {
    check(
        "\"30s\"",
        "30",
        &[
            "f.toml:23:9: table.delay: expected a duration such as \"400ms\", \"5s\" or \"2min\", found 30; write it in \
         quotation marks",
        ],
    );
    check(
        "\"500ms\"",
        "\"500\"",
        &[
            "f.toml:25:10: table.settle: expected a duration such as \"400ms\", \"5s\" or \"2min\", found \"500\"; write a \
         whole number and its unit without a space",
        ],
    );
    check(
        "\"4s\"",
        "\"20min\"",
        &["f.toml:26:14: table.lift_grace: expected a duration from 0ms to 600s, found \"20min\"; write one of these"],
    );
    check(
        "b = \"Petr\"",
        "C = \"Petr\"",
        &[
            "f.toml:24:29: table.players.C: expected one of the seats A a B b before the name, found \"Petr\"; A is White \
         on board A, a Black",
        ],
    );
    check(
        "[[table]]",
        "[table]",
        &["f.toml:17:1: table: expected sections [[table]], found a table; write it with double brackets"],
    );
    assert_eq!(
        problems(""),
        ["f.toml:1:1: table: expected at least one [[table]], found nothing; add one, the example is \
         systemd/bughoused.toml of the sources",]
    );
    let devices = GOOD.split_once("[[table.device]]").unwrap().1.replace("usb-", "second-");
    let second = format!("{GOOD}\n[[table]]\nid = \"1\"\n[[table.device]]{}", devices.replace("12345", "67890"));
    assert_eq!(
        problems(&second),
        ["f.toml:53:6: table.id: expected each table id once, found 1 also in line 18; give this table another",]
    );
}

#[test]
fn names_and_drivers_of_devices() {
    check(
        "name = \"board-b\"",
        "name = \"board-a\"",
        &["f.toml:39:8: table.device.name: expected each device name once, found board-a also in line 30; give this \
         device another"],
    );
    check(
        "name = \"trays\"\n",
        "",
        &[
            "f.toml:46:1: table.device.name: expected a name for the device, found nothing; add one, for example name = \
         \"board-a\"",
        ],
    );
    check(
        "\"bslp\"",
        "\"certabo\"",
        &[
            "f.toml:48:10: table.device.driver: expected \"dgt\" or \"bslp\", found \"certabo\"; this version has no driver \
         for it, a later one will",
        ],
    );
    check(
        "\"bslp\"",
        "5",
        &["f.toml:48:10: table.device.driver: expected \"dgt\" or \"bslp\", found 5; write it in quotation marks"],
    );
}

#[test]
fn ports_of_devices() {
    check(
        "usb-t",
        "usb-a",
        &[
            "f.toml:49:8: table.device.port: expected each port once, found /dev/serial/by-id/usb-a also in line 32; each \
         device has a port of its own",
        ],
    );
    check(
        "serial = \"12345\"\n",
        "",
        &[
            "f.toml:38:1: table.device.port: expected a port or the serial number of the device, found nothing; add port = \
         \"/dev/serial/by-id/…\", `ls /dev/serial/by-id` lists them",
        ],
    );
    check(
        "serial = \"12345\"",
        "serial = \"12345\"\nport = \"ttyUSB0\"",
        &[
            "f.toml:41:10: table.device.serial: expected either `port` or `serial`, found \"12345\"; take one of them out",
            "f.toml:42:8: table.device.port: expected the path of a serial port, found \"ttyUSB0\"; write it from the root, \
         for example /dev/serial/by-id/usb-…",
        ],
    );
}

#[test]
fn places_of_devices() {
    check(
        "board = \"B\"",
        "board = \"b\"",
        &[
            "f.toml:17:1: table.device: expected a device for board B, found nothing; add a [[table.device]] with board = \
         \"B\"",
            "f.toml:42:9: table.device.board: expected a board letter from A to H, found \"b\"; write it as a capital letter",
        ],
    );
    check(
        "board = \"B\"",
        "board = \"A\"",
        &[
            "f.toml:17:1: table.device: expected a device for board B, found nothing; add a [[table.device]] with board = \
         \"B\"",
            "f.toml:42:9: table.device.board: expected each board once, found A also in line 33; each board has one DGT \
         board",
            "f.toml:43:9: table.device.clock: expected each clock of a board once, found A also in line 34; each board has \
         one clock",
        ],
    );
    check(
        "rotation = 180",
        "rotation = 90",
        &["f.toml:36:12: table.device.rotation: expected 0, 180 or \"auto\", found 90; write one of these"],
    );
    check(
        "\"left\"",
        "\"lefty\"",
        &[
            "f.toml:35:15: table.device.clock_white: expected \"left\" or \"right\" or \"auto\", found \"lefty\"; did you \
         mean \"left\"?",
        ],
    );
    check(
        "\"B\", \"b\"]",
        "\"a\", \"x\"]",
        &[
            "f.toml:50:22: table.device.pockets: expected each seat once, found a also in line 50; each seat has one pocket",
            "f.toml:50:27: table.device.pockets: expected a seat letter, found \"x\"; A is White on board A, a Black on \
         board A, B and b those of board B",
        ],
    );
    check(
        "pockets = [\"A\", \"a\", \"B\", \"b\"]",
        "clock = true",
        &[
            "f.toml:46:1: table.device.board: expected a board or pockets that it senses, found nothing; add board = \"A\", \
         or pockets = [\"A\", \"a\", \"B\", \"b\"]",
            "f.toml:46:1: table.device.board: expected the board whose clock it is, found nothing; add board = \"A\", or \
         take clock out",
        ],
    );
    check(
        "rotation = \"auto\"",
        "pockets = { \"a8-h7\" = \"A\" }",
        &["f.toml:44:11: table.device.pockets: expected no `pockets` at a board, found a table; this version reads \
         pockets from bslp trays only; take it out"],
    );
}

#[test]
fn strange_values_are_shown_short_and_harmless() {
    let text = GOOD.replace("\"hall-1\"", &format!("\"\\u001b{}\"", "x".repeat(1000)));
    let message = problems(&text).remove(0);
    assert!(message.contains("found \"\\u{1b}xxxx") && message.len() < 300, "{message}");
    assert_eq!(problems("[[table]]\nid = \"1\"\n\"\\u0000\\n\" = 1\n").len(), 3);
}

#[test]
fn files_are_looked_for_when_a_file_is_loaded() {
    let dir = tempfile::TempDir::new().unwrap();
    let file = dir.path().join("c.toml");
    let text = |problems: Vec<Problem>| {
        let lines: Vec<String> = problems.iter().map(Problem::to_string).collect();
        lines.join("\n").replace(&dir.path().display().to_string(), "DIR")
    };
    assert_eq!(
        text(Config::load(&file).unwrap_err()),
        "DIR/c.toml: expected a configuration file, found none; write one (the example is systemd/bughoused.toml of \
         the sources) or name another with --config"
    );
    assert!(text(Config::load(dir.path()).unwrap_err()).contains("found a directory; name the file in it"));
    fs::write(&file, b"[node]\nid = \"\xff\"\n").unwrap();
    assert_eq!(
        text(Config::load(&file).unwrap_err()),
        "DIR/c.toml: expected text in UTF-8, found other bytes in line 2; save the file as UTF-8"
    );
    fs::write(&file, GOOD.replace("[auth]", "[auth]\narbiter_password_file = \"arbiter.password\"")).unwrap();
    assert_eq!(
        text(Config::load(&file).unwrap_err()),
        "DIR/c.toml:13:25: auth.arbiter_password_file: expected a file, found none at DIR/arbiter.password; make it or \
         name another"
    );
    fs::write(dir.path().join("arbiter.password"), "x").unwrap();
    assert!(Config::load(&file).is_ok());
}

proptest::proptest! {
    #[test]
    fn no_text_is_too_strange(cut in 0..GOOD.len(), noise in "[\\[\\]{}=\"a-z0-9.\n é\u{0}]{0,12}") {
        let mut text = GOOD.to_owned();
        text.insert_str(cut, &noise);
        for line in problems(&text) {
            proptest::prop_assert!(line.starts_with("f.toml:") && !line.contains('\n'), "{}", line);
        }
    }
}
