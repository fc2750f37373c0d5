/**
 * The access token of a Microsoft Entra application, for its client id and secret.
 *
 * @see https://learn.microsoft.com/entra/identity-platform/v2-oauth2-client-creds-grant-flow (read 2026-11)
 * @module
 */
import { checkOptions } from '../core/checks.ts'
import { cachedToken, refusePage, requestToken } from './token.ts'

/** The application that signs in, and the scope. */
export interface EntraSettings {
  /** The directory: its id or its domain. */
  readonly tenant: string
  /** The id of the application. */
  readonly clientId: string
  readonly clientSecret: string
  /**
   * Default: `https://cognitiveservices.azure.com/.default`, for resources of Azure OpenAI. Foundry's documents name
   * `https://ai.azure.com/.default`.
   */
  readonly scope?: string
  /** The host of the sign-in. National clouds have other hosts. Default: `https://login.microsoftonline.com`. */
  readonly authority?: string
  /** Default: the global `fetch`. */
  readonly fetch?: typeof fetch
}

const title = 'Microsoft Entra'

/**
 * Signs in as an application, with its client secret. The token is valid for about an hour, and is renewed a minute before its end.
 *
 * @returns A function that returns a valid token, for `apiKey`. It rejects with an `ApiError` of the kind `authentication` if Entra
 * refuses the secret. The model needs `keyHeader: 'authorization'`.
 * @throws {TypeError} in a page, and if a setting is missing.
 * @example
 * ```ts
 * const apiKey = entraClient({ tenant: 'acme.example', clientId: 'my-app', clientSecret: env.CLIENT_SECRET })
 * const model = azureOpenai('my-gpt', { resource: 'my-resource', apiKey, keyHeader: 'authorization' })
 * ```
 */
export function entraClient(options: EntraSettings): () => Promise<string> {
  checkOptions('entraClient', options)
  const {
    tenant,
    clientId,
    clientSecret,
    scope = 'https://cognitiveservices.azure.com/.default',
    authority = 'https://login.microsoftonline.com',
    fetch,
  } = options
  refusePage(title)
  if (!tenant || !clientId || !clientSecret) {
    throw new TypeError(`Cannot sign in to ${title}: it needs "tenant", "clientId" and "clientSecret"`)
  }
  const url = `${authority}/${encodeURIComponent(tenant)}/oauth2/v2.0/token`
  const form = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret, scope }
  return cachedToken(title, () => requestToken({ title, url, fetch, secret: clientSecret }, form))
}
