/**
 * The types that the Worker imports from `cloudflare:workers`, a module that only Cloudflare's runtime has. For a compiler without the
 * types of the platform.
 */
declare module 'cloudflare:workers' {
  export class DurableObject {
    constructor(ctx: unknown, env: unknown)
  }
}
