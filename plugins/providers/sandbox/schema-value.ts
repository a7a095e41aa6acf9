import { ProviderFailure, type JsonObject } from '../../../core/index.ts'
import { DeadlineThread, ThreadStopped } from '../../../core/kit.ts'
import type { Found } from './schema-worker.ts'

/** Serves one question at a time, and ends after a while without questions. */
let thread: DeadlineThread<JsonObject | boolean, Found> | undefined
let turn: Promise<unknown> = Promise.resolve()
let idleTimer: NodeJS.Timeout | undefined
const idleMs = 10_000
/** Far more than any schema needs that has a value, also while the machine is busy with something else. */
const deadlineMs = 5_000

/** A value that is valid under a caller's schema, always the same one. Runs in a thread, because a schema can take arbitrarily long. */
export async function schemaValue(schema: JsonObject | boolean): Promise<unknown> {
  const asked = turn.then(() => ask(schema))
  turn = asked.catch(() => {})
  const found = await asked
  if ('value' in found) return found.value
  throw new ProviderFailure({
    kind: 'invalid-request',
    status: 400,
    message: `The sandbox found no value that is valid under the JSON Schema: ${found.problem}.`,
  })
}

/** A text that matches a regular expression. Undefined if none was found. */
export async function matchingText(pattern: string): Promise<string | undefined> {
  const value = await schemaValue({ type: 'string', pattern }).catch(() => undefined)
  return typeof value === 'string' ? value : undefined
}

async function ask(schema: JsonObject | boolean): Promise<Found> {
  clearTimeout(idleTimer)
  if (!thread?.alive) thread = new DeadlineThread({ beside: import.meta.url, module: './schema-worker', deadlineMs, memoryMb: 64 })
  try {
    return await thread.ask(schema)
  } catch (error) {
    if (error instanceof ThreadStopped) return { problem: error.message }
    throw error
  } finally {
    idleTimer = setTimeout(() => thread?.end(), idleMs).unref()
  }
}
