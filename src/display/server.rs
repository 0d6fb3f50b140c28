//! The web server: the spectators' page, its files, and the broker as a WebSocket.
//!
//! | path | answer |
//! |---|---|
//! | `/`, `/assets/…` | the page and its files, compiled into the program |
//! | `/hall` | all tables of all nodes |
//! | `/arbiter` | the arbiter's desk |
//! | `/login` | `POST` of the arbiter's password: a session cookie; `/logout` ends it |
//! | `/config.json` | `{"prefix", "version", "login"}`: all that a page must know before it hears the broker |
//! | `/mqtt` | WebSocket with subprotocol `mqtt`, bridged to the broker's TCP port; `?role=arbiter` with the cookie |
//! | `/healthz` | `ok` while the server answers |
//!
//! In: a bound listener, settings, a future that says when to stop. Out: nothing but answers. It knows no table: the
//! broker decides who may read what, so `/mqtt` without the cookie is open to pages of other origins too.

use std::{
    io,
    net::{IpAddr, SocketAddr},
    pin::pin,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use axum::{
    Extension, Router,
    extract::{DefaultBodyLimit, FromRequestParts, Path, Request, State, WebSocketUpgrade},
    http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header},
    middleware,
    response::{IntoResponse, Response},
    routing::{get, post},
};
use hyper::server::conn::http1;
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    service::TowerToHyperService,
};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::{OwnedSemaphorePermit, Semaphore, watch},
    task::JoinSet,
    time,
};

use super::{
    assets,
    bridge::{self, Visitor},
    login::{Logins, Refusal, same_origin},
};
use crate::publish::{
    guests::{Guest, Guests},
    password::{PASSWORD_BYTES_MAX, Password},
};

/// Browsers that may watch at once. Each takes up to three descriptors of the process: browser, bridge, broker.
pub const WATCHERS_MAX: usize = 256;
/// Connections that may fetch files at once; further ones wait in the system's queue.
const FETCHERS_MAX: usize = 64;
/// Of these, one address may have so many.
const WATCHERS_EACH_MAX: usize = 64;
const FETCHERS_EACH_MAX: usize = 16;
/// A request's head must be there within this time.
const HEAD_TIMEOUT: Duration = Duration::from_secs(10);
/// A connection that fetches files is closed after this time, so that a slow reader does not keep its place.
const FETCH_TIME_MAX: Duration = Duration::from_secs(60);
/// The largest head of a request, in bytes.
const HEAD_BYTES_MAX: usize = 16 << 10;
/// What is begun may be finished within this time when the server stops.
const STOP_GRACE: Duration = Duration::from_secs(2);
/// Pause after a failed accept, and how many failures in a row end the server.
const ACCEPT_PAUSE: Duration = Duration::from_millis(200);
const ACCEPT_FAILURES_MAX: u32 = 100;

/// The WebSocket subprotocol of MQTT, versions 3.1.1 and 5 alike.
const SUBPROTOCOL: &str = "mqtt";

/// Nothing but the server's own files and its own WebSocket.
const CONTENT_SECURITY_POLICY: &str = "default-src 'self'; connect-src 'self'; object-src 'none'; base-uri 'none'; \
     form-action 'none'; frame-ancestors 'self'";

