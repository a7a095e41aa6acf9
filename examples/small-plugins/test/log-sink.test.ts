import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import responses from 'turnpike/plugins/endpoints/responses'
import sandbox from 'turnpike/plugins/providers/sandbox'
import localSealer from 'turnpike/plugins/sealers/local'
import memory from 'turnpike/plugins/stores/memory'
import { conformance, testGateway } from 'turnpike/testing'
import logSink from '../log-sink.ts'

const plugins = () => [memory({}), localSealer({ masterKey: '0'.repeat(64) }), responses({})]
const base = [...plugins(), sandbox({})]
const body = { model: 'sandbox/echo', input: 'the launch code' }

const costs = mkdtempSync(join(tmpdir(), 'acme-'))
after(() => rmSync(costs, { recursive: true }))
const file = join(costs, 'costs.jsonl')
await conformance({ plugin: logSink({ file }), inputs: { LogSinks: { written: () => readFileSync(file, 'utf8') } } }, { test })

test('the log sink writes a line for each request', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'acme-costs-'))
  try {
    const gateway = await testGateway({ plugins: [...base, logSink({ file: 'costs.jsonl' })], folder })
    await gateway.request('/v1/responses', { body })
    await gateway.stop()
    const { model, costUsd } = JSON.parse(readFileSync(join(folder, 'costs.jsonl'), 'utf8')) as Record<string, unknown>
    assert.equal(model, 'echo')
    assert.equal(typeof costUsd, 'number')
  } finally {
    rmSync(folder, { recursive: true })
  }
})
