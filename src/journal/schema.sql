-- Version 1. Instants are microseconds since started_us of their session.

-- One table from one start of the daemon on.
CREATE TABLE session (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,             -- `session` of the messages
    table_id TEXT NOT NULL,
    started_us INTEGER NOT NULL,    -- since 1970 UTC
    settings TEXT NOT NULL          -- the [[table]] entry as JSON
) STRICT;

-- What left a table, in order of recording.
CREATE TABLE event (
    id INTEGER PRIMARY KEY,
    session INTEGER NOT NULL REFERENCES session (id),
    feed INTEGER NOT NULL,          -- 0 live, 1 arbiter
    seq INTEGER NOT NULL,
    t INTEGER NOT NULL,
    game TEXT,
    kind TEXT NOT NULL,             -- `type` of the message
    json TEXT NOT NULL              -- the message
) STRICT;
CREATE INDEX event_by_seq ON event (session, feed, seq);
CREATE INDEX event_by_game ON event (game, kind) WHERE game IS NOT NULL;
CREATE INDEX game_start ON event (game) WHERE kind = 'game-started';

-- What a table received, and what was sent to its devices.
CREATE TABLE input (
    id INTEGER PRIMARY KEY,
    session INTEGER NOT NULL REFERENCES session (id),
    t INTEGER NOT NULL,
    kind INTEGER NOT NULL,          -- 0 received, 1 sent, 2 link (data 01 up, 00 down), 3 request (data JSON)
    device INTEGER,                 -- index in the settings
    data BLOB NOT NULL
) STRICT;
CREATE INDEX input_by_session ON input (session);

-- Answers to requests.
CREATE TABLE response (
    id INTEGER PRIMARY KEY,
    session INTEGER NOT NULL REFERENCES session (id),
    t INTEGER NOT NULL,
    json TEXT NOT NULL
) STRICT;
