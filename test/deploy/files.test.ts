import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, globSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Ajv } from 'ajv'
import t from 'tap'
import { parse } from 'yaml'
import { loadConfig, type LoadedConfig } from '../../config/load.ts'
import { serverSchema } from '../../config/schema.ts'
import { isLong } from '../kit/long.ts'
import { BuildContext } from './build-context.ts'
import { programAt, pythonTool, run } from './tools.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const deploy = join(root, 'deploy')
const chart = join(deploy, 'helm/turnpike')
const { version } = JSON.parse(read(root, 'package.json')) as { readonly version: string }
const { drainAnnounceMs, drainTimeoutMs } = serverSchema.properties
/** Seconds. */
const drain = (drainAnnounceMs.default + drainTimeoutMs.default) / 1_000

function read(...path: readonly string[]): string {
  return readFileSync(join(...path), 'utf8')
}

t.test('the context of the image has no keys, no data and no tests', async t => {
  const { files } = new BuildContext(root)
  for (const wanted of ['package-lock.json', 'gateway.config.ts', 'deploy/docker/health.mjs', 'bin/turnpike.js', 'config/main.ts'])
    t.ok(files.includes(wanted), wanted)
  t.same(
    files.filter(file => /(^|\/)(\.env|data|node_modules|dist|test|\.git)(\/|$)|\.test\.ts$/.test(file)),
    [],
  )
})

const hadolint = programAt('hadolint') ?? (isLong ? pythonTool('hadolint') : undefined)

t.test('hadolint finds nothing in the Dockerfiles', { skip: hadolint === undefined && 'hadolint is not installed' }, async t => {
  const shown = [...read(root, 'docs/deployment.md').matchAll(/```dockerfile\n([^]*?)```/g)].map(([, text]) => text!)
  t.equal(shown.length, 1, 'the page shows one')
  for (const text of [read(deploy, 'docker/Dockerfile'), read(root, 'examples/gateway/Dockerfile'), ...shown]) {
    const { status, stdout } = spawnSync(hadolint!, ['--no-color', '-'], { encoding: 'utf8', input: text })
    t.same([status, stdout], [0, ''])
  }
})

interface Service {
  readonly image: string
  readonly command?: readonly string[]
  readonly secrets?: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  readonly networks: readonly string[]
  readonly ports?: readonly string[]
  readonly healthcheck?: object
  readonly restart: string
  readonly stop_grace_period?: string
  readonly read_only?: boolean
}

interface Compose {
  readonly services: Readonly<Record<string, Service>>
  readonly secrets: Readonly<Record<string, { readonly file: string }>>
}

t.test('compose waits for the drain, and shows the stores to nobody', async t => {
  const { services, secrets } = parse(read(deploy, 'compose/compose.yaml')) as Compose
  const { gateway, ...stores } = services
  t.equal(gateway!.image, `turnpike:${version}`)
  t.ok(parseInt(gateway!.stop_grace_period!) >= drain + 30)
  t.ok(gateway!.read_only)
  for (const port of gateway!.ports!) t.match(port, /^127\.0\.0\.1:/, 'only this machine reaches it')
  for (const [name, { healthcheck, networks, ports }] of Object.entries(stores)) {
    t.ok(healthcheck, name)
    t.same([networks, ports], [['stores'], undefined], name)
  }
  for (const { restart } of Object.values(services)) t.equal(restart, 'unless-stopped')
  const used = Object.values(services).flatMap(service => service.secrets ?? [])
  t.same(Object.keys(secrets).sort(), [...new Set(used)].sort())
  for (const [name, value] of Object.entries(gateway!.environment!)) {
    t.match(name, /_FILE$/, 'no secret is in a variable')
    t.ok(gateway!.secrets!.includes(value.replace('/run/secrets/', '')), name)
  }
})

