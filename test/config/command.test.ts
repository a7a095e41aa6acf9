import { execFile } from 'node:child_process'
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import t from 'tap'
import { checkStream } from '../../core/testing/index.ts'
import { config, keyOf, Workplace } from '../kit/turnpike-process.ts'

const run = promisify(execFile)

async function ask(url: string, key: string, model: string, input: string, stream = true): Promise<Response> {
  return await fetch(`${url}/v1/responses`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, input, stream }),
  })
}

t.test('the first start makes a key, and a line that works when pasted', async t => {
  const workplace = new Workplace(config(''))
  t.teardown(() => workplace.remove())
  const first = workplace.spawn(['start'])
  const url = await first.url()
  const [, line] = await first.says(/^ {2}(curl .*)$/m)
  const [key] = await first.says(/tp_\w+/)
  t.match(line, key)
  t.equal((await fetch(`${url}/v1/responses/health`)).status, 200)
  t.equal((await fetch(`${url}/v1/models`)).status, 401)

  const curl = await run('sh', ['-c', `${line} --silent`]).catch(() => undefined)
  if (curl) t.match(JSON.stringify(checkStream(curl.stdout).items), /Hello from Turnpike/)
  else t.comment('there is no curl here')

  first.signal('SIGTERM')
  const { exitCode, stderr } = await first.finished
  t.equal(exitCode, 0)
  t.notMatch(stderr, key)

  const second = workplace.spawn(['start'])
  const response = await ask(await second.url(), key, 'sandbox/echo', 'again', false)
  t.equal(response.status, 200, 'the key is kept')
  second.signal('SIGINT')
  const { stdout, exitCode: secondExit } = await second.finished
  t.equal(secondExit, 0)
  t.notMatch(stdout, /tp_/, 'no other key is made')
})

t.test('keys made beside a running gateway hold at once', async t => {
  const workplace = new Workplace(config(''))
  t.teardown(() => workplace.remove())
  const gateway = workplace.spawn(['start'])
  const url = await gateway.url()
  const limited = await keyOf(
    workplace,
    '--name',
    'demo',
    '--models=sandbox/tools',
    '--spend-cap',
    '5',
    '--tokens-per-minute',
    '100000',
    '--logging',
  )
  t.match(limited, /^tp_\w+$/)
  t.equal((await ask(url, limited, 'sandbox/tools', 'hello', false)).status, 200)
  t.equal((await ask(url, limited, 'sandbox/echo', 'hello', false)).status, 403)
  const strict = await keyOf(workplace, '--zdr')
  t.equal((await ask(url, strict, 'sandbox/echo', 'hello', false)).status, 422)
  gateway.signal('SIGTERM')
  t.equal((await gateway.finished).exitCode, 0)

  for (const [options, message] of [
    [['--spend-capp', '5'], /turnpike: unknown option '--spend-capp'\n\(Did you mean --spend-cap\?\)/],
    [['--spend-cap', 'five'], /'--spend-cap <usd>' argument 'five' is invalid\. Expected an amount above 0, such as 5 or 0\.50\./],
    [['--models', 'a,,b'], /argument 'a,,b' is invalid\. Expected a list of names/],
    [['--name'], /'--name <text>' argument missing/],
    [['demo'], /too many arguments for 'create'.*: demo/],
  ] as const) {
    const { exitCode, stdout, stderr } = await workplace.run('keys', 'create', ...options)
    t.equal(exitCode, 1)
    t.match(stderr, message)
    t.notMatch(stdout, /tp_/)
  }

  workplace.write(`
    import { defineConfig, defaults } from 'turnpike/config'
    import memory from 'turnpike/plugins/stores/memory'
    export default defineConfig({ plugins: [...defaults({ without: ['memory', 'sql', 'ollama'] }), memory({})] })`)
  const { exitCode, stderr } = await workplace.run('keys', 'create')
  t.equal(exitCode, 1)
  t.match(stderr, /gateway\.config\.ts: It keeps keys in memory/)
})

