/** Of `cloudflare:workers`, which only Cloudflare's runtime has, what the Worker imports: for a compiler without the types of the platform. */
declare module 'cloudflare:workers' {
  export class DurableObject {
    constructor(ctx: unknown, env: unknown)
  }
}
