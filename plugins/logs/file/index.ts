import { definePlugin, LogSinks } from '../../../core/index.ts'
import { RotatedFile } from './rotated-file.ts'

/** Appends one JSON object per request to a file, without content. */
export default definePlugin({
  name: 'file-log',
  options: {
    type: 'object',
    additionalProperties: false,
    properties: {
      file: {
        type: 'string',
        minLength: 1,
        default: './data/logs/requests.jsonl',
        description: 'The file to append to. Give each gateway process a file of its own.',
      },
      maxMegabytes: {
        type: 'integer',
        minimum: 1,
        default: 100,
        description: 'A file that has grown this large is renamed, with the time in its name, and a new one begins.',
      },
      daily: { type: 'boolean', default: true, description: 'Also begin a new file every day, at midnight UTC.' },
      keepFiles: {
        type: 'integer',
        minimum: 1,
        default: 30,
        description: 'How many renamed files to keep. The oldest are deleted first.',
      },
      required: {
        type: 'boolean',
        default: false,
        description:
          'true: new requests wait while the file cannot be written. false: the oldest records are dropped, and counted in the log.',
      },
    },
  },
  instance: options => options.file,
  setup(gateway, { file, maxMegabytes, daily, keepFiles, required }) {
    const target = new RotatedFile({ path: gateway.resolvePath(file), maxBytes: maxMegabytes * 1024 * 1024, daily, keepFiles })
    gateway.add(LogSinks, {
      name: `file:${file}`,
      accepts: 'metadata',
      required,
      async write(batch) {
        const lines = batch.map(({ request: _request, response: _response, kept: _kept, ...facts }) => `${JSON.stringify(facts)}\n`)
        await target.append(lines, Date.now())
      },
    })
    if (gateway.createFiles) gateway.onStart(async () => void (await target.open()))
    gateway.onStop(() => target.close())
  },
})
