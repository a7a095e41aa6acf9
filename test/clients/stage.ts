import { setTimeout as delay } from 'node:timers/promises'
import type { Test } from 'tap'
import type { PluginUse, RequestRecord } from '../../core/index.ts'
import { fakeUpstream } from '../../core/testing/index.ts'
import { listeningGateway, scripted, type ListeningGateway } from '../kit/gateway.ts'
import { recordingsAbsent } from '../kit/recordings.ts'
import { RecordedModels, type Question, type RecordedModel } from './recorded-models.ts'
import { anthropicReply, chatReply, responsesReply } from '../kit/vendor-replies.ts'
import { pluginOf } from '../kit/wire-plugins.ts'

export interface Stage extends ListeningGateway {
  /** Such as `http://127.0.0.1:40123/v1`. */
  readonly baseURL: string
  /** A model on each wire, whose vendor answers with vendor-replies.ts. */
  readonly wires: readonly string[]
  /** Empty where there are no recordings. */
  readonly recordedModels: readonly RecordedModel[]
}

/** A gateway on a socket with the sandbox, fake vendors of the three wires, and vendors that answer with recorded bytes. */
export async function stage(t: Test, plugins: readonly PluginUse[] = []): Promise<Stage> {
  const vendors = await Promise.all([fakeUpstream(chatReply), fakeUpstream(anthropicReply), fakeUpstream(responsesReply)])
  t.teardown(() => Promise.all(vendors.map(vendor => vendor.close())))
  const names = ['openai-chat', 'anthropic', 'openai-responses'] as const
  const recorded = recordingsAbsent ? undefined : await RecordedModels.start()
  t.teardown(() => recorded?.close())
  const under = await listeningGateway({
    plugins: [...plugins, ...names.map((name, index) => pluginOf[name](name, vendors[index]!.url, 'fake')), ...(recorded?.plugins ?? [])],
  })
  t.teardown(under.stop)
  return { ...under, baseURL: `${under.url}/v1`, wires: names.map(name => `${name}/some-model`), recordedModels: recorded?.models ?? [] }
}

const departed = new WeakSet<RequestRecord>()

/** Resolves with the record of a client that left early. Returns each record once. */
export async function departure({ recorded }: Stage): Promise<RequestRecord> {
  for (let count = 1; ; count++) {
    const record = (await recorded(count))[count - 1]!
    if (record.status !== 499 || departed.has(record)) continue
    departed.add(record)
    return record
  }
}

/** A gateway that breaks silence all the time, and a question to which a model answers `Here I am.` with long pauses. */
export async function silentStage(t: Test): Promise<{ readonly baseURL: string; readonly apiKey: string; readonly question: Question }> {
  const pauseMs = 40
  const silent = scripted('silent', async function* () {
    for (const text of ['Here ', 'I ', 'am.']) {
      await delay(pauseMs)
      yield { type: 'text', text }
    }
    await delay(pauseMs)
    yield { type: 'finish', reason: 'stop' }
  })
  const under = await listeningGateway({ plugins: [silent], settings: { commitAfterMs: 10, heartbeatMs: 10 } })
  t.teardown(under.stop)
  const request = { model: 'silent/any', input: 'hi', stream: true }
  return { baseURL: `${under.url}/v1`, apiKey: under.apiKey, question: { model: request.model, stream: true, functions: [], request } }
}
