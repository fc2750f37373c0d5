/** Where an nginx is, if there is one. */
export function findNginx(): string | undefined
