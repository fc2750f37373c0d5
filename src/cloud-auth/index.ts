/**
 * Access tokens of clouds, made from a secret: for Workers and servers, never for a page. Each function returns a function for `apiKey`.
 *
 * @module
 */
export { type EntraSettings, entraClient } from './entra.ts'
export { type GoogleCredentials, type GoogleTokenSettings, googleServiceAccount } from './google.ts'
