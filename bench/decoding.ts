import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Wire } from './streamed-reply.ts'

const probe = fileURLToPath(new URL('decoding-process.ts', import.meta.url))

/** Microseconds of CPU per event, by dialect and events per chunk, one value per round. Each is measured in a separate process. */
export function decodingTimes(
  wires: readonly Wire[],
  deltas: number,
  rounds: number,
): ReadonlyMap<Wire, ReadonlyMap<number, readonly number[]>> {
  const times = new Map(wires.map(wire => [wire, new Map<number, number[]>()] as const))
  for (let round = 0; round < rounds; round++)
    for (const wire of wires)
      for (const events of [1, 8]) {
        const found = Number(execFileSync(process.execPath, [probe, wire, `${deltas}`, `${events}`], { encoding: 'utf8' }))
        const ofWire = times.get(wire)!
        ofWire.set(events, [...(ofWire.get(events) ?? []), found])
      }
  return times
}