t.test('a taken port is named, with what to do', async t => {
  const workplace = new Workplace(config(''))
  t.teardown(() => workplace.remove())
  const first = workplace.spawn(['start'])
  const port = new URL(await first.url()).port
  const { exitCode, stdout, stderr } = await workplace.run('start', '--port', port)
  t.equal(exitCode, 1)
  t.match(stderr, `turnpike: Cannot listen on 127.0.0.1:${port}: the port is in use`)
  t.match(stderr, /another port: --port \d+, or server: \{ port: \d+ \} in the config/)
  t.notMatch(stdout + stderr, /listens on|\n {4}at /)
  first.signal('SIGTERM')
  await first.finished

  const elsewhere = await workplace.run('start', '--host', '192.0.2.1', '--port', port)
  t.match(elsewhere.stderr, /this machine does not have that address/)
  workplace.write(config(`admin: { port: ${port} }`))
  const shared = await workplace.run('start', '--port', port)
  t.match(shared.stderr, `The public API and the admin API cannot share port ${port}. Choose another one for either`)
  workplace.write(config(''))
  const reserved = await workplace.run('start', '--port', '6000')
  t.match(reserved.stderr, /Port 6000 is reserved for another protocol/)
  t.equal(reserved.exitCode, 1)
})

t.test('a gateway that is told to stop lets streams end', async t => {
  const workplace = new Workplace(config(''))
  t.teardown(() => workplace.remove())
  const gateway = workplace.spawn(['start'])
  const url = await gateway.url()
  const [key] = await gateway.says(/tp_\w+/)
  const response = await ask(url, key, 'sandbox/slow', 'first 0 between 100 pieces 10')
  gateway.signal('SIGTERM')
  const { response: final } = checkStream(await response.text())
  t.equal(final.status, 'completed')
  const { exitCode } = await gateway.finished
  t.equal(exitCode, 0)
  await t.rejects(fetch(`${url}/v1/responses/health`))
})

t.test('a stream that outlasts the drain ends with an error event', async t => {
  const workplace = new Workplace(config('drainTimeoutMs: 300'))
  t.teardown(() => workplace.remove())
  const gateway = workplace.spawn(['start'])
  const url = await gateway.url()
  const [key] = await gateway.says(/tp_\w+/)
  const response = await ask(url, key, 'sandbox/slow', 'first 0 between 60000 pieces 3')
  gateway.signal('SIGTERM')
  const text = await response.text()
  const { response: final } = checkStream(text)
  t.match(text, /^event: error$/m)
  t.match(text, /shutting down/)
  t.equal(final.status, 'failed')
  t.equal((await gateway.finished).exitCode, 0)
})

t.test('a second signal does not wait', async t => {
  const workplace = new Workplace(config('drainTimeoutMs: 600000'))
  t.teardown(() => workplace.remove())
  const gateway = workplace.spawn(['start'])
  const url = await gateway.url()
  const [key] = await gateway.says(/tp_\w+/)
  const response = await ask(url, key, 'sandbox/slow', 'first 0 between 60000 pieces 3')
  gateway.signal('SIGTERM')
  await t.rejects(untilRefused(url))
  // Signals that come together are one. This is another one, no matter how slow the machine is.
  await sleep(300)
  gateway.signal('SIGTERM')
  t.equal((await gateway.finished).exitCode, 1)
  await t.rejects(response.text())
})

/** Rejects once no new connection is taken: the first signal was heard. */
async function untilRefused(url: string): Promise<never> {
  for (;;) await (await fetch(`${url}/v1/responses/health`, { headers: { connection: 'close' } })).arrayBuffer()
}

t.test('a gateway whose output nobody reads anymore goes on, and stops when told to', async t => {
  const workplace = new Workplace(config('admin: false'))
  t.teardown(() => workplace.remove())
  const gateway = workplace.spawn(['start'])
  t.teardown(() => gateway.signal('SIGKILL'))
  const url = await gateway.url()
  gateway.stopReading()
  // The first request is logged to standard output, and the signal to standard error.
  for (let asked = 0; asked < 2; asked++) t.equal((await fetch(`${url}/v1/models`)).status, 401)
  gateway.signal('SIGTERM')
  t.equal((await gateway.finished).exitCode, 0)
})

