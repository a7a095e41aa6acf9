import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from '@redis/client'
import t, { type Test } from 'tap'
import { coordinationSuite, sharedStateSuite } from '../../../core/testing/index.ts'
import type { SharedChange } from '../../../core/stores.ts'
import { isLong } from '../../kit/long.ts'
import { member, openMember, type Member } from './valkey.ts'
import { freePort, noValkey, programOf, startValkey, type ValkeyServer } from './valkey-server.ts'

const longOnly = !isLong && 'takes long: npm run test:long'
const sentinelProgram = programOf('valkey-sentinel') ?? programOf('redis-sentinel')
const noSentinel = sentinelProgram === undefined && 'needs Sentinel: apt-get install redis-sentinel'

async function server(t: Test, ...settings: readonly string[]): Promise<ValkeyServer> {
  const started = await startValkey({ settings })
  t.teardown(() => started.stop())
  return started
}

async function until(isTrue: () => Promise<boolean>, what: string): Promise<void> {
  for (let waited = 0; !(await isTrue()); waited += 50) {
    if (waited > 60_000) throw new Error(`${what} did not come`)
    await sleep(50)
  }
}

const windowOf = (bucket: string) => ({ bucket, tokens: 1_000, windowMs: 600_000 })

async function take({ coordination }: Member, group: string, amount: number): Promise<boolean> {
  try {
    const { fullWindows } = await coordination.claim({ group, places: [], windows: [{ ...windowOf('key:1'), amount }] })
    return fullWindows === undefined
  } catch {
    return false
  }
}

async function usedOf({ coordination }: Member, group: string): Promise<number> {
  return (await coordination.states(group, [windowOf('key:1')]))[0]!.used
}

/** Three sentinels that watch a server as `mymaster`. Returns when all know its replica, and each other. */
async function sentinels(t: Test, primary: ValkeyServer): Promise<readonly string[]> {
  const ports = [await freePort(), await freePort(), await freePort()]
  for (const port of ports) {
    const folder = mkdtempSync(join(tmpdir(), 'turnpike-sentinel-'))
    const file = join(folder, 'sentinel.conf')
    writeFileSync(
      file,
      [
        `port ${port}`,
        'bind 127.0.0.1',
        `dir ${folder}`,
        `sentinel monitor mymaster 127.0.0.1 ${primary.port} 2`,
        'sentinel down-after-milliseconds mymaster 500',
        'sentinel failover-timeout mymaster 3000',
      ].join('\n'),
    )
    const child = spawn(sentinelProgram!, [file], { stdio: 'ignore' })
    t.teardown(async () => {
      const ended = new Promise(resolve => child.once('exit', resolve))
      child.kill('SIGKILL')
      await ended
      rmSync(folder, { recursive: true, force: true })
    })
  }
  for (const port of ports) {
    await until(async () => {
      const client = createClient({ socket: { port, reconnectStrategy: false } })
      client.on('error', () => {})
      try {
        await client.connect()
        const [replicas, others] = [
          ['SENTINEL', 'REPLICAS', 'mymaster'],
          ['SENTINEL', 'SENTINELS', 'mymaster'],
        ]
        return (
          ((await client.sendCommand(replicas!)) as unknown[]).length === 1 &&
          ((await client.sendCommand(others!)) as unknown[]).length === 2
        )
      } catch {
        return false
      } finally {
        client.destroy()
      }
    }, `what the sentinel at ${port} should know`)
  }
  return ports.map(port => `redis://127.0.0.1:${port}`)
}

t.test('a failover by sentinels', { skip: noValkey || noSentinel || longOnly, timeout: 300_000 }, async t => {
  const primary = await server(t)
  const replica = await server(t, '--replicaof', '127.0.0.1', String(primary.port), '--repl-diskless-sync-delay', '0')
  await until(async () => String(await replica.ask('INFO', 'replication')).includes('master_link_status:up'), 'the replica')
  const nodes = await sentinels(t, primary)
  const place = { sentinel: { master: 'mymaster', nodes: ['redis://127.0.0.1:1', ...nodes] } }
  const one = await member(t, place)
  const two = await member(t, place)
  await until(async () => one.connection.isReady && two.connection.isReady, 'the connections')
  const received: SharedChange[] = []
  await two.state.subscribe(change => void received.push(change))
  const { generation } = await one.coordination.beat({})
  t.ok(await take(one, 'acme', 10))
  t.ok(await take(two, 'acme', 10))
  await primary.kill()
  let moved = 0
  await until(async () => {
    moved++
    return await take(one, 'acme', 1)
  }, 'the new primary')
  t.ok(moved > 1)
  const found = await one.coordination.beat({})
  t.equal(found.generation, generation, 'nothing was lost')
  t.equal(await usedOf(one, 'acme'), 21)
  await two.connection.ready(30_000)
  one.state.publish({ map: 'm', key: 'k', value: 1, forMs: 60_000 })
  await until(async () => received.length > 0, 'a change')
  t.equal(await usedOf(two, 'acme'), 21)

  await primary.restart()
  await until(async () => String(await primary.ask('ROLE')).startsWith('slave'), 'the old primary as a replica')
  const late = await member(t, place)
  await until(async () => late.connection.isReady, 'a connection')
  t.equal(await usedOf(late, 'acme'), 21, 'the old primary is not used')

  const wrong = await member(t, { sentinel: { master: 'another', nodes } })
  t.match(wrong.logs.join(''), /because the sentinels know no server of this name\. Correct sentinel\.master/)
})

