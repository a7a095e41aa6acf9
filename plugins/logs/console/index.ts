import { definePlugin, LogSinks } from '../../../core/index.ts'
import { jsonLine, textLine } from './line.ts'

/** Prints one line per request to standard output, without content. */
export default definePlugin({
  name: 'console-log',
  options: {
    type: 'object',
    additionalProperties: false,
    properties: {
      format: { enum: ['json', 'text'], description: 'Default: text on a terminal, otherwise json.' },
    },
  },
  setup(gateway, options) {
    const format = options.format ?? (process.stdout.isTTY ? 'text' : 'json')
    const line = format === 'text' ? textLine : jsonLine
    gateway.add(LogSinks, {
      name: 'console',
      accepts: 'metadata',
      write: batch =>
        new Promise((resolve, reject) => {
          let lines = ''
          for (const record of batch) lines += `${line(record)}\n`
          process.stdout.write(lines, error => (error ? reject(error) : resolve()))
        }),
    })
    // If the reader goes away (a pager, for example), the error must not end the gateway. The write above reports it.
    const ignore = (): void => {}
    gateway.onStart(() => void process.stdout.on('error', ignore))
    gateway.onStop(() => void process.stdout.off('error', ignore))
  },
})
