/** Files for the next message: chosen, pasted, or dropped on the message box. */
import { element, find, findInput } from './dom.js'
import { toBlock } from './isoglot/chat.js'
import { drawBlock } from './parts.js'

/** @typedef {import('./isoglot/chat.js').FileAsBlock} FileAsBlock */

/** In bytes. */
const largest = 8 * 1024 * 1024

const list = find('#attached')
const note = find('#attach-note')

/** @type {FileAsBlock[]} */
let blocks = []

/** Returns the attached files, and detaches them. */
export function takeAttached() {
  const taken = blocks
  blocks = []
  list.replaceChildren()
  note.textContent = ''
  return taken
}

/** @param {Iterable<File>} files */
async function attach(files) {
  note.textContent = ''
  for (const file of files) {
    try {
      if (file.size > largest) throw new RangeError(`it is larger than ${largest / 1024 / 1024} MiB`)
      const block = await toBlock(file)
      blocks.push(block)
      list.append(drawAttached(file, block))
    } catch (error) {
      note.textContent = `Cannot attach ${file.name}: ${error instanceof Error ? error.message : error}`
    }
  }
}

/** @param {File} file @param {FileAsBlock} block */
function drawAttached(file, block) {
  const remove = element('button', 'action', 'Remove')
  remove.setAttribute('type', 'button')
  remove.setAttribute('aria-label', `Remove ${file.name}`)
  const name = element('span', '', `${file.name}, ${Math.ceil(file.size / 1024)} KiB`)
  const item = element('li', '', [...(block.type === 'image' ? [drawBlock(block)] : []), name, remove])
  remove.addEventListener('click', () => {
    blocks = blocks.filter((one) => one !== block)
    item.remove()
    find('#prompt').focus()
  })
  return item
}

findInput('#attach').addEventListener('change', ({ target }) => {
  if (!(target instanceof HTMLInputElement)) return
  attach([...(target.files ?? [])])
  target.value = ''
})
find('#composer').addEventListener('paste', (event) => {
  if (event.clipboardData?.files.length) attach(event.clipboardData.files)
})
find('#say').addEventListener('drop', (event) => {
  if (find('#composer').hidden || !event.dataTransfer?.files.length) return
  event.preventDefault()
  event.stopPropagation() // in other browsers, this value is a recording
  attach(event.dataTransfer.files)
})
