import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { openClient } from '../client.ts'
import { newTenant, withEmbeddedPool } from '../service.ts'
import type { Attack } from './attack.ts'
import { listen } from './listen.ts'

const answer_bytes = 7_900_000
const searches = { long: 400, short: 20 }
const poll_every_ms = 100

/** Each search gets one vector, whose only number has very many digits. */
const long_vector = `{"data":[{"index":0,"embedding":[0.${'1'.repeat(answer_bytes)}]}]}`

/** A tenant searches very often at the same time, with an embedding model that answers with 8 MB. */
export const attack: Attack = {
  name: 'searches with an embedding model that answers with 8 MB',
  async run({ stack, url, data_dir, is_long, print }) {
    const tenant = await withEmbeddedPool(data_dir, (pool) => newTenant(pool))
    const clientOf = () => {
      const client = openClient(url, tenant.key)
      stack.defer(client.close)
      return (method: string, path: string, body?: object) => client.call(method, `/api/v1${path}`, body)
    }
    const call = clientOf()
    const base_url = `${await listen(stack, (response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(long_vector)
    })}/v1`
    const { id } = (await call('POST', '/documents', { name: 'Hours', text: 'We open at nine.' })).body.data
    while ((await call('GET', `/documents/${id}`)).body.data.status !== 'ready') await sleep(poll_every_ms)
    const provider = { name: 'Vectors', kind: 'openai_compatible', default_model: 'small', embedding_model: 'long' }
    const { status, body } = await call('POST', '/providers', { ...provider, base_url, api_key: null })
    assert.equal(status, 201, JSON.stringify(body))
    const statuses: Record<number, number> = {}
    const search = async () => {
      const { status, body } = await clientOf()('GET', '/documents/search?query=open')
      statuses[status] = (statuses[status] ?? 0) + 1
      // Words alone do, too.
      if (status === 200) assert.equal(body.data.passages.length, 1)
      else assert.equal(status, 503)
    }
    await Promise.all(Array.from({ length: is_long ? searches.long : searches.short }, search))
    print(`searches were answered with ${JSON.stringify(statuses)}`)
    assert.ok((statuses[200] ?? 0) > 0)
  },
}
