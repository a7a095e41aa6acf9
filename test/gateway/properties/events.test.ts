import { setImmediate } from 'node:timers/promises'
import fc, { type Arbitrary } from 'fast-check'
import t, { type Test } from 'tap'
import type { GuardSession, Item, JsonObject } from '../../../core/index.ts'
import { checkGenerationEvents, testGateway } from '../../../core/testing/index.ts'
import responses from '../../../plugins/endpoints/responses/index.ts'
import localSealer from '../../../plugins/sealers/local/index.ts'
import memory from '../../../plugins/stores/memory/index.ts'
import { ask, guarding, listing, stop, text } from '../../kit/stage.ts'
import { gateway, scripted } from '../../kit/gateway.ts'
import { answeredAlike, type Ending } from './answers.ts'
import { allReplies, eventsOf, say, type Round } from './provider-events.ts'
import { endpoints } from './less-able-endpoints.ts'
import { oddEvents } from './odd-events.ts'
import { Rewriting } from './rewriting.ts'
import { runs } from '../../kit/runs.ts'
import { Script } from './script.ts'

// For any events in any order, clients get a stream and an object that obey the protocol and have the same content.

const asked = fc.constantFrom<object>(
  {},
  { top_logprobs: 2 },
  { include: ['web_search_call.results', 'reasoning.encrypted_content'], metadata: { a: 'b' } },
  { store: false, reasoning: { summary: 'auto' } },
)

const tools = [
  { type: 'function', name: 'get_weather', parameters: { type: 'object' } },
  { type: 'custom', name: 'apply_patch' },
  {
    type: 'namespace',
    name: 'box',
    description: 'A box',
    tools: [
      { type: 'function', name: 'open' },
      { type: 'custom', name: 'shell' },
    ],
  },
]

/** A script has one reply to a request. */
const settings = { retries: 0 }

t.test('what the rules for providers allow', async t => {
  const script = new Script()
  const under = await gateway({ plugins: [scripted('demo', call => script.next(call))], settings })
  t.teardown(under.stop)
  const cases = fc.record({ body: asked, reply: allReplies })
  await holds(t, 350, cases, async ({ body, reply }) => {
    for (const [number, round] of reply.entries()) checkGenerationEvents(eventsOf(round.moves, [], number))
    script.begin(reply)
    return await answeredAlike(under, { model: 'demo/one', input: 'Hi', ...body })
  })
})

t.test('the next turn keeps exactly the shown output', async t => {
  const script = new Script()
  const inputs: (readonly Item[])[] = []
  const next: Parameters<typeof scripted>[1] = call => {
    inputs.push(call.request.input)
    return script.next(call)
  }
  const demo = scripted('demo', next, { capabilities: { builtInTools: true } })
  const under = await gateway({ plugins: [demo] })
  t.teardown(under.stop)
  await holds(t, 200, allReplies, async reply => {
    script.begin(reply)
    const shown = await ask(under, { model: 'demo/one' })
    if (shown.status !== 200) return `${shown.status}`
    script.begin([text('Hi'), stop])
    const { status } = await ask(under, { model: 'demo/one', previous_response_id: shown.response.id })
    if (status !== 200) throw new Error(`the next turn is refused with ${status}`)
    const kept = JSON.stringify(
      inputs
        .at(-1)!
        .slice(1, -1)
        .map(item => item as JsonObject)
        .filter(isOver)
        .map(essence),
    )
    const told = JSON.stringify(shown.response.output.filter(isOver).map(essence))
    if (kept !== told) throw new Error(`shown: ${told}\nkept: ${kept}`)
    return shown.response.status as Ending
  })
})

t.test('with the documented events alone', async t => {
  const script = new Script()
  const plugins = [
    memory({}),
    localSealer({ masterKey: 'ab'.repeat(32) }),
    responses({ events: 'documented' }),
    scripted('demo', call => script.next(call)),
  ]
  const under = await testGateway({ plugins, settings })
  t.teardown(under.stop)
  await holds(t, 80, allReplies, async reply => {
    script.begin(reply)
    return await answeredAlike(under, { model: 'demo/one', input: 'Hi', tools }, { events: 'documented' })
  })
})

