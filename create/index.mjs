#!/usr/bin/env node
/** `npm create isoglot <template> [folder]`: copies a template into a new folder, and prints what to run there. */
import { cpSync, existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { stdin, stdout } from 'node:process'
import { createInterface } from 'node:readline/promises'
import { fileURLToPath } from 'node:url'

const templates = {
  page: 'a chat page with React and Vite, and the route that runs the model',
  worker: 'a Cloudflare Worker that keeps the key, with a page of its own',
  script: 'one file for Node, Deno and Bun',
}
const list = Object.entries(templates).map(([name, what]) => `  ${name.padEnd(8)} ${what}`)

try {
  const [asked, folder] = process.argv.slice(2)
  const template = asked ?? (await ask())
  if (!Object.hasOwn(templates, template))
    throw new Error(
      `There is no template "${template}". Run "npm create isoglot <template> [folder]":\n${list.join('\n')}`,
    )
  create(template, resolve(folder ?? `isoglot-${template}`))
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
}

async function ask() {
  if (!stdin.isTTY) throw new Error(`Which template? Run "npm create isoglot <template> [folder]":\n${list.join('\n')}`)
  const terminal = createInterface({ input: stdin, output: stdout })
  const answer = await terminal.question(`${list.join('\n')}\nWhich template? `)
  terminal.close()
  return answer.trim()
}

function create(template, folder) {
  if (existsSync(folder) && readdirSync(folder).length > 0)
    throw new Error(`Cannot create a project in ${folder}: it has files. Name another folder`)
  cpSync(fileURLToPath(new URL(`dist/${template}`, import.meta.url)), folder, { recursive: true })
  // npm packs no file that is named .gitignore.
  for (const name of readdirSync(folder).filter((one) => one.startsWith('_')))
    renameSync(join(folder, name), join(folder, name.replace('_', '.')))
  const manifest = join(folder, 'package.json')
  const name =
    basename(folder)
      .toLowerCase()
      .replace(/[^a-z\d-]+/g, '-')
      .replace(/^-+|-+$/g, '') || template
  writeFileSync(manifest, `${JSON.stringify({ name, ...JSON.parse(readFileSync(manifest, 'utf8')) }, null, 2)}\n`)
  console.log(
    `The project is in ${folder}. Next:\n\n  cd ${folder}\n  npm install\n  npm start\n\nREADME.md says more.`,
  )
}
