import t from 'tap'
import { Conversations } from '../../../core/kit.ts'
import { AlertTargets } from '../../../core/admin.ts'
import type { Compactor } from '../../../core/contracts/compactor.ts'
import type { SavedWindow, SavedWindows } from '../../../core/stores.ts'
import type { TokenCounter } from '../../../core/contracts/token-counter.ts'
import type { PluginUse } from '../../../core/framework/plugin.ts'
import { createLogger } from '../../../core/foundation/logger.ts'
import { Masks } from '../../../core/foundation/masks.ts'
import { PluginStage } from '../../../core/testing/plugin-stage.ts'
import { alertTargetsSuite, compactorSuite, conversationsSuite, savedWindowsSuite, tokenCounterSuite } from '../../../core/testing/index.ts'
import { ThreadedTokenCounter } from '../../../core/tokens/threaded-token-counter.ts'
import alertWebhook from '../../../plugins/alerts/webhook/index.ts'
import conversations from '../../../plugins/endpoints/conversations/index.ts'
import localSealer from '../../../plugins/sealers/local/index.ts'
import memory from '../../../plugins/stores/memory/index.ts'
import { FakeClock } from '../../kit/set-up.ts'
import { complaints } from './complaints.ts'

class Windows implements SavedWindows {
  readonly rows = new Map<string, { used: number; endsAt: number }>()
  readonly clock = new FakeClock()

  live(bucket: string): { used: number; endsAt: number } | undefined {
    const row = this.rows.get(bucket)
    return row && row.endsAt > this.clock.now() ? row : undefined
  }

  async read(buckets: readonly string[]): Promise<readonly SavedWindow[]> {
    return buckets.flatMap(bucket => {
      const row = this.live(bucket)
      return row ? [{ bucket, used: row.used, endsInMs: row.endsAt - this.clock.now() }] : []
    })
  }

  async add(changes: readonly SavedWindow[]): Promise<readonly SavedWindow[]> {
    for (const { bucket, used, endsInMs } of changes) {
      const row = this.live(bucket) ?? { used: 0, endsAt: this.clock.now() + endsInMs }
      row.used += used
      this.rows.set(bucket, row)
    }
    return await this.read(changes.map(({ bucket }) => bucket))
  }
}

const windowsOf = (made: () => Windows): Promise<readonly string[]> =>
  complaints(suite =>
    savedWindowsSuite(suite, {
      open() {
        const windows = made()
        return { windows, pass: ms => windows.clock.pass(ms) }
      },
    }),
  )

t.test('the suite of saved windows', async t => {
  t.same(await windowsOf(() => new Windows()), [])
  class Endless extends Windows {
    override live(bucket: string) {
      return this.rows.get(bucket)
    }
  }
  t.same(await windowsOf(() => new Endless()), ['a window ends, and begins anew'])
  class Racing extends Windows {
    override async add(changes: readonly SavedWindow[]) {
      const before = await this.read(changes.map(({ bucket }) => bucket))
      await new Promise(resolve => setImmediate(resolve))
      for (const { bucket } of changes) this.rows.delete(bucket)
      return await super.add(
        changes.map(each => ({ ...each, used: each.used + (before.find(({ bucket }) => bucket === each.bucket)?.used ?? 0) })),
      )
    }
  }
  t.same(await windowsOf(() => new Racing()), ['nothing is lost of additions at once'])
  class Replacing extends Windows {
    override async add(changes: readonly SavedWindow[]) {
      for (const { bucket } of changes) this.rows.delete(bucket)
      return await super.add(changes)
    }
  }
  t.same(await windowsOf(() => new Replacing()), ['additions sum up, and can be given back', 'nothing is lost of additions at once'])
})

const counting = (members: Partial<TokenCounter> = {}): Promise<readonly string[]> =>
  complaints(suite => tokenCounterSuite(suite, { open: () => ({ counter: { ...quarter, ...members } }) }))

/** Four characters are a token. */
const quarter: TokenCounter = {
  async count(texts, { limit = Infinity } = {}) {
    const tokens = texts.reduce((sum, text) => sum + Math.ceil(text.length / 4), 0)
    return { tokens, complete: tokens <= limit }
  },
}

t.test('the suite of token counters', async t => {
  const log = createLogger('silent', new Masks())
  const counter = new ThreadedTokenCounter(log)
  t.same(await complaints(suite => tokenCounterSuite(suite, { open: () => ({ counter }) })), [], 'our own')
  await counter.stop()
  t.same(await counting(), [])
  t.same(await counting({ count: async texts => ({ tokens: Math.ceil(texts.join('').length / 4), complete: true }) }), [
    'stops above the limit',
  ])
  t.ok((await counting({ count: async texts => ({ tokens: texts.length, complete: true }) })).includes('counts the sum of all texts'))
  t.ok(
    (await counting({ count: async texts => ({ tokens: texts.join('').length / 4, complete: true }) })).includes(
      'counts any text, special tokens as ordinary ones',
    ),
  )
  t.ok((await counting({ count: async () => undefined })).includes('keeps counts at once apart'))
})

