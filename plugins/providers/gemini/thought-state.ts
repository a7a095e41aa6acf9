import { parseJson } from '../../../core/index.ts'

/**
 * A signature that the vendor wants back in the same place: on the next part, on a separate empty part, or on a thought, together with
 * the thought's text.
 */
export interface ThoughtState {
  readonly thoughtSignature: string
  readonly on: 'next' | 'itself' | 'thought'
  /** The thought. */
  readonly text?: string
  /** The length of the signed text. Default: all of the next text. */
  readonly length?: number
}

/** The content of `encrypted_content`, as JSON. */
export function stateText(state: ThoughtState): string {
  return JSON.stringify(state)
}

/** The state, unless it belongs to another dialect. */
export function thoughtState(opaque: string | undefined): ThoughtState | undefined {
  if (!opaque?.startsWith('{')) return undefined
  const state = parseJson(opaque) as ThoughtState | undefined
  return typeof state?.thoughtSignature === 'string' ? state : undefined
}
