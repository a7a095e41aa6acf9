import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { delimiter, join } from 'node:path'
import { chromium, type Browser, type Page, type Request } from 'playwright-core'

/** For what a machine without load does in a second. */
const patienceMs = 60_000
const executable = chromiumOnPath()

/** Why there can be no browser here; false if there can be one. Use it as `skip`. */
export const noBrowser: string | false =
  executable === undefined && 'needs Chromium: apt-get install chromium, or set CHROMIUM_PATH to another one'

/** A page that keeps what went wrong in it. */
export interface WatchedPage {
  readonly page: Page
  /** Errors and warnings of the console, uncaught errors, and requests that failed or went elsewhere. */
  readonly problems: string[]
  /** Resolves when the page shows everything that it reads: nothing loads any more, and nothing is asked of the gateway. */
  settled(): Promise<void>
}

export interface View {
  readonly colorScheme?: 'light' | 'dark'
  readonly width?: number
  readonly height?: number
  readonly timezoneId?: string
  readonly locale?: string
}

export async function openBrowser(): Promise<Browser> {
  const args = ['--no-sandbox', '--disable-dev-shm-usage']
  return await chromium.launch({ executablePath: executable!, args, timeout: patienceMs })
}

/** A page with its own cookies and cache. */
export async function openPage(browser: Browser, origin: string, view: View = {}): Promise<WatchedPage> {
  const { colorScheme = 'light', width = 1280, height = 900, timezoneId = 'Europe/Berlin', locale = 'en-US' } = view
  const context = await browser.newContext({ colorScheme, viewport: { width, height }, locale, timezoneId })
  context.setDefaultTimeout(patienceMs)
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const page = await context.newPage()
  const problems: string[] = []
  page.on('console', message => {
    if (['error', 'warning'].includes(message.type())) problems.push(`console: ${message.text()} ${message.location().url}`)
  })
  page.on('pageerror', error => problems.push(`uncaught: ${error.message}`))
  page.on('request', request => {
    if (!request.url().startsWith(origin) && !request.url().startsWith('data:')) problems.push(`loaded from elsewhere: ${request.url()}`)
  })
  return { page, problems, settled: settling(page) }
}

function settling(page: Page): () => Promise<void> {
  const open = new Set<Request>()
  let begun = 0
  page.on('request', request => {
    // Only what is read: the browser does not finish a request whose answer nobody looks at.
    if (request.resourceType() !== 'fetch' || request.method() !== 'GET') return
    open.add(request)
    begun++
  })
  page.on('requestfinished', request => open.delete(request))
  page.on('requestfailed', request => open.delete(request))
  return async () => {
    const limit = Date.now() + patienceMs
    for (;;) {
      const before = begun
      await page.locator('.loading').first().waitFor({ state: 'detached' })
      // Effects, which send requests, run after the next paint.
      await page.evaluate('new Promise(resolve => requestAnimationFrame(() => setTimeout(resolve)))')
      if (open.size === 0 && begun === before) return
      if (Date.now() > limit) throw new Error(`the page still waits for ${Array.from(open, request => request.url()).join(' and ')}`)
    }
  }
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** The problems that axe finds under WCAG 2.2 AA and best practices, one per line. The debugger injects axe, which no policy forbids. */
export async function accessibilityProblems(page: Page): Promise<readonly string[]> {
  if ((await page.evaluate('typeof axe')) === 'undefined') await page.evaluate(axe)
  return await page.evaluate(async () => {
    const { violations } = await (globalThis as any).axe.run()
    return violations.flatMap((violation: any) =>
      violation.nodes.map((node: any) => `${violation.id}: ${node.target.join(' ')}: ${node.failureSummary.replaceAll('\n', ' ')}`),
    )
  })
}

function chromiumOnPath(): string | undefined {
  const { CHROMIUM_PATH, PATH = '' } = process.env
  if (CHROMIUM_PATH) return CHROMIUM_PATH
  const names = ['chromium', 'chromium-browser']
  return PATH.split(delimiter)
    .flatMap(folder => names.map(name => join(folder, name)))
    .find(file => existsSync(file))
}
