import { hipaaAgreement, zdrAgreement } from '../../../core/kit.ts'

const zdr = {
  ...zdrAgreement,
  description: 'Its zero-data-retention policy. Without it, keys with zdr on cannot use the server.',
} as const
const hipaa = {
  ...hipaaAgreement,
  description: 'The business associate agreement with it. Without it, keys in HIPAA mode cannot use the server.',
} as const

const rules = {
  requireApproval: {
    type: 'string',
    enum: ['always', 'as-asked'],
    default: 'as-asked',
    description: '`always`: callers approve every call. `as-asked`: only those that `require_approval` of their request names.',
  },
  timeoutMs: {
    type: 'integer',
    minimum: 1,
    maximum: 600_000,
    default: 30_000,
    description: 'The time limit for one call, and for the list of tools, in milliseconds.',
  },
  listMs: {
    type: 'integer',
    minimum: 0,
    maximum: 86_400_000,
    default: 300_000,
    description: 'How long the list of tools is kept, in milliseconds.',
  },
  local: {
    type: 'boolean',
    default: false,
    description: 'true: the server is yours, so content stays with you. Keys with zdr or hipaa on may then use it.',
  },
  zdr,
  hipaa,
} as const

const server = {
  type: 'object',
  additionalProperties: false,
  required: ['label', 'url'],
  properties: {
    label: {
      type: 'string',
      pattern: '^[a-zA-Z0-9_-]{1,32}$',
      description: 'How callers name the server: `server_label`.',
    },
    url: {
      type: 'string',
      format: 'uri',
      pattern: '^https?://',
      description: 'The address of its Streamable HTTP endpoint.',
    },
    headers: {
      type: 'object',
      additionalProperties: { type: 'string', writeOnly: true },
      description: 'Headers for every request to the server, such as `authorization`.',
    },
    tools: {
      type: 'array',
      minItems: 1,
      items: { type: 'string', minLength: 1 },
      description: 'The tools that callers may use. Default: all tools of the server.',
    },
    ...rules,
  },
} as const

const origin = {
  type: 'object',
  additionalProperties: false,
  required: ['origin'],
  properties: {
    origin: {
      type: 'string',
      pattern: '^https?://[^/]+/?$',
      description:
        'Scheme, host and port: `https://mcp.example.com`, which may be in your own network, or `https://*.example.com` for all hosts below one, which may not. `http:` only if it says so.',
    },
    passThrough: {
      type: 'boolean',
      default: false,
      description:
        'true: an upstream that speaks the Responses API calls the server itself, and gets the credentials of the caller for it. Never for keys with zdr, hipaa, guardrails that read content, or a list of tools.',
    },
    ...rules,
  },
} as const

export const optionsSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    servers: { type: 'array', default: [], items: server, description: 'The servers that callers may use, by their labels.' },
    origins: {
      type: 'array',
      default: [],
      items: origin,
      description: 'The origins of servers that callers may name by an address, `server_url`, with credentials of their own.',
    },
  },
} as const
