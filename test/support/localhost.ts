import dns from 'node:dns'
import { mock } from 'node:test'

/**
 * Makes Fastify find these addresses for localhost until `restore` is called, as on a machine with IPv6, where there
 * are two.
 */
export function mockLocalhost(addresses: string[]): { restore: () => void } {
  const toFound = (address: string) => ({ address, family: 4 })
  const lookup = mock.method(
    dns,
    'lookup',
    (host: string, _options: object, done: (error: null, all: object) => void) =>
      done(null, (host === 'localhost' ? addresses : [host]).map(toFound)),
  )
  return { restore: () => lookup.mock.restore() }
}
