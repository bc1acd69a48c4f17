import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { addSimilarWords, unknown_similar_words } from '../../support/documents.ts'
import { openClient } from '../client.ts'
import { newTenant, withEmbeddedPool } from '../service.ts'
import type { Attack } from './attack.ts'

const words = { long: 250_000, short: 10_000 }
const searches = 5
const search_max_ms = 1_000
const poll_every_ms = 100

/** A tenant searches for four unknown words among very many that are like them. */
export const attack: Attack = {
  name: 'searches for unknown words beside 250,000 similar ones',
  async run({ stack, url, data_dir, is_long, print, beginMeasuring }) {
    const tenant = await withEmbeddedPool(data_dir, (pool) => newTenant(pool))
    const { call, close } = openClient(`${url}/api/v1`, tenant.key)
    stack.defer(close)
    const { id } = (await call('POST', '/documents', { name: 'Hours', text: 'We open at nine.' })).body.data
    while ((await call('GET', `/documents/${id}`)).body.data.status !== 'ready') await sleep(poll_every_ms)
    const similar = { workspace: tenant.workspace, document_id: id, count: is_long ? words.long : words.short }
    await withEmbeddedPool(data_dir, (pool) => addSimilarWords(pool, similar))
    await beginMeasuring()
    const query = encodeURIComponent(`open ${unknown_similar_words}`)
    const durations_ms: number[] = []
    for (let count = 0; count < searches; count += 1) {
      const { status, body, duration_ms } = await call('GET', `/documents/search?query=${query}`)
      assert.equal(status, 200, JSON.stringify(body))
      assert.equal(body.data.passages.length, 1, 'the word that is known is found')
      durations_ms.push(Math.round(duration_ms))
    }
    print(`searches took ${durations_ms.join(', ')} ms`)
    if (is_long) assert.ok(Math.max(...durations_ms) < search_max_ms, `a search took longer than ${search_max_ms} ms`)
  },
}
