//! The reasons why a move is illegal, in the order in which they lead, and the articles that they break.

use std::fmt;

/// A reason why a move is illegal. Of several the least leads.
///
/// ```
/// use bughoused::rules::{Reason, RuleSet};
///
/// assert_eq!(Reason::PawnDropRank.to_string(), "pawn-drop-rank");
/// assert_eq!(RuleSet::WBN_1_00.article(Reason::PawnDropRank), ("WBN", "5.10"));
/// assert_eq!(RuleSet::FIDE_EXT.article(Reason::PawnDropRank), ("FIDE-ext", "3.4"));
/// assert!(Reason::Geometry < Reason::LeavesKingInCheck);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reason {
    /// The man is the opponent's.
    NotYourPiece,
    /// A second move in a row.
    NotYourTurn,
    /// This man does not move like that.
    Geometry,
    /// A man stands in the way.
    Blocked,
    /// The square holds an own man.
    OwnPieceCaptured,
    /// The own king is in check afterwards.
    LeavesKingInCheck,
    /// The king of the opponent was taken.
    KingCaptured,
    /// King or rook has moved, or the rook was dropped.
    CastlingRights,
    /// The king stands on, crosses or reaches an attacked square.
    CastlingThroughCheck,
    /// A man stands between king and rook.
    CastlingBlocked,
    /// A pawn may not be dropped on that rank.
    PawnDropRank,
    /// No man may be dropped on that rank (variants).
    DropRank,
    /// The pocket has no such man.
    DropNotInPocket,
    /// A man stands on the square of the drop.
    DropOnOccupied,
    /// The man is of the opponent's colour.
    DropWrongColour,
    /// A dropped man may not give check (variants).
    DropGivesCheck,
    /// A dropped man may not mate (variants).
    DropGivesMate,
    /// More than one move was made.
    SeveralChanges,
    /// The opponent has restricted this kind because it was dropped hidden (WBN 1.8b).
    RestrictedPiece,
    /// The pawn may not become that.
    PromotionPiece,
    /// Nothing of that kind can be meant: empty origin, none that reaches.
    NoSuchMan,
}

impl Reason {
    /// All reasons in the order in which they lead.
    pub const ALL: [Reason; 21] = [
        Reason::NotYourPiece,
        Reason::NotYourTurn,
        Reason::Geometry,
        Reason::Blocked,
        Reason::OwnPieceCaptured,
        Reason::LeavesKingInCheck,
        Reason::KingCaptured,
        Reason::CastlingRights,
        Reason::CastlingThroughCheck,
        Reason::CastlingBlocked,
        Reason::PawnDropRank,
        Reason::DropRank,
        Reason::DropNotInPocket,
        Reason::DropOnOccupied,
        Reason::DropWrongColour,
        Reason::DropGivesCheck,
        Reason::DropGivesMate,
        Reason::SeveralChanges,
        Reason::RestrictedPiece,
        Reason::PromotionPiece,
        Reason::NoSuchMan,
    ];

    /// The word in incidents and records.
    pub const fn as_str(self) -> &'static str {
        match self {
            Reason::NotYourPiece => "not-your-piece",
            Reason::NotYourTurn => "not-your-turn",
            Reason::Geometry => "geometry",
            Reason::Blocked => "blocked",
            Reason::OwnPieceCaptured => "own-piece-captured",
            Reason::LeavesKingInCheck => "leaves-king-in-check",
            Reason::KingCaptured => "king-captured",
            Reason::CastlingRights => "castling-rights",
            Reason::CastlingThroughCheck => "castling-through-check",
            Reason::CastlingBlocked => "castling-blocked",
            Reason::PawnDropRank => "pawn-drop-rank",
            Reason::DropRank => "drop-rank",
            Reason::DropNotInPocket => "drop-not-in-pocket",
            Reason::DropOnOccupied => "drop-on-occupied",
            Reason::DropWrongColour => "drop-wrong-colour",
            Reason::DropGivesCheck => "drop-gives-check",
            Reason::DropGivesMate => "drop-gives-mate",
            Reason::SeveralChanges => "several-changes",
            Reason::RestrictedPiece => "restricted-piece",
            Reason::PromotionPiece => "promotion-piece",
            Reason::NoSuchMan => "no-such-man",
        }
    }

    /// The article that is broken, in the numbering that WBN and CZ share.
    pub const fn article(self) -> &'static str {
        match self {
            Reason::NoSuchMan | Reason::Geometry => "5",
            Reason::NotYourPiece | Reason::DropWrongColour => "4.2",
            Reason::NotYourTurn | Reason::SeveralChanges => "1.4",
            Reason::Blocked => "5.5",
            Reason::OwnPieceCaptured => "5.1",
            Reason::KingCaptured => "1.5",
            Reason::PromotionPiece => "5.7",
            Reason::CastlingRights | Reason::CastlingBlocked | Reason::CastlingThroughCheck => "5.8",
            Reason::PawnDropRank | Reason::DropRank | Reason::DropNotInPocket | Reason::DropOnOccupied => "5.10",
            Reason::DropGivesCheck | Reason::DropGivesMate => "5.10",
            Reason::LeavesKingInCheck => "5.9",
            Reason::RestrictedPiece => "1.8c",
        }
    }

    /// Law text and article under the FIDE extension, which leaves the moves to the FIDE Laws of Chess.
    pub(super) const fn fide_article(self) -> (&'static str, &'static str) {
        match self {
            Reason::NoSuchMan | Reason::Geometry => ("FIDE", "3"),
            Reason::NotYourPiece => ("FIDE", "2.2"),
            Reason::NotYourTurn => ("FIDE", "1.3"),
            Reason::Blocked => ("FIDE", "3.5"),
            Reason::OwnPieceCaptured => ("FIDE", "3.1"),
            Reason::KingCaptured => ("FIDE", "1.4.1"),
            Reason::LeavesKingInCheck => ("FIDE", "3.9"),
            Reason::CastlingRights | Reason::CastlingBlocked | Reason::CastlingThroughCheck => ("FIDE", "3.8"),
            Reason::PawnDropRank | Reason::DropRank | Reason::DropOnOccupied => ("FIDE-ext", "3.4"),
            Reason::DropGivesCheck | Reason::DropGivesMate => ("FIDE-ext", "3.4"),
            Reason::DropNotInPocket | Reason::DropWrongColour => ("FIDE-ext", "3.2"),
            Reason::RestrictedPiece => ("FIDE-ext", "3.3"),
            Reason::PromotionPiece => ("FIDE-ext", "3.6"),
            Reason::SeveralChanges => ("FIDE-ext", "3.11"),
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
