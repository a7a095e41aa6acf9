import type { PluginUse } from '../core/index.ts'
import { signals, type Signal } from '../plugins/telemetry/opentelemetry/signals.ts'
import { optionalEnv } from './env.ts'

type Plugin = (typeof import('../plugins/telemetry/opentelemetry/index.ts'))['default']
type Options = Parameters<Plugin>[0]

/** The plugin as the standard variables of OpenTelemetry describe it. False unless OTEL_EXPORTER_OTLP_ENDPOINT is set. */
export function openTelemetry(): Promise<PluginUse> | false {
  const endpoint = optionalEnv('OTEL_EXPORTER_OTLP_ENDPOINT')
  if (endpoint === undefined || optionalEnv('OTEL_SDK_DISABLED')?.toLowerCase() === 'true') return false
  const wanted = signals.filter(signal => (optionalEnv(`OTEL_${signal.toUpperCase()}_EXPORTER`) ?? 'otlp').split(',').includes('otlp'))
  if (wanted.length === 0) return false
  const options = optionsOf(endpoint, wanted)
  return import('../plugins/telemetry/opentelemetry/index.ts').then(({ default: plugin }) => plugin(options))
}

function optionsOf(endpoint: string, wanted: readonly Signal[]): Options {
  checkProtocol()
  const { attributes, named } = resourceOf()
  const timeoutMs = numberOf('OTEL_EXPORTER_OTLP_TIMEOUT')
  const delayMs = numberOf('OTEL_BSP_SCHEDULE_DELAY')
  const metricIntervalMs = numberOf('OTEL_METRIC_EXPORT_INTERVAL')
  const compression = oneOf('OTEL_EXPORTER_OTLP_COMPRESSION', ['gzip', 'none'] as const)
  const serviceName = optionalEnv('OTEL_SERVICE_NAME') ?? named
  const headers = pairsOf('OTEL_EXPORTER_OTLP_HEADERS')
  const propagators = optionalEnv('OTEL_PROPAGATORS')
  const sampling = samplingOf()
  return {
    endpoint,
    signals: [...wanted],
    urls: ofSignals(signal => optionalEnv(`OTEL_EXPORTER_OTLP_${signal.toUpperCase()}_ENDPOINT`)),
    signalHeaders: ofSignals(signal => pairsOf(`OTEL_EXPORTER_OTLP_${signal.toUpperCase()}_HEADERS`)),
    ...(headers && { headers }),
    ...(serviceName !== undefined && { serviceName }),
    resource: attributes,
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(delayMs !== undefined && { delayMs }),
    ...(metricIntervalMs !== undefined && { metricIntervalMs }),
    ...(compression && { compression }),
    ...(sampling && { sampling }),
    ...(propagators !== undefined && { propagate: propagators.split(',').some(each => each.trim() === 'tracecontext') }),
    ...(optionalEnv('OTEL_SEMCONV_STABILITY_OPT_IN')?.includes('gen_ai_latest_experimental') && { conventions: 'latest' as const }),
  }
}

function resourceOf(): { readonly attributes: Record<string, string>; readonly named: string | undefined } {
  const attributes = { ...pairsOf('OTEL_RESOURCE_ATTRIBUTES') }
  const named = attributes['service.name']
  delete attributes['service.name']
  return { attributes, named }
}

function checkProtocol(): void {
  for (const variable of ['OTEL_EXPORTER_OTLP_PROTOCOL', ...signals.map(signal => `OTEL_EXPORTER_OTLP_${signal.toUpperCase()}_PROTOCOL`)]) {
    const protocol = optionalEnv(variable)
    if (protocol === undefined || protocol === 'http/protobuf' || protocol === 'http/json') continue
    throw new Error(
      `${variable} is ${JSON.stringify(protocol)}, but the gateway sends http/protobuf only. Set it to http/protobuf and OTEL_EXPORTER_OTLP_ENDPOINT to the collector's port for HTTP, often 4318, or write defaults({ without: ['opentelemetry'] }).`,
    )
  }
}

function ofSignals<T>(read: (signal: Signal) => T | undefined): Partial<Record<Signal, T>> {
  const found: Partial<Record<Signal, T>> = {}
  for (const signal of signals) {
    const value = read(signal)
    if (value !== undefined) found[signal] = value
  }
  return found
}

/** `key=value` pairs with commas between them, percent-encoded. */
function pairsOf(variable: string): Record<string, string> | undefined {
  const text = optionalEnv(variable)
  if (text === undefined) return undefined
  const pairs: Record<string, string> = {}
  for (const pair of text.split(',')) {
    if (pair.trim() === '') continue
    const at = pair.indexOf('=')
    const name = pair.slice(0, at).trim()
    if (at < 1 || name === '')
      throw new Error(`${variable} must be pairs such as key=value with commas between them, but has one without a key or without "=".`)
    pairs[decoded(name)] = decoded(pair.slice(at + 1).trim())
  }
  return pairs
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function numberOf(variable: string): number | undefined {
  const text = optionalEnv(variable)
  if (text === undefined) return undefined
  const value = Number(text)
  if (Number.isInteger(value) && value > 0) return value
  throw new Error(`${variable} must be a whole number of milliseconds from 1, but is ${JSON.stringify(text)}.`)
}

function oneOf<const T extends string>(variable: string, values: readonly T[]): T | undefined {
  const text = optionalEnv(variable)
  if (text === undefined) return undefined
  const found = values.find(value => value === text)
  if (found !== undefined) return found
  throw new Error(`${variable} must be one of ${values.join(', ')}, but is ${JSON.stringify(text)}.`)
}

function samplingOf(): { readonly ratio: number; readonly parent: boolean } | undefined {
  const samplers = [
    'always_on',
    'always_off',
    'traceidratio',
    'parentbased_always_on',
    'parentbased_always_off',
    'parentbased_traceidratio',
  ] as const
  const sampler = oneOf('OTEL_TRACES_SAMPLER', samplers)
  if (sampler === undefined) return undefined
  const parent = sampler.startsWith('parentbased_')
  if (sampler.endsWith('always_on')) return { ratio: 1, parent }
  if (sampler.endsWith('always_off')) return { ratio: 0, parent }
  const text = optionalEnv('OTEL_TRACES_SAMPLER_ARG') ?? '1'
  const ratio = Number(text)
  if (ratio >= 0 && ratio <= 1) return { ratio, parent }
  throw new Error(`OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1, but is ${JSON.stringify(text)}.`)
}
