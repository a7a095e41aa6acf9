import { definePlugin, LogSinks } from '../../../core/index.ts'
import { jsonLine, textLine } from './line.ts'

/** One line for each request on standard output, without content. */
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
          process.stdout.write(batch.map(record => `${line(record)}\n`).join(''), error => (error ? reject(error) : resolve()))
        }),
    })
    // A reader that went away, such as a pager, must not take the gateway with it: the write's own error says so.
    const ignore = (): void => {}
    gateway.onStart(() => void process.stdout.on('error', ignore))
    gateway.onStop(() => void process.stdout.off('error', ignore))
  },
})
