//! The server over real sockets on loopback: heads as bytes, WebSockets by another library than the server's own side
//! of axum, and a broker that is a plain TCP listener.

use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    sync::oneshot,
    task::JoinHandle,
};
use tokio_tungstenite::{
    WebSocketStream, client_async,
    tungstenite::{Error, Message, client::IntoClientRequest, protocol::frame::coding::CloseCode},
};

use super::*;

/// Nothing below takes a tenth of it; a hang fails instead of hanging.
const PATIENCE: Duration = Duration::from_secs(20);

struct Server {
    address: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    task: JoinHandle<io::Result<()>>,
}

impl Server {
    async fn start(broker: &str) -> Server {
        let listen = "127.0.0.1:0".parse().unwrap();
        let arbiter = Some(Password::clear("secret"));
        let prefix = "club/\"bug\"".to_owned();
        let settings = WebSettings { listen, broker: broker.to_owned(), prefix, arbiter };
        let listener = bind(&settings).await.unwrap();
        let address = listener.local_addr().unwrap();
        let (stop, stopped) = oneshot::channel::<()>();
        let task = tokio::spawn(serve(listener, settings, async {
            let _ = stopped.await;
        }));
        Server { address, stop: Some(stop), task }
    }

    async fn stop(mut self) {
        self.stop.take().unwrap().send(()).unwrap();
        time::timeout(PATIENCE, self.task).await.expect("the server stops").unwrap().unwrap();
    }

    /// Sends bytes and reads until the server closes or a full answer with `content-length` is there.
    async fn ask(&self, request: &str) -> (String, Vec<u8>) {
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = Vec::new();
        time::timeout(PATIENCE, stream.read_to_end(&mut answer)).await.expect("an answer and an end").unwrap();
        let split = answer.windows(4).position(|four| four == b"\r\n\r\n").expect("a head");
        (String::from_utf8(answer[..split].to_vec()).unwrap().to_lowercase(), answer[split + 4..].to_vec())
    }

    async fn get(&self, path: &str) -> (String, Vec<u8>) {
        self.ask(&format!("GET {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n")).await
    }

    async fn watch(&self, subprotocol: &str) -> Result<WebSocketStream<TcpStream>, Error> {
        let stream = TcpStream::connect(self.address).await.unwrap();
        let mut request = format!("ws://{}/mqtt", self.address).into_client_request().unwrap();
        let value = HeaderValue::from_str(subprotocol).unwrap();
        request.headers_mut().insert(header::SEC_WEBSOCKET_PROTOCOL, value);
        Ok(client_async(request, stream).await?.0)
    }
}

/// A port of loopback that nobody listens on.
async fn closed_port() -> String {
    TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap().to_string()
}

async fn broker() -> (TcpListener, String) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    (listener, address)
}

async fn read_exactly(stream: &mut TcpStream, count: usize) -> Vec<u8> {
    let mut bytes = vec![0; count];
    time::timeout(PATIENCE, stream.read_exact(&mut bytes)).await.expect("bytes in time").unwrap();
    bytes
}

/// The code and reason with which the server closes; other messages are skipped.
async fn closed_with(socket: &mut WebSocketStream<TcpStream>) -> (CloseCode, String) {
    loop {
        let message = time::timeout(PATIENCE, socket.next()).await.expect("a message in time");
        if let Message::Close(frame) = message.expect("a close frame before the end").expect("a frame") {
            let frame = frame.expect("a code");
            return (frame.code, frame.reason.to_string());
        }
    }
}

/// Bytes that arrive until `count` are there, whatever their cuts.
async fn binary(socket: &mut WebSocketStream<TcpStream>, count: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    while bytes.len() < count {
        let message = time::timeout(PATIENCE, socket.next()).await.expect("a message in time").unwrap().unwrap();
        if let Message::Binary(part) = message {
            bytes.extend_from_slice(&part);
        }
    }
    bytes
}

