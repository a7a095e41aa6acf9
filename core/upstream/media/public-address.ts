import { BlockList, isIP } from 'node:net'

/** True if an address is on the public internet: not this machine, a private network, or a cloud's metadata service. */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address)
  if (family === 4) return !reserved4.check(address, 'ipv4')
  return family === 6 && !reserved6.check(address, 'ipv6')
}

// IANA, "IPv4 Special-Purpose Address Registry" and "IPv6 Special-Purpose Address Registry", and multicast.
// Two lists, because a single one would also compare IPv4 addresses with IPv6 networks.
const reserved4 = new BlockList()
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const)
  reserved4.addSubnet(network, prefix, 'ipv4')

// Only 2000::/3 is assigned; IPv4-mapped addresses are outside it. Inside it, tunnels and documentation networks are excluded.
const reserved6 = new BlockList()
for (const [network, prefix] of [
  ['::', 3],
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
  ['4000::', 2],
  ['8000::', 1],
] as const)
  reserved6.addSubnet(network, prefix, 'ipv6')
