import { html } from '../html.ts'
import type { VNode } from 'preact'

/** Paths on a square of 24, drawn with a stroke. */
const paths = {
  chart: 'M4 20V10m5.5 10V4M15 20v-7m5 7V7',
  list: 'M8 6h12M8 12h12M8 18h12M4 6h.01M4 12h.01M4 18h.01',
  bell: 'M6 16V11a6 6 0 0 1 12 0v5l1.5 2h-15L6 16Zm4 5h4',
  key: 'M14.5 9.5 20 4m-2.5 2.5 2.5 2.5m-5-0.5 2 2M11 13a4 4 0 1 1-5.6 5.6A4 4 0 0 1 11 13l4-4',
  people:
    'M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7Zm-6 9c0-3.3 2.7-5.5 6-5.5s6 2.2 6 5.5m1-16.2a3.5 3.5 0 0 1 0 6.4m2 4.6c1.8.9 3 2.7 3 5.2',
  cube: 'm12 3 8 4.5v9L12 21l-8-4.5v-9L12 3Zm0 9 8-4.5M12 12 4 7.5M12 12v9',
  plug: 'M9 3v5m6-5v5M6 8h12v3a6 6 0 0 1-12 0V8Zm6 9v4',
  play: 'M7 5v14l11-7L7 5Z',
  gear: 'M12 15a3 3 0 1 0 0-6 3 3 0 0 0 0 6Zm8-3-.1-1.2 1.7-1.4-2-3.4-2 .8a7 7 0 0 0-2.1-1.2L15.2 3H9.9l-.4 2.6a7 7 0 0 0-2 1.2l-2.1-.8-2 3.4 1.7 1.4L5 12l.1 1.2-1.7 1.4 2 3.4 2-.8a7 7 0 0 0 2.1 1.2l.4 2.6h5.3l.3-2.6a7 7 0 0 0 2-1.2l2.1.8 2-3.4-1.7-1.4.1-1.2Z',
  page: 'M6 3h8l4 4v14H6V3Zm8 0v4h4M9 12h6M9 16h6',
  menu: 'M4 6h16M4 12h16M4 18h16',
  close: 'm6 6 12 12M18 6 6 18',
  copy: 'M9 9h11v11H9V9Zm-4 6H4V4h11v1',
  check: 'm5 13 4.5 4.5L19 7',
  lock: 'M6 11h12v9H6v-9Zm2.5 0V8a3.5 3.5 0 0 1 7 0v3',
  plus: 'M12 5v14M5 12h14',
  alert: 'M12 9v4m0 3.5v.01M12 4 2.5 20h19L12 4Z',
  sun: 'M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8Zm0-13v2m0 14v2m9-9h-2M5 12H3m15.4-6.4L17 7M7 17l-1.4 1.4m0-12.8L7 7m10 10 1.4 1.4',
  moon: 'M20 14.5A8.5 8.5 0 0 1 9.5 4a8.5 8.5 0 1 0 10.5 10.5Z',
  screen: 'M3 5h18v11H3V5Zm6 15h6m-3-4v4',
  out: 'M14 4H5v16h9M10 12h11m-4-4 4 4-4 4',
  back: 'M15 5l-7 7 7 7',
  next: 'm9 5 7 7-7 7',
  search: 'M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14Zm5-2 5 5',
  trash: 'M4 7h16M9 7V4h6v3M6 7l1 13h10l1-13M10 11v5m4-5v5',
  turn: 'M20 11a8 8 0 0 0-14.5-3.5M4 4v4h4m-4 5a8 8 0 0 0 14.5 3.5M20 20v-4h-4',
  filter: 'M4 5h16l-6 8v6l-4-2v-4L4 5Z',
  link: 'M10 14a4 4 0 0 0 6 .4l3-3a4 4 0 0 0-5.7-5.7l-1.2 1.2M14 10a4 4 0 0 0-6-.4l-3 3a4 4 0 0 0 5.7 5.7l1.2-1.2',
  live: 'M12 13a1 1 0 1 0 0-2 1 1 0 0 0 0 2Zm-4 3a5.6 5.6 0 0 1 0-8m8 0a5.6 5.6 0 0 1 0 8M5 19A9.9 9.9 0 0 1 5 5m14 0a9.9 9.9 0 0 1 0 14',
} as const
export type IconName = keyof typeof paths

/** Decoration next to a text that says the same. */
export function Icon({ name, size = 18 }: { readonly name: IconName; readonly size?: number }): VNode {
  return html`<svg class="icon" width=${size} height=${size} viewBox="0 0 24 24" aria-hidden="true" focusable="false">
    <path d=${paths[name]} />
  </svg>`
}
