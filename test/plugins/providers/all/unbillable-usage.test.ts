import t from 'tap'
import type { JsonObject } from '../../../../core/index.ts'
import { isObject } from '../../../../core/foundation/json.ts'
import { fakeUpstream } from '../../../../core/testing/index.ts'
import { FakeGoogle } from '../../../kit/fake-google.ts'
import { gateway } from '../../../kit/gateway.ts'
import { converse, converseWith, ollama, type VendorAnswer } from './answers.ts'
import { everyProvider } from './every-provider.ts'
import { canary } from './oddities.ts'

const inputNames = ['input_tokens', 'prompt_tokens', 'promptTokenCount', 'inputTokens', 'prompt_eval_count']
const outputNames = ['output_tokens', 'completion_tokens', 'candidatesTokenCount', 'outputTokens', 'eval_count']

/** Changes to a vendor's usage. `undefined` leaves a count out. */
interface Fault {
  readonly input: unknown
  readonly output: unknown
}

const faults: Readonly<Record<string, Fault>> = {
  'no count': { input: undefined, output: undefined },
  'no output': { input: 3, output: undefined },
  'no input': { input: undefined, output: 2 },
  'null as output': { input: 3, output: null },
  'texts as counts': { input: canary, output: canary },
  'a text as output': { input: 3, output: canary },
  'a negative output': { input: 3, output: -2 },
  'half a token': { input: 3, output: 1.5 },
}

const google = await FakeGoogle.start()
const providers = everyProvider(google)
let answer: VendorAnswer = converse
let isStream = false
const upstream = await fakeUpstream(() =>
  isStream
    ? { headers: { 'content-type': answer.streamType }, body: answer.stream }
    : { headers: { 'content-type': 'application/json' }, body: answer.whole },
)
const under = await gateway({ plugins: providers.map(({ name, plugin }) => plugin({ id: name, baseUrl: upstream.url })) })
t.teardown(() => Promise.all([under.stop(), upstream.close(), google.close()]))

for (const provider of providers) {
  t.test(`${provider.name}: a usage that cannot be billed is none, and one line of the log says so`, async t => {
    for (const [name, fault] of Object.entries(faults)) {
      for (const stream of [false, true]) {
        answer = withFault(provider.answer, fault)
        isStream = stream
        const reply = await under.request('/v1/responses', { body: { model: `${provider.name}/${provider.model}`, input: 'Hi', stream } })
        const told = await reply.text()
        const what = `${name}, ${stream ? 'streamed' : 'whole'}`
        const record = await under.record(reply.headers.get('x-request-id')!)
        // A third-party package may refuse usage that it does not understand.
        if (provider.bridged && (record.errorCode !== null || !told.includes('Hello.'))) continue
        t.equal(record.status, 200, what)
        t.match(record.usage, { estimated: true }, what)
        t.ok(record.usage!.uncachedInput > 0 && record.usage!.output > 0, what)
        const errors = under.logs.map(each => JSON.parse(each) as JsonObject)
        const own = errors.filter(({ level, request }) => level === 'error' && request === record.id)
        if (isSilent(provider.answer, fault)) t.same(own, [], what)
        else {
          t.equal(own.length, 1, what)
          t.match(own[0], { provider: provider.name, message: /^usage cannot be billed/ }, what)
        }
      }
    }
    t.notOk(under.logs.join('').includes(canary), 'no value is logged')
  })
}

/** Older servers leave out the count of a prompt that they had read before, which is no fault. */
function isSilent(dialect: VendorAnswer, { input }: Fault): boolean {
  return dialect === ollama && input === undefined
}

function withFault(dialect: VendorAnswer, fault: Fault): VendorAnswer {
  if (dialect === converse) return converseWith(spoiled({ inputTokens: 3, outputTokens: 2 }, fault))
  const line = (text: string): string =>
    text.replace(/(?<=^(?:data: )?)\{.*\}$/gm, json => JSON.stringify(spoiled(JSON.parse(json), fault)))
  return { ...dialect, whole: line(dialect.whole), stream: line(dialect.stream as string) }
}

function spoiled(value: unknown, fault: Fault): unknown {
  if (Array.isArray(value)) return value.map(each => spoiled(each, fault))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      if (inputNames.includes(name)) return [name, fault.input]
      return [name, outputNames.includes(name) ? fault.output : spoiled(member, fault)]
    }),
  )
}
