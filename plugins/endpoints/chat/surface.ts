// Loaded at the first request.

export { createCompletion } from './create.ts'
