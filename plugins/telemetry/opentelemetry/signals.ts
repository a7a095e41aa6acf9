export const signals = ['traces', 'metrics', 'logs'] as const
export type Signal = (typeof signals)[number]
