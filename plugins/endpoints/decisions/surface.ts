// Loaded at the first request.

export { decide, decideEither } from './decide.ts'
