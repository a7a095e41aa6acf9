import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t, { type Test } from 'tap'
import { Workplace } from '../kit/turnpike-process.ts'

// Errors that nobody catches, and add-ons that do not fit: the operator reads which plugin it is and what to do.

const options = `options: { type: 'object', additionalProperties: false, properties: {} }`
const gone = `await new Promise(resolve => setTimeout(resolve, 60_000))`

function workplaceOf(t: Test, files: Readonly<Record<string, string>>, plugins: string, imports: string): Workplace {
  const workplace = new Workplace(`
    import { defineConfig, defaults } from 'turnpike/config'
    import { definePlugin } from 'turnpike'
    ${imports}
    export default defineConfig({ server: { port: 0, drainAnnounceMs: 0, admin: false }, plugins: [...defaults({ without: ['ollama'] }), ${plugins}] })`)
  t.teardown(() => workplace.remove())
  for (const [name, text] of Object.entries(files)) {
    const path = join(workplace.path, name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  }
  return workplace
}

const rejecting = `
  import { definePlugin } from 'turnpike'
  import { later } from './lib/later.js'
  export default definePlugin({ name: '@acme/turnpike-late', ${options}, async setup() { later(); ${gone} } })`
const later = `export async function later() { await null; throw new TypeError('no such account') }`

t.test('a rejection that nobody catches ends check and start with a sentence that names the plugin', async t => {
  const root = 'node_modules/@acme/turnpike-late'
  const files = {
    [`${root}/package.json`]: JSON.stringify({ name: '@acme/turnpike-late', type: 'module', exports: './index.js' }),
    [`${root}/index.js`]: rejecting,
    [`${root}/lib/later.js`]: later,
  }
  const workplace = workplaceOf(t, files, 'late({})', `import late from '@acme/turnpike-late'`)
  for (const command of ['check', 'start']) {
    const { exitCode, stderr } = await workplace.run(command)
    t.equal(exitCode, 1, command)
    const sentence =
      /^turnpike: plugin @acme\/turnpike-late did not catch the error of a promise: no such account \(.*later\.js:1:\d+\)\. Await the promise, or catch its error\.\n$/
    t.match(stderr, sentence, command)
  }
})

t.test('a plugin of the operator is found by its folder, and by its place in the config', async t => {
  const files = { 'plugins/late/index.ts': rejecting.replace('@acme/turnpike-late', 'late'), 'plugins/late/lib/later.js': later }
  const inFolder = workplaceOf(t, files, 'late({})', `import late from './plugins/late/index.ts'`)
  t.match((await inFolder.run('check')).stderr, /^turnpike: plugin late did not catch .*later\.js:1/)
  const inConfig = workplaceOf(
    t,
    {},
    'first({}), second({}), third({})',
    `const first = definePlugin({ name: 'first', ${options}, setup() {} })
    const second = definePlugin({
      name: 'second', ${options},
      async setup() {
        setTimeout(() => { throw new Error('stop here') })
        ${gone}
      },
    })
    const third = definePlugin({ name: 'third', ${options}, setup() {} })`,
  )
  t.match(
    (await inConfig.run('check')).stderr,
    /^turnpike: plugin second threw an error that nobody caught: stop here \(.*gateway\.config\.ts:\d+:\d+\)\n$/,
  )
})

t.test('without a stack, the sentence still says what to do', async t => {
  const workplace = workplaceOf(
    t,
    {},
    'silent({})',
    `const silent = definePlugin({ name: 'silent', ${options}, async setup() { void Promise.reject('no words'); ${gone} } })`,
  )
  const { exitCode, stderr } = await workplace.run('check')
  t.equal(exitCode, 1)
  t.equal(stderr, 'turnpike: Nobody caught the error of a rejected promise. Await it, or catch its error: no words\n')
})

t.test('a rejection never ends a gateway that runs, and its plugin is in the log', async t => {
  const files = {
    'late.ts': `
    import { definePlugin, Routes } from 'turnpike'
    export default definePlugin({
      name: 'late', ${options},
      setup(gateway) {
        const fail = async () => { throw new TypeError('the words of a prompt') }
        gateway.add(Routes, { method: 'GET', path: '/reject', auth: 'none', handle: () => (void fail(), { status: 200 }) })
      },
    })`,
  }
  const workplace = workplaceOf(t, files, 'late({})', `import late from './late.ts'`)
  const gateway = workplace.spawn(['start'])
  const url = await gateway.url()
  for (let times = 0; times < 3; times++) t.equal((await fetch(`${url}/reject`)).status, 200)
  t.equal((await fetch(`${url}/v1/responses/health`)).status, 200)
  gateway.signal('SIGTERM')
  const { exitCode, stderr } = await gateway.finished
  t.equal(exitCode, 0)
  const lines = stderr.split('\n').filter(line => line.includes('unhandled promise rejection'))
  t.equal(lines.length, 3)
  t.match(JSON.parse(lines[0]!), { level: 'error', plugin: 'late', error: 'TypeError', place: /late\.ts:6:\d+$/ })
  t.notMatch(stderr, /words of a prompt/)
})

const commonJs = `
  'use strict'
  Object.defineProperty(exports, '__esModule', { value: true })
  const turnpike = require('turnpike')
  exports.default = turnpike.definePlugin({ name: 'turnpike-plugin-acme', ${options}, setup(gateway) { gateway.log.warn('acme is set up') } })`

t.test('a CommonJS add-on that sets exports.default runs, or says how to call it', async t => {
  const files = {
    'node_modules/turnpike-plugin-acme/package.json': JSON.stringify({ name: 'turnpike-plugin-acme', main: 'index.js' }),
    'node_modules/turnpike-plugin-acme/index.js': commonJs,
  }
  const check = async (entry: string): Promise<string> => {
    const { stdout, stderr } = await workplaceOf(t, files, entry, `import acme from 'turnpike-plugin-acme'`).run('check')
    return stdout + stderr
  }
  t.match(await check('acme.default({})'), /acme is set up/)
  t.match(
    await check('acme({})'),
    /acme is not a function .*\nturnpike-plugin-acme is a CommonJS module that sets exports\.default: call acme\.default\(\{ … \}\) instead\n/,
  )
  t.match(await check('acme'), /is what a CommonJS module exports: call its member `default`, such as acme\.default\(\{\}\)/)
})

t.test('a plugin for another version of the contract says which one is there and which is needed', async t => {
  const check = async (apiVersion: number): Promise<string> =>
    (await workplaceOf(t, {}, `{ apiVersion: ${apiVersion}, plugin: { name: 'acme' }, options: {} }`, '').run('check')).stderr
  t.match(await check(2), /\(acme\) was made for plugin API 2, and this turnpike has plugin API 1\. Update turnpike\n/)
  t.match(await check(0), /\(acme\) was made for plugin API 0, and this turnpike has plugin API 1\. Update the plugin\n/)
})

t.test('a promise in plugins that is rejected early is named by its place', async t => {
  const missing = `import('./missing.mjs').then(module => module.default({}))`
  const slow = `new Promise(resolve => setTimeout(resolve, 50, false))`
  const plugins = `[${slow}, ${missing}, Promise.reject(new Error('no such list'))]`
  const workplace = new Workplace(
    `import { defineConfig } from 'turnpike/config'\nexport default defineConfig({ plugins: ${plugins} })\nawait new Promise(resolve => setTimeout(resolve, 20))`,
  )
  t.teardown(() => workplace.remove())
  const { exitCode, stderr } = await workplace.run('check')
  t.equal(exitCode, 1)
  t.match(stderr, /#2 in `plugins` is a promise that was rejected: Cannot find module .*missing\.mjs/)
})
