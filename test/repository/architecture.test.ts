import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { requestSchema } from '../../core/kit.ts'
import { includables, requestBodySchema } from '../../plugins/endpoints/responses/request-body.ts'
import { alone } from '../../scripts/tests/shards.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const sourceFolders = ['core', 'plugins', 'config', 'test', 'bench', 'examples', 'scripts']

interface Import {
  /** The importing file, from the root. */
  readonly file: string
  /** A file from the root, or the name of a package. */
  readonly target: string
  readonly local: boolean
  readonly typeOnly: boolean
}

const statements = [
  /^import( type)?\s+(?:[\w$*{},\s]+?\sfrom\s+)?['"]([^'"]+)['"]/gm,
  /^export( type)?\s+(?:\*|\{[^}]*\})[^'"{}]*?\sfrom\s+['"]([^'"]+)['"]/gm,
  /\bimport(\b)\(\s*['"]([^'"]+)['"]/g,
]

const files = sourceFolders
  .flatMap(folder => globSync(`${folder}/**/*.{ts,js}`, { cwd: root, exclude: path => path.split(sep).includes('node_modules') }))
  .map(path => path.replaceAll(sep, '/'))
  .sort()
const imports = files.flatMap(importsOf)

function importsOf(file: string): Import[] {
  const text = readFileSync(join(root, file), 'utf8')
  const found = statements.flatMap(statement =>
    Array.from(text.matchAll(statement), ([, type, name]) => ({ name: name!, typeOnly: type === ' type' })),
  )
  return found.map(({ name, typeOnly }) => {
    const local = name.startsWith('.')
    return { file, target: local ? join(dirname(file), name).replaceAll(sep, '/') : packageOf(name), local, typeOnly }
  })
}

function packageOf(name: string): string {
  if (name.startsWith('node:')) return name
  return name
    .split('/')
    .slice(0, name.startsWith('@') ? 2 : 1)
    .join('/')
}

/** The imports of some files that a rule does not allow, as `file → target`. */
function strays(from: RegExp, allowed: (given: Import) => boolean): string[] {
  return imports.filter(given => from.test(given.file) && !allowed(given)).map(({ file, target }) => `${file} → ${target}`)
}

t.test('this test sees the imports', async t => {
  t.ok(files.length > 50, `${files.length} files`)
  for (const [file, target, typeOnly] of [
    ['core/framework/plugin-host.ts', 'p-timeout', false],
    ['core/framework/plugin-host.ts', 'core/framework/container.ts', true],
    ['core/framework/container.ts', 'reflect-metadata', false],
    ['core/index.ts', 'core/framework/extension-points.ts', false],
  ] as const)
    t.match(
      imports.find(given => given.file === file && given.target === target),
      { typeOnly },
      `${file} → ${target}`,
    )
})

t.test('contracts rest on nothing but names and types', async t => {
  t.same(
    strays(/^core\/contracts\//, ({ target, local, typeOnly }) => {
      if (!local) return typeOnly && (target === 'json-schema-to-ts' || target.startsWith('node:'))
      if (target.startsWith('core/contracts/') || /^core\/foundation\/(token|brand)\.ts$/.test(target)) return true
      return typeOnly && /^core\/(foundation|runtime)\//.test(target)
    }),
    [],
  )
})

