// The version of this program.
declare const SLUICE_VERSION: string // put in by the build

export const version: string = typeof SLUICE_VERSION === 'string' ? SLUICE_VERSION : '0.0.0-source'
