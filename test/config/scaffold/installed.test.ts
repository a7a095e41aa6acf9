import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { pluginKinds } from '../../../config/scaffold/plugin-kinds.ts'
import { isLong } from '../../kit/long.ts'
import { LocalRegistry } from './local-registry.ts'
import { nameFor, root } from './made-plugins.ts'

const run = promisify(execFile)

if (!isLong) t.test('what is made installs and runs as typed', { skip: 'part of npm run test:long' }, t => t.end())
else
  t.test('what is made installs and runs as typed', async t => {
    const folder = mkdtempSync(join(tmpdir(), 'turnpike-installed-'))
    t.teardown(() => rmSync(folder, { recursive: true, force: true }))
    const inherited = Object.entries(process.env).filter(([name]) => !/^(NODE_OPTIONS$|TAP|npm_)/.test(name))
    const environment: NodeJS.ProcessEnv = { ...Object.fromEntries(inherited), npm_config_cache: join(folder, 'cache') }
    for (const quiet of ['audit', 'fund', 'update_notifier']) environment[`npm_config_${quiet}`] = 'false'
    /** Runs lines as pasted into a shell, and returns what they print. The test runner would load itself into every process. */
    const paste = async (lines: string, cwd = folder): Promise<string> => {
      const done = await run('sh', ['-ec', `unset NODE_OPTIONS\n${lines}`], { cwd, env: environment, maxBuffer: 2 ** 26 }).catch(
        ({ stdout, stderr }: { readonly stdout: string; readonly stderr: string }) => {
          throw new Error(`${lines}\n${stdout}\n${stderr}`)
        },
      )
      return done.stdout
    }
    await paste(`npm run --silent pack -- --pack-destination "${folder}"`, root)
    await using registry = new LocalRegistry(globSync(join(folder, '*.tgz')))
    environment['npm_config_registry'] = await registry.listen()

    const next = (printed: string): readonly string[] => /\nNext:\n\n((?: {2}.*\n)+)/.exec(printed)![1]!.trim().split(/\n\s+/)
    const lines = next(await paste('npm create --yes turnpike gateway'))
    t.equal(lines.at(-1), 'npx turnpike start')
    await paste(lines.slice(0, -1).join('\n'))
    const site = join(folder, 'gateway')
    await paste('npm run check', site)
    const gateway = spawn('sh', ['-c', `unset NODE_OPTIONS; exec ${lines.at(-1)} --port 0 --admin-port 0`], {
      cwd: site,
      env: environment,
      detached: true,
    })
    for await (const text of gateway.stdout.setEncoding('utf8')) if (/Turnpike listens on/.test(text)) break
    process.kill(-gateway.pid!, 'SIGTERM')
    await once(gateway, 'exit')

    // All lines that are printed, for one kind. The others share its packages, which saves most of the time.
    const shared = join(folder, 'plugins')
    mkdirSync(shared)
    const first = next(await paste('npm create --yes turnpike plugin guardrail first-guard', shared))
    t.equal(first.at(-1), 'npm run dev')
    await paste(first.slice(0, -1).join('\n'), shared)
    writeFileSync(join(shared, 'package.json'), '{ "private": true, "type": "module" }')
    await paste('mv first-guard/node_modules .', shared)
    for (const kind of pluginKinds)
      await t.test(`make a package: ${kind.name}`, async () => {
        await paste(`npx --no-install turnpike plugin new ${kind.name} ${nameFor(kind)} --folder ${kind.name}`, shared)
        await paste('npm run check\nnpm test\nnpm pack', join(shared, kind.name))
      })
    const tarballs = globSync(join(shared, '*', '*.tgz'))
    t.equal(tarballs.length, pluginKinds.length)
    await paste(`npm install ${tarballs.map(tarball => `"${tarball}"`).join(' ')}`, site)
    for (const kind of pluginKinds)
      await t.test(`use it as its README says: ${kind.name}`, async t => {
        const text = (file: string): string => readFileSync(join(shared, kind.name, file), 'utf8')
        writeFileSync(join(site, 'gateway.config.ts'), /```ts\n([^]*?)```/.exec(text('README.md'))![1]!)
        const { name } = JSON.parse(text('package.json')) as { readonly name: string }
        // With another sealer, a gateway cannot read the data of its first start.
        t.match(
          await paste('rm -rf data\nnpm run check', site),
          new RegExp(`is fine[^]*${kind.name === 'search-engine' ? 'own-search-engine' : name}`),
        )
      })
  })
