export function parseFile(path: string): number
