import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { checkStream } from '../../core/testing/index.ts'
import { askProcess, Workplace } from '../kit/turnpike-process.ts'
import { crowd } from './workers/crowd.ts'
import { logged, slowStream, until } from './workers/observed.ts'

const gatewayConfig = (server: string): string => `
  import { defineConfig, defaults } from 'turnpike/config'
  import { sign } from './signs/sign.ts'
  export default defineConfig({
    server: { port: 0, admin: { port: 0 }, drainAnnounceMs: 0, ${server} },
    plugins: [...defaults({ without: ['ollama'] }), sign({})],
  })`

const words = (word: string): string => `import { createRequire } from 'node:module'
  const { mark } = createRequire(import.meta.url)('./mark.cjs')
  import data from './word.json' with { type: 'json' }
  export const word = '${word} ' + data.word + ' ' + mark + ' ' + process.env.SIGN`

const plugin = `
  import { definePlugin, Routes } from 'turnpike'
  import { word } from './word.ts'
  export const sign = definePlugin({
    name: 'sign',
    options: { type: 'object', additionalProperties: false, properties: {} },
    setup: gateway => gateway.add(Routes, { method: 'GET', path: '/sign', auth: 'none', handle: () => ({ status: 200, body: word }) }),
  })`

function write(workplace: Workplace, word: string): void {
  const folder = join(workplace.path, 'signs')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'sign.ts'), plugin)
  writeFileSync(join(folder, 'word.ts'), words(word))
  writeFileSync(join(folder, 'word.json'), JSON.stringify({ word }))
  writeFileSync(join(folder, 'mark.cjs'), `exports.mark = '${word}'`)
  writeFileSync(join(workplace.path, '.env'), `SIGN=${word}`)
}

t.test('one process reloads its config, and loses no connection and no stream', async t => {
  const workplace = new Workplace(gatewayConfig(''))
  t.teardown(() => workplace.remove())
  write(workplace, 'one')
  const gateway = workplace.spawn(['start'])
  t.teardown(() => gateway.signal('SIGKILL'))
  const url = await gateway.url()
  const [, adminUrl] = await gateway.says(/admin API is on (http:\S+)/)
  const [key] = await gateway.says(/tp_\w+/)
  const sign = async (): Promise<string> => await (await fetch(`${url}/sign`)).text()
  t.equal(await sign(), 'one one one one')

  const rest = await slowStream(url, key)
  const reloaded = (times: number) => (): boolean => logged(gateway, /^reloaded$/).length === times
  const visitors = crowd(Number(new URL(url).port), 500, 10, reloaded(1))
  write(workplace, 'two')
  workplace.write(gatewayConfig('host: "::1", tls: undefined'))
  gateway.signal('SIGHUP')
  t.same((await visitors).failures, {})
  t.equal(await sign(), 'two two two two', 'all local files and the file .env were read anew')
  checkStream(await rest())
  t.match(logged(gateway, /cannot change in a reload/), [
    {
      level: 'warn',
      message: 'server.host cannot change in a reload: it stays 127.0.0.1, and the config now says ::1. Restart the gateway.',
    },
  ])
  t.equal((await askProcess(gateway, key)).status, 200)
  t.ok((await fetch(`${adminUrl}/`)).ok)
  t.equal(gateway.stdout.match(/tp_\w+_\w+/g)?.length, 2, 'no further key')

  writeFileSync(join(workplace.path, 'signs', 'word.ts'), 'export const word = (')
  gateway.signal('SIGUSR2')
  await until(() => logged(gateway, /was refused/).length > 0)
  t.match(logged(gateway, /was refused/), [{ level: 'error', problem: /gateway\.config\.ts: It cannot be loaded/ }])
  t.equal(await sign(), 'two two two two')

  write(workplace, 'three')
  workplace.write(gatewayConfig('admin: false'))
  gateway.signal('SIGUSR2')
  await until(reloaded(2))
  t.equal(await sign(), 'three three three three')
  gateway.signal('SIGTERM')
  t.equal((await gateway.finished).exitCode, 0)
  t.same(logged(gateway, /./).filter(({ level }) => level === 'error').length, 1)
})

t.test('keys that are kept in memory outlive a signal to reload, also one during the start', async t => {
  const workplace = new Workplace(`
    import { existsSync, writeFileSync } from 'node:fs'
    import { defineConfig, defaults } from 'turnpike/config'
    export default defineConfig({ server: { port: 0, drainAnnounceMs: 0 }, plugins: defaults({ without: ['ollama', 'sql'] }) })
    if (!existsSync('begun')) {
      writeFileSync('begun', '')
      process.kill(process.pid, 'SIGHUP')
    }`)
  t.teardown(() => workplace.remove())
  const gateway = workplace.spawn(['start'])
  t.teardown(() => gateway.signal('SIGKILL'))
  await gateway.url()
  const [key] = await gateway.says(/tp_\w+/)
  for (const signals of [1, 2]) {
    if (signals === 2) gateway.signal('SIGHUP')
    await until(() => logged(gateway, /was refused/).length >= signals)
  }
  const problem = /API keys are kept in memory, and a reload would lose them/
  t.match(logged(gateway, /was refused/), [{ problem }, { problem }])
  t.equal((await askProcess(gateway, key)).status, 200)
  gateway.signal('SIGTERM')
  t.equal((await gateway.finished).exitCode, 0)
})
