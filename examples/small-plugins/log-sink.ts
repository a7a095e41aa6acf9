// Appends what each request cost to a file of JSON lines, without content.

import { appendFile } from 'node:fs/promises'
import { definePlugin, LogSinks } from 'turnpike'

export default definePlugin({
  name: 'acme-costs',
  options: {
    type: 'object',
    additionalProperties: false,
    required: ['file'],
    properties: { file: { type: 'string', minLength: 1, description: 'The file to append to.' } },
  },
  setup(gateway, { file }) {
    const path = gateway.resolvePath(file)
    gateway.add(LogSinks, {
      name: 'acme-costs',
      accepts: 'metadata',
      async write(batch) {
        const lines = batch.map(({ id, keyId, model, costUsd }) => JSON.stringify({ id, keyId, model, costUsd }))
        await appendFile(path, `${lines.join('\n')}\n`)
      },
    })
  },
})
