import { apiKeyId } from '../../core/admission/api-key.ts'
import type { JsonObject } from '../../core/index.ts'
import { nearest } from '../../core/kit.ts'
import type { AdminClient } from '../admin/client.ts'
import { ConfigError } from '../errors.ts'

/** The members by which commands look up keys. */
interface NamedKey {
  readonly id: string
  readonly name: string
}

/** Finds a key by its id, by the whole key, or by a name that only one key has. Throws a `ConfigError`. */
export async function findKey(client: AdminClient, wanted: string): Promise<JsonObject & NamedKey> {
  if (wanted === '') throw new ConfigError(undefined, ['The id of the key is empty. Did a variable of your shell have no value?'])
  const byId = await client.find(`/keys/${encodeURIComponent(apiKeyId(wanted) ?? wanted)}`)
  if (byId) return byId as JsonObject & NamedKey
  return keyNamed(wanted, (await client.all('/keys')) as readonly (JsonObject & NamedKey)[])
}

/** Of all keys, the one with this name. */
export function keyNamed<K extends NamedKey>(wanted: string, all: readonly K[]): K {
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
    `No key has ${shown}. ${near.length > 0 ? `Did you mean ${near.join(', ')}?` : 'List them with: npx turnpike keys list'}`,
  ])
}
