/** Where an nginx is: `NGINX`, or on the PATH, or where Debian puts it, which is not on everybody's. */
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

export function findNginx() {
  if (process.env.NGINX) return process.env.NGINX
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin']
  return folders.map((folder) => join(folder, 'nginx')).find((file) => existsSync(file))
}
