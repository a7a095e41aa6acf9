import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import sandbox from 'turnpike/plugins/providers/sandbox'
import localSealer from 'turnpike/plugins/sealers/local'
import memory from 'turnpike/plugins/stores/memory'
import { conformance, testGateway } from 'turnpike/testing'
import surface from '../surface.ts'

await conformance(surface({ folder: 'inbox', everyMs: 5 }), { test })

test('a question in the folder gets its answer, and one with a wrong key an error', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'acme-inbox-'))
  const gateway = await testGateway({
    plugins: [memory({}), localSealer({ masterKey: '0'.repeat(64) }), sandbox({}), surface({ folder, everyMs: 5 })],
  })
  try {
    const ask = (name: string, apiKey: string): void =>
      writeFileSync(join(folder, `${name}.json`), JSON.stringify({ apiKey, model: 'sandbox/echo', text: 'Hello' }))
    const answerTo = async (name: string): Promise<unknown> => {
      while (readdirSync(folder).includes(`${name}.json`)) await sleep(5)
      return JSON.parse(readFileSync(join(folder, `${name}.answer.json`), 'utf8'))
    }
    ask('one', gateway.apiKey)
    assert.deepEqual(await answerTo('one'), { text: 'Hello' })
    ask('two', 'tp_demo_wrong')
    assert.match(JSON.stringify(await answerTo('two')), /"error":/)
  } finally {
    await gateway.stop()
    rmSync(folder, { recursive: true })
  }
})
