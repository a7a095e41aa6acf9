import assert from 'node:assert/strict'
import { AbsentProviders, Providers } from '../../framework/extension-points.ts'
import { onStage, type CallStage, type CallSuiteOptions } from '../call-stage.ts'
import type { SuiteContext } from '../provider-suite.ts'
import { addedTo, onEachPlugin, stageOf } from './on-each-plugin.ts'

/** For `absentProviderSuite`. */
export type AbsentProviderSuiteOptions = CallSuiteOptions

/** Tests for every plugin that names providers which are not loaded. */
export function absentProviderSuite(t: SuiteContext, options: AbsentProviderSuiteOptions): void {
  const test = onEachPlugin(t, options, AbsentProviders)
  test('its remedy is the rest of a sentence, and tells no secret', async ({ id, remedy }) => {
    assert.match(remedy, /^[^\s.][^\n]*[^\s.]$/, `the remedy of ${id} must be the rest of a sentence, without a full stop`)
    assert.doesNotMatch(
      remedy,
      /^(?:To|You|Please|Set|Add|Install)\b/,
      `the remedy of ${id} goes on in the middle of a sentence: begin in lower case`,
    )
    assert.doesNotMatch(remedy, /\b(?:sk|tp|key)[-_][A-Za-z0-9_-]{12,}/, `the remedy of ${id} looks like a secret`)
  })
  test('the provider is not loaded', async ({ id }, stage) => {
    const loaded = stage.entries(Providers).map(({ name }) => name)
    assert.ok(!loaded.includes(id), `${id} is loaded`)
  })
  t.test('a request for it is told the remedy', async () => {
    await using stage = await stageOf(options)
    const absent = addedTo(stage, options, AbsentProviders).slice(0, 5)
    await onStage(options, async (stage: CallStage) => {
      for (const { id, remedy } of absent) {
        const { status, body } = await stage.ask('hello', { model: `${id}/some-model` })
        assert.ok(status >= 400 && status < 500, `status ${status}`)
        const { error } = body as { readonly error: { readonly message: string } }
        assert.ok(error.message.includes(remedy), `expected the remedy in "${error.message}"`)
      }
    })
  })
}
