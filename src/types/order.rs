//! The order in which things happened on several boards.
//!
//! In: what happened, with its board and time, in the order of each board. Out: one order by time that keeps the order
//! of each board, whatever the times say: those of different runs of the daemon may disagree.

use super::{BOARDS_MAX, BoardId, Instant};

/// Sorts by time. What follows on a board is never put before what it follows; the rest of ties stays as it was.
pub fn by_time<T>(items: &mut Vec<T>, of: impl Fn(&T) -> (BoardId, Instant)) {
    let mut last = [Instant(i64::MIN); BOARDS_MAX];
    let dated = |item: T| {
        let (board, at) = of(&item);
        let latest = &mut last[board.index()];
        *latest = at.max(*latest);
        (*latest, item)
    };
    let mut dated: Vec<(Instant, T)> = items.drain(..).map(dated).collect();
    dated.sort_by_key(|(at, _)| *at);
    items.extend(dated.into_iter().map(|(_, item)| item));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(items: &[(BoardId, i64)], expect: &str) {
        let mut sorted = items.to_vec();
        by_time(&mut sorted, |(board, at)| (*board, Instant(*at)));
        let texts: Vec<String> = sorted.iter().map(|(board, at)| format!("{board}{at}")).collect();
        assert_eq!(texts.join(" "), expect);
    }

    #[test]
    fn boards_are_interleaved_and_none_is_reordered() {
        const A: BoardId = BoardId::A;
        const B: BoardId = BoardId::B;
        check(&[(A, 1), (A, 5), (B, 2), (B, 7)], "A1 B2 A5 B7");
        check(&[(A, 5), (A, 1), (B, 2), (B, 6)], "B2 A5 A1 B6");
        check(&[(B, 3), (A, 3), (B, 3)], "B3 A3 B3");
        check(&[], "");
    }
}
