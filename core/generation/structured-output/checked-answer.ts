import { ProviderFailure } from '../../contracts/provider.ts'
import { invalidRequest } from '../../foundation/errors.ts'
import { own, wording } from '../../foundation/wording.ts'
import type { Raised, RaisedAttempt } from '../lowering/draft.ts'
import type { RaisedEvent } from '../raised-event.ts'
import { HeldAnswer } from './held-answer.ts'
import { extractJson, isJsonObject } from './json-text.ts'
import { aside } from './aside.ts'
import { schemaChecks } from './schema-checks.ts'
import { schemaExcess } from './schema-limits.ts'

/** The format that the caller asked for. Without a schema, any JSON object. */
export interface Expected {
  readonly provider: string
  readonly name: string | undefined
  /** As JSON. */
  readonly schema: string | undefined
  readonly streamed: boolean
  /** The caller's API key. Keys take turns, so that none waits for the schemas of another. */
  readonly keyId: string
}

const schemaParam = 'text.format.schema'

/**
 * Passes the answer on once it is the requested JSON. Throws a 400 for an unusable schema before the provider is called. In a stream,
 * reasoning and anything else before the answer passes immediately. The rest, or all of a reply that does not stream, waits, so that
 * another candidate can still be tried.
 */
export async function* checkedAnswer(
  events: AsyncIterable<Raised>,
  expected: Expected,
  attempt: RaisedAttempt,
): AsyncGenerator<readonly RaisedEvent[]> {
  if (expected.schema !== undefined) await requireUsable(expected.schema, expected.keyId, attempt)
  const held = new HeldAnswer(expected.provider, expected.streamed)
  for await (const yielded of events) {
    // An empty list shows that the provider is alive.
    yield 'type' in yielded ? held.add(yielded) : yielded.flatMap(event => held.add(event))
  }
  if (!held.ended) return
  const found = extractJson(held.text)
  if (found.problem !== undefined) throw unlike(expected, found.problem)
  await check(found.text, expected, attempt)
  yield held.release(found.text)
}

async function requireUsable(schema: string, keyId: string, attempt: RaisedAttempt): Promise<void> {
  const excess = schemaExcess(schema)
  const problem = excess ?? (await aside(attempt, () => schemaChecks.usable(schema, keyId, attempt.signal)))
  if (problem !== undefined) throw unusable(problem)
}

async function check(text: string, expected: Expected, attempt: RaisedAttempt): Promise<void> {
  if (expected.schema === undefined) {
    if (!isJsonObject(text)) throw unlike(expected, 'it is JSON, but not an object')
    return
  }
  const { schema, keyId } = expected
  const verdict = await aside(attempt, () => schemaChecks.judge(schema, text, keyId, attempt.signal))
  if (!verdict.usable) throw unusable(verdict.problem)
  if (verdict.problems.length > 0) throw unlike(expected, `it breaks ${verdict.problems.join(', ')}`)
}

function unusable(problem: string): Error {
  return invalidRequest(wording`The answer of this model cannot be checked against '${own(schemaParam)}': ${problem}.`, schemaParam)
}

/** Describes where the answer is wrong, never its content. */
function unlike({ provider, name }: Expected, problem: string): ProviderFailure {
  const wanted = name === undefined ? 'one JSON object' : `JSON that matches the schema "${name}"`
  return new ProviderFailure({
    kind: 'protocol',
    message: wording`The provider "${own(provider)}" was asked for ${wanted}, but its answer does not match: ${problem}.`,
    // A caller's schema that the model cannot follow must not take the model from others.
    isFault: false,
  })
}
