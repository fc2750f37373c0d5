/** Puts the documents of the clone back, which `prepack` changed for the package. */
import { restoreDocuments } from './packed-documents.mjs'

restoreDocuments()
