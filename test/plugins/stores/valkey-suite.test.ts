import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { coordinationSuite, sharedStateSuite } from '../../../core/testing/index.ts'
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
})
