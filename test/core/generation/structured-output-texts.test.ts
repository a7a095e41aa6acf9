import fc from 'fast-check'
import t from 'tap'
import type { GenerationEvent, JsonObject } from '../../../core/index.ts'
import { extractJson } from '../../../core/generation/structured-output/json-text.ts'
import { gateway } from '../../kit/gateway.ts'
import { Oracle, wireOf, type OracleReading } from '../../plugins/providers/oracle/oracle.ts'
import { runs } from '../../kit/runs.ts'
import { recordedReply, recordedRequest, recordings, recordingsAbsent, type Recording } from '../../kit/recordings.ts'
import { ask, listing, said, witness } from '../../kit/stage.ts'

const json = fc.oneof(fc.jsonValue(), fc.array(fc.jsonValue()), fc.dictionary(fc.string(), fc.jsonValue()))
const object = fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue(), { noNullPrototype: true })
const prose = fc.string({ unit: fc.constantFrom('a', ' ', '"', "'", '\n', ':', '.', '```', '\\', '\u{1f600}', '}', ']') })
const indents = fc.constantFrom(undefined, 2, '\t')

t.test('JSON is left as it is, and found again whatever surrounds it', async t => {
  fc.assert(
    fc.property(json, indents, (value, indent) => {
      const text = JSON.stringify(value, null, indent)
      return extractJson(text).problem === undefined && extractJson(`\ufeff ${text}\n`).problem === undefined && textIn(text) === text
    }),
    runs(100),
  )
  fc.assert(
    fc.property(json, indents, fc.constantFrom('', 'json', 'JSON '), (value, indent, language) => {
      const text = JSON.stringify(value, null, indent)
      return textIn(`\n\`\`\`${language}\n${text}\n\`\`\`\n`) === text
    }),
    runs(100, 1),
  )
  fc.assert(
    fc.property(object, indents, prose, prose, (value, indent, before, after) => {
      const text = JSON.stringify(value, null, indent)
      const answer = `${before}.${text}.${after}`
      fc.pre(!isWhole(answer))
      return textIn(answer) === text
    }),
    runs(100, 2),
  )
  t.pass('in 300 cases')
})

t.test('slips of notation are put right without changing a value', async t => {
  fc.assert(
    fc.property(object, value => {
      const slips = JSON.stringify(value, null, 1).replaceAll(/([^[{,:\s])(\n *[\]}])/g, '$1,$2')
      const found = textIn(`Yes: ${slips}`)
      return found !== undefined && JSON.stringify(JSON.parse(found)) === JSON.stringify(value)
    }),
    runs(100),
  )
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('a', '\n', '\r', '\t', '\u0001', ',', ']', '{') }), value => {
      const found = textIn(`Yes: {"text": "${value}", "more": ["${value}",]}`)
      return found !== undefined && JSON.stringify(JSON.parse(found)) === JSON.stringify({ text: value, more: [value] })
    }),
    runs(100, 1),
  )
  t.pass('in 200 cases')
})

t.test('a value that was cut off is never completed, nor is a part of it taken for the whole', async t => {
  fc.assert(
    fc.property(object, prose, fc.nat(), (value, before, cut) => {
      const text = JSON.stringify(value)
      const answer = `${before}.${text.slice(0, 1 + (cut % (text.length - 1 || 1)))}`
      fc.pre(!isWhole(answer))
      return extractJson(answer).problem !== undefined
    }),
    runs(100),
  )
  for (const broken of [
    '{"a": {"b": 1}, c}',
    '{"a": [1,,]}',
    '{"a": [,]}',
    '{"a": {,}}',
    '{"a":,}',
    "{'a': 1}",
    '{"a": True}',
    '[[{}], x]',
  ])
    t.type(extractJson(broken).problem, 'string', broken)
})

t.test('an answer of a million brackets or quotation marks is read once, not a million times', async t => {
  for (const unit of ['{', '[', '"', '{"', '[1]', '{} ', '\\', '{"a":1,', ' ,', '[ \n', '```'])
    t.type(extractJson(unit.repeat(1_000_000)).problem, 'string', unit)
})

