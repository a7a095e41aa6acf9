import type { GuardSession, GuardVerdict, ItemVerdict, OutputFilter } from '../contracts/guardrail.ts'
import { GatewayError, PluginError } from '../foundation/errors.ts'
import { isObject } from '../foundation/json.ts'
import { isPending } from '../runtime/pending.ts'

// Checks what a guardrail's functions return. Anything outside the contract throws, which counts as the guardrail's failure: treating
// it as a pass would let through unchecked content. The messages are logged, so they describe shapes, never values.

const hooks = ['input', 'decision', 'route', 'refusal', 'output', 'item'] as const

/** Checks the result of `open`. */
export function checkedSession(session: unknown, plugin: string): GuardSession | undefined {
  if (session === undefined) return undefined
  if (typeof session !== 'object' || session === null || isPending(session)) throw wrong(plugin, 'open', session, 'a session or undefined')
  let found = 0
  for (const hook of hooks) {
    const member = (session as GuardSession)[hook] as unknown
    if (member === undefined) continue
    if (typeof member !== 'function') throw wrong(plugin, 'open', session, `a session whose ${hook} is a function`)
    found++
  }
  if (found === 0) throw wrong(plugin, 'open', session, `a session with one of ${hooks.join(', ')}, or undefined to skip the request`)
  return session as GuardSession
}

/** Checks the result of `input` or `decision`. */
export function checkedVerdict<R>(
  verdict: unknown,
  plugin: string,
  hook: 'input' | 'decision',
  problemOf: (request: unknown) => string | undefined,
): GuardVerdict<R> {
  if (isObject(verdict)) {
    if ('refuse' in verdict) {
      if (verdict['refuse'] instanceof GatewayError) return verdict as GuardVerdict<R>
    } else if ('replace' in verdict) {
      const problem = problemOf(verdict['replace'])
      if (problem === undefined) return verdict as GuardVerdict<R>
      throw new PluginError(plugin, `returned a request from ${hook} that ${problem}`)
    } else if (verdict['pass'] === true) return verdict as GuardVerdict<R>
  }
  throw wrong(plugin, hook, verdict, '{ pass: true }, { replace: <the whole request> } or { refuse: <a GatewayError> }')
}

/** Checks the result of `item`. `count`: the texts of the item. */
export function checkedItemVerdict(verdict: unknown, plugin: string, count: number): ItemVerdict {
  if (isObject(verdict)) {
    if ('refuse' in verdict) {
      if (verdict['refuse'] instanceof GatewayError) return verdict as ItemVerdict
    } else if ('replace' in verdict) {
      const texts = verdict['replace']
      if (Array.isArray(texts) && texts.length === count && texts.every(text => typeof text === 'string')) return verdict as ItemVerdict
    } else if (verdict['pass'] === true) return verdict as ItemVerdict
  }
  throw wrong(plugin, 'item', verdict, '{ pass: true }, { replace: <a string for each text> } or { refuse: <a GatewayError> }')
}

/** Checks the result of `route`. */
export function checkedClearance(isClear: unknown, plugin: string): boolean {
  if (typeof isClear === 'boolean') return isClear
  throw wrong(plugin, 'route', isClear, 'true or false')
}

/** Checks the result of `refusal`. */
export function checkedRefusal(refusal: unknown, plugin: string): GatewayError {
  if (refusal instanceof GatewayError) return refusal
  throw wrong(plugin, 'refusal', refusal, 'a GatewayError')
}

/** Checks the result of `output`. */
export function checkedFilter(filter: unknown, plugin: string): OutputFilter | undefined {
  if (filter === undefined) return undefined
  if (isObject(filter) && typeof filter['push'] === 'function' && typeof filter['flush'] === 'function')
    return filter as unknown as OutputFilter
  throw wrong(plugin, 'output', filter, 'a filter with push and flush, or undefined')
}

/** Checks the result of a filter's `push` or `flush`. Throws a refusal. */
export function checkedText(text: unknown, plugin: string, hook: 'push' | 'flush'): string {
  if (typeof text === 'string') return text
  if (isObject(text) && text['refuse'] instanceof GatewayError) throw text['refuse']
  throw wrong(plugin, hook, text, 'a string or { refuse: <a GatewayError> }')
}

/** Throws if a guardrail returned more characters than an answer may have. */
export function checkLength(characters: number, maxCharacters: number, plugin: string, hook: string): void {
  if (characters <= maxCharacters) return
  throw new PluginError(plugin, `returned ${characters} characters for one answer from ${hook}: expected at most ${maxCharacters}`)
}

function wrong(plugin: string, hook: string, value: unknown, expected: string): PluginError {
  // Nothing awaits the promise, so its rejection must not end the process.
  if (isPending(value)) Promise.resolve(value).catch(() => {})
  return new PluginError(plugin, `returned ${shapeOf(value)} from ${hook}: expected ${expected}`)
}

function shapeOf(value: unknown): string {
  if (isPending(value)) return 'a promise'
  if (Array.isArray(value)) return 'an array'
  if (isObject(value)) return `an object with ${Object.keys(value).slice(0, 3).join(', ').slice(0, 60) || 'no members'}`
  return value === null || value === undefined ? String(value) : `a ${typeof value}`
}
