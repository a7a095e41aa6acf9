import { randomBytes } from 'node:crypto'
import { definePlugin, Sealer } from '../../../core/index.ts'
import { EnvelopeSealer, type MasterKeys } from './envelope.ts'
import { keyBytes, makeKeyFile, parseMasterKey, readKeyFile } from './master-key.ts'

const key = { type: 'string', minLength: 1, writeOnly: true } as const

/** Encrypts with AES-256-GCM, under a master key of this server. */
export default definePlugin({
  name: 'local-sealer',
  options: {
    type: 'object',
    additionalProperties: false,
    properties: {
      masterKey: { ...key, description: 'The master key: 32 bytes as base64 or hex. Replicas must share it. Default: the key in keyFile.' },
      keyFile: {
        type: 'string',
        minLength: 1,
        default: './data/master.key',
        description:
          'The file of the master key if masterKey is not set. It is created on the first start. Back it up: without it, stored data cannot be decrypted, and the gateway does not start with an existing database.',
      },
      previousKeys: {
        type: 'array',
        items: key,
        writeOnly: true,
        default: [],
        description: 'Earlier master keys, to decrypt what they encrypted.',
      },
      macKey: {
        ...key,
        description:
          'After a rotation, the first master key, which the hashes of API keys depend on. Without it, a new master key makes all API keys invalid, and the gateway does not start with a database that has some.',
      },
    },
  },
  provides: [Sealer],
  setup(gateway, { masterKey, keyFile, previousKeys, macKey }) {
    const previous = previousKeys.map((text, index) => parseMasterKey(text, `previousKeys[${index}]`))
    const mac = macKey === undefined ? undefined : parseMasterKey(macKey, 'macKey')
    const sealer = new EnvelopeSealer({ ...currentKey(masterKey, gateway.resolvePath(keyFile), gateway.createFiles), previous, mac })
    gateway.provide(Sealer, sealer)
    // Only after every plugin is set up: a store sealed under a different key must refuse to start before a new key file appears next to it.
    gateway.onStart(() => sealer.ensureKey())
  },
})

function currentKey(masterKey: string | undefined, path: string, createFiles: boolean): Pick<MasterKeys, 'source' | 'current' | 'make'> {
  if (masterKey !== undefined)
    return {
      source: 'option masterKey of local-sealer (GATEWAY_MASTER_KEY with defaults())',
      current: parseMasterKey(masterKey, 'masterKey'),
    }
  return { source: `key file ${path}`, current: readKeyFile(path), make: () => (createFiles ? makeKeyFile(path) : randomBytes(keyBytes)) }
}
