import pg from 'pg'
import * as clock from '../../server/kit/clock.ts'
import type { Bench } from '../calls/simulated.ts'
import { alternate, atLeast, type Comparison, timed } from '../comparison.ts'
import { addTenant } from '../fill.ts'
import { addCaller, createCampaign } from './people.ts'

const ratio_min = 0.3
export const rounds = 2

const insert = `insert into plain_enrollments (workspace_id, id, campaign_id, contact_id, status, rank, created_at, updated_at,
    due_at)
  select workspace_id, uuidv7(), $2, id, 'pending', hashtext(phone_number), $3, $3, to_timestamp(0)
  from contacts where workspace_id = $1 and source = 'import'`

/** Contacts a second that a filter enrolls, beside a bare `insert ... select` into a copy of the table. */
export async function measureEnrolling(
  stack: AsyncDisposableStack,
  { database, server }: Bench,
  { contacts, signal }: { contacts: number; signal: AbortSignal },
): Promise<Comparison> {
  const { pool, url } = database
  await pool.script('create table plain_enrollments (like enrollments including all)')
  const tenant = await addTenant(pool, 'Enrolling')
  const caller = await addCaller(stack, { pool, server, tenant, contacts, is_test: false })
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  stack.defer(() => client.end())
  const [ours = 0, beside = 0] = await alternate(
    rounds,
    () => timed(() => createCampaign(caller, { settings: {}, contacts, signal })),
    async () => {
      await client.query('truncate plain_enrollments')
      const values = [tenant.workspace_id, crypto.randomUUID(), clock.iso(clock.wall())]
      return timed(() => client.query(insert, values))
    },
  )
  return atLeast(
    'contacts enrolled a second, beside SQL',
    contacts / (ours / 1_000),
    contacts / (beside / 1_000),
    ratio_min,
  )
}
