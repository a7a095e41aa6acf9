import fc from 'fast-check'
import t, { type Test } from 'tap'
import type { GenerationEvent, JsonObject } from '../../../core/index.ts'
import { fakeUpstream, sseFrame } from '../../../core/testing/index.ts'
import { Finder } from '../../../plugins/guardrails/redaction/finder.ts'
import redaction from '../../../plugins/guardrails/redaction/index.ts'
import { Placeholders } from '../../../plugins/guardrails/redaction/placeholders.ts'
import { Restorer } from '../../../plugins/guardrails/redaction/restorer.ts'
import consoleLog from '../../../plugins/logs/console/index.ts'
import openaiChat from '../../../plugins/providers/openai-chat/index.ts'
import { corpus, type Labelled } from '../../../scripts/redaction/score.ts'
import { ask, said, stop, text, usage, witness } from '../../kit/stage.ts'
import { gateway } from '../../kit/gateway.ts'
import { runs } from '../../kit/runs.ts'

const structured = new Set(['secret', 'email', 'iban', 'card', 'national_id', 'phone', 'ip'])
const labelled = corpus().filter(({ values }) => values.length > 0 && values.every(({ kind }) => structured.has(kind)))
const sample: fc.Arbitrary<Labelled> = fc.constantFrom(...labelled)
const noise = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 30 }),
  fc.lorem({ maxCount: 12 }),
  fc.constantFrom('[EMAIL_1]', '[EMAIL_', '[[CARD_1]]', '\\n', '"', '{"a":1}', '[SECRET_2', '\u202e', '[PHONE_1] ', 'é', '🙂'),
)
const prose = fc
  .array(
    fc.oneof(
      noise,
      sample.map(({ text }) => `\n${text}\n`),
    ),
    { maxLength: 8 },
  )
  .map(pieces => pieces.join('\n'))
/** Where a text is cut into pieces. */
const cuts = fc.array(fc.nat(40), { maxLength: 60 })

function pieces(whole: string, lengths: readonly number[]): readonly string[] {
  const made: string[] = []
  let from = 0
  for (const length of lengths) made.push(whole.slice(from, (from += length)))
  return [...made, whole.slice(from)]
}

async function placeholdersOf(whole: string): Promise<{ readonly redacted: string; readonly placeholders: Placeholders }> {
  const placeholders = new Placeholders()
  for (const [taken] of whole.matchAll(/\[[A-Z][A-Z0-9_]*_\d+\]/g)) placeholders.avoid(taken)
  let redacted = ''
  let from = 0
  for (const { label, start, end } of await new Finder({}).find(whole)) {
    redacted += whole.slice(from, start) + placeholders.of(label, whole.slice(start, end))
    from = end
  }
  return { redacted: redacted + whole.slice(from), placeholders }
}

t.test('restored in pieces is restored as a whole, which is the original', async () => {
  await fc.assert(
    fc.asyncProperty(prose, cuts, fc.boolean(), async (whole, lengths, isJson) => {
      const { redacted, placeholders } = await placeholdersOf(whole)
      const answer = isJson ? JSON.stringify({ answer: redacted }) : redacted
      const restorer = new Restorer(placeholders, isJson)
      let restored = ''
      for (const piece of pieces(answer, lengths)) restored += restorer.push(piece)
      restored += restorer.flush()
      return (isJson ? (JSON.parse(restored) as { answer: string }).answer : restored) === whole
    }),
    runs(600),
  )
})

t.test('text held back for a placeholder is bounded, and never lost', async () => {
  fc.assert(
    fc.property(fc.array(fc.stringMatching(/^[[\]A-Z_0-9 ]{0,20}$/)), given => {
      const restorer = new Restorer(new Placeholders(), false)
      let out = ''
      for (const [index, piece] of given.entries()) {
        out += restorer.push(piece)
        const behind = given.slice(0, index + 1).join('').length - out.length
        if (behind > 52) return false
      }
      return out + restorer.flush() === given.join('')
    }),
    runs(600),
  )
})

/** A text, or a JSON document, in which a number that was replaced comes back as a string. */
function numbersAsStrings(text: string): string {
  try {
    const asString = (_: string, value: unknown, { source }: { readonly source?: string }): unknown =>
      typeof value === 'number' ? source : value
    return JSON.stringify(JSON.parse(text, asString as (key: string, value: unknown) => unknown))
  } catch {
    return text
  }
}

/** A vendor over HTTP that keeps the bytes of each request, and repeats their text in pieces. */
async function vendor(t: Test) {
  let lengths: readonly number[] = []
  let asCall = false
  const upstream = await fakeUpstream(({ body }) => {
    const { messages, stream } = body as { readonly messages: readonly { readonly content: string }[]; readonly stream?: boolean }
    const heard = messages.at(-1)!.content
    const echo = asCall ? JSON.stringify({ echo: heard }) : heard
    const common = { id: 'chatcmpl-1', created: 1, model: 'm' }
    const finish = asCall ? 'tool_calls' : 'stop'
    const usage = { prompt_tokens: 9, completion_tokens: 4, total_tokens: 13 }
    const call = (name: object, args: string): object => ({
      tool_calls: [{ index: 0, ...name, function: { ...((name as JsonObject)['function'] as object), arguments: args } }],
    })
    if (!stream) {
      const message = asCall
        ? {
            role: 'assistant',
            content: null,
            tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'echo', arguments: echo } }],
          }
        : { role: 'assistant', content: echo }
      const reply = { ...common, object: 'chat.completion', choices: [{ index: 0, message, finish_reason: finish }], usage }
      return { headers: { 'content-type': 'application/json' }, body: JSON.stringify(reply) }
    }
    const chunk = (delta: object, reason: string | null = null): string =>
      sseFrame({ ...common, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: reason }] })
    const parts = pieces(echo, lengths).map((piece, index) =>
      chunk(asCall ? call(index === 0 ? { id: 'call_1', type: 'function', function: { name: 'echo' } } : {}, piece) : { content: piece }),
    )
    const last = sseFrame({ ...common, object: 'chat.completion.chunk', choices: [], usage })
    return { headers: { 'content-type': 'text/event-stream' }, body: `${parts.join('')}${chunk({}, finish)}${last}data: [DONE]\n\n` }
  })
  t.teardown(() => upstream.close())
  return {
    upstream,
    plugin: openaiChat({ id: 'vendor', apiKey: 'sk-demo', baseUrl: upstream.url }),
    say(next: readonly number[], inCall: boolean) {
      lengths = next
      asCall = inCall
    },
  }
}

