import type { Page } from 'playwright-core'
import t from 'tap'
import { noBrowser, openBrowser, openPage } from './browser.ts'
import { playDemo } from './demo.ts'
import { adminToken, openStage, signIn } from './stage.ts'

t.setTimeout(900_000)

t.test('what people do on the pages', { skip: noBrowser }, async t => {
  const stage = await openStage({ OPENAI_API_KEY: 'sk-demo' })
  t.teardown(stage.stop)
  const browser = await openBrowser()
  t.teardown(() => browser.close())
  const { key, keyId, responseId } = await playDemo(stage, 500)
  const open = async (path: string, token = adminToken) => {
    const opened = await openPage(browser, stage.adminUrl)
    t.teardown(() => opened.page.context().close())
    await signIn(opened.page, stage, token)
    await opened.page.goto(`${stage.adminUrl}/${path}`)
    await opened.page.getByRole('heading', { level: 1 }).waitFor()
    return opened
  }

  await t.test('a search finds while somebody types, and a click opens what was found', async () => {
    const { page } = await open('models')
    await page.locator('tbody .row-link').first().waitFor()
    await page.getByLabel('Name or provider').pressSequentially('sandbox/reas')
    await page.locator('tbody .row-link').first().click()
    await page.getByRole('heading', { level: 1, name: 'reasoning' }).waitFor()
    await page.goto(`${stage.adminUrl}/logs`)
    await page.getByText('Next page').waitFor()
    await page.getByLabel('Id', { exact: true }).pressSequentially(responseId)
    await page.locator('tbody .row-link').first().click()
    await page.getByText('2 attempts').waitFor()
    await page.locator('.above').click()
    await page.waitForURL(/\/logs\?id=resp_\w+$/)
    await page.goto(`${stage.adminUrl}/keys`)
    await page.getByLabel('Organization').pressSequentially('globex')
    await page.locator('tbody .row-link').first().click()
    await page.getByRole('heading', { level: 1, name: 'Mobile app' }).waitFor()
    await page.locator('.above').click()
    await page.waitForURL(/\/keys\?org=globex$/)
  })

  await t.test('a record that is not there is said to be missing at once', async t => {
    const { page } = await open('logs')
    let asked = 0
    page.on('request', request => {
      if (request.url().includes('/records?')) asked++
    })
    await page.goto(`${stage.adminUrl}/logs?record=req_nobody`)
    await page.getByText('No record has the id').waitFor()
    t.ok(asked <= 3, 'it does not ask for seconds before it says so')
    t.equal(await page.locator('.loading').count(), 0)
  })

  await t.test('clicks keep the range and the filters', async t => {
    const { page, settled } = await open('?range=7d&org=acme&by=team')
    await page.getByRole('link', { name: /Errors/ }).click()
    await page.waitForURL(/\/logs\?/)
    t.same(queryOf(page), { org: 'acme', time: '7d', status: 'error' })
    t.equal(await page.getByLabel('Time').inputValue(), '7d')
    await page.goto(`${stage.adminUrl}/?range=7d&org=acme&by=team`)
    await settled()
    await page.getByRole('link', { name: 'research' }).click()
    await page.waitForURL(/team=research/)
    t.same(queryOf(page), { range: '7d', by: 'team', org: 'acme', team: 'research' })
    await page.getByLabel('Split by').selectOption('model')
    await page.getByRole('link', { name: 'echo' }).click()
    await page.waitForURL(/\/logs\?/)
    t.same(queryOf(page), { org: 'acme', team: 'research', time: '7d', model: 'echo' })
    await page.locator('tbody .row-link').first().click()
    await page.getByRole('heading', { level: 1, name: 'Request' }).waitFor()
    await page.locator('.above').click()
    await page.waitForURL(url => !url.search.includes('record='))
    t.same(queryOf(page), { org: 'acme', team: 'research', time: '7d', model: 'echo' })
  })

  await t.test('whoever leaves unsaved changes is asked', async t => {
    const { page } = await open('keys')
    await page.getByRole('link', { name: /Website chat/ }).click()
    await page.getByLabel('Name', { exact: true }).fill('Changed')
    const dialog = page.getByRole('dialog', { name: 'Leave without saving?' })
    for (const leave of [
      () => page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Logs' }).click(),
      () => page.goBack({ waitUntil: 'commit' }),
      () => page.getByRole('button', { name: 'Sign out' }).click(),
    ]) {
      await leave()
      await dialog.getByRole('button', { name: 'Cancel' }).click()
      await dialog.waitFor({ state: 'detached' })
      t.match(page.url(), /\/keys\?id=/, 'it stays')
      t.equal(await page.getByLabel('Name', { exact: true }).inputValue(), 'Changed')
    }
    const asked = page.waitForEvent('dialog')
    await page.getByLabel('Name', { exact: true }).click()
    const closing = page.close({ runBeforeUnload: true })
    const native = await asked
    t.equal(native.type(), 'beforeunload', 'so does the browser, if the tab is closed')
    await native.dismiss()
    await closing
    await page.goBack({ waitUntil: 'commit' })
    await dialog.getByRole('button', { name: 'Discard changes' }).click()
    await page.getByRole('heading', { level: 1, name: 'Keys' }).waitFor()
    await page.goForward()
    await page.getByLabel('Name', { exact: true }).waitFor()
    t.equal(await page.getByLabel('Name', { exact: true }).inputValue(), 'Website chat', 'nothing was saved')
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Logs' }).click()
    await page.getByRole('heading', { level: 1, name: 'Logs' }).waitFor()
  })

  await t.test('a session that has ended says so, and loses nothing', async t => {
    const { page } = await open(`keys?id=${keyId}`)
    await page.getByLabel('Spend').first().waitFor({ state: 'attached' })
    await page.getByLabel('Cap').fill('60')
    await page.context().clearCookies()
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.getByText('Your session has ended.').waitFor()
    t.equal(await page.getByRole('button', { name: 'Save changes' }).count(), 0, 'nothing is shown meanwhile')
    await page.getByLabel('Admin token', { exact: true }).fill(adminToken)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.getByText('The changes are saved.').waitFor()
    t.equal((await stage.call('GET', `/keys/${keyId}`)).spend_cap_usd, 60)
    await page.context().clearCookies()
    await page.reload()
    await page.getByText('Your session has ended.').waitFor()
    await signIn(page, stage)
    await page.reload()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByLabel('Admin token', { exact: true }).waitFor()
    t.equal(await page.getByText('Your session has ended.').count(), 0, 'signing out is no surprise')
  })

  await t.test('a dialog that is open when the session ends does not lock the page', async t => {
    const { page } = await open('settings?tab=tokens')
    await page.getByRole('button', { name: 'New token' }).first().click()
    await page.getByLabel('Name').fill('bob')
    await page.context().clearCookies()
    await page.getByRole('button', { name: 'Create token' }).click()
    await page.getByLabel('Admin token', { exact: true }).fill(adminToken)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('dialog', { name: 'New admin token' }).waitFor()
    t.equal(await page.getByLabel('Name').inputValue(), 'bob')
    await page.getByRole('button', { name: 'Create token' }).click()
    await page.getByText('Copy it now.').waitFor()
  })

  await t.test('a panel that fails leaves the others alone', async t => {
    const parts = { 'bucket=total&latency': '.stats', 'bucket=hour': '.charts', 'group_by=model': 'table' }
    const isOf = (url: string, part: string): boolean => {
      const query = new URL(url).searchParams
      const kind = query.has('group_by') ? 'group_by=model' : query.get('bucket') === 'hour' ? 'bucket=hour' : 'bucket=total&latency'
      return kind === part
    }
    for (const [part, selector] of Object.entries(parts)) {
      const { page } = await openPage(browser, stage.adminUrl)
      await signIn(page, stage)
      await page.route('**/admin/v1/usage?*', route =>
        isOf(route.request().url(), part)
          ? route.fulfill({ status: 503, json: { error: { message: 'The store does not answer.', code: 'x', param: null } } })
          : route.continue(),
      )
      await page.goto(stage.adminUrl)
      await page.getByText('The store does not answer.').waitFor()
      for (const other of Object.values(parts)) if (other !== selector) await page.locator(other).first().waitFor()
      t.equal(await page.locator(selector).count(), 0, `${selector} shows no zeros`)
      t.equal(await page.getByRole('alert').count(), 1)
      await page.unrouteAll()
      await page.getByRole('button', { name: 'Try again' }).click()
      await page.locator(selector).first().waitFor()
      await page.context().close()
    }
  })

  await t.test('a viewer finds no button that does nothing for them', async t => {
    const { token } = await stage.call('POST', '/admin-tokens', { name: 'viewer', role: 'viewer' })
    const { page, settled } = await open('', token)
    for (const path of [
      '',
      '?range=1h&org=nobody',
      'logs',
      'logs?status=402',
      `logs?record=${responseId}`,
      'alerts',
      'alerts?tab=silences',
      'keys',
      `keys?id=${keyId}`,
      'accounts',
      'accounts?level=team',
      'accounts?level=org&id=acme',
      'accounts?level=org&id=acme&tab=teams',
      'accounts?level=org&id=acme&tab=credit',
      'models',
      'models?model=echo',
      'models?model=auto',
      'providers',
      'settings',
      'settings?tab=audit',
    ]) {
      await page.goto(`${stage.adminUrl}/${path}`)
      await page.getByRole('heading', { level: 1 }).waitFor()
      await settled()
      const controls = await page
        .locator('main :is(button, a.button, form :is(input, select, textarea)):enabled, main a.button')
        .evaluateAll(elements =>
          elements
            .filter((element: any) => element.getAttribute('role') !== 'tab' && !element.matches(':disabled'))
            .map((element: any) => element.getAttribute('aria-label') ?? element.innerText.trim()),
        )
      const harmless =
        /^(Copy|Export|Clear|First page|Back|Next page|Requests|Keys|Its requests|Its models|What auto would choose|Look back 90 days|Show all|See the plugins|Time|Tokens|Cost|First event|Duration)/
      t.same(
        controls.filter(name => !harmless.test(name)),
        [],
        `/${path}`,
      )
      t.equal(await page.locator('main a[href^="playground"], main a[href*="new=true"]').count(), 0, `/${path}`)
    }
  })

  await t.test('spend is shown without a cap, too', async t => {
    const { page, settled } = await open('accounts?level=team')
    await page.getByRole('row', { name: /Support/ }).waitFor()
    await settled()
    t.match(await page.getByRole('row', { name: /Support/ }).innerText(), /\$\d+\.\d+ in 30 days/)
    await page.getByRole('link', { name: /Support/ }).click()
    await page.getByText('in the last 30 days, no cap').waitFor()
    await settled()
    t.match(await page.locator('.stat', { hasText: 'Spent' }).innerText(), /\$\d+\.\d+/)
  })

  await t.test('names and words are written as they should be', async t => {
    const decided = await stage.ask(key, '/v1/systemone', { model: 'sandbox/dm', state: 'A letter', questions: { spam: { type: 'noul' } } })
    const { id } = (await decided.json()) as { readonly id: string }
    t.equal(decided.status, 200)
    const { page, settled } = await open(`logs?record=${id}`)
    await page.getByText('1 attempt').waitFor()
    t.notMatch(await page.locator('main').innerText(), /sandbox\/sandbox/)
    t.match(await page.locator('main').innerText(), /sandbox\/dm/)
    for (const path of [
      '',
      'keys?new=true',
      `keys?id=${keyId}`,
      'accounts?level=org&id=acme',
      'playground',
      'settings',
      `logs?record=${responseId}`,
    ]) {
      await page.goto(`${stage.adminUrl}/${path}`)
      await page.getByRole('heading', { level: 1 }).waitFor()
      await settled()
      t.same(await gluedWords(page), [], `/${path}`)
    }
    await page.goto(`${stage.adminUrl}/keys?new=true`)
    await page.getByLabel('Name', { exact: true }).fill('Fresh')
    await page.getByRole('button', { name: 'Create key' }).click()
    await page.getByText('Copy it now.').waitFor()
    t.match(await page.locator('main').innerText(), /address of the gateway with \/v1/)
    t.same(await gluedWords(page), [])
  })
})

function queryOf(page: Page): Readonly<Record<string, string>> {
  return Object.fromEntries(new URL(page.url()).searchParams)
}

/** Words that touch a link, code or bold text. */
async function gluedWords(page: Page): Promise<readonly string[]> {
  return await page.locator('main :is(p, dd, li) > :is(a, code, strong)').evaluateAll(elements =>
    elements.flatMap((element: any) => {
      const [before, own, after] = [element.previousSibling, element.textContent, element.nextSibling].map(each =>
        typeof each === 'string' ? each : each?.nodeType === 3 ? (each.data as string) : '',
      ) as [string, string, string]
      return /\p{L}$/u.test(before) || /^\p{L}/u.test(after) ? [`${before}|${own}|${after}`] : []
    }),
  )
}
