import { useEffect, useState } from 'preact/hooks'

export const themes = ['system', 'light', 'dark'] as const
export type Theme = (typeof themes)[number]

const stored = 'turnpike-theme'
/** Fired on `window` when colors change: what is drawn on a canvas must be drawn again. */
export const recolored = 'turnpike:recolored'

/** The viewer's choice, or that of the system. */
export function applyTheme(): void {
  document.documentElement.dataset['theme'] = chosen()
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => dispatchEvent(new Event(recolored)))
}

export function useTheme(): readonly [Theme, (theme: Theme) => void] {
  const [theme, setTheme] = useState(chosen)
  useEffect(() => {
    document.documentElement.dataset['theme'] = theme
    try {
      localStorage.setItem(stored, theme)
    } catch {
      // The browser keeps nothing. Then the choice lasts as long as the page.
    }
    dispatchEvent(new Event(recolored))
  }, [theme])
  return [theme, setTheme]
}

function chosen(): Theme {
  try {
    return themes.find(theme => theme === localStorage.getItem(stored)) ?? 'system'
  } catch {
    return 'system'
  }
}
