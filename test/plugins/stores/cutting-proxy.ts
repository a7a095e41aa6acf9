import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/** Stands between a gateway and a server. */
export interface CuttingProxy {
  readonly port: number
  /** The next answer of the server is lost, and the connection breaks. */
  cutNextAnswer(): void
  /** Breaks all connections, and accepts none until `join`. */
  part(): void
  join(): void
  close(): void
}

export async function cuttingProxy(target: number): Promise<CuttingProxy> {
  let isParted = false
  let cutsNext = false
  const sockets = new Set<Socket>()
  const server = createServer(near => {
    if (isParted) return void near.destroy()
    const far = connect(target, '127.0.0.1')
    const end = (): void => {
      for (const socket of [near, far]) {
        sockets.delete(socket)
        socket.destroy()
      }
    }
    for (const socket of [near, far]) {
      sockets.add(socket)
      socket.setNoDelay(true).on('error', end).on('close', end)
    }
    near.on('data', bytes => far.write(bytes))
    far.on('data', bytes => {
      if (!cutsNext) return void near.write(bytes)
      cutsNext = false
      end()
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    cutNextAnswer: () => void (cutsNext = true),
    part() {
      isParted = true
      for (const socket of sockets) socket.destroy()
    },
    join: () => void (isParted = false),
    close() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}
