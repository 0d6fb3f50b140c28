//! The bridge between one browser's WebSocket and the broker's TCP port.
//!
//! In: binary messages. Out: the same bytes to the broker, and the broker's bytes back as binary messages; cuts carry
//! no meaning, as MQTT wants it for WebSockets. Either side's end ends the other. It parses no MQTT: who may read what
//! is the broker's business.

use std::time::Duration;

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

/// Carries bytes both ways until one side, or the server, ends.
pub(super) async fn run(socket: WebSocket, broker: String, mut stopped: watch::Receiver<bool>) {
    let (mut to_browser, mut from_browser) = socket.split();
    let end = match connect(&broker).await {
        Ok(stream) => {
            let (from_broker, to_broker) = stream.into_split();
            tokio::select! {
                end = upward(&mut from_browser, to_broker) => end,
                end = downward(from_broker, &mut to_browser) => end,
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
async fn upward(browser: &mut SplitStream<WebSocket>, mut broker: tcp::OwnedWriteHalf) -> End {
    loop {
        let bytes = match time::timeout(SILENCE_MAX, browser.next()).await {
            Err(_) => return BROWSER_LOST,
            Ok(None | Some(Ok(Message::Close(_)))) => return BROWSER_CLOSED,
            Ok(Some(Ok(Message::Binary(bytes)))) => bytes,
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
async fn downward(mut broker: tcp::OwnedReadHalf, browser: &mut SplitSink<WebSocket, Message>) -> End {
    let mut buffer = vec![0; READ_BYTES];
    let mut ping = time::interval(PING_EVERY);
    ping.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        let message = tokio::select! {
            read = broker.read(&mut buffer) => match read {
                Ok(0) => return BROKER_CLOSED,
                Ok(count) => Message::Binary(Bytes::copy_from_slice(&buffer[..count])),
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
