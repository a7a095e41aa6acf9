import type { RequestEnvelope } from '../contracts/request-envelope.ts'
import { isObject } from '../foundation/json.ts'
import { kindOf } from '../foundation/kind-of.ts'

/** Throws a `TypeError` for an envelope that a surface in plain JavaScript got wrong. */
export function checkEnvelope(envelope: RequestEnvelope): void {
  expect(isObject(envelope), 'envelope', 'an object, or nothing', envelope)
  const { history, recorded } = envelope
  expect(recorded === undefined || isObject(recorded), 'recorded', 'an object', recorded)
  if (history === undefined) return
  expect(isObject(history), 'history', 'an object', history)
  const { param, continues, store, thread } = history
  expect(typeof param === 'string', 'history.param', 'a string', param)
  expect(continues === undefined || typeof continues === 'string', 'history.continues', 'a string', continues)
  expect(store === undefined || typeof store === 'boolean', 'history.store', 'true or false', store)
  if (thread === undefined) return
  expect(isObject(thread), 'history.thread', 'an object', thread)
  const { earlier, keep } = thread
  expect(typeof earlier === 'function', 'history.thread.earlier', 'a function', earlier)
  expect(keep === undefined || typeof keep === 'function', 'history.thread.keep', 'a function', keep)
}

function expect(isRight: boolean, member: string, expected: string, value: unknown): void {
  if (!isRight) throw new TypeError(`${member} of a request must be ${expected}, got ${kindOf(value)}`)
}
