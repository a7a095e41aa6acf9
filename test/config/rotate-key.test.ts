import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import t from 'tap'
import { askProcess as ask, config, keyOf, Workplace } from '../kit/turnpike-process.ts'

t.test('a rotation changes the key file, and nothing else that anyone notices', async t => {
  const workplace = new Workplace(config(''))
  t.teardown(() => workplace.remove())
  const file = join(workplace.path, 'data', 'master.key')
  const key = await keyOf(workplace, '--logging')
  const running = workplace.spawn(['start'])
  const first = await ask(running, key)
  const before = readFileSync(file, 'utf8').trim()

  const rotated = await workplace.run('rotate-key')
  t.equal(rotated.exitCode, 0, rotated.stderr)
  const [current, previous, mac] = readFileSync(file, 'utf8').trim().split('\n')
  t.not(current, before)
  t.strictSame([previous, mac], [`previous: ${before}`, `mac: ${before}`])
  t.equal(statSync(file).mode & 0o777, 0o600)

  const second = await ask(running, key, { previous_response_id: first.id })
  t.match(second.text, /I remember turn 1/, 'the gateway that runs goes on')
  const beside = workplace.spawn(['start'])
  const third = await ask(beside, key, { previous_response_id: second.id })
  t.match(third.text, /I remember turn 2/)
  t.match((await ask(running, key, { previous_response_id: third.id })).text, /I remember turn 3/, 'and opens what another sealed')
  for (const gateway of [running, beside]) {
    gateway.signal('SIGTERM')
    t.notMatch((await gateway.finished).stderr, /cannot be opened/)
  }

  t.equal((await workplace.run('rotate-key')).exitCode, 0, 'a second time')
  t.ok(readFileSync(file, 'utf8').endsWith(`\nprevious: ${current}\nprevious: ${before}\nmac: ${before}\n`))
  // The data keys are sealed anew, so stored data does not need the earlier keys.
  const [newest] = readFileSync(file, 'utf8').split('\n')
  writeFileSync(file, `${newest}\nmac: ${before}\n`)
  const last = workplace.spawn(['start'])
  t.match((await ask(last, key, { previous_response_id: third.id })).text, /"status":"completed"/)
  last.signal('SIGTERM')
  await last.finished

  writeFileSync(file, `${newest}\nsomething else\n`)
  const database = new DatabaseSync(join(workplace.path, 'data', 'turnpike.db'), { readOnly: true })
  const audited = database.prepare("select actor, target from audit where action = 'master-key.rotate'").all()
  database.close()
  t.match(audited, [
    { actor: 'command-line', target: 'master-key' },
    { actor: 'command-line', target: 'master-key' },
  ])
  t.match((await workplace.run('rotate-key')).stderr, /line 2: expected "previous: <key>" or "mac: <key>"/)
})

t.test('with the master key in the environment, the command says what to do', async t => {
  const workplace = new Workplace(config(''))
  t.teardown(() => workplace.remove())
  const run = async (environment: Readonly<Record<string, string>>, ...command: readonly string[]) =>
    await workplace.spawn(command, [], environment).finished
  const [old, fresh] = ['ab'.repeat(32), 'cd'.repeat(32)]
  const key = (await run({ GATEWAY_MASTER_KEY: old }, 'keys', 'create', '--logging')).stdout.trim()
  const advice = await run({ GATEWAY_MASTER_KEY: old }, 'rotate-key')
  t.match(advice.stdout, /GATEWAY_PREVIOUS_MASTER_KEYS.*\n2\. .*GATEWAY_MASTER_KEY/)
  t.match((await run({ GATEWAY_MASTER_KEY: fresh }, 'rotate-key')).stderr, /was created with a master key that the gateway does not have/)

  const steps: readonly Readonly<Record<string, string>>[] = [
    { GATEWAY_MASTER_KEY: old, GATEWAY_PREVIOUS_MASTER_KEYS: fresh },
    { GATEWAY_MASTER_KEY: fresh, GATEWAY_PREVIOUS_MASTER_KEYS: `${old}, ${'ef'.repeat(32)}`, GATEWAY_MAC_KEY: old },
    { GATEWAY_MASTER_KEY: fresh, GATEWAY_MAC_KEY: old },
  ]
  let previous: string | undefined
  for (const environment of steps) {
    const gateway = workplace.spawn(['start'], [], environment)
    const answer = await ask(gateway, key, previous === undefined ? {} : { previous_response_id: previous })
    t.equal(answer.status, 200, answer.text)
    previous = answer.id
    gateway.signal('SIGTERM')
    await gateway.finished
  }
})
