/** npm passes a SIGTERM on to its shell alone, which ends without a word to us; but our parent changes. */
export function endWithParent() {
  const parent = process.ppid
  setInterval(() => {
    if (process.ppid !== parent) process.kill(process.pid, 'SIGTERM')
  }, 1000).unref()
}
