// Builds dist/ for publishing. In the repository everything runs from source.
//
// The compiler writes the declarations, file by file; those that no public import path leads to are removed. JavaScript is bundled: each
// public import path and each thread has one file, at the place of its source, and what they share is in dist/chunks/. All that every
// start needs is a single file there, together with the packages that it uses, because finding and reading a thousand small files takes
// longer than running them. Packages that few requests need are in dist/packages/.
//
//   node scripts/build.js [--out folder] [--javascript-only]

import { spawnSync } from 'node:child_process'
import { copyFileSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { rolldown } from 'rolldown'
import {
  asciiOnly,
  builtinsWithoutFacades,
  compiledValidators,
  eagerFunctions,
  ownAddresses,
  ownRequires,
  validators,
  validatorsApart,
} from './bundle-plugins.js'
import { PackageFiles } from './bundle-packages.js'
import { noticesOf } from './bundle-notices.js'
import { bringNodeTypes, openClasses, pruneDeclarations } from './declarations.js'

const root = fileURLToPath(new URL('..', import.meta.url))
const { values } = parseArgs({
  options: { out: { type: 'string', default: join(root, 'dist') }, 'javascript-only': { type: 'boolean', default: false } },
})
const dist = resolve(values.out)
const catalog = join('plugins', 'catalogs', 'bundled', 'models.json')

/** Chunks, by the modules that lead to their contents. The first that has a module keeps it. */
const chunks = {
  // Loaded by every command. The process that starts workers loads little else.
  command: [
    'config/command',
    'config/faults',
    'config/leave',
    'config/process-output',
    'config/workers/parent',
    'config/workers/start-options',
  ],
  // Loaded by every start, with any config.
  gateway: ['core/index', 'core/kit', 'core/stores', 'core/admin', 'core/gateway', 'config/index'],
  // Loaded by every process that serves.
  serving: ['config/single-process', 'config/workers/worker', 'config/inherited-models'],
  // Loaded at the first request. Other surfaces share parts of it.
  responses: ['plugins/endpoints/responses/surface'],
}
const { exports, peerDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const entries = [...publicEntries(), 'config/main']
/** Operators install these. */
const installed = matching(Object.keys(peerDependencies))
/** Packages that few requests need. */
const packages = new PackageFiles(root, matching(['ajv', 'gpt-tokenizer', 'json-schema-faker', '@smithy/[^/]+']))
/** The code that runs in browsers: the dashboard, and the inspector of `turnpike dev`. */
const apps = ['plugins/endpoints/dashboard/app', 'config/dev/page']

rmSync(dist, { recursive: true, force: true })
if (!values['javascript-only']) declare()
const modules = [
  ...(await bundle()),
  ...(await bundleThreads()),
  ...(await bundleValidators()),
  ...(await packages.write(dist)),
  ...(await Promise.all(apps.map(bundleApp))).flat(),
]
copyFileSync(join(root, catalog), join(dist, catalog))
for (const app of apps) for (const file of ['style.css', 'icon.svg']) copyFileSync(join(root, app, file), join(dist, app, file))
writeFileSync(join(dist, 'THIRD-PARTY-NOTICES.txt'), noticesOf(modules))

function declare() {
  const compiler = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc')
  const { status } = spawnSync(process.execPath, [compiler, '--project', 'tsconfig.build.json', '--outDir', dist], {
    cwd: root,
    stdio: 'inherit',
  })
  if (status !== 0) process.exit(status ?? 1)
  pruneDeclarations(dist, publicEntries())
  openClasses(dist)
  bringNodeTypes(dist, publicEntries())
}

/** Returns the paths of all modules in it, like the others below. */
async function bundle() {
  const imported = new Map()
  const graph = { name: 'graph', moduleParsed: ({ id, importedIds }) => void imported.set(id, importedIds) }
  const bundled = await rolldown({
    cwd: root,
    input: inputOf(entries),
    platform: 'node',
    resolve: { conditionNames: ['turnpike-source', 'node', 'import', 'default'] },
    external: installed,
    plugins: [
      validatorsApart(root),
      packages.apart(),
      packages.whenUsed({ 'node-forge': [], 'js-yaml': [], consola: ['consola'] }),
      ownRequires(),
      ownAddresses(root),
      graph,
    ],
  })
  // Filled while the entries are read, before chunks are asked for.
  let contents
  const nameOf = id => {
    contents ??= Object.entries(chunks).map(([name, leading]) => [name, reachedFrom(Object.values(inputOf(leading)), imported)])
    return contents.find(([, modules]) => modules.has(id))?.[0] ?? null
  }
  const { output } = await bundled.write({
    dir: dist,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name].js',
    codeSplitting: { groups: [{ name: nameOf, debugName: 'chunks' }] },
    plugins: [builtinsWithoutFacades(), asciiOnly()],
  })
  return modulesOf(output)
}

/** Threads, and processes of their own, load nothing that they do not use, so they share no file with the rest. */
async function bundleThreads() {
  const modules = []
  for (const thread of threads()) {
    const bundled = await rolldown({ cwd: root, input: inputOf([thread]), platform: 'node', plugins: [packages.apart()] })
    const { output } = await bundled.write({ dir: dist, format: 'esm', entryFileNames: '[name].js', codeSplitting: false })
    modules.push(...modulesOf(output))
  }
  return modules
}

/** Their programs: what the sources start as `startWorker(import.meta.url, './program')`, or with a member `module`. */
function threads() {
  return globSync('{core,dialects,plugins,config}/**/*.ts', { cwd: root }).flatMap(file => {
    const starts = readFileSync(join(root, file), 'utf8').matchAll(
      /startWorker\(import\.meta\.url, '([^']+)'|\bbeside: import\.meta\.url,\s+module: '([^']+)'/g,
    )
    return Array.from(starts, ([, started, named]) => join(dirname(file), started ?? named).replaceAll(sep, '/'))
  })
}

/** Ten times as long as their sources, and nobody reads them. */
async function bundleValidators() {
  const bundled = await rolldown({
    cwd: root,
    input: { [validators]: join(root, `${validators}.ts`) },
    platform: 'node',
    plugins: [compiledValidators(root)],
  })
  const { output } = await bundled.write({
    dir: dist,
    format: 'esm',
    entryFileNames: '[name].js',
    codeSplitting: false,
    minify: true,
    plugins: [eagerFunctions(), asciiOnly()],
  })
  return modulesOf(output)
}

/** With a file for each page of the dashboard, which is loaded when it is opened. */
async function bundleApp(app) {
  const bundled = await rolldown({ cwd: root, input: { main: join(root, app, 'main.ts') }, platform: 'browser' })
  const { output } = await bundled.write({
    dir: join(dist, app),
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name]-[hash].js',
    minify: true,
  })
  return modulesOf(output)
}

/** Every public import path, as the path of its source without the extension. */
function publicEntries() {
  const sources = Object.values(exports).flatMap(({ 'turnpike-source': source }) => source ?? [])
  return sources
    .flatMap(source => globSync(source.replace('*', '*/*'), { cwd: root }))
    .map(file => file.slice(0, -'.ts'.length).replaceAll(sep, '/'))
}

function matching(names) {
  return new RegExp(`^(${names.join('|')})(/|$)`)
}

function modulesOf(output) {
  return output.flatMap(({ moduleIds = [] }) => moduleIds)
}

function inputOf(names) {
  return Object.fromEntries(names.map(name => [name, join(root, `${name}.ts`)]))
}

/** All modules that these import statically, and what those import, and so on. */
function reachedFrom(ids, imported) {
  const reached = new Set(ids)
  for (const id of reached) for (const next of imported.get(id) ?? []) reached.add(next)
  return reached
}
