/**
 * The addresses of Vertex AI.
 *
 * @see https://cloud.google.com/vertex-ai/docs/general/locations (read 2026-11)
 * @module
 */

/** The address of a project in a location. Without a project: the address of express mode. */
export function vertexAddress(project: string | undefined, location: string): string {
  if (project === undefined) return 'https://aiplatform.googleapis.com/v1'
  return `https://${vertexHost(location)}/v1/projects/${encodeURIComponent(project)}/locations/${encodeURIComponent(location)}`
}

function vertexHost(location: string): string {
  if (location === 'global') return 'aiplatform.googleapis.com'
  // Regions of several countries.
  if (location === 'us' || location === 'eu') return `aiplatform.${location}.rep.googleapis.com`
  return `${encodeURIComponent(location)}-aiplatform.googleapis.com`
}
