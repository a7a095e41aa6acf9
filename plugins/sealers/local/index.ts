import { definePlugin, Sealer } from '../../../core/index.ts'
import { EnvelopeSealer } from './envelope.ts'
import { parseMasterKey, readKeyFile } from './master-key.ts'

const key = { type: 'string', minLength: 1, writeOnly: true } as const

/** Seals with AES-256-GCM under a master key of this server. */
export default definePlugin({
  name: 'local-sealer',
  options: {
    type: 'object',
    additionalProperties: false,
    properties: {
      masterKey: { ...key, description: 'The master key: 32 bytes as base64 or hex. Replicas must share it. Without it, keyFile is used.' },
      keyFile: {
        type: 'string',
        minLength: 1,
        default: './data/master.key',
        description:
          'Where the master key is kept when masterKey is not set; made on the first start. Back it up: without it, nothing sealed can be opened.',
      },
      previousKeys: {
        type: 'array',
        items: key,
        writeOnly: true,
        default: [],
        description: 'Earlier master keys: what was sealed under them still opens.',
      },
      macKey: {
        ...key,
        description:
          'After a rotation, the first master key: API keys are recognised by it. Without it, a new master key makes all API keys invalid.',
      },
    },
  },
  provides: [Sealer],
  setup(gateway, { masterKey, keyFile, previousKeys, macKey }) {
    const current = masterKey === undefined ? readKeyFile(gateway.resolvePath(keyFile)) : parseMasterKey(masterKey, 'masterKey')
    const previous = previousKeys.map((text, index) => parseMasterKey(text, `previousKeys[${index}]`))
    const macs = macKey === undefined ? current : parseMasterKey(macKey, 'macKey')
    gateway.provide(Sealer, new EnvelopeSealer(current, previous, macs))
  },
})
