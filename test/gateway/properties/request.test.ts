import { setImmediate, setTimeout } from 'node:timers/promises'
import fc from 'fast-check'
import t from 'tap'
import { checkResponse, checkStream } from '../../../core/testing/index.ts'
import { gateway, scripted } from '../../kit/gateway.ts'
import { clientRequests } from './clients.ts'
import { answerCanary, played, say, wholeReplies, type Round } from './provider-events.ts'
import { edited, editsAt, requestPaths, type Edit } from './requests.ts'
import { checkRefusal } from './refusal.ts'
import { runs } from '../../kit/runs.ts'
import { canary, type Specials } from '../../kit/schema-values.ts'

// Valid requests, changed at every place of the schema: an answer or a 400 that names the place, never a 500.

const runsAPath = 6

interface Case {
  readonly base: string
  readonly edits: readonly Edit[]
  readonly model: string
  readonly stream: boolean
  readonly logging: boolean
  readonly reply: readonly Round[]
}

t.test('requests changed at every place of the schema', async t => {
  let reply: readonly Round[] = []
  let arrivals = 0
  let round = 0
  const answer = (): ReturnType<typeof played> => {
    arrivals += round === 0 ? 1 : 0
    return played(reply[round] ?? reply.at(-1)!, [], round++)
  }
  const under = await gateway({
    settings: { maxBodyBytes: 2_000_000 },
    plugins: [scripted('demo', answer), scripted('native', answer, { capabilities: { builtInTools: true } })],
  })
  t.teardown(under.stop)
  const quietKey = await under.gateway.issueKey({ name: 'quiet' })
  reply = [{ moves: [say({ type: 'text', text: 'Hi' })], ending: 'stop', together: 0, usageLast: false }]
  const specials = await specialsOf(under)
  const quiet = new Set<string>()
  const statuses = new Map<number, number>()
  let asked = 1
  let untouched = 0
  let refusedUntouched = 0

  const check = async ({ base, edits, model, stream, logging, reply: said }: Case): Promise<void> => {
    reply = said
    round = 0
    const body = JSON.stringify(edited({ model, stream, ...clientRequests[base] }, edits))
    const answered = await under.request('/v1/responses', { body, ...(!logging && { headers: { authorization: `Bearer ${quietKey}` } }) })
    const text = await answered.text()
    asked += 1
    const id = answered.headers.get('x-request-id')!
    if (!logging) quiet.add(id)
    const { status } = answered
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
    if (edits.every(({ mutation }) => mutation.kind === 'as-it-is')) {
      untouched += 1
      if (status !== 200) refusedUntouched += 1
    }
    if (status !== 200) return checkRefusal(status, text, body)
    if (answered.headers.get('content-type') === 'text/event-stream') checkStream(text)
    else checkResponse(await finished(JSON.parse(text)))
  }

  /** A background response is asked for until it is over. */
  const finished = async (response: { readonly id: string; readonly status: string }): Promise<object> => {
    if (response.status !== 'queued' && response.status !== 'in_progress') return response
    await setTimeout(5)
    asked += 1
    return finished((await (await under.request(`/v1/responses/${response.id}`)).json()) as typeof response)
  }

  for (const [index, path] of requestPaths.entries()) {
    const edits = fc.tuple(
      fc.array(
        fc.constantFrom(...requestPaths).chain(other => editsAt(other, specials, control)),
        { maxLength: 1 },
      ),
      editsAt(path, specials),
    )
    const cases = fc.record({
      base: fc.constantFrom(...Object.keys(clientRequests)),
      edits: edits.map(([others, edit]) => [...others, edit]),
      model: fc.constantFrom('demo/one', 'native/one'),
      stream: fc.boolean(),
      logging: fc.boolean(),
      reply: wholeReplies,
    })
    // Later runs of one check change more places, so a longer test makes more checks instead, and as many requests reach the provider.
    for (let time = 0; time < runs(1).numRuns; time++) {
      const { seed } = runs(1, index + time * requestPaths.length)
      const found = await fc.check(fc.asyncProperty(cases, check), { numRuns: runsAPath, seed })
      // Requests in memory never yield to the event loop, and the log sinks need a turn.
      await setImmediate()
      if (found.failed) t.fail(`${path.name}: ${String(found.errorInstance)}; ${fc.defaultReportMessage(found)}`)
    }
  }

  const records = await under.recorded(asked)
  t.equal(records.length, asked, 'one record a request')
  t.equal(new Set(records.map(record => record.id)).size, asked)
  const kept = JSON.stringify([records.filter(({ id }) => quiet.has(id)).map(({ requestedModel: _, ...record }) => record), under.logs])
  t.notMatch(kept, canary, 'what was asked is in no record and no log')
  t.notMatch(kept, answerCanary, 'what was answered neither')
  const share = arrivals / asked
  t.comment(`${requestPaths.length} places, ${asked} requests, ${arrivals} reached the provider (${Math.round(share * 100)}%)`)
  t.comment(`unchanged: ${untouched}, of which refused ${refusedUntouched}; by status: ${JSON.stringify([...statuses])}`)
  t.ok(share >= 0.4, 'enough requests reach the provider')
})

const control = fc.constant({ kind: 'as-it-is', chosen: 0 } as const)

/** Names that exist: a schema cannot state them. */
async function specialsOf(under: Awaited<ReturnType<typeof gateway>>): Promise<Specials> {
  const first = await under.request('/v1/responses', { body: { model: 'demo/one', input: 'Hi' } })
  const { id, output } = (await first.json()) as { id: string; output: readonly { id: string }[] }
  return {
    previous_response_id: fc.constant(id),
    model: fc.constantFrom('demo/two', 'native/two'),
    'tool_choice<object>.type': fc.constantFrom('function', 'custom', 'allowed_tools'),
    'tool_choice<object>.name': fc.constant('get_weather'),
    'tool_choice<object>.tools[].type': fc.constant('function'),
    'tool_choice<object>.tools[].name': fc.constantFrom('get_weather', 'other'),
    'input[]<item_reference>.id': fc.constant(output[0]!.id),
    'routing.model.fallbacks[]': fc.constantFrom('demo/two', 'native/one'),
    'routing.provider.fallbacks[]': fc.constantFrom('demo', 'native'),
  }
}
