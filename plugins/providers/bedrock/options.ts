import { apiKeyOption, headersOption, sendingOptions } from '../../../core/kit.ts'
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
        'A Bedrock API key, or several to rotate through. If you set no credentials at all, the environment provides them: `AWS_BEARER_TOKEN_BEDROCK`, else `AWS_ACCESS_KEY_ID` with `AWS_SECRET_ACCESS_KEY` and `AWS_SESSION_TOKEN`, else `AWS_PROFILE`, else the role of the container or cluster.',
    },
    credentials: {
      anyOf: [accessKeys, { type: 'array', minItems: 1, items: accessKeys }],
      writeOnly: true,
      description:
        'Access keys to sign requests with: `{ accessKeyId, secretAccessKey, sessionToken }`, the token only for short-lived keys, or several of these to rotate through.',
    },
    profile: {
      anyOf: [text, { type: 'array', minItems: 1, items: text }],
      description:
        'A profile in `~/.aws/credentials` or `~/.aws/config` (or the files in `AWS_SHARED_CREDENTIALS_FILE` and `AWS_CONFIG_FILE`), or several: with access keys, a role, single sign-on or a process. The gateway rereads the files when they change. Needs the package `@aws-sdk/credential-provider-node`.',
    },
    defaultChain: {
      type: 'boolean',
      description:
        '`true` uses the default credential chain of the AWS tools: the default profile, a web identity, a container, the EC2 instance. Needs the package `@aws-sdk/credential-provider-node`.',
    },
    baseUrl: {
      type: 'string',
      format: 'uri',
      description: 'The address before `/model/…`. Default: the public address of the region.',
    },
    invoke: {
      type: 'object',
      additionalProperties: { enum: invokeDialects },
      description:
        'Models to call with InvokeModel because Converse lacks them: a name or a pattern with `*`, and the dialect of their bodies, such as `{ "arn:aws:bedrock:*:imported-model/*": "openai-chat" }`.',
    },
    beta: { type: 'array', items: text, description: 'Anthropic beta features to enable for Claude.' },
    defaultMaxTokens: {
      type: 'integer',
      minimum: 1,
      description:
        'The output limit for Claude if neither the caller nor the catalog sets one. Default: 32000 for Claude 4 and later, the maximum for older models.',
    },
    headers: headersOption,
    ...sendingOptions,
  },
} as const
