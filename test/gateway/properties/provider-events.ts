import fc, { type Arbitrary } from 'fast-check'
import { noUsage } from '../../../core/contracts/events.ts'
import { ProviderFailure, type FailureKind, type FinishReason, type GenerationEvent } from '../../../core/index.ts'
import type { LogProb, SearchAction, SearchResult, Yielded } from '../../../core/kit.ts'

/** One round of a provider, before it knows the names of the tools that it is offered. */
export interface Round {
  readonly moves: readonly Move[]
  readonly ending: FinishReason | 'cut' | FailureKind
  /** How many events come together. */
  readonly together: number
  /** Totals are told after the finish, as some vendors do. */
  readonly usageLast: boolean
}

type Move = (reply: Reply) => void

interface Call {
  readonly key: string
  readonly custom: boolean
  given: number
  over: boolean
}

interface Reply {
  readonly events: GenerationEvent[]
  readonly calls: Call[]
  readonly tools: readonly ToolShape[]
  readonly round: number
}

/** The facts about a tool that a call of it needs. */
export interface ToolShape {
  readonly name: string
  readonly namespace?: string
  readonly custom?: boolean
}

export const answerCanary = 'ANSWER-CANARY-91be'

export const words = fc.constantFrom('a', 'Hi ', '🙂', '\ud83d', '\ude42', '\n', '"', '\u2028', '', 'Zz', answerCanary, 'x'.repeat(50))
const argumentPieces = ['{"a"', ':"Z', 'z"}']
const logprob: Arbitrary<LogProb> = fc.record(
  {
    token: words,
    logprob: fc.constantFrom(-0.1, 0, -20),
    bytes: fc.array(fc.nat({ max: 255 }), { maxLength: 2 }),
    top_logprobs: fc.constantFrom([], [{ token: 'b', logprob: -1 }], [{ token: 'b', logprob: -1, bytes: [98] }]),
  },
  { requiredKeys: ['token', 'logprob'] },
)
export const citation = fc.constantFrom(
  { type: 'url_citation', url: 'https://example.com', title: '' } as const,
  { type: 'file_citation', file_id: 'file_1', filename: 'a.txt', index: 0 } as const,
)
export const action = fc.constantFrom(
  { type: 'search', query: answerCanary } as const,
  { type: 'search', query: '', sources: [{ type: 'url', url: 'https://example.com' }] } as const,
  { type: 'open_page', url: 'https://example.com' } as const,
  { type: 'find_in_page', url: 'https://example.com', pattern: 'a' } as const,
)
const results = fc.constantFrom(undefined, [{ url: 'https://example.com', title: 'A' }])
const optional = <T>(arbitrary: Arbitrary<T>): Arbitrary<T | undefined> => fc.option(arbitrary, { nil: undefined })
const count = fc.nat({ max: 9 })

/** Everything that the rules of events.ts allow, in any order. */
const moves: readonly Arbitrary<Move>[] = [
  fc
    .record({ text: words, phase: optional(fc.constantFrom('commentary' as const, 'final_answer' as const)) })
    .map(said => say({ type: 'text', ...present(said) })),
  fc.tuple(words, fc.array(logprob, { maxLength: 2 })).map(([text, logprobs]) => say({ type: 'text', text, logprobs })),
  words.map(text => say({ type: 'refusal', text })),
  fc
    .record({ citation, start: fc.integer({ min: -2, max: 60 }), end: fc.integer({ min: -2, max: 60 }) })
    .map(at => say({ type: 'annotation', ...at })),
  fc
    .record({ text: words, form: fc.constantFrom('summary' as const, 'full' as const), newPart: optional(fc.boolean()) })
    .map(said => say({ type: 'reasoning', ...present(said) })),
  fc.constant(say({ type: 'reasoning-state', opaque: 'c3RhdGU=' })),
  fc.constant(move('item-end', endItem)),
  fc.constant(say({ type: 'compaction', opaque: 'Y29tcGFjdA==' })),
  fc
    .record({ chosen: count, callId: fc.boolean() })
    .map(({ chosen, callId }) => move(`call of tool ${chosen}${callId ? ' with an id' : ''}`, reply => beginCall(reply, chosen, callId))),
  fc
    .record({ chosen: count, text: words })
    .map(({ chosen, text }) => move(`input ${JSON.stringify(text)} of call ${chosen}`, reply => continueCall(reply, chosen, text))),
  fc
    .record({ action, results, end: fc.constantFrom('completed' as const, 'failed' as const, undefined), between: words })
    .map(search => move(`search ${JSON.stringify(search)}`, reply => searchFor(reply, search))),
  fc
    .constantFrom('computer_call', 'mcp_call', 'image_generation_call')
    .map(type => say({ type: 'item', item: { type, id: 'vendor_1', status: 'completed', result: answerCanary } })),
  fc
    .record({ output: count, uncachedInput: count, cacheRead: count, estimated: optional(fc.boolean()) })
    .map(usage => say({ type: 'usage', usage: { ...noUsage, ...present(usage) } })),
]