t.test('nothing takes only native promises for promises', async t => {
  const own = files.filter(file => /^(core|plugins|config)\//.test(file))
  t.same(
    own.filter(file => readFileSync(join(root, file), 'utf8').includes('instanceof Promise')),
    [],
  )
})

/** The folders of core. Each knows only those before it. The files next to them know them all. */
const rooms = [
  'foundation',
  'runtime',
  'contracts',
  'validation',
  'framework',
  'shared-state',
  'coordination',
  'metrics',
  'tokens',
  'upstream',
  'provider-kit',
  'records',
  'billing',
  'limits',
  'admission',
  'guards',
  'routing',
  'call',
  'generation',
  'decisions',
  'retrieval',
  'alerts',
  'server',
  'testing',
]

t.test('the folders of core depend on one another in one direction', async t => {
  const roomOf = (path: string): number => rooms.indexOf(path.split('/')[1]!)
  const folders = globSync('core/*/', { cwd: root }).map(path => path.replace(/\/$/, '').split(sep).at(-1)!)
  t.same(folders.toSorted(), rooms.toSorted(), 'every folder has its place')
  t.same(
    strays(
      /^core\/(?!testing\/).+\//,
      ({ file, target, local }) => !local || (target.split('/').length > 2 && roomOf(target) <= roomOf(file)),
    ),
    [],
  )
})

/** Folders without circles even of types. Elsewhere, two files of a folder may name each other's types. */
const layered = /^(config|plugins\/stores|plugins\/endpoints\/admin)\//

t.test('no file imports itself by way of others', async t => {
  const ownImports = imports.filter(({ file, local }) => local && /^(core|plugins|config)\//.test(file))
  const within = (folder: RegExp): readonly Import[] => ownImports.filter(({ file, target }) => folder.test(file) && folder.test(target))
  t.same(circlesAmong(ownImports.filter(({ typeOnly }) => !typeOnly)), [], 'at run time, anywhere')
  t.same(circlesAmong(within(layered)), [], 'types included, in these folders')
  t.same(circlesAmong([edge('a', 'b'), edge('b', 'c'), edge('c', 'b'), edge('c', 'd')]), [['b', 'c']], 'this test sees circles')
})

function edge(file: string, target: string): Import {
  return { file, target, local: true, typeOnly: false }
}

/** The files that reach one another: each circle once, sorted. */
function circlesAmong(edges: readonly Import[]): readonly (readonly string[])[] {
  const targets = Map.groupBy(edges, ({ file }) => file)
  const reached = (from: string): ReadonlySet<string> => {
    const found = new Set<string>()
    const waiting = [from]
    for (let file = waiting.pop(); file !== undefined; file = waiting.pop())
      for (const { target } of targets.get(file) ?? []) {
        if (found.has(target)) continue
        found.add(target)
        waiting.push(target)
      }
    return found
  }
  const circular = new Map([...targets.keys()].map(file => [file, reached(file)] as const).filter(([file, all]) => all.has(file)))
  const circles = [...circular].map(([file, all]) => [...all].filter(other => circular.get(other)?.has(file)).sort())
  return [...new Map(circles.map(circle => [circle.join(), circle])).values()]
}

t.test('core knows neither plugins nor config, and of itself not the test kit', async t => {
  t.same(
    strays(/^core\//, ({ target, local }) => !local || target.startsWith('core/')),
    [],
  )
  t.same(
    strays(/^core\/(?!testing\/)/, ({ target }) => !target.startsWith('core/testing/')),
    [],
  )
})

t.test('core does not name what only one surface can say', async t => {
  const own = Object.keys(requestBodySchema.properties).filter(name => !(name in requestSchema.properties))
  t.ok(own.includes('store') && own.includes('metadata'), 'such members are not in the request of core')
  // The others are common words.
  const words = [...own.filter(name => name.includes('_')), ...includables]
  const naming = globSync('core/**/*.ts', { cwd: root })
    .filter(file => !file.startsWith(join('core', 'testing')))
    .filter(file => {
      const text = readFileSync(join(root, file), 'utf8')
      return words.some(word => text.includes(word))
    })
  t.same(naming, [])
})

/** Plugins that are another's dialect behind another address, or another way to the same surface. */
const reused: Readonly<Record<string, readonly string[]>> = {
  // The items of a conversation are those of a request and its response.
  'plugins/endpoints/conversations': ['plugins/endpoints/responses'],
  // The same requests and events, as messages.
  'plugins/endpoints/responses-websocket': ['plugins/endpoints/responses'],
  'plugins/providers/azure': ['plugins/providers/anthropic', 'plugins/providers/openai-chat', 'plugins/providers/openai-responses'],
  // Claude has its maker's rules there too, and InvokeModel carries the bodies of other dialects.
  'plugins/providers/bedrock': ['plugins/providers/anthropic', 'plugins/providers/cohere', 'plugins/providers/openai-chat'],
  // Rerankings are one dialect.
  'plugins/providers/cohere': ['plugins/providers/openai-chat'],
  'plugins/providers/jina': ['plugins/providers/openai-chat'],
  // The common protocol, by the row of its host.
  'plugins/providers/mistral': ['plugins/providers/openai-chat'],
  // Embeddings are one dialect.
  'plugins/providers/openai-responses': ['plugins/providers/openai-chat'],
  'plugins/providers/voyage': ['plugins/providers/openai-chat'],
  'plugins/providers/vertex': ['plugins/providers/gemini', 'plugins/providers/anthropic'],
}

/** The public import paths, other than config, gateway and testing. */
const doors = ['core/index.ts', 'core/kit.ts', 'core/stores.ts', 'core/admin.ts']

/** The lists of fields. The dashboard reads them in the browser, too, by way of one file. */
const fieldLists = ['account-fields', 'fields', 'key-fields', 'record-fields'].map(name => `core/contracts/${name}.ts`)
const readsFieldLists = ({ file, target, typeOnly }: Import): boolean =>
  file === 'plugins/endpoints/dashboard/app/fields.ts' &&
  (fieldLists.includes(target) || (typeOnly && target === 'core/contracts/field-types.ts'))

t.test('the lists of fields run in browsers: they import types, and each other', async t => {
  t.same(
    strays(
      /^core\/contracts\/([a-z]+-)?fields\.ts$/,
      ({ file, target, typeOnly }) => fieldLists.includes(file) && (typeOnly || fieldLists.includes(target)),
    ),
    [],
  )
})

t.test('plugins know the doors and their own folder', async t => {
  const folderOf = (path: string): string => path.split('/').slice(0, 3).join('/')
  t.same(
    strays(/^plugins\//, given => {
      const { file, target, local } = given
      const own = folderOf(file)
      return (
        !local ||
        readsFieldLists(given) ||
        doors.includes(target) ||
        folderOf(target) === own ||
        (reused[own]?.includes(folderOf(target)) ?? false)
      )
    }),
    [],
  )
})

t.test('core itself imports no door', async t => {
  t.same(
    strays(/^core\//, ({ target }) => !doors.includes(target)),
    [],
  )
})

t.test('config knows core and plugins', async t => {
  t.same(
    strays(/^config\//, ({ target, local }) => !local || /^(core|plugins|config)\/|^package\.json$/.test(target)),
    [],
  )
})

t.test('any thenable counts as a promise', async t => {
  const wrong = files.filter(
    file => /^(core|plugins|config|examples)\//.test(file) && readFileSync(join(root, file), 'utf8').includes('instanceof Promise'),
  )
  t.same(wrong, [], 'ask isPending: plugins may return promises of another kind')
})

/** The frameworks that the gateway stands on: the one module that imports each, and the names under which it does. */
const frameworks: Readonly<Record<string, { readonly module: string; readonly names: readonly string[] }>> = {
  tsyringe: { module: 'core/framework/container.ts', names: ['tsyringe'] },
  'reflect-metadata': { module: 'core/framework/container.ts', names: ['reflect-metadata'] },
  h3: { module: 'core/server/h3.ts', names: ['h3', 'h3/node'] },
  listhen: { module: 'config/listen.ts', names: ['listhen'] },
  cosmiconfig: { module: 'config/load.ts', names: ['cosmiconfig'] },
}

/** Tests and benchmarks put h3 in front of the gateway, as an embedding program would. */
const inFrontOf: Readonly<Record<string, RegExp>> = { h3: /^(test|bench)\// }

t.test('one module knows each framework', async t => {
  for (const [framework, { module }] of Object.entries(frameworks)) {
    const others = strays(/./, ({ file, target }) => target !== framework || file === module || (inFrontOf[framework]?.test(file) ?? false))
    t.same(others, [], framework)
    t.ok(
      imports.some(({ file, target }) => file === module && target === framework),
      `${module} imports ${framework}`,
    )
  }
})

t.test('frameworks are used by their public interface only', async t => {
  const names = Object.values(frameworks).flatMap(({ names }) => names)
  const packages = Object.keys(frameworks).join('|')
  const inner = new RegExp(`['"]((?:node_modules/)?(?:${packages})/[^'"]*)['"]`, 'g')
  const members = /(?:\[\s*['"`]|\.request\(['"`]|\bh3\s*\??\.\s*)[~_]/
  for (const file of files.filter(file => file !== 'test/repository/architecture.test.ts')) {
    const text = readFileSync(join(root, file), 'utf8')
    const deep = Array.from(text.matchAll(inner), ([, name]) => name!).filter(name => !names.includes(name))
    t.same(deep, [], `${file} imports nothing from inside a framework`)
    if (/['"]h3|\bh3\b/.test(text)) t.notMatch(text, members, `${file} uses no private member of h3`)
  }
})

t.test('the oracle is independent of what it judges', async t => {
  t.same(
    strays(/^test\/plugins\/providers\/oracle\//, ({ target, local }) => !local || !/^(core|plugins|config)\//.test(target)),
    [],
  )
})

/** The part of the dashboard that runs in browsers. The published package has it bundled. */
const app = 'plugins/endpoints/dashboard/app/'
const published = /^(core|config|plugins)\/(?!endpoints\/dashboard\/app\/)/

/** Development dependencies whose code the build puts into `dist/`. */
const bundled = [
  '@secretlint/secretlint-rule-preset-recommend',
  '@smithy/core',
  '@smithy/eventstream-codec',
  '@smithy/signature-v4',
  'ajv',
  'cockatiel',
  'commander',
  'crossws',
  'eventsource-parser',
  'gpt-tokenizer',
  'json-schema-faker',
  'kysely',
  'leven',
  'libphonenumber-js',
  'get-port-please',
  'listhen',
  'lru-cache',
  'p-timeout',
  'pino',
  're2js',
  'stdnum',
  'undici',
]

t.test('published files import no development dependency', async t => {
  const { name, dependencies, peerDependencies = {} } = manifest()
  const declared = new Set([name, ...Object.keys(dependencies), ...Object.keys(peerDependencies), ...bundled])
  t.same(
    strays(published, ({ target, local }) => local || target.startsWith('node:') || declared.has(target)),
    [],
  )
})

t.test('browser code brings its own packages, and none of the server', async t => {
  const libraries = ['htm', 'preact', 'uplot']
  t.same(
    strays(/^plugins\/endpoints\/dashboard\/app\//, given =>
      given.local ? given.target.startsWith(app) || readsFieldLists(given) : libraries.includes(given.target),
    ),
    [],
  )
  t.same(
    strays(published, ({ target }) => !target.startsWith(app)),
    [],
  )
})

t.test('every plugin has a test', async t => {
  const plugins = files
    .filter(file => /^plugins\/[^/]+\/[^/]+\/index\.ts$/.test(file))
    .map(file => dirname(relative('plugins', file)).replaceAll(sep, '/'))
  const untested = plugins.filter(
    plugin =>
      !files.some(
        file => file === `test/plugins/${plugin}.test.ts` || (file.startsWith(`test/plugins/${plugin}/`) && file.endsWith('.test.ts')),
      ),
  )
  t.ok(plugins.length > 0)
  t.same(untested, [])
})

/** The folders of test/, each explained in docs/architecture.md#the-tree. */
const testFolders = ['bench', 'clients', 'config', 'core', 'deploy', 'fixtures', 'gateway', 'kit', 'plugins', 'repository', 'scripts']

/** Folders for tests that run against every plugin of a kind. */
const wholeKind: Readonly<Record<string, readonly string[]>> = { providers: ['all', 'oracle', 'recordings'] }

function contentsOf(folder: string): { readonly folders: readonly string[]; readonly files: readonly string[] } {
  const entries = readdirSync(join(root, folder), { withFileTypes: true })
  const names = (areFolders: boolean): string[] =>
    entries
      .filter(entry => entry.isDirectory() === areFolders)
      .map(({ name }) => name)
      .sort()
  return { folders: names(true), files: names(false) }
}

t.test('test/ mirrors the tree', async t => {
  t.same(contentsOf('test'), { folders: testFolders, files: [] }, 'the top level has these folders and no files')

  const core = contentsOf('test/core')
  t.same(core.files, [], 'each test of core is in the folder of a room')
  t.same(
    core.folders.filter(folder => !rooms.includes(folder)),
    [],
    'each folder of test/core is a folder of core',
  )

  const kinds = contentsOf('plugins').folders
  const tested = contentsOf('test/plugins')
  t.same(tested.files, [], 'each test of a plugin is in the folder of a kind')
  t.same(
    tested.folders.filter(folder => !kinds.includes(folder)),
    [],
    'each folder of test/plugins is a folder of plugins',
  )
  for (const kind of tested.folders.filter(folder => kinds.includes(folder))) {
    const plugins = contentsOf(`plugins/${kind}`).folders
    const { folders, files } = contentsOf(`test/plugins/${kind}`)
    t.same(
      folders.filter(folder => !plugins.includes(folder) && !wholeKind[kind]?.includes(folder)),
      [],
      `each folder of test/plugins/${kind} is named after a plugin`,
    )
    const named = (file: string): boolean => plugins.some(plugin => file === `${plugin}.test.ts` || file.startsWith(`${plugin}-`))
    t.same(
      files.filter(file => file.endsWith('.test.ts') && !named(file)),
      [],
      `each test in test/plugins/${kind} is <plugin>.test.ts or <plugin>-<aspect>.test.ts`,
    )
  }
})

t.test('hooks are set within tests, because files share a process', async t => {
  const setters = files.filter(
    file => file.endsWith('.test.ts') && /^t\.(before|beforeEach|after|afterEach|jobs)\b/m.test(readFileSync(join(root, file), 'utf8')),
  )
  t.same(
    setters.filter(file => !(file in alone)),
    [],
  )
})

t.test('files are named in kebab-case, after what is in them', async t => {
  const word = '[a-z0-9]+(-[a-z0-9]+)*'
  const path = new RegExp(`^(${word}/)*${word}(\\.(test|config|d))?\\.(ts|js)$`)
  const vague = new Set(['util', 'utils', 'helper', 'helpers', 'common', 'misc', 'manager'])
  t.same(
    files.filter(file => !path.test(file)),
    [],
  )
  t.same(
    files.filter(file => file.split(/[/.-]/).some(part => vague.has(part))),
    [],
  )
})

interface Manifest {
  readonly name: string
  readonly version: string
  readonly dependencies: Readonly<Record<string, string>>
  readonly devDependencies: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly peerDependenciesMeta?: Readonly<Record<string, object>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

function manifest(packageName?: string): Manifest {
  const folder = packageName === undefined ? root : join(root, 'node_modules', packageName)
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest
}

/** The installed major version. Below 1, also the minor version if it may break. */
const intended: Readonly<Record<string, string>> = {
  '@aws-sdk/credential-provider-node': '3',
  '@azure/identity': '4',
  '@pydantic/genai-prices': '0.1',
  '@smithy/core': '3',
  '@smithy/eventstream-codec': '4',
  '@smithy/signature-v4': '5',
  ajv: '8',
  '@secretlint/secretlint-rule-preset-recommend': '13',
  cockatiel: '4',
  crossws: '0.4',
  'libphonenumber-js': '1',
  re2js: '2',
  stdnum: '1',
  commander: '15',
  cosmiconfig: '10',
  'eventsource-parser': '4',
  'google-auth-library': '11',
  'get-port-please': '3',
  'gpt-tokenizer': '4',
  'json-schema-faker': '0.6',
  h3: '2',
  'json-schema-to-ts': '3',
  kysely: '0.29',
  leven: '4',
  listhen: '1',
  'lru-cache': '11',
  node: '24',
  openai: '7',
  'p-timeout': '8',
  pg: '8',
  pino: '10',
  'reflect-metadata': '0',
  rolldown: '1',
  tap: '21',
  tsyringe: '4',
  typescript: '7',
  undici: '8',
}

t.test('the packages are the ones that were meant', async t => {
  const { dependencies, devDependencies, peerDependencies, optionalDependencies } = manifest()
  const declared = { ...dependencies, ...devDependencies }
  for (const [name, version] of Object.entries(intended)) {
    t.ok(name in declared, `${name} is declared`)
    t.ok(`${manifest(name).version}.`.startsWith(`${version}.`), `${name} ${manifest(name).version} is ${version}`)
  }
  t.same(
    [...Object.keys(dependencies), ...bundled].filter(name => !(name in intended)),
    [],
    'every dependency and every bundled package has an intended version',
  )
  const all = { ...declared, ...peerDependencies, ...optionalDependencies }
  for (const name of ['oxlint', 'oxfmt', 'biome', '@biomejs/biome', 'node-llama-cpp']) t.notOk(name in all, `${name} is no dependency`)
})

t.test('packages that only some users need are optional peers', async t => {
  const { dependencies, peerDependencies = {}, peerDependenciesMeta = {} } = manifest()
  for (const name of ['@aws-sdk/credential-provider-node', '@azure/identity', 'google-auth-library', 'pg'])
    t.notOk(name in dependencies, name)
  for (const name of Object.keys(peerDependencies)) t.same(peerDependenciesMeta[name], { optional: true }, name)
})

t.test('every file that package.json exports exists', async t => {
  const { exports } = manifest() as unknown as { exports: Readonly<Record<string, string | { readonly 'turnpike-source': string }>> }
  for (const [name, target] of Object.entries(exports)) {
    const source = typeof target === 'string' ? target : target['turnpike-source']
    if (!source.includes('*')) t.ok(existsSync(join(root, source)), `${name} is ${source}`)
  }
})
