/**
 * The map of the house: each folder of `src`, with arrows to the folders that it imports. An arrow is left out if a path of other arrows
 * connects the same folders.
 *
 * `node scripts/with-node.mjs scripts/map.mjs` writes `docs/evidence/map.svg`.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { specifiersIn } from '../test/support/imports.ts'

const root = join(import.meta.dirname, '..')
const src = join(root, 'src')
const box = { width: 116, height: 34, gapX: 16, gapY: 40 }
const width = 960

const folders = readdirSync(src, { withFileTypes: true }).filter((entry) => entry.isDirectory())
/** What all formats share is below them, in a folder of its own. */
const shared = 'formats/shared'
const rooms = [...folders.map(({ name }) => name), shared].sort()
const roomOf = (path) => (path.startsWith(`${shared}/`) ? shared : path.split('/')[0])
const imports = new Map(rooms.map((room) => [room, importsOf(room)]))

/** The other folders that files of a folder import. */
function importsOf(room) {
  const files = readdirSync(join(src, room), { recursive: true }).filter(
    (name) => name.endsWith('.ts') && roomOf(`${room}/${name}`) === room,
  )
  const targets = files.flatMap((name) => {
    const file = join(src, room, name)
    return specifiersIn(readFileSync(file, 'utf8')).map((path) => relative(src, join(dirname(file), path)))
  })
  const [found, others] = [new Set(targets.map(roomOf)), new Set(rooms)]
  return [...found].filter((to) => others.has(to) && to !== room)
}

function reaches(from, to) {
  return imports.get(from).some((next) => next === to || reaches(next, to))
}

function levelOf(room) {
  return Math.max(-1, ...imports.get(room).map(levelOf)) + 1
}

/** The picture, as SVG. */
export function mapOfHouse() {
  const levels = Map.groupBy(rooms, levelOf)
  const height = levels.size * (box.height + box.gapY) + box.gapY
  const places = new Map()
  for (const [level, row] of levels) {
    const left = (width - row.length * (box.width + box.gapX) + box.gapX) / 2
    const y = height - (level + 1) * (box.height + box.gapY)
    for (const [at, room] of row.entries()) places.set(room, { x: left + at * (box.width + box.gapX), y })
  }
  const arrows = [...imports].flatMap(([room, others]) => {
    const nearest = others.filter((to) => !others.some((by) => reaches(by, to)))
    return nearest.map((to) => drawArrow(places.get(room), places.get(to)))
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="14">
<title>The folders of src, and which imports which</title>
<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0 8 4 0 8z" fill="#777"/></marker></defs>
<rect width="100%" height="100%" fill="#fff"/>
${arrows.join('\n')}
${[...places].map(([room, place]) => drawRoom(room, place)).join('\n')}
</svg>
`
}

function drawArrow(from, to) {
  const [x, y, end] = [from.x + box.width / 2, from.y + box.height, to.x + box.width / 2]
  return `<path d="M${x} ${y}C${x} ${y + box.gapY} ${end} ${to.y - box.gapY} ${end} ${to.y - 2}" fill="none" stroke="#777" marker-end="url(#tip)"/>`
}

function drawRoom(room, { x, y }) {
  return `<rect x="${x}" y="${y}" width="${box.width}" height="${box.height}" rx="6" fill="#eef4ff" stroke="#36c"/>
<text x="${x + box.width / 2}" y="${y + box.height / 2 + 5}" text-anchor="middle">${room}</text>`
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href)
  writeFileSync(join(root, 'docs', 'evidence', 'map.svg'), mapOfHouse())
