import assert from 'node:assert/strict'
import type { Server } from './harness.ts'

/** The values of /metrics, by the name and the labels as they are written there. */
export async function readMetrics(server: Pick<Server, 'fetch'>): Promise<Map<string, number>> {
  const { status, text } = await server.fetch('GET', '/metrics')
  assert.equal(status, 200, text)
  return parseMetrics(text)
}

export const parseMetrics = (text: string): Map<string, number> =>
  new Map(
    text
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line) => {
        const [, name = '', value = ''] = /^(\S+(?:\{.*\})?) (\S+)$/.exec(line) ?? []
        assert.ok(name !== '' && value !== 'NaN', line)
        return [name, Number(value)]
      }),
  )

/** The names of the metrics, as their types are declared. */
export const namesIn = (text: string): string[] =>
  Array.from(text.matchAll(/^# TYPE (\S+) /gm), ([, name = '']) => name)
