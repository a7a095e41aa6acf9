import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { cpSync, existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join, sep } from 'node:path'
import { gzipSync } from 'node:zlib'
import { builtinModules } from 'node:module'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parseAst } from 'rolldown/parseAst'
import t from 'tap'

// The published JavaScript, in a folder that has nothing else of the repository.

const root = fileURLToPath(new URL('../../', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'turnpike-build-'))
const dist = join(folder, 'dist')
t.teardown(() => rmSync(folder, { recursive: true, force: true }))

execFileSync(process.execPath, [join(root, 'scripts/build.js'), '--out', dist], { stdio: 'inherit' })
for (const path of ['package.json', 'bin']) cpSync(join(root, path), join(folder, path), { recursive: true })
symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
mkdirSync(join(folder, 'site'))
writeFileSync(
  join(folder, 'site/gateway.config.mjs'),
  `import { defaults, defineConfig } from 'turnpike/config'
   export default defineConfig({ server: { admin: { port: 0 }, drainAnnounceMs: 0 }, plugins: [...defaults({ without: ['ollama'] })] })`,
)

t.test('each public path has a file', async t => {
  const { exports } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    exports: Readonly<Record<string, string | { readonly default: string }>>
  }
  for (const target of Object.values(exports)) {
    if (typeof target === 'string') continue
    const [before, after] = target.default.split('*') as [string, string | undefined]
    if (after === undefined) t.ok(existsSync(join(folder, target.default)), target.default)
    else
      for (const source of globSync('plugins/*/*/index.ts', { cwd: root })) {
        const plugin = source.replace(/^plugins.(.*).index\.ts$/, '$1')
        t.ok(existsSync(join(folder, `${before}${plugin}${after}`)), plugin)
      }
  }
})

t.test('every package whose code is in the bundle is named with its license', async t => {
  const notices = readFileSync(join(dist, 'THIRD-PARTY-NOTICES.txt'), 'utf8')
  const bundled = new Set<string>()
  for (const file of globSync('chunks/*.js', { cwd: dist }))
    for (const [, name] of readFileSync(join(dist, file), 'utf8').matchAll(/^\s*\/\/ node_modules\/((?:@[^/\s]+\/)?[^/\s]+)\/\S+$/gm))
      bundled.add(name!)
  t.ok(bundled.has('undici'))
  const apart = globSync('packages/**/*.js', { cwd: dist }).map(
    file => /^packages.((?:@[^\\/]+.)?[^\\/]+?)(?:\.js|[\\/].*)$/.exec(file)![1]!,
  )
  t.ok(apart.includes('ajv'))
  for (const name of apart) if (name !== 'chunks') bundled.add(name.replaceAll(sep, '/'))
  bundled.add('fast-uri') // which ajv uses
  for (const name of bundled) t.ok(new RegExp(`^## ${name} \\d.* \\(.+\\)\\n\\n(?!## )[^]{100}`, 'm').test(notices), name)
})

t.test('nothing imports a package that an install does not bring', async t => {
  const { name, dependencies, peerDependencies, peerDependenciesMeta } = JSON.parse(
    readFileSync(join(root, 'package.json'), 'utf8'),
  ) as Manifest
  const known = new Set([name, ...Object.keys(dependencies), ...builtinModules])
  const optional = Object.keys(peerDependencies).filter(peer => peerDependenciesMeta[peer]?.optional)
  const missing = (imports: Iterable<string>, also: readonly string[] = []): readonly string[] =>
    [...imports].filter(path => {
      const packageName = /^(?:@[^/]+\/)?[^/]+/.exec(path)![0]
      return !/^\.|^node:/.test(path) && !known.has(packageName) && !also.includes(packageName)
    })
  for (const file of globSync('**/*.js', { cwd: dist })) {
    const { atOnce, whenUsed } = importsOfProgram(readFileSync(join(dist, file), 'utf8'))
    t.same(missing(atOnce), [], file)
    t.same(missing(whenUsed, optional), [], `${file}, when it is used`)
    for (const path of [...atOnce, ...whenUsed])
      if (path.startsWith('.')) t.ok(existsSync(join(dist, file, '..', path)), `${file} finds ${path}`)
  }
})

