//! A game played by hands on emulated devices.