t.test('answers of vendors that were asked for JSON', { skip: recordingsAbsent }, async t => {
  const oracle = await Oracle.start()
  t.teardown(() => oracle.close())
  let speech: readonly GenerationEvent[] = []
  const acme = witness('acme', () => speech)
  const list = listing({ model: 'm', endpoints: [{ provider: 'acme', capabilities: { structuredOutput: 'none' } }] })
  const under = await gateway({ plugins: [acme.plugin, list] })
  t.teardown(under.stop)
  const counts = { checked: 0, againstSchema: 0, repaired: 0, passed: 0 }
  for (const recording of recordings()) {
    const schema = askedFor(recording)
    const reading = schema && (await readingOf(oracle, recording))
    if (!schema || !reading) continue
    const { text, finish, toolCalls } = reading
    speech = eventsOf(reading)
    const format = schema === 'object' ? { type: 'json_object' } : { type: 'json_schema', name: 'asked', schema }
    for (const stream of [false, true]) {
      const reply = await ask(under, { model: 'm', text: { format }, stream })
      t.equal(reply.status, 200, `${recording.path}: ${reply.status === 200 ? '' : reply.error.message}`)
      const answer = said(reply.response)
      const isAnswer = finish === 'stop' && toolCalls.length === 0 && reading.refusal === ''
      if (isAnswer) t.strictSame(JSON.parse(answer), JSON.parse(text.replaceAll(/^\s*```\w*|```\s*$/g, '')), recording.path)
      else t.equal(answer, text + reading.refusal, recording.path)
      if (stream) continue
      counts.checked++
      if (!isAnswer) counts.passed++
      else if (schema !== 'object') counts.againstSchema++
      if (isAnswer && answer !== text) counts.repaired++
    }
  }
  t.comment(
    `${counts.checked} answers, ${counts.againstSchema} against the schema that was asked for; ${counts.repaired} repaired, ${counts.passed} passed as they came`,
  )
  t.ok(counts.checked > 0 && counts.repaired > 0)
})

/** Prose with quotation marks can make a JSON string of all that it surrounds, such as `".{"`. */
function isWhole(answer: string): boolean {
  try {
    JSON.parse(answer)
    return true
  } catch {
    return false
  }
}

function textIn(text: string): string | undefined {
  const found = extractJson(text)
  return found.problem === undefined ? found.text : undefined
}

/** The schema of a recorded request, or `object` where it asked for JSON without one. */
function askedFor(recording: Recording): JsonObject | 'object' | undefined {
  const request = (recordedRequest(recording) ?? {}) as Record<string, Record<string, JsonObject> | undefined>
  const format = (request['response_format'] ??
    request['text']?.['format'] ??
    request['output_config']?.['format'] ??
    request['output_format']) as
    | { readonly type?: string; readonly schema?: JsonObject; readonly json_schema?: { readonly schema?: JsonObject } }
    | undefined
  if (format?.type === 'json_object') return 'object'
  return format?.type === 'json_schema' ? (format.schema ?? format.json_schema?.schema) : undefined
}

async function readingOf(oracle: Oracle, recording: Recording): Promise<OracleReading | undefined> {
  const wire = wireOf(recording.api)
  const reply = recordedReply(recording)
  if (!wire || !reply || recording.status !== 200) return undefined
  return await oracle.read(wire, { status: 200, headers: reply.headers, body: reply.body }, recording.mode === 'stream')
}

/** The same speech as a provider's events. */
function eventsOf({ text, refusal, reasoning, toolCalls, finish }: OracleReading): GenerationEvent[] {
  const calls = toolCalls.flatMap(({ name, arguments: input }, index): GenerationEvent[] => [
    { type: 'tool-call', key: String(index), callId: `call_${index}`, name },
    { type: 'tool-input', key: String(index), text: input },
  ])
  return [
    ...(reasoning ? [{ type: 'reasoning', form: 'full', text: reasoning } as const] : []),
    ...(text.match(/[\s\S]{1,7}/g) ?? []).map(text => ({ type: 'text', text }) as const),
    ...(refusal ? [{ type: 'refusal', text: refusal } as const] : []),
    ...calls,
    { type: 'finish', reason: finish === 'tool-calls' || finish === 'length' ? finish : 'stop' },
  ]
}
