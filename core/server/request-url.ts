/** The URL of a request. Its `Host` header may name what no URL can have, such as a port above 65535: then the host is `localhost`. */
export function requestUrl({ url }: Pick<Request, 'url'>): URL {
  return URL.parse(url) ?? new URL(`http://localhost${url.replace(/^[a-z]+:\/\/[^/?#]*/i, '').replace(/^\/*/, '/')}`)
}
