import { token, type Token } from '../foundation/token.ts'
import type { CheckedPlugin } from './checked-plugins.ts'

/** The name of the plugin that provides each service, for errors that are its fault. */
export type ServicePlugins = ReadonlyMap<Token<any>, string>
export const ServicePlugins = token<ServicePlugins>('service-plugins')

export function servicePlugins(plugins: readonly CheckedPlugin[]): ServicePlugins {
  return new Map(plugins.flatMap(({ name, provides }) => provides.map(service => [service, name] as const)))
}
