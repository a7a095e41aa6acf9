import assert from 'node:assert/strict'
import { test } from 'node:test'
import admin from 'turnpike/plugins/endpoints/admin'
import localSealer from 'turnpike/plugins/sealers/local'
import memory from 'turnpike/plugins/stores/memory'
import { conformance, testGateway } from 'turnpike/testing'
import adminRoute from '../admin-route.ts'

await conformance(adminRoute({}), { test })

test('admins see the load, and nobody else does', async () => {
  const { gateway, stop } = await testGateway({
    plugins: [memory({}), localSealer({ masterKey: '0'.repeat(64) }), admin({}), adminRoute({})],
  })
  const { app, localToken } = gateway.admin!
  const ask = (headers: Record<string, string>) => app.h3.request('/admin/v1/busy', { headers })
  const reply = await ask({ authorization: `Bearer ${localToken}` })
  assert.equal(reply.status, 200)
  assert.equal(((await reply.json()) as { readonly processes: number }).processes, 1)
  assert.equal((await ask({})).status, 401)
  await stop()
})
