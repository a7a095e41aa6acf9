import { InvalidArgumentError, type Command } from 'commander'
import type { JsonObject } from '../../core/index.ts'
import { accountFields, accountFieldsAt } from '../../core/stores.ts'
import { policyFields } from '../../core/admin.ts'
import { listingGroup, numberFrom } from '../command.ts'
import { ConfigError } from '../errors.ts'
import { adminCommand } from './admin-command.ts'
import { keyName } from './arguments.ts'
import { withAdmin, type AdminOptions } from './client.ts'
import { addFieldOptions, addRemovals, bodyOf as fieldsIn } from './field-options.ts'
import { printJson, printList, printObject } from './print.ts'

interface AccountOptions extends AdminOptions {
  readonly id?: string
  readonly name?: string
  readonly org?: string
  /** `false` is `--no-team`. */
  readonly team?: string | false
  readonly enforce?: readonly Enforced[]
  readonly release?: readonly string[]
}

interface Enforced {
  readonly field: string
  readonly value: boolean
}

const levels = { orgs: 'org', teams: 'team', users: 'user' } as const
const nouns = { orgs: 'organization', teams: 'team', users: 'user' } as const
const columns = {
  orgs: ['id', 'name', 'spend_cap_usd', 'spent_usd', 'credit_balance_usd'],
  teams: ['id', 'name', 'org', 'spend_cap_usd', 'spent_usd'],
  users: ['id', 'name', 'org', 'team', 'spend_cap_usd', 'spent_usd'],
} as const

/** `turnpike orgs`, `teams` or `users`. */
export function accountsCommand(name: keyof typeof nouns): Command {
  const noun = nouns[name]
  const below = name !== 'orgs'
  const one = (command: string, description: string): Command => {
    const made = adminCommand(command, description).argument('<id>', `The id of the ${noun}.`)
    return below ? made.option('--org <id>', `The organization of the ${noun}, if several have one with this id.`, keyName) : made
  }
  const show = one('show', `Show one ${noun}.`).action(async (id: string, options: AccountOptions) =>
    withAdmin(options, async client => print(options, await client.call('GET', pathOf(name, id, options)))),
  )
  const update = settings(name, one('update', `Change one ${noun}. Options that you leave out stay as they are.`))
    .option('--name <text>', 'A new name.', keyName)
    .action(async (id: string, options: AccountOptions) => {
      const { team } = options
      const body = { ...bodyOf(options), ...(team !== undefined && { team: team === false ? null : team }) }
      if (Object.keys(body).length === 0)
        throw new ConfigError(undefined, [`Nothing to change: name at least one option. See: turnpike ${name} update --help`])
      await withAdmin(options, async client => print(options, await client.call('PATCH', pathOf(name, id, options), body)))
    })
  addRemovals(update, accountFieldsAt(levels[name]))
  if (name === 'users')
    update
      .option('--team <id>', 'The team to move the user and its keys to.', keyName)
      .option('--no-team', 'Remove the user and its keys from the team.')
  const remove = one('delete', `Delete one ${noun}, which must have no keys.`).action(async (id: string, options: AccountOptions) =>
    withAdmin(options, async client => print(options, await client.call('DELETE', pathOf(name, id, options)))),
  )
  const description = `Create, list and change ${noun}s: their policy${name === 'orgs' ? ', spend cap and credit' : ' and spend cap'}.`
  const more = name === 'orgs' ? [credit(), credits()] : []
  return listingGroup(name, description, list(name), [create(name), show, update, remove, ...more])
}

function list(name: keyof typeof nouns): Command {
  const command = adminCommand('list', `List ${nouns[name]}s, the oldest first.`)
  if (name !== 'orgs') command.option('--org <id>', 'Only those of this organization.', keyName)
  return command.action(async (options: AccountOptions) =>
    withAdmin(options, async client => {
      const accounts = await client.all(`/${name}${options.org === undefined ? '' : `?org=${encodeURIComponent(options.org)}`}`)
      if (options.json) printJson(accounts)
      else printList(accounts, columns[name], `No ${nouns[name]}s yet. Create one with: turnpike ${name} create`)
    }),
  )
}

