import { setTimeout as delay } from 'node:timers/promises'
import t from 'tap'
import create from '../../config/keys/create.ts'
import rotate from '../../config/keys/rotate.ts'
import { config, keyOf, Workplace } from '../kit/turnpike-process.ts'

t.test('keys are listed, shown, disabled, enabled and rotated beside a running gateway, which follows', async t => {
  const workplace = new Workplace(config(''))
  t.teardown(() => workplace.remove())
  const gateway = workplace.spawn(['start'])
  const url = await gateway.url()
  const key = await keyOf(workplace, '--name', 'demo', '--team', 'research', '--spend-cap', '0.50')
  const id = key.split('_')[1]!
  const status = async (apiKey: string): Promise<number> =>
    (await fetch(`${url}/v1/models`, { headers: { authorization: `Bearer ${apiKey}` } })).status
  const becomes = async (apiKey: string, expected: number): Promise<void> => {
    while ((await status(apiKey)) !== expected) await delay(20)
  }
  const json = async (...commandLine: readonly string[]): Promise<any> => {
    const { exitCode, stdout, stderr } = await workplace.run('keys', ...commandLine, '--json')
    t.equal(exitCode, 0, stderr)
    t.equal(stderr, '')
    t.notMatch(stdout, /hash/)
    return JSON.parse(stdout)
  }
  t.equal(await status(key), 200)

  t.match(await json('list'), [
    { name: 'first' },
    { id, name: 'demo', org: 'default', team: 'research', spend_cap_usd: 0.5, disabled: false },
  ])
  const { stdout: listed } = await workplace.run('keys', 'list')
  t.match(listed, new RegExp(`^ID +NAME +OWNER +STATUS +CREATED\\n.*\\n${id} +demo +default/research +active +20`))
  t.match(await json('show', 'demo'), { id, user: null })
  t.match(await json('show', key), { id }, 'by the whole key')
  t.match((await workplace.run('keys', 'show', id)).stdout, /^name +demo$/m)

  t.match(await json('update', 'demo', '--spend-cap', '2', '--models', 'sandbox/echo,sandbox/slow', '--no-logging'), {
    id,
    team: 'research',
    spend_cap_usd: 2,
    models: ['sandbox/echo', 'sandbox/slow'],
    policy: { logging: { value: false } },
  })
  t.match(await json('update', id, '--no-models', '--no-spend-cap', '--logging', '--tokens-per-minute', '1000'), {
    spend_cap_usd: null,
    models: null,
    limits: [{ tokens: 1000, window_s: 60 }],
    policy: { logging: { value: true } },
  })
  t.match(await json('show', id), {
    spend_cap_usd: null,
    models: null,
    limits: [{ tokens: 1000, window_s: 60 }],
    policy: { logging: { value: true } },
  })
  t.match((await workplace.run('keys', 'update', id, '--name', 'other')).stdout, `${id} (other) is updated.`)
  t.match(await json('update', 'other', '--name', 'demo'), { id, name: 'demo', limits: [{ tokens: 1000, window_s: 60 }] })
  t.match((await workplace.run('keys', 'update', id)).stderr, /Nothing to change: name at least one option/)
  for (const arguments_ of [
    ['keys', 'show', ''],
    ['orgs', 'show', ''],
    ['keys', 'delete', ''],
    ['routes', 'sandbox/echo', '--key', ''],
  ]) {
    const { exitCode, stderr } = await workplace.run(...arguments_)
    t.equal(exitCode, 1)
    t.match(stderr, /is empty\. Did a variable of your shell have no value\?/)
  }

  t.match(await json('disable', 'demo'), { id, disabled: true })
  await becomes(key, 401)
  t.match((await workplace.run('keys', 'enable', id)).stdout, `${id} (demo) is enabled.`)
  await becomes(key, 200)

  const { key: second } = await json('rotate', id, '--grace-seconds', '3600')
  await becomes(second, 200)
  t.equal(await status(key), 200, 'the old one is still valid')
  const third = (await workplace.run('keys', 'rotate', 'demo')).stdout.trim()
  await becomes(third, 200)
  t.same([await status(key), await status(second)], [401, 401])

  const created = await json('create', '--name', 'demo', '--limits', '5t/60s,10r/1s:exact')
  t.match(created, {
    key: /^tp_/,
    name: 'demo',
    limits: [
      { tokens: 5, window_s: 60 },
      { requests: 10, window_s: 1, exact: true },
    ],
  })
  for (const [commandLine, message] of [
    [['show', 'demo'], /2 keys are named "demo"\. Use an id: /],
    [['disable', 'frist'], /No key has the id or name "frist"\. Did you mean first\?/],
  ] as const) {
    const { exitCode, stdout, stderr } = await workplace.run('keys', ...commandLine)
    t.equal(exitCode, 1)
    t.equal(stdout, '')
    t.match(stderr, message)
  }
  gateway.signal('SIGTERM')
  await gateway.finished
})

t.test('a key that could not work is warned of, on standard error', async t => {
  const workplace = new Workplace(config(''))
  t.teardown(() => workplace.remove())
  const { exitCode, stdout, stderr } = await workplace.run(
    'keys',
    'create',
    '--models',
    'openai/gpt-4o,gpt-4o',
    '--providers',
    'sandbx',
    '--zdr',
  )
  t.equal(exitCode, 0)
  t.match(stdout, /^tp_\w+\n$/)
  t.match(stderr, /Warning: .*"openai\/gpt-4o"\. The provider "openai" is not loaded: set OPENAI_API_KEY/)
  t.match(stderr, /Warning: .*"gpt-4o"\. None of its providers is loaded: set OPENAI_API_KEY, or /)
  t.match(stderr, /Warning: .*"sandbx"\. Did you mean sandbox\?/)
  t.match(stderr, /Warning: No endpoint in the catalog has "zdr" set/)
})

t.test('options that cannot be are refused before anything is opened', async t => {
  for (const [command, commandLine, message] of [
    [
      create,
      ['--spend-cap', 'abc'],
      "option '--spend-cap <usd>' argument 'abc' is invalid. Expected an amount above 0, such as 5 or 0.50.",
    ],
    [create, ['--spend-cap', '-5'], "argument '-5' is invalid"],
    [create, ['--spend-cap', '0'], "argument '0' is invalid"],
    [create, ['--spend-cap', '1e999'], "argument '1e999' is invalid"],
    [create, [`--spend-cap=${'9'.repeat(400)}`], 'Expected an amount above 0'],
    [create, ['--tokens-per-minute', '0'], "argument '0' is invalid. Expected a whole number above 0."],
    [create, ['--tokens-per-minute', '1.5'], "argument '1.5' is invalid"],
    [create, ['--name', ''], "argument '' is invalid. Expected a name"],
    [create, ['--org', ' '], "argument ' ' is invalid. Expected a name"],
    [rotate, ['demo', '--grace-seconds', 'soon'], "argument 'soon' is invalid. Expected a whole number of seconds from 0 to 31536000."],
    [rotate, [], "missing required argument 'key'"],
  ] as const) {
    const told = command.exitOverride().configureOutput({ writeErr() {} })
    await t.rejects(told.parseAsync(commandLine, { from: 'user' }), { code: /^commander\./, message }, commandLine.join(' '))
  }
})

t.test('a period without a cap is refused, since the key could spend any amount', async t => {
  const workplace = new Workplace(config(''))
  t.teardown(() => workplace.remove())
  const { exitCode, stdout, stderr } = await workplace.run('keys', 'create', '--spend-period', 'day')
  t.same([exitCode, stdout], [1, ''])
  t.match(stderr, /--spend-period needs --spend-cap/)
})
