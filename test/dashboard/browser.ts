import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { delimiter, join } from 'node:path'
import { chromium, type Browser, type Page } from 'playwright-core'

const executable = chromiumOnPath()

/** Why there can be no browser here; false if there can be one. Use it as `skip`. */
export const noBrowser: string | false =
  executable === undefined && 'needs Chromium: apt-get install chromium, or set CHROMIUM_PATH to another one'

/** A page that keeps what went wrong in it. */
export interface WatchedPage {
  readonly page: Page
  /** Errors and warnings of the console, uncaught errors, and requests that failed or went elsewhere. */
  readonly problems: string[]
}

export interface View {
  readonly colorScheme?: 'light' | 'dark'
  readonly width?: number
  readonly height?: number
}

export async function openBrowser(): Promise<Browser> {
  return await chromium.launch({ executablePath: executable!, args: ['--no-sandbox', '--disable-dev-shm-usage'] })
}

/** A page with cookies and a cache of its own. */
export async function openPage(browser: Browser, origin: string, view: View = {}): Promise<WatchedPage> {
  const { colorScheme = 'light', width = 1280, height = 900 } = view
  const context = await browser.newContext({ colorScheme, viewport: { width, height }, locale: 'en-US', timezoneId: 'Europe/Berlin' })
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const page = await context.newPage()
  page.setDefaultTimeout(15_000)
  const problems: string[] = []
  page.on('console', message => {
    if (['error', 'warning'].includes(message.type())) problems.push(`console: ${message.text()} ${message.location().url}`)
  })
  page.on('pageerror', error => problems.push(`uncaught: ${error.message}`))
  page.on('request', request => {
    if (!request.url().startsWith(origin) && !request.url().startsWith('data:')) problems.push(`loaded from elsewhere: ${request.url()}`)
  })
  return { page, problems }
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** What axe finds against WCAG 2.2 AA and best practices, one line each. The text goes in as the debugger's, which no policy forbids. */
export async function accessibilityProblems(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe)
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
