import type { Embedder } from '../../../../core/contracts/embedding.ts'
import type { Provider, ProviderCall, Yielded } from '../../../../core/contracts/provider.ts'
import type { Reranker } from '../../../../core/contracts/rerank.ts'
import type { RetrievalCall } from '../../../../core/contracts/retrieval.ts'
import { isObject } from '../../../../core/foundation/json.ts'
import { shadow } from '../shadow.ts'
import type { Step } from '../step.ts'
import { watchedEvents } from './events.ts'
import { begin, endpointName, follow, within, type Watched, type Watching } from './watching.ts'

type Call = Pick<ProviderCall, 'context' | 'endpoint' | 'credentialId'> & { readonly request: unknown }

export function watchedProvider(provider: Provider, watching: Watching): Provider {
  const opened = (call: Call, hook: string): { readonly watched: Watched; readonly step: Step } => {
    const { inspector, plugin } = watching
    const watched = { inspector, inspection: inspector.of(call.context), of: { plugin, kind: 'provider', name: provider.id } }
    const step = begin(watched, hook)
    step.fact('endpoint', endpointName(call.endpoint))
    step.fact('upstream model', call.endpoint.upstreamModel)
    step.fact('credential', call.credentialId)
    step.show('request, fitted to the endpoint', call.request)
    return { watched, step }
  }
  const { embeddings, reranking } = provider
  return shadow(provider, {
    generate(call) {
      const { watched, step } = opened(call, 'generate')
      step.fact('stream', call.request.stream === true)
      try {
        const events = within(watched, step, () => provider.generate(call))
        return isObject(events) && Symbol.asyncIterator in events
          ? (watchedEvents(events, watched, step) as AsyncIterable<Yielded>)
          : events
      } catch (error) {
        step.fail(error)
        throw error
      }
    },
    ...(embeddings && {
      embeddings: shadow<Embedder>(embeddings, { embed: call => asked(opened(call, 'embed'), call, () => embeddings.embed(call)) }),
    }),
    ...(reranking && {
      reranking: shadow<Reranker>(reranking, { rerank: call => asked(opened(call, 'rerank'), call, () => reranking.rerank(call)) }),
    }),
  } satisfies Partial<Provider>)
}

async function asked<R>(
  { watched, step }: { readonly watched: Watched; readonly step: Step },
  _call: RetrievalCall<unknown>,
  ask: () => Promise<R>,
): Promise<R> {
  return await follow<R>(watched, step, ask, reply => step.show('reply', reply))
}
