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
        description: 'The file to append to. Give each gateway process its own file.',
      },
      maxMegabytes: {
        type: 'integer',
        minimum: 1,
        default: 100,
        description: 'At this size, the file is renamed, with the time in its name, and a new one begins.',
      },
      daily: { type: 'boolean', default: true, description: 'Also start a new file every day at midnight UTC.' },
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
          'true: new requests wait while the file cannot be written. false: the gateway drops the oldest records, and logs how many.',
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
