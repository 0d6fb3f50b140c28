//! What emulated players do against the laws, as arguments.

use crate::simulate::offence::{Offence, Offences};

/// The offences.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct OffenceArgs {
    /// What players do against the laws, each game as soon as it can be done [default with --offences: all but those
    /// that take a game of their own]
    #[arg(long, value_name = "KIND,…", value_delimiter = ',', value_parser = offence)]
    offence: Vec<Offence>,
    /// In how many of 1000 plies they do it
    #[arg(long, value_name = "RATE", value_parser = clap::value_parser!(u16).range(1..=1000))]
    offences: Option<u16>,
}

impl OffenceArgs {
    /// What was asked for.
    pub fn offences(&self) -> Offences {
        let all = self.offence.is_empty() && self.offences.is_some();
        let kinds = if all { Offence::mixed().collect() } else { self.offence.clone() };
        Offences { kinds, per_mille: self.offences }
    }

    /// Every kind alone, once a game, with its number: those that were named, or all.
    pub fn each(&self) -> impl Iterator<Item = (u64, Offences)> {
        let kinds: Vec<Offence> = if self.offence.is_empty() { Offence::all().collect() } else { self.offence.clone() };
        (0..).zip(kinds).map(|(number, kind)| (number, Offences { kinds: vec![kind], per_mille: None }))
    }
}

/// The help on offences.
pub fn help() -> String {
    let (mixed, all) = (names(Offence::mixed()), names(Offence::all()));
    let alone = &all[mixed.len()..];
    format!("Offences: {}; each in a game of its own: {}", mixed.join(", "), alone.join(", "))
}

fn names(offences: impl Iterator<Item = Offence>) -> Vec<String> {
    offences.map(Offence::name).collect()
}

fn offence(name: &str) -> Result<Offence, String> {
    Offence::named(name).ok_or_else(|| format!("expected one of {}", names(Offence::all()).join(", ")))
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::rules::Reason;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        args: OffenceArgs,
    }

    #[test]
    fn arguments_name_offences() {
        let offences = |line: &str| {
            let line = Line::try_parse_from(["x"].into_iter().chain(line.split_whitespace()));
            line.map(|line| line.args.offences()).map_err(|e| e.to_string())
        };
        assert_eq!(offences(""), Ok(Offences::default()));
        let two = offences("--offence illegal:geometry,concealed").unwrap();
        assert_eq!(two.kinds, [Offence::Illegal(Reason::Geometry), Offence::Concealed]);
        assert_eq!(two.per_mille, None);
        let all = offences("--offences 20").unwrap();
        assert_eq!((all.kinds.len(), all.per_mille), (Offence::mixed().count(), Some(20)));
        assert!(offences("--offence theft").unwrap_err().contains("illegal:geometry"));
    }
}
