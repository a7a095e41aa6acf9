import t from 'tap'
import { OwnedCoordination } from '../../../config/owner/owned-coordination.ts'
import { OwnedState } from '../../../config/owner/owned-state.ts'
import type { OwnerClient } from '../../../config/owner/owner-client.ts'
import { Coordinated, CoordinatedLimiter, type Coordination } from '../../../core/stores.ts'
import { coordinationSuite, rateLimiterSuite, sharedStateSuite } from '../../../core/testing/index.ts'
import { ownerUnderTest, type OwnerUnderTest } from '../../kit/owner-under-test.ts'
import { FakeClock } from '../../kit/set-up.ts'
import { silent } from '../../plugins/stores/databases.ts'

t.test('the suite of coordination', async t =>
  coordinationSuite(t, {
    async open() {
      const clock = new FakeClock()
      const under = await ownerUnderTest(clock)
      const clients = new Map<Coordination, OwnerClient>()
      return {
        async join() {
          const client = await under.client()
          const member = new OwnedCoordination(client, 1)
          clients.set(member, client)
          return member
        },
        kill: member => clients.get(member)!.close(),
        pass: milliseconds => clock.pass(milliseconds),
        async lose() {
          under.die()
          await under.replace()
        },
        close: () => under.close(),
      }
    },
  }),
)

t.test('the suite of shared state', async t =>
  sharedStateSuite(t, {
    async open() {
      const under = await ownerUnderTest()
      return { join: async () => new OwnedState(await under.client()), close: () => under.close() }
    },
  }),
)

async function limiterOf(under: OwnerUnderTest, clock: FakeClock): Promise<{ coordinated: Coordinated; limiter: CoordinatedLimiter }> {
  const coordinated = new Coordinated(clock, silent)
  await coordinated.connect(new OwnedCoordination(await under.client(), 1), 'owner')
  return { coordinated, limiter: new CoordinatedLimiter({ coordinated, clock, log: silent }) }
}

t.test('the suite of limiters', async t =>
  rateLimiterSuite(t, {
    async open() {
      const clock = new FakeClock()
      const under = await ownerUnderTest(clock)
      const [one, two] = [await limiterOf(under, clock), await limiterOf(under, clock)]
      return {
        limiter: one.limiter,
        other: two.limiter,
        async exchange() {
          for (const { coordinated } of [one, two]) await coordinated.flush()
        },
        pass: milliseconds => clock.pass(milliseconds),
        async close() {
          for (const { coordinated } of [one, two]) await coordinated.stop()
          under.close()
        },
      }
    },
  }),
)
