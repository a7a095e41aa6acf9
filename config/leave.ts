/** Ends the process with the exit code that was set, even if a plugin left a timer or a server open. Waits until everything is written. */
export async function leave(): Promise<never> {
  for (const stream of [process.stdout, process.stderr]) if (stream.writable) await new Promise(resolve => stream.write('', resolve))
  process.exit()
}
