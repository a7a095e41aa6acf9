import t from 'tap'
import type { PluginUse } from '../../../../core/index.ts'
import { testGateway } from '../../../../core/testing/index.ts'
import responses from '../../../../plugins/endpoints/responses/index.ts'
import localSealer from '../../../../plugins/sealers/local/index.ts'
import memory from '../../../../plugins/stores/memory/index.ts'
import { Oracle, wireOf, type OracleReading } from '../oracle/oracle.ts'
import { recordedReply, recordings, recordingsAbsent, type RecordedReply, type Recording } from '../../../kit/recordings.ts'
import { checkDecoding, cutsOf } from './decoding.ts'
import { continuationOf, joinAfterPause } from './pause.ts'
import { PieceDecoder } from './pieces.ts'
import { unaskable } from './request.ts'
import { leftOut, pluginOf, type PluginName } from './selection.ts'
import { checkThroughGateway, type Ask, type Replayed } from './through-gateway.ts'
import { RecordedUpstream } from './upstream.ts'

/** A body of more than this goes through the gateway in one piece only; in small pieces it is decoded without a socket. */
const maxLengthForSockets = 8_000

/** The plugin under test as the provider `id` of the recording's vendor. */
export type Use = (id: string, baseUrl: string, recording: Recording) => PluginUse

interface Prepared extends Replayed {
  readonly use: PluginUse
}

t.setTimeout(120_000)

/** Replays every recording of one plugin's vendors: decoded in pieces, and through the whole gateway. */
export function replay(plugin: PluginName, use: Use): void {
  void t.test(`recorded traffic of the plugin ${plugin}`, { skip: recordingsAbsent }, async t => {
    const oracle = await Oracle.start()
    t.teardown(() => oracle.close())
    const upstream = new RecordedUpstream()
    await upstream.start()
    t.teardown(() => upstream.close())
    const prepared = await prepare(plugin, use, oracle, upstream)
    const gateway = await testGateway({ plugins: [...services(), ...prepared.map(({ use }) => use)], settings: { retries: 0 } })
    t.teardown(() => gateway.stop())
    const ask: Ask = body => gateway.request('/v1/responses', { method: 'POST', body })

    for (const [vendor, cases] of Map.groupBy(prepared, ({ recording }) => recording.vendor)) {
      await t.test(vendor, async t => {
        const cuts = new Map<string, number>()
        for (const each of cases) {
          const decoder = new PieceDecoder(each.use, each.recording.model || 'any')
          const decoded = await checkDecoding(decoder, each.recording, each.reply, each.oracle)
          const problems = [...decoded.problems.map(problem => `decoded: ${problem}`), ...(await replayed(ask, upstream, each))]
          for (const cut of decoded.cuts) cuts.set(cut, (cuts.get(cut) ?? 0) + 1)
          t.same(problems, [], each.recording.path)
        }
        t.comment(summary(cases, cuts))
      })
    }
    t.comment(`${prepared.length} recordings run`)
    t.comment(withoutSdk(prepared))
    t.ok(prepared.length > 0, 'there is something to replay')
  })
}

function services(): PluginUse[] {
  return [memory({}), localSealer({ masterKey: Buffer.alloc(32, 'replay').toString('base64') }), responses({})]
}

async function prepare(plugin: PluginName, use: Use, oracle: Oracle, upstream: RecordedUpstream): Promise<readonly Prepared[]> {
  const prepared: Prepared[] = []
  for (const recording of recordings().filter(each => pluginOf(each) === plugin && leftOut[each.path] === undefined)) {
    const provider = providerId(recording)
    const reply = recordedReply(recording)
    if (!reply) throw new Error(`${recording.path}: its response file is absent`)
    const { status, mode, api } = recording
    const read = ({ headers, body }: RecordedReply): Promise<OracleReading> =>
      oracle.read(wireOf(api)!, { status, headers, body }, mode === 'stream')
    const reading = await read(reply)
    const reason = unaskable(reading)
    if (reason) throw new Error(`${recording.path} has to be left out by name: ${reason}`)
    const next = reading.finish === 'pause' ? continuationOf(recording, reply) : undefined
    const resumed = next && { reply: next, oracle: joinAfterPause(reading, await read(next)) }
    prepared.push({ recording, reply, oracle: reading, resumed, provider, use: use(provider, upstream.baseUrl(provider), recording) })
  }
  return prepared
}

async function replayed(ask: Ask, upstream: RecordedUpstream, each: Prepared): Promise<string[]> {
  const { recording, reply } = each
  const small = reply.body.byteLength <= maxLengthForSockets
  const cuts = cutsOf(reply, recording.mode === 'stream').filter(([, lengths]) => lengths !== 1 && (small || typeof lengths !== 'number'))
  const problems: string[] = []
  for (const [name, lengths] of [['one piece', Infinity] as const, ...cuts]) {
    problems.push(...(await checkThroughGateway(ask, upstream, each, lengths)).map(problem => `in ${name}: ${problem}`))
  }
  return problems
}

/** A provider for each recording, so that a failure which cools one down leaves the others alone. */
function providerId({ vendor, path }: Recording): string {
  return `${vendor}-${path.split('/')[1]!.slice(0, 3)}`
}

function summary(cases: readonly Prepared[], cuts: ReadonlyMap<string, number>): string {
  const modes = Map.groupBy(cases, ({ recording }) => recording.mode)
  const counted = (['stream', 'unary', 'error'] as const).map(mode => `${modes.get(mode)?.length ?? 0} ${mode}`)
  return `${cases[0]!.recording.vendor}: ${cases.length} recordings (${counted.join(', ')}); ${Array.from(cuts, ([cut, count]) => `${count} in ${cut}`).join(', ')}`
}

function withoutSdk(prepared: readonly Prepared[]): string {
  const read = prepared.filter(({ oracle }) => oracle.withoutSdk !== undefined)
  return `${read.length} read without the vendor's SDK${read.map(({ recording, oracle }) => `\n  ${recording.path}: ${oracle.withoutSdk}`).join('')}`
}
