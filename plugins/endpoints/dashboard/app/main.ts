import { render } from 'preact'
import { html } from './html.ts'
import { followLinks } from './place.ts'
import { Shell } from './shell.ts'
import { applyTheme } from './theme.ts'

applyTheme()
followLinks()
render(html`<${Shell} />`, document.querySelector('#app')!)
