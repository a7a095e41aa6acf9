import { once } from 'node:events'
import { cpSync, globSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { isLong } from '../kit/long.ts'
import { makeBuiltStage, noBuiltStage, packagesBelow } from './built-stage.ts'
import { Container, noContainers } from './container.ts'
import { stagesOf } from './dockerfile.ts'
import { dockerfile, ImageBuild } from './image.ts'

// The image's file system, made by the steps of the Dockerfile, and the gateway in it. In the short form, what the first stage would have
// built comes from the build of the tests.

t.test('the Dockerfile has a stage that builds and one that runs', async t => {
  const stages = stagesOf(dockerfile)
  t.match(
    stages.map(({ name, base }) => [name, base]),
    [
      ['build', 'node:24-trixie-slim'],
      [undefined, 'node:24-trixie-slim'],
    ],
  )
  const own = stages.at(-1)!.steps
  t.match(own.find(({ instruction }) => instruction === 'USER')?.text, /^\d+:\d+$/, 'Kubernetes knows only numbers as non-root')
  t.notMatch(own.find(({ instruction }) => instruction === 'HEALTHCHECK')?.text, /curl|wget|npm/)
  for (const name of ['ENTRYPOINT', 'CMD'])
    t.match(own.find(({ instruction }) => instruction === name)?.text, /^\[/, `${name} starts no shell that would keep signals`)
})

const skip = noContainers || (!isLong && noBuiltStage)

t.test('the image runs as a stranger on a file system that it cannot change', { skip, timeout: 1_800_000 }, async t => {
  const scratch = mkdtempSync(join(tmpdir(), 'turnpike-container-'))
  const build = new ImageBuild()
  t.teardown(() => {
    build.remove()
    rmSync(scratch, { recursive: true, force: true })
  })
  const stage = join(scratch, 'stage')
  if (!isLong) makeBuiltStage(stage)
  const image = build.build(isLong ? {} : { build: stage })
  const data = join(scratch, 'data')
  mkdirSync(data, { mode: 0o700 })

  await t.test('it has what a gateway needs, and nothing else', async t => {
    const modules = join(image.root, 'gateway/node_modules')
    const expected = new Set(['turnpike', ...packagesBelow('.'), ...(isLong ? peers.flatMap(withPackages) : [])])
    t.same(globSync(['[!@.]*', '@*/*'], { cwd: modules }).sort(), [...expected].sort(), 'no development dependency')
    for (const name of expected)
      if (name !== 'turnpike') t.equal(versionOf(modules, name), versionOf(ownModules, name), `${name} is the version of the tests`)
    for (const name of ['npm', 'npx', 'corepack', 'yarn']) t.notOk(readdirSync(join(image.root, 'usr/local/bin')).includes(name), name)
    t.notOk(readdirSync(join(image.root, 'opt')).length, 'nothing of yarn is left')
    const files = globSync('**', { cwd: join(image.root, 'gateway'), withFileTypes: true }).filter(entry => entry.isFile())
    t.ok(files.length > 50)
    const modes = files.map(file => [file.name, statSync(join(file.parentPath, file.name))] as const)
    t.same(
      modes.filter(([, { mode, uid }]) => uid !== 0 || (mode & 0o004) === 0 || (mode & 0o022) !== 0).map(([name]) => name),
      [],
      'everybody may read it, and only root may write',
    )
    t.same(image.volumes, ['/gateway/data'])
    t.match(statSync(join(image.root, 'gateway/data')), { uid: 1000, gid: 1000 })
    t.equal(statSync(join(image.root, 'gateway/data')).mode & 0o777, 0o700)
  })

  await t.test('it can be stopped before it serves', async t => {
    const folder = join(scratch, 'waiting')
    mkdirSync(folder)
    const waits = `console.log('loading'); await new Promise(() => setInterval(() => {}, 1_000))`
    writeFileSync(join(folder, 'waiting.config.ts'), waits)
    const container = new Container(image, { data: folder, command: ['start', '--config', 'data/waiting.config.ts'] })
    t.teardown(() => container.kill())
    await container.says(/loading/)
    container.signal('SIGTERM')
    t.match(await container.ended, { exitCode: 143 })
  })

  await t.test('it serves, is healthy, drains, and writes only its data', async t => {
    const container = new Container(image, { data })
    t.teardown(() => container.kill())
    await container.says(/Turnpike listens on http:\/\/127\.0\.0\.1:8080, and on all other interfaces/)
    const [key] = await container.says(/\btp_\w+/)
    t.same(await container.run(image.healthCheck), { code: 0, output: '' }, 'the health check of the image')
    t.match(await container.run(image.healthCheck, { HEALTH_URL: 'http://127.0.0.1:8081/no' }), { code: 1, output: / answered with 4\d\d/ })
    t.match(await container.run(image.healthCheck, { HEALTH_URL: 'http://127.0.0.1:9/live' }), { code: 1, output: /ECONNREFUSED/ })
    t.match(await container.run(['turnpike', '--version']), { code: 0, output: /^\d+\.\d+\.\d+\n$/ })

    // Every folder but the data and /tmp.
    const program = `
      const fs = require('node:fs')
      const places = ['/', '/gateway', '/gateway/node_modules/turnpike/dist', '/usr/local/bin', '/etc', '/gateway/data', '/tmp']
      const writes = place => { try { fs.writeFileSync(place + '/try', ''); fs.rmSync(place + '/try'); return true } catch { return false } }
      console.log(JSON.stringify([process.getuid(), process.getgid(), places.filter(writes)]))`
    t.match(await container.run(['node', '-e', program]), { output: '[1000,1000,["/gateway/data","/tmp"]]\n' })

    cpSync(fileURLToPath(new URL('caller.mjs', import.meta.url)), join(data, 'caller.mjs'))
    const caller = container.exec(['node', 'data/caller.mjs', key, 'sandbox/slow', 'first 20 between 20 pieces 60'])
    const said = text(caller.stdout!)
    await once(caller.stdout!, 'data')
    container.signal('SIGTERM')
    t.match(await container.run(image.healthCheck, { HEALTH_URL: 'http://127.0.0.1:8081/ready' }), { code: 1, output: /answered with 503/ })
    t.same(await container.run(image.healthCheck), { code: 0, output: '' }, 'it lives until it has stopped')
    // The announcement ends, and the drain begins.
    container.signal('SIGTERM')
    t.equal((await said).split('\n').at(-2), '200 response.completed', 'the open stream is finished')
    const { exitCode, output, errors } = await container.ended
    t.equal(exitCode, 0)
    t.notMatch(output + errors, /EROFS|EACCES|EPERM/, 'it did not even try to write elsewhere')
    t.same(readdirSync(data).sort(), ['caller.mjs', 'master.key', 'turnpike.db'])
    for (const file of ['master.key', 'turnpike.db']) {
      t.match(statSync(join(data, file)), { uid: 1000, gid: 1000 }, file)
      t.equal(statSync(join(data, file)).mode & 0o777, 0o600, file)
    }
  })

  if (isLong)
    await t.test('without a place for its data it does not start', async t => {
      const folder = join(scratch, 'empty')
      mkdirSync(folder)
      const container = new Container(image, { data: folder, isReadOnly: true })
      t.teardown(() => container.kill())
      t.match(await container.ended, { exitCode: 1, errors: /plugin \S+ failed to set up: .*\/gateway\/data/ })
    })

  if (isLong)
    await t.test('workers run in it, and Postgres and Valkey could', async t => {
      const container = new Container(image, { data, command: ['start', '--workers', '2'] })
      t.teardown(() => container.kill())
      await container.says(/Turnpike listens/)
      t.same(await container.run(image.healthCheck), { code: 0, output: '' })
      for (const name of peers) {
        const { code, output } = await container.run(['node', '-e', `import('${name}').then(() => console.log('loaded'))`])
        t.same([code, output], [0, 'loaded\n'], name)
      }
      container.signal('SIGTERM')
      container.signal('SIGINT')
      t.match(await container.ended, { exitCode: 0 })
    })
})

const peers = ['pg', '@redis/client', '@prometheus-io/client']
const ownModules = fileURLToPath(new URL('../../node_modules', import.meta.url))

function withPackages(name: string): readonly string[] {
  return [name, ...packagesBelow(join('node_modules', name))]
}

function versionOf(modules: string, name: string): string {
  return (JSON.parse(readFileSync(join(modules, name, 'package.json'), 'utf8')) as { readonly version: string }).version
}
