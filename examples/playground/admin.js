/** The operator's view: the figures of the Worker's accounts, loaded again every few seconds. It contains no prompts or answers. */
import { countErrors, lastDays, sumsOf, writeAge, writeBrief, writeCount, writeMoney } from './admin-figures.js'
import { drawBars, drawFigure, drawMeter, drawTable, paragraph } from './admin-plots.js'

/** @typedef {import('./admin-figures.js').Summary} Summary */

const refreshMs = 5000
const plotDays = 14
/** The maximum number of rows in a table. The Worker adds up the other rows, so this page never gets them. */
const mostRows = 100
const storedAs = 'isoglot-admin-token'

const find = (/** @type {string} */ id) => /** @type {HTMLElement} */ (document.getElementById(id))
const field = (/** @type {string} */ id) => /** @type {HTMLInputElement} */ (find(id))

/** @type {Summary | undefined} */
let summary
let isPaused = false
/** @type {ReturnType<typeof setTimeout> | undefined} */
let next

find('enter').addEventListener('submit', (event) => {
  event.preventDefault()
  sessionStorage.setItem(storedAs, field('token').value.trim())
  field('token').value = ''
  refresh()
})
find('leave').addEventListener('click', () => askForToken(''))
find('pause').addEventListener('click', () => {
  isPaused = !isPaused
  find('pause').setAttribute('aria-pressed', `${isPaused}`)
  clearTimeout(next)
  if (!isPaused) refresh()
})
for (const id of ['by', 'span']) find(id).addEventListener('change', () => summary && refresh())
document.addEventListener('visibilitychange', () => {
  if (!document.hidden && !isPaused && summary) refresh()
})

if (sessionStorage.getItem(storedAs)) refresh()
else askForToken('')

async function refresh() {
  clearTimeout(next)
  const token = sessionStorage.getItem(storedAs)
  if (!token) return
  const query = `by=${field('by').value}&span=${field('span').value}&limit=${mostRows}`
  const headers = { authorization: `Bearer ${token}` }
  const answer = await fetch(`/admin/summary?${query}`, { headers }).catch(() => undefined)
  if (answer?.status === 401) return askForToken('The Worker does not know this token.')
  if (answer?.status === 404)
    return askForToken("The Worker has no operator's view: its secret ADMIN_TOKEN is not set.")
  const read = answer?.ok ? await answer.json().catch(() => undefined) : undefined
  if (read) show(read)
  else tell(`The Worker does not answer (${answer?.status ?? 'no connection'}). The figures are old.`)
  if (!isPaused && !document.hidden) next = setTimeout(refresh, refreshMs)
}

/**
 * Shows the form, and the reason.
 *
 * @param {string} why
 */
function askForToken(why) {
  clearTimeout(next)
  sessionStorage.removeItem(storedAs)
  summary = undefined
  toggle({ enter: true, figures: false, controls: false })
  find('status').textContent = ''
  tell(why)
  find('token').focus()
}

/** @param {Record<string, boolean>} shown */
function toggle(shown) {
  for (const [id, isShown] of Object.entries(shown)) find(id).hidden = !isShown
}

/** @param {string} problem */
function tell(problem) {
  if (find('problem').textContent !== problem) find('problem').textContent = problem
  find('problem').hidden = problem === ''
}

/** @param {Summary} latest */
function show(latest) {
  summary = latest
  toggle({ enter: false, figures: true, controls: true })
  tell('')
  find('status').textContent = `as of ${new Date().toLocaleTimeString()}`
  showToday(latest)
  showLive(latest)
  showDays(latest)
  showUsage(latest)
  showErrors(latest)
  showLimits(latest)
}

/** @param {Summary} summary */
function showToday({ totals, liveCount, limits }) {
  const [today = ''] = lastDays(1, Date.now())
  const { requests, inputTokens, outputTokens, spent } = sumsOf(totals, today)
  find('today').replaceChildren(
    drawFigure('Live streams', writeCount(liveCount)),
    drawFigure('Requests today', writeCount(requests)),
    drawFigure('Tokens today', writeBrief(inputTokens + outputTokens)),
    drawFigure('Spent today', writeMoney(spent), { used: spent, limit: limits.totalDailyBudget }),
  )
}

