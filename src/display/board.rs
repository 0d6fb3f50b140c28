//! A position as a picture: placement in, SVG out, with the page's own men.
//!
//! In: the placement field of a FEN (`~` marks promoted men), and which way the board is turned. Out: a
//! self-contained SVG of 800 by 800 units without fonts, styles or outside references. It knows no rules: what stands
//! there is drawn.

use std::fmt::Write as _;

use shakmaty::{Setup, fen::Fen};

use crate::types::{Color, Square};

/// Units of one square's side.
const SQUARE_UNITS: u32 = 100;
/// Units of the board's side.
const BOARD_UNITS: u32 = 8 * SQUARE_UNITS;

const LIGHT_SQUARE: &str = "#e4e0d4";
const DARK_SQUARE: &str = "#8698a4";
const PROMOTED_MARK: &str = "#d1672c";
/// Fill, outline and inner lines of White's and of Black's men.
const WHITE_MEN: &str = r##"fill="#fffdf6" stroke="#22262b" color="#22262b""##;
const BLACK_MEN: &str = r##"fill="#2b2f36" stroke="#14171b" color="#e9e6dd""##;

/// The outlines, one `<symbol>` a role; the page draws from the same file.
const PIECES: &str = include_str!("web/pieces.svg");

/// The text is not a placement.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected eight ranks of men and digits as in a FEN, found {found:?}: {cause}")]
pub struct PlacementError {
    /// What was given, cut to a line.
    pub found: String,
    /// What the reader says.
    pub cause: String,
}

/// Most characters of a bad placement that an error repeats.
const FOUND_CHARS_MAX: usize = 90;

/// Draws the placement with `bottom`'s men at the bottom.
///
/// ```
/// let svg = bughoused::display::board::svg("8/8/8/8/3Q~4/8/8/8", shakmaty::Color::White)?;
/// assert!(svg.starts_with("<svg") && svg.contains("#q"));
/// # Ok::<(), bughoused::display::board::PlacementError>(())
/// ```
pub fn svg(placement: &str, bottom: Color) -> Result<String, PlacementError> {
    let setup = read(placement)?;
    let mut svg = format!(
        r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {BOARD_UNITS} {BOARD_UNITS}"><defs>{}</defs>"#,
        symbols()
    );
    squares(&mut svg);
    for square in Square::ALL {
        man(&mut svg, &setup, square, bottom);
    }
    svg.push_str("</svg>");
    Ok(svg)
}

fn read(placement: &str) -> Result<Setup, PlacementError> {
    let bad = |cause: &dyn std::fmt::Display| PlacementError {
        found: placement.chars().take(FOUND_CHARS_MAX).collect(),
        cause: cause.to_string(),
    };
    if placement.contains(char::is_whitespace) || placement.contains(['[', ']']) {
        return Err(bad(&"more than a placement"));
    }
    let fen: Fen = format!("{placement} w - - 0 1").parse().map_err(|error| bad(&error))?;
    Ok(fen.into_setup())
}

/// The symbols without the file's own frame.
fn symbols() -> &'static str {
    let begin = PIECES.find("<symbol").expect("the file of men has symbols");
    let end = PIECES.rfind("</svg>").expect("the file of men is an SVG");
    PIECES[begin..end].trim_end()
}

/// One light ground and the dark squares as one path.
fn squares(svg: &mut String) {
    let mut dark = String::new();
    for row in 0..8 {
        for column in (0..8).filter(|column| (row + column) % 2 == 1) {
            let (x, y) = (column * SQUARE_UNITS, row * SQUARE_UNITS);
            let _ = write!(dark, "M{x} {y}h{SQUARE_UNITS}v{SQUARE_UNITS}h-{SQUARE_UNITS}z");
        }
    }
    let ground = format!("M0 0h{BOARD_UNITS}v{BOARD_UNITS}h-{BOARD_UNITS}z");
    for (path, fill) in [(ground, LIGHT_SQUARE), (dark, DARK_SQUARE)] {
        let _ = write!(svg, r#"<path d="{path}" fill="{fill}"/>"#);
    }
}

fn man(svg: &mut String, setup: &Setup, square: Square, bottom: Color) {
    let Some(piece) = setup.board.piece_at(square) else { return };
    // The picture's rows run downwards: turning the board for White flips ranks, for Black files.
    let seen = bottom.fold_wb(square.flip_vertical(), square.flip_horizontal());
    let (x, y) = (u32::from(seen.file()) * SQUARE_UNITS, u32::from(seen.rank()) * SQUARE_UNITS);
    let colours = piece.color.fold_wb(WHITE_MEN, BLACK_MEN);
    let symbol = piece.role.char();
    let _ = write!(
        svg,
        r##"<use href="#{symbol}" x="{x}" y="{y}" width="{SQUARE_UNITS}" height="{SQUARE_UNITS}" {colours}/>"##
    );
    if setup.promoted.contains(square) {
        let (x, y) = (x + 84, y + 16);
        let _ =
            write!(svg, r##"<circle cx="{x}" cy="{y}" r="9" fill="{PROMOTED_MARK}" stroke="#fff" stroke-width="3"/>"##);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::Role;

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";

    #[track_caller]
    fn check_at(placement: &str, bottom: Color, symbol: char, x: u32, y: u32) {
        let svg = svg(placement, bottom).unwrap();
        let expect = format!(r##"href="#{symbol}" x="{x}" y="{y}""##);
        assert!(svg.contains(&expect), "expected {expect} in {svg}");
    }

    #[test]
    fn every_role_has_an_outline() {
        for role in Role::ALL {
            assert!(symbols().contains(&format!(r#"<symbol id="{}""#, role.char())), "{role:?}");
        }
    }

    #[test]
    fn the_board_is_turned_for_black() {
        check_at("K7/8/8/8/8/8/8/8", Color::White, 'k', 0, 0);
        check_at("K7/8/8/8/8/8/8/8", Color::Black, 'k', 700, 700);
        check_at("8/8/8/8/8/8/8/6n1", Color::White, 'n', 600, 700);
        check_at("8/8/8/8/8/8/8/6n1", Color::Black, 'n', 100, 0);
    }

    #[test]
    fn all_men_are_drawn_and_promoted_ones_marked() {
        assert_eq!(svg(START, Color::White).unwrap().matches("<use ").count(), 32);
        let marks = |text: &str| svg(text, Color::White).unwrap().matches(PROMOTED_MARK).count();
        assert_eq!((marks(START), marks("Q~7/8/8/3n~4/8/8/8/Q7")), (0, 2));
    }

    #[test]
    fn bad_placements_are_errors() {
        for text in ["", "8/8", "9/8/8/8/8/8/8/8", "x7/8/8/8/8/8/8/8", "8/8/8/8/8/8/8/8 w", "8/8/8/8/8/8/8/8[Q]", "é"]
        {
            assert!(svg(text, Color::White).is_err(), "{text:?}");
        }
        let long = svg(&"x".repeat(10_000), Color::White).unwrap_err();
        assert!(long.to_string().len() < 300, "{long}");
    }
}
