import { readFileSync } from 'node:fs'
import t from 'tap'
import { noBrowser, openBrowser, openPage } from './browser.ts'
import { playDemo } from './demo.ts'
import { openStage, signIn } from './stage.ts'

t.setTimeout(900_000)

t.test('everybody sees what their token may see, and nothing that fails', { skip: noBrowser }, async t => {
  const stage = await openStage()
  t.teardown(stage.stop)
  const browser = await openBrowser()
  t.teardown(() => browser.close())
  const { responseId, keyId } = await playDemo(stage, 500)
  const token = async (role: string, org: string | null): Promise<string> =>
    (await stage.call('POST', '/admin-tokens', { name: `${role} of ${org}`, role, org })).token
  for (const [role, org] of [
    ['viewer', null],
    ['viewer', 'acme'],
    ['editor', 'acme'],
    ['editor', 'globex'],
  ] as const) {
    const { page, problems, settled } = await openPage(browser, stage.adminUrl)
    await signIn(page, stage, await token(role, org))
    await page.goto(stage.adminUrl)
    await page.getByText('Requests per hour').waitFor()
    const links = await page.getByRole('navigation', { name: 'Pages' }).getByRole('link').allTextContents()
    t.equal(links.includes('Playground'), role === 'editor', `${role} of ${org}`)
    t.equal(links.includes('Providers'), org === null)
    for (const link of links) {
      await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: link, exact: true }).click()
      await page.getByRole('heading', { level: 1, name: link, exact: true }).waitFor()
      await settled()
      t.equal(await page.getByRole('alert').count(), 0, `${link} as ${role} of ${org}`)
    }
    t.same(problems.splice(0), [], `${role} of ${org}`)
    await page.goto(`${stage.adminUrl}/logs?record=${responseId}`)
    if (org === 'globex') {
      await page.getByText('No record has the id').waitFor()
      problems.splice(0)
      await page.goto(`${stage.adminUrl}/logs?org=acme`)
      await page.getByText('No request matches').waitFor()
      await page.goto(`${stage.adminUrl}/playground?key=${keyId}`)
      await page.getByText('No key has the id').waitFor()
      t.equal(await page.getByRole('button', { name: 'Send' }).count(), 0, 'it does not play as another key instead')
    } else {
      await page.getByText('2 attempts').waitFor()
      const open = page.getByRole('button', { name: 'Open the content' })
      t.equal(await open.count(), role === 'editor' ? 1 : 0)
      if (role === 'editor') {
        await open.click()
        await page.getByLabel('Kept by redaction').getByText('email').first().waitFor()
      }
    }
    await page.context().close()
  }
})

t.test('an organization sees which fields the operator locked, and cannot change them', { skip: noBrowser }, async t => {
  const stage = await openStage()
  t.teardown(stage.stop)
  const browser = await openBrowser()
  t.teardown(() => browser.close())
  const policy = { zdr: { value: true, enforced: true } }
  await stage.call('POST', '/orgs', { id: 'initech', name: 'Initech', policy })
  const { token } = await stage.call('POST', '/admin-tokens', { name: 'editor', role: 'editor', org: 'initech' })
  const { page, problems } = await openPage(browser, stage.adminUrl)
  await signIn(page, stage, token)
  await page.goto(`${stage.adminUrl}/accounts?level=org&id=initech`)
  await page.getByText('An admin of the whole gateway set it.').first().waitFor()
  const [zdr, hipaa] = [/Enforce zero data retention/i, /Enforce HIPAA/i].map(name => page.getByRole('switch', { name }))
  t.same([await zdr!.isDisabled(), await zdr!.isChecked(), await hipaa!.isDisabled()], [true, true, false])
  await hipaa!.check()
  await page.getByRole('button', { name: 'Save changes' }).click()
  await page.getByText('The changes are saved').waitFor()
  t.match((await stage.call('GET', '/orgs/initech')).policy_set_by, { zdr: 'all', hipaa: 'org' })
  t.same(problems, [])
})

t.test('a key that is disabled, an export, a session that ends, and a gateway that stops', { skip: noBrowser }, async t => {
  const stage = await openStage()
  t.teardown(stage.stop)
  const browser = await openBrowser()
  t.teardown(() => browser.close())
  const { keyId } = await playDemo(stage, 500)
  const { page, problems } = await openPage(browser, stage.adminUrl)
  const { token, id } = await stage.call('POST', '/admin-tokens', { name: 'short', role: 'editor' })
  await signIn(page, stage, token)

  await stage.call('PATCH', `/keys/${keyId}`, { disabled: true })
  await page.goto(`${stage.adminUrl}/playground?key=${keyId}`)
  await page.getByText('is disabled.').waitFor()
  t.equal(await page.getByRole('button', { name: 'Send' }).count(), 0)

  await page.goto(`${stage.adminUrl}/logs?key=${keyId}&status=error`)
  const downloading = page.waitForEvent('download')
  await page.getByRole('link', { name: 'Export' }).click()
  const file = await (await downloading).path()
  const lines = readFileSync(file, 'utf8').trim().split('\n')
  t.ok(lines.length > 0 && lines.every(line => JSON.parse(line).key === keyId && JSON.parse(line).status >= 400))
  t.same(problems.splice(0), [])

  await page.goto(`${stage.adminUrl}/?range=1h`)
  await page.getByText('Requests per minute').waitFor()
  await stage.call('DELETE', `/admin-tokens/${id}`)
  await page.getByLabel('Admin token').waitFor()
  t.match(page.url(), /range=1h/, 'the place is still there after signing in again')
  await signIn(page, stage)
  await page.reload()
  await page.getByText('Requests per minute').waitFor()

  await stage.stop()
  await page.getByText('The gateway does not answer.').first().waitFor()
  t.ok(await page.getByText('Requests per minute').isVisible(), 'what was shown stays')
  await page.getByRole('link', { name: 'Logs' }).click()
  await page.getByText('does not answer').or(page.getByText('could not be loaded')).first().waitFor()
})
