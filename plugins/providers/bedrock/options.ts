import { apiKeyOption, headersOption, timeoutsOption } from '../../../core/index.ts'
import { invokeDialects } from './invoke.ts'

const text = { type: 'string', minLength: 1 } as const

const accessKeys = {
  type: 'object',
  additionalProperties: false,
  required: ['accessKeyId', 'secretAccessKey'],
  properties: { accessKeyId: text, secretAccessKey: text, sessionToken: text },
} as const

export const optionsSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    id: { type: 'string', minLength: 1, default: 'bedrock', description: 'The slug in `provider/model`.' },
    region: {
      type: 'string',
      pattern: '^[a-z0-9-]+$',
      description: 'Such as `eu-central-1`. Default: `AWS_REGION` or `AWS_DEFAULT_REGION`, else the region of the profile.',
    },
    apiKey: {
      ...apiKeyOption,
      description:
        'A Bedrock API key, or several that are used in turn. Where no credentials are given at all, those of the environment count: `AWS_BEARER_TOKEN_BEDROCK`, else `AWS_ACCESS_KEY_ID` with `AWS_SECRET_ACCESS_KEY` and `AWS_SESSION_TOKEN`, else `AWS_PROFILE`, else the role that a container or a cluster gives.',
    },
    credentials: {
      anyOf: [accessKeys, { type: 'array', minItems: 1, items: accessKeys }],
      writeOnly: true,
      description:
        'Access keys that sign the requests: `{ accessKeyId, secretAccessKey, sessionToken }`, the last for short-lived ones, or several of these that are used in turn.',
    },
    profile: {
      anyOf: [text, { type: 'array', minItems: 1, items: text }],
      description:
        'A profile in `~/.aws/credentials` or `~/.aws/config` (or where `AWS_SHARED_CREDENTIALS_FILE` and `AWS_CONFIG_FILE` say), or several: with access keys, a role, single sign-on or a process. The files are read again when they change. Needs the package `@aws-sdk/credential-provider-node`.',
    },
    defaultChain: {
      type: 'boolean',
      description:
        "`true`: the credentials that AWS's own tools find, such as those of the default profile, a web identity, a container or the EC2 instance. Needs the package `@aws-sdk/credential-provider-node`.",
    },
    baseUrl: {
      type: 'string',
      format: 'uri',
      description: 'The address that `/model/…` is added to. Default: the public address of the region.',
    },
    invoke: {
      type: 'object',
      additionalProperties: { enum: invokeDialects },
      description:
        'Models that are asked by InvokeModel, since Converse lacks them: a name, or a pattern with `*`, and the dialect of their bodies, such as `{ "arn:aws:bedrock:*:imported-model/*": "openai-chat" }`.',
    },
    beta: { type: 'array', items: text, description: "Betas of Anthropic's that Claude takes part in." },
    defaultMaxTokens: {
      type: 'integer',
      minimum: 1,
      description:
        'The output limit of Claude where neither the caller nor the catalog sets one. Default: 32000 for Claude 4 and later, what older models allow.',
    },
    headers: headersOption,
    timeouts: timeoutsOption,
  },
} as const
