import { extname } from 'node:path'
import { Worker, type WorkerOptions } from 'node:worker_threads'

/**
 * Starts a thread for work that would hold up the event loop. `module` stands beside the caller, whose `import.meta.url` comes first,
 * and is named without its extension: the sources are `.ts`, what is published is `.js`. The thread alone keeps no process alive.
 */
export function startWorker(beside: string, module: string, options: WorkerOptions = {}): Worker {
  const worker = new Worker(new URL(`${module}${extname(beside)}`, beside), { execArgv: [], ...options })
  worker.unref()
  return worker
}
