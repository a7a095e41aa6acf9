import type { RedisClientOptions } from '@redis/client'
import type { Node, Place } from './place.ts'
import { UnknownPrimary, Unreachable } from './trouble.ts'

type RedisTcpSocketOptions = Extract<NonNullable<RedisClientOptions['socket']>, { readonly tls?: boolean }>

/** A connection to the server, or connections to the nodes of a cluster. */
export interface Client {
  /** `key`: of a cluster, the node with this key gets the command. */
  send(key: string, command: readonly string[]): Promise<unknown>
  /** On every node. */
  sendToAll(command: readonly string[]): Promise<void>
  subscribe(channel: string, listener: (message: string) => void): Promise<void>
  destroy(): void
}

/** The package, which only gateways with a server need. */
export type Redis = Pick<typeof import('@redis/client'), 'createClient' | 'createCluster'>

export interface ClientOptions {
  readonly redis: Redis
  readonly place: Place
  readonly tls: TlsFiles
  readonly connectTimeoutMs: number
}

/** The contents of PEM files. */
export interface TlsFiles {
  readonly ca?: Buffer
  readonly cert?: Buffer
  readonly key?: Buffer
  readonly serverName?: string
}

/** More commands than this never wait for an answer at the same time: the server is too slow. */
const maxWaiting = 10_000

/** Rejects if there is no connection, and calls `lost` if it breaks later. `destroy` ends it, also while it opens. */
export function openClient(options: ClientOptions, lost: (error: Error) => void): { readonly client: Client; connected(): Promise<void> } {
  if (options.place.kind === 'cluster') return openCluster(options, lost)
  let current: ReturnType<typeof singleClient> | undefined
  let isDestroyed = false
  return {
    client: {
      send: async (_, command) => await current!.sendCommand(command as string[]),
      sendToAll: async command => void (await current!.sendCommand(command as string[])),
      subscribe: async (channel, listener) => await current!.subscribe(channel, listener),
      destroy() {
        isDestroyed = true
        current?.destroy()
      },
    },
    async connected() {
      const node = options.place.kind === 'sentinel' ? await primaryOf(options) : options.place.nodes[0]!
      if (isDestroyed) throw new Unreachable()
      current = singleClient(options, node)
      current.on('error', lost)
      await current.connect()
      if (options.place.kind === 'sentinel') watchPrimary(options, node, () => isDestroyed, lost)
    },
  }
}

function singleClient(options: ClientOptions, node: Node) {
  const { database } = options.place
  return options.redis.createClient({ ...common(options), socket: socketTo(options, node), ...(database > 0 && { database }) })
}

/** The options that all clients share. The gateway reconnects by itself, and keeps nothing to send for later. */
function common({ place: { username, password } }: ClientOptions) {
  return {
    name: 'turnpike',
    // A timer for each command; the watch of `Connection` costs less.
    commandOptions: { timeout: 0 },
    disableOfflineQueue: true,
    commandsQueueMaxLength: maxWaiting,
    // Commands that users with few permissions may not call, and that old servers do not know.
    disableClientInfo: true,
    maintNotifications: 'disabled',
    ...(username !== undefined && { username }),
    ...(password !== undefined && { password }),
  } as const
}

function socketTo(options: ClientOptions, { host, port }: Node) {
  return { host, port, ...socketOptions(options), reconnectStrategy: false } as const
}

function socketOptions({
  place,
  tls: { ca, cert, key, serverName },
  connectTimeoutMs: connectTimeout,
}: ClientOptions): RedisTcpSocketOptions {
  if (!place.secure) return { connectTimeout }
  const files = { ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }) }
  return { connectTimeout, tls: true, ...files, ...(serverName !== undefined && { servername: serverName }) }
}

/** Asks the sentinels, one after the other. */
async function primaryOf(options: ClientOptions): Promise<Node> {
  const { nodes, master, sentinelUsername, sentinelPassword } = options.place
  let failure: unknown
  for (const node of nodes) {
    const place = { ...options.place, username: sentinelUsername, password: sentinelPassword }
    const sentinel = options.redis.createClient({ ...common({ ...options, place }), socket: socketTo(options, node) })
    sentinel.on('error', () => {})
    try {
      await sentinel.connect()
      const reply = await sentinel.sendCommand(['SENTINEL', 'GET-MASTER-ADDR-BY-NAME', master!])
      if (Array.isArray(reply)) return { host: String(reply[0]), port: Number(reply[1]) }
      failure = new UnknownPrimary()
    } catch (error) {
      failure = error
    } finally {
      sentinel.destroy()
    }
  }
  throw failure
}

const watchPrimaryMs = 5_000

/** An earlier primary that comes back may look like one for some time. */
function watchPrimary(options: ClientOptions, node: Node, isOver: () => boolean, lost: (error: Error) => void): void {
  const timer = setInterval(() => {
    if (isOver()) return clearInterval(timer)
    primaryOf(options).then(
      ({ host, port }) => {
        if (host !== node.host || port !== node.port) lost(new Unreachable())
      },
      // While no sentinel answers, the server may still do.
      () => {},
    )
  }, watchPrimaryMs).unref()
}

/** Nodes that are lost are found again by the client itself. */
function openCluster(options: ClientOptions, lost: (error: Error) => void): { readonly client: Client; connected(): Promise<void> } {
  const { commandOptions, ...defaults } = common(options)
  const cluster = options.redis.createCluster({
    rootNodes: options.place.nodes.map(({ host, port }) => ({ socket: { host, port } })),
    defaults: { ...defaults, socket: socketOptions(options) },
    commandOptions,
    topologyRefreshOnReconnectionAttemptStrategy: 1_000,
  })
  cluster.on('error', lost).on('node-error', () => {})
  return {
    client: {
      send: async (key, command) => await cluster.sendCommand(key, false, command as string[]),
      async sendToAll(command) {
        await Promise.all(cluster.masters.map(async node => await (await cluster.nodeClient(node)).sendCommand(command as string[])))
      },
      subscribe: async (channel, listener) => await cluster.subscribe(channel, listener),
      destroy: () => cluster.destroy(),
    },
    connected: async () => void (await cluster.connect()),
  }
}
