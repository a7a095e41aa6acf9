import { render } from 'preact'
import { html } from './html.ts'
import { followLinks, guardHistory } from './place.ts'
import { Shell } from './shell.ts'
import { applyTheme } from './theme.ts'

applyTheme()
guardHistory()
followLinks()
render(html`<${Shell} />`, document.querySelector('#app')!)
