import type { Capabilities, GenerationEvent, Provider, ProviderCall } from '../../../core/index.ts'
import { aboutAsked, sendingRules, type Credential, type HttpClient, type InlineMedia, type SendingRules } from '../../../core/kit.ts'
import { Answer } from './answer.ts'
import { callOptions, type CallSettings } from './call-options.ts'
import { failureFrom } from './failure.ts'
import { holding } from './holders.ts'
import { inlineMedia } from './media.ts'
import type { Models } from './models.ts'
import { doGenerate, doStream } from './specification.ts'
import { vendorOf } from './vendor.ts'

export interface BridgeOptions extends CallSettings, SendingRules {
  readonly credentials: readonly Credential[] | undefined
  readonly structuredOutput: Capabilities['structuredOutput']
}

/** Turns a package's models into a provider. The package does the I/O and speaks the vendor's dialect. */
export function bridge(id: string, models: Models, http: HttpClient, options: BridgeOptions): Provider {
  const { credentials, structuredOutput } = options
  return {
    id,
    ...(credentials && { credentials }),
    ...sendingRules(options),
    capabilities: {
      customTools: false,
      namespaceTools: false,
      allowedTools: false,
      webSearch: false,
      logprobs: false,
      contextManagement: false,
      structuredOutput,
    },
    generate: call => generate(call, models, http, options),
  }
}

async function* generate(
  call: ProviderCall,
  models: Models,
  http: HttpClient,
  settings: CallSettings,
): AsyncGenerator<readonly GenerationEvent[]> {
  let said: GenerationEvent[] = []
  const emit = (event: GenerationEvent): void => void said.push(event)
  let cancel = (): void => {}
  let media: InlineMedia | undefined
  try {
    const model = models.model(call.endpoint.upstreamModel, call.credentialId)
    const vendor = vendorOf(model)
    media = await inlineMedia(call, model, http)
    holding(call)
    const warn = (param: string, message: string): void => emit({ type: 'warning', param, message })
    const options = aboutAsked(call, media?.whole ?? call, each => callOptions(each, model, vendor, settings, warn))
    const answer = new Answer(vendor, emit)
    if (!call.request.stream) {
      const result = await doGenerate(model, options)
      try {
        answer.whole(result)
      } finally {
        // Deliver what came before the failure.
        if (said.length > 0) yield said
      }
      return
    }
    const reader = (await doStream(model, options)).getReader()
    // Do not wait for a package that ignores its signal.
    cancel = () => void reader.cancel().catch(() => {})
    call.signal.addEventListener('abort', cancel, { once: true })
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      answer.part(next.value)
      if (said.length > 0) yield said
      said = []
      if (next.value.type === 'finish') return
    }
    call.signal.throwIfAborted()
  } catch (error) {
    throw failureFrom(error, call.signal)
  } finally {
    call.signal.removeEventListener('abort', cancel)
    cancel()
    media?.release()
  }
}
