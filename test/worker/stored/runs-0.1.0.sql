-- What an object of the class StreamRun of 0.1.0 had stored of an answer that came to its end, and of one that was being written.
CREATE TABLE IF NOT EXISTS run (
  one INTEGER PRIMARY KEY CHECK (one = 1), id TEXT NOT NULL, url TEXT NOT NULL, digest TEXT NOT NULL,
  state TEXT NOT NULL, framing TEXT, headers TEXT NOT NULL, endedAt INTEGER
) STRICT;
CREATE TABLE IF NOT EXISTS events (
  event INTEGER NOT NULL, part INTEGER NOT NULL, bytes BLOB NOT NULL, PRIMARY KEY (event, part)
) STRICT, WITHOUT ROWID;
INSERT OR REPLACE INTO run VALUES (
  1, '0123456789abcdef0123456789abcdef', 'https://worker.test/v1/chat/completions', 'of it all', 'running', 'sse',
  '[["content-type","text/event-stream"],["x-request-id","q1"]]', NULL
);
INSERT INTO events VALUES (1, 0, CAST('data: {"choices":[{"index":0,"delta":{"content":"Good"}}]}' || char(10, 10) AS BLOB));
INSERT INTO events VALUES (2, 0, CAST('data: {"choices":[{"index":0,"delta":{"content":" morning"}}]}' || char(10, 10) AS BLOB));
-- done:
UPDATE run SET state = 'done', endedAt = 1795262400000;