function create(name: keyof typeof nouns): Command {
  const command = settings(name, adminCommand('create', `Create one ${nouns[name]}.`))
    .requiredOption('--name <text>', 'Its name.', keyName)
    .option('--id <id>', 'Its id. Default: a new one.', keyName)
  if (name !== 'orgs') command.requiredOption('--org <id>', 'The organization it belongs to.', keyName)
  if (name === 'users') command.option('--team <id>', 'The team it belongs to.', keyName)
  return command.action(async (options: AccountOptions) => {
    const { id, org, team } = options
    const body = {
      ...bodyOf(options),
      ...(id !== undefined && { id }),
      ...(org !== undefined && { org }),
      ...(team !== undefined && { team }),
    }
    await withAdmin(options, async client => print(options, await client.call('POST', `/${name}`, body)), { createFiles: true })
  })
}

function credit(): Command {
  return adminCommand('credit', 'Add credit to an organization, or deduct it with a negative amount.')
    .argument('<id>', 'The id of the organization.')
    .argument('<usd>', 'US dollars.', amount)
    .option('--note <text>', 'Such as an invoice number.')
    .action(async (id: string, usd: number, options: AdminOptions & { readonly note?: string }) =>
      withAdmin(options, async client => {
        const body = { amount_usd: usd, ...(options.note !== undefined && { note: options.note }) }
        print(options, await client.call('POST', `/orgs/${encodeURIComponent(id)}/credits`, body))
      }),
    )
}

function credits(): Command {
  return adminCommand('credits', 'List the credit entries of an organization, the newest first.')
    .argument('<id>', 'The id of the organization.')
    .action(async (id: string, options: AdminOptions) =>
      withAdmin(options, async client => {
        const entries = await client.all(`/orgs/${encodeURIComponent(id)}/credits`)
        if (options.json) printJson(entries)
        else printList(entries, ['created_at', 'amount_usd', 'request_id', 'note'], 'No entries yet.')
      }),
    )
}

function settings(name: keyof typeof nouns, command: Command): Command {
  return addFieldOptions(command, accountFieldsAt(levels[name]), {
    spendCapUsd: numberFrom('an amount of 0 or more, such as 100', () => true),
  })
    .option('--enforce <field=on,...>', 'Policy fields to lock on all keys below, such as zdr=on,logging=off.', enforced)
    .option('--release <field,...>', 'Policy fields to unlock, such as zdr,logging.', fields)
}

function bodyOf(options: AccountOptions): JsonObject {
  const { name, enforce = [], release = [] } = options
  const both = enforce.find(({ field }) => release.includes(field))
  if (both) throw new ConfigError(undefined, [`--enforce and --release both name ${both.field}. Name it in only one of them.`])
  const policy = Object.fromEntries([
    ...enforce.map(({ field, value }) => [field, { value, enforced: true }]),
    ...release.map(field => [field, null]),
  ])
  return {
    ...(name !== undefined && { name }),
    ...fieldsIn(accountFields, options),
    ...(Object.keys(policy).length > 0 && { policy }),
  }
}

function pathOf(name: string, id: string, { org }: AccountOptions): string {
  return `/${name}/${encodeURIComponent(id)}${org === undefined ? '' : `?org=${encodeURIComponent(org)}`}`
}

function print({ json }: AdminOptions, object: JsonObject): void {
  if (json) printJson(object)
  else printObject(object)
}

function amount(text: string): number {
  const number = Number(text)
  if (/^-?\d+(\.\d+)?$/.test(text) && number !== 0) return number
  throw new InvalidArgumentError('Expected an amount other than 0, such as 25 or -5.')
}

function enforced(text: string): readonly Enforced[] {
  return text.split(',').map(each => {
    const [, field, value] = /^(\w+)=(on|off)$/.exec(each.trim()) ?? []
    if (field !== undefined && (policyFields as readonly string[]).includes(field)) return { field, value: value === 'on' }
    throw new InvalidArgumentError(`Expected fields of ${policyFields.join(', ')} with on or off, such as zdr=on.`)
  })
}

function fields(text: string): readonly string[] {
  const names = text.split(',').map(each => each.trim())
  if (names.every(name => (policyFields as readonly string[]).includes(name))) return names
  throw new InvalidArgumentError(`Expected fields of ${policyFields.join(', ')}.`)
}
