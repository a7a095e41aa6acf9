import { checkJsonLimits } from '../core/server/json-limits.ts'
import { parseRequest } from '../plugins/endpoints/responses/parse.ts'

// What a request costs beyond `JSON.parse`: checking its limits, normalizing it, validating it.
// node --conditions=turnpike-source bench/validation.ts

const warmUps = 2
const rounds = 5
const perRound = 400
const targetMs = 0.5
const words = 'The gateway reads what a client sends, once, and says what is wrong with it by its path. '

const shapes: Readonly<Record<string, object>> = {
  '450 messages': { model: 'demo/one', input: times(450, message) },
  '450 short-hand messages': { model: 'demo/one', input: times(450, index => ({ role: roleOf(index), content: prose(190) })) },
  '225 calls, 225 outputs': { model: 'demo/one', input: times(225, callAndOutput).flat(), tools: times(20, tool) },
  'a mixed conversation, 450 items': { model: 'demo/one', input: times(90, turn).flat(), tools: times(20, tool), store: false },
  '10 long texts': { model: 'demo/one', input: times(10, index => ({ role: roleOf(index), content: prose(10_000) })) },
  'a coding agent, 40 kB': codingAgent(),
}

interface Sample {
  readonly limits: number
  readonly parsing: number
  readonly checking: number
}

interface Row {
  readonly shape: string
  readonly kB: number
  readonly 'JSON.parse (ms)': number
  readonly 'ours (ms)': number
  readonly limits: number
  readonly parseRequest: number
}

const texts = Object.entries(shapes).map(([shape, body]) => ({ shape, text: JSON.stringify(body), samples: [] as Sample[] }))

// Every round runs all shapes, because a gateway's code is never warm for a single kind of request.
for (let round = -warmUps; round < rounds; round++) {
  for (const { text, samples } of texts) {
    const sample = measured(text)
    if (round >= 0) samples.push(sample)
  }
}
const rows = texts.map(({ shape, text, samples }) => row(shape, text, samples))
console.table(rows)
const worst = Math.max(...rows.map(row => row['ours (ms)']))
console.log(`Target: at most ${targetMs} ms beyond JSON.parse for 100 kB and 450 items. The most here is ${worst} ms.`)
if (worst > targetMs) process.exitCode = 1

/** Means of one round, in milliseconds. */
function measured(text: string): Sample {
  let [limits, parsing, checking] = [0, 0, 0]
  for (let count = 0; count < perRound; count++) {
    const start = performance.now()
    checkJsonLimits(text)
    const scanned = performance.now()
    const body: unknown = JSON.parse(text)
    const parsed = performance.now()
    parseRequest(body)
    const end = performance.now()
    limits += scanned - start
    parsing += parsed - scanned
    checking += end - parsed
  }
  return { limits: limits / perRound, parsing: parsing / perRound, checking: checking / perRound }
}

function row(shape: string, text: string, samples: readonly Sample[]): Row {
  const limits = median(samples.map(sample => sample.limits))
  const checking = median(samples.map(sample => sample.checking))
  return {
    shape,
    kB: Math.round(text.length / 100) / 10,
    'JSON.parse (ms)': rounded(median(samples.map(sample => sample.parsing))),
    'ours (ms)': rounded(limits + checking),
    limits: rounded(limits),
    parseRequest: rounded(checking),
  }
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1]!
}

function rounded(milliseconds: number): number {
  return Math.round(milliseconds * 1000) / 1000
}

function times<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(index))
}

function prose(characters: number): string {
  return words.repeat(Math.ceil(characters / words.length)).slice(0, characters)
}

function roleOf(index: number): string {
  return index % 2 === 0 ? 'user' : 'assistant'
}

function message(index: number): object {
  const role = roleOf(index)
  const text = prose(110)
  const part = role === 'user' ? { type: 'input_text', text } : { type: 'output_text', text, annotations: [], logprobs: [] }
  return { type: 'message', id: `msg_${index}`, role, status: 'completed', content: [part] }
}

function callAndOutput(index: number): object[] {
  const call_id = `call_${index}`
  return [
    {
      type: 'function_call',
      id: `fc_${index}`,
      call_id,
      name: 'read_file',
      arguments: JSON.stringify({ path: prose(60) }),
      status: 'completed',
    },
    { type: 'function_call_output', id: null, call_id, output: prose(170) },
  ]
}

function turn(index: number): object[] {
  const reasoning = { type: 'reasoning', id: `rs_${index}`, summary: [{ type: 'summary_text', text: prose(80) }], content: null }
  return [message(2 * index), reasoning, ...callAndOutput(index), message(2 * index + 1)]
}

function tool(index: number): object {
  return {
    type: 'function',
    name: `tool_${index}`,
    description: prose(200),
    strict: false,
    parameters: {
      type: 'object',
      properties: { path: { type: 'string', description: prose(60) }, limit: { type: 'integer' } },
      required: ['path'],
      additionalProperties: false,
    },
  }
}

/** Long instructions as a developer message, many tools, a namespace, and members unknown to the protocol. */
function codingAgent(): object {
  return {
    model: 'demo/one',
    stream: true,
    store: false,
    input: [
      { type: 'message', id: 'msg_a', role: 'developer', content: [{ type: 'input_text', text: prose(18_000) }] },
      { type: 'message', id: 'msg_b', role: 'user', content: [{ type: 'input_text', text: prose(2_000) }] },
      ...times(12, turn).flat(),
    ],
    tools: [
      ...times(10, tool),
      { type: 'namespace', name: 'agents', description: prose(80), tools: times(4, tool) },
      { type: 'custom', name: 'apply_patch', format: { type: 'grammar', syntax: 'lark', definition: prose(400) } },
      { type: 'web_search', external_web_access: true },
    ],
    tool_choice: 'auto',
    parallel_tool_calls: true,
    reasoning: { summary: 'auto', effort: null },
    include: ['reasoning.encrypted_content'],
    prompt_cache_key: '0f9b7c1e-0000-4000-8000-000000000000',
    text: { verbosity: 'low' },
    client_metadata: { session: 'demo' },
  }
}
