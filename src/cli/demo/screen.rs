//! The demo in a terminal: both boards as spectators see them, or one line a move where no terminal is.

use std::io::{self, Write};

use super::{spectator::News, verify::Equal};
use crate::{
    daemon::node::Addresses,
    event::{BoardState, Body, Event, PocketState, Side, State},
    notation::placement,
    types::{BoardId, Color, File, Rank, Square},
};

/// Columns of one board.
const BOARD_COLUMNS: usize = 30;
/// Homes the cursor and clears what is below.
const HOME: &str = "\x1b[H\x1b[J";
const ENTER: &str = "\x1b[?1049h\x1b[?25l";
const LEAVE: &str = "\x1b[?25h\x1b[?1049l";

/// Where the demo is shown.
pub struct Screen {
    terminal: bool,
    web: String,
    broker: String,
    verdict: String,
    /// What is left on the terminal when the demo ends.
    last: String,
}

impl Screen {
    pub fn new(addresses: &Addresses, terminal: bool) -> Screen {
        let (web, broker) = (format!("http://{}/", addresses.web), format!("mqtt://{}", addresses.broker));
        Screen { terminal, web, broker, verdict: String::new(), last: String::new() }
    }

    /// Says where to look.
    pub fn greet(&mut self) {
        if self.terminal {
            print(ENTER);
        }
        print(&format!("{}\n", self.heading()));
    }

    fn heading(&self) -> String {
        format!("bughoused demo: page {}  broker {}  Ctrl-C ends", self.web, self.broker)
    }

    /// Shows what was published.
    pub fn show(&mut self, news: &News) {
        match (news, self.terminal) {
            (News::State(state), true) => {
                self.last = format!("{}\n\n{}", self.heading(), table(state));
                print(&format!("{HOME}{}\n{}\n", self.last, self.verdict));
            }
            (News::Event(event), false) => print(&line(event)),
            _ => {}
        }
    }

    /// Says how record and game compare.
    pub fn verdict(&mut self, verdict: &Result<Equal, String>) {
        self.verdict = match verdict {
            Ok(Equal { moves, clock_ms }) => {
                format!("the record equals the game: {moves} moves in order, clocks within {clock_ms} ms")
            }
            Err(differs) => format!("the record differs: {differs}"),
        };
        if !self.terminal {
            print(&format!("{}\n", self.verdict));
        }
    }

    /// Gives the terminal back, the last position on it.
    pub fn leave(&mut self) {
        if self.terminal {
            print(&format!("{LEAVE}{}\n{}\n", self.last, self.verdict));
        }
    }
}

/// Nobody may look any more; that is no failure.
fn print(text: &str) {
    let mut out = io::stdout().lock();
    let _ = out.write_all(text.as_bytes());
    let _ = out.flush();
}

fn line(event: &Event) -> String {
    match &event.body {
        Body::GameStarted(_) => "the game has started\n".into(),
        Body::Move(played) => {
            let own = |clock: &crate::event::ClockTimes| match played.seat.color {
                Color::White => clock.white_ms,
                Color::Black => clock.black_ms,
            };
            let clock = played.clock.as_ref().map_or(String::new(), |clock| seconds(own(clock)));
            format!("{}{}. {} {{{clock}}}\n", played.number, played.seat, played.san)
        }
        Body::GameEnded(ended) => format!("the game has ended: {} ({})\n", ended.result, ended.reason),
        _ => String::new(),
    }
}

/// All boards side by side; every second one turned, so that partners sit on one side.
fn table(state: &State) -> String {
    let boards: Vec<Vec<String>> = state.boards.iter().map(|board| board_lines(state, board)).collect();
    let rows = boards.iter().map(Vec::len).max().unwrap_or(0);
    let mut text = String::new();
    for row in 0..rows {
        for lines in &boards {
            let line = lines.get(row).map_or("", String::as_str);
            text.push_str(&format!("{line:<BOARD_COLUMNS$}"));
        }
        text.push('\n');
    }
    let result = if state.result == "*" { String::new() } else { format!(": {} {}", state.result, state.reason) };
    text.push_str(&format!("\n{:?}{result}\n", state.status).to_lowercase());
    text
}

fn board_lines(state: &State, board: &BoardState) -> Vec<String> {
    let turned = board.board.index() % 2 == 1;
    let (top, bottom) = if turned { (Color::White, Color::Black) } else { (Color::Black, Color::White) };
    let mut lines = vec![player(state, board, top), pocket(board, top)];
    lines.extend(squares(&board.shown, turned));
    lines.push(pocket(board, bottom));
    lines.push(player(state, board, bottom));
    lines.push(String::new());
    lines.push(moves(board));
    lines
}

fn player(state: &State, board: &BoardState, color: Color) -> String {
    let seat = board.board.seat(color);
    let name = state.players.get(&seat.to_string()).map_or("", String::as_str);
    let side = Side::from(color);
    let clock = board.clock.map(|clock| {
        let ms = if color == Color::White { clock.times.white_ms } else { clock.times.black_ms };
        let mark = if clock.running == Some(side) { "<" } else { " " };
        format!("{} {mark}", seconds(ms))
    });
    format!("{seat} {name:<14.14} {:>9}", clock.unwrap_or_default())
}

fn pocket(board: &BoardState, color: Color) -> String {
    let PocketState { pieces, in_transit } = if color == Color::White { &board.white } else { &board.black };
    let transit = if in_transit.is_empty() { String::new() } else { format!(" ({in_transit})") };
    format!("  [{pieces}]{transit}")
}

fn squares(shown: &str, turned: bool) -> Vec<String> {
    let Ok((men, _)) = placement::read(shown.split('/')) else { return Vec::new() };
    let mut ranks: Vec<Rank> = Rank::ALL.into_iter().rev().collect();
    let mut files: Vec<File> = File::ALL.into();
    if turned {
        ranks.reverse();
        files.reverse();
    }
    let cell = |file: &File, rank: Rank| {
        let man = men.piece_at(Square::from_coords(*file, rank)).map_or('.', |man| man.char());
        format!(" {man}")
    };
    let row = |rank: Rank| files.iter().map(|file| cell(file, rank)).collect::<String>();
    let mut lines: Vec<String> = ranks.iter().map(|rank| format!("  {}{}", rank.char(), row(*rank))).collect();
    lines.push(format!("   {}", files.iter().map(|file| format!(" {}", file.char())).collect::<String>()));
    lines
}

fn moves(board: &BoardState) -> String {
    let last =
        board.last.as_ref().map_or(String::new(), |made| format!("{} {}", number(board.board, made.ply), made.san));
    let made: String = board.made.iter().map(|made| format!(" ({})", made.san)).collect();
    format!("  {last}{made}")
}

fn number(board: BoardId, ply: u32) -> String {
    format!("{}{}.", ply.div_ceil(2), if ply % 2 == 1 { board.letter() } else { board.lower() })
}

fn seconds(ms: i64) -> String {
    format!("{}:{:02}.{}", ms / 60_000, ms / 1000 % 60, ms / 100 % 10)
}
