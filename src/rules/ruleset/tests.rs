//! The law texts side by side, and how rule sets are written and read.

use super::*;

/// The law texts side by side: every field by name in the order of [`RuleSet::ALL`].
const TABLE: &[(&str, [&str; 3])] = &[
    ("promotions", ["QN", "QN", "QRBN"]), // WBN 5.7, CZ 5.7e, FIDE-ext 3.6
    ("promotion_must_be_said", ["false", "false", "true"]), // FIDE-ext 3.6
    ("promoted_captured_as_pawn", ["true", "true", "true"]), // WBN 5.7
    ("castle_with_dropped_rook", ["false", "false", "true"]), // WBN 5.8, FIDE-ext 3.5
    ("dropped_pawn_steps_two", ["true", "true", "true"]), // WBN 5.11, CZ 5.7, FIDE-ext 3.5
    ("pawn_drop_ranks", ["2-7", "2-7", "2-7"]), // WBN 5.10
    ("drop_ranks", ["1-8", "1-8", "1-8"]), // WBN 5.10
    ("drop_may_check", ["true", "true", "true"]), // FIDE-ext 3.4
    ("drop_may_mate", ["true", "true", "true"]), // FIDE-ext 3.4
    ("kings", ["mated", "mated", "mated"]), // WBN 1.5
    ("stalemate", ["false", "false", "false"]), // FIDE-ext 3.7
    ("repetition", ["3", "3", "4"]),      // WBN 2.2b, FIDE-ext 4.1
    ("draw_agreement", ["board", "board", "all"]), // WBN 2.2a, FIDE-ext 4.5
    ("illegal_move_loses", ["true", "true", "true"]), // WBN 1.14, FIDE-ext 4.2
    ("premove", ["non-disruptive", "non-disruptive", "forbidden"]), // WBN 6.5, CZ 6.4, FIDE-ext 3.9
    ("passing", ["before-own-turn", "before-own-turn", "before-own-move"]), // WBN 1.6, FIDE-ext 3.2
    ("hiding", ["restrict", "warn", "restart-clock"]), // WBN 1.8, CZ 1.8, FIDE-ext 3.3
    ("claims", ["team", "team", "player"]), // WBN 1.12, CZ 1.12, FIDE-ext 4.2
    ("flag_claim", ["team", "team-or-arbiter", "player"]), // WBN 7.8, CZ 7.8
    ("both_flags_draw", ["true", "true", "true"]), // WBN 7.10
    ("last_drop", ["draws", "draws", "simultaneous-mate"]), // WBN 1.9, WBN 2.2c, FIDE-ext 4.4
    ("freezing", ["5/10", "5/10/15/20", "none"]), // WBN 9.4b, CZ 9.4b
    ("wrong_claim", ["illegal-move", "illegal-move-unless-arbiter", "arbiter"]), // WBN 3.4, WBN 7.12d
    ("clock_delay", ["bronstein", "up-to-two-seconds", "blitz"]), // WBN 1.1, CZ 1.1
    ("ending", ["first-board", "first-board", "first-board"]), // WBN 1.3
    ("order", ["free", "free", "free"]),
    ("simultaneous", ["false", "false", "false"]),
    ("stall_limit", ["0", "0", "0"]),
];

#[test]
fn the_law_texts_say_this() {
    assert_eq!(TABLE.len(), FIELDS.len(), "a field is missing in the table");
    for (name, values) in TABLE {
        let field = Field::named(name).expect(name);
        assert_eq!(RuleSet::ALL.map(|rules| field.get(&rules)), *values, "{name}");
    }
}

#[test]
fn every_value_that_is_written_is_read() {
    for rules in RuleSet::ALL {
        for field in FIELDS {
            let mut other = RuleSet::WBN_1_00;
            field.set(&mut other, &field.get(&rules)).unwrap_or_else(|| panic!("{}", field.name));
            assert_eq!(field.get(&other), field.get(&rules));
            assert_eq!(field.set(&mut other, "nonsense"), None, "{}", field.name);
        }
        assert_eq!(rules.to_string().parse(), Ok(rules));
    }
}

