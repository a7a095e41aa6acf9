import { definePlugin, LogSinks } from '../../../core/index.ts'
import { hipaaAgreement, milliseconds, zdrAgreement } from '../../../core/kit.ts'
import { DeadLetters } from './dead-letters.ts'
import { Delivery } from './delivery.ts'

/** Posts records to a URL in batches. Records that cannot be delivered go into a file, without content. */
export default definePlugin({
  name: 'http-log',
  options: {
    type: 'object',
    additionalProperties: false,
    required: ['url'],
    properties: {
      url: {
        type: 'string',
        format: 'uri',
        writeOnly: true,
        description: 'Where to post records, such as https://logs.example.com/records. Only its host is shown: the rest may be a token.',
      },
      headers: {
        type: 'object',
        additionalProperties: { type: 'string' },
        default: {},
        writeOnly: true,
        description: 'Headers to send, such as { authorization: `Bearer ${env("LOGS_TOKEN")}` }.',
      },
      format: {
        enum: ['array', 'lines'],
        default: 'array',
        description: 'array: each request contains a JSON array. lines: one JSON object per line, as application/x-ndjson.',
      },
      content: {
        type: 'boolean',
        default: false,
        description: 'true: also send requests and answers, for callers whose policy has logging on. They leave the gateway unencrypted.',
      },
      zdr: {
        ...zdrAgreement,
        description: 'The zero-data-retention policy of the recipient. Without it, content of keys with zdr on is left out.',
      },
      hipaa: {
        ...hipaaAgreement,
        description: 'The business associate agreement with the recipient. Without it, content of keys in HIPAA mode is left out.',
      },
      timeoutMs: { ...milliseconds, default: 10_000, description: 'How long one attempt may take, in milliseconds.' },
      maxAttempts: {
        type: 'integer',
        minimum: 1,
        default: 5,
        description:
          'How often to try a batch. The gateway waits 1 second after the first attempt, and twice as long after each further one.',
      },
      deadLetterFile: {
        type: 'string',
        minLength: 1,
        default: './data/logs/dead-letters.jsonl',
        description: 'The file for records that could not be delivered. They are kept without content.',
      },
      maxDeadLetterMegabytes: {
        type: 'integer',
        minimum: 1,
        default: 100,
        description: 'Once the file has this size, the gateway drops further records and logs how many.',
      },
    },
  },
  instance: options => new URL(options.url).host,
  setup(gateway, options) {
    const { url, content, zdr, hipaa, deadLetterFile, maxDeadLetterMegabytes } = options
    const dead = new DeadLetters(gateway.resolvePath(deadLetterFile), maxDeadLetterMegabytes * 1024 * 1024, gateway.log)
    const delivery = new Delivery(gateway.http, options, dead, gateway.log)
    gateway.add(LogSinks, {
      name: `http:${new URL(url).host}`,
      accepts: content ? 'content' : 'metadata',
      seesContent: { zdr: zdr ?? false, hipaa: hipaa ?? false },
      write: batch => delivery.write(batch),
      retryAfterMs: (error, failures) => delivery.retryAfterMs(error, failures),
      giveUp: (batch, error) => delivery.giveUp(batch, error),
    })
    gateway.onStop(() => delivery.stop())
  },
})
