/** The path of an nginx: `NGINX`, or one on the PATH, or Debian's path, which is not on every user's PATH. */
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

export function findNginx() {
  if (process.env.NGINX) return process.env.NGINX
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin']
  return folders.map((folder) => join(folder, 'nginx')).find((file) => existsSync(file))
}
