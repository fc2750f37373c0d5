/** The suite in a page, which loaded each built file by a script tag before, and has an import map for the package's names. */
import { ok } from './assert.mjs'
import { runSuite } from './suite.mjs'

const { tags, report, names } = globalThis.pageUnderTest

/** Script tags of modules run in their order, so that by now all of them have; only their `load` events may be late. */
async function loadsByTag(name) {
  for (let waited = 0; tags[name] === undefined && waited < 3000; waited += 10) {
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  ok(tags[name] === true, 'its script tag did not load')
}

async function loadsByName(name) {
  const module = await import(name)
  ok(Object.keys(module).length > 0, 'it exports nothing')
}

const results = await runSuite(location.origin, [
  ...Object.values(names).map((file) => [`loads ${file}.js by a script tag`, () => loadsByTag(file)]),
  ...Object.keys(names).map((name) => [`loads ${name} by an import map`, () => loadsByName(name)]),
])
await fetch(report, { method: 'POST', body: JSON.stringify({ results, agent: navigator.userAgent }) })
