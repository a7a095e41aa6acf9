import assert from 'node:assert/strict'
import { brokenAnswer, onStage, wholeAnswer, type CallStage, type CallSuiteOptions } from './call-stage.ts'
import type { SuiteContext } from './provider-suite.ts'

const many = 50

/** Tests for every call wrapper, through a gateway with a model that answers, breaks off and hangs. */
export function callWrapperSuite(t: SuiteContext, options: CallSuiteOptions): void {
  const on = (name: string, test: (stage: CallStage) => Promise<void>): unknown => t.test(name, () => onStage(options, test))
  on('a request that comes again gets the same answer, streamed or not', answersAlike)
  on('the first part of an answer that breaks off is never given as a whole one', stage => completes(stage, () => breakOff(stage)))
  on('the first part of an answer that its client left is never given as a whole one', stage => completes(stage, () => stage.leave('left')))
  on('answers of one owner are not given to another', keepsApart)
  on('an answer is not given to another request', tellsApart)
  t.test('nothing is kept of callers without logging', () => onStage(options, keepsNothing, { policy: {} }))
  const strict = { zdr: { value: true }, hipaa: { value: true } }
  t.test('callers with zero data retention and HIPAA mode are served', () => onStage(options, answersAlike, { policy: strict }))
  on('decisions are answered', decides)
  on(`${many} calls at once are answered and recorded once each`, answersMany)
}

/** Tests for every call observer, through a gateway with a model that answers, breaks off and hangs. */
export function callObserverSuite(t: SuiteContext, options: CallSuiteOptions): void {
  const on = (name: string, test: (stage: CallStage) => Promise<void>): unknown => t.test(name, () => onStage(options, test))
  on('a call gets its answer, streamed or not', answersAlike)
  on('a call that fails gets its error', breakOff)
  on('a client may leave', stage => stage.leave('left'))
  on('a request without a valid key is refused', refuses)
  on('a trace of the caller goes on, if at all, in spans of its own', traces)
  on('decisions are answered', decides)
  on(`${many} calls at once are answered and recorded once each`, answersMany)
  t.test('without logging, no name that a caller made up is in the log', () => onStage(options, hidesNames, { policy: {} }))
}

async function answersAlike(stage: CallStage): Promise<void> {
  const { text } = await stage.ask('again')
  assert.notEqual(text, '', 'expected an answer with text')
  for (const stream of [true, false, true]) {
    const asked = await stage.ask('again', { stream })
    assert.equal(asked.status, 200)
    assert.equal(asked.text, text)
  }
}

/** `begin` makes an answer that is not complete, unless the wrapper gives one of its own. */
async function completes(stage: CallStage, begin: () => Promise<void>): Promise<void> {
  await begin()
  for (const prompt of ['left', 'broken']) {
    const { status, text } = await stage.ask(prompt)
    assert.equal(status, 200)
    assert.notEqual(text, brokenAnswer, 'what came before the end is no answer')
  }
}

async function breakOff(stage: CallStage): Promise<void> {
  stage.answering = 'breaks'
  for (const stream of [true, false]) {
    const { status, attempts, text } = await stage.ask('broken', { stream })
    if (attempts === '0') assert.equal(status, 200)
    else assert.notEqual(text, wholeAnswer)
  }
  stage.answering = 'whole'
}

async function keepsApart(stage: CallStage): Promise<void> {
  const first = await stage.ask('apart')
  await stage.ask('apart')
  const other = await stage.ask('apart', { apiKey: await stage.otherKey() })
  assert.equal(other.attempts, first.attempts, 'a first request must be treated as the first one of another owner was')
}

async function tellsApart(stage: CallStage): Promise<void> {
  const first = await stage.ask('bread')
  await stage.ask('bread')
  const schema = { type: 'object', additionalProperties: false, required: ['a'], properties: { a: { type: 'string' } } }
  const others = [
    { model: 'suite/other' },
    { more: { instructions: 'Answer in French.' } },
    { more: { text: { format: { type: 'json_schema', name: 'a', strict: true, schema } } } },
    { more: { tools: [{ type: 'function', name: 'weigh', parameters: schema }] } },
    { more: { tool_choice: 'none', tools: [{ type: 'function', name: 'weigh', parameters: schema }] } },
  ]
  for (const options of others) {
    const { attempts } = await stage.ask('bread', options)
    assert.equal(
      attempts,
      first.attempts,
      `an answer was given to another request: one with ${Object.keys(options.more ?? options).join(', ')}`,
    )
  }
  assert.equal((await stage.ask('the height of Mont Blanc')).attempts, first.attempts, 'an answer was given to another prompt')
}

async function keepsNothing(stage: CallStage): Promise<void> {
  const first = await stage.ask('unlogged')
  for (const stream of [true, false]) {
    const again = await stage.ask('unlogged', { stream })
    assert.equal(again.attempts, first.attempts, 'something was kept: set `keepsContent`')
  }
}

async function decides(stage: CallStage): Promise<void> {
  for (const _ of [1, 2]) assert.equal(await stage.decide(), 200)
}

async function answersMany(stage: CallStage): Promise<void> {
  const asked = await Promise.all(Array.from({ length: many }, (_, index) => stage.ask(`many ${index % 7}`, { stream: index % 2 === 0 })))
  for (const { status, text } of asked) {
    assert.equal(status, 200)
    assert.notEqual(text, '')
  }
  await stage.recorded(many)
  assert.equal(new Set(stage.records.map(({ id }) => id)).size, many)
  assert.equal(stage.records.length, many)
}

async function refuses(stage: CallStage): Promise<void> {
  const { status } = await stage.ask('refused', { apiKey: 'no key' })
  assert.equal(status, 401)
  await stage.recorded(1)
}

async function traces(stage: CallStage): Promise<void> {
  const own = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
  const bad = [own.toUpperCase(), `${own}-more`, own.replaceAll(/[^-]/g, '0'), own.replace('00', 'ff'), 'x'.repeat(5_000), `${own}, ${own}`]
  for (const traceparent of [own, ...bad, '']) assert.equal((await stage.ask('traced', { headers: { traceparent } })).status, 200)
  for (const { traceparent: sent } of stage.calls) {
    if (sent === undefined) continue
    assert.match(sent, /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-0[01]$/)
    assert.notEqual(sent.split('-')[2], own.split('-')[2], 'the span of the caller is not that of the attempt')
  }
}

async function hidesNames(stage: CallStage): Promise<void> {
  const name = 'a-name-that-somebody-made-up'
  for (const model of [`suite/${name}`, name]) await stage.ask('named', { model })
  for (const line of stage.logs) assert.ok(!line.includes(name), `the log must not have the name: ${line}`)
}
