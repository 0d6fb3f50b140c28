//! `[[table]]`: one table.
//!
//! In: its section. Out: [`TableSettings`], with defaults where something is wrong. Its devices are read next door.

use super::{
    device,
    read::{Found, Section, Unique},
};
use crate::{
    event::Players,
    rules::{RuleSet, RuleSetError},
    table::settings::{Adjudication, Delay, TableSettings},
    types::{BoardId, MS, SECOND, Seat, TimeControl, parse_duration},
};

/// Boards that a table of these rule sets has at least.
const BOARDS_MIN: usize = 2;
/// Letters of a player's name.
const PLAYER_LETTERS_MAX: usize = 100;

/// Reads all tables.
pub(super) fn tables(root: &Section<'_>) -> Vec<TableSettings> {
    let sections = root.sections("table");
    if sections.is_empty() && root.get("table").is_none() {
        root.missing(
            "table",
            "at least one [[table]]",
            "add one, the example is systemd/bughoused.toml of the sources",
        );
    }
    let mut ids = Unique::new("table id");
    let mut ports = Unique::new("port");
    sections.into_iter().map(|section| table(section, &mut ids, &mut ports)).collect()
}

fn table(section: Section<'_>, ids: &mut Unique, ports: &mut Unique) -> TableSettings {
    let id = section.need("id", "a name for the table", "add one, for example id = \"1\"");
    let devices = device::devices(&section, ports);
    let boards = devices.iter().filter_map(|device| device.board).map(|board| board.index() + 1);
    let boards = boards.max().unwrap_or(0).max(BOARDS_MIN);
    missing_boards(&section, boards, &devices);
    // What serde gives a table without any keys is the one place of the defaults.
    let mut settings = defaults();
    settings.id = id
        .and_then(|found| {
            let id = found.name("for the table")?;
            ids.check(&found, &id, "give this table another");
            Some(id)
        })
        .unwrap_or_default();
    set(&mut settings.ruleset, section.get("ruleset").and_then(ruleset));
    set(&mut settings.time_control, section.get("time_control").and_then(time_control));
    let words = [("advise", Adjudication::Advise), ("auto", Adjudication::Auto)];
    set(&mut settings.adjudication, section.get("adjudication").and_then(|found| found.choice(&words)));
    set(&mut settings.announce, section.get("announce").map(announce));
    set(&mut settings.delay, section.get("delay").and_then(|found| delay(&found)));
    set(&mut settings.players, section.get("players").map(|found| players(&found, boards)));
    set(&mut settings.settle, section.get("settle").and_then(|found| duration(&found, 50 * MS, 60 * SECOND)));
    set(&mut settings.lift_grace, section.get("lift_grace").and_then(|found| duration(&found, 0, 600 * SECOND)));
    let grace = |found: Found<'_>| duration(&found, 0, 600 * SECOND);
    set(&mut settings.pass_grace, section.get("pass_grace").and_then(grace));
    set(&mut settings.displaced_grace, section.get("displaced_grace").and_then(grace));
    set(&mut settings.capture, section.get("capture").and_then(|found| found.flag()));
    settings.device = devices;
    section.finish();
    settings
}

