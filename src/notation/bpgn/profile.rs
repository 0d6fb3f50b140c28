//! BPGN as bughouse.pro exchanges it.
//!
//! Date and time of the start are in UTC, the round is a number, the time control the seconds of a player, every move
//! bears the time since the start of the game, and nothing stands behind the last move.

use std::fmt::Write as _;

use super::{Game, Lines, clock};

/// When a game began and when each move was completed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stamps {
    /// RFC 3339 time of the start in UTC.
    pub started: String,
    /// Milliseconds from the start to the completion of each move.
    pub completed_ms: Vec<i64>,
}

/// The tags that are taken over as they are, in their order around `TimeControl`.
const PLAYERS: [&str; 4] = ["WhiteA", "BlackA", "WhiteB", "BlackB"];

impl Game {
    /// The game in the form of bughouse.pro.
    ///
    /// ```
    /// use bughoused::notation::bpgn::{Stamps, read_game};
    ///
    /// let game = read_game("[TimeControl \"180+0\"]\n\n1A. e4 {179.5} 1-0", 1).unwrap().game;
    /// let stamps = Stamps { started: "2026-11-20T15:04:05.678Z".into(), completed_ms: vec![500] };
    /// let text = game.write_bughouse_pro(&stamps);
    /// assert!(text.contains("[UTCTime \"15:04:05\"]"));
    /// assert!(text.contains("[TimeControl \"180\"]"));
    /// assert!(text.ends_with("1A. e4 {[ts=0.500]}\n"));
    /// ```
    pub fn write_bughouse_pro(&self, stamps: &Stamps) -> String {
        let mut text = String::new();
        let mut tag = |name: &str, value: &str| {
            let value = value.replace(char::is_control, " ").replace('\\', "\\\\").replace('"', "\\\"");
            let _ = writeln!(text, "[{name} \"{value}\"]");
        };
        let known = |name: &str| self.tag(name).unwrap_or("?");
        let digits = |value: &str| value.chars().take_while(char::is_ascii_digit).collect::<String>();
        let number = |name: &str, absent: &str| match digits(known(name)) {
            value if value.is_empty() => absent.to_owned(),
            value => value,
        };
        tag("Event", known("Event"));
        tag("Site", known("Site"));
        tag("UTCDate", &stamps.started.get(..10).unwrap_or("????.??.??").replace('-', "."));
        tag("UTCTime", stamps.started.get(11..19).unwrap_or("??:??:??"));
        tag("Round", &number("Round", "1"));
        PLAYERS.iter().for_each(|name| tag(name, known(name)));
        tag("TimeControl", &number("TimeControl", "0"));
        tag("Variant", "Bughouse");
        tag("Result", &self.result);
        text.push('\n');
        let mut lines = Lines::new(text);
        for (index, played) in self.moves.iter().enumerate() {
            let stamp = stamps.completed_ms.get(index).map(|ms| format!(" {{[ts={}]}}", clock::write(*ms)));
            lines.words(&format!("{}{}. {}{}", played.number, played.seat, played.san, stamp.unwrap_or_default()));
        }
        lines.end();
        lines.text
    }
}

#[cfg(test)]
mod tests {
    use super::super::read_game;
    use super::*;

    #[test]
    fn nothing_stands_behind_the_last_move_and_numbers_are_numbers() {
        let text = "[Event \"Open\"]\n[Round \"?\"]\n[WhiteA \"A\"]\n[TimeControl \"180d2\"]\n\n1A. e4 1a. e5 {x} 1-0";
        let game = read_game(text, 1).unwrap().game;
        let stamps = Stamps { started: "2026-11-20T15:04:05Z".into(), completed_ms: vec![1500, 61_001] };
        assert_eq!(
            game.write_bughouse_pro(&stamps),
            "[Event \"Open\"]\n[Site \"?\"]\n[UTCDate \"2026.11.20\"]\n[UTCTime \"15:04:05\"]\n[Round \"1\"]\n\
             [WhiteA \"A\"]\n[BlackA \"?\"]\n[WhiteB \"?\"]\n[BlackB \"?\"]\n[TimeControl \"180\"]\n\
             [Variant \"Bughouse\"]\n[Result \"1-0\"]\n\n1A. e4 {[ts=1.500]} 1a. e5 {[ts=61.001]}\n"
        );
    }

    #[test]
    fn it_is_read_back() {
        let game = read_game("[Result \"0-1\"]\n\n1A. e4 1B. d4 0-1", 1).unwrap().game;
        let stamps = Stamps { started: "2026-11-20T15:04:05Z".into(), completed_ms: vec![5, 10] };
        let read = read_game(&game.write_bughouse_pro(&stamps), 1).unwrap().game;
        assert_eq!(read.result, "0-1");
        assert_eq!(read.moves.iter().map(|m| m.san.as_str()).collect::<Vec<_>>(), ["e4", "d4"]);
    }
}
