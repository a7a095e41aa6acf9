import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { conformance } from 'turnpike/testing'
import alertChannel from '../alert-channel.ts'
import auditTrail from '../audit-trail.ts'
import cache from '../cache.ts'
import guardrail from '../guardrail.ts'
import logSink from '../log-sink.ts'
import policySource from '../policy-source.ts'
import route from '../route.ts'
import tracer from '../tracer.ts'

const folder = mkdtempSync(join(tmpdir(), 'acme-'))
after(() => rmSync(folder, { recursive: true }))
const file = join(folder, 'costs.jsonl')

await conformance(alertChannel({}), { test })
await conformance(auditTrail({ file: 'audit.jsonl' }), { test })
await conformance(cache({}), { test })
await conformance(
  { plugin: guardrail({ words: ['launch code'] }), inputs: { Guardrails: { caught: ['launch code'], passed: ['launch', 'code'] } } },
  { test },
)
await conformance({ plugin: logSink({ file }), inputs: { LogSinks: { written: () => readFileSync(file, 'utf8') } } }, { test })
await conformance(
  {
    plugin: policySource({ unlogged: ['acme'] }),
    inputs: { PolicySources: { examples: [{ key: { org: 'acme' }, policy: { logging: { value: false, enforced: true } } }] } },
  },
  { test },
)
await conformance(route({}), { test })
await conformance(tracer({}), { test })
