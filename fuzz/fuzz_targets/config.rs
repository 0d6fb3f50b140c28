//! Configurations: a good one or located problems.
#![no_main]

use std::path::Path;

use bughoused::daemon::config::Config;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    if let Err(problems) = Config::parse(text, Path::new("bughoused.toml")) {
        assert!(!problems.is_empty());
    }
});
