import type { Page } from 'playwright-core'
import t from 'tap'
import { noBrowser, openBrowser, openPage } from './browser.ts'
import { playDemo } from './demo.ts'
import { openStage, signIn } from './stage.ts'

t.setTimeout(900_000)

const broken = { status: 503, json: { error: { message: 'The store does not answer.', code: 'x', param: null } } }

t.test('what fails is said where it fails', { skip: noBrowser }, async t => {
  const stage = await openStage()
  t.teardown(stage.stop)
  const browser = await openBrowser()
  t.teardown(() => browser.close())
  await playDemo(stage, 500)
  await stage.call('POST', '/orgs', { id: 'initech', name: 'Initech' })
  const open = async (): Promise<{ readonly page: Page; settled(): Promise<void> }> => {
    const { page, settled } = await openPage(browser, stage.adminUrl)
    t.teardown(() => page.context().close())
    await signIn(page, stage)
    return { page, settled }
  }

  await t.test('of a page whose other parts work', async t => {
    for (const [path, route, title, rest] of [
      ['models', 'metrics/*', 'Uptime and p50 could not be loaded.', 'tbody .row-link'],
      ['models?model=echo', 'metrics/*', 'The measurements could not be loaded.', 'tbody tr'],
      ['providers', 'metrics/*', 'The measurements could not be loaded.', '.cards > *'],
      ['playground', 'models*', 'The list of models could not be loaded.', 'text=Send'],
      ['logs', 'keys*', 'The names of the keys could not be loaded.', 'tbody .row-link'],
      ['?by=key', 'keys*', 'The names of the keys could not be loaded.', '.charts'],
      ['accounts', 'usage*', 'The spending could not be loaded.', 'tbody .row-link'],
      ['accounts?level=team', 'usage*', 'The spending could not be loaded.', 'tbody .row-link'],
      ['accounts?level=org&id=initech', 'usage*', 'The spending could not be loaded.', 'text=in the last 30 days'],
      ['accounts?level=org&id=acme&tab=use', 'usage*', 'The store does not answer.', '.stats'],
    ] as const) {
      const { page, settled } = await open()
      await page.route(`**/admin/v1/${route}`, each => each.fulfill(broken))
      await page.goto(`${stage.adminUrl}/${path}`)
      const alert = page.getByRole('alert')
      await alert.filter({ hasText: title }).filter({ hasText: 'The store does not answer.' }).waitFor()
      await page.locator(rest).first().waitFor()
      await settled()
      t.equal(await alert.count(), 1, `${path} says it once`)
      await page.unrouteAll()
      await alert.getByRole('button', { name: 'Try again' }).click()
      await alert.waitFor({ state: 'detached' })
      await page.locator(rest).first().waitFor()
      await page.context().close()
    }
  })

  await t.test('and an answer of a proxy is called one', async t => {
    for (const status of [200, 502]) {
      const { page } = await open()
      const fulfill = { status, contentType: 'text/html', body: '<!doctype html><title>Please wait</title>' }
      await page.route('**/admin/v1/usage*', route => route.fulfill(fulfill))
      await page.goto(stage.adminUrl)
      const text = await page.getByRole('alert').first().innerText()
      t.match(text, `not from the gateway's admin API: expected JSON, but got text/html with the status ${status}.`)
      t.match(text, 'A proxy may be in between.')
      t.notMatch(text, 'SyntaxError')
      await page.route('**/session', route => route.fulfill(fulfill))
      await page.reload()
      await page.getByText("not from the gateway's admin API").waitFor()
      await page.context().close()
    }
  })
})
