import t from 'tap'
import { CallObservers, CallWrappers, type CallObserver, type CallWrapper, type GenerationEvent } from '../../../core/index.ts'
import { callObserverSuite, callWrapperSuite } from '../../../core/testing/index.ts'
import responses from '../../../plugins/endpoints/responses/index.ts'
import localSealer from '../../../plugins/sealers/local/index.ts'
import memory from '../../../plugins/stores/memory/index.ts'
import { adding } from '../../kit/stage.ts'

const plugins = () => [memory({}), localSealer({ masterKey: 'ab'.repeat(32) }), responses({})]

type Suite = typeof callWrapperSuite

/** The names of the tests of a suite that a plugin fails. */
async function complaints(suite: Suite, plugin: Parameters<Suite>[1]['plugin']): Promise<readonly string[]> {
  const checks: (readonly [name: string, run: () => Promise<void>])[] = []
  suite({ test: (name, run) => checks.push([name, run]) }, { plugin, plugins })
  const found: string[] = []
  for (const [name, run] of checks) await run().catch(() => found.push(name))
  return found
}

function wrapper(more: Partial<CallWrapper>) {
  return adding<CallWrapper>(CallWrappers, { name: 'demo', seesContent: 'local', keepsContent: true, timeoutMs: 60_000, ...more })
}

/** A cache, with what a test makes of it. */
function cache(more: { shares?: boolean; keepsEarly?: boolean; reads?: 'all' | 'input' | 'nothing' } & Partial<CallWrapper> = {}) {
  const { shares = false, keepsEarly = false, reads = 'all', ...members } = more
  const answers = new Map<string, readonly GenerationEvent[]>()
  return wrapper({
    generation({ request: { stream: _, ...request } }, { caller }) {
      const { model, input } = request
      const key = JSON.stringify([shares ? '' : caller.owner, reads === 'all' ? request : reads === 'input' ? [model, input] : ''])
      const answer = answers.get(key)
      if (answer)
        return { answer: keepsEarly ? [...answer.filter(({ type }) => type !== 'finish'), { type: 'finish', reason: 'stop' }] : answer }
      const events: GenerationEvent[] = []
      return {
        write(event) {
          events.push(event)
          if (keepsEarly) answers.set(key, events)
        },
        end: () => void answers.set(key, events),
      }
    },
    ...members,
  })
}

t.test('the suite accepts a cache that keeps its contract, and a wrapper that always answers', async t => {
  t.same(await complaints(callWrapperSuite, () => cache()), [])
  t.same(
    await complaints(callWrapperSuite, () =>
      wrapper({
        generation: () => ({
          answer: [
            { type: 'text', text: 'No.' },
            { type: 'finish', reason: 'stop' },
          ],
        }),
      }),
    ),
    [],
  )
})

t.test('the suite notices a cache that shares, keeps too early, or does not say that it keeps', async t => {
  t.same(await complaints(callWrapperSuite, () => cache({ shares: true })), ['answers of one owner are not given to another'])
  t.same(await complaints(callWrapperSuite, () => cache({ keepsEarly: true })), [
    'the first part of an answer that breaks off is never given as a whole one',
    'the first part of an answer that its client left is never given as a whole one',
  ])
  t.same(await complaints(callWrapperSuite, () => cache({ keepsContent: false })), ['nothing is kept of callers without logging'])
})

t.test('the suite notices a cache that gives an answer to another request', async t => {
  for (const reads of ['input', 'nothing'] as const)
    t.match(await complaints(callWrapperSuite, () => cache({ reads })), ['an answer is not given to another request'])
})

t.test('the suite notices a wrapper that throws', async t => {
  const found = await complaints(callWrapperSuite, () =>
    wrapper({
      keepsContent: false,
      generation: () => {
        throw new Error('broken')
      },
    }),
  )
  t.equal(found.length, 8)
})

t.test('the suite accepts an observer that works, and notices one that throws or returns a promise', async t => {
  const observer = (begin: CallObserver['begin']) => adding<CallObserver>(CallObservers, { name: 'demo', begin })
  t.same(await complaints(callObserverSuite, () => observer(() => ({ attempt: () => () => {}, end: () => {} }))), [])
  const broken = (): never => {
    throw new Error('broken')
  }
  t.equal((await complaints(callObserverSuite, () => observer(broken))).length, 7)
  t.equal((await complaints(callObserverSuite, () => observer(() => ({ end: async () => {} })))).length, 7)
})
