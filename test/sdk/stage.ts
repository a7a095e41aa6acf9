import type { Test } from 'tap'
import type { PluginUse } from '../../core/index.ts'
import { fakeUpstream } from '../../core/testing/index.ts'
import { listeningGateway, type ListeningGateway } from '../gateway.ts'
import { recordingsAbsent } from '../recordings.ts'
import { RecordedModels, type RecordedModel } from './recorded-models.ts'
import { anthropicReply, chatReply, responsesReply } from './vendor-replies.ts'
import { pluginOf } from './wire-plugins.ts'

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
