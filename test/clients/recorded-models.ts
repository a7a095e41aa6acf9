import type { Test } from 'tap'
import type { JsonObject, PluginUse } from '../../core/index.ts'
import { Oracle, type OracleReading } from '../plugins/providers/oracle/oracle.ts'
import { recordedReply, recordings, recordingsAbsent, type RecordedReply, type Recording } from '../kit/recordings.ts'
import { normalCalls } from '../plugins/providers/recordings/differences.ts'
import { lacksEnd } from '../plugins/providers/recordings/failures.ts'
import { requestFor, unaskable } from '../plugins/providers/recordings/request.ts'
import { RecordedUpstream } from '../plugins/providers/recordings/upstream.ts'
import { clientWire, pluginOf } from '../kit/wire-plugins.ts'

/** A client's view of an answer, in words that all clients share. */
export interface ClientReading {
  readonly text: string
  readonly refusal: string
  readonly calls: readonly { readonly name: string; readonly input: unknown }[]
  readonly finish: 'stop' | 'length' | 'content-filter' | 'tool-calls'
  readonly tokens?: { readonly input: number; readonly cached: number; readonly output: number; readonly reasoning: number }
}

export interface Question {
  readonly model: string
  readonly stream: boolean
  /** The whole request, by which all of the answer is legal. */
  readonly request: JsonObject
  /** The functions that the answer calls. */
  readonly functions: readonly string[]
}

/** A model whose vendor answers with recorded bytes. */
export interface RecordedModel extends Question {
  readonly path: string
  /** The answer calls tools that are no functions, or has items of the vendor's own tools. */
  readonly hasOtherTools: boolean
  /** The vendor says that it failed, or breaks off. */
  readonly fails: boolean
  readonly expected: ClientReading
  /** Has the vendor answer the next request. */
  prepare(): void
}

/** Recordings that between them show every behaviour and way to end of each wire, streamed and not. */
export class RecordedModels {
  readonly models: RecordedModel[] = []
  readonly plugins: PluginUse[] = []
  readonly #upstream = new RecordedUpstream()

  static async start(): Promise<RecordedModels> {
    const all = new RecordedModels()
    await all.#upstream.start()
    const oracle = await Oracle.start()
    try {
      for (const recording of varied()) await all.#add(recording, oracle)
    } finally {
      await oracle.close()
    }
    return all
  }

  async close(): Promise<void> {
    await this.#upstream.close()
  }

  async #add(recording: Recording, oracle: Oracle): Promise<void> {
    const { path, vendor, status, mode } = recording
    const wire = clientWire(recording.api)!
    const reply = recordedReply(recording)!
    const stream = mode === 'stream'
    const reading = await oracle.read(wire, { status, ...reply }, stream)
    // The model's answer after a pause is in another recording.
    if (unaskable(reading) || reading.finish === 'pause') return
    // A separate provider, so a failure that cools one down leaves the others alone.
    const provider = `${vendor}-${path.split('/')[1]!.slice(0, 3)}`
    const model = `${provider}/${recording.model || 'any'}`
    this.plugins.push(pluginOf[wire](provider, this.#upstream.baseUrl(provider), vendor))
    this.models.push({
      path,
      model,
      stream,
      request: requestFor(recording, model, reading),
      functions: [...new Set(reading.toolCalls.map(({ name }) => name))],
      hasOtherTools: reading.toolCalls.some(({ custom }) => custom) || reading.others.some(name => name.endsWith('_call')),
      fails: reading.error !== null || lacksEnd(reading),
      expected: expectedReading(reading),
      prepare: () => this.#upstream.prepare(provider, served(recording, reply)),
    })
  }
}

export interface ClientManners {
  /** True if the client takes this answer for a failure. */
  readonly rejects?: (model: RecordedModel) => boolean
  /** How the client shows this answer, if that differs from its content. */
  readonly shows?: (expected: ClientReading) => ClientReading
}

/** Runs every recorded answer through a client, and compares the client's reading with the vendor's. */
export async function compareRecorded(
  t: Test,
  models: readonly RecordedModel[],
  read: (model: RecordedModel) => Promise<ClientReading>,
  { rejects = () => false, shows = expected => expected }: ClientManners = {},
): Promise<void> {
  await t.test('recorded answers', { skip: recordingsAbsent }, async t => {
    for (const each of models) {
      each.prepare()
      const { path, fails, expected } = each
      if (fails || rejects(each)) await t.rejects(read(each), path)
      else t.same(comparable(await read(each), expected), comparable(shows(expected), expected), path)
    }
    t.comment(`${models.length} recordings, ${models.filter(({ stream }) => stream).length} of them streams`)
  })
}

/** A vendor that tells no usage is counted by the gateway; what clients make of arguments that were cut short is their own affair. */
function comparable({ tokens, calls, ...rest }: ClientReading, expected: ClientReading): object {
  const cut = expected.finish === 'length' ? calls.length - 1 : -1
  return {
    ...rest,
    calls: calls.map((call, index) => (index === cut ? { ...call, input: null } : call)),
    ...(expected.tokens && { tokens }),
  }
}

function expectedReading({ text, refusal, toolCalls, finish, usage }: OracleReading): ClientReading {
  const calls = normalCalls(toolCalls, finish === 'length').map(call => ({ name: call.name, input: parsed(call.arguments) }))
  const ends = { length: 'length', 'content-filter': 'content-filter' } as const
  return {
    text,
    refusal,
    calls,
    finish: ends[finish as keyof typeof ends] ?? (calls.length > 0 ? 'tool-calls' : 'stop'),
    ...(usage && {
      tokens: {
        input: usage.input,
        cached: Math.min(usage.cached ?? 0, usage.input),
        output: usage.output,
        reasoning: usage.reasoning ?? 0,
      },
    }),
  }
}

/** A call's arguments; those that were cut short are no JSON, and say nothing. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

function served(recording: Recording, { headers, body }: RecordedReply): Parameters<RecordedUpstream['prepare']>[1] {
  return { status: recording.status, headers, pieces: [body] }
}

/** As few recordings as show everything: each time the one that shows the most that was not there yet. */
function varied(): Recording[] {
  const usable = recordings().filter(each => each.mode !== 'error' && clientWire(each.api) && recordedReply(each))
  const groups = Map.groupBy(usable, ({ api, mode }) => `${clientWire(api)!} ${mode}`)
  return [...groups.values()].flatMap(candidates => {
    const seen = new Set<string>()
    const chosen: Recording[] = []
    for (;;) {
      const fresh = (each: Recording): number => features(each).filter(feature => !seen.has(feature)).length
      const best = candidates.reduce((one, other) => (fresh(other) > fresh(one) ? other : one))
      if (fresh(best) === 0) return chosen
      for (const feature of features(best)) seen.add(feature)
      chosen.push(best)
    }
  })
}

function features({ behaviours, finish, oddities }: Recording): string[] {
  return [...behaviours, ...finish.map(reason => `ends ${reason}`), ...oddities]
}
