/** Slices of 2 ms: nothing else waits longer than 20 ms. */
const slicesInTurn = 8

const waiting: (() => void)[] = []
let isWaiting = false
let slicesLeft = 0

/**
 * Await this before each slice of long work, of about 2 ms. All such work shares a few slices per turn of the event loop, so that sixty
 * large requests hold it up no longer than one does. Undefined while slices are left.
 */
export function nextTurn(): Promise<void> | undefined {
  if (slicesLeft > 0) {
    slicesLeft--
    return undefined
  }
  const { promise, resolve } = Promise.withResolvers<void>()
  waiting.push(resolve)
  if (!isWaiting) {
    isWaiting = true
    setImmediate(turn)
  }
  return promise
}

/** The one that has waited longest continues, with all slices. The others come in the next turns. */
function turn(): void {
  slicesLeft = slicesInTurn - 1
  waiting.shift()!()
  if (waiting.length > 0) setImmediate(turn)
  else isWaiting = false
}