t.test('no value of the corpus reaches a vendor, a log or a sink, and the caller gets all of it back', async t => {
  const { upstream, plugin, say } = await vendor(t)
  const written: string[] = []
  const write = process.stdout.write
  const under = await gateway({
    settings: { logLevel: 'debug' },
    plugins: [redaction({}), plugin, consoleLog({ format: 'json' })],
    key: { name: 'demo', policy: { redaction: { value: true } } },
  })
  t.teardown(under.stop)
  process.stdout.write = ((line: string | Uint8Array, done?: () => void) => {
    written.push(String(line))
    done?.()
    return true
  }) as typeof write
  t.teardown(() => (process.stdout.write = write))
  const tools = [{ type: 'function', name: 'echo', parameters: { type: 'object' } }]
  try {
    await fc.assert(
      fc.asyncProperty(
        fc.array(sample, { minLength: 1, maxLength: 4 }),
        noise,
        cuts,
        fc.boolean(),
        fc.boolean(),
        async (samples, other, lengths, stream, asCall) => {
          say(lengths, asCall)
          const before = upstream.requests.length
          // A text of several values first, and one that is echoed.
          const input = [
            { role: 'user', content: `${other}\n` },
            { role: 'user', content: samples.map(({ text }) => text).join('\n\n') },
          ]
          const { status, response } = await ask(under, { model: 'vendor/m', input, stream, tools })
          if (status !== 200) throw new Error(`status ${status}`)
          const bytes = upstream.requests
            .slice(before)
            .map(({ text }) => text)
            .join('\n')
          for (const { text, values } of samples)
            for (const { start, end } of values) {
              const value = text.slice(start, end)
              for (const form of [value, JSON.stringify(value).slice(1, -1), encodeURIComponent(value)])
                if (bytes.includes(form)) throw new Error(`${value} was sent`)
            }
          const call = response.output.find(item => item['type'] === 'function_call') as { readonly arguments: string } | undefined
          const heard = asCall ? (JSON.parse(call!.arguments) as { echo: string }).echo : said(response)
          if (numbersAsStrings(heard) !== numbersAsStrings(input[1]!.content))
            throw new Error(`${JSON.stringify(heard)} is not ${JSON.stringify(input[1]!.content)}`)
        },
      ),
      runs(60),
    )
  } finally {
    process.stdout.write = write
  }
  const kept = [...under.logs, ...written, JSON.stringify(under.records)].join('\n')
  const leaked = labelled
    .flatMap(({ text, values }) => values.map(({ start, end }) => text.slice(start, end)))
    .filter(value => value.length > 8 && kept.includes(value))
  t.same(leaked, [])
})

t.test('a failing vendor tells nothing that it did not get', async t => {
  const upstream = await fakeUpstream(({ text }) => ({
    status: 400,
    body: JSON.stringify({ error: { message: `cannot use ${text}`, type: 'x' } }),
  }))
  t.teardown(() => upstream.close())
  const under = await gateway({
    settings: { logLevel: 'debug' },
    plugins: [redaction({}), openaiChat({ id: 'vendor', apiKey: 'sk-demo', baseUrl: upstream.url })],
    key: { name: 'demo', policy: { redaction: { value: true } } },
  })
  t.teardown(under.stop)
  const answer = await ask(under, { model: 'vendor/m', input: 'write to canary@example.com' })
  t.ok(answer.status >= 400)
  t.notMatch(JSON.stringify(answer.error), 'canary')
  await under.record(answer.requestId)
  t.notMatch([...under.logs, JSON.stringify(under.records)].join('\n'), 'canary')
})

t.test('text of the caller that looks like a placeholder is never restored', async t => {
  const lookalike = fc
    .tuple(fc.constantFrom('EMAIL', 'CARD', 'IP', 'X'), fc.integer({ min: 1, max: 3 }))
    .map(([label, count]) => `[${label}_${count}]`)
  const acme = witness('acme', ({ request }): GenerationEvent[] => {
    const [part] = (request.input.at(-1) as { readonly content: readonly { readonly text: string }[] }).content
    return [text(part!.text), usage(1, 1), stop]
  })
  const under = await gateway({ plugins: [redaction({}), acme.plugin], key: { name: 'demo', policy: { redaction: { value: true } } } })
  t.teardown(under.stop)
  await fc.assert(
    fc.asyncProperty(
      fc.array(lookalike, { maxLength: 5 }),
      fc.array(lookalike, { maxLength: 3 }),
      fc.boolean(),
      async (own, elsewhere, stream) => {
        const input = `a@example.com ${own.join(' ')} 192.0.2.1 b@example.com`
        const { response } = await ask(under, { model: 'acme/m', instructions: elsewhere.join(' '), input, stream })
        const sent = JSON.stringify(acme.calls.at(-1)!.request)
        return said(response) === input && !sent.includes('example.com')
      },
    ),
    runs(60),
  )
})