t.test('the secrets of compose are made once, and only their owner can enter the folder', async t => {
  const folder = mkdtempSync(join(tmpdir(), 'turnpike-compose-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  cpSync(join(deploy, 'compose/make-secrets.sh'), join(folder, 'make-secrets.sh'))
  t.match(run('sh', [join(folder, 'make-secrets.sh')]), /has the secrets now\. Back up master_key/)
  const secrets = join(folder, 'secrets')
  const texts = Object.fromEntries(readdirSync(secrets).map(name => [name, read(secrets, name)]))
  const { secrets: wanted } = parse(read(deploy, 'compose/compose.yaml')) as Compose
  t.same(Object.keys(texts).sort(), Object.keys(wanted).sort())
  t.equal(statSync(secrets).mode & 0o777, 0o700)
  t.equal(Buffer.from(texts['master_key']!, 'base64').length, 32)
  t.equal(texts['database_url'], `postgres://turnpike:${texts['postgres_password']}@postgres:5432/turnpike`)
  t.match(run('sh', [join(folder, 'make-secrets.sh')]), /has secrets already/)
  t.equal(read(secrets, 'master_key'), texts['master_key'])
  const rights = /^ACL SETUSER turnpike on >\S+ (.*)$/m.exec(read(root, 'docs/valkey.md'))![1]
  t.match(texts['valkey_users'], new RegExp(`^user turnpike on #[0-9a-f]{64} ${rights!.replaceAll(/[+*|]/g, '\\$&')}$`, 'm'))
})

const valkey = programAt('valkey-server', 'redis-server')

t.test(
  'Valkey starts with the arguments of compose, and knows its users',
  { skip: valkey === undefined && 'needs valkey-server or redis-server' },
  async t => {
    const folder = mkdtempSync(join(tmpdir(), 'turnpike-valkey-'))
    cpSync(join(deploy, 'compose/make-secrets.sh'), join(folder, 'make-secrets.sh'))
    run('sh', [join(folder, 'make-secrets.sh')])
    const { services } = parse(read(deploy, 'compose/compose.yaml')) as Compose
    const [, ...words] = services['valkey']!.command!.map(word => word.replace('/run/secrets', join(folder, 'secrets')))
    const socket = join(folder, 'socket')
    const server = spawn(valkey!, [...words, '--port', '0', '--unixsocket', socket], { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] })
    t.teardown(async () => {
      const gone = once(server, 'exit')
      server.kill()
      await gone
      rmSync(folder, { recursive: true, force: true })
    })
    for await (const text of server.stdout.setEncoding('utf8').iterator({ destroyOnReturn: false })) if (/eady to accept/.test(text)) break
    server.stdout.resume()
    const [, password] = /turnpike:(\w+)@/.exec(read(folder, 'secrets/valkey_url'))!
    const ask = (...words: readonly string[]): string =>
      run(valkey!.replace('server', 'cli'), ['-s', socket, '--no-auth-warning', ...words]).trim()
    t.equal(ask('ping'), 'PONG', 'the health check')
    t.match(ask('get', 'turnpike:demo'), /NOPERM/, 'others may do nothing else')
    t.equal(ask('--user', 'turnpike', '--pass', password!, 'set', 'turnpike:demo', '1'), 'OK')
    t.match(ask('--user', 'turnpike', '--pass', password!, 'set', 'elsewhere', '1'), /NOPERM/)
  },
)

t.test('the values of the chart are as their schema says, and those that templates name', async t => {
  const values = parse(read(chart, 'values.yaml')) as object
  const validate = new Ajv({ strict: true, allErrors: true, allowUnionTypes: true }).compile(
    JSON.parse(read(chart, 'values.schema.json')) as object,
  )
  t.ok(validate(values), JSON.stringify(validate.errors))
  for (const wrong of [{ replicas: 2 }, { image: { digest: 'sha256:1' } }, { drain: { stopSeconds: 1 } }, { workers: 'all' }])
    t.notOk(validate({ ...values, ...wrong }), JSON.stringify(wrong))
  const { properties } = JSON.parse(read(chart, 'values.schema.json')) as { readonly properties: object }
  t.same(
    Object.keys(properties).filter(name => name !== 'global'),
    Object.keys(values),
  )
  const named = globSync('templates/**/*', { cwd: chart, withFileTypes: true })
    .filter(entry => entry.isFile())
    .flatMap(({ parentPath, name }) => [...read(parentPath, name).matchAll(/\.Values\.([\w.]+)/g)].map(([, path]) => path!))
  t.ok(named.length > 50)
  const missing = named.filter(
    path =>
      path.split('.').reduce<unknown>((value, name) => (value as Readonly<Record<string, unknown>> | undefined)?.[name], values) ===
      undefined,
  )
  t.same(missing, [])
})

t.test('the chart has the version of the gateway, and drains as it does', async t => {
  t.match(parse(read(chart, 'Chart.yaml')), { version, appVersion: version })
  const { drain: values, persistence } = parse(read(chart, 'values.yaml')) as {
    readonly drain: { readonly announceMs: number; readonly timeoutMs: number; readonly stopSeconds: number }
    readonly persistence: { readonly enabled: boolean }
  }
  t.match(values, { announceMs: drainAnnounceMs.default, timeoutMs: drainTimeoutMs.default })
  t.ok(values.stopSeconds >= 30)
  t.notOk(persistence.enabled)
})

t.test('the config of the chart takes what the chart gives it', async t => {
  const names = ['DRAIN_ANNOUNCE_MS', 'DRAIN_TIMEOUT_MS', 'ADMIN_HOSTS', 'METRICS', 'METRICS_TOKEN'] as const
  t.teardown(() => names.forEach(name => delete process.env[name]))
  const load = async (given: Partial<Record<(typeof names)[number], string>>): Promise<LoadedConfig> => {
    Object.assign(process.env, given)
    return await loadConfig(join(chart, 'files/gateway.config.ts'), { admin: { host: '0.0.0.0', port: 8081 } }, { isFresh: true })
  }
  const metricsOf = ({ plugins }: LoadedConfig): object | undefined => plugins.find(({ plugin }) => plugin.name === 'prometheus')?.options
  const config = await load({ DRAIN_ANNOUNCE_MS: '1000', DRAIN_TIMEOUT_MS: '2000', ADMIN_HOSTS: 'turnpike-admin,turnpike-admin.demo' })
  t.same(config.problems, [])
  t.match(config.server, {
    drainAnnounceMs: 1_000,
    drainTimeoutMs: 2_000,
    admin: { host: '0.0.0.0', port: 8081, hosts: ['turnpike-admin', 'turnpike-admin.demo'] },
  })
  t.equal(metricsOf(config), undefined)
  t.match(metricsOf(await load({ METRICS: 'true' })), { open: true })
  t.match(metricsOf(await load({ METRICS_TOKEN: 'demo-token-of-metrics' })), { token: 'demo-token-of-metrics' })
})

const unit = read(deploy, 'systemd/turnpike.service')

t.test('the unit waits for the drain and a database that is down', async t => {
  const [, seconds] = /^TimeoutStopSec=(\d+)$/m.exec(unit)!
  t.ok(Number(seconds) >= drain + 30)
  t.match(unit, /^ExecReload=\/bin\/kill -HUP \$MAINPID$/m)
  t.match(unit, /^KillMode=mixed$/m)
})

const analyze = programAt('systemd-analyze')

t.test('systemd finds nothing wrong with the unit', { skip: analyze === undefined && 'systemd-analyze is not installed' }, async t => {
  const folder = mkdtempSync(join(tmpdir(), 'turnpike-unit-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  mkdirSync(join(folder, 'site'))
  const file = join(folder, 'turnpike.service')
  // The programs and the folder have to be there.
  writeFileSync(file, unit.replace('/usr/bin/node', process.execPath).replaceAll('/opt/turnpike', join(folder, 'site')))
  const { status, stdout, stderr } = spawnSync(analyze!, ['verify', '--man=no', file], { encoding: 'utf8' })
  t.same([status, stdout + stderr], [0, ''])
  const security = spawnSync(analyze!, ['security', '--offline=yes', '--no-pager', '--threshold=25', file], { encoding: 'utf8' })
  t.equal(security.status, 0, security.stdout)
})
