import { readFileSync } from 'node:fs'
import { Clock, definePlugin, PluginError, type Registrar } from '../../../core/index.ts'
import { milliseconds, requirePeer } from '../../../core/kit.ts'
import { Coordinated, CoordinatedLimiter, Coordination, RateLimiter, SavedWindows, SharedState } from '../../../core/stores.ts'
import type { TlsFiles } from './client.ts'
import { Connection } from './connection.ts'
import { ValkeyCoordination } from './coordination.ts'
import { Keys } from './keys.ts'
import { addressPattern, placeOf } from './place.ts'
import { ValkeySharedState } from './shared-state.ts'

const address = { type: 'string', pattern: addressPattern, writeOnly: true } as const
const file = { type: 'string', minLength: 1 } as const
/** A server that answers does so in a few milliseconds; a start never waits longer for one that does not. */
const startWaitMs = 1_000

/** Lets gateways on several machines count limits together, and tell each other what they learn: docs/valkey.md. */
export default definePlugin({
  name: 'valkey',
  options: {
    type: 'object',
    additionalProperties: false,
    properties: {
      url: {
        ...address,
        description:
          'The address of a Valkey server, or of Redis 7 or newer, such as valkey://user:password@valkey.example.com:6379; with TLS, valkeys://. redis:// and rediss:// are the same. A number at the end, such as /1, chooses a database. Needs the package @redis/client. With defaults(): VALKEY_URL or REDIS_URL.',
      },
      username: { type: 'string', minLength: 1, description: 'The user to sign in as, instead of the one in the address.' },
      password: { type: 'string', minLength: 1, writeOnly: true, description: 'The password, instead of the one in the address.' },
      prefix: {
        type: 'string',
        pattern: '^[\\w:.-]*$',
        default: 'turnpike:',
        description: 'What all keys and channels begin with. Gateways that share limits have the same one.',
      },
      tls: {
        type: 'object',
        additionalProperties: false,
        properties: {
          ca: { ...file, description: 'A PEM file with the authorities that sign certificates of servers, instead of those of Node.js.' },
          cert: { ...file, description: "A PEM file with the gateway's own certificate, if the server asks for one." },
          key: { ...file, description: 'A PEM file with the private key of `cert`.' },
          serverName: {
            type: 'string',
            minLength: 1,
            description: 'The name in the certificate of the server, if it is not that in the address.',
          },
        },
        default: {},
        description: 'For addresses with TLS. Paths are relative to the config.',
      },
      sentinel: {
        type: 'object',
        additionalProperties: false,
        required: ['master', 'nodes'],
        properties: {
          master: { type: 'string', minLength: 1, description: 'How the sentinels call the server, such as mymaster.' },
          nodes: {
            type: 'array',
            minItems: 1,
            maxItems: 100,
            items: address,
            description: 'The addresses of sentinels, with their own user and password. TLS counts for the server, too.',
          },
        },
        description: 'Sentinels that know where the server is, instead of `url`.',
      },
      cluster: {
        type: 'array',
        minItems: 1,
        maxItems: 100,
        items: address,
        description: 'The addresses of some nodes of a cluster, instead of `url`.',
      },
      connectTimeoutMs: {
        ...milliseconds,
        default: 2_000,
        description: 'How long to wait for a connection, in milliseconds, before the next try.',
      },
      answerTimeoutMs: {
        ...milliseconds,
        default: 2_000,
        description:
          'After so many milliseconds without an answer, the gateway opens another connection. Requests never wait as long: they continue with this gateway’s share of the limits.',
      },
    },
  },
  needs: { clock: Clock, coordinated: Coordinated.token },
  wants: { saved: SavedWindows },
  contracts: { Coordination: 1, SharedState: 1 },
  provides: [Coordination, SharedState, RateLimiter],
  setup(gateway, options, { clock, coordinated, saved }) {
    const place = placeOf(gateway.name, options)
    for (const secret of [place.password, place.sentinelPassword]) if (secret) gateway.secret(secret)
    requirePeer(gateway.name, '@redis/client', 'for Valkey')
    const keys = new Keys(options.prefix)
    const { connectTimeoutMs, answerTimeoutMs } = options
    const connection = new Connection(
      { place, tls: filesOf(gateway, options.tls), keys, connectTimeoutMs, answerTimeoutMs },
      clock,
      gateway.log,
    )
    const coordination = new ValkeyCoordination(connection, keys, clock)
    gateway.provide(Coordination, coordination)
    gateway.provide(SharedState, new ValkeySharedState(connection, keys, clock))
    const limiter = new CoordinatedLimiter({ coordinated, clock, log: gateway.log, saved })
    gateway.provide(RateLimiter, limiter)
    gateway.onStart(() => connection.open(startWaitMs))
    gateway.onStop(async () => {
      await limiter.stop()
      await coordination.leave()
      connection.close()
    })
  },
})

function filesOf(
  gateway: Registrar,
  { ca, cert, key, serverName }: { readonly ca?: string; readonly cert?: string; readonly key?: string; readonly serverName?: string },
): TlsFiles {
  if ((cert === undefined) !== (key === undefined)) throw new PluginError(gateway.name, 'needs both tls.cert and tls.key, or neither')
  const read = (option: string, path: string): Buffer => {
    try {
      return readFileSync(gateway.resolvePath(path))
    } catch (cause) {
      throw new PluginError(gateway.name, `cannot read the file in tls.${option}: ${(cause as Error).message}`, { cause })
    }
  }
  return {
    ...(ca !== undefined && { ca: read('ca', ca) }),
    ...(cert !== undefined && { cert: read('cert', cert) }),
    ...(key !== undefined && { key: read('key', key) }),
    ...(serverName !== undefined && { serverName }),
  }
}
