import type { SavedWindow, SavedWindows } from '../../../core/stores.ts'

/** Nothing here outlives the process, so there is nothing to read and no use in saving. */
export class NoSavedWindows implements SavedWindows {
  read(): readonly SavedWindow[] {
    return []
  }

  add(): readonly SavedWindow[] {
    return []
  }
}
