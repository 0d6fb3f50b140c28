//! Games as hands need them, written by squares: what the tests of all layers play.

use super::*;
use crate::types::{Role, Seat};

/// `A e2e4 118.3`, `a d5xe4`, `b N@f3`, `A e1g1 h1f1`, `A e5d6 xd5`: a game as hands need it.
pub(crate) fn plies(text: &str) -> Vec<Ply> {
    let mut world = World::set_up(0, &[Color::White; 2]);
    text.lines().map(str::trim).filter(|line| !line.is_empty()).map(|line| ply(line, &mut world)).collect()
}

fn ply(line: &str, world: &mut World) -> Ply {
    let mut words = line.split_whitespace();
    let seat: Seat = words.next().unwrap().parse().unwrap();
    let uci = words.next().unwrap().replace('x', "");
    let to: Square = uci[2..4].parse().unwrap();
    let (from, man) = match uci.split_once('@') {
        Some((role, _)) => {
            (None, Piece { color: seat.color, role: Role::from_char(role.chars().next().unwrap()).unwrap() })
        }
        None => {
            let from: Square = uci[..2].parse().unwrap();
            (Some(from), world.at(seat.board, from).expect("a man to move"))
        }
    };
    let mut ply = Ply {
        seat,
        from,
        to,
        man,
        captured: world.at(seat.board, to).map(|_| to),
        rook: None,
        promotion: None,
        declared: false,
        clock_ms: None,
        san: uci.clone(),
        uci: uci.clone(),
        illegal: None,
        also: None,
    };
    for word in words {
        match word.strip_prefix('x') {
            Some(square) => ply.captured = Some(square.parse().unwrap()),
            None if word.contains('.') => ply.clock_ms = Some((word.parse::<f64>().unwrap() * 1000.0).round() as i64),
            None => ply.rook = Some((word[..2].parse().unwrap(), word[2..].parse().unwrap())),
        }
    }
    if let Some(from) = from {
        world.apply(Step { at: Instant::ZERO, action: Action::Lift(seat.board, from) });
    }
    world.apply(Step { at: Instant::ZERO, action: Action::Place(seat.board, to, man) });
    ply
}

pub(crate) const SHORT: &str = "
    A e2e4 119.2
    B d2d4 118.0
    a d7d5 119.9
    b e7e5 119.9
    A e4d5 118.0
    a d8d5 117.0
    B d4e5 117.5
    b P@d3 100.0
    B e5f6 117.0
    A g1f3 117.9
    a c8g4 116.0
    A f1e2 117.0
    a g4f3 116.0
    A e1g1 h1f1 116.0
";

pub(crate) const TERMS: Terms =
    Terms { boards: 2, base_ms: 120_000, increment_ms: 0, outcome: None, spoken: false, buttons: true };
