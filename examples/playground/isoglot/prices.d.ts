/** The page loads the built SDK from this place; these are its types. */
export * from '../../../dist/prices.js'