/// On every answer.
const SECURITY_HEADERS: [(HeaderName, HeaderValue); 3] = [
    (header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(CONTENT_SECURITY_POLICY)),
    (header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
    (header::REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
];

/// What the server is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebSettings {
    /// Where to listen; [`bind`] reads it.
    pub listen: SocketAddr,
    /// The broker's TCP port as `host:port`, embedded or external.
    pub broker: String,
    /// Prefix of all topics.
    pub prefix: String,
    /// What arbiters sign in with here; without it the broker asks them.
    pub arbiter: Option<Password>,
}

/// What the handlers share.
#[derive(Clone)]
struct Shared {
    settings: Arc<WebSettings>,
    logins: Arc<Logins>,
    watchers: Arc<Semaphore>,
    watching: Guests,
    stopped: watch::Receiver<bool>,
    refused: Arc<AtomicU64>,
}

/// Takes the configured port.
pub async fn bind(settings: &WebSettings) -> io::Result<TcpListener> {
    TcpListener::bind(settings.listen).await
}

/// Serves until `shutdown` is ready, then lets what was begun end within two seconds. An error is a listener that
/// takes no more connections.
pub async fn serve(
    listener: TcpListener,
    settings: WebSettings,
    shutdown: impl Future<Output = ()> + Send + 'static,
) -> io::Result<()> {
    let (stop, stopped) = watch::channel(false);
    let watchers = Arc::new(Semaphore::new(WATCHERS_MAX));
    let logins = Arc::new(Logins::new(settings.arbiter.clone()));
    let settings = Arc::new(settings);
    let shared = Shared {
        settings,
        logins,
        watchers: Arc::clone(&watchers),
        watching: Guests::new(WATCHERS_EACH_MAX),
        stopped,
        refused: Arc::default(),
    };
    let mut fetchers = JoinSet::new();
    let served = tokio::select! {
        served = accept_all(&listener, shared, &mut fetchers) => served,
        () = shutdown => Ok(()),
    };
    drop(listener);
    let _ = stop.send(true);
    let _ = time::timeout(STOP_GRACE, async {
        while fetchers.join_next().await.is_some() {}
        // Every bridge gives its place back as its last act.
        let _ = watchers.acquire_many(WATCHERS_MAX as u32).await;
    })
    .await;
    served
}

async fn accept_all(listener: &TcpListener, shared: Shared, fetchers: &mut JoinSet<()>) -> io::Result<()> {
    let places = Arc::new(Semaphore::new(FETCHERS_MAX));
    let fetching = Guests::new(FETCHERS_EACH_MAX);
    let stopped = shared.stopped.clone();
    let app = router(shared);
    let mut failures = 0;
    loop {
        let place = Arc::clone(&places).acquire_owned().await.expect("the semaphore is never closed");
        while fetchers.try_join_next().is_some() {}
        match listener.accept().await {
            Ok((stream, from)) => {
                failures = 0;
                let Some(guest) = fetching.enter(from.ip()) else { continue }; // hung up on
                let app = app.clone().layer(Extension(From(from.ip())));
                let place = (place, guest);
                fetchers.spawn(converse(stream, app, stopped.clone(), place));
            }
            Err(error) if failures >= ACCEPT_FAILURES_MAX => return Err(error),
            Err(error) => {
                failures += 1;
                tracing::warn!("web: a connection could not be taken: {error}");
                time::sleep(ACCEPT_PAUSE).await;
            }
        }
    }
}

/// One HTTP connection. It ends when it becomes a WebSocket; that one has its own place.
async fn converse(
    stream: TcpStream,
    app: Router,
    mut stopped: watch::Receiver<bool>,
    place: (OwnedSemaphorePermit, Guest),
) {
    let _ = stream.set_nodelay(true);
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIMEOUT)
        .max_buf_size(HEAD_BYTES_MAX)
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(app))
        .with_upgrades();
    let mut connection = pin!(connection);
    tokio::select! {
        _ = connection.as_mut() => return,
        () = time::sleep(FETCH_TIME_MAX) => {}
        _ = stopped.wait_for(|stopped| *stopped) => {}
    }
    connection.as_mut().graceful_shutdown();
    let _ = time::timeout(STOP_GRACE, connection).await;
    drop(place);
}

fn router(shared: Shared) -> Router {
    Router::new()
        .route("/", get(|headers: HeaderMap| async move { assets::answer("index.html", &headers) }))
        .route("/arbiter", get(|headers: HeaderMap| async move { assets::answer("arbiter.html", &headers) }))
        .route("/hall", get(|headers: HeaderMap| async move { assets::answer("hall.html", &headers) }))
        .route("/login", post(login).layer(DefaultBodyLimit::max(PASSWORD_BYTES_MAX)))
        .route("/logout", post(logout))
        .route("/assets/{*path}", get(asset))
        .route("/config.json", get(config))
        .route("/healthz", get(|| async { "ok\n" }))
        .route("/mqtt", get(mqtt))
        .fallback(|| async { (StatusCode::NOT_FOUND, "no such page; the scoreboard is at /\n") })
        .layer(middleware::map_response(harden))
        .with_state(shared)
}

