import { apiKeyId } from '../../core/admission/api-key.ts'
import type { Gateway } from '../../core/gateway.ts'
import { nearest, type ApiKey } from '../../core/index.ts'
import { ConfigError } from '../errors.ts'

/** The public fields of a key: everything except hashes. */
export function factsOf(key: ApiKey): Readonly<Record<string, unknown>> {
  return {
    id: key.id,
    name: key.name,
    org: key.org,
    team: key.team ?? null,
    user: key.user ?? null,
    policy: key.policy,
    models: key.models ?? null,
    providers: key.providers ?? null,
    spend_cap_usd: key.spendCapUsd ?? null,
    allow_unpriced: key.allowUnpriced ?? false,
    tokens_per_minute: key.tokensPerMinute ?? null,
    disabled: key.disabled ?? false,
    created_at: new Date(key.createdAt).toISOString(),
    previous_valid_until: key.previous ? new Date(key.previous.validUntil).toISOString() : null,
  }
}

/** Finds a key by its id, by the whole key, or by a name that only one key has. Throws a `ConfigError`. */
export async function findKey({ keys }: Gateway, wanted: string): Promise<ApiKey> {
  const byId = await keys.find(apiKeyId(wanted) ?? wanted)
  if (byId) return byId
  const all = await keys.list()
  const named = all.filter(({ name }) => name === wanted)
  if (named.length === 1) return named[0]!
  if (named.length > 1)
    throw new ConfigError(undefined, [`${named.length} keys are named "${wanted}". Use an id: ${named.map(({ id }) => id).join(', ')}.`])
  // A whole key is a secret and must not appear in a message.
  const shown = wanted.startsWith('tp_') ? 'this secret' : `the id or name "${wanted}"`
  const near = nearest(
    wanted,
    all.flatMap(({ id, name }) => [id, name]),
  )
  throw new ConfigError(undefined, [
    `No key has ${shown}. ${near.length > 0 ? `Did you mean ${near.join(', ')}?` : 'List them with: turnpike keys list'}`,
  ])
}
