import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import pg from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import { copyLine, copyTextArray } from '../../server/kit/postgres/copy.ts'
import { chunksOf } from '../chunks.ts'
import type { Database } from '../database.ts'
import { addTenant } from '../fill.ts'
import type { Tenant } from '../rows.ts'
import { copy_columns, type Person, people, toCopyCells } from './people.ts'

const big_contacts = 1_000_000
const medium_contacts = 1_000
const small_contacts = 100
const small_workspaces = 1_000
const sampled_ids = 20_000

export interface Tenants {
  big: Tenant
  medium: Tenant
  small: Tenant
}

/** The table and indexes of a plain implementation, to compare with. */
export const plainTable = (kind: 'table' | 'temp table'): string => `create ${kind} plain_contacts (
    workspace_id uuid not null, id uuid not null, phone_number text collate "C" not null, first_name text collate "C",
    last_name text collate "C", display_name text collate "C", email text collate "C", company text collate "C",
    notes text collate "C", tags text[] collate "C" not null, source text collate "C" not null,
    first_contact_at timestamptz(3), last_contact_at timestamptz(3), created_at timestamptz(3) not null,
    updated_at timestamptz(3) not null, search_text text collate "C" not null, normalized_tags text[] collate "C" not null)`
const plain_indexes = `
  alter table plain_contacts add primary key (workspace_id, id);
  create index plain_created_at on plain_contacts (workspace_id, created_at desc, id desc);
  create index plain_search on plain_contacts using gin (workspace_id, search_text gin_trgm_ops);
  create index plain_tags on plain_contacts using gin (workspace_id, normalized_tags)`
const copied_columns = [...copy_columns, 'search_text', 'normalized_tags']
/** Fills Parley's own tables with the same people. */
export const fill_parley = `
  insert into contacts (workspace_id, id, phone_number, first_name, last_name, email, company, notes, tags, source,
      created_at, updated_at)
    select workspace_id, id, phone_number, first_name, last_name, email, company, notes, tags, source, created_at,
      updated_at
    from plain_contacts;
  insert into contact_tags (workspace_id, tag, created_at, id)
    select workspace_id, tag, created_at, id from plain_contacts, unnest(normalized_tags) as tag;
  insert into contact_counts (workspace_id, source, slot, total)
    select workspace_id, source, 0, count(*) from plain_contacts group by workspace_id, source;
  insert into contact_day_counts (workspace_id, day, slot, total)
    select workspace_id, (created_at at time zone 'UTC')::date, 0, count(*) from plain_contacts group by 1, 2;
  insert into contact_texts (workspace_id, id, created_at, text)
    select workspace_id, id, created_at, search_text from plain_contacts`

/** Fills the plain table and Parley's own tables with the same people. */
export async function fillScale({ url, pool }: Database, seed: number, signal: AbortSignal): Promise<Tenants> {
  const started_at = performance.now()
  const logStep = (step: string) =>
    console.log(`${step} after ${Math.round((performance.now() - started_at) / 1000)} s`)
  const [big, medium, small] = await Promise.all(['Big', 'Medium', 'Small'].map((name) => addTenant(pool, name)))
  if (!big || !medium || !small) throw new Error('could not create the workspaces')
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(plainTable('table'))
    await copyPeople(client, copyLinesFor(big, big_contacts, seed), signal)
    await copyPeople(client, copyLinesFor(medium, medium_contacts, seed + 1), signal)
    await copyPeople(client, copyLinesFor(small, small_contacts, seed + 2), signal)
    await copyPeople(client, smallWorkspaceLines(seed + 3), signal)
    logStep('copied')
    await client.query(fill_parley)
    logStep('filled')
    await client.query(plain_indexes)
    await client.query('vacuum analyze')
    await client.query('checkpoint')
    logStep('indexed, vacuumed and analyzed')
  } finally {
    await client.end()
  }
  return { big, medium, small }
}

/** Into the plain table. */
export async function copyPeople(client: pg.Client, lines: Iterable<string>, signal: AbortSignal): Promise<void> {
  const stream = client.query(copyFrom(`copy plain_contacts (${copied_columns}) from stdin`))
  await pipeline(Readable.from(chunksOf(lines)), stream, { signal })
}

/** The lines of a workspace's people. Adds some of their ids to the tenant. */
export function* copyLinesFor({ workspace_id, ids }: Tenant, count: number, seed: number): Generator<string> {
  const every = Math.max(1, Math.floor(count / sampled_ids))
  let number = 0
  for (const person of people(count, seed)) {
    if (number % every === 0) ids.push(person.id)
    number += 1
    yield copyLineFor(workspace_id, person)
  }
}

function* smallWorkspaceLines(seed: number): Generator<string> {
  for (let number = 0; number < small_workspaces - 1; number += 1) {
    const workspace_id = randomUUID()
    for (const person of people(small_contacts, seed + number)) yield copyLineFor(workspace_id, person)
  }
}

const copyLineFor = (workspace_id: string, person: Person): string =>
  copyLine([...toCopyCells(workspace_id, person), person.search_text, copyTextArray(person.normalized_tags)])