async fn harden(mut response: Response) -> Response {
    response.headers_mut().extend(SECURITY_HEADERS);
    response
}

async fn asset(Path(path): Path<String>, headers: HeaderMap) -> Response {
    assets::answer(&path, &headers)
}

/// Where a connection comes from.
#[derive(Clone, Copy)]
struct From(IpAddr);

async fn login(
    State(shared): State<Shared>,
    Extension(From(from)): Extension<From>,
    headers: HeaderMap,
    typed: String,
) -> Response {
    if !same_origin(&headers) {
        return (StatusCode::FORBIDDEN, "expected a request of this server's own page\n").into_response();
    }
    let secure = headers.get("x-forwarded-proto").is_some_and(|scheme| scheme == "https");
    match shared.logins.sign_in(from, typed, secure).await {
        Ok(cookie) => (StatusCode::NO_CONTENT, [(header::SET_COOKIE, cookie)]).into_response(),
        Err(Refusal::Wrong) => (StatusCode::UNAUTHORIZED, "the password is wrong\n").into_response(),
        Err(Refusal::Wait) => {
            let text = "too many wrong passwords; wait a minute\n";
            (StatusCode::TOO_MANY_REQUESTS, [(header::RETRY_AFTER, "60")], text).into_response()
        }
        Err(Refusal::Closed) => (StatusCode::NOT_FOUND, "set auth.arbiter_password_file first\n").into_response(),
    }
}

async fn logout(State(shared): State<Shared>, headers: HeaderMap) -> impl IntoResponse {
    (StatusCode::NO_CONTENT, [(header::SET_COOKIE, shared.logins.sign_out(&headers))])
}

async fn config(State(shared): State<Shared>, headers: HeaderMap) -> impl IntoResponse {
    let body = serde_json::json!({
        "prefix": shared.settings.prefix,
        "version": env!("CARGO_PKG_VERSION"),
        "login": shared.logins.state(&headers),
    });
    ([(header::CACHE_CONTROL, "no-store"), (header::CONTENT_TYPE, "application/json")], body.to_string())
}

/// Upgrades to a WebSocket and hands it to the bridge.
async fn mqtt(State(shared): State<Shared>, Extension(From(from)): Extension<From>, request: Request) -> Response {
    let (mut parts, _) = request.into_parts();
    let as_arbiter = parts.uri.query() == Some("role=arbiter");
    let login = shared.logins.login(&parts.headers).filter(|_| as_arbiter && same_origin(&parts.headers));
    if as_arbiter && login.is_none() {
        return (StatusCode::UNAUTHORIZED, "sign in at /arbiter first\n").into_response();
    }
    let upgrade = match WebSocketUpgrade::from_request_parts(&mut parts, &shared).await {
        Ok(upgrade) => upgrade.protocols([SUBPROTOCOL]),
        Err(rejection) => return rejection.into_response(),
    };
    if upgrade.selected_protocol().is_none() {
        let text = "expected the WebSocket subprotocol \"mqtt\"; set it in the client's options\n";
        return (StatusCode::BAD_REQUEST, text).into_response();
    }
    let place = Arc::clone(&shared.watchers).try_acquire_owned().ok().zip(shared.watching.enter(from));
    let Some(place) = place else {
        let refused = shared.refused.fetch_add(1, Ordering::Relaxed) + 1;
        tracing::warn!(
            "web: {WATCHERS_MAX} browsers watch, or {WATCHERS_EACH_MAX} from {from}; {refused} refused so far"
        );
        let text = "expected a free place, found none; try again in half a minute\n";
        return (StatusCode::SERVICE_UNAVAILABLE, [(header::RETRY_AFTER, "30")], text).into_response();
    };
    upgrade.max_message_size(bridge::MESSAGE_BYTES_MAX).max_frame_size(bridge::MESSAGE_BYTES_MAX).on_upgrade(
        move |socket| async move {
            let visitor = Visitor { from, login, logins: shared.logins };
            bridge::run(socket, shared.settings.broker.clone(), visitor, shared.stopped).await;
            drop(place);
        },
    )
}

#[cfg(test)]
mod tests;
