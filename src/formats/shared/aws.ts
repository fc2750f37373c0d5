/**
 * Amazon Bedrock's runtime: its address, and requests with the signature of an account.
 *
 * @see https://docs.aws.amazon.com/general/latest/gr/bedrock.html (read 2026-11)
 * @module
 */

/** Signs requests with AWS's Signature Version 4. An `AwsClient` of `aws4fetch` can be passed. */
export interface AwsSigner {
  sign(
    url: string,
    init: RequestInit & { readonly aws: { readonly service: string; readonly region: string } },
  ): Promise<Request>
}

/** The address of the runtime in a region. @throws {TypeError} without a region. */
export function bedrockAddress(region: string): string {
  if (typeof region !== 'string') throw new TypeError('Cannot address Bedrock: "region" is missing, such as us-east-1')
  return `https://bedrock-runtime.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`
}

/** Signs for the service `bedrock`. From the host's name, a signer would take another service, and its signature is refused. */
export function signing(aws: AwsSigner, region: string, send: typeof fetch = fetch): typeof fetch {
  return async (url, init) => send(await aws.sign(String(url), { ...init, aws: { service: 'bedrock', region } }))
}
