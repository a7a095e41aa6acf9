import { definePlugin } from '../../../core/index.ts'
import { Connections, Conversations, errorReply, withFailureStatus, type ConnectionProtocol } from '../../../core/kit.ts'
import { createOptions } from '../responses/options.ts'

type Surface = typeof import('./surface.ts')

/** `GET /v1/responses` as a WebSocket: each message creates a response. See docs/protocol/websocket.md. */
export default definePlugin({
  name: 'responses-websocket',
  options: {
    type: 'object',
    additionalProperties: false,
    properties: {
      ...createOptions,
      connectionsPerKey: {
        type: 'integer',
        minimum: 1,
        maximum: 1_000_000,
        default: 32,
        description: 'How many connections one API key may have open, in all processes that count together.',
      },
      lanes: {
        type: 'integer',
        minimum: 1,
        maximum: 32,
        default: 8,
        description: 'How many responses one connection may run side by side. Further messages wait.',
      },
      idleTimeoutMs: {
        type: 'integer',
        minimum: 1_000,
        maximum: 86_400_000,
        default: 600_000,
        description: 'How long a connection may be idle: without a running response and without a message.',
      },
      maxLifeMs: {
        type: 'integer',
        minimum: 1_000,
        maximum: 604_800_000,
        default: 3_600_000,
        description: 'How long a connection may live. Then it takes no more messages, and closes when its responses are finished.',
      },
    },
  },
  contracts: { Connections: 1 },
  wants: { conversations: Conversations },
  setup(gateway, options, { conversations }) {
    let surface: InstanceType<Surface['WebSocketSurface']> | undefined
    const load = async (): Promise<typeof surface & object> => {
      const { WebSocketSurface } = await import('./surface.ts')
      return (surface ??= new WebSocketSurface(options, conversations))
    }
    gateway.add<ConnectionProtocol>(Connections, {
      protocol: 'websocket',
      path: '/v1/responses',
      surface: 'responses',
      maxPerKey: options.connectionsPerKey,
      error: error => errorReply(withFailureStatus(error, options.upstreamFailureStatus)),
      open: (connection, services) =>
        surface ? surface.open(connection, services) : load().then(loaded => loaded.open(connection, services)),
    })
  },
})
