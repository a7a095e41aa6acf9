import { hash } from 'node:crypto'
import { existsSync, readFileSync, watch, type FSWatcher } from 'node:fs'
import { dirname } from 'node:path'

/** Editors write a file in several steps, and often several files at once. */
const quietMs = 80

/** Tells when the content of files changes. It watches their folders, because editors replace files. */
export class SavedFiles {
  readonly #saved: (files: readonly string[]) => void
  readonly #folders = new Map<string, FSWatcher>()
  #contents = new Map<string, string>()
  #timer: NodeJS.Timeout | undefined

  constructor(saved: (files: readonly string[]) => void) {
    this.#saved = saved
  }

  /** Watches exactly these from now on. Some may not exist yet. */
  watch(files: ReadonlySet<string>): void {
    const known = this.#contents
    this.#contents = new Map(Array.from(files, file => [file, known.get(file) ?? contentOf(file)]))
    const folders = new Set(Array.from(files, file => nearestFolder(dirname(file))))
    for (const [folder, watcher] of this.#folders)
      if (!folders.has(folder)) {
        watcher.close()
        this.#folders.delete(folder)
      }
    for (const folder of folders) if (!this.#folders.has(folder)) this.#open(folder)
    // Something may have been saved before the folder was watched.
    this.#soon()
  }

  close(): void {
    clearTimeout(this.#timer)
    for (const watcher of this.#folders.values()) watcher.close()
    this.#folders.clear()
  }

  #open(folder: string): void {
    try {
      const watcher = watch(folder, () => this.#soon())
      watcher.on('error', () => {
        watcher.close()
        this.#folders.delete(folder)
      })
      this.#folders.set(folder, watcher)
    } catch {
      // The folder has gone, or the system watches no more.
    }
  }

  #soon(): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#compare(), quietMs)
  }

  #compare(): void {
    const changed: string[] = []
    for (const [file, before] of this.#contents) {
      const now = contentOf(file)
      if (now === before) continue
      this.#contents.set(file, now)
      changed.push(file)
    }
    if (changed.length > 0) this.#saved(changed)
  }
}

/** Empty for a file that cannot be read. */
function contentOf(file: string): string {
  try {
    return hash('sha256', readFileSync(file))
  } catch {
    return ''
  }
}

function nearestFolder(folder: string): string {
  for (let each = folder; ; each = dirname(each)) if (existsSync(each) || each === dirname(each)) return each
}
