//! The bridge between one browser's WebSocket and the broker's TCP port.
//!
//! In: binary messages. Out: the same bytes to the broker, and the broker's bytes back as binary messages; cuts carry
//! no meaning, as MQTT wants it for WebSockets. Either side's end ends the other. Of MQTT it knows how a conversation
//! opens: who signed in at the web server is logged in at the broker, and who guesses passwords there has to wait. Who
//! may read what is the broker's business.

use std::{
    net::IpAddr,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use axum::{
    body::Bytes,
    extract::ws::{CloseFrame, Message, WebSocket, close_code},
};
use futures_util::{SinkExt, StreamExt, stream::SplitSink, stream::SplitStream};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpStream, tcp},
    sync::watch,
    time::{self, MissedTickBehavior},
};

use super::{
    login::Logins,
    opening::{OPENING_BYTES_MAX, Opening},
};

/// The largest message that a browser may send, in bytes: the largest packet that the brokers take.
pub(super) const MESSAGE_BYTES_MAX: usize = 1 << 20;
/// What is read from the broker at once, in bytes.
const READ_BYTES: usize = 16 << 10;
/// The broker has this long to take the connection.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// A message must be taken by the other side within this time.
const SEND_TIMEOUT: Duration = Duration::from_secs(30);
/// How often the browser is asked whether it is still there.
const PING_EVERY: Duration = Duration::from_secs(30);
/// A browser that says nothing for so long, not even to a ping, is gone.
const SILENCE_MAX: Duration = Duration::from_secs(75);
/// Time for the closing handshake.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(1);

/// Why a bridge ended: code and reason of the close frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct End(u16, &'static str);

const BROKER_ABSENT: End = End(close_code::AGAIN, "the broker cannot be reached; trying again later may help");
const BROKER_CLOSED: End = End(close_code::NORMAL, "the broker closed the connection");
const BROKER_LOST: End = End(close_code::AGAIN, "the connection to the broker broke");
const BROWSER_CLOSED: End = End(close_code::NORMAL, "");
const BROWSER_LOST: End = End(close_code::AWAY, "no answer from the browser");
const NOT_BINARY: End = End(close_code::UNSUPPORTED, "expected binary messages with MQTT packets, found text");
const TOO_LARGE: End = End(close_code::SIZE, "expected messages up to 1 MiB");
const STOPPING: End = End(close_code::AWAY, "the server stops");

const GUESSING: End = End(close_code::POLICY, "too many wrong passwords; wait a minute");
const STRANGE: End = End(close_code::POLICY, "expected MQTT's CONNECT first");
/// The first byte of the broker's answer to CONNECT, and what it says to a wrong login (MQTT 5, then 3.1.1).
const CONNACK: u8 = 0x20;
const LOGIN_REFUSED: [u8; 5] = [0x86, 0x87, 0x9f, 4, 5];

/// Who looks in.
pub(super) struct Visitor {
    /// Where the browser is.
    pub from: IpAddr,
    /// The login of who signed in at the web server.
    pub login: Option<(String, String)>,
    /// Who counts the others' attempts.
    pub logins: Arc<Logins>,
}

/// What the browser sends until its CONNECT is whole.
struct Beginning<'a> {
    visitor: &'a Visitor,
    /// Whether the browser logs in at the broker itself.
    typed: &'a AtomicBool,
    bytes: Vec<u8>,
    over: bool,
}

impl Beginning<'_> {
    /// Takes bytes in; answers those that may go on to the broker.
    fn pass(&mut self, bytes: Bytes) -> Result<Bytes, End> {
        if self.over {
            return Ok(bytes);
        }
        let room = OPENING_BYTES_MAX.saturating_sub(self.bytes.len());
        self.bytes.extend_from_slice(&bytes[..bytes.len().min(room)]);
        // Only a login that is to be replaced, or refused, is held back until it is known.
        let held = self.visitor.login.is_some() || !self.visitor.logins.may_try(self.visitor.from);
        match Opening::read(&self.bytes) {
            Opening::Incomplete if room > bytes.len() => Ok(if held { Bytes::new() } else { bytes }),
            Opening::Incomplete | Opening::Strange if held => Err(STRANGE),
            Opening::Incomplete | Opening::Strange => {
                self.over = true;
                Ok(bytes)
            }
            Opening::Whole(connect, behind) => {
                self.over = true;
                let passed = match &self.visitor.login {
                    Some((user, password)) => {
                        Ok(Bytes::from([connect.with_login(user, password), behind.to_vec()].concat()))
                    }
                    None if held && connect.logs_in() => Err(GUESSING),
                    None => {
                        self.typed.store(connect.logs_in(), Ordering::Relaxed);
                        Ok(if held { Bytes::copy_from_slice(&self.bytes) } else { bytes })
                    }
                };
                self.bytes = Vec::new();
                passed
            }
        }
    }
}

