//! From a configuration file to what a node is started with.
//!
//! In: a checked [`Config`]. Out: [`NodeSettings`] with passwords and certificates read from their files. A file with a
//! secret that everybody may read is refused.

use std::{fs, os::unix::fs::PermissionsExt as _, path::Path, time::Duration};

use super::{
    config::{self, Config, External},
    settings::{Broker, NodeSettings},
};
use crate::publish::{
    password::Password,
    tls::{self, TlsError},
};

/// Rights of everybody who is neither the owner nor of the group.
const OTHERS: u32 = 0o007;
/// Bytes of the largest file with a secret.
const SECRET_BYTES_MAX: u64 = 64 << 10;

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
    /// A file with a password or a certificate cannot be read, or everybody may read a secret.
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
            arbiter: password("auth.arbiter_password_file", config.auth.arbiter_password_file.as_deref())?,
            tables: config.tables.clone(),
            shown,
        })
    }
}

impl From<TlsError> for SettingsError {
    fn from(TlsError { key, message }: TlsError) -> SettingsError {
        SettingsError { key, message }
    }
}

fn external_broker(external: &External) -> Result<Broker, SettingsError> {
    let password = match &external.password_file {
        Some(path) => Some(first_line("mqtt.password_file", path)?),
        None => None,
    };
    let login = external.user.clone().map(|user| (user, password.unwrap_or_default()));
    let own = external.client_cert.as_deref().zip(external.client_key.as_deref());
    if let Some((_, key)) = own {
        secret("mqtt.client_key", key)?;
    }
    let tls = match external.tls {
        true => Some(tls::client(external.ca_file.as_deref(), own)?),
        false => None,
    };
    let refresh = external.refresh_us.map(Duration::from_micros);
    Ok(Broker::External { host: external.host.clone(), port: external.port, login, tls, refresh })
}

/// The password of a file, or its hash.
fn password(key: &'static str, path: Option<&Path>) -> Result<Option<Password>, SettingsError> {
    let Some(path) = path else { return Ok(None) };
    let line = first_line(key, path)?;
    let wrong = |found| SettingsError {
        key,
        message: format!("expected a password or its hash in the first line of {}, found {found}", path.display()),
    };
    Password::read(&line).map(Some).map_err(wrong)
}

/// The first line of a file with a secret.
fn first_line(key: &'static str, path: &Path) -> Result<String, SettingsError> {
    match secret(key, path)?.lines().next() {
        Some(line) if !line.is_empty() => Ok(line.to_owned()),
        _ => Err(unreadable(key, path, "an empty line")),
    }
}

/// The text of a file that not everybody may read.
fn secret(key: &'static str, path: &Path) -> Result<String, SettingsError> {
    let found = fs::metadata(path).map_err(|e| unreadable(key, path, &e.to_string()))?;
    let mode = found.permissions().mode();
    if mode & OTHERS != 0 {
        let mend = format!("rights {:03o}: everybody may read it; chmod o-rwx {}", mode & 0o777, path.display());
        return Err(unreadable(key, path, &mend));
    }
    if found.len() > SECRET_BYTES_MAX {
        return Err(unreadable(key, path, &format!("{} bytes", found.len())));
    }
    fs::read_to_string(path).map_err(|e| unreadable(key, path, &e.to_string()))
}

fn unreadable(key: &'static str, path: &Path, found: &str) -> SettingsError {
    let message =
        format!("expected a file with a secret that only the daemon's user may read, {}: {found}", path.display());
    SettingsError { key, message }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_read_only_where_not_everybody_may() {
        let file = tempfile::NamedTempFile::new().unwrap();
        fs::write(file.path(), "secret\nmore\n").unwrap();
        let read = |mode| {
            fs::set_permissions(file.path(), fs::Permissions::from_mode(mode)).unwrap();
            first_line("mqtt.password_file", file.path())
        };
        assert_eq!(read(0o600).unwrap(), "secret");
        assert_eq!(read(0o640).unwrap(), "secret");
        for mode in [0o604, 0o644, 0o602] {
            let error = read(mode).unwrap_err().to_string();
            assert!(error.contains("mqtt.password_file") && error.contains("chmod o-rwx"), "{error}");
        }
        fs::write(file.path(), "\n").unwrap();
        assert!(read(0o600).is_err());
        assert!(first_line("x", Path::new("/nothing")).is_err());
    }
}
