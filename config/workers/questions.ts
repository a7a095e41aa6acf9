import type { Report } from './messages.ts'
import type { Slot } from './slot.ts'
import type { WorkerProcess } from './worker-process.ts'

/** Passes a worker's question on to all others. Those that give no sign of life, or are about to start, are not asked. */
export function passOn(asker: WorkerProcess, { id, name }: Extract<Report, { kind: 'ask' }>, slots: readonly Slot[]): void {
  const others = slots.map(({ worker }) => worker).filter(worker => worker !== asker)
  const present = others.filter(worker => worker !== undefined && !worker.isSilent)
  asker.send({ kind: 'passed', id, asked: present.length, away: others.length - present.length })
  for (const worker of present) worker!.send({ kind: 'asked', asker: asker.pid!, id, name })
}

/** Passes a worker's answer back to the one that asked. */
export function passBack(
  { number }: WorkerProcess,
  { asker, id, text }: Extract<Report, { kind: 'answer' }>,
  living: Iterable<WorkerProcess>,
): void {
  for (const worker of living) if (worker.pid === asker) worker.send({ kind: 'answered', id, worker: number, text })
}
