//! Rule sets as text and as tables of a configuration.

use std::{collections::BTreeMap, fmt, str::FromStr};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

use super::{FIELDS, Field, RuleSet};

/// Names this similar are suggested (Jaro-Winkler, 0 to 1).
const NEAR_MIN: f64 = 0.8;
/// The most names that are suggested.
const NEAR_COUNT: usize = 3;

/// A way of playing that people know by a name: changes to any law text.
///
/// ```
/// use bughoused::rules::{RuleSet, VARIANTS};
///
/// for variant in VARIANTS {
///     let rules: RuleSet = format!("fide-ext,{}", variant.name).parse().unwrap();
///     assert_eq!(rules.changes().len(), variant.changes.len());
/// }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Variant {
    /// The name in configurations.
    pub name: &'static str,
    /// What is different, for people.
    pub about: &'static str,
    /// Fields and their values.
    pub changes: &'static [(&'static str, &'static str)],
}

macro_rules! variants {
    ($($name:literal: $about:literal, $($field:literal = $value:literal),+;)+) => {
        &[$(Variant { name: $name, about: $about, changes: &[$(($field, $value)),+] }),+]
    };
}

/// The variants that people play.
pub const VARIANTS: &[Variant] = variants! {
    "no-drop-with-check": "a dropped man may not give check", "drop_may_check" = "false";
    "tandem": "a dropped man may not mate", "drop_may_mate" = "false";
    "own-half": "drops on the own half only", "drop_ranks" = "1-4";
    "middle-ranks": "drops on the third to the sixth rank only", "drop_ranks" = "3-6";
    "no-pawn-on-7th": "pawns are not dropped on the seventh rank", "pawn_drop_ranks" = "2-6";
    "no-pawn-on-6th": "pawns are not dropped on the sixth and seventh rank", "pawn_drop_ranks" = "2-5";
    "pawn-on-1st": "pawns may be dropped on the first rank", "pawn_drop_ranks" = "1-7";
    "no-promotion": "pawns never promote", "promotions" = "none";
    "promoted-keep-rank": "promoted men go over as what they are", "promoted_captured_as_pawn" = "false";
    "both-boards": "play goes on until all boards have ended, scores are added", "ending" = "all-boards";
    "king-capture": "kings may stand in check; the capture of one ends the game", "kings" = "captured";
    "all-kings": "kings are captured and dropped until one team holds all", "kings" = "collected";
    "simultaneous": "one player plays all boards of a team", "simultaneous" = "true";
    "one-clock": "one clock and one move at a time in a fixed order", "order" = "ring", "simultaneous" = "true";
    "no-clock": "no clock; nobody stalls longer than three moves of the partner", "stall_limit" = "3";
};

/// The text or table is no rule set.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RuleSetError {
    /// No law text has this name.
    #[error("expected one of {}, found {found:?}{}", names(), suggestion(.near))]
    Name {
        /// The name.
        found: String,
        /// Names that are similar.
        near: Vec<&'static str>,
    },
    /// No field and no variant has this name.
    #[error("expected a field or a variant of a rule set, found {found:?}{}", suggestion_or(.near))]
    Field {
        /// The name.
        found: String,
        /// Names that are similar.
        near: Vec<&'static str>,
    },
    /// The field does not take this value.
    #[error("{field}: expected {expected}, found {found:?}")]
    Value {
        /// The field.
        field: &'static str,
        /// What it takes.
        expected: &'static str,
        /// The value.
        found: String,
    },
}

fn names() -> String {
    RuleSet::ALL.map(|set| set.name).join(", ")
}

fn suggestion(near: &[&str]) -> String {
    let near: Vec<String> = near.iter().map(|name| format!("{name:?}")).collect();
    if near.is_empty() { String::new() } else { format!("; did you mean {}?", near.join(" or ")) }
}

fn suggestion_or(near: &[&str]) -> String {
    match suggestion(near) {
        none if none.is_empty() => {
            let fields: Vec<&str> = FIELDS.iter().map(|field| field.name).collect();
            let variants: Vec<&str> = VARIANTS.iter().map(|variant| variant.name).collect();
            format!("; the fields are {}; the variants are {}", fields.join(", "), variants.join(", "))
        }
        found => found,
    }
}

