import type { Hosts } from './host.ts'
import { clouds } from './hosts/clouds.ts'
import { compatibility } from './hosts/compatibility.ts'
import { gateways } from './hosts/gateways.ts'
import { makers } from './hosts/makers.ts'
import { moreClouds } from './hosts/more-clouds.ts'
import { ownServers } from './hosts/own-servers.ts'

export type { Host } from './host.ts'

/** All known hosts, by name. */
export const hosts = { ...makers, ...compatibility, ...clouds, ...moreClouds, ...gateways, ...ownServers } as const satisfies Hosts

export type HostName = keyof typeof hosts
