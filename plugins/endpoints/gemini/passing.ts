import type { Exchange } from '../../../core/index.ts'
import type { GatewayServices } from '../../../core/kit.ts'

/** What the operator has set. */
export interface Passing {
  /** Which tools callers may send to the vendor in its own words, by name. */
  readonly vendorTools: (name: string) => boolean
  /** The status of a request that every endpoint failed. */
  readonly failed: number
}

/** What a request depends on besides its body. */
export interface Circumstances extends Pick<Passing, 'vendorTools'> {
  readonly model: string
  readonly stream: boolean
  /** True if the costs of the caller have a limit. Then nothing passes whose price the gateway does not know. */
  readonly isCapped: boolean
  /** The types of tools that plugins add. */
  readonly toolTypes: ReadonlySet<string>
}

export function circumstancesOf(
  { caller }: Exchange,
  { toolTypes }: GatewayServices,
  { vendorTools }: Passing,
  model: string,
  stream: boolean,
): Circumstances {
  return { vendorTools, model, stream, toolTypes, isCapped: caller.spending !== undefined }
}
