import assert from 'node:assert/strict'
import pTimeout from 'p-timeout'
import type { DecisionClient, DecisionReply, DecisionRequest, Question } from '../../contracts/decision.ts'
import type { GenerationEvent } from '../../contracts/events.ts'
import { ProviderFailure } from '../../contracts/provider.ts'
import { GatewayError } from '../../foundation/errors.ts'
import { checkedReply } from '../../decisions/reply.ts'
import { DecisionClients } from '../../framework/extension-points.ts'
import type { CallSuiteOptions } from '../call-stage.ts'
import { frozen } from '../frozen.ts'
import type { SuiteContext } from '../provider-suite.ts'
import { contextWith, oddTexts, onEachPlugin } from './on-each-plugin.ts'

/** For `decisionClientSuite`. */
export interface DecisionClientSuiteOptions extends CallSuiteOptions {
  /** Models that it resolves, without a prefix. What it asks must answer them. */
  readonly models: readonly string[]
  /** For a client that asks a model with `generate`: the events of its answer. */
  generate?(call: Parameters<DecisionCallGenerate>[0]): AsyncIterable<GenerationEvent>
  /** How quickly it must stop after an abort. Default: 1000. */
  readonly stopMs?: number
}

type DecisionCallGenerate = Parameters<DecisionClient['decide']>[0]['generate']

/** Tests for every decision client, whose models answer. */
export function decisionClientSuite(t: SuiteContext, options: DecisionClientSuiteOptions): void {
  const test = onEachPlugin(t, options, DecisionClients)
  test('knows its models, and no others', async client => resolves(client, options))
  for (const [name, questions] of Object.entries(kinds)) test(`answers ${name}`, async client => answers(client, options, questions))
  test('answers any state', async client => {
    for (const state of ['', { a: [1, null, { b: 'c' }] }, ['x'], '🦊 \u0000 "quoted"'])
      await answers(client, options, { one: { type: 'noul' } }, state)
  })
  test('answers decisions at once by their own questions', async client => answersAtOnce(client, options))
  test('does not begin if it is already aborted, and stops when it is', async client => stops(client, options))
  test('its limits are numbers above 0', async client => {
    for (const [name, limit] of Object.entries(client.limits ?? {}))
      assert.ok(typeof limit === 'boolean' ? name === 'items' : limit > 0, `limits.${name} is ${limit}`)
  })
}

const kinds: Readonly<Record<string, Readonly<Record<string, Question>>>> = {
  'a noul': { sure: { type: 'noul', instructions: 'Is it sure?', criteria: { true: 'yes', false: 'no' } } },
  'a choice': { colour: { type: 'choice', criteria: { red: 'warm', blue: 'cold', 'not sure': null } } },
  'a score': { grade: { type: 'score', instructions: 'How good?', criteria: ['bad', 'fair', 'good'] } },
  'a choice of one, and a score of one': { only: { type: 'choice', criteria: { one: 1 } }, level: { type: 'score', criteria: ['x'] } },
  'many questions with odd names': Object.fromEntries(
    ['a', 'b c', 'constructor', 'ü/"\\', '0', 'x'.repeat(60)].map((id): [string, Question] => [id, { type: 'noul' }]),
  ),
}

async function resolves(client: DecisionClient, { models }: DecisionClientSuiteOptions): Promise<void> {
  assert.ok(models.length > 0, 'the suite needs the name of a model')
  for (const model of models) {
    const resolved = client.resolve(model)
    assert.ok(typeof resolved === 'string' && resolved !== '', `the model ${model} must be resolved to its versioned id`)
    assert.equal(client.resolve(model), resolved, 'a name always means the same')
  }
  for (const odd of oddTexts.filter(text => !models.includes(text)))
    assert.equal(client.resolve(odd), undefined, `there is no model "${odd.slice(0, 30)}"`)
}

function decided(
  client: DecisionClient,
  { models, generate }: DecisionClientSuiteOptions,
  request: Pick<DecisionRequest, 'questions' | 'state'>,
  signal = new AbortController().signal,
): Promise<DecisionReply> {
  return client.decide({
    request: frozen({ model: client.resolve(models[0]!)!, ...request }),
    credentialId: client.credentials?.[0]?.id,
    signal,
    context: contextWith({}, signal),
    generate: asked => (generate ? generate(asked) : unasked()),
  })
}

async function* unasked(): AsyncGenerator<GenerationEvent> {
  yield* []
  throw new Error('the client asks a model: give the suite `generate`')
}

async function answers(
  client: DecisionClient,
  options: DecisionClientSuiteOptions,
  questions: DecisionRequest['questions'],
  state: DecisionRequest['state'] = 'The sky is blue.',
): Promise<void> {
  const request = { model: 'demo', state, questions }
  const reply = checkedReply(await decided(client, options, request), request, client.provider)
  for (const [id, answer] of Object.entries(reply.answers)) {
    if (!('probabilities' in answer) || !answer.probabilities) continue
    const sum = Object.values(answer.probabilities as Readonly<Record<string, number>>).reduce((total, each) => total + each, 0)
    assert.ok(Math.abs(sum - 1) < 0.01, `the probabilities of ${id} sum to ${sum}, not to 1`)
  }
}

async function answersAtOnce(client: DecisionClient, options: DecisionClientSuiteOptions): Promise<void> {
  const asked = ['one', 'two', 'three'].map(id => ({ state: id, questions: { [id]: { type: 'noul' } as const } }))
  const replies = await Promise.all(asked.map(request => decided(client, options, request)))
  assert.deepEqual(
    replies.map(({ answers }) => Object.keys(answers)),
    asked.map(({ questions }) => Object.keys(questions)),
  )
}

async function stops(client: DecisionClient, options: DecisionClientSuiteOptions): Promise<void> {
  const { stopMs = 1_000 } = options
  const request = { state: 'The sky is blue.', questions: { one: { type: 'noul' } as const } }
  await assert.rejects(
    pTimeout(decided(client, options, request, AbortSignal.abort(new Error('gone'))), { milliseconds: stopMs }),
    (error: unknown) => !ProviderFailure.is(error) && !(error instanceof GatewayError),
    'an aborted decision must throw the reason of its signal',
  )
  const leaving = new AbortController()
  const running = decided(client, options, request, leaving.signal).then(
    () => undefined,
    (error: unknown) => assert.ok(!ProviderFailure.is(error), 'an abort must not be reported as a failure of the provider'),
  )
  leaving.abort(new Error('the caller left'))
  await pTimeout(running, { milliseconds: stopMs, message: `it did not stop within ${stopMs} ms` })
}
