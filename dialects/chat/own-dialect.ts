import { isObject, type JsonObject } from '../../core/index.ts'
import type { UpstreamRequestBody } from '../../core/kit.ts'

export const dialect = 'openai-chat'

/** What a caller of this dialect has said in its own words. The surface `chat` makes it. */
export interface Exact {
  readonly thinking?: JsonObject
  readonly reasoning?: JsonObject
  readonly service_tier?: string
}

/** Undefined unless the caller speaks this dialect. */
export function exactOf({ extra }: Pick<UpstreamRequestBody, 'extra'>): Exact | undefined {
  return extra?.dialect === dialect ? (extra.exact ?? nothing) : undefined
}

const nothing: Exact = {}

/** Members of an item, a part or a tool that only a caller of this dialect can have said: core leaves them to no other provider. */
export function extraOf(value: object): JsonObject | undefined {
  const { extra } = value as { readonly extra?: unknown }
  return isObject(extra) ? extra : undefined
}
