import { text as streamText } from 'node:stream/consumers'
import { InvalidArgumentError, type Command } from 'commander'
import type { JsonObject } from '../../core/index.ts'
import { alertFormats, alertKinds, alertSeverities } from '../../core/stores.ts'
import { ConfigError } from '../errors.ts'
import { adminCommand } from './admin-command.ts'
import { keyName } from './arguments.ts'
import { withAdmin, type AdminOptions } from './client.ts'
import { printJson, printList, printObject } from './print.ts'

interface TargetOptions extends AdminOptions {
  readonly org?: string
  readonly name: string
  readonly format?: string
  readonly kinds?: readonly string[]
  readonly minSeverity?: string
}

const columns = ['id', 'org', 'name', 'format', 'host', 'waiting', 'failed', 'delivered_at', 'ended_at']

const targets = adminCommand('targets', 'List who gets alerts.')
  .option('--org <id>', 'Only those of this organization.', keyName)
  .action(async (options: TargetOptions) =>
    withAdmin(options, async client => {
      const all = await client.all(`/alert-targets${options.org === undefined ? '' : `?org=${encodeURIComponent(options.org)}`}`)
      if (options.json) printJson(all)
      else printList(all, columns, 'No targets yet. Add one of an organization with: turnpike alerts add-target')
    }),
  )

const add = adminCommand('add-target', 'Let an organization have its alerts sent to an address, which is read from standard input.')
  .requiredOption('--name <text>', 'What to call it.', keyName)
  .option('--org <id>', 'The organization. Default: that of the admin token.', keyName)
  .option('--format <format>', `The form of the messages: ${alertFormats.join(', ')}.`, oneOf(alertFormats), 'json')
  .option('--kinds <kind,...>', `Only alerts of these kinds: ${alertKinds.join(', ')}.`, kinds)
  .option('--min-severity <severity>', `The lowest severity to send: ${alertSeverities.join(', ')}.`, oneOf(alertSeverities))
  .action(async ({ org, name, format, kinds: only, minSeverity, ...options }: TargetOptions) => {
    // Other users of the machine can read the arguments of a command.
    const url = (await streamText(process.stdin)).trim()
    if (url === '')
      throw new ConfigError(undefined, ['Expected an address on standard input, got nothing. Write: turnpike alerts add-target … < file'])
    const given = Object.entries({ name, url, format, org, kinds: only, min_severity: minSeverity })
    await withAdmin(options, async client => {
      const made = await client.call('POST', '/alert-targets', Object.fromEntries(given.filter(([, value]) => value !== undefined)))
      print(options, made)
    })
  })

const remove = adminCommand('delete-target', 'Delete a target of an organization, with its messages.')
  .argument('<id>', 'The id of the target.')
  .action(async (id: string, options: AdminOptions) =>
    withAdmin(options, async client => {
      const deleted = await client.call('DELETE', `/alert-targets/${encodeURIComponent(id)}`)
      if (options.json) printJson(deleted)
      else console.log(`${id} is deleted.`)
    }),
  )

const test = adminCommand('test', 'Send a test alert to a target.')
  .argument('<id>', 'The id of the target.')
  .action(async (id: string, options: AdminOptions) =>
    withAdmin(options, async client => {
      const tested = await client.call('POST', `/alert-targets/${encodeURIComponent(id)}/test`)
      if (options.json) printJson(tested)
      else
        console.log(tested['delivered'] === true ? `${id} has the test alert.` : `${id} does not have it: it ${String(tested['failure'])}.`)
      if (tested['delivered'] !== true) process.exitCode = 1
    }),
  )

/** `turnpike alerts targets`, and so on. */
export const alertTargetCommands: readonly Command[] = [targets, add, remove, test]

function print({ json }: AdminOptions, object: JsonObject): void {
  if (json) printJson(object)
  else printObject(object)
}

function oneOf(known: readonly string[]): (text: string) => string {
  return text => {
    if (known.includes(text)) return text
    throw new InvalidArgumentError(`Expected ${known.join(', ')}.`)
  }
}

function kinds(text: string): readonly string[] {
  return text.split(',').map(each => oneOf(alertKinds)(each.trim()))
}
