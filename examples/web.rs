//! Serves the spectators' page beside any broker: for whoever works on the page.
//!
//! `cargo run --example web -- 127.0.0.1:8080 127.0.0.1:1883 bughouse [PASSWORD]`. In a development build the files are
//! read from `src/display/web/` at each request: edit and reload.

use std::{env, error::Error};

use bughoused::{
    display::server::{WebSettings, bind, serve},
    publish::password::Password,
};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = env::args().skip(1);
    let mut argument = |default: &str| arguments.next().unwrap_or_else(|| default.to_owned());
    let settings = WebSettings {
        listen: argument("127.0.0.1:8080").parse()?,
        broker: argument("127.0.0.1:1883"),
        prefix: argument("bughouse"),
        arbiter: env::args().nth(4).map(|password| Password::clear(&password)),
    };
    let listener = bind(&settings).await?;
    println!("http://{}/", listener.local_addr()?);
    serve(listener, settings, async {
        let _ = tokio::signal::ctrl_c().await;
    })
    .await?;
    Ok(())
}
