//! What of the moves that were played is recorded, for tests that stop the daemon meanwhile.
//!
//! In: the moves of a board as they were played and as they are recorded. Out: which are missing, and how many were
//! never played.

/// What a record lacks and has too much.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Kept {
    /// Indices of played moves that are not recorded.
    pub missing: Vec<usize>,
    /// Recorded moves that nobody played, or not there.
    pub extra: usize,
}

/// Lays a record beside what was played so that as much as possible agrees.
pub fn kept(played: &[&str], recorded: &[&str]) -> Kept {
    let (rows, columns) = (played.len(), recorded.len());
    // Most moves that agree from each pair of places on.
    let mut agree = vec![vec![0; columns + 1]; rows + 1];
    for row in (0..rows).rev() {
        for column in (0..columns).rev() {
            agree[row][column] = match played[row] == recorded[column] {
                true => agree[row + 1][column + 1] + 1,
                false => agree[row + 1][column].max(agree[row][column + 1]),
            };
        }
    }
    let (mut column, mut missing) = (0, Vec::new());
    for row in 0..rows {
        while column < columns && played[row] != recorded[column] && agree[row][column + 1] == agree[row][column] {
            column += 1;
        }
        match recorded.get(column) {
            Some(found) if *found == played[row] => column += 1,
            _ => missing.push(row),
        }
    }
    let extra = columns - agree[0][0];
    Kept { missing, extra }
}

#[test]
fn records_are_laid_beside_what_was_played() {
    let check = |played: &str, recorded: &str, missing: &[usize], extra| {
        let words = |text: &'static str| text.split(' ').collect::<Vec<_>>();
        let (played, recorded) = (played.to_owned().leak(), recorded.to_owned().leak());
        assert_eq!(kept(&words(played), &words(recorded)), Kept { missing: missing.to_vec(), extra });
    };
    check("e4 e5 Nf3", "e4 e5 Nf3", &[], 0);
    check("e4 e5 Nf3", "e4 Nf3", &[1], 0);
    check("e4 e5 Nf3", "e4 d5 Nf3 Nc6", &[1], 2);
    check("e4 e5 Nf3 d6", "d6", &[0, 1, 2], 0);
}
