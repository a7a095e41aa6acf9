import { mock } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import t from 'tap'
import { ProviderFailure, type GenerationEvent, type Provider, type ProviderCall } from '../../../core/index.ts'
import { answeringSuite } from '../../../core/testing/index.ts'

const text = (text: string): GenerationEvent => ({ type: 'text', text })
const stop: GenerationEvent = { type: 'finish', reason: 'stop' }

async function* says(call: ProviderCall, ...events: readonly GenerationEvent[]): AsyncGenerator<GenerationEvent> {
  for (const event of events) {
    call.signal.throwIfAborted()
    yield event
  }
}

/** The checks that a provider does not pass. A turn of the event loop takes one millisecond. */
async function failing(generate: Provider['generate']): Promise<readonly string[]> {
  const checks: (readonly [name: string, run: () => Promise<void>])[] = []
  const requests = [{ model: 'demo', input: [] }]
  answeringSuite({ test: (name, run) => checks.push([name, run]) }, { provider: { id: 'demo', generate }, requests, stopMs: 20 })
  const failed = new Set<string>()
  mock.timers.enable({ apis: ['setTimeout'] })
  for (const [name, run] of checks) {
    let isOver = false
    const checked = run()
      .catch(() => failed.add(name.replace(/^request 1, (streamed|whole): /, '')))
      .finally(() => (isOver = true))
    for (; !isOver; mock.timers.tick(1)) await nextTurn()
    await checked
  }
  mock.timers.reset()
  return [...failed]
}

const answers = 'answers with legal events and one finish'
const atOnce = 'answers several callers at once'
const before = 'does not start if already aborted'
const stops = 'stops when it is aborted'

t.test('each fault is found by the check that is meant for it', async t => {
  let last = ''
  let running = 0
  const faults: readonly (readonly [string, readonly string[], Provider['generate']])[] = [
    ['none', [], call => says(call, text('Hi'), text('!'), stop)],
    ['no finish', [answers], call => says(call, text('Hi'))],
    ['two finishes', [answers], call => says(call, text('Hi'), stop, stop)],
    ['input to no call', [answers], call => says(call, { type: 'tool-input', key: 'a', text: '{}' }, stop)],
    [
      'a request that is written on',
      [answers, atOnce, before, stops],
      call => {
        ;(call.request as { model: string }).model = 'other'
        return says(call, text('Hi'), stop)
      },
    ],
    [
      'an answer that replies share',
      [atOnce],
      async function* (call) {
        last = String(++running)
        await nextTurn()
        const isAlone = last === String(running) && running === 1
        yield* says(call, text(isAlone ? 'Hi' : last), stop)
        running--
      },
    ],
    [
      'a signal that is not watched',
      [before, stops],
      async function* () {
        yield text('Hi')
        await new Promise(resolve => setTimeout(resolve, 60))
        yield stop
      },
    ],
    [
      'a call that was called off told as a failure',
      [before, stops],
      async function* (call) {
        if (call.signal.aborted) throw new ProviderFailure({ kind: 'network', message: 'aborted' })
        yield text('Hi')
        if (call.signal.aborted) throw new ProviderFailure({ kind: 'network', message: 'aborted' })
        yield stop
      },
    ],
  ]
  for (const [name, expected, generate] of faults) {
    running = 0
    t.strictSame(await failing(generate), expected, name)
  }
})
