/** Of `cloudflare:workers`, what the Worker's files import: for tests that run in Node. */
export class DurableObject {
  readonly ctx: unknown
  readonly env: unknown

  constructor(ctx: unknown, env: unknown) {
    this.ctx = ctx
    this.env = env
  }
}
