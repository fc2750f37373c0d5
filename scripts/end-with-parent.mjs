/** Ends this process when its parent has ended: npm passes a SIGTERM only to its shell, which ends without a signal to us. */
export function endWithParent() {
  const parent = process.ppid
  setInterval(() => {
    if (process.ppid !== parent) process.kill(process.pid, 'SIGTERM')
  }, 1000).unref()
}
