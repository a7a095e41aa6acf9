import { readFileSync } from 'node:fs'
import starlight from '@astrojs/starlight'
import { defineConfig, passthroughImageService } from 'astro/config'

const sidebar = JSON.parse(readFileSync(new URL('./src/sidebar.json', import.meta.url), 'utf8'))
// Where the site will be served, such as https://acme.example.com/turnpike/. Links are relative, so they need it not.
const address = process.env.SITE_URL ? new URL(process.env.SITE_URL) : undefined

export default defineConfig({
  ...(address && { site: address.origin, base: address.pathname }),
  image: { service: passthroughImageService() },
  integrations: [
    starlight({
      title: 'Turnpike',
      description: 'An inference gateway that is also a framework',
      credits: false,
      pagination: false,
      sidebar,
    }),
  ],
})
