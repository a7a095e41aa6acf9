import { isFromTerminal } from './terminal.ts'

/** One stop can arrive as two signals: npm passes on what a terminal or a supervisor sends to the whole process group anyway. */
const sameSignalMs = 250

interface SignalHandlers {
  /** `announces`: load balancers should hear of it first. No load balancer knows a gateway that somebody tries out in a terminal. */
  stop(signal: string, announces: boolean): void
  reload(signal: string): void
}

const reloadSignals = isFromTerminal() ? (['SIGUSR2'] as const) : (['SIGHUP', 'SIGUSR2'] as const)
let held: string | undefined

function hold(signal: string): void {
  held = signal
}

/** Until `onSignals`, keeps signals to reload. They would end the process, and service managers would take that for a clean exit. */
export function holdReloads(): void {
  for (const signal of reloadSignals) process.on(signal, hold)
}

/** Calls these from now on. SIGHUP means that the terminal has closed, where there is one. Elsewhere it reloads, as SIGUSR2 does everywhere. */
export function onSignals({ stop, reload }: SignalHandlers): void {
  const isInTerminal = isFromTerminal()
  let lastMs = Number.NEGATIVE_INFINITY
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    process.on(signal, () => {
      const nowMs = performance.now()
      const isAnother = nowMs - lastMs >= sameSignalMs
      lastMs = nowMs
      if (isAnother) stop(signal, !isInTerminal)
    })
  process.on('SIGHUP', () => (isInTerminal ? stop('SIGHUP', false) : reload('SIGHUP')))
  process.on('SIGUSR2', () => reload('SIGUSR2'))
  for (const signal of reloadSignals) process.off(signal, hold)
  if (held !== undefined) reload(held)
}
