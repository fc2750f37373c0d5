-- What the class UserLedger of 0.1.0 had stored, at noon of 2026-11-21: its tables, and rows by its own statements.
CREATE TABLE IF NOT EXISTS live (
  requestId TEXT PRIMARY KEY, user TEXT NOT NULL, model TEXT NOT NULL, wire TEXT NOT NULL, provider TEXT NOT NULL,
  cost INTEGER NOT NULL, startedAt INTEGER NOT NULL, expiresAt INTEGER NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS days (
  day TEXT NOT NULL, user TEXT NOT NULL, model TEXT NOT NULL, requests INTEGER NOT NULL,
  inputTokens INTEGER NOT NULL, outputTokens INTEGER NOT NULL, spent INTEGER NOT NULL, PRIMARY KEY (day, user, model)
) STRICT;
CREATE TABLE IF NOT EXISTS errors (
  day TEXT NOT NULL, kind TEXT NOT NULL, count INTEGER NOT NULL, PRIMARY KEY (day, kind)
) STRICT;
INSERT INTO live VALUES ('r1', 'ada', 'anthropic:claude-haiku-4-5', 'anthropic', 'anthropic', 300, 1795262100000, 1795263000000);
INSERT INTO days VALUES ('2026-11-21', 'ada', 'anthropic:claude-haiku-4-5', 3, 1200, 300, 450);
INSERT INTO days VALUES ('2026-11-21', 'bob', 'openai-chat:gpt-5-mini', 1, 10, 20, 99000);
INSERT INTO days VALUES ('2026-11-20', 'ada', 'anthropic:claude-haiku-4-5', 7, 70, 14, 1000);
INSERT INTO errors VALUES ('2026-11-21', 'overloaded', 2);
