//! From a configuration file to what a node is started with.
//!
//! In: a checked [`Config`]. Out: [`NodeSettings`] with the passwords read from their files.

use std::{fs, path::Path};

use super::{
    config::{self, Config, External},
    settings::{Broker, NodeSettings},
};

/// The configuration is well-formed and cannot be followed all the same.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{key}: {message}")]
pub struct SettingsError {
    /// The key.
    pub key: &'static str,
    /// Expected, found, how to mend it.
    pub message: String,
}

impl NodeSettings {
    /// Follows a configuration. Reads password files, looks at nothing else.
    ///
    /// # Errors
    /// A password file cannot be read; the broker wants TLS.
    pub fn from_config(config: &Config) -> Result<NodeSettings, SettingsError> {
        let shown = serde_json::to_value(config).unwrap_or_default();
        let broker = match &config.mqtt.broker {
            config::Broker::Embedded { listen } => Broker::Embedded {
                listen: *listen,
                live_open: config.mqtt.live_open,
                arbiter: password("auth.arbiter_password_file", config.auth.arbiter_password_file.as_deref())?,
                display: password("auth.display_password_file", config.auth.display_password_file.as_deref())?,
            },
            config::Broker::External(external) => external_broker(external)?,
        };
        Ok(NodeSettings {
            speed: 1,
            id: config.node.id.clone(),
            data_dir: config.node.data_dir.clone(),
            retention: config.node.retention(),
            prefix: config.mqtt.prefix.clone(),
            broker,
            web: config.web.listen,
            tables: config.tables.clone(),
            shown,
        })
    }
}

fn external_broker(external: &External) -> Result<Broker, SettingsError> {
    if external.tls {
        let message =
            "expected mqtt://host:port, found mqtts://: this version speaks to brokers without TLS only; use a \
             listener on a trusted network, or a tunnel"
                .to_owned();
        return Err(SettingsError { key: "mqtt.broker", message });
    }
    let password = password("mqtt.password_file", external.password_file.as_deref())?;
    let login = external.user.clone().map(|user| (user, password.unwrap_or_default()));
    Ok(Broker::External { host: external.host.clone(), port: external.port, login })
}

/// The first line of a password file.
fn password(key: &'static str, path: Option<&Path>) -> Result<Option<String>, SettingsError> {
    let Some(path) = path else { return Ok(None) };
    let wrong = |found: String| SettingsError {
        key,
        message: format!("expected a file with a password in its first line, found {}: {found}", path.display()),
    };
    let text = fs::read_to_string(path).map_err(|e| wrong(e.to_string()))?;
    match text.lines().next() {
        Some(line) if !line.is_empty() => Ok(Some(line.to_owned())),
        _ => Err(wrong("the line is empty".into())),
    }
}
