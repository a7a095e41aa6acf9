// A separate process, in which the optional packages of the clouds cannot be found.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { PluginUse } from '../../../core/index.ts'

registerHooks({
  resolve(specifier, context, next) {
    if (/^(@aws-sdk\/|@azure\/|google-auth-library)/.test(specifier))
      throw Object.assign(new Error(`Cannot find package '${specifier}'`), { code: 'ERR_MODULE_NOT_FOUND' })
    return next(specifier, context)
  },
})

const folder = mkdtempSync(join(tmpdir(), 'absent-'))
writeFileSync(join(folder, 'config'), '[profile demo]\nregion = eu-central-1\n')
process.env['AWS_CONFIG_FILE'] = join(folder, 'config')

const { gateway } = await import('../../kit/gateway.ts')
const { default: azure } = await import('../../../plugins/providers/azure/index.ts')
const { default: bedrock } = await import('../../../plugins/providers/bedrock/index.ts')
const { default: vertex } = await import('../../../plugins/providers/vertex/index.ts')

const user = { type: 'authorized_user', client_id: 'demo', client_secret: 'demo', refresh_token: 'demo' }
const plugins: Readonly<Record<string, PluginUse>> = {
  'bedrock with access keys': bedrock({
    region: 'eu-central-1',
    credentials: { accessKeyId: 'AKIADEMO1', secretAccessKey: 'demo-secret-1' },
  }),
  'bedrock with an API key': bedrock({ region: 'eu-central-1', apiKey: 'demo-key' }),
  'azure with a key': azure({ resource: 'demo', apiKey: 'demo-key' }),
  'bedrock with a profile': bedrock({ profile: 'demo' }),
  'azure with entra': azure({ resource: 'demo', entra: { managedIdentity: true } }),
  vertex: vertex({ project: 'demo', credentials: { json: JSON.stringify(user) } }),
}
const outcomes: Record<string, string> = {}
for (const [name, plugin] of Object.entries(plugins)) {
  try {
    await (await gateway({ plugins: [plugin], settings: { logLevel: 'silent' } })).stop()
    outcomes[name] = 'started'
  } catch (error) {
    outcomes[name] = (error as Error).message
  }
}
console.log(JSON.stringify(outcomes))
rmSync(folder, { recursive: true })
