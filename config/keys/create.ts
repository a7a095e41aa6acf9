import { InvalidArgumentError, Option } from 'commander'
import type { KeySettings } from '../../core/admission/api-key.ts'
import { policyFields, type PolicyField, type PolicyLayer } from '../../core/index.ts'
import { numberFrom } from '../command.ts'
import { ConfigError } from '../errors.ts'
import { factsOf, findKey } from './facts.ts'
import { keysCommand, withKeys, type KeysOptions } from './keys-command.ts'

interface CreateOptions extends KeysOptions, Partial<Record<PolicyField, boolean>> {
  readonly name: string
  readonly org: string
  readonly team?: string
  readonly user?: string
  readonly models?: readonly string[]
  readonly providers?: readonly string[]
  readonly spendCap?: number
  readonly allowUnpriced?: boolean
  readonly tokensPerMinute?: number
}

const create = keysCommand('create', 'Make an API key and print it, this once.')
  .option('--name <text>', 'What the key is for.', 'unnamed')
  .option('--org <name>', 'The organization it belongs to.', 'default')
  .option('--team <name>', 'The team it belongs to.')
  .option('--user <name>', 'The user it belongs to.')
flag('zdr', 'Zero data retention: only endpoints that are certified for it.')
flag('hipaa', 'Only endpoints with a business associate agreement.')
flag('redaction', 'Take personal data out of prompts.')
flag('logging', 'Keep requests and answers: needed for previous_response_id.')
create
  .option('--models <a,b>', 'Models it may use. Default: all.', names)
  .option('--providers <a,b>', 'Providers it may use. Default: all.', names)
  .option(
    '--spend-cap <usd>',
    'The most it may spend, in US dollars.',
    numberFrom('an amount above 0, such as 5 or 0.50', usd => usd > 0),
  )
flag('allow-unpriced', 'With a cap: serve models of unknown price anyway.')
create
  .option(
    '--tokens-per-minute <number>',
    'The most tokens it may use in a minute.',
    numberFrom('a whole number above 0', tokens => Number.isSafeInteger(tokens) && tokens > 0),
  )
  .action(createKey)

export default create

async function createKey(options: CreateOptions): Promise<void> {
  const settings: KeySettings = {
    name: options.name,
    org: options.org,
    team: options.team,
    user: options.user,
    policy: policyOf(options),
    models: options.models,
    providers: options.providers,
    spendCapUsd: options.spendCap,
    allowUnpriced: options.allowUnpriced,
    tokensPerMinute: options.tokensPerMinute,
  }
  await withKeys(options, async (gateway, file) => {
    if (!gateway.keys.persistent) {
      throw new ConfigError(file, [
        'It keeps keys in memory, so a key made here would be gone at once. Add a plugin that stores them, such as sql({}).',
      ])
    }
    for (const warning of gateway.keyWarnings(settings)) console.error(`Warning: ${warning}`)
    const key = await gateway.issueKey(settings)
    console.log(options.json ? JSON.stringify({ key, ...factsOf(await findKey(gateway, key)) }, null, 2) : key)
  })
}

/** `--no-…` says no: without either, nothing is said. */
function flag(name: string, description: string): void {
  create.option(`--${name}`, description).addOption(new Option(`--no-${name}`).hideHelp())
}

function policyOf(options: CreateOptions): PolicyLayer {
  return Object.fromEntries(policyFields.flatMap(field => (options[field] === undefined ? [] : [[field, { value: options[field] }]])))
}

function names(text: string): readonly string[] {
  const list = text.split(',').map(name => name.trim())
  if (list.includes('')) throw new InvalidArgumentError('Expected a list of names: a,b')
  return list
}
