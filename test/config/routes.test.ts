import t from 'tap'
import { config, keyOf, Workplace } from '../kit/turnpike-process.ts'

const catalog = `
  fileCatalog({
    models: [{
      model: 'm',
      endpoints: [
        { provider: 'sandbox', upstreamModel: 'echo', price: { input: 2, output: 2 } },
        { provider: 'second', upstreamModel: 'echo', price: { input: 0.01, output: 0.01 } },
      ],
    }],
  }), sandbox({ id: 'second' })`

const imports = `
  import fileCatalog from 'turnpike/plugins/catalogs/file'
  import sandbox from 'turnpike/plugins/providers/sandbox'`

t.test('the order that a request would get now, by what a running gateway has measured', async t => {
  const workplace = new Workplace(imports + config('', catalog))
  t.teardown(() => workplace.remove())
  const json = async (...options: readonly string[]): Promise<any> => {
    const { exitCode, stdout, stderr } = await workplace.run('routes', 'm', '--json', ...options)
    t.equal(exitCode, 0, stderr)
    return JSON.parse(stdout)
  }
  t.match(await json(), {
    sort: 'performance',
    interval_ms: 900_000,
    candidates: [{ provider: 'sandbox', requests: 0 }, { provider: 'second' }],
  })
  const fresh = await workplace.run('routes', 'm')
  t.match(
    fresh.stdout,
    /^# +PROVIDER +MODEL +PERFORMANCE \(s\) +REQUESTS +UPTIME +NOTE\n1 +sandbox +m +- +0 +- +no attempts\n2 +second +m /,
  )
  t.match(fresh.stdout, /There were no attempts in that time/)

  const token = { GATEWAY_ADMIN_TOKEN: 'demo-admin-token-of-at-least-32-characters' }
  const gateway = workplace.spawn(['start'], [], token)
  const [, adminUrl] = await gateway.says(/The admin API is on (http:\S+)/)
  const url = await gateway.url()
  const key = await keyOf(workplace, '--name', 'demo', '--providers', 'sandbox', '--models', 'm')
  for (let request = 0; request < 3; request++)
    await fetch(`${url}/v1/responses`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'm', input: 'hello', stream: true }),
    }).then(reply => reply.text())
  const asked = await workplace.spawn(['routes', 'm', '--key', 'demo', '--url', adminUrl!], [], token).finished
  t.match(
    asked.stdout,
    /\n1 +sandbox +m +[\d.]+ +3 +100\.00%\n- +second +m +- +0 +- +the key does not allow it\n/,
    'what was just measured',
  )
  t.match(asked.stdout, /\nThis order comes from the running gateway\.\n$/)
  const stranger = await workplace.spawn(['routes', 'm', '--url', adminUrl!], [], {}).finished
  t.match([stranger.exitCode, stranger.stderr], [1, /--url needs an admin token\. Set GATEWAY_ADMIN_TOKEN to one\./])
  gateway.signal('SIGTERM')
  await gateway.finished

  const measured = await json('--interval', '1 hour')
  t.match(measured, {
    interval_ms: 3_600_000,
    candidates: [
      { provider: 'sandbox', requests: 3, uptime: 1 },
      { provider: 'second', requests: 0 },
    ],
  })
  t.match(await json('--sort', 'cost'), { sort: 'cost', unit: 'USD', candidates: [{ provider: 'second' }, { provider: 'sandbox' }] })
  t.match(await json('--key', 'demo'), {
    candidates: [
      { provider: 'sandbox', passed_over: null },
      { provider: 'second', passed_over: 'permission' },
    ],
    passed_over: { permission: 1 },
  })
  const { stdout } = await workplace.run('routes', 'm', '--key', 'demo', '--sort', 'p95_latency', '--interval', '2 days')
  t.match(stdout, /\n1 +sandbox +m +[\d.]+ +3 +100\.00%\n- +second +m +- +0 +- +the key does not allow it\n/)
  t.match(stdout, /Ordered by p95_latency, over the last 2 days\.\nThis order comes from the stored metrics, .*\n$/)

  for (const [commandLine, message] of [
    [['nobody'], /^turnpike: The model "nobody" does not exist here\./],
    [['m', '--sort', 'beauty'], /Invalid value for 'sort': 'beauty' is not a sort\. Expected performance, cost/],
    [['m', '--sort', 'latncy'], /Did you mean latency\?/],
    [['autoo'], /The model "autoo" does not exist here\. Did you mean auto/],
    [['m', '--intervall', '1h'], /unknown option '--intervall'/],
    [['m', '--key'], /argument missing/],
    [['m', '--interval', '5 months'], /"5 months" is not an interval\. Expected a whole number and a unit/],
    [['m', '--key', 'dem'], /No key has the id or name "dem"\. Did you mean demo\?/],
    [['sandbox/slow', '--key', 'demo'], /may not use the model/],
    [[], /missing required argument 'model'/],
  ] as const) {
    const { exitCode, stderr, stdout: nothing } = await workplace.run('routes', ...commandLine)
    t.equal(exitCode, 1)
    t.equal(nothing, '')
    t.match(stderr, message)
    t.notMatch(stderr, /^ {4}at /m)
  }
})