t.test('an uncaught error is reported without its message, and open requests may finish', async t => {
  const workplace = new Workplace(`
    import { definePlugin, Routes } from 'turnpike'
    import { defineConfig, defaults } from 'turnpike/config'
    const careless = definePlugin({
      name: 'careless',
      options: { type: 'object', additionalProperties: false, properties: {} },
      setup(gateway) {
        const fail = async () => { throw new TypeError('the words of a prompt') }
        gateway.add(Routes, { method: 'GET', path: '/reject', auth: 'none', handle: () => (void fail(), { status: 200 }) })
        gateway.add(Routes, { method: 'GET', path: '/throw', auth: 'none', handle: () => (setImmediate(() => { throw new TypeError('the words of a prompt') }), { status: 200 }) })
      },
    })
    export default defineConfig({ server: { port: 0, drainAnnounceMs: 0 }, plugins: [...defaults({ without: ['ollama'] }), careless({})] })`)
  t.teardown(() => workplace.remove())
  const gateway = workplace.spawn(['start'])
  const url = await gateway.url()
  const [key] = await gateway.says(/tp_\w+/)
  t.equal((await fetch(`${url}/reject`)).status, 200)
  t.equal((await ask(url, key, 'sandbox/echo', 'hello', false)).status, 200, 'it goes on')
  const response = await ask(url, key, 'sandbox/slow', 'first 0 between 50 pieces 10')
  t.equal((await fetch(`${url}/throw`)).status, 200)
  t.equal(checkStream(await response.text()).response.status, 'completed')
  const { exitCode, stdout, stderr } = await gateway.finished
  t.equal(exitCode, 1, 'a fresh process is to take over')
  t.match(stderr, /unhandled promise rejection/)
  t.match(stderr, /uncaught error/)
  t.match(stderr, /TypeError/)
  t.notMatch(stdout + stderr, /words of a prompt/)
})

t.test('a plugin that fails to stop is named, without the words of its error', async t => {
  const workplace = new Workplace(`
    import { definePlugin } from 'turnpike'
    import { defineConfig, defaults } from 'turnpike/config'
    const failing = (name, error) => definePlugin({
      name,
      options: { type: 'object', additionalProperties: false, properties: {} },
      setup: gateway => gateway.onStop(() => { throw error }),
    })({})
    const [one, two] = [failing('one', new TypeError('the words of a prompt')), failing('two', new TypeError('the words of a prompt'))]
    export default defineConfig({ server: { port: 0, drainAnnounceMs: 0 }, plugins: [...defaults({ without: ['ollama'] }), one, two] })`)
  t.teardown(() => workplace.remove())
  const gateway = workplace.spawn(['start'])
  await gateway.url()
  gateway.signal('SIGTERM')
  const { exitCode, stderr } = await gateway.finished
  t.equal(exitCode, 1)
  for (const plugin of ['one', 'two'])
    t.match(stderr, new RegExp(`"level":"error".*"plugin":"${plugin}","error":"TypeError".*"message":"a plugin failed to stop`))
  t.notMatch(stderr, /words of a prompt/)
})

t.test('check prints what a config makes of the gateway', async t => {
  const workplace = new Workplace(config(''))
  t.teardown(() => workplace.remove())
  const { exitCode, stdout, stderr } = await workplace.run('check')
  t.equal(exitCode, 0, stderr)
  t.match(stdout, /gateway\.config\.ts is fine/)
  t.match(
    stdout,
    /Plugins, in setup order.*\n[^]*\n {2}sql +key-store, account-store, response-store, conversation-store, background-store, metric-store, /,
  )
  t.match(stdout, /Providers\n {2}sandbox +sandbox\(sandbox\)\n/)
  t.match(stdout, /Routes\n[^]*POST \/v1\/responses +responses\n/)
  t.match(stdout, /Catalogs\n {2}bundled +of 20\d\d-\d\d-\d\d \(.+\): [\d,]+ models, [\d,]+ pairs with \d+ providers; /)
})

