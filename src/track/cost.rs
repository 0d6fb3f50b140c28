//! What evidence is worth: all weights of the tracker in one place.
//!
//! Only which man lies in which slot of a tray is weighed on its own (`slots::cost`): men come to trays at other times
//! than boards change.
//!
//! A line of plies costs what speaks against it; the cheapest is believed. Costs are small whole numbers, so that every
//! comparison is exact. Only their relations matter: a man where none should stand outweighs everything that hands do
//! in passing, and a move that was seen at rest is given up only when the board can no longer be explained with it.

/// A ply more.
pub const PLY: u32 = 2;
/// A man in the air.
pub const MISSING: u32 = 2;
/// A man where none should stand.
pub const FOREIGN: u32 = 16;
/// A ply whose man has never been seen on its destination: it may go anywhere yet.
pub const UNSEEN: u32 = 8;
/// A square that the ply must have touched and whose reading has not changed.
pub const UNTOUCHED: u32 = 6;
/// The same of a drop, of which nothing but its square is seen.
pub const UNTOUCHED_DROP: u32 = 2 * UNTOUCHED;
/// A ply whose man stood on its destination, but not when its clock was pressed.
pub const ABSENT: u32 = 8;
/// The same of one that stood then where it can go and may not, in hindsight where it can go at all: it went by there.
/// Lines are told apart by this number: no other absence costs as much.
pub const WENT_BY: u32 = NEVER + 1;
/// A ply whose man was in the air when its clock was pressed and was put down after that.
pub const LANDED: u32 = 8;
/// A ply whose man was in the air when its clock was pressed and stood there when the other player pressed.
pub const RESTORED: u32 = 9;
/// A ply whose man had left its destination shortly before its clock was pressed.
pub const LEFT: u32 = 6;
/// A ply whose man had left its destination before its clock was pressed and stands elsewhere: it made another move.
pub const WENT_ELSEWHERE: u32 = 6;
/// A ply whose man was never seen on its destination: made up rather than made.
pub const NEVER: u32 = 20;
/// The same in hindsight, where the man was seen next where its player's next ply brought it: it went on between two
/// scans.
pub const WENT_ON: u32 = 10;
/// The same, where the man that it captures has been taken off: both are in the hand.
pub const TAKEN: u32 = 12;
/// The same, where the next ply captures it there: two plies between two scans.
pub const CAUGHT: u32 = 6;
/// The same, en passant: most pawns that a pawn captures at once stepped one square, but nothing tells them apart.
pub const CAUGHT_PASSING: u32 = CAUGHT + 1;
/// The same, of a drop.
pub const CAUGHT_DROP: u32 = 8;
/// A promotion whose square has shown nothing: the pawn may lie on its side.
pub const LAID: u32 = 3;
/// A ply of a promoted man that lay on its side and lies there, too.
pub const LIES_ON: u32 = 3;
/// A ply of a promoted man that lay on its side: nobody has seen it leave its square.
pub const RISEN: u32 = 5;
/// Castling whose king nobody has seen: it has left its square, and the rook has come to its own.
pub const HALF_CASTLED: u32 = 2;
/// A man of the player who is not to move went where it may go next.
pub const PREMOVE: u32 = 6;
/// A man of unknown kind that was lifted and put back without a ply that tells why.
pub const TOUCHED: u32 = 1;
/// A drop of a man that was not seen to leave the pocket.
pub const FROM_NOWHERE: u32 = 3;
/// A drop of a man that was seen on the board before its tray told that it had left.
pub const TAKEN_LATER: u32 = 3;
/// A drop of a man that was not seen to leave the pocket, where all that were captured for the player came to the tray.
pub const FROM_NOBODY: u32 = 10;
/// A drop of a man that left no tray, while one like it has left the board that goes there, or, where nobody saw the
/// drop, any man of the player: hardly dearer than to say that this one was moved illegally.
pub const CARRIED: u32 = 16;
/// The same in hindsight, where a man of that kind is known to be on its way to the player: it was handed over.
pub const HANDED: u32 = 2;
/// A drop of a man that was seen neither to leave the pocket nor to land, where no clock was pressed for it or all men
/// of its kind lie in the tray.
pub const BY_NOBODY: u32 = 10;
/// A drop of a man of another kind than was thought to have been taken from a tray that tells none.
pub const RENAMED: u32 = 2;
/// How much more a drop of a man that still lies in the tray costs where an illegal move explains it, too.
pub const LIES: u32 = 13;
/// A man that left its pocket and is not dropped by the line.
pub const IN_HAND: u32 = 4;
/// A man that came to a partner's tray and that no capture explains.
pub const ARRIVED: u32 = 4;
/// A man that a partner has dropped or has had for a while and that no capture explains.
pub const OWED: u32 = 8;
/// A press that no ply of the line answers.
pub const PRESS: u32 = 8;
/// A man that stands beside its square: knocked over and put back wrongly (WBN 6.4).
pub const DISPLACED: u32 = 8;
/// A man that stands two squares from its square.
pub const DISPLACED_FAR: u32 = 12;
/// A ply whose man stood there before the ply before it was made.
pub const EARLY: u32 = 5;
/// A ply whose man stood there when its player pressed for the last one, or was knocked there before its turn.
pub const KNOCKED: u32 = 10;
/// Men that stand elsewhere came there after the last man of the line.
pub const LATER: u32 = 2;
/// The same, a while after it, of the player who then pressed the clock: it was the move rather than one ahead.
pub const LATER_PRESSED: u32 = 4;
/// A man of the player came to its square after the other one's press, the line's own man before it: that was the move.
pub const IN_TURN: u32 = 6;
/// A man of the player who moved last went ahead of its turn before the move itself was made.
pub const SOONER: u32 = 6;
/// A ply whose man was read where it went before the man of the ply before it, by less than a scan.
pub const DISORDERED: u32 = 1;
/// A ply whose man stood there before its player had pressed the clock for the last one.
pub const UNANSWERED: u32 = 12;
/// An illegal move.
pub const ILLEGAL: u32 = 20;
/// The same of a man that left its square just before such a man stood elsewhere: rather than that one was dropped.
pub const ILLEGAL_CARRIED: u32 = 6;
/// A pawn that went farther than any does: rather another one was dropped, if one was there to drop.
pub const ILLEGAL_FAR: u32 = ILLEGAL + 1;
/// An illegal move whose man was in the air when the clock was pressed, and was put down after that: a legal one that
/// is read so late costs as much as one that nobody saw.
pub const ILLEGAL_LANDED: u32 = ILLEGAL + NEVER;
/// All that may be left open where an illegal move is believed after long rest: not where men are swept off.
pub const ILLEGAL_MOST: u32 = 32;
/// What an illegal move whose man had left again before the press may cost more than to leave the press open.
pub const ILLEGAL_GONE: u32 = 11;
/// How much cheaper an illegal move must be whose man was not there at the press and may have come in two moves.
pub const ILLEGAL_ON: u32 = 8;
/// An illegal move to the next square that was made before the other player's.
pub const ILLEGAL_AHEAD: u32 = ILLEGAL + PREMOVE;
/// How much cheaper than all legal accounts of the last plies one with an illegal ply must be.
pub const ILLEGAL_BEFORE: u32 = 6;
/// An illegal ply of the record, where legal ones may explain more after all.
pub const ACQUITTED: u32 = 12;
/// All that may speak against those.
pub const ACQUITTED_MOST: u32 = 8;
/// What it must save where more than that speaks against it.
pub const ACQUITTED_LEAST: u32 = 24;
/// Illegal castling: king and rook do not come to those squares by chance.
pub const ILLEGAL_CASTLING: u32 = 8;
/// A promotion to a kind that the rule set does not allow: the real man stands there.
pub const ILLEGAL_PROMOTION: u32 = 10;
/// The capture of a king that stood in check: whoever sees it does it.
pub const ILLEGAL_KING: u32 = 8;
/// Something that was seen in passing and that no ply explains.
pub const LIFTED: u32 = 1;
/// The same of a man that came back to its square soon: rather it was knocked over.
pub const LIFTED_AGAIN: u32 = 5;
/// The same of a man like the ply's, while that and all others still stood on their squares: it came out of a pocket.
pub const LIFTED_ANOTHER: u32 = 5;
/// A man that stood on a square for a while and that no ply explains.
pub const STOOD: u32 = 2;
/// The same, of a man of the next player that came there before the ply's man: it had answered another one.
pub const STOOD_AHEAD: u32 = PREMOVE + STOOD;
/// The same, of the ply's man, while a man of the next player went elsewhere: it answered that.
pub const STOOD_ANSWERED: u32 = 4;
/// The same, of another man of the player who pressed the clock while it stood there.
pub const STOOD_PRESSED: u32 = 6;
/// The man of a ply, which stood on another square when the clock was pressed and stayed there.
pub const STOOD_THERE: u32 = 10;
/// The man of a ply, which another square showed for longer after the press than a scan takes as a rule.
pub const STOOD_LONGER: u32 = 4;
/// A man that was left on a square and that no ply explains.
pub const LINGERED: u32 = 6;
/// A man of the player who pressed the clock that was not on its square.
pub const LACKING: u32 = 5;
/// The king of the player who pressed the clock that was not on its square, where another man is said to have been
/// captured at once, or to be the rook that castles with it.
pub const KING_OFF: u32 = 14;
/// A ply whose man left its square long before it came to the other.
pub const HELD: u32 = 4;
/// A ply whose man still stood on its square after what stands on the other had come: that is another one.
pub const ANOTHER: u32 = 6;
/// A capture in one motion where only that is felt that something stands there: nothing tells that it was one.
pub const REPLACED: u32 = 3;
/// A man that has been off its square since before the ply.
pub const GONE: u32 = 3;
/// A ply whose man was gone when its clock was pressed and is captured next: it was being taken off.
pub const ABSENT_CAUGHT: u32 = 2;
/// A square that has been wrong since before the ply.
pub const STILL: u32 = 1;
/// A press without a ply.
pub const IDLE: u32 = 12;
/// The same of a player whose man had come to where it may go.
pub const IDLE_MADE: u32 = 3;
/// A press without a ply after another one: it was pressed back.
pub const IDLE_BACK: u32 = 4;
/// A stretch in which one player's men came to squares without a ply, where no clock tells of turns.
pub const NO_PLY: u32 = 1;
/// A ply without a press.
pub const UNPRESSED: u32 = 3;
/// The same after another one, made so soon that both may have been pressed for between two messages of the clock.
pub const UNPRESSED_BETWEEN: u32 = 1;
/// A ply that takes back its player's last one, where nobody pressed for either: both were none.
pub const TAKEN_BACK: u32 = 24;
/// A ply that moves the man on of its player's last one, before the other player's could be seen, where nobody pressed
/// for either: the man was put where it went in the end.
pub const MOVED_ON: u32 = 5;
/// What must speak against a line that was pressed for, before it is asked what men may be others or stand elsewhere.
pub const STRAINED: u32 = GIVE_UP_MADE + 2;
/// How much cheaper another account of completed plies must be than the record.
pub const REREAD: u32 = 2;
/// Another account that is cheaper by less is hardly likelier than the record: both are told.
pub const NARROW: u32 = 5;
/// What must still speak against the best of the last plies, before others of more plies are asked for.
pub const REREAD_FAR: u32 = 12;
/// How much cheaper it must be where more presses were for nothing than by the record.
pub const UNDO: u32 = 12;

/// How much cheaper a record must be that leaves plies without a press, where presses and plies pair.
pub const PAIRED: u32 = 2;

/// However doubtful the last plies are: legal ones that cost so much more than an illegal one are made up.
pub const MADE_UP: u32 = 12;
/// Giving up a ply that was believed and not completed.
pub const GIVE_UP_MADE: u32 = 3;
/// Explanations that differ by less are rivals: neither is published as certain.
pub const MARGIN: u32 = 2;

// A man that is told to have gone elsewhere is never dearer than one that is missing and one that should not be there.
const _: () = assert!(DISPLACED_FAR + IN_TURN <= FOREIGN + MISSING && PREMOVE <= DISPLACED && LATER_PRESSED <= IN_TURN);
// The least that a man costs that should not be there: as much as one that is missing.
const _: () = assert!(MISSING <= PREMOVE && PREMOVE <= DISPLACED && DISPLACED <= DISPLACED_FAR && PREMOVE <= FOREIGN);
