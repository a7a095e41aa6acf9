import t from 'tap'
import { ProviderFailure, type GenerationEvent } from '../../../core/index.ts'
import { failureKindOfStatus, type Decoder, type ProviderAdapter } from '../../../core/kit.ts'
import { providerSuite, sseFrame, type ProviderSuiteOptions } from '../../../core/testing/index.ts'

const usage = { uncachedInput: 3, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, output: 2, reasoning: 0 }
const events: readonly GenerationEvent[] = [
  { type: 'text', text: 'Grüß' },
  { type: 'text', text: ' Gott 🙂' },
  { type: 'finish', reason: 'stop' },
  { type: 'usage', usage },
]

/** A dialect of texts, an end, and usage after it. */
const adapter: ProviderAdapter = {
  framing: 'sse',
  prepare: ({ request }) => ({
    method: 'POST',
    url: 'https://api.example.com/say',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: request.model, stream: request.stream }),
  }),
  decoder: () => ({
    frame(data, _event, emit) {
      const said = JSON.parse(data) as { text?: string; end?: string; usage?: typeof usage; error?: string }
      if (said.error) throw new ProviderFailure({ kind: 'overloaded', message: said.error })
      if (said.text) emit({ type: 'text', text: said.text })
      if (said.end) emit({ type: 'finish', reason: 'stop' })
      if (said.usage) emit({ type: 'usage', usage: said.usage })
    },
  }),
  reply(body, emit) {
    const { text, error } = body as { text: string; error?: unknown }
    if (typeof error === 'string') throw new ProviderFailure({ kind: 'overloaded', message: error })
    if (!text) throw new ProviderFailure({ kind: 'protocol', message: 'The provider answered with something else.' })
    emit({ type: 'text', text })
    emit({ type: 'finish', reason: 'stop' })
  },
  failure: (status, headers) =>
    new ProviderFailure({
      kind: failureKindOfStatus(status),
      message: `The provider answered with status ${status}.`,
      status,
      retryAfterMs: headers['retry-after'] === undefined ? undefined : Number(headers['retry-after']) * 1000,
    }),
}

