import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { stripTypeScriptTypes } from 'node:module'
import { fileURLToPath } from 'node:url'
import type { DashboardPage } from '../../contracts/dashboard-page.ts'
import { DashboardPages } from '../../framework/extension-points.ts'
import { onStage, type CallSuiteOptions } from '../call-stage.ts'
import { ownPlugin } from '../companions.ts'
import type { SuiteContext } from '../provider-suite.ts'
import { addedTo, onEachPlugin, stageOf } from './on-each-plugin.ts'

/** For `dashboardPageSuite`. */
export type DashboardPageSuiteOptions = CallSuiteOptions

/** Tests for every page of the dashboard. A browser shows how it looks. */
export function dashboardPageSuite(t: SuiteContext, options: DashboardPageSuiteOptions): void {
  const test = onEachPlugin(t, options, DashboardPages)
  test('its title fits into the navigation', async ({ title }) => {
    assert.match(title, /^\S.{0,28}\S$/u, `the title "${title}" must have 2 to 30 characters`)
  })
  test('its module imports nothing', async page => {
    const code = await codeOf(page)
    assert.doesNotMatch(
      code,
      /^\s*import[\s'"{*]|\bimport\s*\(|\bfrom\s+['"]|\brequire\s*\(/m,
      'the page gets what it needs: it must import nothing',
    )
    assert.doesNotMatch(code, /\beval\s*\(|new Function\s*\(/, 'browsers let the dashboard run no code made of text')
  })
  test('its default export makes a component', async page => {
    const address = `data:text/javascript,${encodeURIComponent(await codeOf(page))}`
    const { default: make } = (await import(address)) as { readonly default?: unknown }
    assert.equal(typeof make, 'function', 'the default export must be a function of the parts of the dashboard')
    assert.equal(
      typeof (make as (parts: object) => unknown)(anyParts),
      'function',
      'the default export must return a component: a function',
    )
  })
  t.test('the dashboard serves it', async () => {
    await using around = await stageOf(options)
    const pages = addedTo(around, options, DashboardPages)
    const dashboard = await ownPlugin('turnpike/plugins/endpoints/dashboard')
    const plugins = () => [...(options.plugins?.() ?? []), dashboard]
    await onStage({ ...options, plugins }, async stage => {
      for (const { id } of pages) {
        const reply = await stage.gateway.gateway.admin!.app.h3.request(`/modules/${id}.js`)
        const text = await reply.text()
        assert.equal(reply.status, 200, text)
        assert.match(reply.headers.get('content-type') ?? '', /^text\/javascript/)
      }
    })
  })
}

async function codeOf({ module }: DashboardPage): Promise<string> {
  const path = fileURLToPath(module)
  const code = await readFile(path, 'utf8').catch(() => assert.fail(`there is no file ${path}`))
  return path.endsWith('.ts') ? stripTypeScriptTypes(code) : code
}

/** Stands for every part: whatever the page reads or calls before it is shown. */
const anyParts: object = new Proxy(() => anyParts, { get: (_, name) => (name === Symbol.toPrimitive ? () => '' : anyParts) })
