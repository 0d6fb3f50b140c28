//! The laws as code: position and rule set to legal moves, mate, repetition and the reasons of illegal moves.
