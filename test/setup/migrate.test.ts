import assert from 'node:assert/strict'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { newId } from '../../server/kit/id.ts'
import { migrate } from '../../server/kit/postgres/migrate.ts'
import type { Pool } from '../../server/kit/postgres/pool.ts'
import { sql } from '../../server/kit/postgres/sql.ts'
import { withNewDatabase } from '../support/database.ts'
import { migrations, testPool } from '../support/harness.ts'

/** Runs `work` with a new database. `migrateUpTo` applies the migrations up to the one that is named. */
async function withOlderDatabase(
  work: (pool: Pool, migrateUpTo: (last: string) => Promise<void>) => Promise<void>,
): Promise<void> {
  const older = fs.mkdtempSync(path.join(os.tmpdir(), 'migrations-'))
  const withPool = async (url: string) => {
    const pool = testPool(url)
    const migrateUpTo = async (last: string) => {
      for (const name of fs.readdirSync(migrations).filter((name) => name <= last))
        fs.copyFileSync(path.join(migrations, name), path.join(older, name))
      await migrate(pool, older)
    }
    try {
      await work(pool, migrateUpTo)
    } finally {
      await pool.close()
    }
  }
  await withNewDatabase(process.env.TEST_DATABASE_URL ?? '', withPool, older)
  fs.rmSync(older, { recursive: true })
}

test('what older versions have written is kept', (t) =>
  withOlderDatabase(async (pool, migrateUpTo) => {
    await migrateUpTo('0002_scale.sql')
    await addContacts(pool)
    await migrateUpTo('0009_webhook_senders.sql')
    await addWebhookEvents(pool)
    const [kept, deleted] = await addDeliveries(pool)
    await migrateUpTo('0011_roles.sql')
    await addImport(pool)
    await migrate(pool, migrations)

    await t.test('older contacts are counted by source and day', async () => {
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
    })

    await t.test('older events keep only the host of a webhook URL', async () => {
      const events = await pool.many<{ data: { host: string | null; description: string } }>(
        sql`select data from events order by id`,
      )
      assert.ok(!JSON.stringify(events).includes('secret'))
      assert.deepEqual(
        events.map(({ data }) => [data.host, data.description]),
        [
          ['hooks.shop.example:8443', 'CRM "sync"'],
          ['shop.example', 'CRM "sync"'],
          [null, 'CRM "sync"'],
        ],
      )
    })

    await t.test('older deliveries are counted, and those of deleted webhooks are marked for removal', async () => {
      assert.deepEqual(await pool.many(sql`select webhook_id, total from webhook_delivery_counts order by total`), [
        { webhook_id: deleted, total: 1 },
        { webhook_id: kept, total: 3 },
      ])
      assert.deepEqual(await pool.many(sql`select webhook_id from deleted_webhooks`), [{ webhook_id: deleted }])
    })

    await t.test('older imports keep their values under the new names', async () => {
      assert.deepEqual(await pool.many(sql`select status, on_conflict, undo_skipped from imports`), [
        { status: 'canceled', on_conflict: 'update', undo_skipped: 3 },
      ])
    })
  }))

const addContacts = (pool: Pool): Promise<unknown> =>
  pool.script(`insert into contacts (workspace_id, id, phone_number, tags, source, created_at, updated_at)
    select md5((n % 2)::text)::uuid, gen_random_uuid(), n::text, '{}', case when n < 6 then 'api' else 'import' end,
      '2026-11-14T23:59:59.999Z'::timestamptz + (n % 4) * interval '1 ms', now()
    from generate_series(1, 20) as n`)

async function addWebhookEvents(pool: Pool): Promise<void> {
  const urls = ['https://Hooks.shop.example:8443/secret?token=secret', 'http://shop.example\\secret', '/inbox/a/secret']
  for (const [index, url] of urls.entries()) {
    const data = { id: newId(), url, events: ['*'], description: 'CRM "sync"', status: 'active', created_at: 'then' }
    await pool.run(sql`insert into events (workspace_id, id, type, resource_id, data, created_at)
      values (${data.id}, ${newId()}, ${index === 0 ? 'webhook.disabled' : 'webhook.test'}, ${data.id},
        ${JSON.stringify(data)}, now())`)
  }
}

/** Three deliveries of a webhook, and one of a webhook that was deleted. Returns the ids of both webhooks. */
async function addDeliveries(pool: Pool): Promise<[string, string]> {
  const [workspace, kept, deleted] = [newId(), newId(), newId()]
  await pool.run(sql`insert into workspaces (id, name, created_at) values (${workspace}, 'Sender', now())`)
  await pool.run(sql`insert into webhooks (workspace_id, id, url, events, status, secret, created_at, updated_at)
    values (${workspace}, ${kept}, 'https://shop.example/', '{*}', 'active', '', now(), now())`)
  await pool.run(sql`insert into webhook_deliveries (workspace_id, webhook_id, id, type, created_at)
    select ${workspace}, webhook_id, gen_random_uuid(), 'contact.created', now()
    from unnest(${[kept, kept, kept, deleted]}::uuid[]) as webhook_id`)
  return [kept, deleted]
}

const addImport = (pool: Pool): Promise<unknown> =>
  pool.script(`insert into workspaces (id, name, created_at) values (md5('1')::uuid, 'Importer', now());
    insert into imports (workspace_id, id, status, is_dry_run, on_known, columns, mapping, not_undone, created_at)
    values (md5('1')::uuid, gen_random_uuid(), 'cancelled', false, 'update', '{}', '{}', 3, now())`)
