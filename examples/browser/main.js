/** The page: the chat, and beside it the views of the wire, the stream and the hand-off. */
import { connect } from './chat.js'
import './handoff-view.js'
import './wire-view.js'
import { startViews } from './views.js'

// Not every browser lets a keyboard scroll what is not a control.
for (const place of document.querySelectorAll('.scrolls')) place.setAttribute('tabindex', '0')
startViews()
connect()