fn defaults() -> TableSettings {
    serde_json::from_str(r#"{"id":""}"#).expect("every other key has a default")
}

fn set<T>(place: &mut T, value: Option<T>) {
    if let Some(value) = value {
        *place = value;
    }
}

/// Reports boards that nothing senses.
fn missing_boards(section: &Section<'_>, boards: usize, devices: &[crate::table::settings::DeviceSettings]) {
    for board in BoardId::first(boards) {
        if !devices.iter().any(|device| device.board == Some(board)) {
            let remedy = format!("add a [[table.device]] with board = \"{board}\"");
            section.missing("device", &format!("a device for board {board}"), &remedy);
        }
    }
}

/// A rule set by name, by name and changes, or as a table of them.
fn ruleset(found: Found<'_>) -> Option<String> {
    let names = RuleSet::ALL.map(|rules| format!("\"{}\"", rules.name)).join(" or ");
    let expected = format!("{names}, or a table {{ base = \"wbn-1.00\", field = value }}");
    if found.is_table() {
        return changed_ruleset(&found, &expected);
    }
    let text = found.text(&expected)?;
    match text.parse::<RuleSet>() {
        Ok(_) => return Some(text.to_owned()),
        Err(RuleSetError::Name { near, .. }) => {
            let meant = near.first().map(|name| format!("did you mean \"{name}\"?"));
            found.wrong(expected, meant.as_deref().unwrap_or("write one of these"));
        }
        Err(error) => found.wrong("a rule set with changes", error),
    }
    None
}

/// The table of a rule set with changes, written as text; every wrong key is reported where it stands.
fn changed_ruleset(found: &Found<'_>, expected: &str) -> Option<String> {
    let entries = found.entries(expected, "write a name or a table");
    let Some((_, base)) = entries.iter().find(|(key, _)| key == "base") else {
        found.wrong(expected, "add base = \"wbn-1.00\" to the table");
        return None;
    };
    let Ok(mut rules) = RuleSet::base(base.text("the name of a rule set")?) else {
        base.wrong("the name of a rule set", "write one of these: wbn-1.00, cz-2024.06, fide-ext");
        return None;
    };
    let changes = entries.iter().filter(|(key, _)| key != "base");
    let made: Vec<bool> = changes.map(|(key, value)| change(&mut rules, key, value)).collect();
    made.into_iter().all(|made| made).then(|| rules.to_string())
}

/// Makes one change, or reports why not.
fn change(rules: &mut RuleSet, key: &str, value: &Found<'_>) -> bool {
    if key == "variants" {
        let names = value.list("a list of variants", "write it in square brackets");
        return names.iter().all(|name| name.text("the name of a variant").is_some_and(|text| vary(rules, text, name)));
    }
    let text = value.text_if_any().map(str::to_owned).or_else(|| value.integer().map(|number| number.to_string()));
    let Some(text) = text.or_else(|| value.flag().map(|flag| flag.to_string())) else { return false };
    reported(rules.change(key, &text), value)
}

fn vary(rules: &mut RuleSet, name: &str, found: &Found<'_>) -> bool {
    reported(rules.vary(name), found)
}

/// Whether a change was made; if not it is reported.
fn reported(change: Result<(), RuleSetError>, found: &Found<'_>) -> bool {
    match &change {
        Ok(()) => {}
        Err(RuleSetError::Value { expected, .. }) => found.wrong(expected, "write it like this"),
        Err(RuleSetError::Field { near, .. } | RuleSetError::Name { near, .. }) => {
            let meant = near.first().map(|name| format!("did you mean \"{name}\"?"));
            found.wrong("a field or a variant of a rule set", meant.as_deref().unwrap_or("there is none of this name"));
        }
    }
    change.is_ok()
}

fn time_control(found: Found<'_>) -> Option<String> {
    let expected = "seconds with an increment (\"300+0\"), a delay (\"180d2\") or a Bronstein delay (\"180b2\")";
    let text = found.text(expected)?;
    if text.parse::<TimeControl>().is_err() {
        found.wrong(expected, "write whole seconds without spaces, at most 36000 and 600");
        return None;
    }
    Some(text.to_owned())
}

/// A duration within bounds in microseconds.
pub(super) fn duration(found: &Found<'_>, min: i64, max: i64) -> Option<String> {
    let expected = "a duration such as \"400ms\", \"5s\" or \"2min\"";
    let text = found.text(expected)?;
    match parse_duration(text) {
        Err(_) => found.wrong(expected, "write a whole number and its unit without a space"),
        Ok(micros) if !(min..=max).contains(&micros) => {
            let range = format!("a duration from {}ms to {}s", min / MS, max / SECOND);
            found.wrong(range, "write one of these");
        }
        Ok(_) => return Some(text.to_owned()),
    }
    None
}

/// A duration, or a number of moves.
fn delay(found: &Found<'_>) -> Option<String> {
    let text = found.text("a duration such as \"400ms\", \"5s\" or \"2min\"")?;
    if !text.ends_with(" moves") && !text.ends_with(" move") {
        return duration(found, 0, 3600 * SECOND);
    }
    match Delay::parse(text) {
        Ok(_) => Some(text.to_owned()),
        Err(_) => {
            found.wrong("a number of moves such as \"6 moves\"", "write a whole number up to 65535");
            None
        }
    }
}

fn announce(found: Found<'_>) -> Vec<String> {
    let expected = "kinds of incidents such as [\"illegal-move\"]";
    let items = found.list(expected, "write a list of kinds, [] for none");
    let kind = |item: Found<'_>| {
        let kind = item.text("the kind of an incident such as \"illegal-move\"")?;
        let good = !kind.is_empty() && kind.bytes().all(|letter| letter.is_ascii_lowercase() || letter == b'-');
        if !good {
            item.wrong("the kind of an incident such as \"illegal-move\"", "use small letters and `-`");
        }
        good.then(|| kind.to_owned())
    };
    items.into_iter().filter_map(kind).collect()
}

fn players(found: &Found<'_>, boards: usize) -> Players {
    let seats: Vec<String> = Seat::all(boards).map(|seat| seat.to_string()).collect();
    let example = "names by seat such as { A = \"Jana\", a = \"Petr\" }";
    let mut players = Players::new();
    for (seat, name) in found.entries(example, "write a table") {
        if !seats.contains(&seat) {
            name.wrong(
                format!("one of the seats {} before the name", seats.join(" ")),
                "A is White on board A, a Black",
            );
            continue;
        }
        let Some(text) = name.text("a name") else { continue };
        if text.chars().count() > PLAYER_LETTERS_MAX || text.chars().any(char::is_control) {
            name.wrong("a name", format!("use at most {PLAYER_LETTERS_MAX} letters on one line"));
            continue;
        }
        players.insert(seat, text.to_owned());
    }
    players
}
