//! Passwords as their files hold them: in clear, or better as an Argon2 hash.
//!
//! In: a line of text. Out: whether what somebody typed is the same. It never shows what it holds.

use std::{
    fmt,
    sync::{Arc, Mutex, PoisonError},
};

use argon2::{
    Algorithm, Argon2, Block, Params, Version,
    password_hash::{PasswordHash, PasswordHasher as _, SaltString},
};

/// Longest password in bytes: longer ones are never right and cost no hashing.
pub const PASSWORD_BYTES_MAX: usize = 256;
/// How a hash begins (PHC string format).
const HASH_PREFIX: &str = "$argon2";
/// Largest memory that a hash may ask for, in blocks of 1 KiB.
const BLOCKS_MAX: usize = 128 << 10;

/// What hashes are worked out in, one after the other: many logins at once must not take many times its size.
static MEMORY: Mutex<Vec<Block>> = Mutex::new(Vec::new());

/// A password to compare with. Clones share it.
#[derive(Clone, PartialEq, Eq)]
pub struct Password(Arc<Kind>);

#[derive(PartialEq, Eq)]
enum Kind {
    Clear(String),
    Hashed(String),
}

impl Password {
    /// The line of a password file: a hash as [`hash`] makes it, or the password itself.
    ///
    /// # Errors
    /// The line begins like a hash and is none, or is longer than a password may be.
    pub fn read(line: &str) -> Result<Password, String> {
        if line.starts_with(HASH_PREFIX) {
            if PasswordHash::new(line).ok().and_then(|hash| work_out(&hash, b"")).is_none() {
                return Err("a damaged hash; make it with bughoused password".to_owned());
            }
            return Ok(Password(Arc::new(Kind::Hashed(line.to_owned()))));
        }
        match line.len() {
            0 => Err("an empty line".to_owned()),
            1..=PASSWORD_BYTES_MAX => Ok(Password::clear(line)),
            bytes => Err(format!("{bytes} bytes; use at most {PASSWORD_BYTES_MAX}")),
        }
    }

    /// The password itself.
    pub fn clear(password: &str) -> Password {
        Password(Arc::new(Kind::Clear(password.to_owned())))
    }

    /// Whether this is the password. A hash takes some ten milliseconds and 19 MiB.
    pub fn is(&self, typed: &[u8]) -> bool {
        if typed.len() > PASSWORD_BYTES_MAX {
            return false;
        }
        match &*self.0 {
            Kind::Clear(password) => same(password.as_bytes(), typed),
            Kind::Hashed(line) => {
                let hash = PasswordHash::new(line).ok();
                let pair = hash.as_ref().and_then(|hash| Some((hash.hash?, work_out(hash, typed)?)));
                pair.is_some_and(|(expected, found)| same(expected.as_bytes(), &found))
            }
        }
    }
}

/// What `typed` comes to with the salt and the parameters of a hash; none for a hash that lacks something.
fn work_out(hash: &PasswordHash<'_>, typed: &[u8]) -> Option<Vec<u8>> {
    let params = Params::try_from(hash).ok().filter(|params| params.block_count() <= BLOCKS_MAX)?;
    let algorithm = Algorithm::try_from(hash.algorithm).ok()?;
    let version = hash.version.map_or(Some(Version::default()), |version| Version::try_from(version).ok())?;
    let mut salt = [0; 64];
    let salt = hash.salt?.decode_b64(&mut salt).ok()?;
    let mut out = vec![0; hash.hash?.len()];
    let mut memory = MEMORY.lock().unwrap_or_else(PoisonError::into_inner);
    memory.resize(params.block_count(), Block::default());
    let argon = Argon2::new(algorithm, version, params);
    argon.hash_password_into_with_memory(typed, salt, &mut out, &mut memory[..]).ok()?;
    Some(out)
}

impl fmt::Debug for Password {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Password(…)")
    }
}

/// The line for a password file: Argon2id with a salt that no other password has.
///
/// # Errors
/// The password is empty or too long.
pub fn hash(password: &str, salt: [u8; 16]) -> Result<String, String> {
    Password::read(password)?;
    let salt = SaltString::encode_b64(&salt).map_err(|e| e.to_string())?;
    let hash = Argon2::default().hash_password(password.as_bytes(), &salt).map_err(|e| e.to_string())?;
    Ok(hash.to_string())
}

/// Compares in a time that does not tell how much is right.
pub(super) fn same(a: &[u8], b: &[u8]) -> bool {
    a.len() == b.len() && a.iter().zip(b).fold(0, |differs, (a, b)| differs | (a ^ b)) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clear_and_hashed_passwords_are_recognised_and_never_shown() {
        let line = hash("právo 64", [1; 16]).unwrap();
        assert!(line.starts_with("$argon2id$") && !line.contains("64 "), "{line}");
        assert_ne!(line, hash("právo 64", [2; 16]).unwrap(), "the salt matters");
        for password in [Password::read(&line).unwrap(), Password::read("právo 64").unwrap()] {
            assert!(password.is("právo 64".as_bytes()));
            for wrong in ["", "právo 6", "právo 645", line.as_str(), &"x".repeat(300)] {
                assert!(!password.is(wrong.as_bytes()), "{wrong}");
            }
            assert_eq!(format!("{password:?}"), "Password(…)");
        }
    }

    #[test]
    fn what_is_no_password_is_said_so() {
        for line in ["", "$argon2id$v=19$broken", &"x".repeat(300)] {
            assert!(Password::read(line).is_err(), "{line}");
        }
        assert!(hash("", [1; 16]).is_err());
    }
}
