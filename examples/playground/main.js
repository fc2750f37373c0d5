/** The page: the chat, and next to it the views of the wire, the stream and the hand-off. */
import { connect } from './chat.js'
import './handoff-view.js'
import './wire-view.js'
import { startViews } from './views.js'

// In some browsers, a keyboard cannot scroll an element that is not a control.
for (const place of document.querySelectorAll('.scrolls')) place.setAttribute('tabindex', '0')
startViews()
connect()
