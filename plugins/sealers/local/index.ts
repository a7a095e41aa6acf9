import { randomBytes } from 'node:crypto'
import { definePlugin } from '../../../core/index.ts'
import { Sealer } from '../../../core/stores.ts'
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
          'The file of the master key if masterKey is not set. It is created on the first start, and changed by turnpike rotate-key. Back it up: without it, stored data cannot be decrypted, and the gateway does not start with an existing database.',
      },
      previousKeys: {
        type: 'array',
        items: key,
        writeOnly: true,
        default: [],
        description:
          'Earlier master keys, to decrypt what they encrypted. With defaults(): GATEWAY_PREVIOUS_MASTER_KEYS, separated by commas.',
      },
      macKey: {
        ...key,
        description:
          'After a rotation, the first master key, which the hashes of API keys depend on. Without it, a new master key makes all API keys invalid, and the gateway does not start with a database that has some. With defaults(): GATEWAY_MAC_KEY.',
      },
    },
  },
  provides: [Sealer],
  setup(gateway, { masterKey, keyFile, previousKeys, macKey }) {
    const earlier = previousKeys.map((text, index) => parseMasterKey(text, `previousKeys[${index}]`))
    const keys = masterKey === undefined ? keysInFile(gateway.resolvePath(keyFile), gateway.createFiles) : keysInOption(masterKey)
    const mac = macKey === undefined ? keys.mac : parseMasterKey(macKey, 'macKey')
    const sealer = new EnvelopeSealer({ ...keys, previous: [...(keys.previous ?? []), ...earlier], mac })
    gateway.provide(Sealer, sealer)
    // Only after every plugin is set up: a store sealed under a different key must refuse to start before a new key file appears next to it.
    gateway.onStart(() => sealer.ensureKey())
  },
})

function keysInOption(masterKey: string): MasterKeys {
  const source = 'option masterKey of local-sealer (GATEWAY_MASTER_KEY with defaults())'
  return { source, isShared: true, current: parseMasterKey(masterKey, 'masterKey') }
}

function keysInFile(path: string, createFiles: boolean): MasterKeys {
  return {
    source: `key file ${path}`,
    ...readKeyFile(path),
    make: () => (createFiles ? makeKeyFile(path).current : randomBytes(keyBytes)),
    reload: () => readKeyFile(path),
  }
}
