import assert from 'node:assert/strict'
import http from 'node:http'
import type { Attack } from './attack.ts'
import { addCall } from './recorded-call.ts'

/** As many downloads as a workspace may have open. */
const at_once = 4
/** Together with the others it is just below what Node accepts. */
const header_length = 15_000
const call_duration_ms = 1_000

const filled = (piece: string) => piece.repeat(header_length / piece.length)

/** Headers that clients may fill, with what a careless pattern takes long for, and the status of the response. */
const headers: [string, string, number][] = [
  ...[' ', '0 ', '-', '0', '0-', ' -', ','].map((piece): [string, string, number] => [
    'range',
    `bytes=${filled(piece)}x`,
    200,
  ]),
  ...['"', ',', ' ,', 'W/', '\\'].flatMap((piece): [string, string, number][] => [
    ['if-match', `${filled(piece)}x`, 412],
    ['if-none-match', `${filled(piece)}x`, 200],
    ['if-range', `${filled(piece)}x`, 200],
  ]),
  ...[' ', ' ;', '; =', '"'].map((piece): [string, string, number] => [
    'content-type',
    `application/json${filled(piece)}x`,
    200,
  ]),
  ...[' ', 'a '].map((piece): [string, string, number] => ['authorization', `Bearer ${filled(piece)}x`, 401]),
  ...['=', ';', ' =;'].map((piece): [string, string, number] => ['cookie', `${filled(piece)}x`, 200]),
]

export const attack: Attack = {
  name: 'headers that fit no pattern',
  async run(world) {
    const { attacker, is_long } = world
    const recording = `${await addCall(world, { duration_ms: call_duration_ms, turns: [] })}/recording`
    const authorization = `Bearer ${attacker.key}`
    assert.equal(await statusOf(recording, { authorization }), 200)
    for (const [name, value, status] of headers) {
      const requests = Array.from({ length: is_long ? at_once : 1 }, () =>
        statusOf(recording, { authorization, [name]: value }),
      )
      // A workspace can run four downloads at a time.
      const allowed = is_long && status === 200 ? [200, 503] : [status]
      for (const answered of await Promise.all(requests))
        assert.ok(allowed.includes(answered), `${answered} for ${name}: ${value.slice(0, 40)}`)
    }
  },
}

const statusOf = (url: string, headers: Record<string, string>): Promise<number> =>
  new Promise((resolve, reject) => {
    http
      .get(url, { headers, agent: false }, (response) => {
        response.resume().on('error', reject)
        response.on('end', () => resolve(response.statusCode ?? 0))
      })
      .on('error', reject)
  })
