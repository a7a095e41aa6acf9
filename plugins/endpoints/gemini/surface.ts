// Loaded at the first request.

export { callMethod } from './methods.ts'
