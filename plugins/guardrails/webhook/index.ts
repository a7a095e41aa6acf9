import { Clock, definePlugin, Guardrails, PluginError } from '../../../core/index.ts'
import { hipaaAgreement, WebhookSigner, zdrAgreement } from '../../../core/kit.ts'
import { Service } from './service.ts'
import { WebhookSession, type Webhook } from './session.ts'

const shortestKeyBytes = 16
/** Shorter texts are not secrets, and may be part of any message. */
const shortestSecret = 6

/** Asks your own HTTP service about every request and, if you wish, every answer: docs/guardrails.md#webhook. */
export default definePlugin({
  name: 'webhook',
  options: {
    type: 'object',
    additionalProperties: false,
    required: ['url', 'onFailure'],
    properties: {
      name: { type: 'string', minLength: 1, default: 'webhook', description: 'The name of the guardrail, for `guardrails` of API keys.' },
      url: { type: 'string', format: 'uri', pattern: '^https?://', description: 'The address of the service.' },
      onFailure: {
        enum: ['refuse', 'allow'],
        description: 'What happens if the service gives no verdict: refuse the request (503), or let it through unchecked.',
      },
      timeoutMs: {
        type: 'integer',
        minimum: 1,
        maximum: 2_147_483_647,
        default: 2_000,
        description: 'How long one verdict may take, in milliseconds.',
      },
      output: {
        type: 'boolean',
        default: false,
        description: 'true: the service sees answers too, item by item. Streams then deliver whole items.',
      },
      applies: {
        enum: ['always', 'key'],
        default: 'always',
        description: 'key: only requests of API keys that name the guardrail in `guardrails`.',
      },
      secret: {
        type: 'string',
        minLength: shortestKeyBytes,
        writeOnly: true,
        description: 'Signs requests with HMAC-SHA-256, as standardwebhooks.com describes. `whsec_` and base64, or any other text.',
      },
      headers: {
        type: 'object',
        additionalProperties: { type: 'string' },
        default: {},
        writeOnly: true,
        description: 'Headers to send, such as { authorization: `Bearer ${env("MODERATION_TOKEN")}` }.',
      },
      maxReplyBytes: { type: 'integer', minimum: 1, default: 4_194_304, description: 'The largest reply to read, in bytes.' },
      zdr: {
        ...zdrAgreement,
        description: 'The zero-data-retention policy of the service. Without it, requests of keys with zdr on are refused.',
      },
      hipaa: {
        ...hipaaAgreement,
        description: 'The business associate agreement with the service. Without it, requests of keys in HIPAA mode are refused.',
      },
    },
  },
  needs: { clock: Clock },
  instance: ({ name }) => name,
  setup(gateway, { name, url, secret, onFailure, timeoutMs, maxReplyBytes, output, applies, zdr, hipaa, ...options }, { clock }) {
    const headers = Object.fromEntries(Object.entries(options.headers).map(([header, value]) => [header.toLowerCase(), value]))
    const { username, password } = new URL(url)
    if (username || password) throw new PluginError(gateway.name, 'has credentials in its option url. Send them in the option headers.')
    if (secret !== undefined && new WebhookSigner(secret).bytes < shortestKeyBytes)
      throw new PluginError(gateway.name, `has a secret of fewer than ${shortestKeyBytes} bytes.`)
    const service = new Service(gateway.name, gateway.http, clock, { url, headers, secret, timeoutMs, maxReplyBytes })
    const secrets = [...Object.values(headers), secret ?? ''].filter(each => each.length >= shortestSecret)
    const webhook: Webhook = { plugin: gateway.name, name, service, secrets }
    gateway.add(Guardrails, {
      name,
      enforces: [],
      onFailure,
      timeoutMs,
      seesContent: { zdr: zdr ?? false, hipaa: hipaa ?? false },
      applies,
      open(context) {
        const session = new WebhookSession(webhook, context)
        return {
          input: request => session.input(request),
          decision: request => session.decision(request),
          ...(output && { item: item => session.item(item) }),
        }
      },
    })
  },
})
