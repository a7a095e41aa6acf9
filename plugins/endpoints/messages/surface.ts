// Loaded at the first request.

export { countTokens } from './count-tokens.ts'
export { createMessage } from './create.ts'
