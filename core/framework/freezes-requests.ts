import { token } from '../foundation/token.ts'

/** True where plugins are developed: every request is frozen, even if nobody else gets it. */
export const FreezesRequests = token<boolean>('freezes-requests')
