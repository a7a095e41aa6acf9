import { token } from './token.ts'

/** A number from 0 up to, but not including, 1. Tests replace it. */
export type Random = () => number
export const Random = token<Random>('random')
