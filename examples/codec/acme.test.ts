/** With the test runner of Node, Deno or Bun. In Vitest it is the same loop with its `test`. */
import { test } from 'node:test'
import { conformance } from 'isoglot/test'
import { acmeCodec } from './acme.ts'
import { acmeFacts } from './facts.ts'

for (const { name, run } of conformance(acmeCodec, acmeFacts)) test(name, run)
