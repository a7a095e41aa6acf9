import type { Test } from 'tap'
import opentelemetry from '../../../plugins/telemetry/opentelemetry/index.ts'
import { gateway, type GatewayUnderTest } from '../../kit/gateway.ts'
import { collector, type Answer, type Collector } from './collector.ts'

export type TelemetryOptions = Partial<Parameters<typeof opentelemetry>[0]>

export interface TelemetryStage {
  readonly under: GatewayUnderTest
  readonly collector: Collector
  /** Stops the gateway, which sends the last of its telemetry. */
  finish(): Promise<void>
}

/** A gateway that sends its telemetry to a collector. */
export async function telemetryStage(
  t: Test,
  options: TelemetryOptions = {},
  more: Parameters<typeof gateway>[0] = {},
  answer?: Answer,
): Promise<TelemetryStage> {
  const collecting = await collector(t, answer)
  const plugin = opentelemetry({ endpoint: collecting.url, ...options })
  const under = await gateway({ ...more, plugins: [...(more.plugins ?? []), plugin] })
  let stopping: Promise<void> | undefined
  const finish = (): Promise<void> => (stopping ??= under.stop())
  t.teardown(finish)
  return { under, collector: collecting, finish }
}
