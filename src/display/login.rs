//! Arbiters who have signed in at the web server.
//!
//! In: passwords that browsers send, tokens that they bring back as cookies. Out: the login with which the bridge opens
//! their connection to the broker. Scripts of the page never see either. Attempts are counted by address.

use std::{
    collections::BTreeMap,
    net::IpAddr,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use axum::http::{HeaderMap, HeaderValue, header};
use tokio::{sync::Semaphore, time::Instant};

use crate::publish::{attempts::Attempts, broker::ARBITER_USER, password::Password};

/// How long a session lasts: an evening.
const SESSION: Duration = Duration::from_secs(12 * 3600);
/// Sessions at once; the oldest ends when there is one more.
const SESSIONS_MAX: usize = 64;
/// Logins that may wait on a thread for a hash, which are worked out one after the other.
const HASHES_MAX: usize = 2;
const COOKIE: &str = "bughoused";

/// Why somebody is not let in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    /// Nobody can sign in here: there is no password.
    Closed,
    /// The password is wrong.
    Wrong,
    /// Too many wrong ones.
    Wait,
}

/// Who is signed in.
pub(super) struct Logins {
    password: Option<Password>,
    attempts: Mutex<Attempts>,
    sessions: Mutex<BTreeMap<String, Session>>,
    hashing: Semaphore,
}

struct Session {
    /// What the broker is told; an external one checks it itself.
    password: String,
    until: Instant,
}

impl Logins {
    /// Nobody yet; without a password nobody ever.
    pub fn new(password: Option<Password>) -> Logins {
        let hashing = Semaphore::new(HASHES_MAX);
        Logins { password, attempts: Mutex::default(), sessions: Mutex::default(), hashing }
    }

    /// What the page is told: `mqtt` (the broker asks), `out` or `in`.
    pub fn state(&self, headers: &HeaderMap) -> &'static str {
        match (&self.password, self.login(headers)) {
            (None, _) => "mqtt",
            (_, None) => "out",
            (_, Some(_)) => "in",
        }
    }

    /// Lets somebody in who knows the password. Answers the cookie.
    pub async fn sign_in(&self, from: IpAddr, typed: String, secure: bool) -> Result<HeaderValue, Refusal> {
        let expected = self.password.clone().ok_or(Refusal::Closed)?;
        if !self.may_try(from) {
            return Err(Refusal::Wait);
        }
        let right = match self.hashing.acquire().await {
            Ok(_place) => {
                let compared = tokio::task::spawn_blocking(move || expected.is(typed.as_bytes()).then_some(typed));
                compared.await.ok().flatten()
            }
            Err(_) => None,
        };
        self.note(from, right.is_some());
        let password = right.ok_or(Refusal::Wrong)?;
        #[allow(clippy::disallowed_methods, reason = "outside the core; what it decides is not recorded")]
        let token = format!("{:032x}", rand::random::<u128>());
        let cookie = cookie(&token, SESSION.as_secs(), secure);
        let mut sessions = self.sessions();
        if sessions.len() >= SESSIONS_MAX {
            let oldest = sessions.iter().min_by_key(|(_, session)| session.until).map(|(token, _)| token.clone());
            oldest.map(|token| sessions.remove(&token));
        }
        sessions.insert(token, Session { password, until: Instant::now() + SESSION });
        Ok(cookie)
    }

    /// Ends a session. Answers the cookie that takes the other one away.
    pub fn sign_out(&self, headers: &HeaderMap) -> HeaderValue {
        if let Some(token) = token(headers) {
            self.sessions().remove(token);
        }
        cookie("", 0, false)
    }

    /// User and password of whoever brings this cookie.
    pub fn login(&self, headers: &HeaderMap) -> Option<(String, String)> {
        let mut sessions = self.sessions();
        sessions.retain(|_, session| session.until > Instant::now());
        let session = sessions.get(token(headers)?)?;
        Some((ARBITER_USER.to_owned(), session.password.clone()))
    }

    /// Whether an address may try a password now.
    pub fn may_try(&self, from: IpAddr) -> bool {
        self.attempts.lock().unwrap_or_else(PoisonError::into_inner).may_try(from, Instant::now())
    }

    /// Notes how an attempt ended.
    pub fn note(&self, from: IpAddr, right: bool) {
        let mut attempts = self.attempts.lock().unwrap_or_else(PoisonError::into_inner);
        match right {
            true => attempts.succeeded(from),
            false => attempts.failed(from, Instant::now()),
        }
    }

    fn sessions(&self) -> MutexGuard<'_, BTreeMap<String, Session>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether a request comes from our own page, as far as the browser says.
