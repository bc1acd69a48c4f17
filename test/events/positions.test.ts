import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { event_types as contact_events } from '../../server/contacts/event-types.ts'
import * as events from '../../server/events/store.ts'
import { inTransaction } from '../../server/kit/at.ts'
import { newId } from '../../server/kit/id.ts'
import { sql } from '../../server/kit/postgres/sql.ts'
import { createDatabase, openServer, testPool } from '../support/harness.ts'
import { startWorker } from '../support/workers.ts'

/* The server ends before its database does. */
const open = new AsyncDisposableStack()
after(() => open.disposeAsync())
const { url, pool } = await createDatabase('positions')
const server = await openServer(testPool(url))
open.defer(server.close)
open.defer(startWorker(server).stop)
const check_every_ms = 50

test('events get their positions without a reader', async () => {
  const { id: workspace } = await server.workspace()
  const many = Array.from({ length: 2_500 }, () => ({ data: { id: newId() } }))
  await inTransaction(server.at(workspace), (at) => events.recordMany(at, contact_events.created, many))
  const assigned = () =>
    pool.many<{ id: string; type: string }>(
      sql`select resource_id as id, type from events where workspace_id = ${workspace} and position is not null
        order by position`,
    )
  const ofContacts = async () => (await assigned()).filter(({ type }) => type === contact_events.created.name)
  while ((await ofContacts()).length < many.length) await sleep(check_every_ms)
  assert.deepEqual(
    (await ofContacts()).map(({ id }) => id),
    many.map(({ data }) => data.id),
  )
})
