import { cpSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { config, keyOf, Workplace } from '../kit/turnpike-process.ts'

t.test('the hint for a missing config works when pasted', async t => {
  const workplace = new Workplace()
  t.teardown(() => workplace.remove())
  const { exitCode, stderr } = await workplace.run('start')
  t.equal(exitCode, 1)
  t.match(stderr, /There is no gateway\.config\.ts, gateway\.config\.mts, .*gateway\.config\.yml in .*package\.json/)
  const [, line = ''] = /^ {2}npx turnpike (.*)$/m.exec(stderr) ?? []
  t.equal((await workplace.run(...line.split(' '))).exitCode, 0)
  const check = await workplace.run('check')
  t.equal(check.exitCode, 0, check.stderr)
  t.match(check.stdout, /gateway\.config\.ts is fine/)
})

t.test('a JavaScript config that package.json makes CommonJS is told how it becomes a module', async t => {
  const workplace = new Workplace()
  t.teardown(() => workplace.remove())
  writeFileSync(join(workplace.path, 'package.json'), '{"type":"commonjs"}')
  writeFileSync(join(workplace.path, 'gateway.config.js'), 'export default { plugins: [] }')
  const { exitCode, stderr } = await workplace.run('check')
  t.equal(exitCode, 1)
  t.match(stderr, /makes it CommonJS: rename the file to \.mjs or \.ts, or set "type": "module"/)
})

t.test('data lies beside the config, and .env is read there', async t => {
  const workplace = new Workplace()
  t.teardown(() => workplace.remove())
  const site = join(workplace.path, 'site')
  mkdirSync(site)
  writeFileSync(join(site, 'package.json'), '{"type":"commonjs"}')
  writeFileSync(join(site, '.env'), 'OPENAI_API_KEY=sk-demo\n')
  writeFileSync(join(site, 'models.json'), '[]')
  writeFileSync(
    join(site, 'gateway.config.mts'),
    `import fileCatalog from 'turnpike/plugins/catalogs/file'\n${config('', "fileCatalog({ path: 'models.json' })")}`,
  )
  const { exitCode, stdout, stderr } = await workplace.run('check', '-c', 'site/gateway.config.mts')
  t.equal(exitCode, 0, stderr)
  t.match(stdout, /Providers\n[^]*openai +openai-responses/)
  t.same(readdirSync(workplace.path), ['site'])
  t.same(readdirSync(site).sort(), ['.env', 'gateway.config.mts', 'models.json', 'package.json'], 'check creates no files')
  t.equal((await workplace.run('keys', 'create', '-c', 'site/gateway.config.mts')).exitCode, 0)
  t.same(readdirSync(join(site, 'data')).sort(), ['master.key', 'turnpike.db'])
})

t.test('commands that only look leave an empty folder empty', async t => {
  const workplace = new Workplace(config(''))
  t.teardown(() => workplace.remove())
  for (const [commandLine, exitCode, message] of [
    [['check'], 0, /is fine/],
    [['keys', 'list'], 0, /No keys yet/],
    [['keys', 'disable', 'demo'], 1, /No key has the id or name "demo"/],
  ] as const) {
    const finished = await workplace.run(...commandLine)
    t.equal(finished.exitCode, exitCode, finished.stderr)
    t.match(finished.stdout + finished.stderr, message)
    t.same(readdirSync(workplace.path), ['gateway.config.ts'], commandLine.join(' '))
  }
  writeFileSync(join(workplace.path, 'data'), 'a file where a folder should be')
  const blocked = await workplace.run('check')
  t.equal(blocked.exitCode, 1)
  t.match(blocked.stderr, /plugin \S+ failed to set up: .*data/)
})

t.test('check loads the TLS files as start does', async t => {
  const tls = (key: string): string => config(`tls: { cert: './cert.pem', key: '${key}', passphrase: 'demo-passphrase' }`)
  const workplace = new Workplace(tls('./key.pem'))
  t.teardown(() => workplace.remove())
  const absent = await workplace.run('check')
  t.equal(absent.exitCode, 1)
  t.match(absent.stderr, /server\.tls\.cert: .*cert\.pem cannot be read/)
  cpSync(fileURLToPath(new URL('../fixtures/tls', import.meta.url)), workplace.path, { recursive: true })
  t.equal((await workplace.run('check')).exitCode, 0)
  workplace.write(tls('./cert.pem'))
  t.match((await workplace.run('check')).stderr, /cert\.pem and .*cert\.pem cannot be used together/)
})

t.test('a blank variable counts as absent, and .env may begin with a byte order mark', async t => {
  const workplace = new Workplace(config("port: Number(env('TURNPIKE_TEST_PORT'))").replace('defaults }', 'defaults, env }'))
  t.teardown(() => workplace.remove())
  writeFileSync(join(workplace.path, '.env'), "\ufeffTURNPIKE_TEST_PORT=8099\nANTHROPIC_API_KEY=' '\n")
  const { exitCode, stdout, stderr } = await workplace.run('check')
  t.equal(exitCode, 0, stderr)
  t.notMatch(stdout, /\n {2}anthropic/)
  const overridden = await workplace.spawn(['check'], [], { TURNPIKE_TEST_PORT: 'abc' }).finished
  t.match(overridden.stderr, /server\.port must be an integer, got NaN/)
})

t.test('the start line names all interfaces, and a bad --host is a mistake in the flag', async t => {
  const workplace = new Workplace(config("host: '0.0.0.0'"))
  t.teardown(() => workplace.remove())
  const gateway = workplace.spawn(['start'])
  t.match(await gateway.says(/listens on .*/), [/http:\/\/127\.0\.0\.1:\d+, and on all other interfaces/])
  gateway.signal('SIGTERM')
  await gateway.finished
  const { exitCode, stderr } = await workplace.run('start', '--host', '[::1]')
  t.equal(exitCode, 1)
  t.match(stderr, /option '--host <address>' argument '\[::1\]' is invalid\. Expected an IP address or a host name.*without brackets/)
  t.notMatch(stderr, /gateway\.config/)
})

t.test('the command by itself, its help and its version', async t => {
  const workplace = new Workplace()
  t.teardown(() => workplace.remove())
  const bare = await workplace.run()
  t.equal(bare.exitCode, 1)
  t.match(bare.stderr, /^Usage: turnpike /)
  t.match((await workplace.run('--help')).stdout, /start [^]*check [^]*keys [^]*decisions /)
  t.match((await workplace.run('--version')).stdout, /^\d+\.\d+\.\d+\n$/)
  t.match((await workplace.run('strat')).stderr, /turnpike: unknown command 'strat'\n\(Did you mean start\?\)/)
  t.match((await workplace.run('keys', '--help')).stdout, /\n {2}help \[command\]/)
  t.notMatch((await workplace.run('keys', 'list', '--help')).stdout, /help \[command\]/)
  t.match((await workplace.run('start', '--port', '65536')).stderr, /Expected a number from 0 to 65535/)
})

t.test('missing services and unusable data are told without a stack', async t => {
  const workplace = new Workplace('export default { plugins: [] }')
  t.teardown(() => workplace.remove())
  const empty = await workplace.run('check')
  t.match(empty.stderr, /gateway\.config\.ts: No plugin provides key-store, .*\.\.\.defaults\(\) has them all/)
  workplace.write(config(''))
  writeFileSync(join(workplace.path, 'data'), 'a file where a folder should be')
  const blocked = await workplace.run('start')
  t.match(blocked.stderr, /gateway\.config\.ts: plugin \S+ failed to set up: .*data/)
  for (const { exitCode, stderr } of [empty, blocked]) {
    t.equal(exitCode, 1)
    t.notMatch(stderr, /\n {4}at /)
  }
})

t.test('only a terminal gets colour, unless the environment says otherwise', async t => {
  const workplace = new Workplace(config(''))
  t.teardown(() => workplace.remove())
  await keyOf(workplace)
  // eslint-disable-next-line no-control-regex
  const escape = /\u001b\[/
  for (const [environment, isColoured] of [
    [{}, false],
    [{ FORCE_COLOR: '1' }, true],
    [{ NO_COLOR: '1' }, false],
  ] as const) {
    const { stdout } = await workplace.spawn(['keys', 'list'], [], environment).finished
    t.equal(escape.test(stdout), isColoured, JSON.stringify(environment))
  }
})
