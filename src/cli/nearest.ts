export { nearest } from '../base/nearest.ts'
