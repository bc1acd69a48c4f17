import pg from 'pg'

/** A SQL condition with one parameter, $2. */
export interface Filter {
  text: string
  value: unknown
}

export interface Plain {
  workspace_id: string
  query: (text: string, values: unknown[]) => Promise<pg.QueryResult>
  page: (filter: Filter | undefined, offset: number) => Promise<unknown>
  /** Reads the page and the count at the same time. */
  list: (filter: Filter, offset: number) => Promise<unknown>
  write: (id: string) => Promise<unknown>
}

const columns = `id, phone_number, first_name, last_name, display_name, email, company, notes, tags, source,
  first_contact_at, last_contact_at, created_at, updated_at`

/** The same lists as plain SQL, sent with the driver alone. */
export async function openPlain(stack: AsyncDisposableStack, url: string, workspace_id: string): Promise<Plain> {
  const pool = new pg.Pool({ connectionString: url, max: 2, idleTimeoutMillis: 0 })
  stack.defer(() => pool.end())
  const whereClause = (filter: Filter | undefined) => `where workspace_id = $1${filter ? ` and ${filter.text}` : ''}`
  const parameters = (filter: Filter | undefined) => [workspace_id, ...(filter ? [filter.value] : [])]
  const page: Plain['page'] = (filter, offset) =>
    pool.query(
      `select ${columns} from plain_contacts ${whereClause(filter)} order by created_at desc, id desc
        limit 20 offset ${offset}`,
      parameters(filter),
    )
  return {
    workspace_id,
    query: (text, values) => pool.query(text, values),
    page,
    list: (filter, offset) =>
      Promise.all([
        page(filter, offset),
        pool.query(`select count(*) from plain_contacts ${whereClause(filter)}`, parameters(filter)),
      ]),
    write: (id) =>
      pool.query('update plain_contacts set notes = $3, updated_at = now() where workspace_id = $1 and id = $2', [
        workspace_id,
        id,
        `Called back at ${performance.now()}.`,
      ]),
  }
}
