import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toProblem } from '../../server/kit/http/errors.ts'
import { CommitUnknownError, isUnavailable } from '../../server/kit/postgres/errors.ts'

/* The errors of Citus 14 while a worker node is down. test/cluster/node-down.test.ts has such a node. */

const remote =
  'connection to the remote node postgres@10.0.0.2:5432 failed with the following error: Connection refused'
const executing = 'while executing command on 10.0.0.2:5432'

const errors: [string, Record<string, string>][] = [
  [remote, { code: '08006' }],
  ['terminating connection due to administrator command', { code: '57P01', where: executing }],
  ['the database system is shutting down', { code: '57P03', where: executing }],
  ['server closed the connection unexpectedly', { code: 'XX000', where: executing }],
  ['could not commit transaction for shard 102008 on at least one active node', { code: 'XX000' }],
  ['failure on connection marked as essential: 10.0.0.2:5432', { code: 'XX000' }],
  ['could not connect to any active placements', { code: 'XX000' }],
]

for (const [message, fields] of errors) {
  test(`a node is down: ${message}`, () => {
    const error = Object.assign(new Error(message), fields)
    for (const one of [error, new CommitUnknownError('The connection was lost while committing', { cause: error })]) {
      assert.ok(isUnavailable(one))
      const { status, details, headers } = toProblem(one)
      assert.deepEqual([status, details, headers], [503, { reason: 'node_down' }, { 'retry-after': '1' }])
    }
  })
}

test('a connection that the machine has no handles for is tried again', () => {
  const error = Object.assign(new Error('connect EMFILE 127.0.0.1:5432'), { code: 'EMFILE', syscall: 'connect' })
  assert.ok(isUnavailable(error))
  assert.equal(toProblem(error).status, 503)
  assert.equal(isUnavailable(Object.assign(new Error('open'), { code: 'EMFILE', syscall: 'open' })), false)
})

test('a database that is down is not a node', () => {
  const error = Object.assign(new Error('terminating connection due to administrator command'), { code: '57P01' })
  const { status, details } = toProblem(error)
  assert.deepEqual([status, details], [503, {}])
})

test('an error of a statement that a node has run is not a node that is down', () => {
  const error = Object.assign(new Error('division by zero'), { code: '22012', where: executing })
  assert.equal(toProblem(error).status, 500)
})
