import t from 'tap'
import { InspectingLens } from '../../../config/dev/inspector/inspecting-lens.ts'
import { InspectorServer } from '../../../config/dev/inspector-server.ts'
import { Inspector } from '../../../config/dev/inspector/inspector.ts'
import { Masks } from '../../../core/foundation/masks.ts'
import { gateway, hello, saying } from '../../kit/gateway.ts'
import { ask, guarding } from '../../kit/stage.ts'
import { accessibilityProblems, noBrowser, openBrowser, openPage } from '../../plugins/endpoints/dashboard/browser.ts'

t.test('the page shows what a plugin did, with the keyboard alone', { skip: noBrowser }, async t => {
  const masks = new Masks()
  const inspector = new Inspector(masks)
  const shout = guarding(
    { input: request => ({ replace: { ...request, instructions: '<img src=x onerror=alert(1)> be loud' } }) },
    { name: 'shout' },
  )
  const under = await gateway({ plugins: [shout, saying('north', hello)], masks, lens: new InspectingLens(inspector, 'none') })
  t.teardown(() => under.stop())
  const server = await InspectorServer.open(inspector, 0)
  t.teardown(() => server.close())
  const asked = await ask(under, { model: 'north/first', input: 'quiet please' })
  inspector.closed(await under.record(asked.requestId))

  const browser = await openBrowser()
  t.teardown(() => browser.close())
  for (const colorScheme of ['light', 'dark'] as const) {
    const { page, problems } = await openPage(browser, new URL(server.url).origin, { colorScheme })
    await page.goto(server.url)
    const first = page.getByRole('navigation').getByRole('button', { name: /first/ })
    await first.waitFor()
    // The newest request is the first one.
    for (let pressed = 0; pressed < (colorScheme === 'light' ? 1 : 2); pressed++) await page.keyboard.press('j')
    await page.getByRole('heading', { level: 2, name: asked.requestId }).waitFor()
    // Through the list to the steps.
    const step = page.locator('summary', { hasText: 'shout' }).filter({ hasText: 'input' })
    await page.keyboard.press('Tab')
    for (let pressed = 0; pressed < 30; pressed++) {
      if (/shoutinput/.test(String(await page.evaluate('document.activeElement.textContent')))) break
      await page.keyboard.press('j')
    }
    await page.keyboard.press('Enter')
    await page.getByText('be loud').first().waitFor()
    t.match(await step.textContent(), /changed.*guardrail.*shout.*input/)
    t.match(await page.locator('td .after').first().textContent(), '<img src=x')
    t.equal(await page.locator('main img').count(), 0, 'what a plugin wrote is text')
    t.same(await accessibilityProblems(page), [])

    // What comes later appears, and what is open stays open.
    const model = `later-${colorScheme}`
    const later = await ask(under, { model: `north/${model}` })
    inspector.closed(await under.record(later.requestId))
    await page.getByRole('navigation').getByRole('button', { name: model }).waitFor()
    t.ok(await page.getByText('be loud').first().isVisible())
    t.same(problems, [])
    await page.close()
  }

  const { page } = await openPage(browser, new URL(server.url).origin)
  await page.goto(server.url.replace(/#.*/, ''))
  await page.getByText('This needs the secret of this run').waitFor()
  await page.goto('about:blank')
  await page.goto(server.url)
  await page.getByRole('button', { name: 'Forget all' }).click()
  await page.getByText('0 requests in memory').waitFor()
  t.same(inspector.list().requests, [])
})
