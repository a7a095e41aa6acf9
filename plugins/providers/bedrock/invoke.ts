import { ProviderFailure, type Endpoint, type ProviderCall } from '../../../core/index.ts'
import type { Decoder, ProviderAdapter } from '../../../core/kit.ts'
import { chatAdapter, messagesAdapter } from '../../../dialects/index.ts'
import { claude } from '../anthropic/models.ts'
import { hosts } from '../openai-chat/hosts.ts'
import { exceptionOf } from './event-stream.ts'
import { failureInside } from './failure.ts'
import type { SettingsOptions } from './settings.ts'

export const invokeDialects = ['anthropic', 'openai-chat'] as const

/** Model names or patterns with `*`, each with the dialect of its bodies. */
export type InvokeOption = Readonly<Record<string, (typeof invokeDialects)[number]>>

/** How to call a model with InvokeModel. */
export interface InvokeForm {
  readonly dialect: string | undefined
  readonly enforcesFormat: ProviderAdapter['enforcesFormat']
  body(call: ProviderCall): string
  decoder(call: ProviderCall): Decoder
  readonly reply: ProviderAdapter['reply']
}

/** InvokeModel takes a body in the dialect of the model's maker, and streams the maker's events in base64 chunks. */
export class InvokeForms {
  readonly #patterns: readonly (readonly [RegExp, InvokeForm])[]

  constructor(options: SettingsOptions & { readonly invoke?: InvokeOption | undefined }) {
    this.#patterns = Object.entries(options.invoke ?? {}).map(([pattern, name]) => [asRegExp(pattern), formOf(adapterOf(name, options))])
  }

  /** Uses the first pattern that matches. Undefined for a model to call with Converse. */
  formOf({ upstreamModel }: Pick<Endpoint, 'upstreamModel'>): InvokeForm | undefined {
    return this.#patterns.find(([pattern]) => pattern.test(upstreamModel))?.[1]
  }
}

function asRegExp(pattern: string): RegExp {
  return new RegExp(`^${pattern.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '.*')}$`)
}

function adapterOf(name: InvokeOption[string], { defaultMaxTokens, beta }: SettingsOptions): ProviderAdapter {
  if (name === 'openai-chat') return chatAdapter(hosts.compatible)
  return messagesAdapter({
    traits: claude,
    version: 'bedrock-2023-05-31',
    ...(defaultMaxTokens !== undefined && { defaultMaxTokens }),
    ...(beta && { betas: beta }),
    systemTurns: false,
    envelope: ({ model: _model, stream: _stream, ...message }, version, betas) => ({
      headers: {},
      body: { anthropic_version: version, ...(betas.length > 0 && { anthropic_beta: betas }), ...message },
    }),
  })
}

function formOf(adapter: ProviderAdapter): InvokeForm {
  return {
    dialect: adapter.dialect,
    enforcesFormat: adapter.enforcesFormat?.bind(adapter),
    body: call => String(adapter.prepare(call).body),
    decoder: call => unwrapped(adapter.decoder(call)),
    reply: adapter.reply.bind(adapter),
  }
}

/** Feeds the content of the vendor's chunks to the maker's decoder. */
function unwrapped(decoder: Decoder): Decoder {
  return {
    frame(data, event, emit) {
      const exception = exceptionOf(event)
      if (exception !== undefined) throw failureInside(exception, data)
      if (event === 'chunk') decoder.frame(textOf(data), undefined, emit)
    },
    get isComplete() {
      return decoder.isComplete ?? false
    },
    end: emit => decoder.end?.(emit),
  }
}

function textOf(data: string): string {
  const { bytes } = JSON.parse(data) as { readonly bytes?: unknown }
  if (typeof bytes === 'string') return Buffer.from(bytes, 'base64').toString('utf8')
  throw new ProviderFailure({ kind: 'protocol', message: 'The provider sent a chunk without bytes.', upstream: data })
}
