/** The page loads the library from this place, where `scripts/prepare.mjs` puts it with its licence; these are its types. */
export * from 'streaming-markdown'
