// Takes a picture of every page, light, dark and narrow, and prints what axe and the console say.
// node --conditions=turnpike-source --import=./bin/own-package.js test/plugins/endpoints/dashboard/screenshots.ts <folder> [page …]
// With `readme`, it takes the two of README.md instead.

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { accessibilityProblems, openBrowser, openPage } from './browser.ts'
import { playDemo } from './demo.ts'
import { openStage, signIn } from './stage.ts'

const [folder = 'screenshots', ...wanted] = process.argv.slice(2)
const views = { light: {}, dark: { colorScheme: 'dark' }, narrow: { width: 400, height: 1_300 } } as const

mkdirSync(folder, { recursive: true })
const stage = await openStage({ OPENAI_API_KEY: 'sk-demo', ANTHROPIC_API_KEY: 'sk-demo' })
const browser = await openBrowser()
try {
  const { responseId, keyId } = await playDemo(stage)
  const places: Readonly<Record<string, string>> = {
    overview: '',
    'overview-by-model': '?by=provider&range=24h',
    logs: 'logs',
    record: `logs?record=${responseId}`,
    models: 'models',
    model: 'models?model=echo',
    providers: 'providers',
    playground: `playground?key=${keyId}`,
    decision: `playground?do=decide&key=${keyId}`,
  }
  if (wanted.includes('readme')) {
    const { page } = await openPage(browser, stage.adminUrl, { width: 1280, height: 1_000 })
    await signIn(page, stage)
    for (const [name, path] of Object.entries({ 'dashboard-overview': '?by=provider', 'dashboard-request': places['record']! })) {
      // Without the hour that has only begun.
      if (path.startsWith('?')) await page.clock.setFixedTime(Date.now() - (Date.now() % 3_600_000) - 1)
      else await page.clock.setFixedTime(Date.now())
      await page.goto(`${stage.adminUrl}/${path}`)
      await page.waitForTimeout(1_500)
      await page.screenshot({ path: join(folder, `${name}.png`) })
    }
  }
  for (const [view, options] of wanted.includes('readme') ? [] : Object.entries(views)) {
    const { page, problems } = await openPage(browser, stage.adminUrl, options)
    await signIn(page, stage)
    for (const [name, path] of Object.entries(places)) {
      if (wanted.length > 0 && !wanted.includes(name)) continue
      await page.goto(`${stage.adminUrl}/${path}`)
      await page.waitForTimeout(1_200)
      if (name === 'playground') {
        await page.getByLabel('Input').fill('What is a turnpike?')
        await page.getByRole('button', { name: 'Send', exact: true }).click()
        await page.getByText('in all').waitFor()
      }
      if (name === 'decision') {
        await page.getByRole('button', { name: 'Decide' }).click()
        await page.getByText('See its record').waitFor()
      }
      if (name === 'record')
        await page
          .getByRole('button', { name: 'Open the content' })
          .click()
          .then(() => page.waitForTimeout(300))
      await page.screenshot({ path: join(folder, `${name}-${view}.png`), fullPage: view !== 'narrow' })
      for (const problem of [...(await accessibilityProblems(page)), ...problems.splice(0)])
        console.log(`${name} ${view}: ${problem.slice(0, 400)}`)
    }
    await page.context().close()
  }
} finally {
  await browser.close()
  await stage.stop()
}
