import { extname } from 'node:path'
import { Worker, type WorkerOptions } from 'node:worker_threads'

/**
 * Starts a thread for work that would hold up the event loop. `module` stands beside the caller, whose `import.meta.url` comes first,
 * and is named without its extension: the sources are `.ts`, what is published is `.js`. Nothing of the process reaches the thread,
 * neither the environment with its secrets nor the terminal. To listen to it keeps the process alive: call `unref()` after that.
 */
export function startWorker(beside: string, module: string, options: WorkerOptions = {}): Worker {
  return new Worker(new URL(`${module}${extname(beside)}`, beside), { ...sealedOff, ...options })
}

const sealedOff: WorkerOptions = { env: {}, argv: [], execArgv: [], stdout: true, stderr: true }
