import assert from 'node:assert/strict'
import { callFor, type ProviderExample, type ProviderSuiteOptions } from './suite-example.ts'

/** What is sent: the same each time, complete, and without a secret. */
export async function prepares(options: ProviderSuiteOptions, example: ProviderExample): Promise<void> {
  for (const stream of [true, false]) {
    const call = callFor(options, example, stream)
    const first = options.adapter.prepare(call)
    assert.deepEqual(options.adapter.prepare(call), first, 'prepare makes another request the second time')
    for (const secret of options.secrets ?? []) assert.ok(!JSON.stringify(first).includes(secret), 'prepare puts a secret into the request')
    assert.match(new URL(first.url).protocol, /^https?:$/, `${first.url} is no address that can be asked`)
    for (const [name, value] of Object.entries(first.headers)) {
      assert.equal(name, name.toLowerCase(), 'the names of headers are to be lower-case, so that the options can override them')
      assert.doesNotMatch(value, /[\r\n]/, `the header ${name} breaks the line`)
    }
    if (example.sent !== undefined && stream === Boolean(example.stream)) assert.deepEqual(JSON.parse(String(first.body)), example.sent)
  }
}
