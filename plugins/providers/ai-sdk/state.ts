import { parseJson, type JsonObject } from '../../../core/index.ts'
import type { Metadata } from './specification.ts'

/**
 * What a package wants back as it gave it: of a thought, with its words, since clients may reword those that they see;
 * of the text before it; of calls, by their ids.
 */
export type State =
  | { readonly of: 'thought'; readonly text: string; readonly metadata: Metadata }
  | { readonly of: 'text'; readonly metadata: Metadata }
  | { readonly of: 'calls'; readonly calls: Readonly<Record<string, Metadata>> }

/** The content of `encrypted_content`, as JSON. */
export function stateText(state: State): string {
  return JSON.stringify(state)
}

/** Undefined for state that is not this plugin's. */
export function stateIn(opaque: string | undefined): State | undefined {
  return opaque?.startsWith('{"of":') ? (parseJson(opaque) as State | undefined) : undefined
}

/** Pieces of one part tell one thing after another. Undefined while nothing was told. */
export function joined(before: Metadata | undefined, now: Metadata | undefined): Metadata | undefined {
  if (!before || !now) return before ?? now
  const names = new Set([...Object.keys(before), ...Object.keys(now)])
  return Object.fromEntries(Array.from(names, name => [name, { ...before[name], ...now[name] }])) as Metadata
}

/** Undefined where all that is told is nothing. */
export function worthKeeping(metadata: Metadata | undefined): Metadata | undefined {
  const members: readonly JsonObject[] = Object.values(metadata ?? {})
  return members.some(each => Object.values(each).some(value => value !== null && value !== undefined)) ? metadata : undefined
}
