import type { Host, Hosts } from './host.ts'
import { clouds } from './hosts/clouds.ts'
import { compatibility } from './hosts/compatibility.ts'
import { gateways } from './hosts/gateways.ts'
import { makers } from './hosts/makers.ts'
import { moreClouds } from './hosts/more-clouds.ts'
import { ownServers } from './hosts/own-servers.ts'

export type { Extension, Host, Unsupported } from './host.ts'

/** All known hosts, by name. */
export const hosts = { ...makers, ...compatibility, ...clouds, ...moreClouds, ...gateways, ...ownServers } as const satisfies Hosts

export type HostName = keyof typeof hosts

/** A host's URL, or a phrase that says which option is missing. */
export function addressOf(host: Host, baseUrl: string | undefined, account: string | undefined): { url: string } | { missing: string } {
  const url = baseUrl ?? host.baseUrl
  if (url === undefined) return { missing: 'needs the option baseUrl, because its host has no default address.' }
  if (!url.includes('{account}')) return { url }
  // A workspace's variable may hold a whole URL.
  const part = account?.replace(/^https?:\/\//, '').replace(/\/+$/, '')
  if (!part) return { missing: `needs the option account, ${host.account?.what ?? 'which its address names'}.` }
  return { url: url.replace('{account}', part) }
}
