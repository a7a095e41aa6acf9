import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import admin from 'turnpike/plugins/endpoints/admin'
import dashboard from 'turnpike/plugins/endpoints/dashboard'
import localSealer from 'turnpike/plugins/sealers/local'
import memory from 'turnpike/plugins/stores/memory'
import { conformance, testGateway } from 'turnpike/testing'
import cacheUse from '../cache-use.ts'

await conformance(cacheUse({}), { test })

test('the dashboard serves the page', async () => {
  const gateway = await testGateway({
    plugins: [memory({}), localSealer({ masterKey: '0'.repeat(64) }), admin({}), dashboard({}), cacheUse({})],
  })
  const reply = await gateway.gateway.admin!.app.h3.request('/modules/cache-use.js')
  assert.equal(reply.status, 200)
  assert.match(reply.headers.get('content-type')!, /^text\/javascript/)
  assert.equal(await reply.text(), readFileSync(new URL('../page.js', import.meta.url), 'utf8'))
  assert.equal((await gateway.gateway.admin!.app.h3.request('/modules/page.js')).status, 404)
  await gateway.stop()
})
