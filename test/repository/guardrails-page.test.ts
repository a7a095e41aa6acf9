import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import t from 'tap'
import webhook from '../../plugins/guardrails/webhook/index.ts'
import { ask, witness } from '../kit/stage.ts'
import { gateway, hello } from '../kit/gateway.ts'
import { Workplace } from '../kit/turnpike-process.ts'

const page = readFileSync(new URL('../../docs/guardrails.md', import.meta.url), 'utf8')
const blocks = (language: string): string[] =>
  Array.from(page.matchAll(new RegExp(`\`\`\`${language}\\n([^]*?)\`\`\``, 'g')), ([, code]) => code!)

t.test('the configs of docs/guardrails.md work as they are', async t => {
  const configs = blocks('ts')
  t.equal(configs.length, 2)
  for (const config of configs) {
    const workplace = new Workplace(config)
    t.teardown(() => workplace.remove())
    const secret = { MODERATION_SECRET: 'whsec_ZGVtbyBzZWNyZXQgb2YgZW5vdWdoIGJ5dGVz' }
    const { exitCode, stdout, stderr } = await workplace.spawn(['check'], [], secret).finished
    t.equal(exitCode, 0, stderr)
    t.match(stdout, /(moderation|no-legal-advice) +(webhook|words)\(/)
  }
})

t.test('the service of docs/guardrails.md works as it is', async t => {
  const [code] = blocks('js')
  const free = createServer().listen(0, '127.0.0.1')
  await once(free, 'listening')
  const { port } = free.address() as AddressInfo
  await new Promise(resolve => free.close(resolve))
  const file = join(t.testdir(), 'service.mjs')
  writeFileSync(file, code!.replace('.listen(9000)', `.listen(${port}, '127.0.0.1', () => console.log('ready'))`))
  const secret = 'whsec_ZGVtbyBzZWNyZXQgb2YgZW5vdWdoIGJ5dGVz'
  const service = spawn(process.execPath, [file], { env: { MODERATION_SECRET: secret }, stdio: ['ignore', 'pipe', 'inherit'] })
  t.teardown(() => service.kill())
  await once(service.stdout!, 'data')
  for (const [signing, input, status] of [
    [secret, 'Hi', 200],
    [secret, 'a forbidden word', 400],
    ['another secret, which the service does not know', 'Hi', 503],
  ] as const) {
    const check = webhook({ url: `http://127.0.0.1:${port}/`, onFailure: 'refuse', secret: signing, timeoutMs: 10_000 })
    const under = await gateway({ plugins: [witness('acme', () => hello).plugin, check] })
    t.teardown(under.stop)
    t.equal((await ask(under, { model: 'acme/m', input })).status, status)
  }
})
