import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import { config, Workplace } from '../kit/turnpike-process.ts'

const token = 'demo-admin-token-of-at-least-32-characters'

type ShownOptions = Readonly<Record<string, unknown>>

interface ShownConfig {
  readonly server: ShownOptions
  readonly plugins: readonly { readonly name: string; readonly options: ShownOptions }[]
}

t.test('commands say the same with a running gateway as with its stores', async t => {
  const workplace = new Workplace(config(''))
  t.teardown(() => workplace.remove())
  const gateway = workplace.spawn(['start'], [], { GATEWAY_ADMIN_TOKEN: token })
  t.teardown(() => gateway.signal('SIGKILL'))
  const [, url] = await gateway.says(/The admin API is on (http:\S+)/)
  await gateway.url()
  const run = async (environment: Record<string, string>, ...commandLine: readonly string[]) => {
    const { exitCode, stdout, stderr } = await workplace.spawn(commandLine, [], environment).finished
    t.equal(exitCode, 0, stderr)
    return stdout
  }
  const remote = (...commandLine: readonly string[]) => run({ GATEWAY_ADMIN_TOKEN: token }, ...commandLine, '--url', url!)
  const created = JSON.parse(await remote('keys', 'create', '--name', 'remote', '--org', 'acme', '--team', 'research', '--json'))
  t.match(created, { key: /^tp_/, name: 'remote', org: 'acme', team: 'research' })
  t.match(JSON.parse(await remote('orgs', 'update', 'acme', '--spend-cap', '5', '--enforce', 'zdr=on', '--json')), {
    id: 'acme',
    spend_cap_usd: 5,
    policy: { zdr: { value: true, enforced: true } },
  })
  t.match(await remote('orgs', 'list'), /^ID +NAME +SPEND CAP \(USD\).*\nacme +acme +5 /)
  t.match(await remote('keys', 'list'), /remote +acme\/research/)
  for (const list of ['keys', 'orgs', 'teams', 'users', 'admin-tokens'])
    t.equal(await run({}, list, 'list', '--json'), await remote(list, 'list', '--json'), list)
  const until = new Date(Date.now() + 3_600_000).toISOString()
  t.match(await remote('alerts', 'silence', '--kind', 'cap', '--org', 'acme', '--until', until), /^sil_\w+ silences until 20/)
  t.match(await run({}, 'alerts', 'silences'), /^ID +UNTIL +KIND .*\nsil_\w+ .* cap /)
  t.equal(await remote('alerts'), 'No alerts match.\n')
  const target = ['alerts', 'add-target', '--org', 'acme', '--name', 'On call', '--kinds', 'cap,credit', '--json']
  const echo = ['sh', '-c', 'echo https://hooks.example.com/demo | "$@"', '--']
  const added = await workplace.spawn([...target, '--url', url!], [], { GATEWAY_ADMIN_TOKEN: token }, echo).finished
  t.match(JSON.parse(added.stdout), { org: 'acme', kinds: ['cap', 'credit'], host: 'hooks.example.com', secret: /^whsec_/ })
  t.match((await workplace.spawn(target).finished).stderr, /Expected an address on standard input, got nothing/)
  t.match(await run({}, 'alerts', 'targets', '--org', 'acme'), /^ID +ORG +NAME .*\nat_\w+ +acme +On call +json +hooks\.example\.com /)
  t.equal(await run({}, 'alerts', 'messages', '--failed'), 'No messages match.\n')
  t.equal(await remote('alerts', 'resend', '--all'), 'No messages have failed.\n')
  t.match((await workplace.spawn(['alerts', 'resend']).finished).stderr, /Expected the id of a message, --all, or --target/)
  t.match(await remote('orgs', 'credit', 'acme', '10', '--note', 'Invoice 7'), /amount_usd +10/)
  const reply = await fetch(`${await gateway.url()}/v1/responses`, {
    method: 'POST',
    headers: { authorization: `Bearer ${created.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'sandbox/echo', input: 'hi' }),
  })
  t.equal(reply.status, 422, 'the organization enforces zero data retention, and the sandbox has no certificate')
  const id = reply.headers.get('x-request-id')
  let records = ''
  // Records are written a moment after the reply.
  while (!records.includes(id!)) records = await remote('records', 'list', '--status', '422')
  t.equal(await run({}, 'records', 'show', id!, '--json'), await remote('records', 'show', id!, '--json'))
  const failed = ['records', '--failed', '--since', '1h', '--slow', '--reason', 'policy', '--min', 'elapsed_ms=0']
  t.match(await remote(...failed), new RegExp(`ERROR CODE +REASON +KEY .*\\n.* ${id} +422 +policy_refusal +policy `))
  const story = await remote('explain', id!)
  t.match(story, /failed with 422 policy_refusal .*Policy +zdr on \(org\).*Failed by +the policy of the organization acme\n/s)
  t.match(story, /Asked +sandbox\/echo, generation\n +by key remote \(/)
  t.notMatch(story, '\u001b', 'no colours')
  t.equal(await remote('explain', id!, '--json'), await remote('records', 'show', id!, '--json'))
  const unknown = await workplace.spawn(['explain', 'req_unknown', '--url', url!], [], { GATEWAY_ADMIN_TOKEN: token }).finished
  t.match([unknown.exitCode, unknown.stderr], [1, /No record has the id req_unknown, or this token may not see it\./])
  const late = await workplace.spawn(['records', '--since', 'soon']).finished
  t.match([late.exitCode, late.stderr], [1, /Expected a number and a unit, such as 30m, 2h or 3d\./])
  const usage = ['usage', '--user', 'nobody', '--bucket', 'total']
  t.same([await run({}, ...usage, '--json'), await remote(...usage, '--json')], ['[]\n', '[]\n'], 'of one user')
  t.equal(await remote('records', '--status', '422', '--json'), await remote('records', 'list', '--status', '422', '--json'))
  for (const list of ['keys', 'orgs', 'teams', 'users', 'admin-tokens'])
    t.equal(await remote(list, '--json'), await remote(list, 'list', '--json'), `${list} lists`)
  t.match(await remote('keys', '--help'), /Usage: turnpike keys .*create/s)
  const typing = await workplace.spawn(['keys', 'craete', '--name', 'x']).finished
  t.equal(typing.exitCode, 1)
  t.match(typing.stderr, /turnpike: unknown command 'craete'\. Did you mean create\?/)
  await remote('orgs', 'create', '--name', 'Globex', '--id', 'globex')
  for (const org of ['acme', 'globex']) await remote('users', 'create', '--name', 'Ada', '--id', 'ada', '--org', org)
  const ambiguous = await workplace.spawn(['users', 'delete', 'ada'], [], {}).finished
  t.match(ambiguous.stderr, /Several organizations have a user "ada".* --org/)
  t.match(await remote('users', 'update', 'ada', '--org', 'acme', '--team', 'research'), /team +research/)
  t.match(await remote('users', 'update', 'ada', '--org', 'acme', '--no-team'), /team +-/)
  const elsewhere = await workplace.spawn(['keys', 'list', '--url', 'http://127.0.0.1:9'], [], { GATEWAY_ADMIN_TOKEN: token }).finished
  t.equal(elsewhere.exitCode, 1)
  t.match(elsewhere.stderr, /The admin API at http:\/\/127\.0\.0\.1:9 does not answer/)
  const open = await workplace.spawn(['keys', 'list', '--url', await gateway.url()], [], { GATEWAY_ADMIN_TOKEN: token }).finished
  t.equal(open.stderr, 'turnpike: The server that answered with status 404 is not the admin API. Check the URL.\n', 'the public API')
  const undecided = await workplace.spawn(['orgs', 'update', 'acme', '--enforce', 'hipaa=on', '--release', 'zdr,hipaa']).finished
  t.match([undecided.exitCode, undecided.stderr], [1, /--enforce and --release both name hipaa\. Name it in only one of them\./])
  for (const [status, body] of [
    [200, '{}'],
    [200, '<p>Welcome</p>'],
    [502, '{"detail":"down"}'],
  ] as const) {
    const server = createServer((_, reply) => reply.writeHead(status).end(body)).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const other = ['keys', 'list', '--url', `http://127.0.0.1:${port}`]
    const { exitCode, stderr } = await workplace.spawn(other, [], { GATEWAY_ADMIN_TOKEN: token }).finished
    t.equal(exitCode, 1)
    t.match(stderr, /^turnpike: The server that answered.* is not the admin API\. Check the URL\.\n$/)
    server.close()
  }
  const stranger = await workplace.spawn(['keys', 'list', '--url', url!], [], { GATEWAY_ADMIN_TOKEN: 'x'.repeat(32) }).finished
  t.match(stranger.stderr, /The admin token is unknown/)
  gateway.signal('SIGTERM')
  t.equal((await gateway.finished).exitCode, 0)
})

t.test('the first start prints an admin token, and a short GATEWAY_ADMIN_TOKEN is refused', async t => {
  const workplace = new Workplace(config(''))
  t.teardown(() => workplace.remove())
  const gateway = workplace.spawn(['start'])
  t.teardown(() => gateway.signal('SIGKILL'))
  const [, printed] = await gateway.says(/(ta_\w+)/)
  const [, url] = await gateway.says(/The admin API is on (http:\S+)/)
  t.equal((await fetch(`${url}/admin/v1/keys`, { headers: { authorization: `Bearer ${printed}` } })).status, 200)
  t.equal((await fetch(`${url}/admin/v1/keys`)).status, 401)
  await gateway.says(/Turnpike listens/)
  const audit = await fetch(`${url}/admin/v1/audit`, { headers: { authorization: `Bearer ${printed}` } })
  const { data } = (await audit.json()) as { readonly data: readonly { readonly action: string; readonly target: string }[] }
  t.strictSame(
    data.map(({ action, target }) => [action, target]),
    [
      ['keys.create', (await workplace.run('keys', 'list')).stdout.split('\n')[1]?.split(' ')[0]],
      ['admin-tokens.create', printed!.split('_')[1]],
    ],
  )
  const port = new URL(url!).port
  const taken = new Workplace(config(`admin: { port: ${port} }`))
  t.teardown(() => taken.remove())
  const second = await taken.spawn(['start']).finished
  t.equal(second.exitCode, 1)
  t.match(second.stderr, /the port is in use.*--admin-port/)
  const short = await workplace.spawn(['start'], [], { GATEWAY_ADMIN_TOKEN: 'short' }).finished
  t.match(short.stderr, /GATEWAY_ADMIN_TOKEN must have at least 32 characters/)
})

t.test('the config in effect says where each value comes from', async t => {
  const workplace = new Workplace(`
    import { defaults, defineConfig, env } from 'turnpike/config'
    import httpLog from 'turnpike/plugins/logs/http'
    import sql from 'turnpike/plugins/stores/sql'
    export default defineConfig({
      server: { port: 0, admin: { port: 0 }, mediaHosts: [env('MEDIA_HOST')], maxBodyBytes: Number(env('BODY_BYTES')), retries: 1 },
      plugins: [...defaults({ without: ['ollama', 'sql'] }), sql({ file: env('DATABASE_FILE'), cacheTtlMs: 500 }),
        httpLog({ url: 'https://logs.example.com/receiver/hush' })],
    })`)
  t.teardown(() => workplace.remove())
  const gateway = workplace.spawn(['start', '--port', '0'], [], {
    GATEWAY_ADMIN_TOKEN: token,
    GATEWAY_MASTER_KEY: 'ab'.repeat(32),
    GATEWAY_PREVIOUS_MASTER_KEYS: `${'cd'.repeat(32)}, ${'ef'.repeat(32)}`,
    MEDIA_HOST: 'media.example.com',
    BODY_BYTES: '1000000',
    DATABASE_FILE: './demo.db',
  })
  t.teardown(() => gateway.signal('SIGKILL'))
  const [, url] = await gateway.says(/The admin API is on (http:\S+)/)
  const reply = await fetch(`${url}/admin/v1/config`, { headers: { authorization: `Bearer ${token}` } })
  const { server, plugins } = (await reply.json()) as ShownConfig
  const optionsOf = (wanted: string): ShownOptions => plugins.find(({ name }) => name === wanted)!.options
  t.strictSame(server.port, { value: 0, source: 'command-line' })
  t.strictSame(server.retries, { value: 1, source: 'config' })
  t.strictSame(server.maxAttempts, { value: 8, source: 'default' })
  t.strictSame(server.mediaHosts, { value: ['media.example.com'], source: 'environment', variables: ['MEDIA_HOST'] })
  t.strictSame(server.maxBodyBytes, { value: 1_000_000, source: 'environment', variables: ['BODY_BYTES'] })
  t.strictSame(optionsOf('sql').file, { value: './demo.db', source: 'environment', variables: ['DATABASE_FILE'] })
  t.strictSame(optionsOf('sql').cacheTtlMs, { value: 500, source: 'config' })
  t.strictSame(optionsOf('http-log(logs.example.com)').url, { value: '***', source: 'config' }, 'a path may be a token')
  t.match(optionsOf('http-log(logs.example.com)').deadLetterFile, { value: './data/logs/dead-letters.jsonl' })
  t.strictSame(optionsOf('local-sealer').masterKey, { value: '***', source: 'environment', variables: ['GATEWAY_MASTER_KEY'] })
  t.strictSame(optionsOf('local-sealer').previousKeys, {
    value: ['***', '***'],
    source: 'environment',
    variables: ['GATEWAY_PREVIOUS_MASTER_KEYS'],
  })
})
