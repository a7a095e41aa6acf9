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

/** True passes everything, false nothing, a list what it names. An entry may end in `*`. */
export function allowedBy(option: boolean | readonly string[]): (name: string) => boolean {
  if (typeof option === 'boolean') return () => option
  return name => option.some(entry => (entry.endsWith('*') ? name.startsWith(entry.slice(0, -1)) : name === entry))
}
