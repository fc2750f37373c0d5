/** Where the scenarios run: in this process, and in workerd. The provider is the same, on loopback. */
import { serveInWorkerd } from '../gateway/workerd.ts'
import { type Perform, performAt, type Told } from './scenarios.ts'

export interface Host {
  readonly name: string
  /** How the runtime names itself, where the scenarios run. */
  readonly userAgent: RegExp
  /** Begins, with the provider at this address. */
  start(baseUrl: string): Promise<Started>
}

export interface Started {
  readonly userAgent: string
  readonly perform: Perform
  stop(): Promise<void>
}

const node: Host = {
  name: 'Node',
  userAgent: /^Node\.js/,
  start: async (baseUrl) => ({ userAgent: navigator.userAgent, perform: performAt(baseUrl), stop: async () => {} }),
}

const workerd: Host = {
  name: 'workerd',
  userAgent: /^Cloudflare-Workers$/,
  async start(baseUrl) {
    const { url, stop } = await serveInWorkerd(new URL('worker.ts', import.meta.url).pathname, baseUrl)
    const perform: Perform = async (...named) => {
      const response = await fetch(url, { method: 'POST', body: JSON.stringify(named) })
      if (!response.ok) throw new Error(`Cannot perform in workerd: ${response.status} ${await response.text()}`)
      return (await response.json()) as Told
    }
    return { userAgent: await (await fetch(url)).text(), perform, stop }
  },
}

export const hosts: readonly Host[] = [node, workerd]