#[tokio::test]
async fn the_page_and_its_files_come_with_strict_headers() {
    let server = Server::start(&closed_port().await).await;
    let (head, body) = server.get("/").await;
    assert!(head.starts_with("http/1.1 200 ok"), "{head}");
    assert!(head.contains("content-type: text/html; charset=utf-8"), "{head}");
    let page = String::from_utf8(body).unwrap();
    assert!(!page.contains("<style") && !page.contains(" style=") && !page.contains("javascript:"));
    for path in ["/", "/assets/app.js", "/healthz", "/config.json", "/nothing", "/assets/../Cargo.toml"] {
        let (head, _) = server.get(path).await;
        assert!(head.contains("content-security-policy: default-src 'self'; connect-src 'self'"), "{path}: {head}");
        assert!(!head.contains("unsafe-"), "{path}: {head}");
        assert!(head.contains("x-content-type-options: nosniff"), "{path}: {head}");
        assert!(head.contains("referrer-policy: no-referrer"), "{path}: {head}");
    }
    server.stop().await;
}

#[tokio::test]
async fn what_is_not_there_is_said_so() {
    let server = Server::start(&closed_port().await).await;
    for path in ["/nothing", "/assets/nothing.js", "/assets/", "/assets/%2e%2e/mod.rs", "/index.html"] {
        let (head, _) = server.get(path).await;
        assert!(head.starts_with("http/1.1 404"), "{path}: {head}");
    }
    let (head, _) = server.ask("POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\nconnection: close\r\n\r\n").await;
    assert!(head.starts_with("http/1.1 405"), "{head}");
    let (head, _) = server.ask("\u{1}\u{2}nonsense\r\n\r\n").await;
    assert!(head.starts_with("http/1.1 400"), "{head}");
    server.stop().await;
}

#[tokio::test]
async fn a_second_visit_fetches_nothing_again() {
    let server = Server::start(&closed_port().await).await;
    let (head, _) = server.get("/assets/style.css").await;
    let tag = head.lines().find_map(|line| line.strip_prefix("etag: ")).expect("a tag").to_owned();
    let request =
        format!("GET /assets/style.css HTTP/1.1\r\nhost: x\r\nif-none-match: {tag}\r\nconnection: close\r\n\r\n");
    let (head, body) = server.ask(&request).await;
    assert!(head.starts_with("http/1.1 304") && body.is_empty(), "{head}");
    server.stop().await;
}

