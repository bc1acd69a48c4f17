import type { BrowserContext } from 'playwright-core'

/** In bytes, as they were received: compressed, with headers. */
export interface PageWeight {
  html: number
  js: number
  css: number
  fonts: number
  total: number
}

const kinds: Record<string, keyof PageWeight> = { Document: 'html', Script: 'js', Stylesheet: 'css', Font: 'fonts' }

/** Opens an address in a new page without its cache, and waits until nothing more is loaded. Answers of the API are not counted. */
export async function weighPage(context: BrowserContext, address: string): Promise<PageWeight> {
  const page = await context.newPage()
  const network = await context.newCDPSession(page)
  await network.send('Network.enable')
  await network.send('Network.setCacheDisabled', { cacheDisabled: true })
  const weight = { html: 0, js: 0, css: 0, fonts: 0, total: 0 }
  const kind_of = new Map<string, keyof PageWeight>()
  network.on('Network.responseReceived', ({ requestId, type }) => {
    const kind = kinds[type]
    if (kind) kind_of.set(requestId, kind)
  })
  network.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    const kind = kind_of.get(requestId)
    if (!kind) return
    weight[kind] += encodedDataLength
    weight.total += encodedDataLength
  })
  await page.goto(address)
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.locator('[aria-busy=true]').first().waitFor({ state: 'hidden' })
  await page.evaluate('document.fonts.ready.then(() => {})')
  await page.close()
  return weight
}
