import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { OwnerClient } from '../../config/owner/owner-client.ts'
import { Owner } from '../../config/owner/owner.ts'
import { systemClock, type Clock } from '../../core/foundation/clock.ts'
import { createLogger } from '../../core/foundation/logger.ts'
import { Masks } from '../../core/foundation/masks.ts'

/** An owner in this process, behind a real socket. */
export interface OwnerUnderTest {
  readonly path: string
  readonly logs: readonly string[]
  /** The connection of one more process, which is welcome already. */
  client(): Promise<OwnerClient>
  /** A connection that may send anything. */
  connect(): Promise<Socket>
  /** Ends the owner with all that it counted. */
  die(): void
  /** Starts another one in its place. Resolves when all processes are there. */
  replace(): Promise<void>
  close(): void
}

export async function ownerUnderTest(clock: Clock = systemClock): Promise<OwnerUnderTest> {
  const folder = mkdtempSync(join(tmpdir(), 'turnpike-owner-'))
  const path = join(folder, 'owner.sock')
  const clients: OwnerClient[] = []
  const logs: string[] = []
  const log = createLogger('info', new Masks(), line => void logs.push(line))
  let owner: Owner
  const start = async (): Promise<void> => {
    owner = new Owner(clock)
    await owner.listen(path)
  }
  await start()
  return {
    path,
    logs,
    async client() {
      const client = new OwnerClient(path, clock, log)
      clients.push(client)
      await client.open(5_000)
      return client
    },
    async connect() {
      const socket = connect(path)
      await once(socket, 'connect')
      return socket.setEncoding('utf8')
    },
    die: () => owner.close(),
    async replace() {
      await start()
      for (const client of clients) while (!(await isWelcome(client))) await new Promise(resolve => setTimeout(resolve, 5))
    },
    close() {
      for (const client of clients) client.close()
      owner.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function isWelcome(client: OwnerClient): Promise<boolean> {
  try {
    await client.call('gauges')
    return true
  } catch {
    return false
  }
}
