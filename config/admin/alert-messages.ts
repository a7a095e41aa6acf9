import type { Command } from 'commander'
import type { JsonObject } from '../../core/index.ts'
import { numberFrom } from '../command.ts'
import { ConfigError } from '../errors.ts'
import { adminCommand } from './admin-command.ts'
import { keyName } from './arguments.ts'
import { withAdmin, type AdminOptions } from './client.ts'
import { printJson, printList } from './print.ts'

interface MessageOptions extends AdminOptions {
  readonly org?: string
  readonly target?: string
  readonly failed?: boolean
  readonly limit: number
}

const messages = adminCommand('messages', 'List messages to targets, the newest first.')
  .option('--failed', 'Only those that could not be delivered.')
  .option('--org <id>', 'Only those to this organization.', keyName)
  .option('--target <id>', 'Only those to this target.', keyName)
  .option(
    '--limit <number>',
    'How many.',
    numberFrom('a whole number from 1 to 100', limit => Number.isInteger(limit) && limit >= 1 && limit <= 100),
    20,
  )
  .action(async ({ org, target, failed, limit, ...options }: MessageOptions) =>
    withAdmin(options, async client => {
      const query = new URLSearchParams({
        limit: String(limit),
        ...(org !== undefined && { org }),
        ...(target !== undefined && { target }),
        ...(failed && { state: 'failed' }),
      })
      const data = (await client.call('GET', `/alert-messages?${query.toString()}`))['data'] as readonly JsonObject[]
      if (options.json) printJson(data)
      else printList(data, ['created_at', 'kind', 'state', 'tries', 'failure', 'target', 'id'], 'No messages match.')
    }),
  )

const resend = adminCommand('resend', 'Send messages again that could not be delivered.')
  .argument('[id]', 'The id of a message.')
  .option('--all', 'All of them.')
  .option('--target <id>', 'All of this target.', keyName)
  .action(async (id: string | undefined, { all, target, ...options }: MessageOptions & { readonly all?: boolean }) => {
    if ([id, all, target].filter(each => each !== undefined).length !== 1)
      throw new ConfigError(undefined, ['Expected the id of a message, --all, or --target. Name one of them.'])
    await withAdmin(options, async client => {
      const more = target === undefined ? '' : `&target=${encodeURIComponent(target)}`
      const ids = id === undefined ? (await client.all(`/alert-messages?state=failed${more}`)).map(each => String(each['id'])) : [id]
      const sent: JsonObject[] = []
      for (const each of ids) sent.push(await client.call('POST', `/alert-messages/${encodeURIComponent(each)}/resend`))
      if (options.json) printJson(sent)
      else console.log(sent.length === 0 ? 'No messages have failed.' : `Sending again: ${ids.join(', ')}`)
    })
  })

/** `turnpike alerts messages` and `turnpike alerts resend`. */
export const alertMessageCommands: readonly Command[] = [messages, resend]
