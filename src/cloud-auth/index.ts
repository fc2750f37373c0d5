/**
 * Access tokens of clouds, made of a secret: for Workers and servers, never for a page. Each function returns one that goes into `apiKey`.
 *
 * @module
 */
export { type EntraSettings, entraClient } from './entra.ts'
export { type GoogleCredentials, type GoogleTokenSettings, googleServiceAccount } from './google.ts'
