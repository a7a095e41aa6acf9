import { isIP } from 'node:net'

/** Formats of the `server` section, and the words for a value that is not of that format: "must be …". */
export const serverFormats = {
  'listen-address': {
    expected: 'an IP address or a host name, such as 127.0.0.1, :: or localhost (IPv6 without brackets)',
    // listhen would listen on localhost instead of an address with any other character.
    accepts: /^[0-9A-Za-z.:-]{1,63}$/,
  },
  'host-name': {
    expected: 'a host name or an IP address without a scheme, a port or a path, such as gateway.example.com',
    accepts: (text: string): boolean => isIP(text) !== 0 || /^[0-9A-Za-z_-]{1,63}(?:\.[0-9A-Za-z_-]{1,63}){0,20}$/.test(text),
  },
  network: {
    expected: 'an IP address or a network, such as 192.0.2.1 or 10.0.0.0/8',
    accepts: isNetwork,
  },
  'cors-origin': {
    expected:
      '"*" or an exact origin: scheme, host and port in lower case, such as https://app.example.com or http://localhost:3000, without a path, a trailing slash or wildcards',
    accepts: isOrigin,
  },
} as const

/** Browsers send the canonical form, and origins are compared as text. Only http and https have one that `URL` knows. */
function isOrigin(text: string): boolean {
  if (text === '*') return true
  if (!/^[a-z][a-z0-9+.-]*:\/\/[^/\s*]+$/.test(text)) return false
  return !/^https?:/.test(text) || (URL.canParse(text) && new URL(text).origin === text)
}

function isNetwork(text: string): boolean {
  const [address = '', prefix, ...rest] = text.split('/')
  const longest = { 0: -1, 4: 32, 6: 128 }[isIP(address)]!
  return longest > 0 && rest.length === 0 && (prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= longest))
}