/** @param {Summary} summary */
function showLive({ live, liveCount }) {
  const oldestFirst = [...live].sort((one, other) => one.startedAt - other.startedAt)
  const rows = oldestFirst.map(({ user, model, wire, startedAt }) => [
    user,
    writeAge(Date.now() - startedAt),
    model,
    wire,
  ])
  const table = drawTable(['User', '#For', 'Model', 'Format'], rows, 'No stream is open.')
  find('live').replaceChildren(table, ...noteOf(live.length, liveCount))
}

/**
 * The note below a table that does not show all rows.
 *
 * @param {number} shown
 * @param {number} count
 */
function noteOf(shown, count) {
  return shown < count ? [paragraph(`The first ${writeCount(shown)} of ${writeCount(count)}.`)] : []
}

/** @param {Summary} summary */
function showDays({ totals }) {
  const sums = lastDays(plotDays, Date.now()).map((day) => ({ label: day.slice(5), ...sumsOf(totals, day) }))
  const spend = sums.map(({ label, spent }) => ({ label, parts: [{ kind: 'spent', value: spent }] }))
  const tokens = sums.map(({ label, inputTokens, outputTokens }) => ({
    label,
    parts: [
      { kind: 'input', value: inputTokens },
      { kind: 'output', value: outputTokens },
    ],
  }))
  find('spend').replaceChildren(drawBars(spend, writeMoney, 'spend-caption'))
  find('tokens').replaceChildren(drawBars(tokens, writeBrief, 'tokens-caption'))
}

/** @type {Readonly<Record<string, ('user' | 'model' | 'day')[]>>} */
const groupings = { user: ['user'], model: ['model'], day: ['day'], all: ['user', 'model', 'day'] }
const titles = { user: 'User', model: 'Model', day: 'Day' }

/** @param {Summary} summary */
function showUsage({ usage, limits }) {
  const by = groupings[usage.by] ?? ['user']
  const isBudget = usage.by === 'user' && usage.span === 1
  const groups = [...usage.rows]
  if (usage.by === 'day') groups.sort((one, other) => String(other.name).localeCompare(String(one.name)))
  const rows = groups.map(({ name, requests, inputTokens, outputTokens, spent }) => [
    ...name,
    writeMoney(spent),
    ...[requests, inputTokens, outputTokens].map(writeCount),
    ...(isBudget ? [drawMeter(`${name}`, { used: spent, limit: limits.dailyBudget })] : []),
  ])
  const columns = [...by.map((name) => titles[name]), '#Spent', '#Requests', '#Input', '#Output']
  const all = isBudget && limits.dailyBudget > 0 ? [...columns, 'Of the budget'] : columns
  const table = drawTable(all, rows, 'There were no requests in that time.')
  find('usage').replaceChildren(table, ...noteOf(rows.length, usage.count))
}

/** @param {Summary} summary */
function showErrors({ errors, refusals = [] }) {
  const refused = refusals.map((row) => ({ ...row, kind: `refused: ${row.kind}` }))
  const counts = countErrors([...errors, ...refused])
  const most = Math.max(1, ...counts.map(({ count }) => count))
  const rows = counts.map(({ kind, count }) => {
    const bar = document.createElement('progress')
    bar.max = most
    bar.value = count
    bar.setAttribute('aria-hidden', 'true')
    return [kind, writeCount(count), bar]
  })
  find('errors').replaceChildren(drawTable(['Kind', '#Count', ''], rows, 'None.'))
}

/** @param {Summary} summary */
function showLimits({ limits }) {
  find('limits').replaceChildren(
    drawFigure('A user, in a day', writeMoney(limits.dailyBudget)),
    drawFigure('The Worker, in a day', writeMoney(limits.totalDailyBudget)),
    drawFigure('Streams of a user at once', writeCount(limits.liveStreams)),
  )
}