t.test('declarations refer to types that compile in every project, and bring those of Node.js', async t => {
  const declarations = globSync('**/*.d.ts', { cwd: dist })
  t.ok(declarations.length > 100)
  const compiling = ['json-schema-to-ts', 'reflect-metadata', ...builtinModules]
  for (const file of declarations) {
    const imports = readFileSync(join(dist, file), 'utf8').matchAll(/\b(?:from|import) ?\(?["']([^"']+)["']/g)
    const others = Array.from(imports, ([, path]) => path!).filter(path => !/^\.|^node:/.test(path) && !compiling.includes(path))
    t.same(others, [], file)
  }
  for (const door of ['core/index', 'core/gateway', 'core/testing/index', 'plugins/stores/memory/index'])
    t.match(readFileSync(join(dist, `${door}.d.ts`), 'utf8'), /^\/\/\/ <reference types="node" \/>\n/, door)
})

t.test('turnpike-sdk is small, imports what it brings, and its types fit those of turnpike', async t => {
  const site = join(folder, 'vendor')
  const sdk = join(site, 'node_modules/turnpike-sdk')
  execFileSync(process.execPath, [join(root, 'scripts/build-sdk.js'), '--declarations', dist, '--out', sdk], { stdio: 'inherit' })
  const files = globSync('**/*.*', { cwd: sdk })
  const bytes = files.reduce((sum, file) => sum + statSync(join(sdk, file)).size, 0)
  t.ok(bytes < 1_000_000, `${bytes} bytes`)
  const { dependencies, exports } = JSON.parse(readFileSync(join(sdk, 'package.json'), 'utf8')) as Manifest & {
    readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>
  }
  for (const target of Object.values(exports).flatMap(each => (typeof each === 'string' ? each : Object.values(each))))
    t.ok(existsSync(join(sdk, target)), target)
  const brought = new Set([...Object.keys(dependencies), ...builtinModules])
  for (const file of files.filter(each => /\.(js|d\.ts)$/.test(each))) {
    const imports = readFileSync(join(sdk, file), 'utf8').matchAll(/\b(?:from|import|require)\s?\(?["']([^"'\s]+)["']/g)
    const missing = Array.from(imports, ([, path]) => path!).filter(path => !/^\.|^node:/.test(path) && !brought.has(path))
    t.same(missing, [], file)
  }
  for (const file of ['acme.ts', 'mixed.ts', 'gateway.config.ts']) cpSync(join(root, 'test/fixtures/sdk', file), join(site, file))
  const compiler = join(root, 'node_modules/typescript/lib/tsc.js')
  const compilerOptions = { module: 'nodenext', target: 'es2024', strict: true, noEmit: true, exactOptionalPropertyTypes: true, types: [] }
  const allowed = { ...compilerOptions, allowImportingTsExtensions: true, skipLibCheck: false }
  writeFileSync(join(site, 'tsconfig.json'), JSON.stringify({ compilerOptions: allowed, files: ['acme.ts', 'gateway.config.ts'] }))
  t.equal(spawnSync(process.execPath, [compiler, '-p', site], { encoding: 'utf8' }).stdout, '')
})

t.test('each package that is loaded when it is used can be loaded', async t => {
  const files = globSync('packages/**/*.js', { cwd: dist, exclude: ['packages/chunks'] })
  t.ok(files.length > 5)
  for (const file of files) t.ok(Object.keys((await import(pathToFileURL(join(dist, file)).href)) as object).length > 0, file)
})

t.test('it serves both surfaces, and no start loads what it does not need', async t => {
  const port = await freePort()
  const loadedFile = join(folder, 'loaded')
  writeFileSync(
    join(folder, 'watch.mjs'),
    `import { appendFileSync } from 'node:fs'
     import { registerHooks } from 'node:module'
     process.once('message', () => process.send(process.moduleLoadList))
     registerHooks({ load(url, context, next) { appendFileSync(${JSON.stringify(loadedFile)}, url + '\\n'); return next(url, context) } })`,
  )
  const { PATH, HOME } = process.env
  const gateway = spawn(
    process.execPath,
    ['--import', join(folder, 'watch.mjs'), join(folder, 'bin/turnpike.js'), 'start', '--port', `${port}`],
    { cwd: join(folder, 'site'), env: { PATH, HOME, NODE_DISABLE_COMPILE_CACHE: '1' }, stdio: ['ignore', 'pipe', 'inherit', 'ipc'] },
  )
  t.teardown(() => gateway.kill('SIGKILL'))
  let said = ''
  for await (const part of gateway.stdout!.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
    said += part
    if (said.includes('Turnpike listens')) break
  }
  gateway.stdout!.resume()
  gateway.send('what is loaded')
  const [builtins] = (await once(gateway, 'message')) as [readonly string[]]
  t.ok(builtins.includes('NativeModule http'))
  t.notOk(builtins.includes('NativeModule internal/deps/undici/undici'), 'h3 makes Node.js load its fetch, so h3 has not run yet')
  const key = /tp_\w+/.exec(said)![0]
  const ask = async (path: string, body: object): Promise<{ readonly status: number; readonly body: any }> => {
    const reply = await fetch(`http://127.0.0.1:${port}/v1/${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    return { status: reply.status, body: await reply.json() }
  }

  t.match(await ask('responses', { model: 'sandbox/echo', input: 'Hello' }), { status: 200, body: { status: 'completed' } })
  t.match(await ask('responses', { model: 'sandbox/echo', input: 'Hello', temperature: 'hot' }), {
    status: 400,
    body: { error: { message: "Invalid type for 'temperature': expected a number, but got 'hot'.", param: 'temperature' } },
  })
  const question = { type: 'noul', instructions: 'Is it?' }
  t.match(await ask('systemone', { model: 'sandbox/dm', state: 'It is.', questions: { is: question } }), {
    status: 200,
    body: { answers: { is: { type: 'noul' } } },
  })
  t.match(await ask('systemone', { model: 'sandbox/dm', state: 'It is.', questions: { is: { ...question, type: 'maybe' } } }), {
    status: 400,
  })

  const loaded = readFileSync(loadedFile, 'utf8').trim().split('\n')
  const own = loaded.filter(url => url.startsWith('file:') && !url.includes('/node_modules/'))
  t.ok(own.length < 26, `few files: ${own.length}`)
  t.same(
    loaded.filter(url => /node_modules\/(ajv|gpt-tokenizer|json-schema-faker)\//.test(url)),
    [],
    'packages that only some requests need',
  )
  t.same(
    own.filter(url => /anthropic|bedrock|cohere|gemini|mistral|azure/.test(url)),
    [],
    'vendors without a key',
  )

  // Each of these needs a thread, or a package that is not in the bundle.
  const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'], additionalProperties: false }
  const structured = await ask('responses', {
    model: 'sandbox/echo',
    input: 'Where?',
    text: { format: { type: 'json_schema', name: 'place', schema } },
  })
  t.equal(structured.status, 200)
  t.type(JSON.parse(structured.body.output[0].content[0].text).city, 'string')
  t.match(await ask('responses/input_tokens', { model: 'sandbox/echo', input: 'Hello there' }), {
    status: 200,
    body: { input_tokens: Number },
  })

  const [, admin] = /admin API is on (http:\S+)/.exec(said)!
  const refused = await fetch(`${admin}/admin/v1/keys`)
  t.equal(refused.status, 401, 'the admin API is there')

  const page = await (await fetch(`${admin}/`)).text()
  const files = globSync('plugins/endpoints/dashboard/app/**/*.*', { cwd: dist, exclude: ['**/*.map'] })
  for (const [, file] of page.matchAll(/(?:href|src)="([^"]+)"/g)) t.equal((await fetch(`${admin}/${file}`)).status, 200, `${file}`)
  let bytes = 0
  for (const file of files) {
    const reply = await fetch(`${admin}/${file.replace('plugins/endpoints/dashboard/', '')}`)
    t.equal(reply.status, 200, file)
    bytes += gzipSync(new Uint8Array(await reply.arrayBuffer())).length
  }
  t.ok(files.length > 5 && bytes < 120_000, `the dashboard takes ${bytes} bytes, compressed`)

  const over = once(gateway, 'exit')
  gateway.kill('SIGTERM')
  t.same(await over, [0, null])
})

interface Manifest {
  readonly name: string
  readonly dependencies: Readonly<Record<string, string>>
  readonly peerDependencies: Readonly<Record<string, string>>
  readonly peerDependenciesMeta: Readonly<Record<string, { readonly optional?: boolean }>>
}

interface Imports {
  readonly atOnce: Set<string>
  /** By `import()` or `require()`. */
  readonly whenUsed: Set<string>
}

function importsOfProgram(code: string): Imports {
  const imports: Imports = { atOnce: new Set(), whenUsed: new Set() }
  const collect = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return
    const {
      type,
      source,
      callee,
      arguments: given,
    } = node as { type?: string; source?: Text; callee?: { name?: string }; arguments?: Text[] }
    if (typeof source?.value === 'string') imports[type === 'ImportExpression' ? 'whenUsed' : 'atOnce'].add(source.value)
    if (type === 'CallExpression' && /^_*require(\$\d+)?$/.test(callee?.name ?? '') && typeof given?.[0]?.value === 'string')
      imports.whenUsed.add(given[0].value)
    for (const member of Object.values(node)) collect(member)
  }
  collect(parseAst(code))
  return imports
}

interface Text {
  readonly value?: unknown
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
