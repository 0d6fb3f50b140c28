//! Displays against the time that passed.

use super::*;

/// A clock that shows `(at ms, white ms, black ms, whose time runs)`, message after message.
struct Shown(&'static [(i64, i64, i64, char)]);

impl Shown {
    fn run(&self, control: &str) -> (ClockWatch, Vec<String>, Vec<char>) {
        let mut watch = ClockWatch::default();
        let (mut defects, mut fell) = (Vec::new(), Vec::new());
        for (at, white_ms, black_ms, runs) in self.0 {
            let running = match runs {
                'w' => Some(Color::White),
                'b' => Some(Color::Black),
                _ => None,
            };
            let times = ClockTimes { white_ms: *white_ms, black_ms: *black_ms };
            let view = ClockView { times, running, to_move: running };
            let flags = ByColor { white: *white_ms <= 0, black: *black_ms <= 0 };
            let control = control.parse().ok();
            let news = watch.show(BoardId::A, view, flags, Instant(at * MS), control);
            defects.extend(news.defect.map(|draft| draft.reason));
            fell.extend(news.fell.iter().map(|seat| seat.letter()));
        }
        (watch, defects, fell)
    }
}

fn check(control: &str, shown: &'static [(i64, i64, i64, char)], defects: &[&str], fell: &str) {
    let (_, found, flags) = Shown(shown).run(control);
    assert_eq!(found, defects, "{control} {shown:?}");
    assert_eq!(flags.iter().collect::<String>(), fell, "{control} {shown:?}");
}

#[test]
fn displays_that_agree_with_time_are_believed() {
    // WBN 7.11
    check(
        "180+0",
        &[(0, 180_000, 180_000, 'w'), (60_000, 120_000, 180_000, 'w'), (61_000, 119_000, 180_000, 'b')],
        &[],
        "",
    );
    check(
        "180+2",
        &[(0, 180_000, 180_000, 'w'), (5_000, 177_000, 180_000, 'b'), (9_000, 177_000, 176_000, 'b')],
        &[],
        "",
    );
    check(
        "180d2",
        &[(0, 180_000, 180_000, 'w'), (2_000, 180_000, 180_000, 'w'), (9_000, 173_000, 180_000, 'w')],
        &[],
        "",
    );
    check("180b2", &[(0, 180_000, 180_000, 'w'), (5_000, 177_000, 180_000, 'b')], &[], "");
    // people set clocks that are stopped
    check(
        "180+0",
        &[(0, 90_000, 180_000, 'w'), (1_000, 89_000, 180_000, '-'), (9_000, 180_000, 180_000, '-')],
        &[],
        "",
    );
}

#[test]
fn displays_that_time_cannot_have_made_are_defects() {
    // WBN 7.11
    let defect = |control: &str, before: [i64; 2], at: i64, [white, black]: [i64; 2]| {
        let begun = [(-500, before[0] + 500, before[1], 'w'), (0, before[0], before[1], 'w')];
        let shown = [begun[0], begun[1], (at, white, black, 'w'), (at + 500, white - 500, black, 'w')];
        let shown: &'static [(i64, i64, i64, char)] = Box::leak(Box::new(shown));
        let (_, once, _) = Shown(&shown[..3]).run(control);
        assert!(once.is_empty(), "one message may be garbled: {once:?}");
        Shown(shown).run(control).1
    };
    assert_eq!(defect("180+0", [180_000; 2], 10_000, [150_000, 180_000]), ["too-fast"]);
    assert_eq!(defect("180+0", [180_000; 2], 10_000, [180_000, 180_000]), [""; 0]);
    assert_eq!(defect("180+0", [180_000; 2], 130_000, [180_000, 180_000]), ["too-slow"]);
    assert_eq!(defect("180+0", [90_000, 180_000], 1_000, [100_000, 180_000]), ["time-came-back"]);
    assert_eq!(defect("180+0", [90_000, 180_000], 1_000, [89_000, 90_000]), ["too-fast"]);
    // once a game
    let races =
        &[(0, 90_000, 9_000, 'w'), (1_000, 60_000, 9_000, 'w'), (2_000, 30_000, 9_000, 'w'), (3_000, 9, 9, 'w')];
    check("180+0", races, &["too-fast"], "");
}

#[test]
fn a_clock_that_was_not_heard_may_have_been_pressed() {
    let silent = |control: &str, seconds: i64, [white, black]: [i64; 2]| {
        let at = seconds * 1000;
        let begun = [(-500, 90_500, 80_000, 'w'), (0, 90_000, 80_000, 'w')];
        let shown = [begun[0], begun[1], (at, white, black, 'w'), (at + 500, white - 500, black, 'w')];
        Shown(Box::leak(Box::new(shown))).run(control).1
    };
    assert_eq!(silent("180+0", 20, [80_000, 70_000]), [""; 0]);
    assert_eq!(silent("180+0", 20, [72_000, 82_000]), [""; 0]);
    assert_eq!(silent("180+2", 20, [88_000, 86_000]), [""; 0]);
    assert_eq!(silent("180+0", 20, [70_000, 60_000]), ["too-fast"]);
    assert_eq!(silent("180+0", 20, [75_000, 90_000]), ["time-came-back"]);
    assert_eq!(silent("180+0", 150, [90_000, 80_000]), ["too-slow"]);
}

#[test]
fn a_garbled_message_is_no_defect() {
    let garbled = &[
        (0, 90_000, 60_000, 'w'),
        (1_000, 589_000, 60_000, 'w'),
        (2_000, 88_000, 60_000, 'w'),
        (3_000, 87_000, 9_000, 'w'),
        (4_000, 586_000, 60_000, 'w'),
        (5_000, 85_000, 60_000, 'w'),
    ];
    check("180+0", garbled, &[], "");
}

#[test]
fn flags_fall_when_the_time_is_used_up_or_zero_stays() {
    // WBN 7.3
    check("180+0", &[(0, 2_000, 60_000, 'w'), (1_000, 1_000, 60_000, 'w'), (2_000, 0, 60_000, 'w')], &[], "A");
    check("180+0", &[(0, 2_000, 500, 'w'), (2_000, 0, 500, 'w'), (2_500, 0, 500, 'b'), (3_100, 0, 0, 'b')], &[], "Aa");
    let garbled = &[(0, 90_000, 60_000, 'w'), (1_000, 0, 60_000, '-'), (1_200, 89_000, 60_000, 'w')];
    check("180+0", garbled, &[], "");
    let (mut watch, _, fell) = Shown(&[(0, 90_000, 60_000, 'w'), (1_000, 0, 60_000, '-')]).run("180+0");
    assert!(fell.is_empty());
    assert_eq!(watch.deadline(), Some(Instant(2_500 * MS)));
    assert_eq!(watch.look(BoardId::A, Instant(2_500 * MS)).iter().map(|seat| seat.letter()).collect::<String>(), "A");
}

#[test]
fn starts_are_compared_once_all_clocks_run() {
    // WBN 1.2, WBN 7.5
    let started = |seconds: i64| ClockWatch { started: Some(Instant(seconds * SECOND)), ..ClockWatch::default() };
    assert!(uneven_start(&[started(5), ClockWatch::default()]).is_none());
    assert!(uneven_start(&[started(5), started(6)]).is_none());
    let draft = uneven_start(&[started(9), started(5)]).unwrap();
    assert_eq!((draft.board, &draft.evidence["skew_ms"]), (Some(BoardId::A), &4000.into()));
}

#[test]
fn a_clock_whose_first_word_was_lost_began_before_it_was_heard() {
    // WBN 1.2
    let first = |control: &str, shown: &'static [(i64, i64, i64, char)]| Shown(shown).run(control).0.started();
    let at = |ms: i64| Some(Instant(ms * MS));
    assert_eq!(first("180+0", &[(4_620, 179_000, 180_000, 'w')]), at(3_620));
    assert_eq!(first("180+2", &[(4_620, 182_000, 180_000, 'w')]), at(4_620));
    assert_eq!(first("180+0", &[(4_620, 120_000, 120_000, 'w')]), at(4_620), "it was set to another time");
    assert_eq!(first("", &[(4_620, 179_000, 180_000, 'w')]), at(4_620), "nobody knows what it was set to");
}

#[test]
fn times_at_the_start_are_those_of_the_time_control() {
    // WBN 1.15
    let wrong = |control: &str, white_ms, black_ms| {
        let times = ClockTimes { white_ms, black_ms };
        wrong_times(&RuleSet::WBN_1_00, BoardId::B, times, control.parse().unwrap(), 0).is_some()
    };
    assert!(!wrong("180+0", 180_000, 180_000) && !wrong("180+0", 179_100, 180_000));
    assert!(!wrong("180+2", 182_000, 182_000), "the first increment may be shown already");
    assert!(wrong("180+0", 300_000, 300_000) && wrong("180+0", 180_000, 120_000) && wrong("180d2", 185_000, 180_000));
}

#[test]
fn a_frozen_player_waits_until_the_own_clock_says_so() {
    // WBN 9.4
    let times = |white_ms| Some(ClockTimes { white_ms, black_ms: 60_000 });
    let frozen = Frozen::new(BoardId::A.seat(Color::White), 5, times(100_000), Instant(0));
    assert_eq!(frozen.until_ms, Some(95_000));
    assert!(!frozen.is_over(times(96_000), Instant(SECOND)) && frozen.is_over(times(95_000), Instant(SECOND)));
    assert!(frozen.broken_by(times(97_000), Instant(SECOND), 0).is_some());
    assert!(frozen.broken_by(times(97_000), Instant(SECOND), 2_000).is_none(), "two seconds were given for the move");
    assert!(frozen.broken_by(times(94_900), Instant(SECOND), 0).is_none());
    let without_clock = Frozen::new(BoardId::A.seat(Color::White), 5, None, Instant(0));
    assert!(without_clock.broken_by(None, Instant(4 * SECOND), 0).is_some());
    assert!(without_clock.broken_by(None, Instant(5 * SECOND), 0).is_none());
}

#[test]
fn one_garbled_display_is_no_defect_whenever_it_comes() {
    // WBN 7.11: the first one of all, the first one of a run, one in between; a real jump is told
    check(
        "180+0",
        &[(0, 180_000, 200_000, 'w'), (800, 180_000, 180_000, 'w'), (1_500, 179_000, 180_000, 'b')],
        &[],
        "",
    );
    let before = [(0, 180_000, 180_000, '-'), (900, 180_000, 180_000, '-')];
    let rows: [(&[_], &[&str]); 4] = [
        (&[(2_000, 180_000, 100_000, 'w'), (2_900, 179_000, 180_000, 'w'), (3_900, 178_000, 180_000, 'w')], &[]),
        (&[(2_000, 180_000, 180_000, 'w'), (2_900, 99_000, 180_000, 'w'), (3_900, 178_000, 180_000, 'w')], &[]),
        (
            &[(2_000, 180_000, 180_000, 'w'), (2_900, 99_000, 180_000, 'w'), (3_900, 98_000, 180_000, 'w')],
            &["too-fast"],
        ),
        (
            &[(2_000, 180_000, 180_000, 'w'), (2_900, 180_000, 170_000, 'w'), (3_900, 179_000, 170_000, 'w')],
            &["too-fast"],
        ),
    ];
    for (rows, expect) in rows {
        let shown: Vec<(i64, i64, i64, char)> = before.iter().chain(rows).copied().collect();
        check("180+0", shown.leak(), expect, "");
    }
}

#[test]
fn wrong_times_are_told_when_two_displays_in_a_row_show_them() {
    // WBN 1.15
    let check = |shown: &[(i64, i64, i64)], expect: usize| {
        let mut watch = ClockWatch::default();
        let told = shown.iter().filter_map(|(at, white_ms, black_ms)| {
            let times = ClockTimes { white_ms: *white_ms, black_ms: *black_ms };
            let early = (*at <= 1_000).then_some(0);
            watch.wrong_start(
                BoardId::A,
                times,
                "180+0".parse().unwrap(),
                (Instant(at * MS), early),
                &RuleSet::WBN_1_00,
            )
        });
        assert_eq!(told.count(), expect, "{shown:?}");
    };
    check(&[(0, 180_000, 200_000), (900, 180_000, 180_000), (1_800, 179_000, 180_000)], 0);
    check(&[(0, 200_000, 200_000), (1_100, 199_000, 200_000)], 1);
    check(&[(0, 180_000, 180_000), (900, 170_000, 180_000), (1_800, 169_000, 180_000)], 1);
    check(&[(0, 180_000, 180_000), (1_900, 170_000, 180_000), (2_800, 169_000, 180_000)], 0);
}
