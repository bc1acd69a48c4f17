import assert from 'node:assert/strict'
import { spokenTurn } from '../../support/recorded-calls.ts'
import type { Attack } from './attack.ts'
import { addCall } from './recorded-call.ts'

/** Two hours of talk without a pause. */
const turns = { long: 2_400, short: 60 }
const turn_ms = 3_000
const at_once = { long: 10, short: 2 }
const words = 'I would like to book a table for two at the window, please, if you have one.'

export const attack: Attack = {
  name: 'transcripts of two hours',
  async run(world) {
    const { attacker, is_long } = world
    const count = is_long ? turns.long : turns.short
    const spoken = Array.from({ length: count }, (_, index) => {
      const speech = [{ text: words, start_ms: index * turn_ms, end_ms: (index + 1) * turn_ms }]
      return spokenTurn({ seq: index + 1, role: index % 2 === 0 ? 'agent' : 'contact', speech })
    })
    const call = await addCall(world, { duration_ms: count * turn_ms, turns: spoken })
    for (const format of ['json', 'txt', 'srt', 'vtt']) {
      const read = async () => {
        const headers = { authorization: `Bearer ${attacker.key}` }
        const response = await fetch(`${call}/transcript?format=${format}`, { headers })
        const text = await response.text()
        assert.equal(response.status, 200, text)
        return text
      }
      const texts = await Promise.all(Array.from({ length: is_long ? at_once.long : at_once.short }, read))
      assert.ok(texts[0] && texts[0].length > count * words.length, `${format} has all that was said`)
      assert.equal(new Set(texts).size, 1, `${format} is the same each time`)
    }
  },
}
