import { extname } from 'node:path'
import { Worker, type WorkerOptions } from 'node:worker_threads'

/**
 * Starts a thread for work that would hold up the event loop. `module` stands beside the caller, whose `import.meta.url` comes first,
 * and is named without its extension: the sources are `.ts`, what is published is `.js`. The thread alone keeps no process alive, and
 * nothing of the process reaches it: neither the environment with its secrets nor the terminal.
 */
export function startWorker(beside: string, module: string, options: WorkerOptions = {}): Worker {
  const worker = new Worker(new URL(`${module}${extname(beside)}`, beside), { ...sealedOff, ...options })
  worker.unref()
  return worker
}

const sealedOff: WorkerOptions = { env: {}, argv: [], execArgv: [], stdout: true, stderr: true }
