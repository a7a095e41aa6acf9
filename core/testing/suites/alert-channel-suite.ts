import assert from 'node:assert/strict'
import pTimeout from 'p-timeout'
import { alertKinds, alertSeverities, type Alert, type AlertChannel } from '../../contracts/alert.ts'
import { AlertChannels } from '../../framework/extension-points.ts'
import type { CallSuiteOptions } from '../call-stage.ts'
import { frozen } from '../frozen.ts'
import type { SuiteContext } from '../provider-suite.ts'
import { oddTexts, onEachPlugin } from './on-each-plugin.ts'

/** For `alertChannelSuite`. */
export interface AlertChannelSuiteOptions extends CallSuiteOptions {
  /** All that has arrived so far from the plugin made last, as text. Without it, nothing tests that alerts arrive. */
  received?(): string | Promise<string>
  /** The plugin with targets that cannot be reached. Without it, nothing tests that failures are told. Leave it out for a channel that keeps alerts first. */
  unreachable?(): ReturnType<CallSuiteOptions['plugin']>
  /** How quickly it must stop after an abort. Default: 1000. */
  readonly stopMs?: number
}

/** Tests for every alert channel. */
export function alertChannelSuite(t: SuiteContext, options: AlertChannelSuiteOptions): void {
  const test = onEachPlugin(t, options, AlertChannels)
  test('delivers alerts of every kind, and changes none', async channel => deliversAll(channel, options))
  test('delivers any text', async channel => {
    for (const [index, text] of oddTexts.entries())
      await deliver(channel, { id: `alert_odd${index}`, title: text.slice(0, 200), message: text.slice(0, 1_000), facts: { text } })
  })
  test('may get an alert twice, and several at once', async channel => {
    for (const _ of [1, 2]) await deliver(channel, { id: 'alert_twice' })
    await Promise.all(Array.from({ length: 20 }, (_, index) => deliver(channel, { id: `alert_once${index}` })))
  })
  test('stops when it is aborted', async channel => stops(channel, options))
  const { unreachable } = options
  if (unreachable)
    onEachPlugin(
      t,
      { ...options, plugin: unreachable },
      AlertChannels,
    )('tells by a throw that nothing arrived', async channel => {
      await assert.rejects(
        deliver(channel, { id: 'alert_lost' }),
        'an alert that may not have arrived must be a throw, so that it comes again',
      )
    })
}

function alertOf(members: Partial<Alert>): Alert {
  return frozen({
    id: 'alert_demo',
    at: Date.UTC(2026, 0, 1),
    kind: 'provider',
    subject: 'provider:acme',
    org: null,
    severity: 'warning',
    title: 'Provider acme is down',
    message: 'All requests to acme fail.',
    facts: { provider: 'acme', since: '2026-01-01T00:00:00.000Z' },
    resolves: null,
    ...members,
  })
}

async function deliver(channel: AlertChannel, members: Partial<Alert>, signal = new AbortController().signal): Promise<void> {
  const delivering: unknown = channel.deliver(alertOf(members), members.org === 'silenced' ? 'operators' : 'all', signal)
  assert.equal(typeof (delivering as Promise<void> | undefined)?.then, 'function', '`deliver` must return a promise, or failures are lost')
  await (delivering as Promise<void>)
}

async function deliversAll(channel: AlertChannel, { received }: AlertChannelSuiteOptions): Promise<void> {
  for (const kind of alertKinds)
    for (const [index, severity] of alertSeverities.entries())
      await deliver(channel, {
        id: `alert_${kind}_${severity}`,
        kind,
        severity,
        org: [null, 'acme', 'silenced'][index]!,
        title: `Title of ${kind} ${severity}`,
        facts: { nested: { list: [1, 'two', null] } },
        resolves: index === 0 ? 'alert_earlier' : null,
      })
  if (!received) return
  const all = await received()
  for (const kind of alertKinds)
    assert.ok(all.includes(`Title of ${kind} critical`) || all.includes(`Title of ${kind} info`), `no alert of the kind ${kind} arrived`)
}

async function stops(channel: AlertChannel, { stopMs = 1_000 }: AlertChannelSuiteOptions): Promise<void> {
  for (const isEarly of [true, false]) {
    const controller = new AbortController()
    if (isEarly) controller.abort(new Error('the gateway stops'))
    const delivering = deliver(channel, { id: `alert_aborted_${isEarly}` }, controller.signal).then(
      () => undefined,
      () => undefined,
    )
    controller.abort(new Error('the gateway stops'))
    await pTimeout(delivering, { milliseconds: stopMs, message: `it did not stop within ${stopMs} ms` })
  }
}
