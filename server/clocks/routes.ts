import * as operation from '../kit/http/operation.ts'
import * as schema from './schema.ts'
import * as clocks from './store.ts'

export const operations: operation.Operation[] = [
  operation.get({
    id: 'test_clock.get',
    path: '/test_clock',
    scope: 'test_clock:read',
    summary: 'Get the test clock',
    description: 'Returns the time of a test workspace. In a live workspace: 409.',
    errors: ['INVALID_STATE'],
    response: schema.TestClock,
    run: (at) => clocks.get(at),
  }),
  operation.write({
    id: 'test_clock.advance',
    method: 'POST',
    path: '/test_clock/advance',
    scope: 'test_clock:write',
    is_audited: false,
    summary: 'Advance the test clock',
    description:
      'Moves the time of a test workspace forward in the background, from one due time to the next, and runs what is due at each. ' +
      'Poll the clock until its `status` is `ready`. An advance that makes no progress for a minute ends, with an `error`. Send either `to` or `by_seconds`. While the clock is advancing, and in a live ' +
      'workspace: 409.',
    body: schema.Advance,
    errors: ['INVALID_STATE'],
    response: schema.TestClock,
    status: 202,
    run: (at, { body }) => clocks.advance(at, body),
  }),
]
