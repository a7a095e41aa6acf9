import type { Provider } from '../../core/index.ts'

/** For hosts that do not stream requests with tools: requests a whole reply and passes it on at once. */
export function wholeWithTools(provider: Provider): Provider {
  return {
    ...provider,
    generate: call =>
      provider.generate(
        call.request.stream && call.request.tools?.length ? { ...call, request: { ...call.request, stream: false } } : call,
      ),
  }
}
