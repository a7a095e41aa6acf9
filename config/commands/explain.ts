import { adminCommand } from '../admin/admin-command.ts'
import { withAdmin, type AdminOptions } from '../admin/client.ts'
import { printJson } from '../admin/print.ts'
import { ConfigError } from '../errors.ts'
import { checkRequestId } from '../explain/request-id.ts'
import { storyOf, type ExplainedRecord } from '../explain/story.ts'

const widest = 120
const narrowest = 40

export default adminCommand('explain', 'Tell what happened to a request: who answered, how long it took, what it cost, and why it failed.')
  .argument('<id>', 'The id of the request, as in x-request-id, or of the response or decision that answered it.')
  .action(async (id: string, options: AdminOptions) => {
    checkRequestId(id)
    await withAdmin(options, async client => {
      const record = await client.find(`/records/${encodeURIComponent(id)}`)
      if (!record)
        throw new ConfigError(undefined, [
          `No record has the id ${id.slice(0, 100)}, or this token may not see it. A record arrives a moment after the reply, and is deleted when its time is over.`,
        ])
      if (options.json) return printJson(record)
      const { key } = record as unknown as ExplainedRecord
      const named = key === null ? undefined : await client.find(`/keys/${encodeURIComponent(key)}`)
      const width = Math.min(widest, Math.max(narrowest, process.stdout.columns ?? widest))
      console.log(storyOf(record as unknown as ExplainedRecord, named?.['name'], width).join('\n'))
    })
  })
