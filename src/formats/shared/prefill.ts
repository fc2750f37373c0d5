/**
 * The models that do not continue an answer, wherever they are served: they refuse a conversation that ends with the assistant.
 *
 * @see https://platform.claude.com/docs/en/about-claude/models/migration-guide (read 2026-11): Claude, from 4.6 on
 * @see https://ai.google.dev/gemini-api/docs/whats-new-gemini-3.6 (read 2026-11): Gemini 3.5 Flash-Lite, and from 3.6 on
 *
 * @module
 */

/** Matches the names of these models. A Claude model without a version in its name is a new one. */
export const withoutPrefill: RegExp =
  /claude-(?:[a-z]+-)?(?:4[-.](?:[6-9]|\d\d)(?!\d)|(?:[5-9]|\d\d)(?!\d)|(?!.*\d))|gemini-(?:3\.[6-9]|3\.5-flash-lite|[4-9]|flash(?:-lite)?-latest)/
