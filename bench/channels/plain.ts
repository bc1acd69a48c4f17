import { randomUUIDv7 } from 'node:crypto'
import fastify from 'fastify'
import pg from 'pg'

/** A handler written by hand that writes what a message needs. No signatures, limits, consent, leases or repeated messages. */
export interface Settings {
  database_url: string
  workspace_id: string
  channel_id: string
  agent_id: string
}

/** Like the table of events, but without readers, which would take time from the other server. */
export const plain_events = 'create table plain_events (like events including all)'

/** The same as Parley. */
const pool_size = 10
const slots = 16

const find_text = `select id, contact_id, turn_count from conversations
  where workspace_id = $1 and channel_id = $2 and counterpart = $3 and kind = 'sms' and status <> 'closed' for no key update`
const contact_text = `insert into contacts (workspace_id, id, phone_number, tags, source, first_contact_at, last_contact_at,
    created_at, updated_at)
  values ($1, $2, $3, '{}', 'inbound', $4, $4, $4, $4)`
const search_text = 'insert into contact_texts (workspace_id, id, created_at, text) values ($1, $2, $3, $4)'
const contact_count_text = `insert into contact_counts (workspace_id, source, slot, total) values ($1, 'inbound', $2, 1)
  on conflict (workspace_id, source, slot) do update set total = contact_counts.total + 1`
const day_count_text = `insert into contact_day_counts (workspace_id, day, slot, total) values ($1, $2, $3, 1)
  on conflict (workspace_id, day, slot) do update set total = contact_day_counts.total + 1`
const conversation_text = `insert into conversations (workspace_id, id, kind, status, channel_id, agent_id, agent_name,
    version_label, contact_id, counterpart, turn_count, last_turn_at, created_at, updated_at)
  values ($1, $2, 'sms', 'open', $3, $4, 'Reception', 'v1', $5, $6, 1, $7, $7, $7)`
const conversation_count_text = `insert into conversation_counts (workspace_id, status, slot, total)
  values ($1, 'open', $2, 1)
  on conflict (workspace_id, status, slot) do update set total = conversation_counts.total + 1`
const stamp_text = 'update contacts set last_contact_at = $3 where workspace_id = $1 and id = $2'
const update_text = `update conversations set turn_count = $3, last_turn_at = $4, updated_at = $4
  where workspace_id = $1 and id = $2`
const turn_text = `insert into conversation_turns (workspace_id, conversation_id, seq, role, text, message_id, created_at)
  values ($1, $2, $3, 'contact', $4, $5, $6)`
const message_text = `insert into messages (workspace_id, id, conversation_id, seq, channel_id, direction, carrier_id, status,
    segments, created_at)
  values ($1, $2, $3, $4, $5, 'inbound', $6, 'delivered', 1, $7)`
const events_text = `insert into plain_events (workspace_id, id, type, resource_id, data, created_at)
  values ($1, $2, $3, $4, $5, $10), ($1, $6, $7, $8, $9, $10)`

async function serve({ database_url, workspace_id, channel_id, agent_id }: Settings): Promise<void> {
  const pool = new pg.Pool({ connectionString: database_url, max: pool_size, idleTimeoutMillis: 0 })
  const app = fastify()
  app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, text, done) =>
    done(null, new URLSearchParams(String(text))),
  )

  app.post<{ Body: URLSearchParams }>('/sms/:channel_id', async ({ body }, reply) => {
    const message = { from: body.get('From'), text: body.get('Body'), carrier_id: body.get('MessageSid') }
    const client = await pool.connect()
    try {
      await client.query('begin')
      await receive(client, message)
      await client.query('commit')
    } finally {
      client.release()
    }
    return reply.type('text/xml').send('<Response/>')
  })

  interface Inbound {
    from: string | null
    text: string | null
    carrier_id: string | null
  }

  async function receive(client: pg.PoolClient, { from, text, carrier_id }: Inbound): Promise<void> {
    const run = (name: string, sql: string, values: unknown[]) => client.query({ name, text: sql, values })
    const created_at = new Date().toISOString()
    const { rows } = await run('find', find_text, [workspace_id, channel_id, from])
    const known = rows[0]
    const [id, seq] = [known?.id ?? randomUUIDv7(), (known?.turn_count ?? 0) + 1]
    const record = (name: string, one: [string, string, object], other: [string, string, object]) => {
      const toValues = ([type, resource_id, data]: typeof one) => [
        randomUUIDv7(),
        type,
        resource_id,
        JSON.stringify({ id: resource_id, ...data }),
      ]
      return run(name, events_text, [workspace_id, ...toValues(one), ...toValues(other), created_at])
    }
    if (known) {
      await run('stamp', stamp_text, [workspace_id, known.contact_id, created_at])
      await run('update', update_text, [workspace_id, id, seq, created_at])
    } else {
      const contact_id = randomUUIDv7()
      const slot = Math.floor(Math.random() * slots)
      await run('contact', contact_text, [workspace_id, contact_id, from, created_at])
      await run('search', search_text, [workspace_id, contact_id, created_at, from])
      await run('contact_count', contact_count_text, [workspace_id, slot])
      await run('day_count', day_count_text, [workspace_id, created_at.slice(0, 10), slot])
      const values = [workspace_id, id, channel_id, agent_id, contact_id, from, created_at]
      await run('conversation', conversation_text, values)
      await run('conversation_count', conversation_count_text, [workspace_id, slot])
      const contact = { phone_number: from, tags: [], source: 'inbound', created_at }
      const conversation = {
        kind: 'sms',
        status: 'open',
        channel_id,
        agent_id,
        contact_id,
        counterpart: from,
        created_at,
      }
      await record('events', ['contact.created', contact_id, contact], ['conversation.started', id, conversation])
    }
    const message_id = randomUUIDv7()
    await run('turn', turn_text, [workspace_id, id, seq, text, message_id, created_at])
    await run('message', message_text, [workspace_id, message_id, id, seq, channel_id, carrier_id, created_at])
    const turn = { seq, role: 'contact', text, created_at }
    const message = { conversation_id: id, seq, status: 'delivered' }
    await record('events', ['conversation.turn', id, { turn }], ['message.received', message_id, message])
  }

  console.log(await app.listen({ host: '127.0.0.1', port: 0 }))
}

process.once('message', (settings: Settings) => void serve(settings))
process.on('disconnect', () => process.exit())
