import type { UpstreamRequest } from '../contracts/adapter.ts'
import type { JsonObject } from '../foundation/json.ts'

/** Members that are undefined are left out. */
export function postJson(baseUrl: string, path: string, body: JsonObject, headers: Readonly<Record<string, string>> = {}): UpstreamRequest {
  return {
    method: 'POST',
    url: addressOf(baseUrl, path),
    headers: { 'content-type': 'application/json', accept: 'application/json', ...headers },
    body: JSON.stringify(body),
  }
}

/** Parameters that are undefined are left out. */
export function getWith(
  baseUrl: string,
  path: string,
  parameters: Parameters,
  headers: Readonly<Record<string, string>> = {},
): UpstreamRequest {
  return { method: 'GET', url: addressOf(baseUrl, path), query: encoded(parameters), headers: { accept: 'application/json', ...headers } }
}

/** Parameters that are undefined are left out. */
export function postForm(baseUrl: string, path: string, parameters: Parameters): UpstreamRequest {
  return {
    method: 'POST',
    url: addressOf(baseUrl, path),
    headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
    body: encoded(parameters),
  }
}

type Parameters = Readonly<Record<string, string | number | undefined>>

function encoded(parameters: Parameters): string {
  const given = Object.entries(parameters).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, String(value)]],
  )
  return new URLSearchParams(given).toString()
}

/** Keeps the parameters of the base URL, such as those for a proxy. */
function addressOf(baseUrl: string, path: string): string {
  const url = new URL(baseUrl)
  url.pathname = url.pathname.replace(/\/+$/, '') + path
  return url.href
}
