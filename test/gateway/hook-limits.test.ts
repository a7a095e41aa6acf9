import { readFileSync } from 'node:fs'
import t from 'tap'
import {
  PolicySources,
  type GuardVerdict,
  type ItemVerdict,
  type PolicyLayer,
  type ToolFunction,
  type ToolResult,
} from '../../core/index.ts'
import type { DecisionReply } from '../../core/kit.ts'
import type { PluginUse } from '../../core/framework/plugin.ts'
import type { TestGateway } from '../../core/testing/index.ts'
import decisions from '../../plugins/endpoints/decisions/index.ts'
import { adminGateway } from '../kit/admin-gateway.ts'
import { anyAnswers, decide, deciding } from '../kit/decision-stage.ts'
import { gateway, saying, hello } from '../kit/gateway.ts'
import { adding, ask, guarding, stop, text, witness } from '../kit/stage.ts'
import { later, never, throwing, twice, unhandledDuring, unreadable } from '../kit/thenables.ts'
import { calling, lookup, outputsIn, toCall } from '../kit/tool-stage.ts'

// Every hook with a time limit, and the values that it may return instead of a promise.

const timeoutMs = 30

interface Hook {
  readonly good: unknown
  /** The plugin with the hook. */
  readonly plugin: (run: () => never) => PluginUse
  /** The status of a request that the hook takes part in, or what stands for it. */
  readonly status: (under: TestGateway) => Promise<unknown>
  readonly passes: unknown
  readonly fails: unknown
  readonly failsLate?: unknown
}

const generate = async (under: TestGateway): Promise<unknown> => (await ask(under, { model: 'acme/m' })).status
const acme = saying('acme', hello)
const isOver: { outputs: readonly string[] } = { outputs: [] }
const tools = [{ type: 'lookup' }]
const caller = witness('calls', call => {
  isOver.outputs = outputsIn(call)
  return isOver.outputs.length === 0 ? [...calling('lookup', { word: 'a' }), toCall] : [text('done'), stop]
})
const functions: readonly ToolFunction[] = [{ name: 'lookup', description: '', parameters: { type: 'object', properties: {} } }]

const hooks: Readonly<Record<string, Hook>> = {
  'PolicySource.policy': {
    good: { logging: { value: true, enforced: true } } satisfies PolicyLayer,
    plugin: run => adding(PolicySources, { level: 'org', timeoutMs, policy: run }),
    status: generate,
    passes: 200,
    fails: 503,
  },
  'Guardrail.input': {
    good: { pass: true } satisfies GuardVerdict,
    plugin: run => guarding({ input: run }, { timeoutMs }),
    status: generate,
    passes: 200,
    fails: 503,
  },
  'Guardrail.item': {
    good: { pass: true } satisfies ItemVerdict,
    plugin: run => guarding({ item: run }, { timeoutMs }),
    status: generate,
    passes: 200,
    fails: 503,
  },
  'Guardrail.decision': {
    good: { pass: true } satisfies GuardVerdict,
    plugin: run => guarding({ decision: run }, { timeoutMs }),
    status: async under => (await decide(under)).status,
    passes: 200,
    fails: 503,
  },
  'Tool.functions': {
    good: functions,
    plugin: run => lookup(undefined, { timeoutMs, open: () => ({ functions: run, run: async () => ({ output: 'x' }) }) }).plugin,
    status: async under => (await ask(under, { model: 'acme/m', tools })).status,
    passes: 200,
    fails: 502,
  },
  'Tool.run': {
    good: { output: 'found it' } satisfies ToolResult,
    plugin: run => lookup(undefined, { timeoutMs, open: () => ({ functions: () => functions, run }) }).plugin,
    async status(under) {
      await ask(under, { model: 'calls/m', tools })
      return isOver.outputs.some(output => output.includes('found it'))
    },
    passes: true,
    fails: false,
  },
  'DecisionClient.decide': {
    good: { model: 'slow-1', answers: anyAnswers({ q: { type: 'noul', instructions: 'Is it?' } }) } as unknown as DecisionReply,
    plugin: run =>
      deciding('slow', undefined, { timeoutMs, resolve: model => (model === 'slow-1' ? model : undefined), decide: run }, [
        { model: 'slow-1', endpoints: [{ provider: 'slow', kind: 'decision', upstreamModel: 'slow-1' }] },
      ]).plugin,
    status: async under =>
      (await decide(under, { model: 'slow-1', state: 'x', questions: { q: { type: 'noul', instructions: 'Is it?' } } } as never)).status,
    passes: 200,
    fails: 424,
    failsLate: 504,
  },
}

for (const [name, { good, plugin, status, passes, fails, failsLate = fails }] of Object.entries(hooks))
  t.test(`${name} may return any kind of promise, and is not waited for beyond its limit`, async t => {
    const late = Promise.withResolvers<never>()
    const behaviors: readonly (readonly [string, () => unknown, unknown])[] = [
      ['a promise of another kind', () => later(good), passes],
      ['one that settles twice', () => twice(good, undefined), passes],
      ['one that throws', () => throwing(new Error('boom')), fails],
      ['one that cannot be read', () => unreadable(new Error('boom')), fails],
      ['one that never settles', () => never(), failsLate],
      ['one that rejects when the time is over', () => late.promise, failsLate],
    ]
    for (const [behavior, run, expected] of behaviors) {
      const under = await gateway({
        plugins: [acme, caller.plugin, decisions({}), deciding('other').plugin, plugin(run as () => never)],
        key: {},
      })
      t.teardown(under.stop)
      const unhandled = await unhandledDuring(async () => {
        t.equal(await status(under), expected, behavior)
        if (behavior.includes('time is over')) late.reject(new Error('too late'))
      })
      t.same(unhandled, [], behavior)
    }
  })

t.test('Guardrail.settingsProblem may return any kind of promise, and is not waited for beyond its limit', async t => {
  const late = Promise.withResolvers<never>()
  for (const [run, status] of [
    [() => later(undefined), 201],
    [() => twice(undefined, { path: '', message: 'No.' } as never), 201],
    [() => later({ path: '', message: 'No.' }), 400],
    [() => throwing(new Error('boom')), 500],
    [() => never(), 500],
    [() => late.promise, 500],
  ] as const) {
    const guard = guarding(undefined, { enforces: ['redaction'], timeoutMs, settingsProblem: run as never })
    const under = await adminGateway({ plugins: [guard] })
    t.teardown(under.stop)
    const unhandled = await unhandledDuring(async () => {
      const body = { name: 'k', policy: { redaction: { value: true, settings: {} } } }
      t.equal((await under.call('POST', '/keys', body)).status, status)
      if (run() === late.promise) late.reject(new Error('too late'))
    })
    t.same(unhandled, [])
  }
})

t.test('the documentation names the limit of each of them', async t => {
  const page = readFileSync(new URL('../../docs/plugins.md', import.meta.url), 'utf8')
  const table = page.slice(page.indexOf('### Time limits'), page.indexOf('### What a plugin throws'))
  for (const name of [...Object.keys(hooks), 'Guardrail.settingsProblem']) {
    const [contract, hook] = name.split('.') as [string, string]
    t.match(table, new RegExp(`\\| \`${contract}\` \\|.*\`${hook}\``), name)
  }
})