/// Names that are similar to what was found, the nearest first.
fn near(found: &str, names: impl Iterator<Item = &'static str>) -> Vec<&'static str> {
    let mut scored: Vec<(f64, &str)> = names.map(|name| (strsim::jaro_winkler(found, name), name)).collect();
    scored.retain(|(score, _)| *score >= NEAR_MIN);
    scored.sort_by(|one, other| other.0.total_cmp(&one.0));
    scored.into_iter().map(|(_, name)| name).take(NEAR_COUNT).collect()
}

impl RuleSet {
    /// The law text of this name, or what it may have meant.
    ///
    /// # Errors
    /// Names the law texts.
    pub fn base(name: &str) -> Result<RuleSet, RuleSetError> {
        let unknown =
            || RuleSetError::Name { found: name.into(), near: near(name, RuleSet::ALL.map(|s| s.name).into_iter()) };
        RuleSet::by_name(name).ok_or_else(unknown)
    }

    /// Changes one field.
    ///
    /// # Errors
    /// Names what the field takes, or the fields that may be meant.
    pub fn change(&mut self, name: &str, value: &str) -> Result<(), RuleSetError> {
        let field = Field::named(name).ok_or_else(|| unknown(name))?;
        let wrong = || RuleSetError::Value { field: field.name, expected: field.expected, found: value.into() };
        field.set(self, value).ok_or_else(wrong)
    }

    /// Makes the changes of a variant.
    ///
    /// # Errors
    /// Names the variants that may be meant.
    pub fn vary(&mut self, name: &str) -> Result<(), RuleSetError> {
        let variant = VARIANTS.iter().find(|variant| variant.name == name).ok_or_else(|| unknown(name))?;
        variant.changes.iter().try_for_each(|(field, value)| self.change(field, value))
    }

    /// The fields that differ from the law text, with their values.
    pub fn changes(&self) -> Vec<(&'static str, String)> {
        let base = RuleSet::by_name(self.name).unwrap_or(RuleSet::WBN_1_00);
        let differs = |field: &&Field| field.get(self) != field.get(&base);
        FIELDS.iter().filter(differs).map(|field| (field.name, field.get(self))).collect()
    }
}

fn unknown(name: &str) -> RuleSetError {
    let names = FIELDS.iter().map(|field| field.name).chain(VARIANTS.iter().map(|variant| variant.name));
    RuleSetError::Field { found: name.into(), near: near(name, names) }
}

impl fmt::Display for RuleSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)?;
        self.changes().iter().try_for_each(|(field, value)| write!(f, ",{field}={value}"))
    }
}

impl FromStr for RuleSet {
    type Err = RuleSetError;

    fn from_str(text: &str) -> Result<RuleSet, RuleSetError> {
        let mut parts = text.split(',').map(str::trim);
        let mut rules = RuleSet::base(parts.next().unwrap_or_default())?;
        for part in parts {
            match part.split_once('=') {
                Some((field, value)) => rules.change(field.trim(), value.trim())?,
                None => rules.vary(part)?,
            }
        }
        Ok(rules)
    }
}

impl Serialize for RuleSet {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// `"wbn-1.00"` or `{ base = "wbn-1.00", variants = ["tandem"], repetition = 4 }`.
#[derive(Deserialize)]
#[serde(untagged)]
enum Spelled {
    Text(String),
    Table(BTreeMap<String, Scalar>),
}

/// A value of a table.
#[derive(Deserialize)]
#[serde(untagged)]
enum Scalar {
    Flag(bool),
    Count(i64),
    Text(String),
    List(Vec<Scalar>),
}

impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Scalar::Flag(flag) => write!(f, "{flag}"),
            Scalar::Count(count) => write!(f, "{count}"),
            Scalar::Text(text) => f.write_str(text),
            Scalar::List(items) => {
                let items: Vec<String> = items.iter().map(Scalar::to_string).collect();
                f.write_str(&items.join("/"))
            }
        }
    }
}

impl TryFrom<Spelled> for RuleSet {
    type Error = RuleSetError;

    fn try_from(spelled: Spelled) -> Result<RuleSet, RuleSetError> {
        let mut table = match spelled {
            Spelled::Text(text) => return text.parse(),
            Spelled::Table(table) => table,
        };
        let base = table.remove("base").map_or_else(String::new, |base| base.to_string());
        let mut rules = RuleSet::base(&base)?;
        match table.remove("variants") {
            Some(Scalar::List(names)) => names.iter().try_for_each(|name| rules.vary(&name.to_string()))?,
            Some(name) => rules.vary(&name.to_string())?,
            None => {}
        }
        table.iter().try_for_each(|(field, value)| rules.change(field, &value.to_string()))?;
        Ok(rules)
    }
}

impl<'de> Deserialize<'de> for RuleSet {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<RuleSet, D::Error> {
        let expected = "expected the name of a rule set or a table { base = \"wbn-1.00\", field = value }";
        let spelled = Spelled::deserialize(deserializer).map_err(|_| D::Error::custom(expected))?;
        RuleSet::try_from(spelled).map_err(D::Error::custom)
    }
}
