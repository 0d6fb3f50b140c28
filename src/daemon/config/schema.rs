//! The configuration file as a JSON Schema, for editors and for programs that write one.
//!
//! In: the types below, which mirror the file's sections, and those of a table. Out: JSON. That the reader knows the
//! same keys is tested.

#![allow(dead_code, reason = "the fields are read by the schema generator alone")]

use schemars::{JsonSchema, generate::SchemaSettings};
use serde::Deserialize;
use serde_json::Value;

use crate::table::settings::TableSettings;

/// The configuration of one bughoused daemon.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Bughoused {
    /// This machine.
    #[serde(default)]
    node: Option<Node>,
    /// The bus.
    #[serde(default)]
    mqtt: Option<Mqtt>,
    /// Who may do what.
    #[serde(default)]
    auth: Option<Auth>,
    /// The web server.
    #[serde(default)]
    web: Option<Web>,
    /// At least one table.
    table: Vec<TableSettings>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Node {
    /// Names the machine in topics.
    id: Option<String>,
    /// Where the journal is.
    data_dir: Option<String>,
    /// Days for which raw bytes are kept; 0 for ever.
    keep_raw_days: Option<u32>,
    /// Megabytes of the journal beyond which the oldest raw bytes go; 0 for no bound.
    keep_raw_mb: Option<u32>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Mqtt {
    /// `embedded`, `mqtt://host:1883` or `mqtts://host:8883`.
    #[schemars(regex(pattern = r"^(embedded|mqtts?://.+)$"))]
    broker: Option<String>,
    /// Where the embedded broker listens.
    listen: Option<String>,
    /// First levels of every topic.
    prefix: Option<String>,
    /// Whether anonymous readers may read `live/`.
    live_open: Option<bool>,
    /// User name at an external broker.
    user: Option<String>,
    /// File with the password.
    password_file: Option<String>,
    /// Certificates that are trusted; the system's without.
    ca_file: Option<String>,
    /// Own certificate.
    client_cert: Option<String>,
    /// Its key.
    client_key: Option<String>,
    /// How often retained topics are sent again, for example `30s`: for brokers that do not give them to filters.
    refresh: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Auth {
    /// File with the password of user `arbiter`, or its hash.
    arbiter_password_file: Option<String>,
    /// File with the password of user `display`, or its hash.
    display_password_file: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Web {
    /// Where the web server listens.
    listen: Option<String>,
}

/// The JSON Schema (2020-12).
pub fn schema() -> Value {
    let generator = SchemaSettings::draft2020_12().into_generator();
    generator.into_root_schema_for::<Bughoused>().to_value()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::daemon::config::Config;

    /// Whether the reader knows the key of a section.
    fn known(section: &str, key: &str) -> bool {
        let text = format!("[{section}]\n{key} = false\n").replace("[table]", "[[table]]");
        let text = text.replace("[table.device]", "[[table]]\n[[table.device]]");
        let problems = Config::parse(&text, Path::new("c.toml")).expect_err("a part of a file is not enough");
        !problems
            .iter()
            .any(|problem| problem.message.starts_with("expected a known key") && problem.key.ends_with(key))
    }

    #[test]
    fn the_reader_knows_every_key_of_the_schema() {
        assert!(!known("node", "colour"), "an unknown key is found");
        let schema = schema();
        let mut keys = 0;
        for (section, name) in [
            ("node", "Node"),
            ("mqtt", "Mqtt"),
            ("auth", "Auth"),
            ("web", "Web"),
            ("table", "TableSettings"),
            ("table.device", "DeviceSettings"),
        ] {
            let properties = schema["$defs"][name]["properties"].as_object().expect("a section has keys");
            for key in properties.keys() {
                assert!(known(section, key), "{section}.{key}");
            }
            keys += properties.len();
        }
        assert!(keys > 35, "{keys}");
    }
}