/** Calls are over with it: nothing more may come for them. */
function endItem(reply: Reply): void {
  reply.events.push({ type: 'item-end' })
  for (const call of reply.calls) call.over = true
}

function beginCall(reply: Reply, chosen: number, withId: boolean): void {
  const key = `key-${reply.events.length}`
  const { name, namespace, custom = false } = reply.tools[chosen % reply.tools.length]!
  reply.calls.push({ key, custom, given: 0, over: false })
  reply.events.push({
    type: 'tool-call',
    key,
    name,
    ...(namespace !== undefined && { namespace }),
    ...(custom && { custom }),
    ...(withId && { callId: `call_given_${reply.round}_${reply.calls.length}` }),
  })
}

/** Arguments are whole after three pieces. */
function continueCall(reply: Reply, chosen: number, text: string): void {
  const call = reply.calls[chosen % Math.max(1, reply.calls.length)]
  if (!call || call.over || (!call.custom && call.given === argumentPieces.length)) return
  reply.events.push({ type: 'tool-input', key: call.key, text: call.custom ? text : argumentPieces[call.given++]! })
}

interface Search {
  readonly action: SearchAction
  readonly results: readonly SearchResult[] | undefined
  readonly end: 'completed' | 'failed' | undefined
  readonly between: string
}

function searchFor(reply: Reply, { action, results, end, between }: Search): void {
  const search = { type: 'search', key: `key-${reply.events.length}`, action, ...(results && { results }) } as const
  reply.events.push({ ...search, status: 'in_progress' })
  if (between !== '') reply.events.push({ type: 'reasoning', text: between, form: 'summary' })
  if (end !== undefined) reply.events.push({ ...search, status: end })
}

export const finishes = fc.constantFrom('stop' as const, 'length' as const, 'content-filter' as const, 'tool-calls' as const)
const failures = fc.constantFrom('cut' as const, 'unavailable' as const, 'rate-limit' as const, 'refused' as const, 'protocol' as const)

function round(ending: Arbitrary<Round['ending']>): Arbitrary<Round> {
  return fc.record({
    moves: fc.array(fc.oneof(...moves), { maxLength: 14 }),
    ending,
    together: fc.constantFrom(0, 1, 2, 3, 100),
    usageLast: fc.boolean(),
  })
}

/** Replies that end well: some pause first, and go on. */
export const wholeReplies: Arbitrary<readonly Round[]> = rounds(finishes)
/** The same, and such as break off anywhere. */
export const allReplies: Arbitrary<readonly Round[]> = rounds(
  fc.oneof({ weight: 3, arbitrary: finishes }, { weight: 1, arbitrary: failures }),
)

function rounds(last: Arbitrary<Round['ending']>): Arbitrary<readonly Round[]> {
  const paused = fc.array(round(fc.constant('pause' as const)), { maxLength: 2 })
  return fc
    .tuple(fc.oneof({ weight: 4, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: paused }), round(last))
    .map(([before, end]) => [...before, end])
}

/** The provider's part: the events of one round, and its failure. */
export async function* played(
  { moves, ending, together, usageLast }: Round,
  tools: readonly ToolShape[],
  number = 0,
): AsyncGenerator<Yielded> {
  const events = eventsOf(moves, tools, number)
  const failure = failureKinds.has(ending) ? (ending as FailureKind) : undefined
  if (failure === undefined && ending !== 'cut') events.push({ type: 'finish', reason: ending as FinishReason })
  if (failure === undefined && usageLast) events.push({ type: 'usage', usage: { ...noUsage, uncachedInput: 5, output: 3, reasoning: 1 } })
  if (together === 0) yield* events
  else for (let start = 0; start < events.length; start += together) yield events.slice(start, start + together)
  if (failure) throw new ProviderFailure({ kind: failure, message: 'The provider is gone.' })
}

export function eventsOf(moves: readonly Move[], tools: readonly ToolShape[], round = 0): GenerationEvent[] {
  const reply: Reply = { events: [], calls: [], round, tools: tools.length > 0 ? tools : [{ name: 'weather' }] }
  for (const move of moves) move(reply)
  return reply.events
}

const failureKinds: ReadonlySet<string> = new Set(['unavailable', 'rate-limit', 'refused', 'protocol'])

export function say(event: GenerationEvent): Move {
  return move(JSON.stringify(event), ({ events }) => void events.push(event))
}

function move(label: string, play: Move): Move {
  return Object.assign((reply: Reply) => play(reply), { [fc.toStringMethod]: () => label })
}

/** Without the members that are not there. */
function present<T extends object>(value: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>
  }
}
