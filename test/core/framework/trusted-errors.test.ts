import t from 'tap'
import { definePlugin, Guardrails, Providers, Routes, type GenerationEvent } from '../../../core/index.ts'
import { createGateway } from '../../../core/gateway.ts'
import { basics, gateway } from '../../kit/gateway.ts'
import { ask, stop, text } from '../../kit/stage.ts'

// The exceptions of an operator's own plugins, which may quote a prompt.

const words = 'the words of a prompt'

class OddAnswer extends Error {}

const fragile = definePlugin({
  name: 'fragile',
  options: { type: 'object', additionalProperties: false, properties: {} },
  setup(registrar) {
    registrar.add(Providers, {
      id: 'fragile',
      async *generate(): AsyncGenerator<GenerationEvent> {
        readAnswer()
        yield* [text('never'), stop]
      },
    })
    registrar.add(Routes, {
      method: 'GET',
      path: '/v1/fragile',
      auth: 'key',
      handle: () => readAnswer(),
    })
  },
})

function readAnswer(): never {
  throw new OddAnswer(words)
}

const guard = definePlugin({
  name: 'fragile-guard',
  options: { type: 'object', additionalProperties: false, properties: {} },
  setup: registrar =>
    registrar.add(Guardrails, {
      name: 'fragile',
      enforces: [],
      onFailure: 'refuse',
      timeoutMs: 1_000,
      seesContent: 'local',
      open: () => ({ input: readAnswer, decision: readAnswer }),
    }),
})

interface Asked {
  readonly trusted: readonly string[]
  readonly logging: boolean
  readonly logLevel?: 'debug' | 'info'
  readonly showsExceptions?: boolean
}

/** The log line of the error, and all lines. */
async function logged(
  { trusted, logging, logLevel = 'info', showsExceptions = false }: Asked,
  path?: string,
): Promise<readonly [any, string]> {
  const under = await gateway({
    plugins: [fragile({}), ...(path === 'guard' ? [guard({})] : [])],
    settings: { trustedPlugins: trusted, logLevel },
    showsExceptions,
    key: { policy: { logging: { value: logging } } },
  })
  if (path === undefined || path === 'guard') await ask(under, { model: path === 'guard' ? 'sandbox/echo' : 'fragile/one' })
  else await under.request(path)
  await under.stop()
  return [under.logs.map(line => JSON.parse(line)).find(({ level }) => level === 'error'), under.logs.join('')]
}

t.test('a trusted plugin shows message and stack at the level debug, and in tests', async t => {
  for (const asked of [{ logLevel: 'debug' }, { showsExceptions: true }] as const) {
    for (const path of [undefined, '/v1/fragile']) {
      const [line] = await logged({ trusted: ['fragile'], logging: true, ...asked }, path)
      t.match(line, { plugin: 'fragile', error: 'OddAnswer', reason: words, place: /trusted-errors\.test\.ts:\d+:\d+$/ })
      t.match(line.stack[0], /^at readAnswer \(/)
    }
  }
})

t.test('otherwise, the log has the class and the place in the file of the plugin', async t => {
  for (const asked of [
    { trusted: ['fragile'], logging: true, logLevel: 'info' },
    { trusted: [], logging: true, logLevel: 'debug' },
    { trusted: [], logging: true, showsExceptions: true },
  ] as const) {
    const [line, all] = await logged(asked)
    t.match(line, {
      plugin: 'fragile',
      error: 'OddAnswer',
      reason: /^The message may quote content/,
      place: /trusted-errors\.test\.ts:\d+:\d+$/,
    })
    t.notMatch(all, words)
  }
})

t.test('nothing is ever shown of a request whose policy has logging off', async t => {
  for (const path of [undefined, '/v1/fragile', 'guard'])
    for (const logLevel of ['info', 'debug'] as const) {
      const trusted = path === 'guard' ? ['fragile', 'fragile-guard'] : ['fragile']
      const [line, all] = await logged({ trusted, logging: false, logLevel, showsExceptions: true }, path)
      t.match(line, { plugin: path === 'guard' ? 'fragile-guard' : 'fragile', place: /trusted-errors\.test\.ts/ })
      t.notMatch(all, words)
    }
})

t.test('a name that is no plugin stops the start', async t => {
  await t.rejects(createGateway({ plugins: basics(), settings: { trustedPlugins: ['sandbx'] } }), {
    name: 'AssemblyError',
    message: 'server.trustedPlugins names "sandbx", which is not loaded. Did you mean sandbox?',
  })
})
