// Loaded at the first request.

export { compactResponse } from './compact.ts'
export { createResponse } from './create.ts'
export { listInputItems } from './input-items.ts'
export { countInputTokens } from './input-tokens.ts'
export { cancelResponse, deleteResponse, retrieveResponse } from './stored.ts'
