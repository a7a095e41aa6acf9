import type { VNode } from 'preact'
import { session } from './api.ts'
import { Icon } from './components/icon.ts'
import { html } from './html.ts'
import { leave } from './leaving.ts'
import { OpenAlerts } from './open-alerts.ts'
import { overviewParameters } from './overview-view.ts'
import type { PageEntry } from './page-list.ts'
import { hrefOf } from './place.ts'
import type { SignedIn } from './session.ts'
import { themes, useTheme } from './theme.ts'

const themeIcons = { system: 'screen', light: 'sun', dark: 'moon' } as const
const themeNames = { system: 'As the system', light: 'Light', dark: 'Dark' } as const

export function Navigation({
  pages,
  current,
  admin,
  isOpen,
  openAlerts,
  onSignedOut,
}: {
  readonly pages: readonly PageEntry[]
  readonly current: string
  readonly admin: SignedIn
  readonly isOpen: boolean
  readonly openAlerts: string | undefined
  readonly onSignedOut: () => void
}): VNode {
  const signOut = async (): Promise<void> => {
    // After a failure, reading the session again says what is wrong.
    await session.end().catch(() => undefined)
    onSignedOut()
  }
  return html`<aside id="navigation" aria-label="Navigation" class=${isOpen ? 'side open' : 'side'}>
    <a class="brand" href="./"><img src="app/icon.svg" width="26" height="26" alt="" />Turnpike</a>
    <nav aria-label="Pages">
      <ul>
        ${pages.map(
          ({ id, title, icon }) =>
            html`<li key=${id}>
              <a href=${id === '' ? hrefOf(id, overviewParameters()) : hrefOf(id)} aria-current=${id === current ? 'page' : undefined}
                ><${Icon} name=${icon} />${title}${id === 'alerts' && html`<${OpenAlerts} number=${openAlerts} />`}</a
              >
            </li>`,
        )}
      </ul>
    </nav>
    <div class="side-foot">
      <${ThemeSwitch} />
      <p class="who">
        <strong>${admin.name}</strong>
        <span>${admin.role}${admin.org === null ? '' : ` of ${admin.org}`}</span>
      </p>
      <button type="button" class="button quiet" onClick=${() => leave(() => void signOut())}><${Icon} name="out" />Sign out</button>
    </div>
  </aside>`
}

function ThemeSwitch(): VNode {
  const [theme, setTheme] = useTheme()
  return html`<fieldset class="themes">
    <legend class="hidden">Colors</legend>
    ${themes.map(
      each =>
        html`<label title=${themeNames[each]} class=${each === theme ? 'chosen' : undefined}>
          <input type="radio" name="theme" value=${each} checked=${each === theme} onChange=${() => setTheme(each)} />
          <${Icon} name=${themeIcons[each]} size=${16} /><span class="hidden">${themeNames[each]}</span>
        </label>`,
    )}
  </fieldset>`
}
