import assert from 'node:assert/strict'
import { callFor, type ProviderExample, type ProviderSuiteOptions } from './suite-example.ts'

/** The prepared request is the same each time, complete, and free of secrets. */
export async function prepares(options: ProviderSuiteOptions, example: ProviderExample): Promise<void> {
  for (const stream of [true, false]) {
    const call = callFor(options, example, stream)
    const first = options.adapter.prepare(call)
    assert.deepEqual(options.adapter.prepare(call), first, 'prepare must return the same request again')
    for (const secret of options.secrets ?? [])
      assert.ok(!JSON.stringify(first).includes(secret), 'prepare must not put a secret into the request')
    assert.match(new URL(first.url).protocol, /^https?:$/, `${first.url} must be an http or https URL`)
    for (const [name, value] of Object.entries(first.headers)) {
      assert.equal(name, name.toLowerCase(), 'header names must be lowercase, so that options can override them')
      assert.doesNotMatch(value, /[\r\n]/, `the header ${name} must not contain a line break`)
    }
    if (example.sent !== undefined && stream === Boolean(example.stream)) assert.deepEqual(JSON.parse(String(first.body)), example.sent)
  }
}
