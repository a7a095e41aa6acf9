import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { once } from 'node:events'
import { spawn } from 'node:child_process'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { fileURLToPath } from 'node:url'
import t from 'tap'

// The published JavaScript, in a folder that has nothing else of the repository.

const root = fileURLToPath(new URL('../../', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'turnpike-build-'))
const dist = join(folder, 'dist')
t.teardown(() => rmSync(folder, { recursive: true, force: true }))

execFileSync(process.execPath, [join(root, 'scripts/build.js'), '--javascript-only', '--out', dist], { stdio: 'inherit' })
for (const path of ['package.json', 'bin']) cpSync(join(root, path), join(folder, path), { recursive: true })
symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
mkdirSync(join(folder, 'site'))
writeFileSync(
  join(folder, 'site/gateway.config.mjs'),
  `import { defaults, defineConfig } from 'turnpike/config'
   export default defineConfig({ server: { admin: { port: 0 } }, plugins: [...defaults({ without: ['ollama'] })] })`,
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
  for (const name of bundled) t.ok(new RegExp(`^## ${name} \\d.* \\(.+\\)\\n\\n(?!## )[^]{100}`, 'm').test(notices), name)
})

t.test('it serves both surfaces, and no start loads what it does not need', async t => {
  const port = await freePort()
  const loadedFile = join(folder, 'loaded')
  writeFileSync(
    join(folder, 'watch.mjs'),
    `import { appendFileSync } from 'node:fs'
     import { registerHooks } from 'node:module'
     process.once('SIGUSR2', () => process.send(process.moduleLoadList))
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
  gateway.kill('SIGUSR2')
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
  t.ok(own.length < 25, `few files: ${own.length}`)
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

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
