import type { Page } from 'playwright-core'
import t from 'tap'
import { noBrowser, openBrowser, openPage } from './browser.ts'
import { playDemo } from './demo.ts'
import { addRecordsAt } from './demo-records.ts'
import { openStage, signIn } from './stage.ts'

t.setTimeout(900_000)

t.test('nothing is clipped on a phone', { skip: noBrowser }, async t => {
  const stage = await openStage({ OPENAI_API_KEY: 'sk-demo', ANTHROPIC_API_KEY: 'sk-demo' })
  t.teardown(stage.stop)
  const browser = await openBrowser()
  t.teardown(() => browser.close())
  const { keyId, responseId } = await playDemo(stage, 500)
  const dear = {
    model: 'accounts/example-vendor/models/a-model-with-a-rather-long-name-405b-instruct',
    costUsd: 1_234_567.891,
    elapsedMs: 583_456,
  }
  const cheap = { costUsd: 0.000_000_001_23, errorCode: 'provider_error', status: 502 }
  await addRecordsAt(stage.database, { id: keyId, org: 'acme', team: 'support' }, [Date.now() - 60_000, Date.now() - 90_000], dear)
  await addRecordsAt(stage.database, { id: keyId, org: 'globex', team: 'apps' }, [Date.now() - 61_000], { ...dear, ...cheap })
  const dearId = (await stage.call('GET', '/records?min_cost_usd=1000&limit=1')).data[0].id as string
  const pages = [
    '',
    '?range=1h&by=model',
    '?range=90d&by=key',
    '?by=org',
    'logs',
    'logs?status=error',
    `logs?record=${responseId}`,
    `logs?record=${dearId}`,
    'logs?record=req_nobody',
    'logs?sort=cost_usd&min_cost_usd=1',
    'alerts',
    'keys',
    `keys?id=${keyId}`,
    'keys?new=true',
    'accounts',
    'accounts?level=team',
    'accounts?level=org&id=acme',
    'accounts?level=org&id=acme&tab=teams',
    'accounts?level=org&id=acme&tab=use',
    'models',
    'models?search=claude',
    'models?model=echo',
    'models?model=auto',
    'providers',
    'playground',
    'settings',
    'settings?tab=plugins',
    'settings?tab=audit',
    'settings?tab=tokens',
  ]
  for (const locale of ['en-US', 'de-DE']) {
    const { page, settled } = await openPage(browser, stage.adminUrl, { width: 390, height: 844, locale })
    await signIn(page, stage)
    for (const path of pages) {
      await page.goto(`${stage.adminUrl}/${path}`)
      await page.getByRole('heading', { level: 1 }).waitFor()
      await settled()
      t.same(await clipped(page), [], `/${path} in ${locale}`)
    }
    await page.context().close()
  }
})

/** Elements whose right edge is beyond their card or the window, or whose text does not fit into them. */
async function clipped(page: Page): Promise<readonly string[]> {
  return await page.evaluate(() => {
    const { document, innerWidth, getComputedStyle } = globalThis as any
    const found: string[] = []
    const nameOf = (element: any): string =>
      `${element.tagName.toLowerCase()}.${String(element.className)} "${(element.textContent as string).trim().slice(0, 40)}"`
    for (const element of document.querySelectorAll('main *')) {
      const { right, width, height } = element.getBoundingClientRect()
      if (width === 0 || height === 0 || element.closest('.hidden, .uplot, svg, option, .tab-list')) continue
      const card = element.parentElement.closest('.panel, .stat, .table-frame, .notice')
      const edge = Math.min(innerWidth, card ? card.getBoundingClientRect().right : innerWidth)
      if (right > edge + 0.5) found.push(`${Math.round(right - edge)} px: ${nameOf(element)}`)
      const { overflowX, position } = getComputedStyle(element)
      if (
        overflowX !== 'visible' &&
        position !== 'absolute' &&
        element.scrollWidth > element.clientWidth + 1 &&
        element.tagName !== 'INPUT'
      )
        found.push(`${element.scrollWidth - element.clientWidth} px inside: ${nameOf(element)}`)
    }
    return found.slice(0, 8)
  })
}
