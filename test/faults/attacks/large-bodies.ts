import assert from 'node:assert/strict'
import type { Attack } from './attack.ts'

const at_once = { long: 20, short: 4 }
/** Just below what a body may have. */
const bytes = 1_000_000

const repeated = (text: string): string => text.repeat(bytes / text.length)

/** Each takes some 20 ms to parse, or to refuse. */
const bodies: Record<string, string> = {
  members: `{${repeated('"a":1,')}"a":1}`,
  lists: `[${repeated('[],')}1]`,
  escapes: `{"email":"${repeated('\\u00e9')}"}`,
}

/** Anyone can sign in, or try to. */
export const attack: Attack = {
  name: 'large bodies without a key',
  async run({ url, is_long }) {
    const headers = { 'content-type': 'application/json', origin: url }
    for (const [name, body] of Object.entries(bodies)) {
      const requests = Array.from({ length: is_long ? at_once.long : at_once.short }, async () => {
        const response = await fetch(`${url}/app/session`, { method: 'POST', headers, body })
        await response.text()
        return response.status
      })
      for (const status of await Promise.all(requests)) assert.ok([400, 429].includes(status), `${name}: ${status}`)
    }
  },
}
