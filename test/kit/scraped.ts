import type { TestGateway } from '../../core/testing/index.ts'

export interface Scraped {
  readonly status: number
  readonly contentType: string | null
  readonly text: string
  /** Values by series, such as `up{job="a"}`. */
  readonly series: ReadonlyMap<string, number>
}

/** Reads the metrics of a gateway on its admin listener. */
export async function scrape({ gateway }: Pick<TestGateway, 'gateway'>, headers: Readonly<Record<string, string>> = {}): Promise<Scraped> {
  const reply = await gateway.admin!.app.h3.request('/metrics', { headers })
  return await scrapedFrom(reply)
}

export async function scrapedFrom(reply: Response): Promise<Scraped> {
  const text = await reply.text()
  return { status: reply.status, contentType: reply.headers.get('content-type'), text, series: seriesIn(text) }
}

function seriesIn(text: string): ReadonlyMap<string, number> {
  const lines = text.split('\n').filter(line => line !== '' && !line.startsWith('#') && !line.startsWith('{'))
  return new Map(
    lines.map(line => {
      const space = line.lastIndexOf(' ')
      return [line.slice(0, space), Number(line.slice(space + 1))]
    }),
  )
}

/** The names of all metrics. */
export function namesIn({ text }: Pick<Scraped, 'text'>): ReadonlySet<string> {
  return new Set(Array.from(text.matchAll(/^# TYPE (\S+) /gm), ([, name]) => name!))
}
