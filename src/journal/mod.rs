//! The durable record: events and raw bytes in SQLite.
