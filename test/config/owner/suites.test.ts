import t from 'tap'
import { OwnedCoordination } from '../../../config/owner/owned-coordination.ts'
import { OwnedState } from '../../../config/owner/owned-state.ts'
import type { OwnerClient } from '../../../config/owner/owner-client.ts'
import type { Coordination } from '../../../core/stores.ts'
import { coordinationSuite, sharedStateSuite } from '../../../core/testing/index.ts'
import { ownerUnderTest } from '../../kit/owner-under-test.ts'
import { FakeClock } from '../../kit/set-up.ts'

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
