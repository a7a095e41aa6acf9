import type { Compactor } from '../../contracts/compactor.ts'

/** Stands for the service where no plugin provides it: only vendors compact. */
export const noCompactor: Compactor = {
  isPortable: false,
  maxSummaryTokens: 0,
  maxKeptTokens: 0,
  maxParts: 0,
  question: () => '',
}
