import { token } from '../foundation/token.ts'

/** True where plugins are written: every request is frozen, although nobody else may get it. */
export const FreezesRequests = token<boolean>('freezes-requests')
