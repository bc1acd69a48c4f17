import assert from 'node:assert/strict'
import { metrics_token, type Server } from './harness.ts'

/** /metrics as it is sent. */
export async function metricsOf(server: Pick<Server, 'fetch'>): Promise<string> {
  const { status, text } = await server.fetch('GET', '/metrics', undefined, metrics_headers)
  assert.equal(status, 200, text)
  return text
}

export const metrics_headers = { authorization: `Bearer ${metrics_token}` }

/** The values of /metrics, by the name and the labels as they are written there. */
export const readMetrics = async (server: Pick<Server, 'fetch'>): Promise<Map<string, number>> =>
  parseMetrics(await metricsOf(server))

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
