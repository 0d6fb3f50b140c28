-- Version 2: what a later start needs, and what retention has taken away.

-- How a device lay and at which side of its clock White sat, whenever it was found out.
CREATE TABLE device (
    id INTEGER PRIMARY KEY,
    session INTEGER NOT NULL REFERENCES session (id),
    t INTEGER NOT NULL,
    name TEXT NOT NULL,             -- as in the settings
    turned INTEGER,                 -- 1 by 180 degrees, 0 not, null not known
    clock_white TEXT                -- `left`, `right`, null not known
) STRICT;
CREATE INDEX device_by_session ON device (session);

-- Numbers that outlive the daemon.
CREATE TABLE mark (
    name TEXT PRIMARY KEY,          -- `published`: the last event that the broker has, with all before it
    value INTEGER NOT NULL
) STRICT;

-- Inputs before this instant were deleted by age or size.
ALTER TABLE session ADD COLUMN inputs_from INTEGER NOT NULL DEFAULT 0;
CREATE INDEX game_start_by_session ON event (session) WHERE kind = 'game-started';