t.test('what the rules forbid', async t => {
  const script = new Script()
  const under = await gateway({ plugins: [scripted('demo', call => script.next(call))], settings })
  t.teardown(under.stop)
  await holds(t, 200, oddEvents, async events => {
    script.begin(events)
    return await answeredAlike(under, { model: 'demo/one', input: 'Hi' })
  })
})

t.test('through output filters', async t => {
  const script = new Script()
  let session: GuardSession = {}
  const guard = guarding(undefined, { open: () => session })
  const under = await gateway({ plugins: [scripted('demo', call => script.next(call)), guard], settings })
  t.teardown(under.stop)
  const cases = fc.record({
    reply: allReplies,
    channels: fc.subarray(['text', 'refusal', 'reasoning', 'arguments', 'custom-input']),
    refuses: fc.boolean(),
  })
  await holds(t, 120, cases, async ({ reply, channels, refuses }) => {
    script.begin(reply)
    session = { output: ({ kind }) => (channels.includes(kind) ? new Rewriting(refuses) : undefined) }
    return await answeredAlike(under, { model: 'demo/one', input: 'Hi', tools })
  })
})

t.test('for endpoints that can do less', async t => {
  const script = new Script()
  const entries = endpoints()
  const under = await gateway({ plugins: [scripted('demo', call => script.next(call)), listing(...entries)], settings })
  t.teardown(under.stop)
  const cases = fc.record({
    reply: allReplies,
    json: fc.boolean(),
    model: fc.constantFrom(...entries.map(({ model }) => model)),
    choice: fc.constantFrom<object>(
      {},
      { tool_choice: 'none' },
      { tool_choice: { type: 'allowed_tools', tools: [{ type: 'function', name: 'get_weather' }] } },
    ),
    format: fc.constantFrom<object>(
      {},
      {},
      {},
      { text: { format: { type: 'json_object' } } },
      { text: { format: answerFormat, verbosity: 'low' } },
    ),
  })
  await holds(t, 150, cases, async ({ reply, json, model, choice, format }) => {
    script.begin(json ? reply.map((round, index) => (index === 0 ? afterJson(round) : round)) : reply)
    const body = { model, input: 'Hi', tools, top_logprobs: 2, temperature: 0.5, reasoning: { effort: 'low' }, ...choice, ...format }
    return await answeredAlike(under, body)
  })
})

/** Tries the cases, and tells how they ended. */
async function holds<T>(t: Test, count: number, cases: Arbitrary<T>, check: (value: T) => Promise<Ending>): Promise<void> {
  const endings = new Map<Ending, number>()
  const property = fc.asyncProperty(cases, async value => {
    const ending = await check(value)
    endings.set(ending, (endings.get(ending) ?? 0) + 1)
    // Requests in memory never yield to the event loop, and timers and log sinks need a turn.
    await setImmediate()
  })
  const found = await fc.check(property, runs(count))
  t.notOk(found.failed, found.failed ? `${String(found.errorInstance)}; ${fc.defaultReportMessage(found)}` : `${count} cases`)
  t.comment(JSON.stringify(Object.fromEntries([...endings].sort())))
  for (const ending of ['completed', 'incomplete', '424'] as const) t.ok(endings.has(ending), `some end as ${ending}`)
}

/** A search that never ended is shown as failed, and not kept. */
function isOver({ type, status }: JsonObject): boolean {
  return type !== 'web_search_call' || status !== 'failed'
}

/** The content of an item, and its names. */
function essence(item: JsonObject): JsonObject {
  const { type, id, call_id, name, namespace, arguments: args, input, content, summary, action } = item
  const texts = (parts: unknown): unknown => (parts as readonly JsonObject[] | undefined)?.map(part => part['text'] ?? part['refusal'])
  return {
    type,
    id,
    call_id,
    name,
    namespace,
    args,
    input,
    content: texts(content),
    summary: texts(summary),
    action: action && { ...(action as object), sources: undefined },
  }
}

const answerFormat = {
  type: 'json_schema',
  name: 'answer',
  schema: { type: 'object', properties: { answer: { type: 'string' } }, required: ['answer'], additionalProperties: false },
}

function afterJson(round: Round): Round {
  const text = ['{"answ', 'er":"Z', 'z"}'].map(text => say({ type: 'text', text }))
  return { ...round, moves: [...text, say({ type: 'item-end' }), ...round.moves.filter((_, index) => index % 3 > 0)] }
}
