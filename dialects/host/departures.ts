import type { Capabilities, FailureKind, FinishReason, JsonObject, ProviderCall } from '../../core/index.ts'
import type { Patterns } from '../../core/kit.ts'

/** How a host departs from its dialect, in what every dialect has. A member that is absent means: as the dialect says. */
export interface Departures {
  /** The path behind `baseUrl`, such as `/chat/completions`. The name of the model replaces `{model}` in it. */
  readonly path?: string
  /** The lower-case header for the API key. */
  readonly keyHeader?: string
  /** The word before the key in that header, such as `Key`. Default: `Bearer` in the header `authorization`, nothing in others. */
  readonly keyScheme?: string
  /** Sent with every request, such as the version of the API. The option `headers` overrides them. */
  readonly headers?: Readonly<Record<string, string>>
  /** The abilities of all models of the host. Default: what the dialect can say. The catalog overrides it for a model. */
  readonly capabilities?: Capabilities
  /** Members at the top of a request that have another name here: `{ max_tokens: 'max_output' }`. */
  readonly renamed?: Readonly<Partial<Record<string, string>>>
  /** Members that every request has, whatever else it says. */
  readonly added?: JsonObject
  /** The dotted path of the dialect's object inside each reply and each event of a stream, such as `result`. Default: it is all of it. */
  readonly wrapped?: string
  /** The host's reasons to stop, by its own words. Others mean what they do in the dialect. */
  readonly finishReasons?: Readonly<Record<string, Exclude<FinishReason, 'pause'> | FailedFinish>>
  /** Where the counts of tokens are. */
  readonly usage?: UsageTable
  /** How the host tells errors. What it leaves open is read as the dialect's errors are. */
  readonly errors?: ErrorTable
  /** How a stream is split into events. Default: server-sent events. */
  readonly framing?: 'sse' | 'json-lines'
  /** Changes the body of a request, after everything else, for what no other member can say. Pure. Never gets the API key. */
  readonly changeRequest?: (body: JsonObject, call: ProviderCall) => JsonObject
  /**
   * Changes a reply, or one event of a stream, before the dialect reads it. Gets what `wrapped` leads to. Returns undefined for an event to
   * skip. Called for each event of a stream, so be quick.
   */
  readonly changeReply?: (body: JsonObject) => JsonObject | undefined
}

/** A reason to stop that is a failure. */
export interface FailedFinish {
  /** The kind of the failure. Core retries as the kind says. */
  readonly failure: FailureKind
}

/** The names of counts in a reply, as dotted paths below `at`. */
export interface UsageTable {
  /** The object with the counts. Default: where the dialect has it. */
  readonly at?: string
  /** Tokens of the input. */
  readonly input: string
  /** Tokens of the output. */
  readonly output: string
  /** Tokens of the input that were read from a cache. */
  readonly cacheRead?: string
  /** Tokens of the input that were written to a cache. */
  readonly cacheWrite?: string
  /** Tokens of reasoning. */
  readonly reasoning?: string
  /** `input` does not count what was read from a cache or written to it. */
  readonly inputExcludesCache?: true
  /** `output` does not count reasoning. */
  readonly outputExcludesReasoning?: true
}

/** How a host tells errors, under any status. Paths are dotted. */
export interface ErrorTable {
  /** The object of the error, from the top of the reply: a reply or an event that has it is an error, whatever its status. Default: `error`. */
  readonly at?: string
  /** The sentence that callers may see, below `at`. */
  readonly message?: string
  /** The host's code, below `at`: a string or a number. */
  readonly code?: string
  /** How many seconds to wait, below `at`, for hosts that send no `retry-after`. */
  readonly retryAfterSeconds?: string
  /** The lower-case header with the seconds to wait, for hosts that call it something else than `retry-after`. */
  readonly retryAfterHeader?: string
  /** The meaning of the codes. They take precedence over the next two. */
  readonly codes?: Readonly<Record<string, FailureKind>>
  /** The meaning of the sentence, the first match. */
  readonly wordings?: Patterns<FailureKind>
  /** The meaning of HTTP statuses. */
  readonly statuses?: Readonly<Record<number, FailureKind>>
}