const suite = {
  secrets: ['sk-demo-secret'],
  examples: [
    {
      name: 'a greeting',
      request: { model: 'demo-1', input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hi' }] }] },
      sent: { model: 'demo-1', stream: true },
      stream: { body: [{ text: 'Grüß' }, { text: ' Gott 🙂' }, { end: 'stop' }, { usage }].map(data => sseFrame(data)).join(''), events },
      reply: {
        body: { text: 'Hi' },
        events: [
          { type: 'text', text: 'Hi' },
          { type: 'finish', reason: 'stop' },
        ],
      },
      billed: { input: 3, output: 2 },
    },
  ],
  failuresInside: [
    {
      name: 'inside',
      kind: 'overloaded',
      stream: {
        body: [{ text: 'Hm' }, { error: 'Too busy.' }].map(data => sseFrame(data)).join(''),
        events: [{ type: 'text', text: 'Hm' }],
      },
      reply: { body: { error: 'Too busy.' } },
    },
  ],
} as const satisfies Omit<ProviderSuiteOptions, 'adapter'>

/** The names of the checks that an adapter does not pass. */
async function failing(changes: Partial<ProviderAdapter>, options: Partial<ProviderSuiteOptions> = {}): Promise<string[]> {
  const failed: string[] = []
  const checks: (readonly [name: string, run: () => Promise<void>])[] = []
  const test = (name: string, run: () => Promise<void>) => checks.push([name, run])
  providerSuite({ test }, { ...suite, ...options, adapter: { ...adapter, ...changes } })
  for (const [name, run] of checks) await run().catch(() => void failed.push(name))
  return failed
}

/** The adapter's decoder, with another way to take a frame or the end. */
const decoder = (changed: (decoder: Decoder) => Partial<Decoder>): Partial<ProviderAdapter> => ({
  decoder(call) {
    const original = adapter.decoder(call)
    return { frame: original.frame, ...changed(original) }
  },
})

t.test('an adapter that keeps to the contract passes', async t => {
  providerSuite(t, { ...suite, adapter })
})

t.test('each fault is found by the check that is meant for it', async t => {
  let calls = 0
  let frames = 0
  const text = (data: string): boolean => data.includes('text')
  const faults: readonly (readonly [string, string[], Partial<ProviderAdapter>, Partial<ProviderSuiteOptions>?])[] = [
    ['none', [], {}],
    [
      'a request that differs each time',
      ['prepares'],
      { prepare: call => ({ ...adapter.prepare(call), url: `https://example.com/${calls++}` }) },
    ],
    [
      'a request that is changed',
      [
        'prepares',
        'decodes the same',
        'decodes several',
        'does not treat other bytes',
        'ends with',
        'skips',
        'reads',
        'does not treat other JSON',
        'inside: fails inside a stream',
        'inside: fails inside a reply',
      ],
      {
        prepare(call) {
          ;(call.request as { store?: boolean }).store = false
          return adapter.prepare(call)
        },
      },
    ],
    [
      'a credential in prepare',
      ['prepares'],
      { prepare: call => ({ ...adapter.prepare(call), headers: { authorization: 'Bearer sk-demo-secret' } }) },
    ],
    [
      'a header that the options cannot override',
      ['prepares'],
      { prepare: call => ({ ...adapter.prepare(call), headers: { Accept: '*/*' } }) },
    ],
    ['an address that cannot be asked', ['prepares'], { prepare: call => ({ ...adapter.prepare(call), url: 'file:///say' }) }],
    [
      'state that replies share',
      ['decodes several'],
      decoder(({ frame }) => {
        frames = 0
        return {
          frame(data, event, emit) {
            if (!text(data) || ++frames === 1) frame(data, event, emit)
            else frame(data.replace('"text":"Grüß"', '"text":"Gruss"'), event, emit)
          },
        }
      }),
    ],
    ['counts that overlap', ['decodes the same'], {}, { examples: [{ ...suite.examples[0], billed: { input: 2, output: 2 } }] }],
    [
      'an error inside that is passed over',
      ['inside: fails inside a stream'],
      decoder(({ frame }) => ({
        frame(data, event, emit) {
          if (data.includes('error')) emit({ type: 'finish', reason: 'stop' })
          else frame(data, event, emit)
        },
      })),
    ],
    [
      'an error inside of another kind',
      ['inside'],
      {},
      { failuresInside: [{ name: 'inside', kind: 'quota', reply: { body: { error: 'Too busy.' } } }] },
    ],
    [
      'a reply with a new member',
      ['reads'],
      {
        reply(body, emit, call) {
          if (Object.keys(body ?? {}).length > 1) throw new Error('what is this?')
          adapter.reply(body, emit, call)
        },
      },
    ],
    [
      'a decoder that ends a cut stream well',
      ['never treats', 'does not treat other bytes'],
      decoder(() => ({ end: emit => emit({ type: 'finish', reason: 'stop' }) })),
    ],
    [
      'a finish that waits for the end of the body',
      ['ends with'],
      decoder(({ frame }) => {
        let finish: GenerationEvent | undefined
        let counts: GenerationEvent | undefined
        return {
          frame(data, event, emit) {
            frame(data, event, said => {
              if (said.type === 'finish') finish = said
              else if (said.type === 'usage') counts = said
              else emit(said)
            })
          },
          end(emit) {
            if (finish) emit(finish)
            if (finish && counts) emit(counts)
          },
        }
      }),
    ],
    [
      'a finish that comes too early',
      [
        'decodes the same',
        'decodes several',
        'never treats',
        'does not treat other bytes',
        'ends with',
        'skips',
        'inside: fails inside a stream',
      ],
      decoder(({ frame }) => ({
        frame(data, event, emit) {
          if (text(data)) emit({ type: 'finish', reason: 'stop' })
          frame(data, event, emit)
        },
      })),
    ],
    [
      'a decoder that stumbles over the unknown',
      ['skips'],
      decoder(({ frame }) => ({
        frame(data, event, emit) {
          if (data.includes('unknown')) throw new Error('what is this?')
          frame(data, event, emit)
        },
      })),
    ],
    [
      'bytes that are cut inside a character',
      ['decodes the same', 'decodes several', 'inside: fails inside a stream'],
      { framing: () => ({ feed: (bytes, push) => split(Buffer.from(bytes).toString(), push) }) },
    ],
    [
      'a reply that is taken for one whatever it says',
      ['does not treat other JSON', 'does not treat other bytes', 'inside: fails inside a reply'],
      {
        reply: (body, emit) => {
          emit({ type: 'text', text: String((body as { text?: string } | null)?.text) })
          emit({ type: 'finish', reason: 'stop' })
        },
      },
    ],
    ['a failure that throws', ['classifies'], { failure: (status, headers, body) => adapter.failure(status, headers, JSON.parse(body)) }],
    ['a failure of the wrong kind', ['classifies'], { failure: status => new ProviderFailure({ kind: 'protocol', message: 'x', status }) }],
    ['a failure that waits for nothing', ['classifies'], { failure: status => adapter.failure(status, {}, '') }],
    [
      'a failure that tells the key',
      ['classifies'],
      {
        failure: (status, headers, body) => Object.assign(adapter.failure(status, headers, body), { message: 'Wrong key: sk-demo-secret' }),
      },
    ],
    ['an example that expects another failure', ['classifies'], {}, { failures: [{ status: 400, body: '{}', kind: 'context-length' }] }],
  ]
  for (const [name, expected, changes, options] of faults) {
    const failed = await failing(changes, options)
    t.same(
      failed.map(check => expected.find(start => check.replace('a greeting: ', '').startsWith(start)) ?? check).sort(),
      expected.toSorted(),
      name,
    )
  }
})

/** Frames from a reader that forgets unfinished ones. */
function split(text: string, push: (data: string) => void): void {
  for (const frame of text.split('\n\n')) if (frame.startsWith('data: ')) push(frame.slice(6))
}