pub(super) fn same_origin(headers: &HeaderMap) -> bool {
    let Some(origin) = headers.get(header::ORIGIN) else { return true };
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok());
    let origin = origin.to_str().ok().and_then(|origin| origin.split_once("://")).map(|(_, host)| host);
    origin.is_some() && origin == host
}

fn cookie(token: &str, seconds: u64, secure: bool) -> HeaderValue {
    let secure = if secure { "; Secure" } else { "" };
    let text = format!("{COOKIE}={token}; Path=/; HttpOnly; SameSite=Strict; Max-Age={seconds}{secure}");
    HeaderValue::from_str(&text).unwrap_or(HeaderValue::from_static(""))
}

fn token(headers: &HeaderMap) -> Option<&str> {
    let cookies = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut pairs = cookies.flat_map(|value| value.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.find(|(name, _)| *name == COOKIE).map(|(_, token)| token)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_cookie(cookie: &HeaderValue) -> HeaderMap {
        let pair = cookie.to_str().unwrap().split(';').next().unwrap();
        HeaderMap::from_iter([(header::COOKIE, HeaderValue::from_str(&format!("other=1; {pair}")).unwrap())])
    }

    #[tokio::test]
    async fn who_knows_the_password_gets_a_cookie_that_scripts_do_not_see() {
        let logins = Logins::new(Some(Password::clear("secret")));
        let here = IpAddr::from([10, 0, 0, 1]);
        let cookie = logins.sign_in(here, "secret".into(), true).await.unwrap();
        for part in ["HttpOnly", "SameSite=Strict", "Secure", "Path=/"] {
            assert!(cookie.to_str().unwrap().contains(part), "{cookie:?}");
        }
        let headers = with_cookie(&cookie);
        assert_eq!(logins.login(&headers), Some(("arbiter".into(), "secret".into())));
        assert_eq!((logins.state(&headers), logins.state(&HeaderMap::new())), ("in", "out"));
        let gone = logins.sign_out(&headers);
        assert!(gone.to_str().unwrap().contains("Max-Age=0"));
        assert_eq!(logins.login(&headers), None);
        assert_eq!(logins.login(&with_cookie(&HeaderValue::from_static("bughoused=; Path=/"))), None);
    }

    #[tokio::test]
    async fn guessing_is_slow_and_a_hall_without_a_password_is_closed() {
        let logins = Logins::new(Some(Password::clear("secret")));
        let (guesser, other) = (IpAddr::from([10, 0, 0, 1]), IpAddr::from([10, 0, 0, 2]));
        for _ in 0..5 {
            assert_eq!(logins.sign_in(guesser, "guess".into(), false).await, Err(Refusal::Wrong));
        }
        assert_eq!(logins.sign_in(guesser, "secret".into(), false).await, Err(Refusal::Wait));
        assert!(logins.sign_in(other, "secret".into(), false).await.is_ok());
        assert_eq!(Logins::new(None).sign_in(other, "x".into(), false).await, Err(Refusal::Closed));
        for _ in 0..2 * SESSIONS_MAX {
            logins.sign_in(other, "secret".into(), false).await.unwrap();
        }
        assert!(logins.sessions().len() <= SESSIONS_MAX);
    }

    #[test]
    fn only_our_own_page_is_of_our_origin() {
        let check = |origin: Option<&'static str>, expect| {
            let mut headers = HeaderMap::from_iter([(header::HOST, HeaderValue::from_static("hall:8080"))]);
            headers.extend(origin.map(|origin| (header::ORIGIN, HeaderValue::from_static(origin))));
            assert_eq!(same_origin(&headers), expect, "{origin:?}");
        };
        check(None, true);
        check(Some("http://hall:8080"), true);
        check(Some("http://evil:8080"), false);
        check(Some("null"), false);
    }
}
