import { isObject, type JsonObject } from '../../core/index.ts'
import type { UpstreamRequestBody } from '../../core/kit.ts'

export const dialect = 'anthropic-messages'

/** What a caller of this dialect has said in its own words. The surface `messages` makes it. */
export interface Exact {
  /** A block before all others of `system`. */
  readonly system?: JsonObject
  readonly thinking?: JsonObject & { readonly type?: string; readonly budget_tokens?: number }
  readonly output_config?: JsonObject & { readonly effort?: string | null }
  readonly service_tier?: string
  /** True if the caller names its user. The vendor gets a name that says nothing. */
  readonly user_id?: boolean
  readonly betas?: readonly string[]
}

/** Undefined unless the caller speaks this dialect. */
export function exactOf({ extra }: Pick<UpstreamRequestBody, 'extra'>): Exact | undefined {
  return extra?.dialect === dialect ? (extra.exact ?? nothing) : undefined
}

const nothing: Exact = {}

/** Members of items, parts and tools that only a caller of this dialect can have said. */
export function extraOf(value: object, isOwn: boolean): JsonObject | undefined {
  const { extra } = value as { readonly extra?: unknown }
  return isOwn && isObject(extra) ? extra : undefined
}
