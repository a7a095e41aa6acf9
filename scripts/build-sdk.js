// Builds the package turnpike-sdk in dist-sdk/: the doors for plugins, bundled from the same sources as those of turnpike, so that a plugin
// can depend on them without the server. `npm run build` runs it after build.js, whose declarations it takes.
//
//   node scripts/build-sdk.js [--declarations folder] [--out folder] [--javascript-only]

import { copyFileSync, cpSync, existsSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { rolldown } from 'rolldown'
import { noticesOf } from './bundle-notices.js'
import { asciiOnly, ownAddresses, ownRequires } from './bundle-plugins.js'
import { pruneDeclarations } from './declarations.js'

const root = fileURLToPath(new URL('..', import.meta.url))
const { values } = parseArgs({
  options: {
    declarations: { type: 'string', default: join(root, 'dist') },
    out: { type: 'string', default: join(root, 'dist-sdk') },
    'javascript-only': { type: 'boolean', default: false },
  },
})
const out = resolve(values.out)
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

/** The doors that plugins import when they run. Tests and configs import those of turnpike. */
const doors = ['.', './kit', './stores', './admin', './dialects'].filter(door => door in manifest.exports)
const sources = doors.map(door => manifest.exports[door]['turnpike-source'].replace(/^\.\/|\.ts$/g, ''))
/** Packages that npm installs beside it: few plugins load ajv, and the other one has only types. */
const dependencies = ['ajv', 'json-schema-to-ts']

rmSync(out, { recursive: true, force: true })
if (!values['javascript-only']) declare(resolve(values.declarations))
const modules = await bundle()
writeFileSync(join(out, 'package.json'), `${JSON.stringify(ownManifest(), null, 2)}\n`)
writeFileSync(join(out, 'THIRD-PARTY-NOTICES.txt'), noticesOf(modules, 'turnpike-sdk'))
copyFileSync(join(root, 'LICENSE'), join(out, 'LICENSE'))
copyFileSync(join(root, 'scripts/sdk-readme.md'), join(out, 'README.md'))

function declare(folder) {
  if (!existsSync(join(folder, 'core/index.d.ts')))
    throw new Error(`expected declarations in ${folder}, found none. Run node scripts/build.js first`)
  for (const file of globSync('**/*.d.ts', { cwd: folder })) cpSync(join(folder, file), join(out, file))
  pruneDeclarations(out, sources)
  // A sixth of them is the indentation of schemas.
  for (const path of globSync('**/*.d.ts', { cwd: out }).map(file => join(out, file)))
    writeFileSync(
      path,
      readFileSync(path, 'utf8').replaceAll(/^(?: {4})+/gm, spaces => '\t'.repeat(spaces.length / 4)),
    )
}

async function bundle() {
  const bundled = await rolldown({
    cwd: root,
    input: Object.fromEntries(sources.map(source => [source, join(root, `${source}.ts`)])),
    platform: 'node',
    resolve: { conditionNames: ['turnpike-source', 'node', 'import', 'default'] },
    external: dependencies,
    // A package that no plugin can reach leaves nothing behind, such as the one that writes the gateway's log.
    treeshake: { moduleSideEffects: [{ test: /[\\/]node_modules[\\/]/, sideEffects: false }] },
    plugins: [ownRequires(), ownAddresses(root)],
  })
  const { output } = await bundled.write({
    dir: out,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name].js',
    comments: false,
    // Names of functions and classes stay, for the stacks of errors.
    minify: { mangle: { keepNames: true }, compress: true, codegen: { removeWhitespace: true } },
    plugins: [asciiOnly()],
  })
  return output.flatMap(({ moduleIds = [] }) => moduleIds)
}

function ownManifest() {
  const { version, license, type, engines, author, repository, homepage, bugs } = manifest
  return {
    name: 'turnpike-sdk',
    version,
    description: 'The contracts and building blocks of plugins for Turnpike, the inference gateway, without the gateway.',
    keywords: ['turnpike', 'plugins'],
    license,
    author,
    repository,
    homepage,
    bugs,
    type,
    sideEffects: true,
    exports: {
      ...Object.fromEntries(doors.map((door, index) => [door, { types: `./${sources[index]}.d.ts`, default: `./${sources[index]}.js` }])),
      './package.json': './package.json',
    },
    dependencies: Object.fromEntries(dependencies.map(name => [name, manifest.dependencies[name] ?? manifest.devDependencies[name]])),
    // For the compiler: some types are those of Node.js.
    peerDependencies: { '@types/node': '*' },
    peerDependenciesMeta: { '@types/node': { optional: true } },
    engines,
  }
}
