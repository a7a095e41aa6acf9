import { testGateway, type TestGateway } from '../../../core/testing/index.ts'
import localSealer from '../../../plugins/sealers/local/index.ts'
import memory from '../../../plugins/stores/memory/index.ts'
import { recordedReply, recordings, type RecordedReply, type Recording } from '../../kit/recordings.ts'
import { Oracle, wireOf, type OracleReading } from '../../plugins/providers/oracle/oracle.ts'
import { continuationOf, joinAfterPause } from '../../plugins/providers/recordings/pause.ts'
import { unaskable } from '../../plugins/providers/recordings/request.ts'
import { leftOut } from '../../plugins/providers/recordings/selection.ts'
import { RecordedUpstream } from '../../plugins/providers/recordings/upstream.ts'
import { surfaces, type Surface } from './surfaces.ts'
import { Vendors } from './vendors.ts'

/** A recorded answer, as it was and as a surface gave it. */
export interface Replayed {
  readonly recording: Recording
  readonly stream: boolean
  readonly recorded: RecordedReply
  /** The vendor continued after a pause, so the bytes are not all of the answer. */
  readonly isResumed: boolean
  readonly expected: OracleReading
  readonly status: number
  readonly body: Uint8Array
  readonly actual: OracleReading
}

/** A gateway before the vendors of recordings, whose answers are read without its code. */
export class Replay {
  readonly #cases: readonly Recording[]
  readonly #oracle: Oracle
  readonly #upstream: RecordedUpstream
  readonly #under: TestGateway

  private constructor(cases: readonly Recording[], oracle: Oracle, upstream: RecordedUpstream, under: TestGateway) {
    this.#cases = cases
    this.#oracle = oracle
    this.#upstream = upstream
    this.#under = under
  }

  static async start(chosen: (recording: Recording) => boolean): Promise<Replay> {
    const cases = recordings().filter(each => each.mode !== 'error' && wireOf(each.api) && !leftOut[each.path] && chosen(each))
    const [oracle, upstream, vendors] = [await Oracle.start(), new RecordedUpstream(), await Vendors.start()]
    await upstream.start()
    const under = await testGateway({
      plugins: [
        memory({}),
        localSealer({ masterKey: Buffer.alloc(32, 'replay').toString('base64') }),
        ...Object.values(surfaces).map(({ plugin }) => plugin),
        ...cases.map((each, index) => vendors.use(`vendor-${index}`, upstream.baseUrl(`vendor-${index}`), each)),
      ],
      settings: { retries: 0 },
    })
    return new Replay(cases, oracle, upstream, under)
  }

  /** Answers that came to an end, through one surface. */
  async *through(surface: Surface, chosen: (recording: Recording) => boolean): AsyncGenerator<Replayed> {
    for (const [index, recording] of this.#cases.entries())
      if (chosen(recording)) yield* this.#replayed(surface, recording, `vendor-${index}`)
  }

  async stop(): Promise<void> {
    await this.#under.stop()
    await this.#upstream.close()
    await this.#oracle.close()
  }

  async *#replayed(surface: Surface, recording: Recording, provider: string): AsyncGenerator<Replayed> {
    const stream = recording.mode === 'stream'
    const recorded = recordedReply(recording)!
    const read = ({ headers, body }: RecordedReply): Promise<OracleReading> =>
      this.#oracle.read(wireOf(recording.api)!, { status: 200, headers, body }, stream)
    const first = await read(recorded)
    if (first.error || first.finish === null || unaskable(first)) return
    const next = first.finish === 'pause' ? continuationOf(recording, recorded) : undefined
    const expected = next ? joinAfterPause(first, await read(next)) : first
    const served = [recorded, ...(next ? [next] : [])]
    this.#upstream.prepare(provider, ...served.map(({ headers, body }) => ({ status: 200, headers, pieces: [body] })))
    const reply = await this.#under.request(surface.path, {
      body: surface.request(recording, `${provider}/${recording.model || 'any'}`),
    })
    const body = new Uint8Array(await reply.arrayBuffer())
    const headers = { 'content-type': reply.headers.get('content-type')! }
    const actual = await this.#oracle.read(surface.wire, { status: reply.status, headers, body }, stream)
    yield { recording, stream, recorded, isResumed: next !== undefined, expected, status: reply.status, body, actual }
  }
}
