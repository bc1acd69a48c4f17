import { randomUUIDv7 } from 'node:crypto'
import fastify, { type FastifyRequest } from 'fastify'
import pg from 'pg'

/** A handler written by hand: a route, a statement, a response. No keys, limits, validation, idempotency, events or counters. */
export interface Settings {
  database_url: string
  /** By the value of the Authorization header. Keys are not checked in any other way. */
  workspaces: Record<string, string>
}

/** The same as Parley. */
const pool_size = 10

const text = { type: 'string' }
const optional_text = { type: ['string', 'null'] }
const time = { type: 'string', format: 'date-time' }
const optional_time = { type: ['string', 'null'], format: 'date-time' }
const contact = {
  type: 'object',
  properties: {
    id: text,
    phone_number: text,
    first_name: optional_text,
    last_name: optional_text,
    display_name: optional_text,
    email: optional_text,
    company: optional_text,
    notes: optional_text,
    tags: { type: 'array', items: text },
    source: text,
    first_contact_at: optional_time,
    last_contact_at: optional_time,
    created_at: time,
    updated_at: time,
  },
}
const pagination = {
  type: 'object',
  properties: {
    total: { type: 'integer' },
    limit: { type: 'integer' },
    offset: { type: 'integer' },
    has_more: { type: 'boolean' },
  },
}
const success = { type: 'boolean' }
const one = { type: 'object', properties: { success, data: contact } }
const crm_ids = { type: 'object', additionalProperties: text }
const contact_with_crm_ids = { type: 'object', properties: { ...contact.properties, crm_ids } }
const one_with_crm_ids = { type: 'object', properties: { success, data: contact_with_crm_ids } }
const many = { type: 'object', properties: { success, data: { type: 'array', items: contact }, pagination } }

const columns = Object.keys(contact.properties).join(', ')

interface NewContact {
  phone_number: string
  first_name: string
  last_name: string
  email: string
  company: string
  tags: string[]
}

async function serve({ database_url, workspaces }: Settings): Promise<void> {
  const pool = new pg.Pool({ connectionString: database_url, max: pool_size, idleTimeoutMillis: 0 })
  const app = fastify()
  const workspaceOf = ({ headers }: FastifyRequest) => workspaces[headers.authorization ?? '']

  app.get<{ Params: { id: string } }>(
    '/api/v1/contacts/:id',
    { schema: { response: { 200: one_with_crm_ids } } },
    async (request) => {
      const { rows } = await pool.query({
        name: 'get',
        text: `select ${columns}, crm_ids from contacts where workspace_id = $1 and id = $2`,
        values: [workspaceOf(request), request.params.id],
      })
      return { success: true, data: rows[0] }
    },
  )

  app.get<{ Querystring: { limit: string; offset: string } }>(
    '/api/v1/contacts',
    { schema: { response: { 200: many } } },
    async (request) => {
      const limit = Number(request.query.limit)
      const offset = Number(request.query.offset)
      const [page, count] = await Promise.all([
        pool.query({
          name: 'list',
          text: `select ${columns} from contacts where workspace_id = $1
            order by created_at desc, id desc limit $2 offset $3`,
          values: [workspaceOf(request), limit, offset],
        }),
        pool.query({
          name: 'count',
          text: 'select count(*)::int as total from contacts where workspace_id = $1',
          values: [workspaceOf(request)],
        }),
      ])
      const { total } = count.rows[0]
      const has_more = offset + page.rows.length < total
      return { success: true, data: page.rows, pagination: { total, limit, offset, has_more } }
    },
  )

  app.post<{ Body: NewContact }>('/api/v1/contacts', { schema: { response: { 201: one } } }, async (request, reply) => {
    const { phone_number, first_name, last_name, email, company, tags } = request.body
    const now = new Date()
    const { rows } = await pool.query({
      name: 'create',
      text: `insert into contacts (workspace_id, id, phone_number, first_name, last_name, email, company, tags, source,
            created_at, updated_at)
          values ($1, $2, $3, $4, $5, $6, $7, $8, 'api', $9, $9) returning ${columns}`,
      values: [workspaceOf(request), randomUUIDv7(), phone_number, first_name, last_name, email, company, tags, now],
    })
    return reply.code(201).send({ success: true, data: rows[0] })
  })

  app.patch<{ Params: { id: string }; Body: { company: string; notes: string } }>(
    '/api/v1/contacts/:id',
    { schema: { response: { 200: one } } },
    async (request) => {
      const { company, notes } = request.body
      const { rows } = await pool.query({
        name: 'update',
        text: `update contacts set company = $3, notes = $4, updated_at = $5
          where workspace_id = $1 and id = $2 returning ${columns}`,
        values: [workspaceOf(request), request.params.id, company, notes, new Date()],
      })
      return { success: true, data: rows[0] }
    },
  )

  console.log(await app.listen({ host: '127.0.0.1', port: 0 }))
}

process.once('message', (settings: Settings) => void serve(settings))
process.on('disconnect', () => process.exit())
