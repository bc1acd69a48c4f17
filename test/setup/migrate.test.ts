import assert from 'node:assert/strict'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { migrate } from '../../server/kit/migrate.ts'
import { sql } from '../../server/kit/sql.ts'
import { migrations, testPool } from '../harness.ts'
import { withOwnDatabase } from './database.ts'

test('contacts from before there were counts by source and day are counted', async () => {
  const older = fs.mkdtempSync(path.join(os.tmpdir(), 'migrations-'))
  for (const name of ['0001_contract.sql', '0002_scale.sql']) {
    fs.copyFileSync(path.join(migrations, name), path.join(older, name))
  }
  const work = async (url: string) => {
    const pool = testPool(url)
    await pool.script(`insert into contacts (workspace_id, id, phone_number, tags, source, created_at, updated_at)
      select md5((n % 2)::text)::uuid, gen_random_uuid(), n::text, '{}', case when n < 6 then 'api' else 'import' end,
        '2026-11-14T23:59:59.999Z'::timestamptz + (n % 4) * interval '1 ms', now()
      from generate_series(1, 20) as n`)
    await migrate(pool, migrations)
    for (const [counts, contacts] of [
      [
        sql`select workspace_id, source, sum(total)::int as total from contact_counts group by 1, 2 order by 1, 2`,
        sql`select workspace_id, source, count(*)::int as total from contacts group by 1, 2 order by 1, 2`,
      ],
      [
        sql`select workspace_id, day::text, sum(total)::int as total from contact_day_counts group by 1, 2 order by 1, 2`,
        sql`select workspace_id, (created_at at time zone 'UTC')::date::text as day, count(*)::int as total
          from contacts group by 1, 2 order by 1, 2`,
      ],
    ] as const) {
      const counted = await pool.many(counts)
      assert.ok(counted.length >= 3)
      assert.deepEqual(counted, await pool.many(contacts))
    }
    await pool.close()
  }
  await withOwnDatabase(process.env.TEST_DATABASE_URL ?? '', work, older)
  fs.rmSync(older, { recursive: true })
})
