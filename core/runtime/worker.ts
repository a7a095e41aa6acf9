import { extname } from 'node:path'
import { Worker, type WorkerOptions } from 'node:worker_threads'

/**
 * Starts a thread for work that would block the event loop. `beside` is the caller's `import.meta.url`, and `module` a file in the same
 * folder without its extension, which is `.ts` in the sources and `.js` when published. The thread gets neither the environment, which
 * contains secrets, nor the terminal. Listening to the worker keeps the process alive: call `unref()` afterwards.
 */
export function startWorker(beside: string, module: string, options: WorkerOptions = {}): Worker {
  return new Worker(new URL(`${module}${extname(beside)}`, beside), { ...sealedOff, ...options })
}

const sealedOff: WorkerOptions = { env: {}, argv: [], execArgv: [], stdout: true, stderr: true }
