import { LRUCache } from 'lru-cache'
import { wire } from '../container.ts'
import type { Endpoint } from '../contracts/catalog.ts'
import type { Credential } from '../contracts/provider.ts'
import {
  efforts,
  foreignToolTypes,
  type Effort,
  type GenerationRequest,
  type ToolDefinition,
  type UpstreamRequestBody,
} from '../contracts/request.ts'
import type { Warning } from '../contracts/route.ts'
import type { Caller } from '../contracts/run-context.ts'
import { Sealer } from '../contracts/sealer.ts'
import { invalidRequest } from '../errors.ts'
import type { Candidate } from '../routing/plan.ts'
import { accountOfState, openState } from './state.ts'

/** A request fitted to one endpoint, and what was dropped or changed for it. */
export interface Lowered {
  readonly request: UpstreamRequestBody
  readonly warnings: readonly Warning[]
}

/** Fits a request to what an endpoint can do, and keeps inside what is the gateway's own affair. */
export class Lowering {
  readonly #sealer: Sealer
  readonly #cacheKeys = new LRUCache<string, string>({ max: 1_000 })

  static {
    wire(this, [Sealer])
  }

  constructor(sealer: Sealer) {
    this.#sealer = sealer
  }

  /** Credentials in turn, save that the one comes first whose account the conversation's state belongs to. */
  withStateFirst(
    inTurn: readonly (Credential | undefined)[],
    request: GenerationRequest,
    { endpoint, provider }: Candidate,
    { key }: Caller,
  ): readonly (Credential | undefined)[] {
    if (inTurn.length === 1) return inTurn
    const accounts = inTurn.flatMap(credential => credential?.account ?? [])
    const account = accountOfState(this.#sealer, { org: key.org, provider: provider.id, model: endpoint.model }, accounts, request.input)
    return account === undefined ? inTurn : inTurn.toSorted((a, b) => Number(b?.account === account) - Number(a?.account === account))
  }

  lower(request: GenerationRequest, { endpoint, provider }: Candidate, credential: Credential | undefined, caller: Caller): Lowered {
    const warnings: Warning[] = []
    const {
      background: _b,
      conversation: _c,
      metadata: _m,
      previous_response_id: _i,
      prompt: _p,
      routing: _r,
      safety_identifier: _s,
      store: _st,
      stream_options: _so,
      user,
      ...body
    } = request
    const state = openState(
      this.#sealer,
      { org: caller.key.org, provider: provider.id, account: credential?.account, model: endpoint.model },
      body.input,
    )
    if (state.dropped > 0)
      warnings.push({ param: 'input', message: `${state.dropped} items carried state of another provider or model; it was left out` })
    const lowered: { -readonly [K in keyof UpstreamRequestBody]: UpstreamRequestBody[K] } = body
    lowered.input = state.items
    lowered.prompt_cache_key = this.#cacheKey(caller, body.prompt_cache_key ?? user)
    lowerTools(lowered, provider.dialect, warnings)
    lowerEffort(lowered, endpoint, warnings)
    lowerParameters(lowered, endpoint, warnings)
    return { request: lowered, warnings }
  }

  /** Vendors see an HMAC: the caller's own key might name a user. Without one the API key stands in (spec.md, `prompt_cache_key`). */
  #cacheKey({ key, owner }: Caller, given: string | undefined): string {
    const text = given === undefined ? `key:${key.id}` : `given:${owner}:${given}`
    let mac = this.#cacheKeys.get(text)
    if (mac === undefined) {
      mac = this.#sealer.mac('cache-key', text).toString('base64url').slice(0, 32)
      this.#cacheKeys.set(text, mac)
    }
    return mac
  }
}

type Draft = { -readonly [K in keyof UpstreamRequestBody]: UpstreamRequestBody[K] }

/** Built-in tools that nothing here runs are left out, unless the choice forces them: contract/responses.md §5. */
function lowerTools(request: Draft, dialect: string | undefined, warnings: Warning[]): void {
  if (!request.tools || dialect === 'openai-responses') return
  const kept = request.tools.filter(tool => !isBuiltIn(tool))
  if (kept.length === request.tools.length) return
  const dropped = request.tools.filter(isBuiltIn).map(({ type }) => type)
  const choice = request.tool_choice
  if (typeof choice === 'object' && dropped.includes(choice.type as never))
    throw invalidRequest(`tool_choice asks for "${choice.type}", which this model cannot run here.`, 'tool_choice')
  if (choice === 'required' && kept.length === 0)
    throw invalidRequest(`tool_choice is "required", and this model can run none of: ${dropped.join(', ')}.`, 'tool_choice')
  for (const type of dropped) warnings.push({ param: 'tools', message: `${type} is not available on this model and was left out` })
  request.tools = kept
}

const builtIn: ReadonlySet<string> = new Set(['web_search', ...foreignToolTypes])

function isBuiltIn({ type }: ToolDefinition): boolean {
  return builtIn.has(type)
}

/** spec.md, `reasoning.effort`: moved up and then down to the closest supported level. */
function lowerEffort(request: Draft, { capabilities }: Endpoint, warnings: Warning[]): void {
  const asked = request.reasoning?.effort
  const supported = capabilities.efforts
  if (!asked || !supported || supported.includes(asked)) return
  const nearest = closestEffort(asked, supported)
  const { effort: _, ...rest } = request.reasoning!
  request.reasoning = nearest ? { ...rest, effort: nearest } : rest
  warnings.push({
    param: 'reasoning.effort',
    message: nearest ? `${asked} became ${nearest}` : `${asked} was left out: this model does not reason`,
  })
}

export function closestEffort(asked: Effort, supported: readonly Effort[]): Effort | undefined {
  const from = efforts.indexOf(asked)
  return efforts.slice(from).find(level => supported.includes(level)) ?? efforts.slice(0, from).findLast(level => supported.includes(level))
}

function lowerParameters(request: Draft, { capabilities, maxOutputTokens }: Endpoint, warnings: Warning[]): void {
  const drop = (param: 'temperature' | 'top_p' | 'top_logprobs' | 'parallel_tool_calls'): void => {
    if (request[param] === undefined) return
    delete request[param]
    warnings.push({ param, message: 'is not supported by this model and was left out' })
  }
  if (capabilities.temperature === false) {
    drop('temperature')
    drop('top_p')
  }
  if (capabilities.logprobs === false) drop('top_logprobs')
  if (capabilities.parallelTools === false) drop('parallel_tool_calls')
  if (capabilities.verbosity === false && request.text?.verbosity) {
    const { verbosity: _, ...text } = request.text
    request.text = text
    warnings.push({ param: 'text.verbosity', message: 'is not supported by this model and was left out' })
  }
  if (maxOutputTokens !== undefined && request.max_output_tokens !== undefined && request.max_output_tokens > maxOutputTokens) {
    warnings.push({ param: 'max_output_tokens', message: `${request.max_output_tokens} became ${maxOutputTokens}, this model's limit` })
    request.max_output_tokens = maxOutputTokens
  }
}
