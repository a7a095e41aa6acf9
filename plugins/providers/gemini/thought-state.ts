import { parseJson } from '../../../core/index.ts'

/**
 * A signature that the vendor wants back where it stood: on the part that comes next, on an empty part of its own, or on a thought,
 * whose text then has to come back too.
 */
export interface ThoughtState {
  readonly thoughtSignature: string
  readonly on: 'next' | 'itself' | 'thought'
  /** The thought. */
  readonly text?: string
  /** How much of the next text it signs; absent: all of it. */
  readonly length?: number
}

/** The content of `encrypted_content`, as JSON. */
export function stateText(state: ThoughtState): string {
  return JSON.stringify(state)
}

/** Undefined for state of another dialect. */
export function thoughtState(opaque: string | undefined): ThoughtState | undefined {
  if (!opaque?.startsWith('{')) return undefined
  const state = parseJson(opaque) as ThoughtState | undefined
  return typeof state?.thoughtSignature === 'string' ? state : undefined
}
