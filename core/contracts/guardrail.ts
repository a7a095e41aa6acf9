import type { GatewayError } from '../foundation/errors.ts'
import type { Hipaa, Endpoint, Zdr } from './catalog.ts'
import type { DecisionRequest } from './decision.ts'
import type { Maybe } from '../foundation/json.ts'
import type { PolicyField } from './policy.ts'
import type { GenerationRequest } from './request.ts'
import type { RunContext } from './run-context.ts'

/** Checks or changes what goes in and out, and where it may go. Guardrails run in plugin order. */
export interface Guardrail {
  readonly name: string
  /** The policy fields that this guardrail makes good. A request whose policy asks for a field that nobody enforces is refused. */
  readonly enforces: readonly PolicyField[]
  /** What a throw or a time-out means. There is no default. */
  readonly onFailure: 'refuse' | 'allow'
  readonly timeoutMs: number
  /** A remote guardrail sees content, so it is itself subject to policy. */
  readonly seesContent: 'local' | { readonly zdr: Zdr | false; readonly hipaa: Hipaa | false }
  /** One session a request, which may keep state between input and output; undefined where the caller's policy asks for nothing. */
  open(context: RunContext): GuardSession | undefined
}

export interface GuardSession {
  /** The whole conversation, before anything is chosen. */
  input?(request: GenerationRequest): Maybe<GuardVerdict>
  /** A decision, before its model is found. A session that has `input` or `route` and not this one refuses every decision. */
  decision?(request: DecisionRequest): Maybe<GuardVerdict<DecisionRequest>>
  /** Whether this endpoint may see the request. Synchronous: called for every candidate. */
  route?(endpoint: Endpoint, request: GenerationRequest): boolean
  /** The error when `route` left nothing. */
  refusal?(): GatewayError
  /** A filter for one open part or call of the answer; undefined leaves it alone. */
  output?(channel: OutputChannel): OutputFilter | undefined
}

export interface OutputChannel {
  readonly kind: 'text' | 'refusal' | 'reasoning' | 'arguments' | 'custom-input'
  /** The text lies inside a JSON document: replacements must keep it valid. */
  readonly json: boolean
}

export type GuardVerdict<R = GenerationRequest> = { readonly pass: true } | { readonly replace: R } | { readonly refuse: GatewayError }

/** Sees the text of one part in pieces; may hold back an end that could still become something. */
export interface OutputFilter {
  push(text: string): string | { readonly refuse: GatewayError }
  /** The part is over: what was held back. */
  flush(): string | { readonly refuse: GatewayError }
}
