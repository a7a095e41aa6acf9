import { parseJson, type JsonObject } from '../../../core/index.ts'
import type { Metadata } from './specification.ts'

/**
 * State that a package wants back unchanged: of a thought, with its text, because clients may reword what they see; of the text before
 * it; or of calls, by their ids.
 */
export type State =
  | { readonly of: 'thought'; readonly text: string; readonly metadata: Metadata }
  | { readonly of: 'text'; readonly metadata: Metadata }
  | { readonly of: 'calls'; readonly calls: Readonly<Record<string, Metadata>> }

/** The content of `encrypted_content`, as JSON. */
export function stateText(state: State): string {
  return JSON.stringify(state)
}

/** The state, unless it belongs to another plugin. */
export function stateIn(opaque: string | undefined): State | undefined {
  return opaque?.startsWith('{"of":') ? (parseJson(opaque) as State | undefined) : undefined
}

/** Merges metadata from the pieces of one part. Undefined if there is none yet. */
export function joined(before: Metadata | undefined, now: Metadata | undefined): Metadata | undefined {
  if (!before || !now) return before ?? now
  const names = new Set([...Object.keys(before), ...Object.keys(now)])
  return Object.fromEntries(Array.from(names, name => [name, { ...before[name], ...now[name] }])) as Metadata
}

/** The metadata, unless all of its members are null or undefined. */
export function worthKeeping(metadata: Metadata | undefined): Metadata | undefined {
  const members: readonly JsonObject[] = Object.values(metadata ?? {})
  return members.some(each => Object.values(each).some(value => value !== null && value !== undefined)) ? metadata : undefined
}
