import { CatalogSources, DecisionClients, definePlugin, type CatalogEntry, type DecisionClient } from '../../core/index.ts'
import type { DecisionAnswer, DecisionCall, DecisionReply, DecisionRequest, Question } from '../../core/kit.ts'
import type { PluginUse } from '../../core/framework/plugin.ts'
import type { TestGateway, TestRequest } from '../../core/testing/index.ts'

// The parts of a test of decisions.

/** An answer to each question that is as good as any. */
export function anyAnswers(questions: DecisionRequest['questions']): Record<string, DecisionAnswer> {
  return Object.fromEntries(Object.entries(questions).map(([id, question]) => [id, anyAnswer(question)]))
}

function anyAnswer(question: Question): DecisionAnswer {
  if (question.type === 'noul') return { type: 'noul', noul: 0.25 }
  if (question.type === 'score') return { type: 'score', score: question.criteria.length - 1 }
  return { type: 'choice', choice: Object.keys(question.criteria)[0]! }
}

export interface DecisionWitness {
  readonly plugin: PluginUse
  readonly calls: DecisionCall[]
}

let made = 0

/** A decision client that keeps its calls. It has the model `one-1`, also called `one`, at 2 USD a million input tokens. */
export function deciding(
  provider: string,
  decide: (call: DecisionCall, count: number) => DecisionReply | Promise<DecisionReply> = ({ request }) => reply(request),
  more: Partial<DecisionClient> = {},
  entries: readonly CatalogEntry[] = [
    {
      model: 'one-1',
      aliases: ['one'],
      endpoints: [{ provider, kind: 'decision', upstreamModel: 'one-1', price: { input: 2, output: 0 } }],
    },
  ],
): DecisionWitness {
  const calls: DecisionCall[] = []
  const plugin = definePlugin({
    name: `deciding-${++made}`,
    options: { type: 'object', additionalProperties: false, properties: {} },
    setup(registrar) {
      registrar.add(DecisionClients, {
        provider,
        resolve: model => (model === 'one' || model === 'one-1' ? 'one-1' : undefined),
        decide: async call => decide(call, calls.push(call)),
        ...more,
      })
      registrar.add(CatalogSources, { name: `decisions of ${provider}`, entries: () => entries })
    },
  })({})
  return { plugin, calls }
}

export function reply(request: DecisionRequest, more: Partial<DecisionReply> = {}): DecisionReply {
  return { answers: anyAnswers(request.questions), usage: { input_tokens: 100, output_tokens: 7 }, ...more }
}

export interface DecisionOutcome {
  readonly status: number
  readonly headers: Headers
  readonly id: string
  readonly body: {
    readonly id: string
    readonly model: string
    readonly answers: Readonly<Record<string, DecisionAnswer>>
    readonly usage: { readonly input_tokens: number; readonly output_tokens: number }
  }
  /** Of a refusal, whose body is `{detail: {error_type, message}}` and nothing else; empty after a 200. */
  readonly detail: { readonly error_type: string; readonly message: string }
}

export const yes = { type: 'noul', instructions: 'Is it so?' } as const

/** `POST /v1/systemone`, with one question about a state unless the body says otherwise. */
export async function decide(
  under: TestGateway,
  body: object | string = {},
  more: TestRequest = {},
  path = '/v1/systemone',
): Promise<DecisionOutcome> {
  const whole = typeof body === 'string' ? body : { model: 'one', state: 'It is so.', questions: { yes }, ...body }
  const answer = await under.request(path, { ...more, body: whole })
  const parsed = JSON.parse(await answer.text())
  return {
    status: answer.status,
    headers: answer.headers,
    id: answer.headers.get('x-request-id')!,
    body: parsed,
    detail: answer.status === 200 ? { error_type: '', message: '' } : detailIn(parsed),
  }
}

function detailIn(body: object): DecisionOutcome['detail'] {
  const { detail, ...others } = body as { readonly detail: Record<string, string> }
  const { error_type = '', message = '', ...more } = detail
  if (!error_type || !message || Object.keys({ ...others, ...more }).length > 0)
    throw new Error('This is no error of the decision endpoint.')
  return { error_type, message }
}
