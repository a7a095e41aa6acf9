import assert from 'node:assert/strict'
import type { Guardrail, OutputChannel, OutputFilter } from '../../contracts/guardrail.ts'
import type { KeySettings } from '../../contracts/key-store.ts'
import type { Policy, PolicyField, PolicyLayer } from '../../contracts/policy.ts'
import { isObject, type JsonObject } from '../../foundation/json.ts'
import { Guardrails } from '../../framework/extension-points.ts'
import { requestTexts } from '../../guards/request-texts.ts'
import { onStage, wholeAnswer, type CallStage, type CallSuiteOptions } from '../call-stage.ts'
import type { SuiteContext } from '../provider-suite.ts'
import { addedTo, contextWith, oddTexts, onEachPlugin, stageOf } from './on-each-plugin.ts'

/** For `guardrailSuite`. */
export interface GuardrailSuiteOptions extends CallSuiteOptions {
  /** Texts that no model may get: the guardrail refuses them, or replaces them, wherever they are. */
  readonly caught?: readonly string[]
  /** Texts that look like those, but pass. */
  readonly passed?: readonly string[]
  /** The settings of the policy, by field. */
  readonly settings?: Readonly<Partial<Record<PolicyField, JsonObject>>>
}

/** Tests for every guardrail, for a key whose policy has on whatever it enforces. */
export function guardrailSuite(t: SuiteContext, options: GuardrailSuiteOptions): void {
  const { caught = [], passed = [] } = options
  const on = (name: string, test: (stage: CallStage) => Promise<void>): unknown =>
    t.test(name, async () => onStage(options, test, await guardedKey(options)))
  const test = onEachPlugin(t, options, Guardrails)
  on('an ordinary request gets its answer, streamed or not', answers)
  on('any text is checked, and none makes it fail', checksAnything)
  on('decisions are checked, or refused', decides)
  on('requests at once are kept apart', keepsApart)
  for (const [index, text] of caught.entries())
    on(`text ${index + 1} to catch: no model gets it, wherever it is`, stage => catches(stage, text))
  if (caught.length > 0) on('no request gets the texts of another', stage => keepsTextsApart(stage, caught))
  for (const [index, text] of passed.entries()) on(`text ${index + 1} to pass: the model gets it`, stage => passes(stage, text))
  test('an answer is the same no matter how it is cut', async guardrail => cuts(guardrail, options))
  test('JSON stays JSON', async guardrail => keepsJson(guardrail, options))
  test('any settings are judged, and the given ones accepted', async guardrail => judges(guardrail, options))
}

async function guardedKey(options: GuardrailSuiteOptions): Promise<Partial<KeySettings>> {
  await using stage = await stageOf(options)
  const guardrails = addedTo(stage, options, Guardrails)
  const fields = guardrails.flatMap(({ enforces }) => enforces)
  const policy: PolicyLayer = { logging: { value: true }, ...Object.fromEntries(fields.map(field => [field, settingOf(options, field)])) }
  return { policy, guardrails: guardrails.filter(({ applies }) => applies === 'key').map(({ name }) => name) }
}

function settingOf({ settings }: GuardrailSuiteOptions, field: PolicyField): NonNullable<PolicyLayer[PolicyField]> {
  const own = settings?.[field]
  return { value: field !== 'logging', ...(own && { settings: own }) }
}

async function answers(stage: CallStage): Promise<void> {
  for (const stream of [true, false]) {
    const { status, text } = await stage.ask('hello', { stream })
    assert.equal(status, 200)
    assert.equal(text, wholeAnswer, 'an ordinary answer must arrive as the model gave it')
  }
}

async function checksAnything(stage: CallStage): Promise<void> {
  for (const text of oddTexts)
    for (const more of placesOf(text)) {
      const { status } = await stage.ask('', { more })
      assert.ok(status < 500, `status ${status} for ${JSON.stringify(more).slice(0, 80)}`)
    }
}

async function decides(stage: CallStage): Promise<void> {
  for (const state of ['hello', { a: ['b', 7, null] }]) {
    const status = await stage.decide({ model: 'suite-decider/d', state, questions: { yes: { type: 'noul', instructions: 'Is it?' } } })
    assert.ok(status < 500, `status ${status}`)
  }
}

async function keepsApart(stage: CallStage): Promise<void> {
  const asked = await Promise.all(Array.from({ length: 20 }, (_, index) => stage.ask(`number ${index}`, { stream: index % 2 === 0 })))
  for (const { status, text } of asked) assert.deepEqual({ status, text }, { status: 200, text: wholeAnswer })
  const got = stage.calls.map(({ request }) => JSON.stringify(request.input))
  for (let index = 0; index < 20; index++)
    assert.equal(got.filter(input => input.includes(`number ${index}"`)).length, 1, `the model must get request ${index} once`)
}

/** Of guardrails that put texts back into answers: only into the answer to the request that had them. */
async function keepsTextsApart(stage: CallStage, caught: readonly string[]): Promise<void> {
  stage.answering = 'echoes'
  const askedAtOnce = Array.from({ length: 10 }, (_, index) => caught[index % caught.length]!)
  const answered = await Promise.all(askedAtOnce.map(text => stage.ask(`Repeat ${text}.`, { stream: true })))
  for (const [index, { text: answer }] of answered.entries())
    for (const text of caught) assert.ok(text === askedAtOnce[index] || !answer.includes(text), 'an answer has a text of another request')
  for (const { request } of stage.calls.splice(0)) {
    // A placeholder that this model got means nothing to another request.
    for (const { text: given } of requestTexts(request).slots) {
      const { text: answer } = await stage.ask('', { more: { input: given } })
      for (const text of caught)
        assert.ok(!answer.includes(text), 'an answer has a text of an earlier request, in the place of its replacement')
    }
    stage.calls.splice(0)
  }
}

