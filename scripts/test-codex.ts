// Runs Codex against a gateway with the sandbox: `npm run test:codex`. Installs 404 MB into a temporary folder and removes it afterwards.
// Set TURNPIKE_CODEX to a folder where Codex is already installed.

import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ProviderFailure } from '../core/index.ts'
import { listeningGateway, scripted } from '../test/kit/gateway.ts'
import { Codex, installCodex } from './codex/codex.ts'
import { scriptedModel } from './codex/scripted-model.ts'

const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=='
const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'], additionalProperties: false }

const scratch = await mkdtemp(join(tmpdir(), 'turnpike-codex-'))
let callsWhileDown = 0
const down = scripted('down', () => {
  callsWhileDown++
  throw new ProviderFailure({ kind: 'unavailable', message: 'Gone for lunch.' })
})
const under = await listeningGateway({ plugins: [scriptedModel, down] })
let passed = 0
let failed = 0

function check(what: string, holds: boolean, seen: unknown): void {
  if (holds) passed++
  else failed++
  console.log(`${holds ? 'ok' : 'not ok'} - ${what}`)
  if (!holds) console.log(`  ${JSON.stringify(seen)}`)
}

try {
  const command = await installCodex(process.env['TURNPIKE_CODEX'] ?? scratch)
  const codex = await Codex.configure({ command, home: join(scratch, 'home'), baseUrl: `${under.url}/v1`, apiKey: under.apiKey })

  const hello = await codex.turn('sandbox/echo', ['say hi'])
  check('a text turn', hello.exitCode === 0 && hello.said.at(-1) === 'say hi', hello)
  check('has usage', (hello.usage?.['input_tokens'] ?? 0) > 0 && (hello.usage?.['output_tokens'] ?? 0) > 0, hello)

  for (const model of ['scripted/unknown', 'gpt-5.5']) {
    const tool = await codex.turn(model, ['Use exec_command'])
    check(`a tool round trip with ${model}`, /ran by the gateway's word/.test(tool.said.at(-1) ?? ''), tool)
    check(
      'runs the command',
      tool.items.some(({ type }) => type === 'command_execution'),
      tool,
    )
  }
  const patch = await codex.turn('gpt-5.5', ['Use apply_patch'])
  check('a custom tool round trip', patch.said.length === 1 && patch.items.some(({ type }) => type === 'file_change'), patch)

  const thought = await codex.turn('sandbox/reasoning', ['Why?'])
  check('a turn with reasoning', thought.said.at(-1) === 'Why?', thought)
  const resumed = await codex.turn('sandbox/reasoning', ['resume', thought.threadId, 'And now?'])
  check('resume sends the reasoning state back', resumed.said.at(-1) === 'I remember turn 1. And now?', resumed)

  const schemaFile = join(scratch, 'schema.json')
  await writeFile(schemaFile, JSON.stringify(schema))
  const shaped = await codex.turn('sandbox/echo', ['--output-schema', schemaFile, 'Oslo'])
  check('an output schema', typeof parsed(shaped.said.at(-1))?.['city'] === 'string', shaped)

  const imageFile = join(scratch, 'image.png')
  await writeFile(imageFile, Buffer.from(png, 'base64'))
  const seen = await codex.turn('sandbox/echo', ['look', '--image', imageFile])
  check('an image', /\[image\]/.test(seen.said.at(-1) ?? ''), seen)

  const broken = await codex.turn('sandbox/fail', ['{"status":503,"after":2,"message":"Gone for lunch."}'])
  check('a failure in mid-stream shows its message', broken.exitCode === 1 && /Gone for lunch/.test(broken.failure ?? ''), broken)
  const refused = await codex.turn('sandbox/fail', ['{"status":400,"message":"Not like this."}'])
  check('so does one before the stream', refused.exitCode === 1 && /Not like this/.test(refused.failure ?? ''), refused)
  const cut = await codex.turn('sandbox/fail', ['content-filter'])
  check('an incomplete answer is a failed turn', cut.exitCode === 1, cut)
  const away = await codex.turn('down/any', ['-c', 'model_providers.turnpike.stream_max_retries=5', 'hi'])
  check('a vendor that is down fails the turn', away.exitCode === 1 && /Gone for lunch/.test(away.failure ?? ''), away)
  check("its 6 requests and the gateway's 2 retries add up, and do not multiply", callsWhileDown === 8, callsWhileDown)
} finally {
  await under.stop()
  await rm(scratch, { recursive: true, force: true })
}
// The records are complete once the gateway has stopped.
const statuses = under.records.map(({ status }) => status)
check('one request per turn, two with a tool, six for the retries', statuses.length === 20, statuses)
check('a client that disconnects after the last event did not leave early', !statuses.includes(499), statuses)
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed > 0 ? 1 : 0

function parsed(text: string | undefined): Record<string, unknown> | undefined {
  try {
    return JSON.parse(text ?? '') as Record<string, unknown>
  } catch {
    return undefined
  }
}
