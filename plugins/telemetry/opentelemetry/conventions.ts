import type { CallKind } from '../../../core/kit.ts'

export const versions = ['1.41', 'latest'] as const
export type Version = (typeof versions)[number]

/** How the versions of the conventions for generative AI call things. */
export interface Conventions {
  readonly cacheWriteTokens: string
  readonly durationOf: (operation: string) => string
  readonly firstChunkOf: (operation: string) => string
  /** `histogram`: one for input and output. `counters`: one for each kind of tokens, and two histograms. */
  readonly tokens: 'histogram' | 'counters'
  readonly toolDuration: string | undefined
  readonly detailsEvent: string
}

const released: Conventions = {
  cacheWriteTokens: 'gen_ai.usage.cache_creation.input_tokens',
  durationOf: () => 'gen_ai.client.operation.duration',
  firstChunkOf: () => 'gen_ai.client.operation.time_to_first_chunk',
  tokens: 'histogram',
  toolDuration: undefined,
  detailsEvent: 'gen_ai.client.inference.operation.details',
}

const latest: Conventions = {
  cacheWriteTokens: 'gen_ai.usage.cache_write.input_tokens',
  durationOf: operation =>
    operation === 'chat'
      ? 'gen_ai.client.inference.duration'
      : operation === 'embeddings'
        ? 'gen_ai.client.embeddings.duration'
        : 'gen_ai.client.operation.duration',
  firstChunkOf: () => 'gen_ai.client.inference.time_to_first_chunk',
  tokens: 'counters',
  toolDuration: 'gen_ai.execute_tool.duration',
  detailsEvent: 'gen_ai.client.inference.operation.details',
}

/**
 * `1.41`: the last release of the semantic conventions that has those for generative AI. `latest`: the state of
 * open-telemetry/semantic-conventions-genai, which has no release yet.
 */
export const conventions: Readonly<Record<Version, Conventions>> = { '1.41': released, latest }

/** `gen_ai.operation.name`. The conventions have no name for decisions and rerankings. */
export function operationOf(kind: CallKind): string {
  return kind === 'generation' ? 'chat' : kind === 'embedding' ? 'embeddings' : kind
}

/** In seconds, as the conventions say. */
export const durationBounds = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92] as const
export const tokenBounds = [1, 4, 16, 64, 256, 1_024, 4_096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304, 16_777_216, 67_108_864] as const
