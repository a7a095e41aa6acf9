import { spawn, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import conversations from '../../plugins/endpoints/conversations/index.ts'
import decisions from '../../plugins/endpoints/decisions/index.ts'
import openapi from '../../plugins/endpoints/openapi/index.ts'
import { listeningGateway } from '../kit/gateway.ts'
import { isLong } from '../kit/long.ts'

// Thousands of requests made from the description that the gateway gives of itself, valid ones and others. None may end in a 5xx, in a
// reply that the description denies, or in success where it denies the request.

const fuzzer = 'schemathesis'
const absent = spawnSync(fuzzer, ['--version']).status === 0 ? false : `no ${fuzzer} in PATH: pip install ${fuzzer}`

const excluded = [
  // A schema cannot say everything that is wrong with a request: `tool_choice` without tools, an output without its call.
  'positive_data_acceptance',
]

const options =
  `run --phases coverage,fuzzing --checks all --exclude-checks ${excluded.join(',')} --max-examples ${isLong ? 500 : 10} --generation-deterministic
  --continue-on-failure --no-color --warnings off`.split(/\s+/)

t.setTimeout(900_000)

t.test('the gateway is as it describes itself', { skip: absent }, async t => {
  const settings = { name: 'test', user: 'jane', policy: { logging: { value: true } } }
  const under = await listeningGateway({ plugins: [openapi({}), conversations({}), decisions({})], key: settings })
  t.teardown(under.stop)
  const stored = await (await under.request('/v1/responses', { body: { model: 'sandbox/echo', input: 'hi' } })).json()
  const started = await (await under.request('/v1/conversations', { body: { items: [{ role: 'user', content: 'hi' }] } })).json()
  const file = join(t.testdir(), 'openapi.json')
  const document = (await (await under.request('/openapi.json')).json()) as Description
  writeFileSync(file, JSON.stringify(withKnownNames(document, idOf(stored), idOf(started))))

  const key = await under.gateway.issueKey(settings)
  const run = spawn(fuzzer, [...options, '--url', under.url, '--header', `Authorization: Bearer ${key}`, file], {
    cwd: t.testdirName,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let told = ''
  run.stdout.setEncoding('utf8').on('data', (text: string) => void (told += text))
  const code = await new Promise(resolve => run.once('close', resolve))
  // Its boxes and spinners would break the format of this report.
  const failures = told.replaceAll(/[^\n\x20-\x7e]/g, '').split('= FAILURES =')[1]
  if (code !== 0) process.stderr.write(failures ?? told)
  t.equal(code, 0, 'nothing was found')
  t.match(told, /\d{4,} generated/, 'it was asked at length')
})

interface Description {
  readonly components: { readonly schemas: Readonly<Record<string, { properties: Record<string, object> }>> }
}

/** Of names that nobody could guess, those that exist: else every request would end at the first of them. */
function withKnownNames(document: Description, responseId: string, conversationId: string): Description {
  const { CreateResponse: response, CreateDecision: decision, CreatePublicDecision: publicDecision } = document.components.schemas
  response!.properties['model'] = { enum: ['sandbox/echo', 'sandbox/tools', 'sandbox/reasoning'] }
  response!.properties['previous_response_id'] = { enum: [responseId, null] }
  response!.properties['conversation'] = { enum: [conversationId, null] }
  decision!.properties['model'] = { enum: ['sandbox/dm'] }
  publicDecision!.properties['model'] = { enum: ['sandbox/dm'] }
  return document
}

function idOf(object: unknown): string {
  return (object as { readonly id: string }).id
}
