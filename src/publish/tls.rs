//! What an encrypted connection to a broker needs: whom to trust, and who we are.
//!
//! In: PEM files. Out: a client's settings, or which file is wrong and how to mend it. It opens no connection.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use rustls::{
    ClientConfig, RootCertStore,
    crypto::ring,
    pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject},
};

/// Certificates cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{key}: {message}")]
pub struct TlsError {
    /// The configuration key.
    pub key: &'static str,
    /// Expected, found, how to mend it.
    pub message: String,
}

/// Trusts the certificates of `authorities`, or those of the system; shows `own` (certificate and key) to brokers that
/// ask for it.
///
/// # Errors
/// A file cannot be read or does not hold what it should.
pub fn client(authorities: Option<&Path>, own: Option<(&Path, &Path)>) -> Result<Arc<ClientConfig>, TlsError> {
    let provider = Arc::new(ring::default_provider());
    let versions = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let versions = versions.map_err(|e| TlsError { key: "mqtt.broker", message: e.to_string() })?;
    let builder = versions.with_root_certificates(match authorities {
        Some(path) => trusted_in(path)?,
        None => trusted_by_system()?,
    });
    let config = match own {
        None => builder.with_no_client_auth(),
        Some((certificate, key)) => {
            let chain = certificates("mqtt.client_cert", certificate)?;
            let key = PrivateKeyDer::from_pem_file(key).map_err(|e| {
                wrong(
                    "mqtt.client_key",
                    "a private key in PEM form",
                    key,
                    &format!("{e}; make it with openssl genpkey"),
                )
            })?;
            let misfit = |e: rustls::Error| wrong("mqtt.client_cert", "a certificate of the key", certificate, &e);
            builder.with_client_auth_cert(chain, key).map_err(misfit)?
        }
    };
    Ok(Arc::new(config))
}

fn trusted_in(path: &Path) -> Result<RootCertStore, TlsError> {
    let mut store = RootCertStore::empty();
    for certificate in certificates("mqtt.ca_file", path)? {
        let misfit = |e: rustls::Error| wrong("mqtt.ca_file", "certificates of authorities", path, &e);
        store.add(certificate).map_err(misfit)?;
    }
    Ok(store)
}

fn trusted_by_system() -> Result<RootCertStore, TlsError> {
    let mut store = RootCertStore::empty();
    store.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    if store.is_empty() {
        let message = "expected certificates of the system, found none; install ca-certificates, or name a file";
        return Err(TlsError { key: "mqtt.ca_file", message: message.into() });
    }
    Ok(store)
}

fn certificates(key: &'static str, path: &Path) -> Result<Vec<CertificateDer<'static>>, TlsError> {
    let expected = "certificates in PEM form";
    let read = CertificateDer::pem_file_iter(path).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    let chain: Vec<_> = read.map_err(|e| wrong(key, expected, path, &e))?;
    if chain.is_empty() {
        return Err(wrong(key, expected, path, &"none"));
    }
    Ok(chain)
}

fn wrong(key: &'static str, expected: &str, path: &Path, found: &dyn std::fmt::Display) -> TlsError {
    let path: PathBuf = path.to_owned();
    TlsError { key, message: format!("expected {expected} in {}, found: {found}", path.display()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_certificate_is_named_with_its_key() {
        let file = tempfile::NamedTempFile::new().unwrap();
        for text in ["", "no certificate", "-----BEGIN CERTIFICATE-----\nxx\n-----END CERTIFICATE-----\n"] {
            std::fs::write(file.path(), text).unwrap();
            let error = client(Some(file.path()), None).unwrap_err();
            assert_eq!(error.key, "mqtt.ca_file", "{text:?}");
            assert!(error.message.contains(&file.path().display().to_string()), "{error}");
        }
        assert_eq!(client(Some(Path::new("/nothing")), None).unwrap_err().key, "mqtt.ca_file");
    }
}
