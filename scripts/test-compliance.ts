// Runs the compliance suite of Open Responses against a gateway with the sandbox and scripted vendors: `npm run test:compliance`. Gets the
// suite from its repository, or from the checkout in TURNPIKE_OPENRESPONSES. Installs into a temporary folder, or into the one in
// TURNPIKE_CLIENTS to keep it.

import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Stage } from './clients/stage.ts'
import { Suite } from './compliance/suite.ts'

const models = ['by-responses/plain', 'by-messages/plain', 'by-chat/plain', 'by-gemini/plain', 'by-converse/plain', 'sandbox/tools']
/** So that a suite that lost its tests does not pass. */
const least = 17

const scratch = await mkdtemp(join(tmpdir(), 'turnpike-compliance-'))
const folder = process.env['TURNPIKE_CLIENTS'] ?? scratch
await mkdir(folder, { recursive: true })
const stage = await Stage.open()
let failed = 0

try {
  const suite = await Suite.install(folder, process.env['TURNPIKE_OPENRESPONSES'])
  for (const model of models) {
    const outcomes = await suite.run(`${stage.url}/v1`, stage.apiKey, model)
    const passed = outcomes.filter(({ status }) => status === 'passed').length
    console.log(`${passed === outcomes.length && passed >= least ? 'ok' : 'not ok'} - ${model}: ${passed} of ${outcomes.length}`)
    for (const { id, status, errors = [] } of outcomes)
      if (status !== 'passed') console.log(`  ${id} ${status}: ${errors.join('; ').slice(0, 500)}`)
    if (passed < outcomes.length || passed < least) failed++
  }
} finally {
  await stage.close()
  await rm(scratch, { recursive: true, force: true })
}
console.log(`\n${models.length - failed} passed, ${failed} failed`)
process.exitCode = failed > 0 ? 1 : 0
