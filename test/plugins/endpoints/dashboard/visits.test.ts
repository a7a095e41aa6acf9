import t from 'tap'
import { noBrowser, openBrowser, openPage } from './browser.ts'
import { playDemo } from './demo.ts'
import { addRecordsAt } from './demo-records.ts'
import { adminToken, openStage, signIn } from './stage.ts'

t.setTimeout(900_000)

t.test('what a visit keeps, and how it goes on', { skip: noBrowser }, async t => {
  const stage = await openStage()
  t.teardown(stage.stop)
  const browser = await openBrowser()
  t.teardown(() => browser.close())
  const { keyId } = await playDemo(stage, 100)
  const { page } = await openPage(browser, stage.adminUrl)
  const query = (): object => Object.fromEntries(new URL(page.url()).searchParams)
  await signIn(page, stage)

  await t.test('what is typed outlives a token of the same role', async t => {
    const token = async (name: string, role: string): Promise<{ readonly id: string; readonly token: string }> =>
      await stage.call('POST', '/admin-tokens', { name, role })
    const [old, next, lesser] = [await token('old', 'editor'), await token('next', 'editor'), await token('lesser', 'viewer')]
    await signIn(page, stage, old.token)
    await page.goto(`${stage.adminUrl}/keys?id=${keyId}`)
    await page.getByLabel('Cap').fill('61')
    const goOn = async (deleted: string, as: string): Promise<void> => {
      await stage.call('DELETE', `/admin-tokens/${deleted}`)
      await page.getByRole('button', { name: 'Save changes' }).click()
      await page.getByText('With another role or organization, you lose what you typed.').waitFor()
      await page.getByLabel('Admin token', { exact: true }).fill(as)
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.locator('.who').waitFor()
      await page.getByLabel('Cap').waitFor()
    }
    await goOn(old.id, next.token)
    t.equal(await page.getByLabel('Cap').inputValue(), '61')
    t.match(await page.locator('.who').innerText(), 'next')
    await goOn(next.id, lesser.token)
    t.equal(await page.getByLabel('Cap').inputValue(), '50', 'another role begins anew')
    await signIn(page, stage, adminToken)
  })

  await t.test('the navigation goes back to the range and the grouping', async t => {
    await page.goto(`${stage.adminUrl}/?org=acme`)
    await page.getByLabel('Time', { exact: true }).selectOption('7d')
    await page.getByLabel('Split by').selectOption('key')
    const link = (name: string) => page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name })
    await page.waitForURL(/by=key/)
    await link('Overview').click()
    await page.waitForURL(url => !url.search.includes('org='))
    t.same(query(), { range: '7d', by: 'key' })
    await link('Logs').click()
    await page.getByRole('heading', { level: 1, name: 'Logs' }).waitFor()
    await link('Overview').click()
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
    t.same(query(), { range: '7d', by: 'key' })
    t.equal(await page.getByLabel('Time', { exact: true }).inputValue(), '7d')
  })

  await t.test('what does not exist offers the way to what does', async t => {
    for (const [path, text, name, heading] of [
      ['accounts?level=xx&id=acme', 'The level “xx” does not exist', 'Show all organizations', 'Organizations'],
      ['accounts?level=org&id=nobody', 'nobody', 'Go to the list of organizations', 'Organizations'],
      ['accounts?level=team&id=nobody&org=acme', 'nobody', 'Go to the list of teams', 'Organizations'],
      ['keys?id=key_nobody', 'key_nobody', 'Go to the list of keys', 'Keys'],
    ] as const) {
      await page.goto(`${stage.adminUrl}/${path}`)
      await page.getByText(text).first().waitFor()
      t.equal(await page.getByRole('button', { name: 'Try again' }).count(), 0)
      await page.getByRole('link', { name, exact: true }).click()
      await page.getByRole('heading', { level: 1, name: heading, exact: true }).waitFor()
      await page.locator('tbody .row-link').first().waitFor()
    }
  })

  await t.test('a stream that failed is called that', async t => {
    const key = { id: keyId, org: 'acme', team: 'support' }
    const at = Date.now() - 1_000
    await addRecordsAt(stage.database, key, [at], { status: 200, stream: true, errorCode: 'provider_timeout' })
    await page.goto(`${stage.adminUrl}/logs?record=req_at0_${at}`)
    const stat = page.locator('.stat', { hasText: 'Status' })
    await stat.getByText('200 Stream failed').waitFor()
    t.match(await stat.innerText(), 'provider_timeout')
    t.equal(await stat.locator('.bad').count(), 1)
    await page.goto(`${stage.adminUrl}/logs`)
    await page.locator('tbody').getByText('Stream failed').waitFor()
  })

  await t.test('the icon is where browsers look for it', async t => {
    const reply = await fetch(`${stage.adminUrl}/favicon.ico`)
    t.equal(reply.status, 200)
    t.equal(reply.headers.get('content-type'), 'image/svg+xml')
    await reply.text()
  })
})