t.test('an old copy of the data', { skip: noValkey || longOnly, timeout: 120_000 }, async t => {
  const valkey = await server(t)
  const one = await member(t, { url: valkey.url })
  const beat = async (): Promise<string> => (await one.coordination.beat({})).generation
  const firstBeat = async (): Promise<string> => {
    let generation: string | undefined
    await until(async () => (generation = await beat().catch(() => undefined)) !== undefined, 'a connection')
    return generation!
  }
  const beatFor = async (seconds: number): Promise<void> => {
    for (let second = 0; second < seconds; second++) {
      await beat()
      await sleep(1_000)
    }
  }
  await beatFor(7)
  const generation = await beat()
  t.ok(await take(one, 'acme', 5))
  await valkey.ask('SAVE')
  await valkey.kill()
  await valkey.restart()
  t.equal(await firstBeat(), generation, 'a copy of a moment ago is no loss')
  await beatFor(7)
  await valkey.kill()
  await valkey.restart()
  const young = await member(t, { url: valkey.url })
  await young.coordination.beat({})
  const after = await firstBeat()
  t.not(after, generation, 'an older one is')
  t.equal((await young.coordination.beat({})).generation, after)
  t.equal(await beat(), after)
})

t.test('a cluster of three nodes', { skip: noValkey || longOnly, timeout: 300_000 }, async t => {
  const cluster = ['--cluster-enabled', 'yes', '--cluster-node-timeout', '1000', '--cluster-require-full-coverage', 'no']
  const nodes = [await server(t, ...cluster), await server(t, ...cluster), await server(t, ...cluster)]
  const [first] = nodes as [ValkeyServer, ...ValkeyServer[]]
  for (const [index, node] of nodes.entries()) {
    const from = Math.ceil((index * 16_384) / 3)
    await node.ask('CLUSTER', 'ADDSLOTSRANGE', String(from), String(Math.ceil(((index + 1) * 16_384) / 3) - 1))
    await node.ask('CLUSTER', 'SET-CONFIG-EPOCH', String(index + 1))
    await node.ask('CLUSTER', 'MEET', '127.0.0.1', String(first.port))
  }
  for (const node of nodes) {
    await until(async () => {
      const info = String(await node.ask('CLUSTER', 'INFO'))
      return info.includes('cluster_state:ok') && info.includes('cluster_known_nodes:3')
    }, 'the cluster')
  }
  const place = { cluster: [first.url] }
  const lives = { aliveMs: 500, leaseMs: 1_000 }
  let opened = 0
  const open = async () => {
    const members: Member[] = []
    const prefix = `suite-${++opened}:`
    return {
      async join() {
        const member = await openMember(place, { lives, prefix })
        members.push(member)
        return member
      },
      close: () => members.forEach(member => member.close()),
    }
  }
  await t.test('Coordination', async t => {
    coordinationSuite(t, {
      async open() {
        const { join, close } = await open()
        return {
          join: async () => (await join()).coordination,
          kill: () => {},
          pass: milliseconds => sleep(milliseconds < 1_000 ? milliseconds : milliseconds / 10),
          lose: async () => void (await Promise.all(nodes.map(node => node.ask('FLUSHALL')))),
          close,
        }
      },
    })
  })
  await t.test('SharedState', async t => {
    sharedStateSuite(t, {
      async open() {
        const { join, close } = await open()
        return { join: async () => (await join()).state, close }
      },
    })
  })

  const one = await member(t, place)
  const groups = Array.from({ length: 30 }, (_, index) => `org-${index}`)
  t.ok((await Promise.all(groups.map(group => take(one, group, 5)))).every(Boolean), 'groups are on all nodes')
  const { generation } = await one.coordination.beat({})
  await nodes[2]!.ask('FLUSHALL')
  t.not((await one.coordination.beat({})).generation, generation, 'a loss on one node is a loss')

  await nodes[2]!.kill()
  const during = await Promise.all(groups.map(group => take(one, group, 1)))
  t.ok(during.some(Boolean) && !during.every(Boolean), 'other nodes still count')
  await t.rejects(one.coordination.beat({}), 'and the sign of life tells that one is missing')
  for (let second = 0; second < 8; second++) {
    await sleep(1_000)
    const still = await Promise.all(groups.map(group => take(one, group, 1)))
    t.ok(still.some(Boolean), `and still do after ${second + 1} s`)
  }
  await nodes[2]!.restart()
  await until(async () => (await Promise.all(groups.map(group => take(one, group, 1)))).every(Boolean), 'the node')

  const wrong = await member(t, { url: first.url })
  const outcomes = await Promise.all(groups.map(group => take(wrong, group, 1)))
  t.notOk(outcomes.every(Boolean))
  t.match(wrong.logs.join(''), /because it is part of a cluster\. Use the option cluster instead of url/)
})
