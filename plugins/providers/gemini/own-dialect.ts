import { isObject, type JsonObject } from '../../../core/index.ts'
import type { UpstreamRequestBody } from '../../../core/kit.ts'

export const dialect = 'gemini'

/** What a caller of this dialect has said in its own words. The surface `gemini` makes it. */
export interface Exact {
  readonly thinkingConfig?: JsonObject & { readonly thinkingLevel?: string }
  /** The members of `generationConfig` that say the format of the answer. */
  readonly format?: JsonObject
  /** The declarations of functions. */
  readonly functions?: readonly (JsonObject & { readonly name: string })[]
  readonly functionCallingConfig?: JsonObject
}

/** Undefined unless the caller speaks this dialect. */
export function exactOf({ extra }: Pick<UpstreamRequestBody, 'extra'>): Exact | undefined {
  return extra?.dialect === dialect ? (extra.exact ?? nothing) : undefined
}

const nothing: Exact = {}

/** Members of the request that only this dialect has. A name with a dot is a member of `holder`. */
export function fieldsOf({ extra }: Pick<UpstreamRequestBody, 'extra'>, holder?: string): JsonObject {
  if (extra?.dialect !== dialect) return noFields
  const fields: Record<string, unknown> = {}
  for (const [path, value] of Object.entries(extra.fields)) {
    const dot = path.indexOf('.')
    if (holder === undefined ? dot < 0 : path.slice(0, dot) === holder) fields[path.slice(dot + 1)] = value
  }
  return fields
}

const noFields: JsonObject = {}

/** Members of items, parts and tools that only a caller of this dialect can have said. */
export function extraOf(value: object, isOwn: boolean): JsonObject | undefined {
  const { extra } = value as { readonly extra?: unknown }
  return isOwn && isObject(extra) ? extra : undefined
}

/** Adds such members to a part. A name with a dot is a member of a member. */
export function withExtra<P extends object>(part: P, extra: JsonObject | undefined): P {
  if (!extra) return part
  const result = { ...part } as Record<string, unknown>
  for (const [path, value] of Object.entries(extra)) {
    const dot = path.indexOf('.')
    const outer = dot < 0 ? undefined : result[path.slice(0, dot)]
    if (isObject(outer)) result[path.slice(0, dot)] = { ...outer, [path.slice(dot + 1)]: value }
    else if (dot < 0) result[path] = value
  }
  return result as P
}

/** The surface makes these ids for calls that have none. */
export function ownCallId(callId: string, isOwn: boolean): { readonly id?: string } {
  return isOwn && /^gemini_call_\d+$/.test(callId) ? {} : { id: callId }
}
