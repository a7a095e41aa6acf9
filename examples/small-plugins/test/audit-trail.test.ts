import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import responses from 'turnpike/plugins/endpoints/responses'
import sandbox from 'turnpike/plugins/providers/sandbox'
import localSealer from 'turnpike/plugins/sealers/local'
import memory from 'turnpike/plugins/stores/memory'
import { auditTrailSuite, testGateway } from 'turnpike/testing'
import auditTrail, { AuditFile } from '../audit-trail.ts'

const plugins = () => [memory({}), localSealer({ masterKey: '0'.repeat(64) }), responses({})]
const base = [...plugins(), sandbox({})]
const body = { model: 'sandbox/echo', input: 'the launch code' }

auditTrailSuite(
  { test },
  {
    open() {
      const folder = mkdtempSync(join(tmpdir(), 'acme-audit-'))
      return { audit: new AuditFile(join(folder, 'audit.jsonl')), close: () => rmSync(folder, { recursive: true }) }
    },
  },
)

test('the audit trail takes the place of the one in memory', async () => {
  const gateway = await testGateway({ plugins: [...base, auditTrail({ file: join(tmpdir(), 'acme-audit.jsonl') })] })
  assert.equal((await gateway.request('/v1/responses', { body })).status, 200)
  await gateway.stop()
})