#[tokio::test]
async fn the_page_learns_the_prefix() {
    let server = Server::start(&closed_port().await).await;
    let (head, body) = server.get("/config.json").await;
    assert!(head.contains("content-type: application/json"), "{head}");
    let config: serde_json::Value = serde_json::from_slice(&body).unwrap();
    assert_eq!(config["prefix"], "club/\"bug\"");
    assert_eq!(config["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(server.get("/healthz").await.1, b"ok\n");
    server.stop().await;
}

#[tokio::test]
async fn bytes_pass_both_ways_whatever_their_cuts() {
    let (broker, address) = broker().await;
    let server = Server::start(&address).await;
    let mut socket = server.watch("mqtt").await.unwrap();
    let (mut far, _) = broker.accept().await.unwrap();
    socket.send(Message::Binary(vec![0x10, 0x0c].into())).await.unwrap();
    socket.send(Message::Binary(vec![0x00, 0x04].into())).await.unwrap();
    assert_eq!(read_exactly(&mut far, 4).await, [0x10, 0x0c, 0x00, 0x04]);
    let long: Vec<u8> = (0..300_000_u32).map(|i| (i % 251) as u8).collect();
    let (_, received) = tokio::join!(far.write_all(&long), binary(&mut socket, long.len()));
    assert!(received == long);
    server.stop().await;
}

#[tokio::test]
async fn the_largest_message_passes_and_a_larger_one_ends_the_connection() {
    let (broker, address) = broker().await;
    let server = Server::start(&address).await;
    let mut socket = server.watch("mqtt").await.unwrap();
    let (mut far, _) = broker.accept().await.unwrap();
    let largest = vec![7; bridge::MESSAGE_BYTES_MAX];
    let (sent, received) =
        tokio::join!(socket.send(Message::Binary(largest.clone().into())), read_exactly(&mut far, largest.len()));
    sent.unwrap();
    assert!(received == largest);
    let mut larger = largest;
    larger.push(7);
    let _ = socket.send(Message::Binary(larger.into())).await;
    assert_eq!(time::timeout(PATIENCE, far.read(&mut [0; 16])).await.unwrap().unwrap(), 0, "nothing of it passes");
    assert_eq!(closed_with(&mut socket).await.0, CloseCode::Size);
    server.stop().await;
}

#[tokio::test]
async fn either_side_ends_the_other() {
    let (broker, address) = broker().await;
    let server = Server::start(&address).await;
    let mut socket = server.watch("mqtt").await.unwrap();
    let (mut far, _) = broker.accept().await.unwrap();
    socket.close(None).await.unwrap();
    assert_eq!(time::timeout(PATIENCE, far.read(&mut [0; 16])).await.unwrap().unwrap(), 0);
    let mut socket = server.watch("mqtt").await.unwrap();
    let (far, _) = broker.accept().await.unwrap();
    drop(far);
    assert_eq!(closed_with(&mut socket).await.0, CloseCode::Normal);
    server.stop().await;
}

#[tokio::test]
async fn an_absent_broker_is_told_with_try_again_later() {
    let server = Server::start(&closed_port().await).await;
    let mut socket = server.watch("mqtt").await.unwrap();
    let (code, reason) = closed_with(&mut socket).await;
    assert_eq!(code, CloseCode::Again);
    assert!(reason.contains("broker"), "{reason}");
    server.stop().await;
}

#[tokio::test]
async fn text_is_refused() {
    let (broker, address) = broker().await;
    let server = Server::start(&address).await;
    let mut socket = server.watch("mqtt").await.unwrap();
    let _far = broker.accept().await.unwrap();
    socket.send(Message::Text("hello".into())).await.unwrap();
    assert_eq!(closed_with(&mut socket).await.0, CloseCode::Unsupported);
    server.stop().await;
}

#[tokio::test]
async fn another_subprotocol_and_plain_http_are_refused() {
    let server = Server::start(&closed_port().await).await;
    match server.watch("chat").await {
        Err(Error::Http(response)) => assert_eq!(response.status(), 400),
        other => panic!("expected a refusal, found {other:?}"),
    }
    let (head, _) = server.get("/mqtt").await;
    assert!(head.starts_with("http/1.1 4"), "{head}");
    server.stop().await;
}

#[tokio::test]
async fn one_watcher_too_many_is_refused_and_a_place_comes_free() {
    let (broker, address) = broker().await;
    let server = Server::start(&address).await;
    let mut sockets = Vec::new();
    for _ in 0..WATCHERS_MAX {
        sockets.push(server.watch("mqtt").await.unwrap());
        sockets.last_mut().unwrap().send(Message::Binary(vec![1].into())).await.unwrap();
    }
    match server.watch("mqtt").await {
        Err(Error::Http(response)) => assert_eq!(response.status(), 503),
        other => panic!("expected a refusal, found {other:?}"),
    }
    drop(broker);
    for socket in &mut sockets {
        let _ = socket.close(None).await;
        while let Some(Ok(_)) = time::timeout(PATIENCE, socket.next()).await.expect("the bridge ends") {}
    }
    // A bridge gives its place back just after its last frame, so the first tries may come too early.
    let mut again = server.watch("mqtt").await;
    for _ in 0..100 {
        if again.is_ok() {
            break;
        }
        time::sleep(Duration::from_millis(20)).await;
        again = server.watch("mqtt").await;
    }
    assert!(again.is_ok(), "{again:?}");
    server.stop().await;
}

#[tokio::test]
async fn a_stop_says_goodbye_to_watchers() {
    let (broker, address) = broker().await;
    let server = Server::start(&address).await;
    let mut socket = server.watch("mqtt").await.unwrap();
    let (mut far, _) = broker.accept().await.unwrap();
    let ((code, _), ()) = tokio::join!(closed_with(&mut socket), server.stop());
    assert_eq!(code, CloseCode::Away);
    assert_eq!(time::timeout(PATIENCE, far.read(&mut [0; 16])).await.unwrap().unwrap(), 0);
}

/// CONNECT of MQTT 3.1.1 from client `c`, with a login or without.
fn connect(login: Option<(&str, &str)>) -> Vec<u8> {
    let text = |text: &str| [&(text.len() as u16).to_be_bytes()[..], text.as_bytes()].concat();
    let flags = if login.is_some() { 0xc2 } else { 2 };
    let mut body = [text("MQTT"), vec![4, flags, 0, 60], text("c")].concat();
    body.extend(login.into_iter().flat_map(|(user, password)| [text(user), text(password)].concat()));
    [vec![0x10, body.len() as u8], body].concat()
}

impl Server {
    async fn sign_in(&self, password: &str, more: &str) -> String {
        let length = password.len();
        let request = format!(
            "POST /login HTTP/1.1\r\nhost: x\r\ncontent-length: {length}\r\n{more}connection: close\r\n\r\n{password}"
        );
        self.ask(&request).await.0
    }

    async fn watch_as_arbiter(&self, cookie: &str) -> Result<WebSocketStream<TcpStream>, Error> {
        let stream = TcpStream::connect(self.address).await.unwrap();
        let mut request = format!("ws://{}/mqtt?role=arbiter", self.address).into_client_request().unwrap();
        let headers = request.headers_mut();
        headers.insert(header::SEC_WEBSOCKET_PROTOCOL, HeaderValue::from_static("mqtt"));
        headers.insert(header::COOKIE, HeaderValue::from_str(cookie).unwrap());
        Ok(client_async(request, stream).await?.0)
    }
}

#[tokio::test]
async fn who_signed_in_is_logged_in_at_the_broker_without_typing_again() {
    let (broker, address) = broker().await;
    let server = Server::start(&address).await;
    assert!(server.sign_in("wrong", "").await.starts_with("http/1.1 401"));
    assert!(server.sign_in("secret", "origin: http://elsewhere\r\n").await.starts_with("http/1.1 403"));
    assert!(server.sign_in(&"x".repeat(300), "").await.starts_with("http/1.1 413"));
    let head = server.sign_in("secret", "origin: http://x\r\n").await;
    assert!(head.starts_with("http/1.1 204") && head.contains("httponly; samesite=strict"), "{head}");
    let cookie = head.split("set-cookie: ").nth(1).and_then(|rest| rest.split(';').next()).unwrap();
    match server.watch_as_arbiter("bughoused=0123").await {
        Err(Error::Http(response)) => assert_eq!(response.status(), 401),
        other => panic!("expected a refusal, found {other:?}"),
    }
    let mut socket = server.watch_as_arbiter(cookie).await.unwrap();
    let (mut far, _) = broker.accept().await.unwrap();
    let packet = connect(None);
    for byte in &packet {
        socket.send(Message::Binary(vec![*byte].into())).await.unwrap();
    }
    socket.send(Message::Binary(b"behind".to_vec().into())).await.unwrap();
    let expected = [connect(Some(("arbiter", "secret"))), b"behind".to_vec()].concat();
    assert_eq!(read_exactly(&mut far, expected.len()).await, expected);
    server.stop().await;
}

#[tokio::test]
async fn who_guesses_at_the_broker_has_to_wait_and_spectators_do_not() {
    let (broker, address) = broker().await;
    let server = Server::start(&address).await;
    for _ in 0..5 {
        let mut socket = server.watch("mqtt").await.unwrap();
        let (mut far, _) = broker.accept().await.unwrap();
        let packet = connect(Some(("arbiter", "guess")));
        socket.send(Message::Binary(packet.clone().into())).await.unwrap();
        read_exactly(&mut far, packet.len()).await;
        far.write_all(&[0x20, 2, 0, 5]).await.unwrap();
        binary(&mut socket, 4).await;
    }
    let mut socket = server.watch("mqtt").await.unwrap();
    socket.send(Message::Binary(connect(Some(("arbiter", "guess"))).into())).await.unwrap();
    assert_eq!(closed_with(&mut socket).await.0, CloseCode::Policy);
    let _unused = broker.accept().await.unwrap();
    let mut socket = server.watch("mqtt").await.unwrap();
    let (mut far, _) = broker.accept().await.unwrap();
    socket.send(Message::Binary(connect(None).into())).await.unwrap();
    assert_eq!(read_exactly(&mut far, connect(None).len()).await, connect(None));
    assert!(server.sign_in("secret", "").await.starts_with("http/1.1 429"), "the page's own form is the same door");
    server.stop().await;
}