t.test('check tells every problem at once', async t => {
  const workplace = new Workplace(`
    import sql from 'turnpike/plugins/stores/sql'
    import health from 'turnpike/plugins/endpoints/health'
    export default { server: { prot: 1 }, plugins: [sql({ fiel: 'x', cacheTtlMs: -1 }), function guard() {}, health({ path: '/' })] }`)
  t.teardown(() => workplace.remove())
  const { exitCode, stdout, stderr } = await workplace.run('check')
  t.equal(exitCode, 1)
  t.equal(stdout, '')
  t.match(stderr, /^turnpike: gateway\.config\.ts: 4 problems\n/)
  t.match(stderr, /unknown option server\.prot; did you mean port\?/)
  t.match(stderr, /plugin sql .*fiel.*cacheTtlMs must be at least 0/)
  t.match(stderr, /plugin #2 in `plugins` is a function that was not called: call guard\(\{\}\)/)
  t.match(stderr, /plugin health .*path/)
  t.notMatch(stderr, /\n {4}at /)

  const start = await workplace.run('start')
  t.equal(start.exitCode, 1)
  t.equal(start.stderr, stderr, 'as start does')
})

t.test('a plugin that fails to set up is named, with the file', async t => {
  const workplace = new Workplace(
    config(
      '',
      `{ apiVersion: 1, plugin: { name: 'demo', options: { type: 'object', additionalProperties: false, properties: {} }, setup() { throw new Error('no such engine') } }, options: {} }`,
    ),
  )
  t.teardown(() => workplace.remove())
  const { exitCode, stderr } = await workplace.run('start')
  t.equal(exitCode, 1)
  t.equal(stderr, 'turnpike: gateway.config.ts: plugin demo failed to set up: no such engine\n')
})

t.test('no command works on data of a master key that is gone', async t => {
  const workplace = new Workplace(`
    import { defineConfig, defaults } from 'turnpike/config'
    export default defineConfig({ server: { port: 0, drainAnnounceMs: 0 }, plugins: defaults({ without: ['ollama'] }) })`)
  t.teardown(() => workplace.remove())
  t.equal((await workplace.run('keys', 'create')).exitCode, 0)
  const keyFile = join(workplace.path, 'data', 'master.key')
  rmSync(keyFile)
  for (const commandLine of [['start'], ['check'], ['keys', 'create']]) {
    const { exitCode, stdout, stderr } = await workplace.run(...commandLine)
    t.equal(exitCode, 1, commandLine.join(' '))
    t.equal(stdout, '')
    t.match(
      stderr,
      /database \S+turnpike\.db was created with a master key that the gateway does not have\. The key file \S+master\.key is missing/,
    )
    t.notMatch(stderr, /^ +at /m, 'without a stack')
  }
  t.notOk(existsSync(keyFile))
})

t.test('an older Node.js is told so in one sentence', async t => {
  const workplace = new Workplace(config(''))
  t.teardown(() => workplace.remove())
  const old = `data:text/javascript,Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.1.0' } })`
  const { exitCode, stderr } = await workplace.spawn(['start'], ['--import', old]).finished
  t.equal(exitCode, 1)
  t.equal(stderr, 'turnpike needs Node.js 24 or later. This is 20.1.0.\n')
})

t.test('a plugin that leaves a timer or a server open does not keep a command from ending', async t => {
  const acme = (more: string): string => `
    import { createServer } from 'node:http'
    import { definePlugin } from 'turnpike'
    import { defineConfig, defaults } from 'turnpike/config'
    const acme = definePlugin({
      name: 'acme',
      options: { type: 'object', additionalProperties: false, properties: {} },
      setup() {
        setInterval(() => {}, 1000)
        createServer().listen(0, '127.0.0.1')
        ${more}
      },
    })
    export default defineConfig({ server: { port: 0, drainAnnounceMs: 0, admin: false }, plugins: [...defaults({ without: ['ollama'] }), acme({})] })`
  const workplace = new Workplace(acme(''))
  t.teardown(() => workplace.remove())
  const fine = await workplace.run('check')
  t.equal(fine.exitCode, 0, fine.stderr)
  t.match(fine.stdout, /is fine[^]*hipaa/)
  workplace.write(acme("throw new Error('stop')"))
  for (const command of ['check', 'start']) {
    const { exitCode, stderr } = await workplace.run(command)
    t.equal(exitCode, 1)
    t.match(stderr, /plugin acme failed to set up: stop/)
  }
})
