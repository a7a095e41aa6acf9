import { exampleText, licenseText, ownRange } from './examples.ts'
import type { NewFiles } from './new-files.ts'
import type { PluginKind } from './plugin-kinds.ts'
import type { PluginNames } from './plugin-names.ts'
import { pluginSource } from './plugin-source.ts'

export interface PackageChoices {
  /** `UNLICENSED`: nobody else may use it, and it has no file LICENSE. */
  readonly license: 'Apache-2.0' | 'UNLICENSED'
  /** False: without a workflow for GitHub. */
  readonly ci: boolean
}

const frame = 'plugin-package'

/** Everything in the package of a new plugin. */
export function pluginPackage(kind: PluginKind, names: PluginNames, { license, ci }: PackageChoices): NewFiles {
  const workflow = '.github/workflows/ci.yml'
  return new Map([
    ['package.json', manifest(kind, names, license)],
    ...pluginSource(kind, names),
    ['gateway.config.ts', config(kind, names)],
    ...['tsconfig.json', 'tsconfig.build.json'].map(file => [file, exampleText(`${frame}/${file}`)] as const),
    ['README.md', readme(kind, names)],
    // npm would not pack a file of this name among the examples.
    ['.gitignore', 'node_modules/\ndist/\ndata/\n*.tgz\n'],
    ...(license === 'UNLICENSED' ? [] : [['LICENSE', licenseText()] as const]),
    ...(ci ? [[workflow, exampleText(`${frame}/${workflow}`)] as const] : []),
  ])
}

/** Not in the example: a folder within a package has no entries of its own, and publint refuses them there. */
const entries = {
  '.': { types: './dist/index.d.ts', default: './dist/index.js' },
  './package.json': './package.json',
}

interface Manifest {
  readonly scripts: object
  readonly dependencies: object
  readonly devDependencies: object
  readonly engines: object
}

function manifest(kind: PluginKind, names: PluginNames, license: PackageChoices['license']): string {
  const { scripts, dependencies: _, devDependencies, engines, ...template } = JSON.parse(exampleText(`${frame}/package.json`)) as Manifest
  const range = ownRange()
  const made = {
    ...template,
    name: names.package,
    description: description(kind),
    keywords: ['turnpike-plugin', `turnpike-${kind.keyword ?? kind.name}`],
    license,
    exports: entries,
    scripts,
    dependencies: { 'turnpike-sdk': range },
    devDependencies: { ...devDependencies, turnpike: range },
    engines,
  }
  return `${JSON.stringify(made, undefined, 2)}\n`
}

function description({ does }: PluginKind): string {
  return `A plugin for Turnpike that ${does}.`
}

/** A gateway to try the plugin in. */
function config({ options }: PluginKind, { identifier }: PluginNames): string {
  return `// The gateway of \`npm run dev\`.

import { defaults, defineConfig } from 'turnpike/config'
import ${identifier} from './src/index.ts'

export default defineConfig({
  plugins: [...defaults(), ${identifier}(${options})],
})
`
}

function readme(kind: PluginKind, names: PluginNames): string {
  return exampleText(`${frame}/README.md`)
    .replace('A plugin for Turnpike, the inference gateway.', description(kind))
    .replaceAll('turnpike-plugin-acme', names.package)
    .replaceAll('acmePlugin({})', `${names.identifier}(${kind.options})`)
    .replaceAll('acmePlugin', names.identifier)
}
