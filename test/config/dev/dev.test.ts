import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { checkStream } from '../../../core/testing/index.ts'
import { Workplace, type TurnpikeProcess } from '../../kit/turnpike-process.ts'
import { until } from '../workers/observed.ts'

const config = (server = ''): string => `
  import { defineConfig, defaults } from 'turnpike/config'
  import { acme } from './plugins/acme.ts'
  export default defineConfig({
    extends: './base.yaml',
    server: { port: 0, admin: false, drainAnnounceMs: 0, drainTimeoutMs: 100, ${server} },
    plugins: [...defaults({ without: ['ollama', 'sql'] }), acme({})],
  })`

/** A provider that goes on when the test says so, a route, and a guardrail. */
const plugin = `
  import { existsSync } from 'node:fs'
  import { setTimeout as delay } from 'node:timers/promises'
  import { definePlugin, Guardrails, Providers, Routes } from 'turnpike'
  import { word } from './words/word.ts'
  import facts from './facts.json' with { type: 'json' }
  function lookInside(request) {
    if (JSON.stringify(request.input).includes('stumble')) throw new TypeError('stumbled over a stone')
    return { pass: true }
  }
  export const acme = definePlugin({
    name: 'acme',
    options: { type: 'object', additionalProperties: false, properties: {} },
    setup(gateway) {
      gateway.add(Routes, { method: 'GET', path: '/word', auth: 'none', handle: () => ({ status: 200, body: [word, facts.word, process.env.WORD].join(' ') }) })
      gateway.add(Guardrails, { name: 'looks', enforces: [], onFailure: 'refuse', timeoutMs: 5000, seesContent: 'local', open: () => ({ input: lookInside }) })
      gateway.add(Providers, {
        id: 'acme',
        async *generate({ request }) {
          yield { type: 'text', text: 'begun ' }
          if (JSON.stringify(request.input).includes('wait')) while (!existsSync('go-on')) await delay(20)
          yield { type: 'text', text: 'ended' }
          yield { type: 'finish', reason: 'stop' }
        },
      })
      setInterval(() => {
        if (existsSync('fault-' + word)) throw new Error('nobody catches this')
      }, 20).unref()
    },
  })`

function write(workplace: Workplace, word: string): void {
  const folder = join(workplace.path, 'plugins', 'words')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'word.ts'), `export const word = '${word}'`)
}

async function opened(t: Test): Promise<{ readonly workplace: Workplace; readonly gateway: TurnpikeProcess }> {
  const workplace = new Workplace(config())
  t.teardown(() => workplace.remove())
  write(workplace, 'one')
  writeFileSync(join(workplace.path, 'plugins', 'acme.ts'), plugin)
  writeFileSync(join(workplace.path, 'plugins', 'facts.json'), '{"word":"one"}')
  writeFileSync(join(workplace.path, '.env'), 'WORD=one')
  writeFileSync(join(workplace.path, 'base.yaml'), 'server:\n  port: 0\n')
  const gateway = workplace.spawn(['dev', '--inspector-port', '0'])
  t.teardown(() => gateway.signal('SIGKILL'))
  return { workplace, gateway }
}

function ask(url: string, key: string, input: string): Promise<Response> {
  return fetch(`${url}/v1/responses`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'acme/demo', input, stream: true }),
  })
}

