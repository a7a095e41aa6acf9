import type { GatewayError } from '../foundation/errors.ts'
import type { JsonObject, Schema } from '../foundation/json.ts'
import type { Maybe } from '../runtime/pending.ts'
import type { Catalog, Endpoint } from './catalog.ts'
import type { GenerationEvent } from './events.ts'
import type { Item } from './items.ts'
import type { GenerationRequest } from './request.ts'
import type { RunContext } from './run-context.ts'
import type { Sight } from './sight.ts'

/**
 * A tool that the gateway runs. Callers ask for it with an entry in `tools`, and any model that can call functions can use it. Core offers
 * the model the tool's functions, runs the calls, and asks the model to continue.
 */
export interface Tool {
  /** The `type` of its entries in `tools`. */
  readonly type: string
  /** Checks an entry. `type` is checked before. */
  readonly schema: Schema
  /** Where the arguments of calls go. A caller whose policy forbids it gets a 422. */
  readonly seesContent: Sight
  /** The time limit of each call. */
  readonly timeoutMs: number
  /** The most that one call costs, in US dollars. Held before the call runs. Default: 0. */
  readonly costUsd?: number
  /**
   * The conversation as models should read it, with the tool's own items replaced by calls and outputs of functions. With it, core does not
   * keep calls of this tool that show something. Without it, core keeps calls and outputs with stored responses.
   */
  conversation?(input: readonly Item[]): readonly Item[]
  /** Called once per request and entry. Throws a `GatewayError` if the entry cannot be served. */
  open(entry: ToolEntry, scope: ToolScope): ToolSession
}

/** An entry of `tools`, as the caller wrote it, with its credentials. */
export type ToolEntry = {
  /** The `type` of the tool. */
  readonly type: string
} & JsonObject

/** The request in which a tool is opened. */
export interface ToolScope {
  /** As guardrails left it, without the credentials in entries of `tools`. */
  readonly request: GenerationRequest
  /** Where the entry is in the request, for errors: `tools[0]`. */
  readonly path: string
  /** A guardrail reads the request or its answer. */
  readonly isGuarded: boolean
  /** True if the API key may use a part of the tool, and a part of that: the key's `tools` name it as `type/part/part`. */
  allows(...parts: readonly string[]): boolean
  /** The id, caller and policy of the request. */
  readonly context: RunContext
  /** For tools that look up models. */
  readonly catalog: Catalog
}

/** A tool in one request. */
export interface ToolSession {
  /**
   * The runner of the tool if this endpoint answers: the gateway, or the endpoint itself, which then gets the original entry. `left-out`:
   * the request is served without the tool. `nobody`: the endpoint cannot serve the request. Called for every candidate. Default: the
   * gateway.
   */
  runner?(endpoint: Endpoint, request: GenerationRequest): 'gateway' | 'endpoint' | 'left-out' | 'nobody'
  /** The error for the caller if `runner` says `nobody` for every endpoint. */
  refusal?(endpoints: readonly Endpoint[]): GatewayError
  /** Returns the functions that the model may call. Called once, unless every candidate runs the tool itself. */
  functions(signal: AbortSignal): Maybe<readonly ToolFunction[]>
  /** Shown before anything else if the gateway runs the tool, such as a list of what it offers. Called after `functions`. */
  introduction?(): readonly ToolEvent[]
  /** Calls of earlier turns that may run now, such as those that the caller has approved. They run before the model is asked. */
  resumed?(input: readonly Item[]): readonly ToolCall[]
  /**
   * Returns what the caller sees while a call runs, such as its query. Called right before `run`, which then shows a search with the same `key`. If it
   * does not, the search has failed. Undefined if the call shows nothing yet.
   */
  started?(call: ToolCall): SearchEvent | undefined
  /**
   * Runs a call. Core logs a throw, and tells the model that the call failed, but not why. Must stop soon after `signal` aborts: when the
   * caller leaves, or the time limit is over.
   */
  run(call: ToolCall, run: ToolRun): Maybe<ToolResult>
}

/** A function to offer to the model. No tool of the request may have the same name. */
export interface ToolFunction {
  /** Letters, digits, `_` and `-`, at most 64. */
  readonly name: string
  /** How `tool_choice` may also call it. */
  readonly toolName?: string
  /** For the model: when to call it, and what it returns. */
  readonly description: string
  /** A JSON Schema of an object. */
  readonly parameters: JsonObject
}

/** A call of a function that a tool offers. */
export interface ToolCall {
  /** The call's output has the same one. */
  readonly callId: string
  /** The name of the function. */
  readonly name: string
  /** As the model wrote them: not checked against the function's `parameters`. */
  readonly arguments: JsonObject
}

/** The surroundings of one call. */
export interface ToolRun {
  /** Aborts when the caller leaves, or `timeoutMs` is over. */
  readonly signal: AbortSignal
  /** The endpoint that made the call. */
  readonly endpoint: Endpoint | undefined
}

/** The result of a call. It counts as data: models are told not to follow instructions in it. */
export interface ToolResult {
  /** The text for the model: results, or a description of the failure. Cut at the setting `maxToolOutputCharacters`. */
  readonly output: string
  /** Shown to the caller in place of the call. Nothing by default. */
  readonly shown?: readonly ToolEvent[]
  /** Number of calls to report in `usage.tool_calls`, by name. */
  readonly counts?: Readonly<Record<string, number>>
  /** The cost of the call, in US dollars. Default: 0. */
  readonly costUsd?: number
  /** The call failed: `output` says why. */
  readonly failed?: boolean
  /** The caller has to decide on the call: the turn ends, without `output`. `resumed` brings the call back. */
  readonly handsOver?: boolean
}

/** An item of the answer. */
export type ToolEvent = SearchEvent | Extract<GenerationEvent, { type: 'item' }>

/** A search, as a provider yields it. */
export type SearchEvent = Extract<GenerationEvent, { type: 'search' }>
