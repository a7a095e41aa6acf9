import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net'

/** A TCP proxy in front of a port of this machine that can delay, cut off, and change its target. */
export class Relay {
  /** How long each piece of data waits, in either direction. */
  delayMs = 0
  readonly #server: Server
  readonly #pairs = new Set<readonly [Socket, Socket]>()
  #target: number
  #isCut = false

  private constructor(target: number) {
    this.#target = target
    this.#server = createServer(client => this.#join(client))
  }

  /** `host`: the address on which it listens. */
  static async to(target: number, host = '127.0.0.1'): Promise<Relay> {
    const relay = new Relay(target)
    relay.#server.listen(0, host)
    await once(relay.#server, 'listening')
    return relay
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  /** Passes nothing on, and says so to nobody: as if a cable were cut. */
  cut(): void {
    this.#isCut = true
  }

  /** Ends what was open while it was cut, as the far side would after so long. */
  heal(): void {
    this.#isCut = false
    this.#end()
  }

  /** Ends all connections; new ones go to another port. */
  turnTo(target: number): void {
    this.#target = target
    this.#end()
  }

  close(): void {
    this.#server.close()
    this.#end()
  }

  #join(client: Socket): void {
    const server = connect({ port: this.#target, host: '127.0.0.1', noDelay: true })
    client.setNoDelay(true)
    const pair = [client, server] as const
    this.#pairs.add(pair)
    this.#pass(client, server)
    this.#pass(server, client)
    for (const socket of pair)
      socket
        .on('error', () => {})
        .on('close', () => {
          this.#pairs.delete(pair)
          if (!this.#isCut) for (const each of pair) each.destroy()
        })
  }

  #pass(from: Socket, to: Socket): void {
    from.on('data', (data: Buffer) => {
      if (this.#isCut) return
      if (this.delayMs === 0) to.write(data)
      else setTimeout(() => this.#isCut || to.write(data), this.delayMs)
    })
  }

  #end(): void {
    for (const pair of this.#pairs) for (const socket of pair) socket.destroy()
    this.#pairs.clear()
  }
}
