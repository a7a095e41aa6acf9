import { existsSync, readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { Argument, Option } from 'commander'
import { nearest } from '../../core/foundation/nearest.ts'
import { command } from '../command.ts'
import { ConfigError } from '../errors.ts'
import { writeNew } from './new-files.ts'
import { pluginKind, pluginKinds, type PluginKind } from './plugin-kinds.ts'
import { namesFrom } from './plugin-names.ts'
import { pluginPackage, type PackageChoices } from './plugin-package.ts'
import { nextSteps } from './next-steps.ts'

interface NewPluginOptions extends PackageChoices {
  readonly folder?: string
}

export default command('new', 'Make the package of a plugin, with a test, in a new folder. Overwrites nothing.')
  .addArgument(new Argument('<kind>', 'What the plugin adds. One of the kinds below.'))
  .argument('[name]', 'Its name, such as word-guard or @acme/turnpike-word-guard. Default: my-<kind>.')
  .option('--folder <path>', 'The folder to make. Default: the name, in this folder.')
  .addOption(new Option('--license <id>', 'The license of the package.').choices(['Apache-2.0', 'UNLICENSED']).default('Apache-2.0'))
  .option('--no-ci', 'Without a workflow for GitHub.')
  .addHelpText('after', () => `\nKinds:\n${kindList()}`)
  .action(makePlugin)

function kindList(): string {
  const width = Math.max(...pluginKinds.map(({ name }) => name.length))
  return pluginKinds.map(({ name, does }) => `  ${name.padEnd(width)}  ${does}`).join('\n')
}

function makePlugin(kindName: string, name: string | undefined, { folder, ...choices }: NewPluginOptions): void {
  const kind = pluginKind(kindName) ?? refuseKind(kindName)
  const names = namesFrom(name ?? `my-${kind.name}`)
  if (!names)
    throw new ConfigError(undefined, [
      `Expected a name of lower-case words with hyphens, such as word-guard or @acme/turnpike-word-guard, but got '${name}'.`,
    ])
  const target = folder ?? basename(name ?? names.short)
  if (existsSync(target) && !isEmpty(target))
    throw new ConfigError(undefined, [`The folder ${target} exists already. Choose another name, or another folder with --folder.`])
  const { written } = writeNew(target, pluginPackage(kind, names, choices))
  console.log(`${join(target, 'src', 'index.ts')} is a plugin that ${kind.does}. Change it into yours.\n`)
  console.log(`Wrote ${written.length} files in ${target}: ${written.join(', ')}\n`)
  console.log(nextSteps(target, ['npm install', 'npm test', 'npm run dev']))
}

function isEmpty(folder: string): boolean {
  try {
    return readdirSync(folder).every(name => name === '.git')
  } catch {
    return false
  }
}

function refuseKind(name: string): never {
  const known = pluginKinds.flatMap(({ name: kind, aliases = [] }): readonly string[] => [kind, ...aliases])
  const near = [...new Set(nearest(name, known).map(each => (pluginKind(each) as PluginKind).name))]
  const advice = near.length > 0 ? `Did you mean ${near.join(', ')}? ` : ''
  throw new ConfigError(undefined, [`There is no kind '${name}'. ${advice}The kinds are:\n\n${kindList()}\n`])
}
