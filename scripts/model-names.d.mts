export function modelNames(): string
