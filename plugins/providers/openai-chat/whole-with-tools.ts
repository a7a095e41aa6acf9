import type { Provider } from '../../../core/index.ts'

/** For hosts that do not stream where tools are given: the answer is asked for whole, and passed on at once. */
export function wholeWithTools(provider: Provider): Provider {
  return {
    ...provider,
    generate: call =>
      provider.generate(
        call.request.stream && call.request.tools?.length ? { ...call, request: { ...call.request, stream: false } } : call,
      ),
  }
}
