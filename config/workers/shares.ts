/**
 * Who accepts from which socket. Each socket belongs to one of the workers, by its number. Those of workers that are away are spread over
 * the others.
 */
export function sharesOf(sockets: readonly number[], workers: number, present: readonly number[]): ReadonlyMap<number, readonly number[]> {
  const shares = new Map<number, number[]>(present.map(worker => [worker, []]))
  if (present.length === 0) return shares
  // One socket, where ports cannot be shared: everybody accepts from it.
  if (sockets.length === 1) return new Map(present.map(worker => [worker, sockets]))
  let orphans = 0
  for (const socket of sockets) {
    const owner = (socket % workers) + 1
    const worker = shares.has(owner) ? owner : present[orphans++ % present.length]!
    shares.get(worker)!.push(socket)
  }
  return shares
}
