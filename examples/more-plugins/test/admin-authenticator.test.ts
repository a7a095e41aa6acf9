import assert from 'node:assert/strict'
import { test } from 'node:test'
import admin from 'turnpike/plugins/endpoints/admin'
import localSealer from 'turnpike/plugins/sealers/local'
import memory from 'turnpike/plugins/stores/memory'
import { conformance, testGateway } from 'turnpike/testing'
import adminAuthenticator from '../admin-authenticator.ts'

const secret = 'demo-secret-of-the-proxy'

await conformance(adminAuthenticator({ secret, admins: ['jane@example.com'] }), { test })

test('the proxy lets the people on the list in, and nobody else', async () => {
  const { gateway, stop } = await testGateway({
    plugins: [
      memory({}),
      localSealer({ masterKey: '0'.repeat(64) }),
      admin({}),
      adminAuthenticator({ secret, admins: ['jane@example.com'] }),
    ],
  })
  const statusFor = async (headers: Record<string, string>): Promise<number> =>
    (await gateway.admin!.app.h3.request('/admin/v1/keys', { headers })).status
  const jane = { 'x-acme-user': 'jane@example.com' }
  assert.equal(await statusFor({ ...jane, 'x-acme-secret': secret }), 200)
  assert.equal(await statusFor({ ...jane, 'x-acme-secret': `${secret}!` }), 401)
  assert.equal(await statusFor(jane), 401)
  assert.equal(await statusFor({ 'x-acme-user': 'joe@example.com', 'x-acme-secret': secret }), 401)
  await stop()
})
