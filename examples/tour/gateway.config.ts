import { defaults, defineConfig } from 'turnpike/config'
import calmWords from './calm-words.ts'

export default defineConfig({
  plugins: [...defaults(), calmWords],
})
