import { Command, InvalidArgumentError, Option } from 'commander'
import { nearest } from '../core/foundation/nearest.ts'

/** A command without subcommands. Mistakes in its options go to standard error in a line or two. */
export function command(name: string, description: string): Command {
  return new Command(name)
    .description(description)
    .helpOption('-h, --help', 'Print this help.')
    .configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, 'turnpike: ')) })
    .hook('preAction', (_, action) => refuseEmpty(action))
}

/** An empty id would stand for the whole list. */
function refuseEmpty(action: Command): void {
  const index = action.args.indexOf('')
  if (index >= 0)
    action.error(`error: the argument <${action.registeredArguments[index]?.name()}> is empty. Did a variable of your shell have no value?`)
}

/** A command that only has subcommands. */
export function commandGroup(name: string, description: string): Command {
  return command(name, description).helpCommand('help [command]', 'Print the help of a command.')
}

/** A group whose first command is the default. */
export function listingGroup(name: string, description: string, list: Command, others: readonly Command[]): Command {
  const group = commandGroup(name, description).addCommand(list, { isDefault: true })
  for (const other of others) group.addCommand(other)
  group.addHelpText('after', `\nWithout a command, runs "${list.name()}". For its options: turnpike ${name} ${list.name()} --help`)
  return group.hook('preSubcommand', ({ args: [named = '-'], commands }) => {
    const names = commands.map(each => each.name())
    // Options are for the first command.
    if (named.startsWith('-') || named === 'help' || names.includes(named)) return
    const near = nearest(named, names)
    group.error(
      `error: unknown command '${named}'. ${near.length > 0 ? `Did you mean ${near.join(', ')}?` : `Expected ${names.join(', ')}.`}`,
    )
  })
}

export interface ConfigOption {
  readonly config?: string
}

/** For `addOption`. */
export function configOption(): Option {
  return new Option(
    '-c, --config <file>',
    'The config file. Default: gateway.config with .ts, .mts, .js, .mjs, .json, .yaml or .yml in this folder, or the member gateway of package.json.',
  )
}

/** Parses an option as a number that `isRight` accepts. `expected` completes "Expected …." */
export function numberFrom(expected: string, isRight: (number: number) => boolean): (text: string) => number {
  return text => {
    const number = Number(text)
    if (/^\d+(\.\d+)?$/.test(text) && Number.isFinite(number) && isRight(number)) return number
    throw new InvalidArgumentError(`Expected ${expected}.`)
  }
}