#[test]
fn every_variant_changes_every_law_text() {
    for variant in VARIANTS {
        for base in RuleSet::ALL {
            let rules: RuleSet = format!("{},{}", base.name, variant.name).parse().unwrap();
            assert_ne!(rules, base, "{}", variant.name);
            assert_eq!(rules.to_string().parse().as_ref(), Ok(&rules), "{}", variant.name);
            assert_eq!(rules.changes().len(), variant.changes.len(), "{}", variant.name);
        }
    }
}

#[test]
fn bad_values_are_not_taken() {
    for bad in ["repetition=1", "promotions=K", "promotions=QQ", "promotions=QRBNQ", "drop_ranks=4-2", "drop_ranks=0-9"]
    {
        let text = format!("wbn-1.00,{bad}");
        assert!(matches!(text.parse::<RuleSet>(), Err(RuleSetError::Value { .. })), "{bad}");
    }
    for bad in ["freezing=1/2/3/4/5", "freezing=0", "stall_limit=-1", "kings=eaten", "stalemate=maybe", "freezing="] {
        let text = format!("wbn-1.00,{bad}");
        assert!(matches!(text.parse::<RuleSet>(), Err(RuleSetError::Value { .. })), "{bad}");
    }
}

#[test]
fn errors_suggest_what_may_be_meant() {
    let error = |text: &str| text.parse::<RuleSet>().unwrap_err().to_string();
    assert_eq!(
        error("wbn"),
        "expected one of wbn-1.00, cz-2024.06, fide-ext, found \"wbn\"; did you mean \"wbn-1.00\"?"
    );
    assert!(error("wbn-1.00,castle_with_droped_rook=true").ends_with("did you mean \"castle_with_dropped_rook\"?"));
    assert!(error("wbn-1.00,tandm").contains("did you mean \"tandem\""));
    assert!(error("wbn-1.00,zzz").contains("the fields are both_flags_draw,"));
    assert_eq!(error("wbn-1.00,repetition=x"), "repetition: expected a number from 2 to 99, found \"x\"");
}

#[test]
fn a_table_of_a_configuration_is_read() {
    let read = |json: &str| serde_json::from_str::<RuleSet>(json).map_err(|e| e.to_string());
    assert_eq!(read("\"fide-ext\""), Ok(RuleSet::FIDE_EXT));
    let table = r#"{"base": "wbn-1.00", "castle_with_dropped_rook": true, "repetition": 4, "promotions": ["Q", "N"]}"#;
    assert_eq!(read(table).unwrap().to_string(), "wbn-1.00,castle_with_dropped_rook=true,repetition=4");
    let variants = r#"{"base": "wbn-1.00", "variants": ["tandem", "own-half"]}"#;
    assert_eq!(read(variants).unwrap().to_string(), "wbn-1.00,drop_may_mate=false,drop_ranks=1-4");
    assert!(read(r#"{"castle_with_dropped_rook": true}"#).unwrap_err().contains("expected one of wbn-1.00"));
    assert!(read(r#"{"base": "wbn-1.00", "castles": true}"#).unwrap_err().contains("found \"castles\""));
    assert!(read("[1]").unwrap_err().contains("expected the name of a rule set or a table"));
    assert_eq!(
        serde_json::to_string(&read(table).unwrap()).unwrap(),
        format!("{:?}", read(table).unwrap().to_string())
    );
}

#[test]
fn each_law_text_cites_its_own_articles() {
    use crate::rules::Reason;
    assert_eq!(RuleSet::WBN_1_00.article(Reason::PawnDropRank), ("WBN", "5.10")); // WBN 5.10
    assert_eq!(RuleSet::CZ_2024_06.article(Reason::PromotionPiece), ("CZ", "5.7e")); // CZ 5.7e
    assert_eq!(RuleSet::FIDE_EXT.article(Reason::PawnDropRank), ("FIDE-ext", "3.4")); // FIDE-ext 3.4
    for reason in Reason::ALL {
        for rules in RuleSet::ALL {
            assert!(!rules.article(reason).1.is_empty());
        }
    }
    assert!(Reason::ALL.is_sorted(), "the order of the list is the order in which they lead");
}
