import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { systemClock } from '../../../core/foundation/clock.ts'
import { Coordinated, CoordinatedLimiter } from '../../../core/stores.ts'
import { coordinationSuite, rateLimiterSuite, sharedStateSuite } from '../../../core/testing/index.ts'
import { silent } from './databases.ts'
import { openMember, type Member } from './valkey.ts'
import { noValkey, startValkey } from './valkey-server.ts'

/** A tenth of the usual ones, so that the suite need not wait. */
const lives = { aliveMs: 500, leaseMs: 1_000 }

t.test('a real server', { skip: noValkey }, async t => {
  const server = await startValkey()
  t.teardown(() => server.stop())
  let opened = 0
  const open = async (): Promise<{ join(): Promise<Member>; close(): void }> => {
    const members: Member[] = []
    const prefix = `suite-${++opened}:`
    return {
      async join() {
        const member = await openMember({ url: server.url }, { lives, prefix })
        members.push(member)
        return member
      },
      close: () => members.forEach(member => member.close()),
    }
  }

  t.test('Coordination', async t => {
    coordinationSuite(t, {
      async open() {
        const { join, close } = await open()
        return {
          join: async () => (await join()).coordination,
          kill: () => {},
          pass: milliseconds => sleep(milliseconds < 1_000 ? milliseconds : milliseconds / 10),
          lose: async () => void (await server.ask('FLUSHALL')),
          close,
        }
      },
    })
  })

  t.test('SharedState', async t => {
    sharedStateSuite(t, {
      async open() {
        const { join, close } = await open()
        return { join: async () => (await join()).state, close }
      },
    })
  })

  t.test('RateLimiter', async t => {
    rateLimiterSuite(t, {
      async open() {
        const { join, close } = await open()
        const limited = async (): Promise<{ readonly limiter: CoordinatedLimiter; readonly coordinated: Coordinated }> => {
          const coordinated = new Coordinated(systemClock, silent)
          const limiter = new CoordinatedLimiter({ coordinated, clock: systemClock, log: silent })
          await coordinated.connect((await join()).coordination, 'valkey')
          return { limiter, coordinated }
        }
        const [one, two] = [await limited(), await limited()]
        return {
          limiter: one.limiter,
          other: two.limiter,
          async exchange() {
            await Promise.all([one.coordinated.flush(), two.coordinated.flush()])
          },
          async close() {
            await Promise.all([one.coordinated.stop(), two.coordinated.stop()])
            close()
          },
        }
      },
    })
  })
})
