//! What people see: the web page and its server, and pictures of positions.
//!
//! In: a placement, or a browser. Out: an SVG, or the page's files and a bridge to the broker. The page is a pure MQTT
//! client, so this room knows no table and no event: it could as well show a table of another machine.

mod assets;
pub mod board;
mod bridge;
mod login;
mod opening;
pub mod server;