t.test('a save reloads the gateway, and a stream goes on over three of them', async t => {
  const { workplace, gateway } = await opened(t)
  const url = await gateway.url()
  const [key] = await gateway.says(/tp_\w+/)
  const [, page] = await gateway.says(/inspector is on (\S+)/)
  const { origin, hash } = new URL(page!)
  const word = async (): Promise<string> => await (await fetch(`${url}/word`)).text()
  const count = (pattern: RegExp): number => gateway.stdout.match(new RegExp(pattern, 'g'))?.length ?? 0
  t.equal(await word(), 'one one one')

  const reader = (await ask(url, key, 'wait')).body!.pipeThrough(new TextDecoderStream()).getReader()
  let stream = ''
  while (!stream.includes('begun')) stream += (await reader.read()).value ?? ''

  write(workplace, 'two')
  await until(() => count(/info {3}reloaded/) === 1)
  t.equal(await word(), 'two one one', 'a file that a plugin imports')
  writeFileSync(join(workplace.path, 'plugins', 'facts.json'), '{"word":"two"}')
  await until(() => count(/info {3}reloaded/) === 2)
  t.equal(await word(), 'two two one', 'a JSON file')
  writeFileSync(join(workplace.path, 'base.yaml'), 'server:\n  port: 0\n  timeouts:\n    connectMs: 5000\n')
  await until(() => count(/info {3}reloaded/) === 3)

  // As editors do.
  write(workplace, '(')
  writeFileSync(join(workplace.path, 'plugins', 'words', 'word.ts.tmp'), 'export const word = (')
  renameSync(join(workplace.path, 'plugins', 'words', 'word.ts.tmp'), join(workplace.path, 'plugins', 'words', 'word.ts'))
  await until(() => count(/the new config was refused/) >= 1)
  t.match(gateway.stdout, /error {2}the new config was refused.*\n +.*cannot be loaded.*word\.ts/)
  t.equal(await word(), 'two two one', 'the old gateway goes on')
  t.equal((await ask(url, key, 'hi')).status, 200)

  write(workplace, 'three')
  writeFileSync(join(workplace.path, '.env'), 'WORD=three')
  await until(() => count(/info {3}reloaded/) >= 4)
  while ((await word()) !== 'three two three') await until(() => true)
  t.pass('the file .env')

  writeFileSync(join(workplace.path, 'go-on'), '')
  for (;;) {
    const { done, value } = await reader.read()
    if (done) break
    stream += value
  }
  const { response } = checkStream(stream)
  t.match(JSON.stringify(response), /begun ended/)
  t.equal(count(/the new config was refused/), 1, 'the mistake was told once')

  t.equal((await ask(url, key, 'stumble')).status, 503)
  await until(() => count(/a guardrail failed/) === 1)
  t.match(gateway.stdout, /error {2}a guardrail failed.*\n +TypeError: stumbled over a stone\n +at .*lookInside.*plugins\/acme\.ts:\d+/)
  await until(() => count(/ {2}503 {4}POST \/v1\/responses /) === 1)
  t.match(
    gateway.stdout,
    /\d\d:\d\d:\d\d {2}200 {4}POST \/v1\/responses {2}acme\/demo {2}\d+ ms \(first event after \d+ ms\) {2}\d+ tokens in, \d+ out {2}req_\w+\n/,
  )
  t.notMatch(gateway.stdout, '\x1b[', 'no colors outside of a terminal')

  const requests: any = await (await fetch(`${origin}/api/requests`, { headers: { authorization: `Bearer ${hash.slice(1)}` } })).json()
  t.equal(requests.requests.length, 3, 'the inspector outlives reloads')

  writeFileSync(join(workplace.path, 'fault-three'), '')
  await until(() => count(/error {2}uncaught error/) > 0)
  t.match(gateway.stdout, /uncaught error {2}plugin=acme.*\n +Error: The message may quote content.*\n +at .*plugins\/acme\.ts/)
  t.equal(await word(), 'three two three', 'it goes on after an error that nobody caught')

  gateway.signal('SIGTERM')
  t.equal((await gateway.finished).exitCode, 0)
})

t.test('a config that is broken from the start is served once it is mended', async t => {
  const { workplace, gateway } = await opened(t)
  gateway.signal('SIGKILL')
  workplace.write(config('prot: 1,'))
  const again = workplace.spawn(['dev', '--no-inspector'])
  t.teardown(() => again.signal('SIGKILL'))
  await until(() => again.stderr.includes('starts when you save'))
  t.match(again.stderr, /gateway\.config\.ts: .*prot/)
  workplace.write(config())
  const url = await again.url()
  t.equal(await (await fetch(`${url}/word`)).text(), 'one one one')
  again.signal('SIGTERM')
  const { exitCode, stdout } = await again.finished
  t.equal(exitCode, 0)
  t.notMatch(stdout, /inspector is on/)
})
