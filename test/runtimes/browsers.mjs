/** Opens an installed browser on an address, with a profile to throw away and no look-ups outside loopback. */
import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { findChromium } from '../../scripts/chromium.mjs'

const firefoxOff = [
  'browser.shell.checkDefaultBrowser',
  'app.normandy.enabled',
  'datareporting.policy.dataSubmissionEnabled',
  'network.captive-portal-service.enabled',
  'network.connectivity-service.enabled',
  'browser.aboutwelcome.enabled',
  'extensions.update.enabled',
]
const firefoxOn = ['network.dns.disabled', 'termsofuse.bypassNotification']
const chromiumFlags = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-dev-shm-usage',
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1',
]

/** Where each is, and how to open it; `undefined` where it is not installed. */
const browsers = {
  chromium: () => {
    const file = findChromium()
    return file && ((home, url) => [file, ...chromiumFlags, `--user-data-dir=${home}`, url])
  },
  firefox: () => {
    const file = onPath('firefox-esr') ?? onPath('firefox')
    return file && ((home, url) => [file, '--headless', '--no-remote', '--profile', home, url])
  },
  webkit: () => {
    const [xvfb, browser] = [onPath('xvfb-run'), miniBrowser()]
    return xvfb && browser && onPath('xauth') && ((_home, url) => [xvfb, '-a', browser, '--private', url])
  },
}

export const browserNames = Object.keys(browsers)

export const hasBrowser = (name) => Boolean(browsers[name]())

/** Where a program is, if it is on the PATH. */
export function onPath(name) {
  const folders = (process.env.PATH ?? '').split(delimiter)
  return folders.map((folder) => join(folder, name)).find((file) => existsSync(file))
}

/** WebKitGTK's own small browser, which no PATH knows. */
export function miniBrowser() {
  try {
    const files = execFileSync('dpkg', ['-L', 'libwebkit2gtk-4.1-0'], { encoding: 'utf8', stdio: 'pipe' }).split('\n')
    return files.find((file) => file.endsWith('/MiniBrowser') && existsSync(file))
  } catch {
    return undefined
  }
}

export function openBrowser(name, url) {
  const home = mkdtempSync(join(tmpdir(), `isoglot-${name}-`))
  if (name === 'firefox') writeFileSync(join(home, 'user.js'), firefoxSettings())
  const [command, ...args] = browsers[name]()(home, url)
  const child = spawn(command, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
    env: { ...process.env, HOME: home },
  })
  let log = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes) => (log += bytes))
  const gone = new Promise((resolve) => child.once('close', resolve).once('error', resolve))
  return {
    log: () => log,
    async stop() {
      kill(child.pid, 'SIGTERM')
      const timer = setTimeout(kill, 3000, child.pid, 'SIGKILL')
      await gone
      clearTimeout(timer)
      rmSync(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
    },
  }
}

const firefoxSettings = () =>
  [...firefoxOff.map((name) => [name, false]), ...firefoxOn.map((name) => [name, true])]
    .map(([name, value]) => `user_pref("${name}", ${value});\n`)
    .join('')

/** All of its group: a browser is many processes. */
function kill(pid, signal) {
  try {
    process.kill(-pid, signal)
  } catch {
    // The group is empty.
  }
}
