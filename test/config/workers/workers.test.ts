import { setTimeout as delay } from 'node:timers/promises'
import t from 'tap'
import { checkStream } from '../../../core/testing/index.ts'
import { isLong } from '../../kit/long.ts'
import { askProcess, config, Workplace } from '../../kit/turnpike-process.ts'
import { workersOf } from '../../kit/workers-of.ts'
import { crowd } from './crowd.ts'
import { logged, slowStream, until } from './observed.ts'

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

const options = { skip: process.platform !== 'linux' && 'reads /proc' }

t.test('two workers serve as one gateway, through a crash and a reload', options, async t => {
  const workplace = new Workplace(config('workers: 2, admin: { port: 0 }'))
  t.teardown(() => workplace.remove())
  const gateway = workplace.spawn(['start'])
  t.teardown(() => gateway.signal('SIGKILL'))
  const url = await gateway.url()
  const port = Number(new URL(url).port)
  const [key] = await gateway.says(/tp_\w+/)
  const [, adminUrl] = await gateway.says(/admin API is on (http:\S+)/)
  t.equal(gateway.stdout.match(/tp_\w+_\w+/g)?.length, 2, 'one key, which the example uses')
  t.equal(gateway.stdout.match(/listens on/g)?.length, 1)
  t.same(logged(gateway, /./), [])

  const [first = 0, second = 0, ...more] = workersOf(gateway.pid)
  t.same(more, [], 'no process more')
  t.equal((await askProcess(gateway, key)).status, 200)

  process.kill(first, 'SIGKILL')
  const crash = await crowd(port, 500, 20, () => logged(gateway, /a worker ended/).length > 0)
  t.same(crash.failures, {}, 'the other one takes all connections')
  await until(() => workersOf(gateway.pid).length === 2)
  t.ok((await fetch(`${adminUrl}/`)).ok, 'so does the admin listener')
  t.match(logged(gateway, /a worker ended/), [{ level: 'error', worker: 1, pid: first, signal: 'SIGKILL' }])

  const reload = crowd(port, isLong ? 20_000 : 2_000, 20, () => logged(gateway, /^reloaded$/).length > 0)
  workplace.write(config('workers: 3, admin: { port: 0 }'))
  gateway.signal('SIGHUP')
  t.same((await reload).failures, {}, 'no connection fails during a reload')
  t.match(logged(gateway, /cannot change in a reload/), [
    { level: 'warn', message: /server\.workers .* stays 2, and the config now says 3/ },
  ])
  await until(() => workersOf(gateway.pid).length === 2)
  t.notOk(workersOf(gateway.pid).includes(second), 'all workers are new')
  t.equal((await askProcess(gateway, key)).status, 200)

  const kept = workersOf(gateway.pid)
  workplace.write(config('portt: 1'))
  gateway.signal('SIGUSR2')
  await until(() => logged(gateway, /was refused/).length > 0)
  t.match(logged(gateway, /was refused/), [{ level: 'error', problem: /gateway\.config\.ts: unknown option server\.portt/ }])
  t.same(workersOf(gateway.pid), kept, 'a broken config changes nothing')

  const taken = await workplace.spawn(['start', '--workers', '2', '--port', `${port}`]).finished
  t.match(taken, { exitCode: 1, stderr: /portt/ })
  workplace.write(config(''))
  t.match(await workplace.spawn(['start', '--workers', '2', '--port', `${port}`]).finished, {
    exitCode: 1,
    stdout: '',
    stderr: new RegExp(`^turnpike: Cannot listen on 127\\.0\\.0\\.1:${port}: the port is in use, perhaps by another gateway.*\n$`),
  })

  const rest = await slowStream(url, key)
  gateway.signal('SIGTERM')
  checkStream(await rest())
  t.equal((await gateway.finished).exitCode, 0)
  t.notOk(kept.some(isAlive))
})

t.test('workers finish their requests and end when the parent is killed', options, async t => {
  const workplace = new Workplace(config('workers: 2, admin: false'))
  t.teardown(() => workplace.remove())
  const gateway = workplace.spawn(['start'])
  const url = await gateway.url()
  const [key] = await gateway.says(/tp_\w+/)
  const workers = workersOf(gateway.pid)
  const rest = await slowStream(url, key)
  gateway.signal('SIGKILL')
  checkStream(await rest())
  await until(() => !workers.some(isAlive))
})

t.test('the admin listener leaves a worker that hangs', { skip: !isLong && 'waits for seconds' }, async t => {
  const workplace = new Workplace(config('workers: 2, admin: { port: 0 }, drainAnnounceMs: 0'))
  t.teardown(() => workplace.remove())
  const gateway = workplace.spawn(['start'])
  t.teardown(() => gateway.signal('SIGKILL'))
  await gateway.url()
  const [, adminUrl] = await gateway.says(/admin API is on (http:\S+)/)
  const isLive = async () => (await fetch(`${adminUrl}/live`, { headers: { connection: 'close' } })).ok
  const [first = 0, second = 0] = workersOf(gateway.pid)
  for (const hung of [first, second]) {
    process.kill(hung, 'SIGSTOP')
    await until(() => logged(gateway, /no sign of life/).some(({ pid }) => pid === hung))
    for (let asked = 0; asked < 10; asked++) t.ok(await isLive())
    process.kill(hung, 'SIGCONT')
    await delay(2_000)
  }
  t.ok(await isLive())
  gateway.signal('SIGTERM')
  t.equal((await gateway.finished).exitCode, 0)
})

t.test('workers cannot have keys of their own', async t => {
  const workplace = new Workplace(`
    import { defineConfig, defaults } from 'turnpike/config'
    export default defineConfig({ server: { port: 0 }, plugins: defaults({ without: ['ollama', 'sql'] }) })`)
  t.teardown(() => workplace.remove())
  const { exitCode, stderr } = await workplace.run('start', '--workers', '2')
  t.equal(exitCode, 1)
  t.match(stderr, /^turnpike: gateway\.config\.ts: API keys are kept in memory, so each worker would have its own\. .*\n$/)
})
