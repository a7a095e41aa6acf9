/** Calls to the admin API of one gateway. Throws if it refuses. */
export class Admin {
  readonly #url: string
  readonly #token: string

  constructor(url: string, token: string) {
    this.#url = url
    this.#token = token
  }

  async ask(method: string, path: string, body?: object): Promise<any> {
    const reply = await fetch(`${this.#url}/admin/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${this.#token}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await reply.text()
    if (!reply.ok) throw new Error(`${method} ${path}: ${reply.status} ${text}`)
    return text === '' ? undefined : JSON.parse(text)
  }

  /** Returns the secret of a new key. */
  async key(settings: object): Promise<string> {
    return (await this.ask('POST', '/keys', { name: 'load', ...settings })).key
  }

  /** All records of an organization. */
  async records(org: string): Promise<readonly any[]> {
    const records = []
    let cursor = ''
    do {
      const page = await this.ask('GET', `/records?org=${org}&limit=100${cursor && `&cursor=${cursor}`}`)
      records.push(...page.data)
      cursor = page.next_cursor
    } while (cursor)
    return records
  }
}
