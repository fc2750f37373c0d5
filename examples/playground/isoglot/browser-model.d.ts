/** The page loads the built SDK from this place; these are its types. */
export * from '../../../dist/browser-model.js'
