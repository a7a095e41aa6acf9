import { apiKeyId } from '../core/admission/api-key.ts'
import type { Gateway } from '../core/gateway.ts'
import type { JsonObject } from '../core/index.ts'
import type { Listener } from './listen.ts'

/** Creates the first key, unless there is one, and returns text that explains how to use it. */
export async function firstKey(gateway: Gateway, { url }: Listener): Promise<string | undefined> {
  if (!(await gateway.keys.empty())) return undefined
  const settings = { name: 'first', policy: { logging: { value: true } } }
  const key = await gateway.issueKey(settings)
  await noteKey(gateway, apiKeyId(key)!, settings)
  const kept = gateway.keys.persistent ? 'Only its hash is kept' : 'It is valid until the gateway stops, because keys are kept in memory'
  return `Your API key, shown only once. ${kept}. Create more with: npx turnpike keys create

  ${key}

Try it:

  ${curlLine(url, key, firstModel(gateway))}
`
}

async function noteKey({ admin, keys }: Gateway, id: string, settings: JsonObject): Promise<void> {
  const changes = Object.fromEntries(Object.entries(settings).map(([name, to]) => [name, { from: null, to }]))
  await admin?.note({ action: 'keys.create', target: id, org: (await keys.find(id))?.org ?? null, changes })
}

function curlLine(url: string, key: string, model: string): string {
  const body = JSON.stringify({ model, input: 'Hello from Turnpike', stream: true })
  return `curl -N ${url}/v1/responses -H 'Authorization: Bearer ${key}' -H 'Content-Type: application/json' -d '${body}'`
}

/** The sandbox works on every machine. Without it, let `auto` choose. */
function firstModel({ contributions }: Gateway): string {
  const sandbox = contributions.find(({ point, plugin }) => point === 'provider' && plugin.startsWith('sandbox('))
  return sandbox ? `${sandbox.name}/echo` : 'auto'
}