/// Carries bytes both ways until one side, or the server, ends.
pub(super) async fn run(socket: WebSocket, broker: String, visitor: Visitor, mut stopped: watch::Receiver<bool>) {
    let (mut to_browser, mut from_browser) = socket.split();
    let end = match connect(&broker).await {
        Ok(stream) => {
            let (from_broker, to_broker) = stream.into_split();
            let typed = AtomicBool::new(false);
            let beginning = Beginning { visitor: &visitor, typed: &typed, bytes: Vec::new(), over: false };
            tokio::select! {
                end = upward(&mut from_browser, to_broker, beginning) => end,
                end = downward(from_broker, &mut to_browser, &visitor, &typed) => end,
                _ = stopped.wait_for(|stopped| *stopped) => STOPPING,
            }
        }
        Err(error) => {
            tracing::warn!(
                "web: no connection to the broker at {broker}: {error}; is it running and is the port right?"
            );
            BROKER_ABSENT
        }
    };
    tracing::debug!("web: bridge to {broker} ended with {} {}", end.0, end.1);
    let _ = time::timeout(CLOSE_TIMEOUT, close(end, to_browser, from_browser)).await;
}

async fn connect(broker: &str) -> std::io::Result<TcpStream> {
    let stream = time::timeout(CONNECT_TIMEOUT, TcpStream::connect(broker)).await??;
    stream.set_nodelay(true)?;
    Ok(stream)
}

/// Browser to broker.
async fn upward(
    browser: &mut SplitStream<WebSocket>,
    mut broker: tcp::OwnedWriteHalf,
    mut beginning: Beginning<'_>,
) -> End {
    loop {
        let bytes = match time::timeout(SILENCE_MAX, browser.next()).await {
            Err(_) => return BROWSER_LOST,
            Ok(None | Some(Ok(Message::Close(_)))) => return BROWSER_CLOSED,
            Ok(Some(Ok(Message::Binary(bytes)))) => match beginning.pass(bytes) {
                Ok(bytes) => bytes,
                Err(end) => return end,
            },
            Ok(Some(Ok(Message::Ping(_) | Message::Pong(_)))) => continue,
            Ok(Some(Ok(Message::Text(_)))) => return NOT_BINARY,
            Ok(Some(Err(error))) => return broken(&error),
        };
        match time::timeout(SEND_TIMEOUT, broker.write_all(&bytes)).await {
            Ok(Ok(())) => {}
            Ok(Err(_)) | Err(_) => return BROKER_LOST,
        }
    }
}

/// Broker to browser, with a ping now and then.
async fn downward(
    mut broker: tcp::OwnedReadHalf,
    browser: &mut SplitSink<WebSocket, Message>,
    visitor: &Visitor,
    typed: &AtomicBool,
) -> End {
    let mut buffer = vec![0; READ_BYTES];
    let mut answered = false;
    let mut ping = time::interval(PING_EVERY);
    ping.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        let message = tokio::select! {
            read = broker.read(&mut buffer) => match read {
                Ok(0) => return BROKER_CLOSED,
                Ok(count) => {
                    if !std::mem::replace(&mut answered, true) && typed.load(Ordering::Relaxed) {
                        note_answer(visitor, &buffer[..count]);
                    }
                    Message::Binary(Bytes::copy_from_slice(&buffer[..count]))
                }
                Err(_) => return BROKER_LOST,
            },
            _ = ping.tick() => Message::Ping(Bytes::new()),
        };
        match time::timeout(SEND_TIMEOUT, browser.send(message)).await {
            Ok(Ok(())) => {}
            Ok(Err(_)) | Err(_) => return BROWSER_LOST,
        }
    }
}

/// Counts how the broker answered a login; its answer is one short packet.
fn note_answer(visitor: &Visitor, answer: &[u8]) {
    if let [CONNACK, _, _, code, ..] = answer {
        visitor.logins.note(visitor.from, !LOGIN_REFUSED.contains(code));
    }
}

/// What a broken WebSocket means; axum hides the kind of error behind a box.
fn broken(error: &axum::Error) -> End {
    match error.to_string().contains("too long") {
        true => TOO_LARGE,
        false => BROWSER_LOST,
    }
}

/// Says goodbye and waits for the browser's answer, so that nothing that was sent before is lost.
async fn close(end: End, mut to_browser: SplitSink<WebSocket, Message>, mut from_browser: SplitStream<WebSocket>) {
    let End(code, reason) = end;
    if to_browser.send(Message::Close(Some(CloseFrame { code, reason: reason.into() }))).await.is_ok() {
        while let Some(Ok(_)) = from_browser.next().await {}
    }
    if end == TOO_LARGE {
        // The rest of the message lies unread; hanging up on it resets the connection and loses the reason.
        time::sleep(CLOSE_TIMEOUT).await;
    }
}