const compactor: Compactor = {
  isPortable: true,
  maxSummaryTokens: 4_000,
  maxKeptTokens: 0,
  maxParts: 4,
  question: ({ openCalls }) => `Summarize. Open calls: ${JSON.stringify(openCalls)}`,
}
const compacting = (members: Partial<Compactor>): Promise<readonly string[]> =>
  complaints(suite => compactorSuite(suite, { open: () => ({ compactor: { ...compactor, ...members } }) }))

t.test('the suite of compactors', async t => {
  t.same(await compacting({}), [])
  t.same(await compacting({ maxSummaryTokens: 0 }), ['its limits leave room for a summary'])
  t.same(await compacting({ question: () => 'Summarize.' }), ['tells the model of calls that are still open'])
  t.ok((await compacting({ question: ({ openCalls }) => openCalls[0]!.name })).includes('asks for a summary of any part, at once'))
  let asked = 0
  t.ok((await compacting({ question: () => `Summarize: look_up ${++asked}` })).includes('asks for a summary of any part, at once'))
})

/** The plugin with another implementation of its service. */
function wrapped(wrap: (real: Conversations) => Conversations): PluginUse {
  const use = conversations({})
  const { plugin } = use
  return {
    ...use,
    plugin: {
      ...plugin,
      setup: (registrar, options, needs) =>
        plugin.setup(
          {
            ...registrar,
            provide: (service, implementation) =>
              registrar.provide(
                service,
                (service as symbol) === Conversations ? (wrap(implementation as Conversations) as typeof implementation) : implementation,
              ),
          },
          options,
          needs,
        ),
    },
  }
}

const talking = (wrap: (real: Conversations) => Conversations = real => real): Promise<readonly string[]> =>
  complaints(suite =>
    conversationsSuite(suite, {
      plugin: () => wrapped(wrap),
      create: async ({ request }) => ((await (await request('/v1/conversations', { body: {} })).json()) as { readonly id: string }).id,
    }),
  )

t.test('the suite of conversations', async t => {
  t.same(await talking(), [])
  t.ok(
    (await talking(real => ({ open: (...asked) => ({ ...real.open(...asked), keep: () => {} }) }))).includes(
      'a run gets what earlier runs added',
    ),
  )
  t.ok(
    (await talking(real => ({ open: (...asked) => ({ ...real.open(...asked), over: () => {} }) }))).includes(
      'a run that breaks off adds nothing, and frees the conversation',
    ),
  )
  const everybody: Conversations['open'][] = []
  const owners = await talking(real => {
    let first: Parameters<Conversations['open']>[0] | undefined
    const open: Conversations['open'] = (scope, id, use) => real.open((first ??= scope), id, use)
    everybody.push(open)
    return { open }
  })
  t.ok(owners.includes('nobody knows an unknown conversation, or that of another owner'))
})

const targeting = (wrap: (real: AlertTargets) => Partial<AlertTargets> = () => ({})): Promise<readonly string[]> =>
  complaints(suite =>
    alertTargetsSuite(suite, {
      async open() {
        const stage = await PluginStage.open([memory({}), localSealer({ masterKey: 'ab'.repeat(32) }), alertWebhook({})])
        const real = stage.service(AlertTargets)!
        const changed = wrap(real)
        const targets = new Proxy(real, {
          get: (_, name) => {
            const own = (changed as Record<string | symbol, unknown>)[name]
            return own ?? (Reflect.get(real, name) as () => unknown).bind(real)
          },
        })
        return { targets, close: () => stage.close() }
      },
    }),
  )

t.test('the suite of alert targets', async t => {
  t.same(await targeting(), [])
  t.same(
    await targeting(real => ({
      add: async (org, settings) => ({
        ...(await real.add(org, settings)),
        target: { ...(await real.add(org, settings)).target, name: settings.url },
      }),
    })),
    [
      'a target is found as it was added, without its address and secret',
      'organizations do not see one another',
      'pages go on after the last one',
    ],
  )
  t.ok((await targeting(real => ({ page: (_, query) => real.page(undefined, query) }))).includes('organizations do not see one another'))
  t.same(await targeting(() => ({ remove: async () => true })), ['a target is removed once'])
  t.same(await targeting(real => ({ update: async id => await real.find(id) })), ['a change changes its members alone'])
})
