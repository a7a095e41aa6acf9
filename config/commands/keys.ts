import { defineCommand } from 'citty'
import type { KeySettings } from '../../core/admission/api-key.ts'
import { policyFields, type PolicyLayer } from '../../core/index.ts'
import { command, configArgument, openGateway } from '../command.ts'
import { ConfigError } from '../errors.ts'
import { loadConfig } from '../load.ts'

const create = command(
  'create',
  'Make an API key and print it, this once.',
  {
    ...configArgument,
    name: { type: 'string', default: 'unnamed', description: 'What the key is for.' },
    org: { type: 'string', default: 'default', description: 'The organization it belongs to.' },
    team: { type: 'string', description: 'The team it belongs to.' },
    user: { type: 'string', description: 'The user it belongs to.' },
    zdr: { type: 'boolean', description: 'Zero data retention: only endpoints that are certified for it.' },
    hipaa: { type: 'boolean', description: 'Only endpoints with a business associate agreement.' },
    redaction: { type: 'boolean', description: 'Take personal data out of prompts.' },
    logging: { type: 'boolean', description: 'Keep requests and answers: needed for previous_response_id.' },
    models: { type: 'string', valueHint: 'a,b', description: 'Models it may use. Default: all.' },
    providers: { type: 'string', valueHint: 'a,b', description: 'Providers it may use. Default: all.' },
    'spend-cap': { type: 'string', valueHint: 'usd', description: 'The most it may spend, in US dollars.' },
    'allow-unpriced': { type: 'boolean', description: 'With a cap: serve models of unknown price all the same.' },
    'tokens-per-minute': { type: 'string', valueHint: 'number', description: 'The most tokens it may use in a minute.' },
  },
  async ({ args }) => {
    const settings: KeySettings = {
      name: args.name,
      org: args.org,
      team: args.team,
      user: args.user,
      policy: policyOf(args),
      models: list(args.models),
      providers: list(args.providers),
      spendCapUsd: positive('--spend-cap', args['spend-cap']),
      allowUnpriced: args['allow-unpriced'],
      tokensPerMinute: positive('--tokens-per-minute', args['tokens-per-minute']),
    }
    const config = await loadConfig(args.config)
    const gateway = await openGateway(config, 'warn')
    try {
      if (!gateway.keys.persistent) {
        throw new ConfigError(config.file, [
          'It keeps keys in memory, so that a key made here would be gone at once. Add a plugin that keeps them, such as sql({}).',
        ])
      }
      console.log(await gateway.issueKey(settings))
    } finally {
      await gateway.stop()
    }
  },
)

export default defineCommand({ meta: { name: 'keys', description: 'Make API keys.' }, subCommands: { create } })

function policyOf(args: { readonly [F in keyof PolicyLayer]: boolean | undefined }): PolicyLayer {
  return Object.fromEntries(policyFields.flatMap(field => (args[field] === undefined ? [] : [[field, { value: args[field] }]])))
}

function list(text: string | undefined): readonly string[] | undefined {
  if (text === undefined) return undefined
  const names = text.split(',').map(name => name.trim())
  if (names.includes('')) throw new ConfigError(undefined, [`"${text}" is no list of names. Expected: a,b`])
  return names
}

function positive(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const number = Number(text)
  if (text.trim() !== '' && Number.isFinite(number) && number > 0) return number
  throw new ConfigError(undefined, [`${option} takes a number above 0, got "${text}".`])
}