/** Requests with this text in every place that a guardrail has to look at. */
function placesOf(text: string): readonly object[] {
  const user = { role: 'user', content: 'hello' }
  const call = { type: 'function_call', call_id: 'call_1', name: 'look', arguments: JSON.stringify({ a: text }) }
  const output = { type: 'function_call_output', call_id: 'call_1', output: text }
  return [
    { input: text },
    { input: [{ role: 'user', content: [{ type: 'input_text', text }] }] },
    { input: [{ role: 'developer', content: text }, user] },
    { input: [user, { role: 'assistant', content: text }, user] },
    { input: [user, call, { ...output, output: 'done' }] },
    { input: [user, { ...call, arguments: '{}' }, output] },
    { input: 'hello', instructions: text },
  ]
}

async function catches(stage: CallStage, text: string): Promise<void> {
  const spelled = JSON.stringify(text).slice(1, -1)
  const isIn = (value: unknown): boolean => {
    const whole = JSON.stringify(value)
    // Arguments are JSON within JSON.
    return whole.includes(spelled) || whole.includes(JSON.stringify(spelled).slice(1, -1))
  }
  for (const more of placesOf(`Look at this: ${text}.`)) {
    const { status } = await stage.ask('', { more })
    const where = JSON.stringify(more).slice(0, 120)
    assert.ok(status === 200 || (status >= 400 && status < 500), `status ${status} for ${where}`)
    for (const { request } of stage.calls.splice(0)) assert.ok(!isIn(request), `the model got it from ${where}`)
  }
  await stage.decide({ model: 'suite-decider/d', state: text, questions: { yes: { type: 'noul' } } })
  for (const request of stage.decisions.splice(0)) assert.ok(!isIn(request), 'the model that decides got it')
}

async function passes(stage: CallStage, text: string): Promise<void> {
  const { status } = await stage.ask(text)
  assert.equal(status, 200)
  assert.ok(JSON.stringify(stage.calls.at(-1)?.request).includes(JSON.stringify(text).slice(1, -1)), 'the model must get it as it was')
}

function policyOf({ enforces }: Guardrail, options: GuardrailSuiteOptions): Partial<Policy> {
  return Object.fromEntries(enforces.map(field => [field, { source: 'key', ...settingOf(options, field) }]))
}

/** Undefined if the guardrail leaves such a part alone. `{ refuse }` if it refuses it. */
function filtered(guardrail: Guardrail, options: GuardrailSuiteOptions, channel: OutputChannel, pieces: readonly string[]): unknown {
  const filter: OutputFilter | undefined = guardrail.open(contextWith(policyOf(guardrail, options)))?.output?.(channel)
  if (!filter) return undefined
  let whole = ''
  for (const step of [...pieces.map(piece => () => filter.push(piece)), () => filter.flush()]) {
    const out = step()
    if (typeof out !== 'string') {
      assert.ok(isObject(out) && 'refuse' in out, `a filter must return a string or { refuse }, got ${typeof out}`)
      return 'refused'
    }
    whole += out
  }
  return whole
}

async function cuts(guardrail: Guardrail, options: GuardrailSuiteOptions): Promise<void> {
  const { caught = [], passed = [] } = options
  for (const text of [...caught.map(each => `See ${each}, and more.`), ...passed, 'Hello there.', '🦊 ünïcode', '']) {
    const channel = { kind: 'text', json: false } as const
    const once = filtered(guardrail, options, channel, [text])
    assert.deepEqual(filtered(guardrail, options, channel, [...text]), once, 'cut into single characters')
    for (let at = 0; at <= text.length; at++)
      assert.deepEqual(filtered(guardrail, options, channel, [text.slice(0, at), text.slice(at)]), once, `cut at ${at}`)
    if (!caught.some(each => text.includes(each)) && once !== undefined) assert.equal(once, text, 'a filter must not lose or change text')
  }
}

async function keepsJson(guardrail: Guardrail, options: GuardrailSuiteOptions): Promise<void> {
  for (const text of ['plain', ...(options.caught ?? [])])
    for (const kind of ['arguments', 'text'] as const) {
      const out = filtered(guardrail, options, { kind, json: true }, [JSON.stringify({ a: text, b: [1, text] })])
      if (typeof out === 'string' && out !== 'refused') assert.doesNotThrow(() => JSON.parse(out), `not JSON any more: ${out}`)
    }
}

const oddSettings: readonly JsonObject[] = [{}, { unknown: true }, { a: { b: [null, 1e300, ''] } }, { ['__proto__x']: 'y' }]

async function judges(guardrail: Guardrail, options: GuardrailSuiteOptions): Promise<void> {
  for (const field of guardrail.enforces) {
    for (const settings of oddSettings) {
      const problem: unknown = await guardrail.settingsProblem?.(field, settings)
      if (problem === undefined) continue
      assert.ok(isObject(problem) && typeof problem['path'] === 'string', 'a problem with settings has a path')
      assert.ok(typeof problem['message'] === 'string' && problem['message'] !== '', 'a problem with settings has a message')
    }
    const own = options.settings?.[field]
    if (own) assert.equal(await guardrail.settingsProblem?.(field, own), undefined, 'the settings of the suite must be accepted')
    const { strictestSettings } = guardrail
    if (!strictestSettings) continue
    const both = [own ?? {}, {}]
    const strictest = guardrail.strictestSettings!(field, both)
    assert.ok(isObject(strictest), 'the strictest settings are an object')
    assert.deepEqual(guardrail.strictestSettings!(field, both.toReversed()), strictest, 'the order of settings does not matter')
    assert.deepEqual(guardrail.strictestSettings!(field, [strictest, ...both]), strictest, 'nothing is stricter than the strictest')
  }
}
